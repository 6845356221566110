import { assert, describe, it } from "@effect/vitest"
import * as Fs from "node:fs"
import * as ConsoleHistory from "../../layers/ConsoleHistory.ts"
import * as ConsolePaths from "../../layers/ConsolePaths.ts"
import * as Cli from "../support/Cli.ts"

const inFolder = (files: Parameters<typeof Cli.folder>[0], body: (folder: ReturnType<typeof Cli.folder>) => void) => {
  const folder = Cli.folder(files)
  try {
    body(folder)
  } finally {
    folder.remove()
  }
}

describe("the files of the console", () => {
  it("keep calls of several lines as they were typed, newest first, and take up no more than is kept", () =>
    inFolder({ "console-history": `${"old\n".repeat(2100)}"not JSON\n` }, ({ read, root }) => {
      const calls = ["read path=a", "eval code='\n\tx = \"1\"\n'", '{"tool":"read"}', '"quoted"']
      const history = ConsoleHistory.open(root)
      assert.deepStrictEqual(history.lines.slice(0, 2), ['"not JSON', "old"])
      assert.strictEqual(history.lines.length, 1000)
      for (const call of calls) history.add(call)
      assert.strictEqual(read("console-history").split("\n").length, 1005)
      assert.deepStrictEqual(ConsoleHistory.open(root).lines.slice(0, 4), calls.toReversed())
    }))

  it("are completed with their names, folders and what leads to one with a slash", () =>
    inFolder({ "a/x.txt": "", "ab.txt": "", ".hidden": "" }, ({ path, root }) => {
      Fs.symlinkSync("a", path("al"))
      Fs.symlinkSync("round", path("around"))
      Fs.symlinkSync("around", path("round"))
      assert.deepStrictEqual([...ConsolePaths.near(root, "a")].toSorted(), ["a/", "ab.txt", "al/", "around"])
      assert.deepStrictEqual(ConsolePaths.near(root, "al/"), ["al/x.txt"])
      assert.deepStrictEqual(ConsolePaths.near(root, "."), [".hidden"])
      assert.deepStrictEqual(ConsolePaths.near(root, "nowhere/"), [])
    }))
})
