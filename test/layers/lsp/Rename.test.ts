import { assert, describe, it } from "@effect/vitest"
import * as Fs from "node:fs"
import { Effect, Fiber } from "effect"
import type * as Fake from "../../support/FakeLanguageServer.ts"
import * as Writes from "./writes.ts"

/** Renames a word in all files below the root that it knows by their URIs: those it holds open, and `b.t` and `c.t` beside. */
const renames: Fake.Behaviour = (server) => {
  server.on("initialize", () => ({
    capabilities: { textDocumentSync: 2, renameProvider: { prepareProvider: true } }
  }))
  const wordAt = (uri: string, { character, line }: { line: number; character: number }) => {
    const text = server.documents.get(uri)!.text.split(/\r\n|\n/)[line]!
    return [...text.matchAll(/\w+/g)].find(
      ({ 0: word, index }) => index <= character && character <= index + word.length
    )
  }
  server.on("textDocument/prepareRename", ({ position, textDocument }) => {
    const word = wordAt(textDocument.uri, position)
    if (word === undefined) return null
    if (word[0] === "keyword") throw Object.assign(new Error("cannot rename a keyword"), { code: -32803 })
    const range = {
      start: { line: position.line, character: word.index },
      end: { line: position.line, character: word.index + word[0].length }
    }
    return word[0] === "two" ? { range, placeholder: "two" } : word[0] === "three" ? { defaultBehavior: true } : range
  })
  server.on("textDocument/rename", ({ newName, position, textDocument }) => {
    const word = wordAt(textDocument.uri, position)![0]
    if (word === "nothing") return null
    const changes: Record<string, Array<object>> = {}
    for (const [uri, { text }] of server.documents) {
      const edits = text.split(/\r\n|\n/).flatMap((line, number) =>
        [...line.matchAll(new RegExp(`\\b${word}\\b`, "g"))].map(({ index }) => ({
          range: { start: { line: number, character: index }, end: { line: number, character: index + word.length } },
          newText: newName
        }))
      )
      if (edits.length > 0) changes[uri] = edits
    }
    // It has read this one by itself.
    const other = textDocument.uri.replace(/a\.t$/, "b.t")
    if (!server.documents.has(other) && word === "one") changes[other] ??= []
    return { changes }
  })
}

