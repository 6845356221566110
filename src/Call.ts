/** One call of a tool, as its handler and the gate see it. */
import { Context, Effect } from "effect"
import type { Answer } from "./Answer.ts"

/** Where a call stands on the way from the model to the handler. */
export interface Call {
  /** Unique in the process. */
  readonly id: number
  readonly tool: string
  /** The call on whose behalf this one is made (a cell of `eval` that calls `read`). No gate decides on it (SPEC §8.11). */
  readonly parent: Call | undefined
  /** Tells whoever waits for this call how far it is; `percentage` is 0–100. */
  readonly progress: (message: string, percentage?: number) => Effect.Effect<void>
  /** Shows output while the call is under way (a cell that prints); `undefined` where nobody looks. */
  readonly output: ((kind: string, text: string) => Effect.Effect<void>) | undefined
  /** What this call may call in turn; it is then the `parent` of those calls. */
  readonly tools: Tools
}

/** The tools that a call can call: those of the surface it came through, or of `Registry`. */
export interface Tools {
  readonly list: Effect.Effect<
    ReadonlyArray<{
      readonly name: string
      readonly description: string
      /** The JSON Schema of the parameters. */
      readonly inputSchema: unknown
    }>
  >
  /** By any name, with any parameters; what is wrong with either is a failed answer. */
  readonly dispatch: (name: string, params: unknown) => Effect.Effect<Answer>
}

/** No tools at all. */
export const noTools: Tools = {
  list: Effect.succeed([]),
  dispatch: (name) =>
    Effect.succeed({ isFailure: true, code: "unknown_tool", text: `There is no tool \`${name.slice(0, 100)}\` here.` })
}

/**
 * A harness with tools beside those of a surface wires its own registry here, in the context that the surface is made in: calls
 * from inside of a call then go through it, its guardrails and its wrappers. Default: the surface itself.
 */
export const Registry: Context.Reference<Tools | undefined> = Context.Reference<Tools | undefined>(
  "livetools/Registry",
  {
    defaultValue: () => undefined
  }
)

/**
 * The call that the present fiber works for, `undefined` outside of any. A resource that calls tools from a fiber of its own
 * (a kernel's bridge) provides the call that it works for.
 */
export const CurrentCall: Context.Reference<Call | undefined> = Context.Reference<Call | undefined>(
  "livetools/CurrentCall",
  { defaultValue: () => undefined }
)

export interface Progress {
  readonly call: Call
  readonly message: string
  readonly percentage?: number
}

/** Receives what `Call.progress` tells; silent by default. */
export const ProgressSink: Context.Reference<(progress: Progress) => Effect.Effect<void>> = Context.Reference<
  (progress: Progress) => Effect.Effect<void>
>("livetools/ProgressSink", { defaultValue: () => () => Effect.void })

export interface Output {
  readonly call: Call
  /** `stdout`, `stderr`, `display`, `result`, `error`. */
  readonly kind: string
  readonly text: string
}

/** Receives what `Call.output` shows, in order; by default nobody does. */
export const OutputSink: Context.Reference<((output: Output) => Effect.Effect<void>) | undefined> = Context.Reference<
  ((output: Output) => Effect.Effect<void>) | undefined
>("livetools/OutputSink", { defaultValue: () => undefined })
