/** What a harness supplies so that a roster has workers: an agent with a surface of its own (SPEC §10). */
import { Context, type Effect, Schema, type Scope } from "effect"
import type { Tier } from "../Tier.ts"
import type { Grade } from "./Roster.ts"

/** A run of a worker did not come to a result; the message is for the one who spawned it. */
export class WorkerFailed extends Schema.TaggedError<WorkerFailed>()("WorkerFailed", { message: Schema.String }) {}

export interface Task {
  readonly worker_id: string
  readonly label: string
  readonly tier: Grade
  /** The highest tier of tools that its surface may show. */
  readonly cap: Tier
  /** Notes what it says and does: the last is shown while it runs, all of it is in its log. */
  readonly note: (text: string) => Effect.Effect<void>
}

export interface Session {
  /** Works on these messages, each one whole: the brief at first, later what was sent since. Remembers the runs before. */
  readonly run: (messages: ReadonlyArray<string>) => Effect.Effect<string, WorkerFailed>
}

/** How one run of a worker ended: with its result, or with why there is none. */
export interface Outcome {
  readonly isFailure: boolean
  readonly text: string
}

export class Worker extends Context.Service<
  Worker,
  {
    /**
     * Opens a worker. Everything it may touch belongs to the scope: when that closes, its tools are interrupted and take no
     * more calls, whatever the worker does.
     */
    readonly open: (task: Task) => Effect.Effect<Session, WorkerFailed, Scope.Scope>
    /** Is told how each run ended, also of a worker that could not be opened; not of one that was killed. */
    readonly ended?: (task: Task, outcome: Outcome) => Effect.Effect<void>
  }
>()("livetools/Worker") {}
