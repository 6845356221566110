/** What this client says of itself: only what it does (C23). */
import type { Schema } from "effect"
import * as Uri from "./Uri.ts"

const symbolKinds = Array.from({ length: 26 }, (_, index) => index + 1)
const link = { linkSupport: true }

const capabilities = {
  general: {
    // The first that a server takes: ours are UTF-16 units.
    positionEncodings: ["utf-16", "utf-8", "utf-32"],
    staleRequestSupport: { cancel: true, retryOnContentModified: [] },
    markdown: { parser: "none" }
  },
  workspace: {
    applyEdit: true,
    configuration: true,
    workspaceFolders: true,
    didChangeConfiguration: { dynamicRegistration: true },
    didChangeWatchedFiles: { dynamicRegistration: true, relativePatternSupport: true },
    symbol: { symbolKind: { valueSet: symbolKinds }, resolveSupport: { properties: ["location.range"] } },
    diagnostics: { refreshSupport: true },
    workspaceEdit: {
      documentChanges: true,
      resourceOperations: ["create", "rename", "delete"],
      failureHandling: "transactional",
      normalizesLineEndings: true
    },
    fileOperations: { willRename: true, didRename: true },
    executeCommand: {}
  },
  textDocument: {
    synchronization: { didSave: true },
    publishDiagnostics: {
      relatedInformation: true,
      versionSupport: true,
      codeDescriptionSupport: true,
      dataSupport: true,
      tagSupport: { valueSet: [1, 2] }
    },
    diagnostic: { dynamicRegistration: true, relatedDocumentSupport: true },
    hover: { contentFormat: ["markdown", "plaintext"] },
    declaration: link,
    definition: link,
    typeDefinition: link,
    implementation: link,
    references: {},
    documentSymbol: { hierarchicalDocumentSymbolSupport: true, symbolKind: { valueSet: symbolKinds } },
    codeAction: {
      codeActionLiteralSupport: {
        codeActionKind: {
          valueSet: ["", "quickfix", "refactor", "refactor.extract", "refactor.inline", "refactor.rewrite", "source"]
        }
      },
      isPreferredSupport: true,
      disabledSupport: true,
      dataSupport: true,
      resolveSupport: { properties: ["edit"] }
    },
    rename: { prepareSupport: true },
    callHierarchy: {},
    typeHierarchy: {}
  },
  window: { workDoneProgress: true, showDocument: { support: false }, showMessage: {} },
  experimental: { serverStatusNotification: true }
}

/** The parameters of `initialize`. The three spellings of the root agree (C24). */
export const initializeParams = (options: {
  /** Of this process, never that of the server (C19). */
  readonly processId: number
  readonly root: string
  readonly version: string
  readonly initializationOptions: Schema.Json | undefined
}) => ({
  processId: options.processId,
  clientInfo: { name: "livetools", version: options.version },
  locale: "en",
  rootPath: options.root,
  rootUri: Uri.fromPath(options.root),
  workspaceFolders: [folder(options.root)],
  ...(options.initializationOptions === undefined ? {} : { initializationOptions: options.initializationOptions }),
  capabilities,
  trace: "off"
})

/** The workspace folder of a root. */
export const folder = (root: string) => ({
  uri: Uri.fromPath(root),
  name: root.split(/[\\/]/).findLast((part) => part !== "") ?? root
})
