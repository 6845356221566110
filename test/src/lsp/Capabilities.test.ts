import { assert, describe, it } from "@effect/vitest"
import * as Capabilities from "../../../src/lsp/Capabilities.ts"
import type { Document } from "../../../src/lsp/Documents.ts"

const make = (capabilities: unknown) => Capabilities.make({ capabilities }, "/p")

const document: Document = { path: "/p/a.ts", uri: "file:///p/a.ts", languageId: "typescript", version: 1, hash: "" }

describe("Capabilities", () => {
  it("C21 absent is absent; a number, or an object", () => {
    const none: Capabilities.Sync = { openClose: false, change: 0, save: undefined }
    assert.deepStrictEqual(make({}).sync, none)
    assert.deepStrictEqual(make(undefined).sync, none)
    assert.deepStrictEqual(make({ textDocumentSync: 0 }).sync, none)
    assert.deepStrictEqual(make({ textDocumentSync: { openClose: true } }).sync, { ...none, openClose: true })
    assert.deepStrictEqual(make({ textDocumentSync: { openClose: true, change: 2 } }).sync, {
      openClose: true,
      change: 2,
      save: undefined
    })
  })

  it("C38 save only where it is said; a number says it, without text", () => {
    assert.deepStrictEqual(make({ textDocumentSync: 1 }).sync, {
      openClose: true,
      change: 1,
      save: { includeText: false }
    })
    const save = (value: unknown) => make({ textDocumentSync: { openClose: true, change: 1, save: value } }).sync.save
    assert.deepStrictEqual(
      [save(true), save(false), save({}), save({ includeText: true })],
      [{ includeText: false }, undefined, { includeText: false }, { includeText: true }]
    )
  })

  it("C22 a provider is true, options, or registered; false, null and absent are none", () => {
    const method = "textDocument/hover"
    const provides = (value: unknown) => make({ hoverProvider: value }).provides(method, document)
    assert.deepStrictEqual([true, {}, false, null, undefined, 1].map(provides), [
      true,
      true,
      false,
      false,
      false,
      false
    ])
    const capabilities = make({})
    capabilities.register({ registrations: [{ id: "1", method, registerOptions: { documentSelector: null } }] })
    assert.isTrue(capabilities.provides(method, document))
  })

  it("C22 a registration is for the documents that its selector means", () => {
    const selected = (documentSelector: unknown) => {
      const capabilities = make({})
      const registerOptions = { documentSelector }
      capabilities.register({ registrations: [{ id: "1", method: "textDocument/hover", registerOptions }] })
      return capabilities.provides("textDocument/hover", document)
    }
    const yes = [
      [{ language: "typescript" }],
      ["typescript"],
      [{ scheme: "file", pattern: "**/*.ts" }],
      [{ language: "*" }]
    ]
    const no = [[{ language: "go" }], [{ scheme: "untitled" }], [{ pattern: "**/*.go" }], []]
    assert.deepStrictEqual([yes.map(selected), no.map(selected)], [yes.map(() => true), no.map(() => false)])
  })

  it("C26 registrations by id; the misspelt key takes them back, and the older one holds again", () => {
    const capabilities = make({ codeActionProvider: { resolveProvider: false } })
    const method = "textDocument/codeAction"
    const resolves = () => capabilities.option(method, "resolveProvider")
    const register = (id: string, resolveProvider: boolean) =>
      capabilities.register({ registrations: [{ id, method, registerOptions: { resolveProvider } }] })
    assert.isFalse(resolves())
    register("a", true)
    register("b", false)
    assert.isFalse(resolves())
    capabilities.unregister({ unregisterations: [{ id: "b", method }] })
    assert.isTrue(resolves())
    capabilities.unregister({ unregistrations: [{ id: "a", method }] })
    assert.isFalse(resolves())
    capabilities.unregister({ unregisterations: [{ id: "never there", method }] })
    assert.isTrue(capabilities.provides(method))
  })

  it("C44 the encoding is what was answered, and UTF-16 where nothing known was", () => {
    const encoding = (positionEncoding: unknown) => make({ positionEncoding }).encoding
    assert.deepStrictEqual(["utf-8", "utf-16", "utf-32", undefined, "utf-7", 8].map(encoding), [
      "utf-8",
      "utf-16",
      "utf-32",
      "utf-16",
      "utf-16",
      "utf-16"
    ])
  })

  it("C62 providers of diagnostics: the static one and any number of registered ones, each once", () => {
    const capabilities = make({ diagnosticProvider: { interFileDependencies: true, workspaceDiagnostics: true } })
    const registration = (id: string, identifier: string) => ({
      id,
      method: "textDocument/diagnostic",
      registerOptions: { identifier, workspaceDiagnostics: false, documentSelector: [{ language: "typescript" }] }
    })
    capabilities.register({ registrations: [registration("1", "syntax"), registration("2", "analyzers")] })
    capabilities.register({ registrations: [registration("3", "syntax")] })
    assert.deepStrictEqual(capabilities.diagnosticProviders(document), [
      { identifier: undefined, workspaceDiagnostics: true },
      { identifier: "syntax", workspaceDiagnostics: false },
      { identifier: "analyzers", workspaceDiagnostics: false }
    ])
    assert.lengthOf(capabilities.diagnosticProviders({ ...document, languageId: "go" }), 1)
  })

  it("what is malformed counts as absent", () => {
    const capabilities = make({ hoverProvider: "yes", textDocumentSync: "full" })
    for (const params of [null, 1, {}, { registrations: {} }, { registrations: [null, { id: 1, method: "x" }] }]) {
      capabilities.register(params)
      capabilities.unregister(params)
    }
    assert.isFalse(capabilities.provides("textDocument/hover"))
    assert.isFalse(capabilities.provides("toString"))
  })
})
