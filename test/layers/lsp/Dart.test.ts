/**
 * Dart by a fake: there is no SDK on the machines of this project. The fake does what `dart language-server` does: it registers
 * its features after the start, tells of its analysis by progress, and pushes diagnostics without a version.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as NodeWorkspace from "../../../layers/workspace/NodeWorkspace.ts"
import { LanguageServers } from "../../../src/lsp/LanguageServers.ts"
import { lsp } from "../../../src/lsp/Lsp.ts"
import * as Rows from "../../../src/lsp/rows/Rows.ts"
import * as Surface from "../../../src/Surface.ts"
import * as Fake from "../../support/FakeLanguageServer.ts"

const dart: Fake.Behaviour = (server) => {
  let isAnalyzed = false
  const analyze = async () => {
    isAnalyzed = false
    await server.request("window/workDoneProgress/create", { token: "ANALYZING" })
    await server.notify("$/progress", { token: "ANALYZING", value: { kind: "begin", title: "Analyzing…" } })
    await server.notify("$/analyzerStatus", { isAnalyzing: true })
    await server.sleep(400)
    isAnalyzed = true
    for (const [uri, { text }] of server.documents) {
      await server.publish(
        uri,
        text.includes("String wrong = 1") ? [server.diagnostic("A value of type 'int'", 1)] : []
      )
    }
    await server.notify("$/progress", { token: "ANALYZING", value: { kind: "end" } })
    await server.notify("$/analyzerStatus", { isAnalyzing: false })
  }
  server.on("initialize", () => ({ capabilities: { textDocumentSync: { openClose: true, change: 2 } } }))
  server.on("initialized", async () => {
    const methods = [
      "textDocument/definition",
      "textDocument/references",
      "textDocument/prepareCallHierarchy",
      "textDocument/prepareTypeHierarchy"
    ]
    const registerOptions = { documentSelector: [{ scheme: "file", language: "dart" }] }
    await server.request("client/registerCapability", {
      registrations: methods.map((method) => ({ id: method, method, registerOptions }))
    })
  })
  server.on("textDocument/didOpen", analyze)
  server.on("textDocument/didChange", analyze)
  const place = (uri: string, word: string) => ({ uri, range: server.rangeOf(uri, word) })
  server.on("textDocument/definition", ({ textDocument: { uri } }) => (isAnalyzed ? [place(uri, "area")] : []))
  server.on("textDocument/prepareTypeHierarchy", ({ textDocument: { uri } }) => {
    const { range } = place(uri, "Square")
    return [{ name: "Square", kind: 5, uri, range, selectionRange: range, data: { ref: 1 } }]
  })
  server.on("typeHierarchy/supertypes", ({ item }) => {
    const range = server.rangeOf(item.uri, "Shape")
    return item.data.ref === 1 ? [{ name: "Shape", kind: 5, uri: item.uri, range, selectionRange: range }] : []
  })
}

const text = "abstract class Shape {\n  int area();\n}\n\nclass Square extends Shape {\n  int area() => 1;\n}\n"

const row = Rows.shipped.find(({ id }) => id === "dart")!

const project = Effect.gen(function* () {
  const { args: _, binary: __, id: ___, ...shipped } = row
  const run = yield* Fake.run(dart, { row: shipped, files: { "pubspec.yaml": "name: real\n", "lib/a.dart": text } })
  const layer = Layer.mergeAll(Layer.succeed(LanguageServers, run.servers), NodeWorkspace.layer({ root: run.root }))
  const surface = yield* Effect.provide(Surface.make([lsp]), layer)
  return { run, call: surface.call }
})

describe("dart (a fake)", () => {
  it("is started as a language server of this client", () => {
    assert.deepStrictEqual(row.args, ["language-server", "--protocol=lsp", "--client-id=livetools"])
    assert.deepStrictEqual(row.markers, ["pubspec.yaml", "analysis_options.yaml"])
  })

  it.live("answers what it has registered, when it has analysed, and is sent its options", () =>
    Effect.gen(function* () {
      const { call, run } = yield* project
      const place = { file: "lib/a.dart", line: 6, symbol: "area" } as const
      const definition = yield* call("lsp", { action: "definition", ...place })
      assert.deepInclude(definition.value, {
        locations: [{ path: "lib/a.dart", line: 2, text: "  int area();" }],
        total: 1
      })
      const above = yield* call("lsp", { action: "supertypes", file: "lib/a.dart", line: 5, symbol: "Square" })
      assert.deepInclude(above.value, {
        locations: [{ path: "lib/a.dart", line: 1, text: "abstract class Shape {", name: "Shape", kind: "class" }]
      })
      const hover = yield* call("lsp", { action: "hover", ...place })
      assert.strictEqual(hover.isFailure && hover.code, "not_covered")
      assert.deepInclude(run.received("initialize")[0]?.params, { initializationOptions: row.initializationOptions })
      assert.strictEqual(run.received("textDocument/didOpen")[0]?.params.textDocument.languageId, "dart")
    })
  )

  it.live("is clean when it says so of the text on disk", () =>
    Effect.gen(function* () {
      const { call, run } = yield* project
      const ask = call("lsp", { action: "diagnostics", file: "lib/a.dart" })
      const clean = yield* ask
      assert.deepInclude(clean.value, { total: 0, servers: [{ id: "fake", outcome: "empty" }] })
      run.write("lib/a.dart", `${text}String wrong = 1;\n`)
      const broken = yield* ask
      assert.include(broken.text, "lib/a.dart:2  error: A value of type 'int'")
      run.write("lib/a.dart", text)
      assert.deepInclude((yield* ask).value, { total: 0 })
    })
  )
})
