import { assert, describe, it } from "@effect/vitest"
import * as Fs from "node:fs"
import { Effect } from "effect"
import * as Fake from "../../support/FakeLanguageServer.ts"

const at = (file: string) => ({ file, at: () => Effect.succeed(0) })

/** Answers with the text that it was shown. */
const mirrors: Fake.Behaviour = (server) => {
  server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, hoverProvider: true } }))
  server.on("textDocument/hover", ({ textDocument }) => ({
    contents: server.documents.get(textDocument.uri)?.text ?? "none"
  }))
}

const shown = (run: Fake.Run, name: string) =>
  Effect.map(run.servers.ask(Fake.hover, at(run.path(name))), ([answer]) =>
    answer!.outcome === "found" ? answer!.value.contents : answer
  )

describe("documents", () => {
  it.live("C32 C33 C34 opened once; what others write is shown before the next question, with a higher version", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run(mirrors)
      const texts = ["one two\n", "changed by a shell\n", "", "again\n", "again\n", "one two\n"]
      for (const text of texts) {
        run.write("a.t", text)
        assert.strictEqual(yield* shown(run, "a.t"), text)
      }
      assert.lengthOf(run.received("textDocument/didOpen"), 1)
      const versions = run.received("textDocument/didChange").map(({ params }) => params.textDocument.version)
      assert.lengthOf(versions, 4)
      assert.deepStrictEqual(
        versions,
        [...versions].sort((a, b) => a - b)
      )
      assert.isAbove(versions[0], run.received("textDocument/didOpen")[0]!.params.textDocument.version)
    })
  )

  it.live("C33 a change that keeps size and time is seen", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run(mirrors)
      for (const text of ["aaa", "bbb", "ccc", "ddd", "eee", "fff"]) {
        run.write("a.t", text)
        Fs.utimesSync(run.path("a.t"), 1000, 1000)
        assert.strictEqual(yield* shown(run, "a.t"), text)
      }
    })
  )

  it.live("C33 every document that is open is shown its present text, also when another is asked about", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run(mirrors, { files: { "b.t": "b1" } })
      yield* shown(run, "a.t")
      yield* shown(run, "b.t")
      run.write("a.t", "a2")
      yield* shown(run, "b.t")
      assert.deepStrictEqual(
        run.received("textDocument/didChange").map(({ params }) => params.textDocument.uri),
        [run.uri("a.t")]
      )
    })
  )

  it.live("C35 C36 one ranged replacement to the end of the old text, whatever the texts, in each encoding", () =>
    Effect.gen(function* () {
      const texts = ["x", "a\nb\nc", "a😀", "a\r\nb\r\n", "", "é世\r😀😀", "one\ntwo\n", "one", "\n\n\n", "z\u2028z"]
      for (const encoding of ["utf-8", "utf-16", "utf-32"]) {
        const run = yield* Fake.run(
          (server) => {
            const { readFileSync } = process.getBuiltinModule("node:fs")
            const positionEncoding = readFileSync("encoding", "utf8")
            server.encode(positionEncoding)
            server.on("initialize", () => ({
              capabilities: { positionEncoding, textDocumentSync: 2, hoverProvider: true }
            }))
            server.on("textDocument/hover", ({ textDocument }) => ({
              contents: server.documents.get(textDocument.uri)!.text
            }))
          },
          { files: { encoding } }
        )
        for (const text of texts) {
          run.write("a.t", text)
          assert.strictEqual(yield* shown(run, "a.t"), text, encoding)
        }
        for (const { params } of run.received("textDocument/didChange")) {
          assert.lengthOf(params.contentChanges, 1)
          assert.deepStrictEqual(params.contentChanges[0].range.start, { line: 0, character: 0 })
        }
      }
    })
  )

  it.live("C35 a server that takes whole texts gets them without a range; one that takes none gets none", () =>
    Effect.gen(function* () {
      const full = yield* Fake.run((server) => {
        server.on("initialize", () => ({ capabilities: { textDocumentSync: 1, hoverProvider: true } }))
        server.on("textDocument/hover", ({ textDocument }) => ({
          contents: server.documents.get(textDocument.uri)!.text
        }))
      })
      yield* shown(full, "a.t")
      full.write("a.t", "x")
      assert.strictEqual(yield* shown(full, "a.t"), "x")
      assert.deepStrictEqual(full.received("textDocument/didChange")[0]!.params.contentChanges, [{ text: "x" }])

      const none = yield* Fake.run((server) => {
        server.on("initialize", () => ({ capabilities: { hoverProvider: true } }))
        server.on("textDocument/hover", () => ({ contents: "x" }))
      })
      yield* shown(none, "a.t")
      none.write("a.t", "x")
      yield* shown(none, "a.t")
      assert.deepStrictEqual(none.methods(), ["initialize", "initialized", "textDocument/hover", "textDocument/hover"])
    })
  )

  it.live("C37 nothing is sent for a text that is the same", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run(mirrors)
      for (let i = 0; i < 5; i++) {
        run.write("a.t", "same")
        yield* shown(run, "a.t")
      }
      assert.isEmpty(run.received("textDocument/didChange"))
    })
  )

  it.live("C38 didSave where the server wants it, with the text where it wants that", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run((server) => {
        server.on("initialize", () => ({
          capabilities: {
            textDocumentSync: { openClose: true, change: 2, save: { includeText: true } },
            hoverProvider: true
          }
        }))
        server.on("textDocument/hover", () => ({ contents: "x" }))
      })
      yield* shown(run, "a.t")
      run.write("a.t", "saved")
      yield* shown(run, "a.t")
      assert.deepStrictEqual(
        run.received("textDocument/didSave").map(({ params }) => params),
        [{ textDocument: { uri: run.uri("a.t") }, text: "saved" }]
      )
      const without = yield* Fake.run(mirrors)
      yield* shown(without, "a.t")
      without.write("a.t", "x")
      yield* shown(without, "a.t")
      assert.deepStrictEqual(
        without.received("textDocument/didSave").map(({ params }) => params),
        [{ textDocument: { uri: without.uri("a.t") } }]
      )
    })
  )

  it.live("C39 L55 the language identifier is that of the row for the file", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run(mirrors, {
        files: { "b.tx": "", Teefile: "" },
        row: {
          languages: [
            { id: "tee", extensions: [".t"] },
            { id: "teereact", extensions: [".tx"], names: ["Teefile"] }
          ]
        }
      })
      for (const name of ["a.t", "b.tx", "Teefile"]) yield* shown(run, name)
      assert.deepStrictEqual(
        run.received("textDocument/didOpen").map(({ params }) => params.textDocument.languageId),
        ["tee", "teereact", "teereact"]
      )
    })
  )

  it.live("C40 a file that is renamed is closed under its old name and opened under the new one", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run(mirrors)
      yield* shown(run, "a.t")
      Fs.renameSync(run.path("a.t"), run.path("b.t"))
      assert.strictEqual(yield* shown(run, "b.t"), "one two\n")
      const about = run
        .received()
        .flatMap(({ method, params }) =>
          method?.startsWith("textDocument/did") ? [[method, params.textDocument.uri]] : []
        )
      assert.deepStrictEqual(about, [
        ["textDocument/didOpen", run.uri("a.t")],
        ["textDocument/didClose", run.uri("a.t")],
        ["textDocument/didOpen", run.uri("b.t")]
      ])
    })
  )

  it.live("C41 B40 B93 changes of other files, by anybody, are told to a server that asked to be", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run(
        (server) => {
          server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, hoverProvider: true } }))
          server.on("initialized", async () => {
            await server.request("client/registerCapability", {
              registrations: [
                {
                  id: "1",
                  method: "workspace/didChangeWatchedFiles",
                  registerOptions: {
                    watchers: [{ globPattern: "**/*.{t,json}" }, { globPattern: "**/gone*", kind: 4 }]
                  }
                }
              ]
            })
          })
          server.on("textDocument/hover", () => ({ contents: "x" }))
        },
        { files: { "moved.t": "", "deep/old.t": "", "gone/x.t": "", "node_modules/m/i.t": "" } }
      )
      yield* shown(run, "a.t")
      // The first look at the folders is under way.
      yield* Effect.sleep("200 millis")
      run.write("new.t", "")
      run.write("sub/dir/new.t", "")
      run.write("other.txt", "")
      run.write("deep/old.t", "changed")
      run.write("node_modules/m/i.t", "changed")
      run.write("short-lived.t", "")
      Fs.renameSync(run.path("moved.t"), run.path("renamed.t"))
      Fs.rmSync(run.path("gone"), { recursive: true })
      Fs.rmSync(run.path("short-lived.t"))
      yield* Effect.sleep("100 millis")
      yield* shown(run, "a.t")
      const changes = run
        .received("workspace/didChangeWatchedFiles")
        .flatMap(({ params }) => params.changes)
        .map(({ type, uri }: { type: number; uri: string }) => `${type} ${uri.slice(run.uri("").length + 1)}`)
      assert.deepStrictEqual(changes.sort(), [
        "1 new.t",
        "1 renamed.t",
        "1 sub/dir/new.t",
        "2 deep/old.t",
        "3 gone",
        "3 gone/x.t",
        "3 moved.t"
      ])
    })
  )

  it.live("C41 a change made right before the question is told before it", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run((server) => {
        server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, hoverProvider: true } }))
        server.on("initialized", async () => {
          const watchers = [{ globPattern: "**/*" }]
          await server.request("client/registerCapability", {
            registrations: [{ id: "1", method: "workspace/didChangeWatchedFiles", registerOptions: { watchers } }]
          })
        })
        server.on("textDocument/hover", () => ({ contents: "x" }))
      })
      yield* shown(run, "a.t")
      yield* Effect.sleep("200 millis")
      for (let i = 0; i < 20; i++) {
        run.write(`new${i}.t`, "")
        yield* shown(run, "a.t")
        const log = run.methods()
        assert.deepStrictEqual(log.slice(-2), ["workspace/didChangeWatchedFiles", "textDocument/hover"])
      }
    })
  )

  it.live("C41 changes that this run made are told without waiting for them to be noticed", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run((server) => {
        server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, hoverProvider: true } }))
        server.on("initialized", async () => {
          const watchers = [{ globPattern: { baseUri: `file://${process.cwd()}`, pattern: "*.json" } }]
          await server.request("client/registerCapability", {
            registrations: [{ id: "1", method: "workspace/didChangeWatchedFiles", registerOptions: { watchers } }]
          })
        })
        server.on("textDocument/hover", () => ({ contents: "x" }))
      })
      yield* shown(run, "a.t")
      yield* run.servers.changed([
        { path: run.path("x.json"), event: "created" },
        { path: run.path("x.json"), event: "changed" },
        { path: run.path("y.t"), event: "created" }
      ])
      yield* shown(run, "a.t")
      assert.deepStrictEqual(
        run.received("workspace/didChangeWatchedFiles").map(({ params }) => params),
        [{ changes: [{ uri: run.uri("x.json"), type: 1 }] }]
      )
    })
  )

  it.live("C41 a server that watches no files is shown those of its own that have changed", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run(mirrors, { files: { "header.t": "old", "same.t": "" } })
      yield* shown(run, "a.t")
      yield* Effect.sleep("200 millis")
      run.write("header.t", "new")
      run.write("made.t", "made")
      run.write("note.txt", "not its own")
      yield* shown(run, "a.t")
      const opened = run.received("textDocument/didOpen").map(({ params }) => params.textDocument)
      assert.deepStrictEqual(
        opened.map(({ text, uri }: { text: string; uri: string }) => [uri, text]),
        [
          [run.uri("a.t"), "one two\n"],
          [run.uri("header.t"), "new"],
          [run.uri("made.t"), "made"]
        ]
      )
    })
  )

  it.live("C43 settings are sent whole where there are some, and never as {}", () =>
    Effect.gen(function* () {
      const without = yield* Fake.run(mirrors)
      yield* shown(without, "a.t")
      assert.isEmpty(without.received("workspace/didChangeConfiguration"))
      const empty = yield* Fake.run(mirrors, { row: { settings: {} } })
      yield* shown(empty, "a.t")
      assert.isEmpty(empty.received("workspace/didChangeConfiguration"))
      const some = yield* Fake.run(mirrors, {
        row: { settings: { a: { path: "${root}/x" } }, initializationOptions: { uri: "${rootUri}" } }
      })
      yield* shown(some, "a.t")
      assert.deepStrictEqual(
        some.received("workspace/didChangeConfiguration").map(({ params }) => params),
        [{ settings: { a: { path: `${some.root}/x` } } }]
      )
      assert.deepStrictEqual(some.received("initialize")[0]!.params.initializationOptions, {
        uri: some.uri("").replace(/\/$/, "")
      })
    })
  )

  it.live("a document that becomes unreadable is closed, and the answer says so", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run(mirrors, { files: { "b.t": "b" } })
      yield* shown(run, "a.t")
      run.write("a.t", new Uint8Array([0xff, 0xff]))
      yield* shown(run, "b.t")
      assert.deepStrictEqual(
        run.received("textDocument/didClose").map(({ params }) => params.textDocument.uri),
        [run.uri("a.t")]
      )
    })
  )

  it.live("no more documents stay open than the policy says, those used last", () =>
    Effect.gen(function* () {
      const names = Array.from({ length: 8 }, (_, i) => `f${i}.t`)
      const run = yield* Fake.run(mirrors, {
        files: Object.fromEntries(names.map((name) => [name, name])),
        policy: { documents: 3 }
      })
      for (const name of [...names, "f5.t"]) assert.strictEqual(yield* shown(run, name), name)
      assert.strictEqual((yield* run.servers.status)[0]!.openDocuments, 3)
      assert.lengthOf(run.received("textDocument/didClose"), 5)
    })
  )

  it.live("the offset is found in the very text that the server is shown", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run((server) => {
        server.on("initialize", async () => {
          await server.sleep(500)
          return { capabilities: { textDocumentSync: 2, hoverProvider: true } }
        })
        server.on("textDocument/hover", ({ position, textDocument }) => ({
          contents: server.documents.get(textDocument.uri)!.text.slice(position.character)
        }))
      })
      let times = 0
      const call = run.servers.ask(Fake.hover, {
        file: run.path("a.t"),
        at: ({ text }) =>
          Effect.sync(() => {
            times++
            return text.indexOf("two")
          })
      })
      const change = Effect.andThen(
        Fake.eventually(() => run.received("initialize")[0]),
        Effect.sync(() => run.write("a.t", "inserted before one two\n"))
      )
      const [[answer]] = yield* Effect.all([call, change], { concurrency: 2 })
      assert.strictEqual(answer!.outcome === "found" ? answer!.value.contents : "", "two\n")
      assert.strictEqual(times, 2)
    })
  )
})