describe("lsp_rename", () => {
  it.live("every file or none: the answer has the lines before and after, and undo gives the old bytes", () =>
    Effect.gen(function* () {
      const run = yield* Writes.run(renames, { files: { "a.t": "one = 1\nuse one\n", "b.t": "also one\r\n" } })
      const before = run.tree()
      const answer = yield* run.rename("uno")
      if (answer.isFailure) return assert.fail(answer.text)
      assert.deepStrictEqual(run.tree(), { "a.t": "uno = 1\nuse uno\n", "b.t": "also uno\r\n" })
      assert.deepStrictEqual(
        answer.value.files.map(({ changes, edits, path }) => ({ path, edits, changes })),
        [
          {
            path: "a.t",
            edits: 2,
            changes: [
              { line: 1, before: ["one = 1"], after: ["uno = 1"] },
              { line: 2, before: ["use one"], after: ["use uno"] }
            ]
          },
          { path: "b.t", edits: 1, changes: [{ line: 1, before: ["also one"], after: ["also uno"] }] }
        ]
      )
      assert.strictEqual(answer.text.split("\n")[0], "renamed `one` to `uno`: 3 edits in 2 files")
      assert.isFalse((yield* run.undo(answer.value.edit_id)).isFailure)
      assert.deepStrictEqual(run.tree(), before)
    })
  )

  it.live("SPEC 3.2 an ambiguous symbol is refused, `symbol#2` is not", () =>
    Effect.gen(function* () {
      const run = yield* Writes.run(renames, { files: { "a.t": "one one\n" } })
      const refused = yield* run.rename("uno")
      assert.strictEqual(refused.isFailure && refused.code, "ambiguous_symbol")
      assert.deepStrictEqual(run.tree(), { "a.t": "one one\n" })
      assert.isFalse((yield* run.rename("uno", { symbol: "one#2" })).isFailure)
    })
  )

  it.live("C92 what cannot be renamed is refused with the reason of the server, in all shapes of its answer", () =>
    Effect.gen(function* () {
      const text = "keyword = two three --- nothing\n"
      const run = yield* Writes.run(renames, { files: { "a.t": text } })
      const keyword = yield* run.rename("x", { symbol: "keyword" })
      assert.strictEqual(keyword.isFailure && keyword.code, "refused_edit")
      assert.include(keyword.text, "cannot rename a keyword")
      const none = yield* run.rename("x", { symbol: "---" })
      assert.strictEqual(none.isFailure && none.code, "refused_edit")
      assert.include(none.text, "nothing that can be renamed")
      assert.strictEqual(run.read("a.t"), text)
      assert.isFalse((yield* run.rename("deux", { symbol: "two" })).isFailure)
      assert.isFalse((yield* run.rename("trois", { symbol: "three" })).isFailure)
      assert.strictEqual(run.read("a.t"), "keyword = deux trois --- nothing\n")
    })
  )

  it.live("C92 an error of any code is a refusal with its reason; one of the request as such is none", () =>
    Effect.gen(function* () {
      const run = yield* Writes.run(
        (server) => {
          server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, renameProvider: true } }))
          server.on("textDocument/rename", ({ newName }) => {
            const [message, code] = newName === "taken" ? ["it would shadow taken", 0] : ["no such method", -32601]
            throw Object.assign(new Error(String(message)), { code })
          })
        },
        { files: { "a.t": "one\n" } }
      )
      const taken = yield* run.rename("taken")
      assert.strictEqual(taken.isFailure && taken.code, "refused_edit")
      assert.include(taken.text, "it would shadow taken")
      const unknown = yield* run.rename("other")
      assert.notStrictEqual(unknown.isFailure && unknown.code, "refused_edit")
      assert.isTrue(unknown.isFailure)
    })
  )

  it.live("C93 an answer without an edit is no success", () =>
    Effect.gen(function* () {
      const run = yield* Writes.run(renames, { files: { "a.t": "nothing\n" } })
      const answer = yield* run.rename("x", { symbol: "nothing" })
      assert.strictEqual(answer.isFailure && answer.code, "refused_edit")
      assert.include(answer.text, "Nothing was changed")
    })
  )

  it.live("C96 E9 a new name that is none is refused before the server is asked for the edit", () =>
    Effect.gen(function* () {
      const run = yield* Writes.run(renames)
      for (const name of ["1 bad", "", "one", "a-b", "x\ny"]) {
        const answer = yield* run.rename(name)
        assert.strictEqual(answer.isFailure && answer.code, "invalid_params", name)
      }
      assert.deepStrictEqual(run.received("textDocument/rename"), [])
    })
  )

  it.live("not covered, and a server that does not rename: a failure that says so", () =>
    Effect.gen(function* () {
      const run = yield* Writes.run(
        (server) => server.on("initialize", () => ({ capabilities: { textDocumentSync: 2 } })),
        {
          files: { "a.none": "one\n" }
        }
      )
      const uncovered = yield* run.rename("x", { file: "a.none" })
      assert.strictEqual(uncovered.isFailure && uncovered.code, "not_covered")
      const unable = yield* run.rename("x")
      assert.strictEqual(unable.isFailure && unable.code, "not_covered")
    })
  )

  it.live("C97 an edit outside of the directory, or in an ignored path: listed, and nothing of it is made", () =>
    Effect.gen(function* () {
      const run = yield* Writes.run(
        (server) => {
          server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, renameProvider: true } }))
          server.on("textDocument/rename", ({ newName, textDocument }) => {
            const edit = {
              range: { start: { line: 0, character: 0 }, end: { line: 0, character: 3 } },
              newText: newName
            }
            const folder = textDocument.uri.replace(/a\.t$/, "")
            const other = newName === "outside" ? `${folder}../out.t` : `${folder}node_modules/x.t`
            const names = newName === "virtual" ? "untitled:x" : other
            return { changes: { [textDocument.uri]: [edit], [names]: [edit] } }
          })
        },
        { files: { "node_modules/x.t": "one\n" } }
      )
      Fs.writeFileSync(`${run.folder}/out.t`, "one\n")
      const before = run.tree()
      const outside = yield* run.rename("outside")
      assert.strictEqual(outside.isFailure && outside.code, "outside_directory")
      assert.include(outside.text, "out.t")
      const ignored = yield* run.rename("ignored")
      assert.strictEqual(ignored.isFailure && ignored.code, "refused_edit")
      assert.include(ignored.text, "node_modules/x.t")
      const virtual = yield* run.rename("virtual")
      assert.strictEqual(virtual.isFailure && virtual.code, "refused_edit")
      assert.include(virtual.text, "untitled:x")
      assert.deepStrictEqual(run.tree(), before)
      assert.strictEqual(Fs.readFileSync(`${run.folder}/out.t`, "utf8"), "one\n")
    })
  )

  it.live("C83 C84 an edit for another version is refused, after it was asked for again", () =>
    Effect.gen(function* () {
      const run = yield* Writes.run((server) => {
        server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, renameProvider: true } }))
        server.on("textDocument/rename", ({ newName, textDocument }) => {
          const { version } = server.documents.get(textDocument.uri)!
          const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 3 } }
          return {
            documentChanges: [
              {
                textDocument: { uri: textDocument.uri, version: newName === "old" ? version - 1 : version },
                edits: [{ range, newText: newName }]
              }
            ],
            changes: { [textDocument.uri]: [{ range, newText: "wrong" }] }
          }
        })
      })
      const old = yield* run.rename("old")
      assert.strictEqual(old.isFailure && old.code, "stale_edit")
      assert.strictEqual(run.read("a.t"), "one two\n")
      assert.strictEqual(run.received("textDocument/rename").length, 3)
      // C83: `changes` is for clients that do not know `documentChanges`.
      assert.isFalse((yield* run.rename("now")).isFailure)
      assert.strictEqual(run.read("a.t"), "now two\n")
    })
  )

  it.live("a text that changes while the server thinks: the rename is made for the new one", () =>
    Effect.gen(function* () {
      const run = yield* Writes.run((server) => {
        server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, renameProvider: true } }))
        let count = 0
        server.on("textDocument/rename", async ({ newName, textDocument }) => {
          const { text } = server.documents.get(textDocument.uri)!
          if (count++ === 0) await server.sleep(400)
          const at = text.indexOf("one")
          const line = text.slice(0, at).split("\n").length - 1
          return {
            changes: {
              [textDocument.uri]: [
                { range: { start: { line, character: 0 }, end: { line, character: 3 } }, newText: newName }
              ]
            }
          }
        })
      })
      const fiber = yield* Effect.forkChild(run.rename("uno"), { startImmediately: true })
      while (run.received("textDocument/rename").length === 0) yield* Effect.sleep("10 millis")
      run.write("a.t", "one 2\nmore\n")
      const answer = yield* Fiber.join(fiber)
      assert.isFalse(answer.isFailure, answer.text)
      assert.strictEqual(run.read("a.t"), "uno 2\nmore\n")
    })
  )

  it.live("C86 what the server would have confirmed is said; C89 line ends are those of the file", () =>
    Effect.gen(function* () {
      const run = yield* Writes.run(
        (server) => {
          server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, renameProvider: true } }))
          server.on("textDocument/rename", ({ newName, textDocument }) => ({
            documentChanges: [
              {
                textDocument: { uri: textDocument.uri, version: null },
                edits: [
                  {
                    range: { start: { line: 0, character: 0 }, end: { line: 0, character: 3 } },
                    newText: `${newName}\nnext`,
                    annotationId: "a"
                  }
                ]
              }
            ],
            changeAnnotations: {
              a: { label: "In a comment", needsConfirmation: true },
              b: { label: "Not used", needsConfirmation: true }
            }
          }))
        },
        { files: { "a.t": "one\r\ntwo\r\n" } }
      )
      const answer = yield* run.rename("uno")
      assert.include(answer.text, "In a comment")
      assert.notInclude(answer.text, "Not used")
      assert.strictEqual(run.read("a.t"), "uno\r\nnext\r\ntwo\r\n")
    })
  )

  it.live("C87 a snippet, or what cannot be read, is refused with all the rest", () =>
    Effect.gen(function* () {
      const run = yield* Writes.run((server) => {
        server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, renameProvider: true } }))
        server.on("textDocument/rename", ({ newName, textDocument }) => {
          const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 3 } }
          const good = { textDocument: { uri: textDocument.uri, version: null }, edits: [{ range, newText: "x" }] }
          const snippet = { range, snippet: { kind: "snippet", value: "${1:x}$0" } }
          if (newName === "snippet") {
            return { documentChanges: [{ textDocument: good.textDocument, edits: [snippet] }] }
          }
          return { documentChanges: [good, { kind: "explode", uri: textDocument.uri }] }
        })
      })
      for (const name of ["snippet", "odd"]) {
        const answer = yield* run.rename(name)
        assert.strictEqual(answer.isFailure && answer.code, "refused_edit", name)
      }
      assert.strictEqual(run.read("a.t"), "one two\n")
    })
  )

  it.live("C82 C85 file operations and text edits in one answer, in their order; overlapping edits: none of it", () =>
    Effect.gen(function* () {
      const run = yield* Writes.run(
        (server) => {
          server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, renameProvider: true } }))
          server.on("textDocument/rename", ({ newName, textDocument }) => {
            const folder = textDocument.uri.replace(/a\.t$/, "")
            const edit = (uri: string, from: number, to: number, newText: string) => ({
              textDocument: { uri, version: null },
              edits: [{ range: { start: { line: 0, character: from }, end: { line: 0, character: to } }, newText }]
            })
            if (newName === "overlap") {
              return { documentChanges: [edit(textDocument.uri, 0, 3, "x"), edit(textDocument.uri, 2, 5, "y")] }
            }
            return {
              documentChanges: [
                { kind: "create", uri: `${folder}new/made.t` },
                edit(`${folder}new/made.t`, 0, 0, "made\n"),
                { kind: "rename", oldUri: `${folder}b.t`, newUri: `${folder}c.t` },
                edit(`${folder}c.t`, 0, 3, newName),
                { kind: "delete", uri: `${folder}d.t` },
                edit(textDocument.uri, 0, 3, newName)
              ]
            }
          })
        },
        { files: { "b.t": "one b\n", "d.t": "gone\n" } }
      )
      const before = run.tree()
      const overlap = yield* run.rename("overlap")
      assert.strictEqual(overlap.isFailure && overlap.code, "refused_edit")
      assert.deepStrictEqual(run.tree(), before)
      const answer = yield* run.rename("uno")
      if (answer.isFailure) return assert.fail(answer.text)
      assert.deepStrictEqual(run.tree(), { "a.t": "uno two\n", "c.t": "uno b\n", "new/made.t": "made\n" })
      yield* run.undo(answer.value.edit_id)
      assert.deepStrictEqual(run.tree(), before)
    })
  )

  it.live("C94 the servers are told of what was written", () =>
    Effect.gen(function* () {
      const run = yield* Writes.run(renames, { files: { "a.t": "one\n", "b.t": "one\n" } })
      yield* run.rename("uno")
      yield* run.servers.diagnostics([run.path("a.t")], { timeout: "100 millis" })
      const texts = run.log().flatMap(({ of, text }) => (text === undefined ? [] : [`${of?.slice(-3)} ${text}`]))
      assert.deepStrictEqual(texts.toSorted(), ["a.t uno\n", "b.t uno\n"].toSorted())
      assert.strictEqual(run.received("textDocument/didSave").length, 2)
    })
  )

  it.live("C99 of two servers one edits", () =>
    Effect.gen(function* () {
      const run = yield* Writes.run(renames, { others: { second: { behaviour: renames } } })
      const answer = yield* run.rename("uno")
      if (answer.isFailure) return assert.fail(answer.text)
      assert.strictEqual(answer.value.server, "fake")
      assert.strictEqual(run.read("a.t"), "uno two\n")
    })
  )

  it.live("E19 C44 positions in the encoding that the server counts in", () =>
    Effect.gen(function* () {
      const run = yield* Writes.run(
        (server) => {
          server.encode("utf-8")
          server.on("initialize", () => ({
            capabilities: { textDocumentSync: 2, positionEncoding: "utf-8", renameProvider: true }
          }))
          server.on("textDocument/rename", ({ newName, textDocument }) => ({
            changes: { [textDocument.uri]: [{ range: server.rangeOf(textDocument.uri, "one"), newText: newName }] }
          }))
        },
        { files: { "a.t": "\ufeff😀é one 世\n" } }
      )
      yield* run.rename("uno")
      assert.strictEqual(run.read("a.t"), "\ufeff😀é uno 世\n")
    })
  )

  it.live("a server that is ended in the middle: nothing was changed, and it says so", () =>
    Effect.gen(function* () {
      const run = yield* Writes.run((server) => {
        server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, renameProvider: true } }))
        server.on("textDocument/rename", () => server.exit(3))
      })
      const answer = yield* run.rename("uno")
      assert.strictEqual(answer.isFailure && answer.code, "server_failed")
      assert.strictEqual(run.read("a.t"), "one two\n")
    })
  )
})
