/**
 * The edit engine (SPEC §6.5): the only thing in the library that writes a user's file. A plan of text edits and file
 * operations is validated whole, staged under an id, applied all or nothing through a journal, and undone by id. Edits of one
 * directory take turns, also those of several processes; what other programs write meanwhile makes an edit stale.
 */
import { Context, type Effect } from "effect"
import type { FileChange } from "./edits/FileChange.ts"
import type { Plan } from "./edits/Plan.ts"
import type { ToolError } from "./ToolError.ts"

/** A file as an edit needs it. */
export interface Source {
  /** Absolute, links resolved. */
  readonly path: string
  /** Without a byte order mark; line ends as they are. */
  readonly text: string
  /** `Edits.hash` of the text. */
  readonly hash: string
}

/** Where an edit stands. `staged` → `accepted` → `undone`, or `staged` → `discarded`. */
export type State = "staged" | "accepted" | "undone" | "discarded"

/** An edit as it is told. */
export interface Edit {
  /** `edit_1`, `edit_2`, … in the order of staging; valid for the run. */
  readonly edit_id: string
  readonly state: State
  readonly label?: string
  readonly files: ReadonlyArray<FileChange>
  /** What somebody should know who accepts it, one sentence each. */
  readonly warnings: ReadonlyArray<string>
}

/** What became of a path on the disk, for those who watch files. Absolute; a moved one is deleted here and created there. */
export interface Event {
  readonly path: string
  readonly event: "created" | "changed" | "deleted"
}

/** What `accept`, `discard`, `undo` and `apply` end with. `events` is empty where nothing was written. */
export interface Resolved extends Edit {
  readonly events: ReadonlyArray<Event>
}

/**
 * What was found of an edit whose host died in the middle, when the engine was acquired.
 *
 * - `rolled_back`, `completed`: none, or all, of it is on the disk now
 * - `left`: nothing was touched, for the `reason` (a file holds a text that the journal does not know; the run may not write; the
 *   owner is on another machine). `journal` still holds all texts
 *
 * An edit whose owner is alive is left alone and not told.
 */
export interface Repair {
  readonly outcome: "rolled_back" | "completed" | "left"
  readonly reason: string
  /** Shown as `Workspace.show` does. */
  readonly files: ReadonlyArray<string>
  /** Absolute. */
  readonly journal: string
}

/**
 * Failures, each with the tree as it was before the call:
 *
 * - `unknown_edit`: no such id in this run
 * - `stale_edit`: a text is no longer the one that the edit was made for, a file was deleted, replaced or added
 * - `refused_edit`: ranges that overlap or lie outside the text, an ignored path, a file that exists or is in the way, a
 *   read-only file, an edit in another state (the message says which), a disk that failed (the message says how)
 * - `outside_directory`, `not_found`, `not_text`, `too_large`
 */
export class Edits extends Context.Service<
  Edits,
  {
    /** Reads a file that can be edited: `not_found`, `not_text` when it is not valid UTF-8, `too_large`. */
    readonly read: (path: string) => Effect.Effect<Source, ToolError>
    /** SHA-256, in hex, of a text (without byte order mark) in UTF-8. */
    readonly hash: (text: string) => string
    /** Validates a plan and keeps it. Nothing is written. */
    readonly stage: (plan: Plan) => Effect.Effect<Edit, ToolError>
    /** Writes a staged edit: exactly the texts that were staged, after checking every file again. A failure leaves it staged. */
    readonly accept: (id: string) => Effect.Effect<Resolved, ToolError>
    /** Drops a staged edit. Discarding twice is not an error. */
    readonly discard: (id: string) => Effect.Effect<Resolved, ToolError>
    /** Takes an accepted edit back, if every file still holds the text that the accept wrote. A failure leaves it accepted. */
    readonly undo: (id: string) => Effect.Effect<Resolved, ToolError>
    /** Stages and accepts in one, under the locks of the plan's files. An edit that fails leaves no id. */
    readonly apply: (plan: Plan) => Effect.Effect<Resolved, ToolError>
    /**
     * As `apply`, for a plan that is made from what is in the files: `make` runs under the locks of `paths`, so that nothing of
     * this run comes between reading and writing. `make` must not call `apply`, `accept` or `undo`.
     */
    readonly applyWith: <E, R>(
      paths: ReadonlyArray<string>,
      make: Effect.Effect<Plan, E, R>
    ) => Effect.Effect<Resolved, E | ToolError, R>
    readonly describe: (id: string) => Effect.Effect<Edit, ToolError>
    /** Every edit of the run, oldest first. */
    readonly list: Effect.Effect<ReadonlyArray<Edit>>
    /** What the engine found when it was acquired for this directory; empty where nothing had been left. */
    readonly repairs: ReadonlyArray<Repair>
  }
>()("livetools/Edits") {}
