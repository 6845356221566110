/**
 * The port to the language servers of a run (SPEC §3): questions about the text that is on disk now, with an outcome for
 * each server, and what they know of diagnostics.
 *
 * Paths are absolute with symbolic links resolved (`Workspace.existing`). Texts are without a byte order mark. Lines and
 * columns are 1-based; columns and offsets count UTF-16 units, whatever the server counts.
 */
import { Context, type Duration, type Effect, type Option } from "effect"
import type { ToolError } from "../ToolError.ts"
import type { Checked } from "./checkers/Checker.ts"
import type { Document } from "./Documents.ts"
import type { Question } from "./Question.ts"
import type { Row } from "./rows/Row.ts"
import type { Indexed } from "./TextPositions.ts"

/** What one server has to say (SPEC §3.5). Silence is `unknown`, never `empty`. */
export type Outcome<A> =
  /** `incomplete` says why there is, or may be, more. */
  | { readonly outcome: "found"; readonly value: A; readonly incomplete?: string }
  | { readonly outcome: "empty" }
  /**
   * `provisional`: what it said last, without proof that this belongs to the text on disk or is all. `why`: it has said nothing
   * in time, or is still loading; absent where something failed.
   */
  | {
      readonly outcome: "unknown"
      readonly reason: string
      readonly why?: "late" | "loading"
      readonly provisional?: A
    }
  | { readonly outcome: "not_covered"; readonly reason: string }

/** The part of one server. `root`: absolute; absent where it has none for the file. */
export type Answer<A> = Outcome<A> & { readonly id: string; readonly root?: string }

/** 1 error, 2 warning, 3 information, 4 hint. */
export type Severity = 1 | 2 | 3 | 4

/** A part of a file, `end` excluded. */
export interface Span {
  readonly line: number
  readonly column: number
  readonly endLine: number
  readonly endColumn: number
}

/** A place that a server named. */
export interface Location extends Span {
  /** Absolute; for what is no file (`untitled:`, `jdt:`, `zipfile:`) the URI as the server wrote it. */
  readonly path: string
  readonly isFile: boolean
  /** The line without its end, at most 1,000 UTF-16 units; `undefined` where the text cannot be read. */
  readonly text: string | undefined
}

export interface Diagnostic extends Span {
  /** Absolute, or a URI that is no file. */
  readonly path: string
  readonly severity: Severity
  readonly code?: string
  readonly message: string
  readonly source?: string
  readonly isUnnecessary?: boolean
  readonly isDeprecated?: boolean
  /** As the server sent it, `data` included: code actions are asked for with it (C91). */
  readonly raw: unknown
}

/** The diagnostics of one file. An answer is `found` with at least one, or `empty`: proved clean. */
export interface FileDiagnostics {
  readonly path: string
  readonly servers: ReadonlyArray<Answer<ReadonlyArray<Diagnostic>>>
  /** Why this file could not be read, where several were asked about; of a single file it is the failure of the call. */
  readonly error?: ToolError
}

/** What servers have said of any file so far, asked for or not, without proof that it is current (C61). */
export interface Known {
  readonly id: string
  readonly root: string
  readonly path: string
  /** Empty only where the server has been asked. */
  readonly diagnostics: ReadonlyArray<Diagnostic>
  /** The file was shown to the server, or asked about, before it said anything of it by itself. */
  readonly isAsked?: boolean
}

/** What a question is about. */
export interface Target {
  readonly file: string
  /**
   * The UTF-16 offset of the place in the text that the servers are shown, which is the one on disk at this moment. Run
   * once a call. A failure fails the call.
   */
  readonly at?: ((indexed: Indexed) => Effect.Effect<number, ToolError>) | undefined
}

export interface Options {
  /** Ask only this row, whatever its role. An id that no row has fails with `invalid_params`. */
  readonly server?: string | undefined
  /** Of the whole call: start, loading, all servers, all files. Default 20 seconds. */
  readonly timeout?: Duration.Input | undefined
}

export interface DiagnosticsOptions extends Options {
  /**
   * Texts by path that servers are shown instead of those on disk, which may have changed. All files are shown once, when the
   * server begins with the call: what changes later is not in its answers. Where another call shows it something else of these
   * meanwhile, its answers are unknown.
   */
  readonly texts?: ReadonlyMap<string, string> | undefined
  /** Takes each answer when it comes. */
  readonly onAnswer?: ((path: string, answer: Answer<ReadonlyArray<Diagnostic>>) => void) | undefined
}

export type State = "running" | "starting" | "stopped" | "unavailable" | "failed"

