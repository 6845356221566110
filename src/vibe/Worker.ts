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

export class Worker extends Context.Service<
  Worker,
  {
    /**
     * Opens a worker. Everything it may touch belongs to the scope: when that closes, its tools are interrupted and take no
     * more calls, whatever the worker does.
     */
    readonly open: (task: Task) => Effect.Effect<Session, WorkerFailed, Scope.Scope>
  }
>()("livetools/Worker") {}
