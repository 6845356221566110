/** Where the resources behind the tools are acquired and released, on Node. */
export * as Binaries from "./lsp/Binaries.ts"
export * as NodeEdits from "./edits/NodeEdits.ts"
export * as NodeLanguageServers from "./lsp/NodeLanguageServers.ts"
export * as NodeParsers from "./syntax/NodeParsers.ts"
export * as NodeProcesses from "./process/NodeProcesses.ts"
export * as NodeWorkspace from "./workspace/NodeWorkspace.ts"
export * as Run from "./Run.ts"
