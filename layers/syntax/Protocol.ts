/** The messages between the host and a worker of the structural search. Plain data. */
import type { Grammar } from "../../src/syntax/Grammar.ts"
import type { FileOutcome, LanguageOutcome } from "../../src/syntax/Outcome.ts"
import type { Request, RewriteRequest } from "../../src/syntax/Request.ts"
import type { FileRewrite } from "../../src/syntax/RewriteOutcome.ts"

/** Given to a worker when it starts. */
export interface WorkerData {
  readonly grammars: ReadonlyArray<Grammar>
  /** Bytes; larger files are left out. */
  readonly largestFile: number
}

export type Work =
  | { readonly kind: "search"; readonly request: Request }
  | { readonly kind: "rewrite"; readonly request: RewriteRequest }

/** To a worker. */
export type Command =
  /** Begins a job; `stop` holds one number, which is not 0 once the job is to stop. */
  | { readonly type: "open"; readonly job: number; readonly work: Work; readonly stop: SharedArrayBuffer }
  /** Lists the files of the job, answered by `listed` messages. */
  | { readonly type: "list"; readonly job: number }
  /** Compiles the pattern for languages, answered by `compiled`. */
  | { readonly type: "compile"; readonly job: number; readonly languages: ReadonlyArray<string> }
  /** Searches files, answered by `scanned`. */
  | { readonly type: "scan"; readonly job: number; readonly paths: ReadonlyArray<string> }
  | { readonly type: "close"; readonly job: number }

/** What became of a file: nothing to be found, something, or left out and why. */
export type Scanned<A> = undefined | { readonly outcome: A } | { readonly skipped: string }

/** From a worker. */
export type Report =
  | {
      readonly type: "listed"
      readonly job: number
      readonly paths: ReadonlyArray<string>
      readonly skipped: ReadonlyArray<readonly [reason: string, count: number]>
      readonly isLast: boolean
    }
  | { readonly type: "compiled"; readonly job: number; readonly languages: ReadonlyArray<LanguageOutcome> }
  | {
      readonly type: "scanned"
      readonly job: number
      /** Languages that this worker met for the first time in this job. */
      readonly languages: ReadonlyArray<LanguageOutcome>
      /** By file, in the order of the command; shorter when the job was stopped. */
      readonly files: ReadonlyArray<Scanned<FileOutcome | FileRewrite>>
      /** The worker must not be used again: its parser failed in a way that leaves its memory in doubt. */
      readonly isBroken: boolean
    }
