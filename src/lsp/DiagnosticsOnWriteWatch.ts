/**
 * What writes cause, for one run (SPEC §3a): what servers say of files before a write and after it, compared by the ledger.
 *
 * The servers are asked about one write after the other, before and after it, each time with the texts that there were then; so
 * what one write causes is never taken for the state before the next, however slow they are. A call waits for its own write no
 * longer than the budgets; the rest is told with a later answer. Nothing here fails.
 */
import { Clock, Deferred, type Duration, Effect, Fiber, Queue, type Scope, Semaphore } from "effect"
import type * as DeferredFindings from "../DeferredFindings.ts"
import type { Edits } from "../Edits.ts"
import type { Workspace } from "../Workspace.ts"
import * as Dependants from "./Dependants.ts"
import * as Course from "./DiagnosticsOnWriteCourse.ts"
import * as Late from "./DiagnosticsOnWriteLate.ts"
import * as Rounds from "./DiagnosticsOnWriteRounds.ts"
import type { LanguageServers } from "./LanguageServers.ts"
import * as Ledger from "./Ledger.ts"
import * as Policy from "./Policy.ts"

/** How long a call is held (SPEC §13). */
export interface Budgets {
  /** For a file of a kind that a server has answered for. Default 500 ms. */
  readonly warm: Duration.Input
  /** For the first of its kind. Default 5 s. */
  readonly cold: Duration.Input
  /** How long an answer is waited for after the call has ended. Default 60 s. */
  readonly deferred: Duration.Input
  /** How many files are looked at beside those that are written. Default 40. */
  readonly others: number
}

export const defaults: Budgets = { warm: "500 millis", cold: "5 seconds", deferred: "60 seconds", others: 40 }

/** One call that writes. */
export interface Watch {
  /** Notes what servers say of files before they are written; may be called again for more of them. */
  readonly before: (paths: ReadonlyArray<string>) => Effect.Effect<void>
  readonly after: (written: Course.Written) => Effect.Effect<Course.Report>
  /** The call has ended without a write. */
  readonly release: Effect.Effect<void>
}

const unknown: Rounds.Before = { snapshot: new Map(), extra: new Map() }

const mostSnapshots = 200
/** How long the first look at the project is waited for. */
const indexing = "2 seconds"
/** A server that has ended is asked once more, if that was soon, in milliseconds. */
const soon = 2000

