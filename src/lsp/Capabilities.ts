/** What a server provides: what it said at the start, and what it registered since (C21, C22, C26, C62). */
import { Schema } from "effect"
import * as Glob from "./Glob.ts"
import type { Document } from "./Documents.ts"
import * as RenameFilters from "./RenameFilters.ts"
import type { Encoding } from "./TextPositions.ts"
import * as Uri from "./Uri.ts"
import * as WatchedFiles from "./WatchedFiles.ts"
import * as Wire from "./Wire.ts"

export interface Sync {
  readonly openClose: boolean
  /** 0 none, 1 the whole text, 2 ranges. */
  readonly change: 0 | 1 | 2
  readonly save: { readonly includeText: boolean } | undefined
}

/** One way to pull diagnostics; servers may have many, told apart by `identifier`. */
export interface DiagnosticProvider {
  readonly identifier: string | undefined
  readonly workspaceDiagnostics: boolean
}

export interface Capabilities {
  readonly encoding: Encoding
  readonly sync: Sync
  /** Whether it serves a request for a document; without one, for any. */
  readonly provides: (method: string, document?: Document) => boolean
  /** A member of the options of a request, as `resolveProvider`; of the latest registration that has it. */
  readonly option: (method: string, name: string) => unknown
  readonly diagnosticProviders: (document?: Document) => ReadonlyArray<DiagnosticProvider>
  /** Whether it wants to be asked before, or told after, a file or folder is renamed (C98). */
  readonly wantsRename: (when: RenameFilters.When, path: string, kind: RenameFilters.Kind) => boolean
  /** Whether it wants to be told of a change on disk. */
  readonly watches: WatchedFiles.Wants
  /** Adds what `client/registerCapability` brings. A registration with a known id replaces it. */
  readonly register: (params: unknown) => void
  /** Takes away what `client/unregisterCapability` names, under the misspelt key that the protocol has. */
  readonly unregister: (params: unknown) => void
}

/** Where the capability of a request is in `ServerCapabilities`. */
const providers: ReadonlyMap<string, string> = new Map([
  ["textDocument/declaration", "declarationProvider"],
  ["textDocument/definition", "definitionProvider"],
  ["textDocument/typeDefinition", "typeDefinitionProvider"],
  ["textDocument/implementation", "implementationProvider"],
  ["textDocument/references", "referencesProvider"],
  ["textDocument/hover", "hoverProvider"],
  ["textDocument/documentSymbol", "documentSymbolProvider"],
  ["workspace/symbol", "workspaceSymbolProvider"],
  ["textDocument/codeAction", "codeActionProvider"],
  ["textDocument/rename", "renameProvider"],
  ["textDocument/prepareCallHierarchy", "callHierarchyProvider"],
  ["textDocument/prepareTypeHierarchy", "typeHierarchyProvider"],
  ["textDocument/diagnostic", "diagnosticProvider"],
  ["workspace/executeCommand", "executeCommandProvider"]
])

const isEncoding = (value: unknown): value is Encoding => value === "utf-8" || value === "utf-16" || value === "utf-32"

const changeKind = (value: unknown): Sync["change"] => (value === 1 || value === 2 ? value : 0)

/** A number means open, close and save without text too, as VS Code reads it (C38). */
const toSync = (value: unknown): Sync => {
  if (typeof value === "number") {
    const change = changeKind(value)
    return { openClose: change !== 0, change, save: change === 0 ? undefined : { includeText: false } }
  }
  const save = Wire.get(value, "save")
  return {
    openClose: Wire.get(value, "openClose") === true,
    change: changeKind(Wire.get(value, "change")),
    save: save === true || Wire.isRecord(save) ? { includeText: Wire.get(save, "includeText") === true } : undefined
  }
}

const Registration = Schema.Struct({
  id: Schema.String,
  method: Schema.String,
  registerOptions: Schema.optionalKey(Schema.Unknown)
})

const Filter = Schema.Union([
  Schema.String,
  Schema.Struct({
    language: Schema.optionalKey(Schema.NullOr(Schema.String)),
    scheme: Schema.optionalKey(Schema.NullOr(Schema.String)),
    pattern: Schema.optionalKey(Schema.Unknown)
  })
])

