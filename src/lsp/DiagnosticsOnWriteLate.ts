/** What is found after a call has ended, until an answer tells it, once (C78). */
import { Effect } from "effect"
import type * as DeferredFindings from "../DeferredFindings.ts"
import type { Contents, Written } from "./DiagnosticsOnWriteCourse.ts"
import type * as Rounds from "./DiagnosticsOnWriteRounds.ts"

/** Findings that wait for the next answer, with the hashes of the texts that they are about. */
export interface Late {
  readonly written: Written
  readonly own: ReadonlyArray<string>
  readonly hashes: ReadonlyMap<string, string | undefined>
  readonly introduced: ReadonlyArray<Rounds.Introduced>
}

export const make = (options: {
  readonly hashesOf: (paths: Iterable<string>) => Effect.Effect<ReadonlyMap<string, string | undefined>>
  readonly tell: (written: Written, introduced: ReadonlyArray<Rounds.Introduced>) => DeferredFindings.Deferred
}) => {
  const { hashesOf, tell } = options
  let late: Array<Late> = []
  /** Findings that nobody was told of when their file was written again: that write tells of those that are still there. */
  let owed: Array<Rounds.Introduced> = []
  /** The files of the writes that are under way, or are still asked about. */
  const busy = new Map<string, number>()

  const hold = (paths: Iterable<string>, by: number) => {
    for (const path of paths) {
      const count = (busy.get(path) ?? 0) + by
      if (count <= 0) busy.delete(path)
      else busy.set(path, count)
    }
  }

  /** What is late and still holds; what is about a file that somebody has changed since is dropped. */
  const deliver = Effect.gen(function* () {
    const told: Array<DeferredFindings.Deferred> = []
    const go = late.filter(({ own }) => !own.some((path) => busy.has(path)))
    late = late.filter((one) => !go.includes(one))
    for (const { hashes, introduced, own, written } of go) {
      const now = yield* hashesOf(hashes.keys())
      const holds = (path: string) => now.get(path) === hashes.get(path)
      const left = own.every(holds) ? introduced.filter(({ path }) => holds(path)) : []
      if (left.length > 0) told.push(tell(written, left))
    }
    return told
  })
  /** What is late of files that are written now is told by that write, unless somebody else has changed them before. */
  const takeOver = (names: ReadonlyMap<string, Rounds.Kind>, contents: Contents) => {
    late = late.flatMap((one) => {
      const again = new Set([...names.keys()].filter((path) => one.hashes.has(path)))
      const isSame = [...again].every((path) => one.hashes.get(path) === contents.get(path)?.hash)
      const isOwn = one.own.some((path) => again.has(path))
      const taken = one.introduced.filter(({ path }) => isOwn || again.has(path))
      if (isSame) owed.push(...taken)
      const left = one.introduced.filter((each) => !taken.includes(each))
      return left.length === 0 ? [] : [{ ...one, introduced: left }]
    })
  }

  return {
    /** Files are written, or are not any more. */
    hold,
    deliver,
    takeOver,
    isEmpty: () => late.length === 0,
    push: (one: Late) => {
      late.push(one)
    },
    /** What the write that is looked at now tells, if it is still there. */
    takeOwed: () => {
      const all = owed
      owed = []
      return all
    }
  }
}
export type Lates = ReturnType<typeof make>
