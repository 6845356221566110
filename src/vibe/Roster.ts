/** The roster port: the background workers of a run (SPEC §10). */
import { Context, type Effect } from "effect"
import type { Budget } from "../Budget.ts"
import type { Tier } from "../Tier.ts"
import type { ToolError } from "../ToolError.ts"

/** `fast`: mechanical work with a clear specification. `good`: design, judgement, review. */
export type Grade = "fast" | "good"

export type State = "queued" | "running" | "finished" | "failed" | "killed"

export interface Begun {
  readonly worker_id: string
  readonly state: "queued" | "running"
}

export interface Listed {
  readonly worker_id: string
  readonly label: string
  readonly tier: Grade
  readonly state: State
  /** Since it was last given work, up to its end. */
  readonly elapsed_seconds: number
  readonly last_result?: string
}

export const isAtWork = ({ state }: Listed): boolean => state === "queued" || state === "running"

/** What becomes of a worker whose run ends now. */
export const lost = (worker: Listed): string =>
  isAtWork(worker)
    ? `${worker.worker_id} (${worker.label}) was still at work and is stopped.`
    : `${worker.worker_id} (${worker.label}) has ${worker.state}, and nobody waited for its result.`

export interface Waited {
  readonly worker_id: string
  readonly label: string
  readonly state: State
  /** Why the wait ended; `timed_out` is of the wait, not of the worker. */
  readonly why: "finished" | "failed" | "killed" | "timed_out"
  /** What its last run that ended well gave; the same however often it is waited for. */
  readonly result?: string
  /** What earlier runs ended with that no wait has given yet, oldest first; each is given once. */
  readonly earlier_results: ReadonlyArray<string>
  /** Why it failed or was killed. */
  readonly reason?: string
  /** The last it said before its end, where it gave no result for it. */
  readonly last_output?: string
  readonly elapsed_seconds: number
  /** Where everything that it did is written down. */
  readonly log?: string
}

/** Every function that takes an id fails with `unknown_worker`. */
export class Roster extends Context.Service<
  Roster,
  {
    /** Begins a worker, whose surface is never above `cap`, and returns at once; beyond the limit it is queued. */
    readonly spawn: (options: {
      readonly brief: string
      readonly label: string
      readonly tier: Grade
      readonly cap: Tier
    }) => Effect.Effect<Begun, ToolError>
    /** Adds a message to the brief and lets the worker run again, after what it does now. A killed one takes none. */
    readonly send: (workerId: string, message: string) => Effect.Effect<Begun, ToolError>
    /** Waits until it has nothing left to do, or the budget is spent. */
    readonly wait: (workerId: string, budget: Budget | undefined) => Effect.Effect<Waited, ToolError>
    /** Ends it and its tools for good; what it still gives is dropped. */
    readonly kill: (workerId: string) => Effect.Effect<Waited, ToolError>
    /** In the order in which they were spawned. */
    readonly list: Effect.Effect<ReadonlyArray<Listed>>
    /** Those that are at work, and those that ended with something that no wait has given. */
    readonly undelivered: Effect.Effect<ReadonlyArray<Listed>>
  }
>()("livetools/Roster") {}

/** Vibe mode is on for the surface that has it. */
export class VibeMode extends Context.Service<
  VibeMode,
  {
    /** The cap of that surface, and of the workers that are spawned through it. */
    readonly cap: Tier
  }
>()("livetools/VibeMode") {}
