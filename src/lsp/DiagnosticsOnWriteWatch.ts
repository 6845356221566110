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

/** One call that writes. */
export interface Watch {
  /** Notes what servers say of files before they are written; may be called again for more of them. */
  readonly before: (paths: ReadonlyArray<string>) => Effect.Effect<void>
  readonly after: (written: Written) => Effect.Effect<Report>
  /** The call has ended without a write. */
  readonly release: Effect.Effect<void>
}

const nothing: Report = { outcome: "not_covered", introduced: [], reasons: [], isDeferred: false }

/** The texts of files, and their hashes. */
type Contents = ReadonlyMap<string, { readonly text: string; readonly hash: string } | undefined>

const textsOf = (contents: Contents): ReadonlyMap<string, string> =>
  new Map([...contents].flatMap(([path, source]) => (source === undefined ? [] : [[path, source.text]])))

/** What was written and is there; nothing where all is gone. */
const ownOf = (contents: Contents): ReadonlyArray<string> =>
  [...contents].flatMap(([path, source]) => (source === undefined ? [] : [path]))

/** What is known of the consequences of a write so far. */
interface Course {
  readonly introduced: Array<Rounds.Introduced>
  /** By path and server. */
  readonly answers: Map<string, Map<string, Rounds.Said>>
  /** Those of which what was there before is not known. */
  readonly unfounded: Map<string, string>
  /** Nothing more comes. */
  isWhole: boolean
  /** The call has ended. */
  isTold: boolean
}

interface Before {
  readonly _tag: "Before"
  readonly names: ReadonlyMap<string, Rounds.Kind>
  readonly contents: Contents
  readonly done: Deferred.Deferred<void>
}

interface After {
  readonly _tag: "After"
  readonly written: Written
  readonly contents: Contents
  readonly course: Course
  readonly done: Deferred.Deferred<void>
}

type Request = Before | After | { readonly _tag: "End" }

/** Findings that wait for the next answer, with the hashes of the texts that they are about. */
interface Late {
  readonly written: Written
  readonly own: ReadonlyArray<string>
  readonly hashes: ReadonlyMap<string, string | undefined>
  readonly introduced: ReadonlyArray<Rounds.Introduced>
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
  readonly tell: (written: Written, introduced: ReadonlyArray<Rounds.Introduced>) => DeferredFindings.Deferred
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
  /** Whose write the servers are asked about. */
  const turn = yield* Semaphore.make(1)
  const patience = Policy.millis(budgets.deferred)
  /** What was known before an edit, of the files that it might concern. */
  const befores = new Map<string, ReadonlyMap<string, Ledger.Counts>>()
  let late: Array<Late> = []
  /** Findings that nobody was told of when their file was written again: that write tells of those that are still there. */
  let owed: Array<Rounds.Introduced> = []
  /** The write whose consequences the servers are asked about. */
  let current: { readonly request: After; readonly abandoned: Deferred.Deferred<void> } | undefined
  /** What was known before a write that was abandoned: the one that took its place begins with that. */
  let inherited: ReadonlyMap<string, Ledger.Counts> | undefined
  /** How many writes wait for their turn. */
  let waiting = 0
  /** The files of the writes that are under way, or are still asked about. */
  const busy = new Map<string, number>()
  let sink: ((deferred: DeferredFindings.Deferred) => Effect.Effect<void>) | undefined

  const hold = (paths: Iterable<string>, by: number) => {
    for (const path of paths) {
      const count = (busy.get(path) ?? 0) + by
      if (count <= 0) busy.delete(path)
      else busy.set(path, count)
    }
  }

  const hashesOf = (paths: Iterable<string>) =>
    Effect.map(contentsOf(paths), (contents) => new Map(Array.from(contents, ([path, one]) => [path, one?.hash])))

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
  const flush = Effect.suspend(() =>
    sink === undefined ? Effect.void : Effect.flatMap(deliver, (all) => Effect.forEach(all, sink!, { discard: true }))
  )