/** Whether a document selector, `null` or missing for every document, means this one. */
const selects = (selector: unknown, document: Document | undefined): boolean => {
  if (document === undefined || !Array.isArray(selector)) return true
  return Wire.each(Filter)(selector).some((filter) => {
    if (typeof filter === "string") return filter === "*" || filter === document.languageId
    if (filter.language !== undefined && filter.language !== null && filter.language !== "*") {
      if (filter.language !== document.languageId) return false
    }
    if (filter.scheme !== undefined && filter.scheme !== null && filter.scheme !== "file") return false
    return matchesPattern(filter.pattern, document.path)
  })
}

const matchesPattern = (pattern: unknown, path: string): boolean => {
  if (typeof pattern === "string") return Glob.compile(pattern)(path)
  const glob = Wire.get(pattern, "pattern")
  if (typeof glob !== "string") return true
  const base = Wire.get(pattern, "baseUri")
  const folder = Uri.toPath(String(typeof base === "string" ? base : Wire.get(base, "uri")))
  return folder !== undefined && path.startsWith(`${folder}/`) && Glob.compile(glob)(path.slice(folder.length + 1))
}

const toDiagnosticProvider = (options: unknown): DiagnosticProvider => {
  const identifier = Wire.get(options, "identifier")
  return {
    identifier: typeof identifier === "string" ? identifier : undefined,
    workspaceDiagnostics: Wire.get(options, "workspaceDiagnostics") === true
  }
}

const most = 4096

/** From the answer to `initialize`. */
export const make = (initializeResult: unknown, root: string): Capabilities => {
  const stated = Wire.get(initializeResult, "capabilities")
  const encoding = Wire.get(stated, "positionEncoding")
  const registered = new Map<
    string,
    { readonly method: string; readonly options: unknown; readonly wants: WatchedFiles.Wants }
  >()

  const staticOptions = (method: string): unknown => {
    const key = providers.get(method)
    const value = key === undefined ? undefined : Wire.get(stated, key)
    return value === true || Wire.isRecord(value) ? value : undefined
  }
  const dynamic = (method: string, document?: Document) =>
    [...registered.values()].filter(
      (registration) =>
        registration.method === method && selects(Wire.get(registration.options, "documentSelector"), document)
    )
  return {
    encoding: isEncoding(encoding) ? encoding : "utf-16",
    sync: toSync(Wire.get(stated, "textDocumentSync")),
    provides: (method, document) => staticOptions(method) !== undefined || dynamic(method, document).length > 0,
    option: (method, name) =>
      [staticOptions(method), ...dynamic(method).map(({ options }) => options)]
        .map((options) => Wire.get(options, name))
        .findLast((value) => value !== undefined),
    diagnosticProviders: (document) => {
      const method = "textDocument/diagnostic"
      const own = staticOptions(method)
      const all = [...(own === undefined ? [] : [own]), ...dynamic(method, document).map(({ options }) => options)]
      return [...new Map(all.map(toDiagnosticProvider).map((provider) => [provider.identifier, provider])).values()]
    },
    watches: (event) =>
      [...registered.values()].some(
        ({ method, wants }) => method === "workspace/didChangeWatchedFiles" && wants(event)
      ),
    wantsRename: (when, path, kind) =>
      [
        Wire.get(Wire.get(Wire.get(stated, "workspace"), "fileOperations"), when),
        ...dynamic(`workspace/${when}Files`).map(({ options }) => options)
      ].some((options) => RenameFilters.match(options, path, kind)),
    register: (params) => {
      for (const { id, method, registerOptions } of Wire.each(Registration)(Wire.get(params, "registrations"))) {
        if (registered.size >= most) return
        registered.delete(id)
        const wants =
          method === "workspace/didChangeWatchedFiles" ? WatchedFiles.wants(registerOptions, root) : () => false
        registered.set(id, { method, options: registerOptions, wants })
      }
    },
    unregister: (params) => {
      const named = Wire.get(params, "unregisterations") ?? Wire.get(params, "unregistrations")
      for (const { id } of Wire.each(Schema.Struct({ id: Schema.String }))(named)) registered.delete(id)
    }
  }
}
