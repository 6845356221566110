import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Fake from "../../support/FakeLanguageServer.ts"
import * as Writes from "./writes.ts"

/** Changes the name of the file in `a.t` (E20: `documentChanges`, version null). */
const follows: Fake.Behaviour = (server) => {
  const filters = [
    { scheme: "file", pattern: { glob: "**/*.t", matches: "file" } },
    { pattern: { glob: "**", matches: "folder" } }
  ]
  server.on("initialize", () => ({
    capabilities: {
      textDocumentSync: 2,
      workspace: { fileOperations: { willRename: { filters }, didRename: { filters } } }
    }
  }))
  server.on("workspace/willRenameFiles", ({ files: [{ newUri, oldUri }] }) => {
    const project = oldUri.slice(0, oldUri.indexOf("/project/") + 9)
    const names = [oldUri, newUri].map((uri: string) => uri.slice(project.length).replace(/\.t$/, ""))
    const length = names[0]!.length
    if (names[0] === "alone") return null
    if (names[0] === "refused") throw Object.assign(new Error("not this one"), { code: -32803 })
    return {
      documentChanges: [
        {
          textDocument: { uri: `${project}a.t`, version: null },
          edits: [
            { range: { start: { line: 0, character: 4 }, end: { line: 0, character: 4 + length } }, newText: names[1] }
          ]
        }
      ]
    }
  })
}

const files = { "a.t": "use lib\n", "lib.t": "lib\n", "alone.t": "alone\n", "refused.t": "x\n", "plain.txt": "text\n" }

