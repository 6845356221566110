/** What `npm run build:bin` makes. */
import { describe, expect, it } from "@effect/vitest"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { Script } from "node:vm"
import * as Cli from "../support/Cli.ts"

describe("the bundles", () => {
  for (const [start, prefix] of [
    [Cli.bin, "livetools"],
    [Path.join(Path.dirname(Cli.bin), "syntax-worker.cjs"), "syntax-worker"]
  ] as const) {
    it(`${prefix} starts from the compiled form of its code`, () => {
      const [name] = new RegExp(`${prefix}-\\w+\\.cjs`).exec(Fs.readFileSync(start, "utf8"))!
      const filename = Path.join(Path.dirname(start), name)
      const cachedData = Fs.readFileSync(`${filename}.${process.versions.v8}.${process.arch}`)
      const source = Fs.readFileSync(filename, "utf8")
      expect(new Script(source, { filename, cachedData }).cachedDataRejected).toBe(false)
    })
  }
})
