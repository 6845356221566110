import { assert, describe, it } from "@effect/vitest"
import * as Fs from "node:fs"
import { Effect, Option } from "effect"
import type { Question } from "../../../src/lsp/Question.ts"
import * as Fake from "../../support/FakeLanguageServer.ts"

const line = `const a = "😀😀é"; const target = 1`

const places = (run: Fake.Run, name: string, word: string) =>
  Effect.map(
    run.servers.ask(Fake.definition, {
      file: run.path(name),
      at: ({ text }) => Effect.succeed(text.indexOf(word))
    }),
    ([answer]) => (answer!.outcome === "found" ? answer!.value : answer)
  )

describe("places", () => {
  for (const encoding of ["utf-8", "utf-16", "utf-32"]) {
    it.live(`C44 C45 offsets go out and places come back in ${encoding}`, () =>
      Effect.gen(function* () {
        const run = yield* Fake.run(
          (server) => {
            const { readFileSync } = process.getBuiltinModule("node:fs")
            const positionEncoding = readFileSync("encoding", "utf8")
            server.encode(positionEncoding)
            server.on("initialize", () => ({
              capabilities: { positionEncoding, textDocumentSync: 2, definitionProvider: true }
            }))
            server.on("textDocument/definition", ({ position, textDocument: { uri } }) => {
              const range = server.rangeOf(uri, "target")
              server.log({ asked: position, of: uri, range })
              return [{ uri, range }]
            })
          },
          { files: { encoding, "a.t": `first\r\n${line}\n` } }
        )
        assert.deepStrictEqual(yield* places(run, "a.t", "target"), [
          { path: run.path("a.t"), line: 2, column: line.indexOf("target") + 1, text: line }
        ])
        const before = line.slice(0, line.indexOf("target"))
        const units = {
          "utf-8": Buffer.byteLength(before),
          "utf-16": before.length,
          "utf-32": [...before].length
        }[encoding]!
        const { asked, range } = run.log().find((entry) => entry["asked"] !== undefined)!
        assert.deepStrictEqual(asked, { line: 1, character: units })
        assert.deepStrictEqual(range, { start: { line: 1, character: units }, end: { line: 1, character: units + 6 } })
      })
    )
  }

  it.live("C44 UTF-16 is assumed of a server that says nothing, whatever was offered", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run(
        (server) => {
          server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, definitionProvider: true } }))
          server.on("textDocument/definition", ({ textDocument: { uri } }) => ({
            uri,
            range: server.rangeOf(uri, "target")
          }))
        },
        { files: { "a.t": line } }
      )
      assert.deepStrictEqual(run.received("initialize"), [])
      assert.deepStrictEqual(yield* places(run, "a.t", "target"), [
        { path: run.path("a.t"), line: 1, column: line.indexOf("target") + 1, text: line }
      ])
      assert.deepStrictEqual(run.received("initialize")[0]!.params.capabilities.general.positionEncodings, [
        "utf-16",
        "utf-8",
        "utf-32"
      ])
    })
  )

  it.live("C45 a byte order mark is no part of the text", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run(
        (server) => {
          server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, definitionProvider: true } }))
          server.on("textDocument/definition", ({ textDocument: { uri } }) => ({
            uri,
            range: server.rangeOf(uri, "two")
          }))
        },
        { files: { "a.t": "\u{FEFF}one two" } }
      )
      assert.deepStrictEqual(yield* places(run, "a.t", "two"), [
        { path: run.path("a.t"), line: 1, column: 5, text: "one two" }
      ])
      assert.strictEqual(run.received("textDocument/didOpen")[0]!.params.textDocument.text, "one two")
    })
  )

  it.live("C46 a place beyond its line or its text is brought inside; one far away is read from disk", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run(
        (server) => {
          server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, definitionProvider: true } }))
          server.on("textDocument/definition", ({ textDocument: { uri } }) => {
            const at = (line: number, character: number) => ({ start: { line, character }, end: { line, character } })
            return [
              { uri, range: at(0, 99) },
              { uri, range: at(99, 1) },
              { uri: uri.replace("a.t", "b.t"), range: at(1, 2) },
              { uri: uri.replace("a.t", "none.t"), range: at(3, 4) }
            ]
          })
        },
        { files: { "b.t": "b one\nb two\n" } }
      )
      assert.deepStrictEqual(yield* places(run, "a.t", "one"), [
        { path: run.path("a.t"), line: 1, column: 8, text: "one two" },
        { path: run.path("a.t"), line: 100, column: 2, text: undefined },
        { path: run.path("b.t"), line: 2, column: 3, text: "b two" },
        { path: run.path("none.t"), line: 4, column: 5, text: undefined }
      ])
    })
  )

  it.live("C49 C50 B67 B69 another spelling, or a link, is the same file", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run(
        (server) => {
          server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, definitionProvider: true } }))
          server.on("textDocument/definition", ({ textDocument: { uri } }) => {
            const range = server.rangeOf(uri, "x")
            const spellings = [
              uri,
              uri.replaceAll("%28", "(").replaceAll("%29", ")"),
              uri.replace("/project/", "/link/"),
              uri.replace("x.t", "%78.t").replace("file://", "FILE://localhost")
            ]
            return spellings.map((each) => ({ uri: each, range }))
          })
        },
        { files: { "(group)/[slug]/a b/x.t": "x" } }
      )
      const name = "(group)/[slug]/a b/x.t"
      const place = { path: run.path(name), line: 1, column: 1, text: "x" }
      assert.deepStrictEqual(yield* places(run, name, "x"), [place, place, place, place])
    })
  )

  it.live("C51 what is no file is shown as it is", () =>
    Effect.gen(function* () {
      const question: Question<ReadonlyArray<readonly [string, boolean]>> = {
        ...Fake.definition,
        ask: (asking) => {
          const range = { start: { line: 0, character: 3 }, end: { line: 0, character: 4 } }
          const uris = ["untitled:One", "jdt://contents/rt.jar/A.class?=x", "zipfile:///a.zip::b", "not a uri", ""]
          return Effect.map(asking.locate(uris.map((uri) => ({ uri, range }))), (found) =>
            Option.some(found.map(({ isFile, path }) => [path, isFile] as const))
          )
        }
      }
      const run = yield* Fake.run((server) => {
        server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, definitionProvider: true } }))
      })
      const [answer] = yield* run.servers.ask(question, { file: run.path("a.t") })
      assert.deepStrictEqual(answer!.outcome === "found" ? answer!.value : answer, [
        ["untitled:One", false],
        ["jdt://contents/rt.jar/A.class?=x", false],
        ["zipfile:///a.zip::b", false],
        ["not a uri", false],
        ["", false]
      ])
    })
  )

  it.live("a file outside the directory has no root", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run((server) => {
        server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, definitionProvider: true } }))
      })
      Fs.writeFileSync(`${run.folder}/outside.t`, "x")
      Fs.writeFileSync(`${run.folder}/root.marker`, "x")
      const [answer] = yield* run.servers.ask(Fake.definition, { file: `${run.folder}/outside.t` })
      assert.strictEqual(answer!.outcome, "not_covered")
    })
  )

  it.live("a server that lies: places in shapes that are none are left out, the rest is found", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run((server) => {
        server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, definitionProvider: true } }))
        server.on("textDocument/definition", ({ textDocument: { uri } }) => [
          null,
          { uri },
          { uri, range: { start: { line: -1, character: 0 }, end: { line: 0, character: 0 } } },
          { uri, range: { start: { line: 0.5, character: 0 }, end: { line: 0, character: 0 } } },
          { uri, range: server.rangeOf(uri, "two") }
        ])
      })
      assert.deepStrictEqual(yield* places(run, "a.t", "one"), [
        { path: run.path("a.t"), line: 1, column: 5, text: "one two" }
      ])
    })
  )
})