describe("lsp_rename_file", () => {
  it.live("C98 the references follow: asked before, told after, and one id takes all of it back", () =>
    Effect.gen(function* () {
      const run = yield* Writes.run(follows, { files })
      const before = run.tree()
      yield* run.servers.diagnostics([run.path("lib.t")], { timeout: "200 millis" })
      const answer = yield* run.surface.call("lsp_rename_file", { from: "lib.t", to: "deep/core.t" })
      if (answer.isFailure) return assert.fail(answer.text)
      const { "lib.t": _, ...others } = before
      assert.deepStrictEqual(run.tree(), { ...others, "a.t": "use deep/core\n", "deep/core.t": "lib\n" })
      assert.deepStrictEqual(
        answer.value.files.map(({ change, edits, moved_to, path }) => [change, path, moved_to, edits]),
        [
          ["changed", "a.t", undefined, 1],
          ["moved", "lib.t", "deep/core.t", 0]
        ]
      )
      yield* Fake.eventually(() => run.received("workspace/didRenameFiles")[0])
      assert.deepStrictEqual(
        run.methods().filter((method) => /RenameFiles$|didClose$/.test(method)),
        // The second time for the text of `a.t`, which it was shown in between.
        ["workspace/willRenameFiles", "workspace/willRenameFiles", "textDocument/didClose", "workspace/didRenameFiles"]
      )
      assert.isFalse((yield* run.undo(answer.value.edit_id)).isFailure)
      assert.deepStrictEqual(run.tree(), before)
    })
  )

  it.live("a folder", () =>
    Effect.gen(function* () {
      const run = yield* Writes.run(follows, { files: { "a.t": "use old/x\n", "old/x.t": "x\n", "old/y.t": "y\n" } })
      const answer = yield* run.surface.call("lsp_rename_file", { from: "old", to: "new" })
      if (answer.isFailure) return assert.fail(answer.text)
      assert.deepStrictEqual(run.tree(), { "a.t": "use new/x\n", "new/x.t": "x\n", "new/y.t": "y\n" })
    })
  )

  it.live("no reference, no server: it is moved, and the answer says which of the two", () =>
    Effect.gen(function* () {
      const run = yield* Writes.run(follows, { files })
      const alone = yield* run.surface.call("lsp_rename_file", { from: "alone.t", to: "b.t" })
      if (alone.isFailure) return assert.fail(alone.text)
      assert.deepStrictEqual([alone.value.warnings, alone.value.servers], [[], [{ id: "fake", outcome: "empty" }]])
      const plain = yield* run.surface.call("lsp_rename_file", { from: "plain.txt", to: "other.txt" })
      if (plain.isFailure) return assert.fail(plain.text)
      assert.include(plain.text, "was not looked for")
      assert.deepStrictEqual(Object.keys(run.tree()), ["a.t", "b.t", "lib.t", "other.txt", "refused.t"])
    })
  )

  it.live("C98 a file of another language: the servers of those that name it are asked, each by its own filter", () =>
    Effect.gen(function* () {
      const json = { row: { languages: [{ id: "json", extensions: [".json"] }] } } as const
      const run = yield* Writes.run(
        (server) => {
          const filters = [{ pattern: { glob: "**/*.{t,json}" } }]
          server.on("initialize", () => ({
            capabilities: {
              textDocumentSync: 2,
              workspace: { fileOperations: { willRename: { filters }, didRename: { filters } } }
            }
          }))
          server.on("workspace/willRenameFiles", ({ files: [{ oldUri }] }) => ({
            documentChanges: [
              {
                textDocument: { uri: oldUri.replace(/[^/]*$/, "a.t"), version: null },
                edits: [
                  { range: { start: { line: 0, character: 8 }, end: { line: 0, character: 12 } }, newText: "core" }
                ]
              }
            ]
          }))
        },
        {
          files: { "a.t": 'import "data.json"\n', "data.json": "{}\n", "other.json": "{}\n" },
          others: {
            json: {
              behaviour: (server) => server.on("initialize", () => ({ capabilities: { textDocumentSync: 2 } })),
              ...json
            }
          }
        }
      )
      const answer = yield* run.surface.call("lsp_rename_file", { from: "data.json", to: "core.json" })
      if (answer.isFailure) return assert.fail(answer.text)
      assert.deepStrictEqual(run.tree(), { "a.t": 'import "core.json"\n', "core.json": "{}\n", "other.json": "{}\n" })
      assert.strictEqual(answer.value.server, "fake")
      yield* Fake.eventually(() => run.received("workspace/didRenameFiles")[0])
      // Nobody names this one: the server is not asked.
      const alone = yield* run.surface.call("lsp_rename_file", { from: "other.json", to: "third.json" })
      assert.include(alone.text, "was not looked for")
    })
  )

  it.live("refused by the server, by what is there, by where it leads: nothing is changed", () =>
    Effect.gen(function* () {
      const run = yield* Writes.run(follows, { files })
      const before = run.tree()
      const call = (from: string, to: string) =>
        Effect.map(run.surface.call("lsp_rename_file", { from, to }), (answer) => answer.isFailure && answer.code)
      assert.strictEqual(yield* call("refused.t", "x.t"), "refused_edit")
      assert.strictEqual(yield* call("lib.t", "a.t"), "refused_edit")
      assert.strictEqual(yield* call("lib.t", "lib.t"), "invalid_params")
      assert.strictEqual(yield* call("none.t", "x.t"), "not_found")
      assert.strictEqual(yield* call("lib.t", "../x.t"), "outside_directory")
      assert.deepStrictEqual(run.tree(), before)
    })
  )

  it.live("a server that does not say in time what refers to it: nothing is moved", () =>
    Effect.gen(function* () {
      const run = yield* Writes.run((server) => {
        const filters = [{ pattern: { glob: "**" } }]
        server.on("initialize", () => ({
          capabilities: { textDocumentSync: 2, workspace: { fileOperations: { willRename: { filters } } } }
        }))
        server.on("workspace/willRenameFiles", () => server.exit(1))
      })
      const answer = yield* run.surface.call("lsp_rename_file", { from: "a.t", to: "b.t" })
      assert.strictEqual(answer.isFailure && answer.code, "server_failed")
      assert.deepStrictEqual(Object.keys(run.tree()), ["a.t"])
    })
  )
})
