/**
 * What a write has caused in files that are too many to be asked about while its call waits (SPEC §3a): they are asked about
 * afterwards, part by part, so that other writes have their turn between. Each finding is told once: what is not asked about
 * when the file is written again, that write asks about.
 */
import { Effect } from "effect"
import type { Contents } from "./DiagnosticsOnWriteCourse.ts"
import type * as Course from "./DiagnosticsOnWriteCourse.ts"
import type * as Late from "./DiagnosticsOnWriteLate.ts"
import type * as Look from "./DiagnosticsOnWriteLook.ts"

/** Files, and the texts before what they are asked about. */
interface Job {
  readonly paths: ReadonlyArray<string>
  readonly was: Look.Was
}

/** What is still to be told of a write; a later one of its files tells it, if nobody else has changed them. */
interface Owed {
  /** Their hashes. */
  readonly own: ReadonlyMap<string, string | undefined>
  /** What is left of it. */
  readonly jobs: Array<Job>
  /** The texts before it, where it has not been looked at at all. */
  readonly was: Look.Was
}

/** What a write begins with. */
export interface Beginning {
  readonly was: Map<string, string>
  readonly earlier: Array<Owed>
}

export const begin = (): Beginning => ({ was: new Map(), earlier: [] })

/** How many files are asked about at once. */
const mostInPart = 20
/** How many writes are remembered of which something is not told. */
const mostOwed = 100

const hashes = (contents: Contents): ReadonlyMap<string, string | undefined> =>
  new Map(Array.from(contents, ([path, one]) => [path, one?.hash]))

export const make = (options: {
  readonly look: Look.Look
  readonly lates: Late.Lates
  readonly hashesOf: (paths: Iterable<string>) => Effect.Effect<ReadonlyMap<string, string | undefined>>
  /** How long all parts of a write may take, in milliseconds. */
  readonly patience: number
  readonly flush: Effect.Effect<void>
}) => {
  const { flush, hashesOf, lates, look, patience } = options
  const owed = new Set<Owed>()
  const owe = (one: Owed): Owed => {
    owed.add(one)
    for (const oldest of owed) {
      if (owed.size <= mostOwed) break
      owed.delete(oldest)
    }
    return one
  }

  /** Notes what was in files before a write, or before those that it has to tell of. */
  const note = Effect.fnUntraced(function* ({ contents, names }: Course.Before, { earlier, was }: Beginning) {
    for (const one of owed) {
      const paths = [...one.own.keys()]
      if (earlier.includes(one) || !paths.some((path) => names.has(path))) continue
      const others = yield* hashesOf(paths.filter((path) => !names.has(path)))
      const now = new Map([...others, ...hashes(contents)])
      if (paths.every((path) => now.get(path) === one.own.get(path))) earlier.push(one)
    }
    for (const path of names.keys()) {
      const before = earlier.find((one) => one.was.has(path))?.was.get(path)
      if (!was.has(path)) was.set(path, before ?? contents.get(path)?.text ?? "")
    }
  })

  /** Those that are still owed are this write's. */
  const take = ({ earlier }: Beginning): Array<Job> => earlier.flatMap((one) => (owed.delete(one) ? one.jobs : []))

  /** Another write of the same files takes its place before it is known what it has caused; gives what takes that back. */
  const replaced = ({ contents }: Course.After, beginning: Beginning) => {
    const one = owe({ own: hashes(contents), jobs: take(beginning), was: beginning.was })
    return () => {
      if (owed.delete(one)) beginning.earlier.push(owe({ ...one, was: new Map() }))
    }
  }

  /** Asks, for as long as its files are not written again. */
  const ask = Effect.fnUntraced(function* (
    request: Course.After,
    group: Course.Group,
    rest: ReadonlyArray<string>,
    beginning: Beginning
  ) {
    const { was } = beginning
    const own = hashes(request.contents)
    const isSame = Effect.map(hashesOf(own.keys()), (now) => [...own].every(([path, hash]) => now.get(path) === hash))
    const jobs = take(beginning)
    const adopted = new Set(jobs.flatMap(({ paths }) => paths))
    const queue: Array<Job> = [
      // Texts before the earlier one count.
      ...jobs.map((job) => ({ paths: job.paths, was: new Map([...was, ...job.was]) })),
      { paths: rest.filter((path) => !adopted.has(path)), was }
    ].flatMap(({ paths, was }) =>
      Array.from({ length: Math.ceil(paths.length / mostInPart) }, (_, i) => ({
        paths: paths.slice(i * mostInPart, (i + 1) * mostInPart),
        was
      }))
    )
    const mine = owe({ own, jobs: queue, was: new Map() })
    const one = Effect.fnUntraced(function* (job: Job) {
      if (!owed.has(mine) || !(yield* isSame)) return "over"
      const { written: before } = group
      const tell = yield* look.part(request, job)
      // What somebody writes meanwhile may be the difference.
      if (group.writing > 0 || group.written !== before) return "again"
      const introduced = tell()
      const { written } = request
      if (introduced.length > 0) {
        const now = yield* hashesOf(introduced.map(({ path }) => path))
        lates.push({ written, own: [...own.keys()], hashes: new Map([...now, ...own]), introduced })
      }
      return "done"
    })
    const all = Effect.gen(function* () {
      for (let job = queue[0]; job !== undefined; job = queue[0]) {
        const end = yield* group.turn.withPermit(one(job))
        if (end === "over") return
        if (end === "done") queue.shift()
        yield* flush
      }
    })
    yield* Effect.timeoutOption(all, patience)
    if (queue.length === 0) owed.delete(mine)
  })

  return { note, replaced, ask }
}
