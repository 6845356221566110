/** What goes wrong beside a rename: other writes, and files that cannot be written. */
import * as Fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type * as Fake from "../../support/FakeLanguageServer.ts"
import * as Writes from "./writes.ts"

/** Renames a word in all files that it holds open, and in `b.t`; a second after it was asked where the text says so. */
const renames: Fake.Behaviour = (server) => {
  server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, renameProvider: true } }))
  server.on("textDocument/rename", async ({ newName, textDocument: { uri } }) => {
    const changes: Record<string, Array<object>> = {
      [uri.replace("a.t", "b.t")]: [
        { range: { start: { line: 0, character: 0 }, end: { line: 0, character: 3 } }, newText: newName }
      ]
    }
    for (const [each, { text }] of server.documents) {
      changes[each] = text.split("\n").flatMap((line, number) =>
        [...line.matchAll(/\bone\b/g)].map(({ index }) => ({
          range: { start: { line: number, character: index }, end: { line: number, character: index + 3 } },
          newText: newName
        }))
      )
    }
    if ([...server.documents.values()].some(({ text }) => text.includes("slow"))) await server.sleep(400)
    return { changes }
  })
}

describe("a rename", () => {
  it.live("C100 and a write to the same file: both are in the file, whichever comes first", () =>
    Effect.gen(function* () {
      const run = yield* Writes.run(renames, { files: { "a.t": "one slow\n", "b.t": "one\n" } })
      const renaming = yield* Effect.forkChild(run.rename("uno"), { startImmediately: true })
      while (run.received("textDocument/rename").length === 0) yield* Effect.sleep("10 millis")
      // The answer that the server is making is for a text that is no more.
      const written = yield* run.surface.call("write", { path: "a.t", content: "one slow\nand one\n" })
      assert.isFalse(written.isFailure, written.text)
      const answer = yield* Fiber.join(renaming)
      if (answer.isFailure) return assert.fail(answer.text)
      assert.deepStrictEqual(run.tree(), { "a.t": "uno slow\nand uno\n", "b.t": "uno\n" })
      const undone = yield* run.undo(answer.value.edit_id)
      assert.isFalse(undone.isFailure, undone.text)
      assert.deepStrictEqual(run.tree(), { "a.t": "one slow\nand one\n", "b.t": "one\n" })
    })
  )

  it.live("C100 many writes and renames at once: each is whole, and none is lost", () =>
    Effect.gen(function* () {
      const run = yield* Writes.run(renames, { files: { "a.t": "one\n", "b.t": "one\n" } })
      const names = ["uno", "one", "due", "one"]
      const writing = Effect.forEach(
        [1, 2, 3, 4, 5],
        (i) => run.surface.call("write", { path: `c${i}.t`, content: `one ${i}\n` }),
        { concurrency: "unbounded" }
      )
      const renaming = Effect.forEach(
        names,
        (name) => run.surface.call("lsp_rename", { file: "a.t", line: 1, symbol: "one", new_name: name }),
        { concurrency: "unbounded" }
      )
      const [written, renamed] = yield* Effect.all([writing, renaming], { concurrency: "unbounded" })
      for (const one of written) assert.isFalse(one.isFailure, one.text)
      const tree = run.tree()
      for (const i of [1, 2, 3, 4, 5]) assert.match(tree[`c${i}.t`]!, new RegExp(`^(?:one|uno|due) ${i}\n$`))
      assert.strictEqual(tree["a.t"], tree["b.t"])
      assert.include(["uno\n", "due\n", "one\n"], tree["a.t"])
      const done = renamed.filter(({ isFailure }) => !isFailure)
      assert.isAtLeast(done.length, 1)
    })
  )

  it.live("C88 what cannot be written stops it before anything is; mode, byte order mark and links stay", () =>
    Effect.gen(function* () {
      const run = yield* Writes.run(renames, { files: { "a.t": "\ufeffone\n", "b.t": "one\n" } })
      run.write("real.t", "one\n")
      Fs.chmodSync(run.path("a.t"), 0o750)
      Fs.rmSync(run.path("b.t"))
      Fs.symlinkSync("real.t", run.path("b.t"))
      const answer = yield* run.rename("uno")
      if (answer.isFailure) return assert.fail(answer.text)
      assert.strictEqual(run.read("a.t"), "\ufeffuno\n")
      assert.strictEqual(Fs.statSync(run.path("a.t")).mode & 0o777, 0o750)
      assert.isTrue(Fs.lstatSync(run.path("b.t")).isSymbolicLink())
      assert.strictEqual(run.read("real.t"), "uno\n")
      assert.isFalse((yield* run.undo(answer.value.edit_id)).isFailure)

      // Not UTF-8, and so not to be changed without harm.
      Fs.writeFileSync(run.path("real.t"), Uint8Array.of(0x6f, 0x6e, 0x65, 0x20, 0xff, 0x0a))
      const refused = yield* run.rename("uno")
      assert.isTrue(refused.isFailure)
      assert.strictEqual(run.read("a.t"), "\ufeffone\n")
      assert.deepStrictEqual([...Fs.readFileSync(run.path("real.t"))], [0x6f, 0x6e, 0x65, 0x20, 0xff, 0x0a])
    })
  )
})
