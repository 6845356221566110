/** Where the resources behind the tools are acquired and released, on Node. */
export * as Run from "./Run.ts"
export * as NodeWorkspace from "./workspace/NodeWorkspace.ts"
