/**
 * The port to the debuggers of a run's conversations (SPEC §7). Paths are absolute with symbolic links resolved, here and in
 * the values that come back; lines are 1-based.
 */
import { Context, type Effect } from "effect"
import type { ToolError } from "../ToolError.ts"
import type { Exceptions, Wanted } from "./Breakpoints.ts"
import type { Value } from "./Values.ts"

/** What is changed of the breakpoints; what is absent stays. */
export interface BreakpointChange {
  /** The whole list of one file. */
  readonly file?: { readonly path: string; readonly wanted: ReadonlyArray<Wanted> } | undefined
  readonly functions?: ReadonlyArray<string> | undefined
  readonly exceptions?: Exceptions | undefined
}

export interface Launch {
  /** A file or a folder that exists; one of `program` and `module` is there. */
  readonly program?: { readonly path: string; readonly kind: "file" | "directory" } | undefined
  readonly module?: string | undefined
  readonly args: ReadonlyArray<string>
  readonly adapter?: string | undefined
  readonly cwd?: string | undefined
  readonly env: Readonly<Record<string, string>>
  readonly mode?: "debug" | "test" | "exec" | undefined
}

export interface Attach {
  readonly port: number
  readonly adapter?: string | undefined
}

export interface Resume {
  readonly kind: "continue" | "step_over" | "step_in" | "step_out"
  readonly threadId?: number | undefined
  /** Stops there too, this once. */
  readonly until?: { readonly path: string; readonly line: number } | undefined
  /** How long to wait for the stop. Default 30 seconds. */
  readonly waitSeconds?: number | undefined
}

type Answer = Effect.Effect<Value, ToolError>

/**
 * The debugger of one conversation. Only one call at a time may resume, launch or inspect; `status`, `output`, `pause` and
 * `terminate` may come in between.
 *
 * Failures: `no_session`, `session_exists` (a second launch), `not_stopped`, `stale_reference`, `adapter_failed`, `not_covered`
 * (no usable adapter, or one that cannot do this), `timed_out`, `invalid_params`.
 */
export interface Debugger {
  readonly adapters: Answer
  /** Asks no adapter. */
  readonly status: Answer
  readonly setBreakpoints: (change: BreakpointChange) => Answer
  readonly launch: (launch: Launch) => Answer
  readonly attach: (attach: Attach) => Answer
  readonly resume: (resume: Resume) => Answer
  readonly pause: (threadId: number | undefined) => Answer
  readonly threads: Answer
  readonly stack: (threadId: number | undefined) => Answer
  readonly scopes: (frameId: number) => Answer
  readonly variables: (reference: number, start: number) => Answer
  readonly setVariable: (reference: number, name: string, value: string) => Answer
  readonly evaluate: (expression: string, frameId: number | undefined) => Answer
  readonly output: Answer
  readonly restart: Answer
  readonly terminate: Answer
}

export class Debuggers extends Context.Service<
  Debuggers,
  {
    /** The one debugger of a conversation. It lives as long as the service. */
    readonly of: (conversation: string) => Effect.Effect<Debugger>
  }
>()("livetools/Debuggers") {}
