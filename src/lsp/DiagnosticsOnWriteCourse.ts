/** How a write is followed: what was written, what is known of its consequences, and what is said of them. */
import type { Deferred, Effect, Semaphore } from "effect"
import type * as Rounds from "./DiagnosticsOnWriteRounds.ts"
import type * as Ledger from "./Ledger.ts"

/** What was written. Paths are absolute. */
export interface Written {
  readonly tool: string
  readonly edit_id: string | undefined
  /** `from`: where it was before. */
  readonly files: ReadonlyArray<{ readonly path: string; readonly from?: string | undefined }>
  /** The edit is taken back: what was there before it is nothing new. */
  readonly isUndo: boolean
}

export interface Report {
  readonly outcome: "nothing_new" | "introduced" | "unknown" | "not_covered"
  readonly introduced: ReadonlyArray<Rounds.Introduced>
  /** Why something is not known, a server each. */
  readonly reasons: ReadonlyArray<string>
  /** Whether it is told with a later answer, should there be something. */
  readonly isDeferred: boolean
}

export const nothing: Report = { outcome: "not_covered", introduced: [], reasons: [], isDeferred: false }

/** The texts of files, and their hashes. */
export type Contents = ReadonlyMap<string, { readonly text: string; readonly hash: string } | undefined>

export const textsOf = (contents: Contents): ReadonlyMap<string, string> =>
  new Map([...contents].flatMap(([path, source]) => (source === undefined ? [] : [[path, source.text]])))

/** What was written and is there; nothing where all is gone. */
export const ownOf = (contents: Contents): ReadonlyArray<string> =>
  [...contents].flatMap(([path, source]) => (source === undefined ? [] : [path]))

/** What is known of the consequences of a write so far. */
export interface Course {
  readonly introduced: Array<Rounds.Introduced>
  /** By path and server. */
  readonly answers: Map<string, Map<string, Rounds.Said>>
  /** Those of which what was there before is not known. */
  readonly unfounded: Map<string, string>
  /** How many files that may depend on it nobody has asked about, because they are too many. */
  unasked: number
  /** How many files of the project were not looked into for whether they depend on it. */
  unread: number
  /** They are asked about when the call has ended. */
  isAskedLater: boolean
  /** Nothing more comes. */
  isWhole: boolean
  /** The call has ended. */
  isTold: boolean
}

export interface Before {
  readonly _tag: "Before"
  readonly names: ReadonlyMap<string, Rounds.Kind>
  readonly contents: Contents
  /** How often paths had been written when this was noted. */
  readonly writes: ReadonlyMap<string, number>
  readonly done: Deferred.Deferred<void>
}

export interface After {
  readonly _tag: "After"
  readonly written: Written
  readonly contents: Contents
  readonly course: Course
  readonly done: Deferred.Deferred<void>
}

export type Request = Before | After | { readonly _tag: "End" }

/** The writes of files that the same servers serve: one language waits for no other. */
export interface Group {
  readonly key: string
  /** Whose write the servers are asked about. */
  readonly turn: Semaphore.Semaphore
  /** The write whose consequences they are asked about. */
  current: { readonly request: After; readonly over: Deferred.Deferred<"replaced" | "cut"> } | undefined
  /** What was known before a write that was abandoned: the one that took its place begins with that. */
  inherited: ReadonlyMap<string, Ledger.Counts> | undefined
  /** Goes on with the write that was abandoned, where the one that was to take its place has not written. */
  resume: Effect.Effect<void> | undefined
  /** How many calls may be writing now, and how many have written. */
  writing: number
  written: number
  /** How many writes wait for their turn. */
  waiting: number
}

/** What the call says, after so many milliseconds; what it tells is not told again. */
export const reportOf = (course: Course, contents: Contents, limit: number, show: (path: string) => string): Report => {
  const { answers, isAskedLater, isWhole, unasked, unfounded, unread } = course
  const introduced = course.introduced.splice(0)
  const files = ownOf(contents)
  // What is deleted is only felt elsewhere.
  const own = files.length > 0 ? files : [...answers.keys()]
  const said = own.flatMap((path) => [...(answers.get(path)?.values() ?? [])])
  const isHeard = (path: string) =>
    [...(answers.get(path)?.values() ?? [])].some((answer) => answer.outcome !== "not_covered")
  const isCovered = said.some(({ outcome }) => outcome !== "not_covered")
  const isSilent = !isWhole && !own.every(isHeard)
  const reasons = new Set([
    ...said.flatMap((answer) => (answer.outcome === "unknown" ? [`${answer.id}: ${answer.reason}`] : [])),
    ...Array.from(
      unfounded,
      ([path, server]) => `${server}: what it said of ${show(path)} before the write is not known`
    ),
    ...(isSilent || (own.length === 0 && !isWhole) ? [`no answer in ${limit / 1000} s`] : []),
    ...(unasked > 0 && (isCovered || own.length === 0)
      ? [
          `${unasked} more file${unasked === 1 ? "" : "s"} that may depend on it ${unasked === 1 ? "was" : "were"} not asked about${isAskedLater ? " yet" : ""}`
        ]
      : []),
    ...(unread > 0 && (isCovered || own.length === 0)
      ? [
          `${unread} more file${unread === 1 ? " was" : "s were"} not looked into for what depends on it: the project has too many`
        ]
      : [])
  ])
  const outcome =
    introduced.length > 0
      ? "introduced"
      : reasons.size > 0
        ? "unknown"
        : isCovered || own.length === 0
          ? "nothing_new"
          : "not_covered"
  return {
    outcome,
    introduced,
    reasons: [...reasons],
    isDeferred: (!isWhole || isAskedLater) && outcome !== "not_covered"
  }
}
