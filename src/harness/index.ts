/** The reference harness: the smallest real one that composes the library. */
export * as Approvals from "./Approvals.ts"
export * as Cards from "./Cards.ts"
export * as Commands from "./Commands.ts"
export * as Lines from "./Lines.ts"
export * as Output from "./Output.ts"
export * as RunInfo from "./RunInfo.ts"
export * as Serve from "./Serve.ts"
export * as Settings from "./Settings.ts"
