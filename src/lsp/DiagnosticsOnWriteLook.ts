/** What servers say of files before one write and after it: the look-ups, each for one write at a time (SPEC §3a). */
import { Clock, Effect, Fiber, type Scope } from "effect"
import type { Dependants } from "./Dependants.ts"
import * as Course from "./DiagnosticsOnWriteCourse.ts"
import type * as Late from "./DiagnosticsOnWriteLate.ts"
import * as Rounds from "./DiagnosticsOnWriteRounds.ts"
import * as Ledger from "./Ledger.ts"

/** The texts of the files of a write before it; of those that were not there, none. */
export type Was = ReadonlyMap<string, string>

export interface Looked {
  /** All that was asked about. */
  readonly targets: ReadonlyArray<string>
  /** What may depend on what was written, and was not asked about. */
  readonly rest: ReadonlyArray<string>
}

const unknown: Rounds.Before = { snapshot: new Map(), extra: new Map() }

const mostSnapshots = 200
/** How long the first look at the project is waited for. */
const indexing = "2 seconds"
/** A server that has ended is asked once more, if that was soon, in milliseconds. */
const soon = 2000

export const make = (options: {
  readonly rounds: Rounds.Rounds
  readonly dependants: Dependants
  readonly lates: Late.Lates
  /** How many files are looked at beside those that are written. */
  readonly others: number
  /** How long an answer is waited for, in milliseconds. */
  readonly patience: number
  readonly scope: Scope.Scope
}) => {
  const { dependants, lates, others: most, patience, rounds, scope } = options
  const { ask, isServed, ledger, said } = rounds
  /** What was known before an edit, of the files that it might concern. */
  const befores = new Map<string, ReadonlyMap<string, Ledger.Counts>>()
  /** How often each path was written. */
  const writes = new Map<string, number>()
  /** The servers, with their roots, of which it is known what they say of files that nobody asks about. */
  const loaded = new Set<string>()

  /** Findings of files that the ledger does not have, which nobody was told of: whoever asks about them next tells. */
  const untold = new Map<string, ReadonlyArray<Rounds.Introduced>>()
  const forget = (findings: ReadonlyArray<Rounds.Introduced>) => {
    rounds.forget(findings)
    for (const one of findings) {
      const key = Rounds.keyOf(one.path, one.by)
      if (ledger.get(one.path, one.by) === undefined) untold.set(key, [...(untold.get(key) ?? []), one])
    }
  }

  let isIndexed = false
  /** The first time it is waited for, later it goes on beside. */
  const refreshed = Effect.gen(function* () {
    const fiber = yield* Effect.forkIn(dependants.refresh, scope, { startImmediately: true })
    if (!isIndexed) yield* Effect.timeoutOption(Fiber.await(fiber), indexing)
    isIndexed = true
  })

  const before = Effect.fnUntraced(function* (
    { contents, names, writes: noted }: Course.Before,
    group: Course.Group,
    isTooLate: () => boolean
  ) {
    yield* refreshed
    const others = dependants.of([...names.keys()], most)
    const seen = ledger.files().filter((path) => rounds.groupOf(path) === group.key)
    const all = [...new Set([...names.keys(), ...others, ...seen.slice(-most)])]
    for (const [path, kind] of names) {
      // What another write has made meanwhile, that one has told of.
      if (kind === "missing" && writes.get(path) === noted.get(path)) ledger.absent(path)
    }
    const { inherited } = group
    group.inherited = undefined
    const snapshot = new Map(inherited ?? (yield* said).counts)
    if (inherited !== undefined || isTooLate()) return { snapshot, all }
    const existing = all.filter((path) => names.get(path) !== "missing")
    const settling = rounds.settle(unknown)
    const inTime = new Set<string>()
    const answered = yield* ask(existing, patience, Course.textsOf(contents), (path, { id }) => {
      if (!isTooLate()) inTime.add(`${id}\0${path}`)
    })
    for (const { path, servers: answers } of answered) {
      // What others have caused is no write's.
      for (const answer of answers) if (inTime.has(`${answer.id}\0${path}`)) settling.take(path, answer)
    }
    settling.end()
    if (!isTooLate()) {
      // One that has loaded meanwhile tells now what is wrong in the project, which is no write's.
      for (const [key, counts] of (yield* said).counts) {
        if (!snapshot.has(key) && !loaded.has(Rounds.byOf(key))) snapshot.set(key, counts)
      }
      for (const by of Rounds.confirmedBy(answered.flatMap(({ servers }) => servers))) loaded.add(by)
    }
    return { snapshot, all }
  })

  /** What is late of files that are written now, or were told of nobody, is told by that write. */
  const takeOver = ({ contents, names }: Course.Before) => {
    lates.takeOver(names, contents)
    // Some of these may be in the ledger by now.
    const before = [...untold.values()].flat()
    untold.clear()
    forget([...before, ...lates.takeOwed()])
  }

  /** What servers say of files when they are shown what was there before a write, by path and server. */
  const countsBefore = (paths: ReadonlyArray<string>, was: Was) =>
    Effect.map(ask([...new Set([...was.keys(), ...paths])], patience, was), (answered) => {
      const counts = new Map<string, Ledger.Counts>()
      for (const { path, servers } of answered) for (const one of servers) Rounds.put(counts, path, one)
      return counts
    })

  /** Whether it can be shown what was there before: files that moved cannot be put back. */
  const isShowable = ({ contents, written }: Course.After, was: Was): boolean =>
    written.files.every(({ from, path }) => from === undefined || from === path) &&
    [...contents.keys()].every((path) => was.has(path))

  const after = Effect.fnUntraced(function* (
    request: Course.After,
    mine: Iterable<string>,
    snapshot: ReadonlyMap<string, Ledger.Counts>,
    was: Was
  ): Effect.fn.Return<Looked, never, Scope.Scope> {
    const { contents, course, written } = request
    const startedAt = yield* Clock.currentTimeMillis
    const gone = new Set<string>()
    for (const { from, path } of written.files) {
      if (from === undefined || from === path) continue
      ledger.move(from, path)
      gone.add(from)
    }
    const own = Course.ownOf(contents)
    for (const path of own) writes.set(path, (writes.get(path) ?? 0) + 1)
    for (const path of contents.keys()) {
      if (own.includes(path)) continue
      ledger.drop(path)
      gone.add(path)
    }
    yield* dependants.look([...own, ...gone])
    const targets = [...new Set([...own, ...mine, ...dependants.of([...own, ...gone], most)])].filter(
      (path) => !gone.has(path)
    )
    const looked = new Set([...targets, ...gone])
    const rest = dependants.direct([...own, ...gone]).filter((path) => !looked.has(path))
    course.unasked = rest.length
    course.unread = dependants.unread([...own, ...gone])
    course.isAskedLater = rest.length > 0 && isShowable(request, was)
    const before = new Map<string, Ledger.Counts>()
    for (const path of targets) {
      for (const [server, counts] of ledger.of(path)) before.set(Rounds.keyOf(path, server), counts)
    }
    const extra = (written.isUndo && written.edit_id !== undefined && befores.get(written.edit_id)) || new Map()
    if (written.edit_id !== undefined && !written.isUndo) {
      befores.set(written.edit_id, before)
      for (const oldest of befores.keys()) {
        if (befores.size <= mostSnapshots) break
        befores.delete(oldest)
      }
    }
    // Of a server that ran before the write and had said nothing of a file, that was all.
    const assumed = new Map(snapshot)
    const settling = rounds.settle({ snapshot: assumed, extra })
    const texts = Course.textsOf(contents)
    const isUnknown = new Set<string>()
    /** Of which nothing was known before, with what is said now. */
    const unfounded = new Map<string, readonly [path: string, answer: Rounds.Said]>()
    const look = (paths: ReadonlyArray<string>) =>
      ask(paths, patience, texts, (path, answer) => {
        if (answer.outcome === "unknown") isUnknown.add(path)
        course.answers.set(path, new Map([...(course.answers.get(path) ?? []), [answer.id, answer]]))
        const introduced = settling.take(path, answer)
        if (introduced === undefined) {
          course.unfounded.set(path, answer.id)
          unfounded.set(Rounds.keyOf(path, Rounds.serverOf(answer)), [path, answer])
        } else course.introduced.push(...introduced)
      })
    yield* Effect.addFinalizer(() => Effect.sync(settling.end))
    yield* look(targets)
    const isSoon = (yield* Clock.currentTimeMillis) - startedAt < soon
    if (isUnknown.size > 0 && isSoon) yield* look([...isUnknown])
    // Errors that a server tells of in files that nobody asked about (C61).
    const known = new Set(targets)
    const elsewhere = new Set<string>()
    const { asked, counts: all } = yield* said
    for (const [key, counts] of all) {
      const path = key.split("\0").at(-1) ?? ""
      const by = Rounds.byOf(key)
      if (known.has(path) || gone.has(path) || !isServed(path)) continue
      // Of a file that somebody has asked about since, it had said nothing because nobody had.
      const base = ledger.get(path, by) ?? snapshot.get(key)
      if (base === undefined && asked.has(key)) continue
      if (![...counts].some(([one, lines]) => lines.length > (base?.get(one)?.length ?? 0))) continue
      elsewhere.add(path)
      // One that has loaded since has said nothing before, whatever there was.
      if (loaded.has(by) && !assumed.has(key)) assumed.set(key, Ledger.none)
    }
    for (const answers of course.answers.values()) {
      for (const by of Rounds.confirmedBy([...answers.values()])) loaded.add(by)
    }
    yield* look([...elsewhere].slice(0, most))
    if (unfounded.size > 0 && isShowable(request, was)) {
      const paths = [...new Set([...unfounded.values()].map(([path]) => path))]
      const counts = yield* countsBefore(paths, was)
      for (const [key, [path, answer]] of unfounded) {
        const before = counts.get(key)
        if (before === undefined) continue
        course.unfounded.delete(path)
        course.introduced.push(...rounds.beyond(answer, before))
      }
    }
    course.isWhole = true
    return { targets: [...targets, ...elsewhere], rest }
  })

  /**
   * What a write has caused in files that nothing is known of: the difference between what is said with what was there before
   * it, and with what is there since. The ledger has none of it.
   */
  const part = Effect.fnUntraced(function* (
    { contents }: Course.After,
    { paths, was }: { readonly paths: ReadonlyArray<string>; readonly was: Was }
  ) {
    const answered = yield* ask([...Course.ownOf(contents), ...paths], patience, Course.textsOf(contents))
    const now = answered.flatMap(({ path, servers }) =>
      paths.includes(path) ? servers.map((answer) => ({ path, answer })) : []
    )
    const doubtful = now.filter(({ answer }) => Ledger.count(Rounds.valueOf(answer)).size > 0)
    const before =
      doubtful.length === 0 ? undefined : yield* countsBefore([...new Set(doubtful.map(({ path }) => path))], was)
    /** What is told of it. */
    return (): ReadonlyArray<Rounds.Introduced> =>
      now.flatMap(({ answer, path }) => {
        const key = Rounds.keyOf(path, Rounds.serverOf(answer))
        const base = before?.get(key)
        const more = untold.get(key) ?? []
        if (Rounds.isConfirmed(answer)) untold.delete(key)
        return base === undefined ? [] : rounds.beyond(answer, more.reduce(Ledger.without, base))
      })
  })

  return { before, takeOver, after, part, writes: (): ReadonlyMap<string, number> => new Map(writes) }
}
export type Look = ReturnType<typeof make>
