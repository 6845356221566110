import { assert, describe, it } from "@effect/vitest"
import { execFileSync, spawnSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import * as IgnoreRules from "../../../layers/workspace/IgnoreRules.ts"
import { random } from "../edits/reference.ts"

const directories = ["", "a", "a/b", "d", "d/a", "build", "a/build", "x y"]
const names = ["a", "b", "c.log", "d", "e.ts", "build", "x y"]
const patterns = ["a", "b", "*.log", "d", "*.ts", "build", "x y", "?", "[ab]", "**", "a*", "*"]

describe("rules in any places", () => {
  it("exclude what git excludes", () => {
    let excluded = 0
    for (let seed = 1; seed <= 12; seed++) {
      const r = random(seed)
      const root = Fs.mkdtempSync(Path.join(Os.tmpdir(), "ignore-"))
      execFileSync("git", ["init", "-q", root])
      for (const directory of directories) Fs.mkdirSync(Path.join(root, directory), { recursive: true })
      const files = directories
        .flatMap((directory) => names.map((name) => Path.join(directory, name)))
        .filter((file) => !directories.includes(file) && r.chance(0.6))
      for (const file of files) Fs.writeFileSync(Path.join(root, file), "")
      const rule = () =>
        (r.chance(0.35) ? "!" : "") +
        r.pick(["", "", "/", "**/"]) +
        r.pick(patterns) +
        r.pick(["", "", "/b", "/*", "/**", "/a"]) +
        r.pick(["", "", "/"])
      const rules = directories
        .filter(() => r.chance(0.5))
        .map((directory) => {
          const text = Array.from({ length: 1 + r.int(4) }, rule).join("\n")
          Fs.writeFileSync(Path.join(root, directory, ".gitignore"), text)
          return [directory, text]
        })
      const git = spawnSync("git", ["-C", root, "check-ignore", "--no-index", "--stdin", "-z"], {
        input: files.join("\0")
      })
      const expected = git.stdout.toString("utf8").split("\0").filter(Boolean)
      const { isIgnored } = IgnoreRules.make(root)
      const found = files.filter((file) => isIgnored(Path.join(root, file), false))
      assert.deepStrictEqual(found.sort(), expected.sort(), JSON.stringify({ seed, rules }))
      excluded += found.length
      Fs.rmSync(root, { recursive: true })
    }
    assert.isAbove(excluded, 50)
  })
})
