import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Candidates from "../../../layers/process/Candidates.ts"

describe("where a program may be", () => {
  let base = ""
  beforeAll(() => {
    base = Fs.realpathSync(Fs.mkdtempSync(Path.join(Os.tmpdir(), "candidates-")))
    for (const folder of ["a", "b", "project/.bin"]) {
      Fs.mkdirSync(Path.join(base, folder), { recursive: true })
      Fs.writeFileSync(Path.join(base, folder, "tool"), "")
    }
  })
  afterAll(() => Fs.rmSync(base, { recursive: true, force: true }))

  it("is in the order of PATH, where a folder that is named twice counts at its first place", () => {
    const workspace = Path.join(base, "project")
    const path = ["a", "b", "a", "nowhere"].map((folder) => Path.join(base, folder)).join(Path.delimiter)
    const found = Candidates.of({ name: "tool", project: [".bin"] }, workspace, { workspace, env: { PATH: path } })
    assert.deepStrictEqual(
      found.map(({ file, isInProject, isOwn }) => [Path.relative(base, file), isInProject, isOwn]),
      [
        [Path.join("project", ".bin", "tool"), true, true],
        [Path.join("a", "tool"), false, false],
        [Path.join("b", "tool"), false, false]
      ]
    )
  })
})
