import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as Client from "../../../src/lsp/Client.ts"
import * as Configuration from "../../../src/lsp/Configuration.ts"
import * as ServerRequests from "../../../src/lsp/ServerRequests.ts"
import * as Wire from "../../../src/lsp/Wire.ts"

const settings = { python: { analysis: { mode: "strict" }, "analysis.level": 2 }, "go.x": { y: false }, empty: null }

describe("Configuration", () => {
  it("C42 as many answers as items, in their order, null for what is not known", () => {
    const items = [
      { section: "python.analysis.mode" },
      { section: "unknown" },
      { section: "python.analysis" },
      { scopeUri: "file:///p/a", section: "go.x.y" },
      { section: "python.analysis.level" },
      { section: "constructor" },
      { section: "empty" },
      {}
    ]
    assert.deepStrictEqual(Configuration.answer(settings, { items }), [
      "strict",
      null,
      { mode: "strict" },
      false,
      2,
      null,
      null,
      settings
    ])
    assert.deepStrictEqual(Configuration.answer(undefined, { items: [{ section: "a" }, {}] }), [null, null])
    assert.deepStrictEqual(Configuration.answer(settings, null), [])
  })
})

describe("ServerRequests", () => {
  const handlers: ServerRequests.Handlers = {
    root: "/p/x y",
    settings,
    answers: { "custom/ask": { yes: true } },
    register: () => {},
    unregister: () => {},
    refreshDiagnostics: () => {},
    message: () => {}
  }
  const ask = (method: string, params: unknown = {}) =>
    Effect.runSync(Effect.result(ServerRequests.answer(handlers)(method, params)))
  const value = (method: string, params?: unknown) => Result.getOrThrow(ask(method, params))

  it("C7 every request of the protocol is answered with success", () => {
    assert.deepStrictEqual(value("workspace/configuration", { items: [{ section: "x" }] }), [null])
    assert.deepStrictEqual(value("workspace/workspaceFolders"), [{ uri: "file:///p/x%20y", name: "x y" }])
    for (const method of [
      "client/registerCapability",
      "client/unregisterCapability",
      "window/workDoneProgress/create",
      "window/showMessageRequest",
      ...[
        "codeLens",
        "semanticTokens",
        "inlayHint",
        "inlineValue",
        "foldingRange",
        "diagnostic",
        "textDocumentContent"
      ].map((what) => `workspace/${what}/refresh`)
    ]) {
      assert.strictEqual(value(method), null, method)
    }
    assert.deepStrictEqual(value("window/showDocument"), { success: false })
    assert.strictEqual(Wire.get(value("workspace/applyEdit", { edit: {} }), "applied"), false)
    assert.deepStrictEqual(value("custom/ask"), { yes: true })
  })

  it("C6 C8 an unknown one, also of $/, gets -32601", () => {
    for (const method of ["custom/other", "$/unknown", "toString", "workspace/x/y/refresh"]) {
      const answer = ask(method)
      assert.strictEqual(Result.isFailure(answer) ? answer.failure.code : undefined, -32601, method)
    }
  })
})

describe("Client", () => {
  it("C23 only what this client does is advertised; C19 C24 the process and the root", () => {
    const params = Client.initializeParams({
      processId: 7,
      root: "/p/x y",
      version: "1",
      initializationOptions: undefined
    })
    assert.strictEqual(params.processId, 7)
    assert.strictEqual(params.rootPath, "/p/x y")
    assert.strictEqual(params.rootUri, params.workspaceFolders[0]?.uri)
    assert.notProperty(params, "initializationOptions")
    const { textDocument, window, workspace } = params.capabilities
    assert.isFalse(window.showDocument.support)
    assert.notProperty(textDocument, "completion")
    assert.notProperty(textDocument, "semanticTokens")
    assert.notProperty(workspace.workspaceEdit, "snippetEditSupport")
    assert.notProperty(workspace.workspaceEdit, "changeAnnotationSupport")
    // What servers hold back from clients that do not say it (B34, B35).
    assert.isTrue(textDocument.publishDiagnostics.versionSupport)
    assert.isTrue(textDocument.diagnostic.dynamicRegistration)
  })
})

describe("Wire", () => {
  const range = { start: { line: 1, character: 2 }, end: { line: 1, character: 3 } }
  const outer = { start: { line: 0, character: 0 }, end: { line: 9, character: 0 } }

  it("C52 null, one location, many, and links by their selection range", () => {
    const location = { uri: "file:///a", range }
    const link = { targetUri: "file:///a", targetRange: outer, targetSelectionRange: range }
    assert.deepStrictEqual(
      [null, location, [location, location], [link], [], [{ uri: 1 }, location], "x"].map(Wire.locations),
      [[], [location], [location, location], [location], [], [location], []]
    )
  })

  it("C53 hover contents in every shape", () => {
    const contents = [
      { kind: "markdown", value: "**a**" },
      "plain",
      { language: "ts", value: "let a" },
      ["one", { language: "ts", value: "b" }, ""],
      [],
      "",
      null,
      { kind: "markdown", value: " " }
    ]
    assert.deepStrictEqual(contents.map(Wire.markup), [
      "**a**",
      "plain",
      "```ts\nlet a\n```",
      "one\n\n```ts\nb\n```",
      undefined,
      undefined,
      undefined,
      undefined
    ])
  })
})