  let isIndexed = false
  /** The first time it is waited for, later it goes on beside. */
  const refreshed = Effect.gen(function* () {
    const fiber = yield* Effect.forkIn(dependants.refresh, scope, { startImmediately: true })
    if (!isIndexed) yield* Effect.timeoutOption(Fiber.await(fiber), indexing)
    isIndexed = true
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

  const lookBefore = Effect.fnUntraced(function* ({ contents, names }: Before) {
    yield* refreshed
    const others = dependants.of([...names.keys()], budgets.others)
    const all = [...new Set([...names.keys(), ...others, ...ledger.files().slice(-budgets.others)])]
    for (const [path, kind] of names) if (kind === "missing") ledger.absent(path)
    if (inherited !== undefined) {
      const snapshot = inherited
      inherited = undefined
      return { snapshot, all }
    }
    const snapshot = yield* said
    const existing = all.filter((path) => names.get(path) !== "missing")
    const settling = rounds.settle(unknown)
    for (const { path, servers: answers } of yield* ask(existing, patience, textsOf(contents))) {
      // What others have caused is no write's.
      for (const answer of answers) settling.take(path, answer)
    }
    settling.end()
    takeOver(names, contents)
    rounds.forget(owed)
    owed = []
    return { snapshot, all }
  })

  const lookAfter = Effect.fnUntraced(function* (
    { contents, course, written }: After,
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
    const own = ownOf(contents)
    for (const path of contents.keys()) {
      if (own.includes(path)) continue
      ledger.drop(path)
      gone.add(path)
    }
    yield* dependants.look([...own, ...gone])
    const targets = [...new Set([...own, ...mine, ...dependants.of([...own, ...gone], budgets.others)])].filter(
      (path) => !gone.has(path)
    )
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
    const texts = textsOf(contents)
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
    for (const [key, counts] of yield* said) {
      const [id = "", root = "", path = ""] = key.split("\0")
      if (known.has(path) || gone.has(path) || !isServed(path)) continue
      const base = ledger.get(path, `${id}\0${root}`) ?? snapshot.get(key) ?? Ledger.none
      if (![...counts].some(([one, lines]) => lines.length > (base.get(one)?.length ?? 0))) continue
      elsewhere.add(path)
      if (!assumed.has(key)) assumed.set(key, Ledger.none)
    }
    yield* look([...elsewhere].slice(0, budgets.others))
    course.isWhole = true
    return [...targets, ...elsewhere]
  }, Effect.scoped)

  /**
   * A write of the same files takes the place of one whose consequences are still asked about, if nobody has changed them
   * between: it tells of both.
   */
  const takePlace = (contents: Contents) => {
    if (current === undefined || waiting > 0) return
    const { abandoned, request } = current
    const own = ownOf(request.contents)
    if (own.length === 0 || !own.every((path) => contents.get(path)?.hash === request.contents.get(path)?.hash)) return
    Deferred.doneUnsafe(abandoned, Effect.void)
  }

  /** What came of a write after its call had ended. */
  const keep = Effect.fnUntraced(function* ({ contents, course, written }: After, targets: ReadonlyArray<string>) {
    if (!course.isTold || course.introduced.length === 0) return
    const now = yield* hashesOf(targets)
    const hashes = new Map([...now, ...Array.from(contents, ([path, one]) => [path, one?.hash] as const)])
    late.push({ written, own: ownOf(contents), hashes, introduced: course.introduced.splice(0) })
  })

  const quietly = <A>(what: string, self: Effect.Effect<A>) =>
    Effect.catchCause(self, (cause) => Effect.as(Effect.logDebug(what, cause), undefined))

  /** One write, from what was there before it to all that it has caused. */
  const follow = (inbox: Queue.Queue<Request>, isOver: () => boolean) =>
    Effect.gen(function* () {
      const mine = new Set<string>()
      let snapshot: ReadonlyMap<string, Ledger.Counts> = new Map()
      while (true) {
        const request = yield* Queue.take(inbox)
        if (request._tag === "End" || isOver()) return
        if (request._tag === "Before") {
          const noted = yield* Effect.ensuring(
            quietly("What was there before a write", lookBefore(request)),
            Deferred.succeed(request.done, undefined)
          )
          for (const path of noted?.all ?? []) mine.add(path)
          snapshot = new Map([...(noted?.snapshot ?? []), ...snapshot])
        } else {
          const abandoned = yield* Deferred.make<void>()
          current = { request, abandoned }
          const looked = quietly("What a write has caused", lookAfter(request, mine, snapshot))
          const targets = yield* Effect.raceFirst(
            looked,
            Effect.as(Deferred.await(abandoned), "abandoned" as const)
          ).pipe(Effect.ensuring(Deferred.succeed(request.done, undefined)))
          current = undefined
          if (targets !== "abandoned") return yield* quietly("What is told later", keep(request, targets ?? []))
          rounds.forget(request.course.introduced.splice(0))
          inherited = snapshot
          return
        }
      }
    })

  const begin = Effect.gen(function* () {
    const inbox = yield* Queue.unbounded<Request>()
    const own = new Set<string>()
    let spent = 0
    let budget: number | undefined
    let isStarted = false
    let isOver = false
    let isWritten = false
    const send = (request: Request) =>
      Effect.gen(function* () {
        yield* Queue.offer(inbox, request)
        if (isStarted || request._tag === "End") return
        isStarted = true
        waiting++
        const started = Effect.suspend(() => {
          waiting--
          return follow(inbox, () => isOver)
        })
        yield* turn
          .withPermit(started)
          .pipe(
            Effect.ensuring(Effect.sync(() => hold(own, -1))),
            Effect.andThen(flush),
            Effect.forkIn(scope, { startImmediately: true })
          )
      })
    const take = (paths: Iterable<string>) => {
      const more = [...paths].filter((path) => !own.has(path))
      for (const path of more) own.add(path)
      hold(more, 1)
    }
    const release = Effect.suspend(() => {
      if (isWritten || isOver) return Effect.void
      isOver = true
      return send({ _tag: "End" })
    })
    const budgetFor = (paths: Iterable<string>): number =>
      Policy.millis([...paths].every(rounds.isWarm) ? budgets.warm : budgets.cold)

    const before = Effect.fnUntraced(function* (paths: ReadonlyArray<string>) {
      const names = yield* resolved(paths)
      if (names.size === 0) return
      const startedAt = yield* Clock.currentTimeMillis
      take(names.keys())
      const contents = yield* contentsOf([...names].flatMap(([path, kind]) => (kind === "file" ? [path] : [])))
      budget = Math.max(budget ?? 0, budgetFor(names.keys()))
      // A part is left for what comes after; the first of its kind mostly waits for the server to start.
      const isWarm = budget <= Policy.millis(budgets.warm)
      const limit = isWarm ? budget / 2 : Math.max(budget - Policy.millis(budgets.warm), budget / 2)
      takePlace(contents)
      const done = yield* Deferred.make<void>()
      yield* send({ _tag: "Before", names, contents, done })
      yield* Effect.timeoutOption(Deferred.await(done), limit)
      spent += (yield* Clock.currentTimeMillis) - startedAt
    })

    const after = Effect.fnUntraced(function* (written: Written): Effect.fn.Return<Report> {
      const names = yield* resolved(
        written.files.flatMap(({ from, path }) => (from === undefined ? [path] : [from, path]))
      )
      if (names.size === 0) return yield* Effect.as(release, nothing)
      take(names.keys())
      isWritten = true
      const contents = yield* contentsOf(names.keys())
      const course: Course = {
        introduced: [],
        answers: new Map(),
        unfounded: new Map(),
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
      return reportOf(course, contents, limit)
    })

    return {
      release,
      before: (paths) => Effect.asVoid(quietly("What was there before a write", before(paths))),
      after: (written) =>
        Effect.map(
          quietly("What a write has caused", after(written)),
          (report) => report ?? { ...nothing, outcome: "unknown", reasons: ["the look-up failed"] }
        )
    } satisfies Watch
  })

  const reportOf = (course: Course, contents: Contents, limit: number): Report => {
    const { answers, isWhole, unfounded } = course
    const introduced = course.introduced.splice(0)
    const files = ownOf(contents)
    // What is deleted is only felt elsewhere.
    const own = files.length > 0 ? files : [...answers.keys()]
    const said = own.flatMap((path) => [...(answers.get(path)?.values() ?? [])])
    const isSilent = !isWhole && own.some((path) => !answers.has(path))
    const reasons = new Set([
      ...said.flatMap((answer) => (answer.outcome === "unknown" ? [`${answer.id}: ${answer.reason}`] : [])),
      ...own.flatMap((path) => {
        const server = unfounded.get(path)
        if (server === undefined) return []
        return [`${server}: what it said of ${workspace.show(path)} before the write is not known`]
      }),
      ...(isSilent || (own.length === 0 && !isWhole) ? [`no answer in ${limit / 1000} s`] : [])
    ])
    const isCovered = said.some(({ outcome }) => outcome !== "not_covered")
    const outcome =
      introduced.length > 0
        ? "introduced"
        : reasons.size > 0
          ? "unknown"
          : isCovered || own.length === 0
            ? "nothing_new"
            : "not_covered"
    return { outcome, introduced, reasons: [...reasons], isDeferred: !isWhole && outcome !== "not_covered" }
  }

  return {
    begin,
    take: Effect.suspend(() => (sink === undefined && late.length > 0 ? deliver : Effect.succeed([]))),
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
