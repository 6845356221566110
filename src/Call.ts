/** One call of a tool, as its handler and the gate see it. */
import { Context, Effect } from "effect"

/** Where a call stands on the way from the model to the handler. */
export interface Call {
  /** Unique in the process. */
  readonly id: number
  readonly tool: string
  /** The call on whose behalf this one is made (a cell of `eval` that calls `read`). No gate decides on it (SPEC §8.11). */
  readonly parent: Call | undefined
  /** Tells whoever waits for this call how far it is; `percentage` is 0–100. */
  readonly progress: (message: string, percentage?: number) => Effect.Effect<void>
}

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