export const make = Effect.fnUntraced(function* (options: {
  readonly servers: LanguageServers["Service"]
  readonly edits: Edits["Service"]
  readonly workspace: Workspace["Service"]
  readonly budgets: Budgets
  readonly tell: (written: Course.Written, introduced: ReadonlyArray<Rounds.Introduced>) => DeferredFindings.Deferred
}): Effect.fn.Return<
  {
    readonly begin: Effect.Effect<Watch>
    readonly take: Effect.Effect<ReadonlyArray<DeferredFindings.Deferred>>
    readonly divert: (
      sink: (deferred: DeferredFindings.Deferred) => Effect.Effect<void>
    ) => Effect.Effect<void, never, Scope.Scope>
  },
  never,
  Scope.Scope
> {
  const { budgets, edits, servers, tell, workspace } = options
  const scope = yield* Effect.scope
  const rounds = Rounds.make({ servers, edits, workspace })
  const { ask, contentsOf, isServed, ledger, resolved, said } = rounds
  const dependants = Dependants.make({ edits, workspace, rows: servers.rows })
  const patience = Policy.millis(budgets.deferred)
  /** What was known before an edit, of the files that it might concern. */
  const befores = new Map<string, ReadonlyMap<string, Ledger.Counts>>()
  const groups = new Map<string, Course.Group>()
  /** How often each path was written. */
  const writes = new Map<string, number>()
  /** The servers, with their roots, of which it is known what they say of files that nobody asks about. */
  const loaded = new Set<string>()
  let sink: ((deferred: DeferredFindings.Deferred) => Effect.Effect<void>) | undefined

  const hashesOf = (paths: Iterable<string>) =>
    Effect.map(contentsOf(paths), (contents) => new Map(Array.from(contents, ([path, one]) => [path, one?.hash])))

  const lates = Late.make({ hashesOf, tell })
  const flush = Effect.suspend(() =>
    sink === undefined
      ? Effect.void
      : Effect.flatMap(lates.deliver, (all) => Effect.forEach(all, sink!, { discard: true }))
  )

  /** That of the first of the files. */
  const groupOf = (paths: Iterable<string>): Course.Group => {
    const [first = ""] = paths
    const key = rounds.groupOf(first)
    const group = groups.get(key) ?? {
      key,
      turn: Semaphore.makeUnsafe(1),
      current: undefined,
      inherited: undefined,
      waiting: 0
    }
    groups.set(key, group)
    return group
  }

  let isIndexed = false
  /** The first time it is waited for, later it goes on beside. */
  const refreshed = Effect.gen(function* () {
    const fiber = yield* Effect.forkIn(dependants.refresh, scope, { startImmediately: true })
    if (!isIndexed) yield* Effect.timeoutOption(Fiber.await(fiber), indexing)
    isIndexed = true
  })

  const lookBefore = Effect.fnUntraced(function* (
    { contents, names, writes: noted }: Course.Before,
    group: Course.Group,
    isTooLate: () => boolean
  ) {
    yield* refreshed
    const others = dependants.of([...names.keys()], budgets.others)
    const seen = ledger.files().filter((path) => rounds.groupOf(path) === group.key)
    const all = [...new Set([...names.keys(), ...others, ...seen.slice(-budgets.others)])]
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
    lates.takeOver(names, contents)
    rounds.forget(lates.takeOwed())
    return { snapshot, all }
  })

  const lookAfter = Effect.fnUntraced(function* (
    { contents, course, written }: Course.After,
    mine: Iterable<string>,
    snapshot: ReadonlyMap<string, Ledger.Counts>
  ) {
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
    const targets = [...new Set([...own, ...mine, ...dependants.of([...own, ...gone], budgets.others)])].filter(
      (path) => !gone.has(path)
    )
    const looked = new Set([...targets, ...gone])
    course.unasked = dependants.direct([...own, ...gone]).filter((path) => !looked.has(path)).length
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
    const look = (paths: ReadonlyArray<string>) =>
      ask(paths, patience, texts, (path, answer) => {
        if (answer.outcome === "unknown") isUnknown.add(path)
        course.answers.set(path, new Map([...(course.answers.get(path) ?? []), [answer.id, answer]]))
        const introduced = settling.take(path, answer)
        if (introduced === undefined) course.unfounded.set(path, answer.id)
        else course.introduced.push(...introduced)
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
      if (base === undefined && !loaded.has(by)) {
        ledger.set(path, by, counts)
        continue
      }
      if (![...counts].some(([one, lines]) => lines.length > (base?.get(one)?.length ?? 0))) continue
      elsewhere.add(path)
      if (!assumed.has(key)) assumed.set(key, Ledger.none)
    }
    for (const answers of course.answers.values()) {
      for (const by of Rounds.confirmedBy([...answers.values()])) loaded.add(by)
    }
    yield* look([...elsewhere].slice(0, budgets.others))
    course.isWhole = true
    return [...targets, ...elsewhere]
  }, Effect.scoped)

  /**
   * A write of the same files takes the place of one whose consequences are still asked about, if nobody has changed them
   * between: it tells of both.
   */
  const takePlace = ({ current, waiting }: Course.Group, contents: Course.Contents) => {
    if (current === undefined || waiting > 0) return
    const { over, request } = current
    const own = Course.ownOf(request.contents)
    if (own.length === 0 || !own.every((path) => contents.get(path)?.hash === request.contents.get(path)?.hash)) return
    Deferred.doneUnsafe(over, Effect.succeed("replaced"))
  }

  /**
   * Files that come and go are seen by every server at once, whatever texts it is shown: what it says from now on may not be of
   * the write that it is asked about. What that one has caused and is not known yet, the new one tells.
   */
  const cut = ({ current }: Course.Group) => {
    if (current !== undefined) Deferred.doneUnsafe(current.over, Effect.succeed("cut"))
  }

  /** What came of a write after its call had ended. */
  const keep = Effect.fnUntraced(function* ({ contents, course, written }: Course.After, targets: Iterable<string>) {
    if (!course.isTold || course.introduced.length === 0) return
    const now = yield* hashesOf(targets)
    const hashes = new Map([...now, ...Array.from(contents, ([path, one]) => [path, one?.hash] as const)])
    lates.push({ written, own: Course.ownOf(contents), hashes, introduced: course.introduced.splice(0) })
  })

  const quietly = <A>(what: string, self: Effect.Effect<A>) =>
    Effect.catchCause(self, (cause) => Effect.as(Effect.logDebug(what, cause), undefined))

  /** One write, from what was there before it to all that it has caused. */
  const follow = (
    inbox: Queue.Queue<Course.Request>,
    group: Course.Group,
    isOver: () => boolean,
    isTooLate: () => boolean
  ) =>
    Effect.gen(function* () {
      const mine = new Set<string>()
      let snapshot: ReadonlyMap<string, Ledger.Counts> = new Map()
      while (true) {
        const request = yield* Queue.take(inbox)
        if (request._tag === "End" || isOver()) return
        if (request._tag === "Before") {
          const noted = yield* Effect.ensuring(
            quietly("What was there before a write", lookBefore(request, group, isTooLate)),
            Deferred.succeed(request.done, undefined)
          )
          for (const path of noted?.all ?? []) mine.add(path)
          snapshot = new Map([...(noted?.snapshot ?? []), ...snapshot])
        } else {
          const over = yield* Deferred.make<"replaced" | "cut">()
          group.current = { request, over }
          const looked = quietly("What a write has caused", lookAfter(request, mine, snapshot))
          const targets = yield* Effect.raceFirst(looked, Deferred.await(over)).pipe(
            Effect.ensuring(Deferred.succeed(request.done, undefined))
          )
          group.current = undefined
          if (targets !== "replaced") {
            const looked = typeof targets === "object" ? targets : request.course.answers.keys()
            return yield* quietly("What is told later", keep(request, looked))
          }
          rounds.forget(request.course.introduced.splice(0))
          group.inherited = snapshot
          return
        }
      }
    })

  const begin = Effect.gen(function* () {
    const inbox = yield* Queue.unbounded<Course.Request>()
    const own = new Set<string>()
    let spent = 0
    let budget: number | undefined
    let isStarted = false
    let isOver = false
    let isWritten = false
    /** Files come or go: once that is done, what is found is not what was there before. */
    let isStructural = false
    const send = (request: Course.Request) =>
      Effect.gen(function* () {
        yield* Queue.offer(inbox, request)
        if (isStarted || request._tag === "End") return
        isStarted = true
        const group = groupOf(own)
        group.waiting++
        const started = Effect.suspend(() => {
          group.waiting--
          return follow(
            inbox,
            group,
            () => isOver,
            () => isWritten && isStructural
          )
        })
        yield* group.turn
          .withPermit(started)
          .pipe(
            Effect.ensuring(Effect.sync(() => lates.hold(own, -1))),
            Effect.andThen(flush),
            Effect.forkIn(scope, { startImmediately: true })
          )
      })
    const take = (paths: Iterable<string>) => {
      const more = [...paths].filter((path) => !own.has(path))
      for (const path of more) own.add(path)
      lates.hold(more, 1)
    }
    const release = Effect.suspend(() => {
      if (isWritten || isOver) return Effect.void
      isOver = true
      return send({ _tag: "End" })
    })
    const budgetFor = (paths: Iterable<string>): number =>
      Policy.millis([...paths].every(rounds.isWarm) ? budgets.warm : budgets.cold)

    const before = Effect.fnUntraced(function* (paths: ReadonlyArray<string>) {
      const noted = new Map(writes)
      const names = yield* resolved(paths)
      if (names.size === 0) return
      const startedAt = yield* Clock.currentTimeMillis
      take(names.keys())
      const contents = yield* contentsOf([...names].flatMap(([path, kind]) => (kind === "file" ? [path] : [])))
      budget = Math.max(budget ?? 0, budgetFor(names.keys()))
      // A part is left for what comes after; the first of its kind mostly waits for the server to start.
      const isWarm = budget <= Policy.millis(budgets.warm)
      const limit = isWarm ? budget / 2 : Math.max(budget - Policy.millis(budgets.warm), budget / 2)
      isStructural ||= [...names.values()].includes("missing")
      takePlace(groupOf(own), contents)
      const done = yield* Deferred.make<void>()
      yield* send({ _tag: "Before", names, contents, writes: noted, done })
      yield* Effect.timeoutOption(Deferred.await(done), limit)
      spent += (yield* Clock.currentTimeMillis) - startedAt
    })

    const after = Effect.fnUntraced(function* (written: Course.Written): Effect.fn.Return<Course.Report> {
      const names = yield* resolved(
        written.files.flatMap(({ from, path }) => (from === undefined ? [path] : [from, path]))
      )
      if (names.size === 0) return yield* Effect.as(release, Course.nothing)
      take(names.keys())
      isWritten = true
      const contents = yield* contentsOf(names.keys())
      isStructural ||= [...contents.values()].includes(undefined)
      if (isStructural) cut(groupOf(own))
      const course: Course.Course = {
        introduced: [],
        answers: new Map(),
        unfounded: new Map(),
        unasked: 0,
        isWhole: false,
        isTold: false
      }
      const done = yield* Deferred.make<void>()
      yield* send({ _tag: "After", written, contents, course, done })
      const limit = Math.max((budget ?? budgetFor(names.keys())) - spent, Policy.millis(budgets.warm) / 2)
      yield* Effect.timeoutOption(Deferred.await(done), limit).pipe(
        Effect.ensuring(
          Effect.sync(() => {
            course.isTold = true
          })
        )
      )
      return Course.reportOf(course, contents, limit, workspace.show)
    })

    return {
      release,
      before: (paths) => Effect.asVoid(quietly("What was there before a write", before(paths))),
      after: (written) =>
        Effect.map(
          quietly("What a write has caused", after(written)),
          (report) => report ?? { ...Course.nothing, outcome: "unknown", reasons: ["the look-up failed"] }
        )
    } satisfies Watch
  })

  return {
    begin,
    take: Effect.suspend(() => (sink === undefined && !lates.isEmpty() ? lates.deliver : Effect.succeed([]))),
    divert: (to) =>
      Effect.acquireRelease(
        Effect.suspend(() => {
          sink = to
          return flush
        }),
        () =>
          Effect.sync(() => {
            sink = undefined
          })
      )
  }
})