/** How a row stands for one root, or for the working directory where it has no root. */
export interface Status {
  readonly id: string
  readonly languages: ReadonlyArray<string>
  readonly root?: string
  readonly state: State
  /** Why it does not run, or what it is doing. */
  readonly reason?: string
  /** The marker that was found, absolute. */
  readonly marker?: string
  /** The file that is, or would be, started. */
  readonly binary?: string
  readonly pid?: number
  /** Name and version, as the server tells them. */
  readonly server?: string
  /** Work that it says is going on, as `Indexing 42 % (3/7 crates)`. */
  readonly progress?: ReadonlyArray<string>
  readonly openDocuments?: number
  /** Resident memory of its processes, in bytes. */
  readonly memory?: number
  /** How often it ended by itself in the last minutes. */
  readonly crashes?: number
  readonly lastError?: string
  /** The last lines of its standard error. */
  readonly stderr?: string
}

/** A change on disk that this run made, as `Edits.Event`. */
export interface FileEvent {
  readonly path: string
  readonly event: "created" | "changed" | "deleted"
}

/** Where the binary of a row is, for a root. `command` is absolute. */
export type Found =
  | { readonly status: "found"; readonly command: string }
  | { readonly status: "missing" | "not_trusted"; readonly reason: string }

/** Looks for the binary of a row. What was found is kept until `reload`; that nothing was found, for 30 seconds. */
export type FindBinary = (row: Row, root: string) => Effect.Effect<Found>

/**
 * Failures of the methods below: `not_found`, `not_text`, `too_large` (above 8 MiB) of the file, `invalid_params` for an
 * unknown `server`, and what `Target.at` fails with. What goes wrong with a server is in its outcome.
 */
export class LanguageServers extends Context.Service<
  LanguageServers,
  {
    readonly rows: ReadonlyArray<Row>
    /**
     * Asks the servers of a file, starting them where needed. One answer for each row that serves the language; of the rows
     * with one role, the first that is usable (or the first of all with the reason why none is). No row for the language:
     * an empty array.
     */
    readonly ask: <A>(
      question: Question<A>,
      target: Target,
      options?: Options
    ) => Effect.Effect<ReadonlyArray<Answer<A>>, ToolError>
    /**
     * Asks about the whole project: every server that runs, and starts every one that the working directory has a marker, a
     * binary and a file for (at most 8; the others are named as `not_covered`).
     */
    readonly askProject: <A>(
      question: Question<A>,
      options?: Options
    ) => Effect.Effect<ReadonlyArray<Answer<A>>, ToolError>
    /** The servers that are asked about a file, with their roots, started or not. */
    readonly serving: (file: string) => Effect.Effect<ReadonlyArray<{ readonly id: string; readonly root: string }>>
    /** The diagnostics of files, all under one budget; those not reached are `unknown`. One entry a file, in the order given. */
    readonly diagnostics: (
      files: ReadonlyArray<string>,
      options?: DiagnosticsOptions
    ) => Effect.Effect<ReadonlyArray<FileDiagnostics>, ToolError>
    /** What running servers have said of any file. Asks nothing and waits for nothing. */
    readonly known: Effect.Effect<ReadonlyArray<Known>>
    /** `workspace/diagnostic` of the running servers that provide it, within the budget. Results of all files (C63, C67). */
    readonly projectDiagnostics: (
      options?: Options
    ) => Effect.Effect<ReadonlyArray<Answer<ReadonlyArray<Diagnostic>>>, ToolError>
    /**
     * Runs the project's own checkers (SPEC §3.10), within 120 seconds or less where the timeout is; absent where the run has
     * none.
     */
    readonly check?: (options?: Pick<Options, "timeout">) => Effect.Effect<Checked>
    /** Tells the servers of changes on disk that this run made, before they are found by themselves. */
    readonly changed: (events: ReadonlyArray<FileEvent>) => Effect.Effect<void>
    /** Every row for every root it runs for; a row that does not run once, with the reason. */
    readonly status: Effect.Effect<ReadonlyArray<Status>>
    /**
     * Ends the servers of the file's roots (or all), forgets failures and where binaries are, and starts again those that
     * ran or had failed. Completes when they have started or failed.
     */
    readonly reload: (file?: string) => Effect.Effect<ReadonlyArray<Status>, ToolError>
    /** A document as a server holds it, for edits that were made for it (C84). */
    readonly document: (id: string, root: string, path: string) => Effect.Effect<Option.Option<Document>>
  }
>()("livetools/LanguageServers") {}
