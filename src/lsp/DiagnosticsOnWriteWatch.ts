/**
 * What writes cause, for one run (SPEC §3a): what servers say of files before a write and after it, compared by the ledger.
 *
 * The servers are asked about one write after the other, before and after it, each time with the texts that there were then; so
 * what one write causes is never taken for the state before the next, however slow they are. A call waits for its own write no
 * longer than the budgets; the rest is told with a later answer. Nothing here fails.
 */
import { Clock, Deferred, type Duration, Effect, Option, Queue, type Scope, Semaphore } from "effect"
import type * as DeferredFindings from "../DeferredFindings.ts"
import type { Edits } from "../Edits.ts"
import type { Workspace } from "../Workspace.ts"
import * as Dependants from "./Dependants.ts"
import * as Course from "./DiagnosticsOnWriteCourse.ts"
import * as Late from "./DiagnosticsOnWriteLate.ts"
import * as Look from "./DiagnosticsOnWriteLook.ts"
import * as Rest from "./DiagnosticsOnWriteRest.ts"
import * as Rounds from "./DiagnosticsOnWriteRounds.ts"
import type { LanguageServers } from "./LanguageServers.ts"
import * as Ledger from "./Ledger.ts"
import * as Policy from "./Policy.ts"

/** How long a call is held (SPEC §13). */
export interface Budgets {
  /** For a file whose servers, with their roots, have answered before. Default 500 ms. */
  readonly warm: Duration.Input
  /** For the first that they are asked about. Default 5 s. */
  readonly cold: Duration.Input
  /** How long an answer is waited for after the call has ended. Default 60 s. */
  readonly deferred: Duration.Input
  /** How many files are looked at beside those that are written, before the answer is given. Default 40. */
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

/** What is known of a write before it. */
interface Noted {
  readonly beginning: Rest.Beginning
  readonly mine: Set<string>
  readonly snapshot: Map<string, Ledger.Counts>
}

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
  const { contentsOf, resolved } = rounds
  const patience = Policy.millis(budgets.deferred)
  const groups = new Map<string, Course.Group>()
  let sink: ((deferred: DeferredFindings.Deferred) => Effect.Effect<void>) | undefined

  const hashesOf = (paths: Iterable<string>) =>
    Effect.map(contentsOf(paths), (contents) => new Map(Array.from(contents, ([path, one]) => [path, one?.hash])))

  const lates = Late.make({ hashesOf, tell })
  const look = Look.make({
    rounds,
    dependants: Dependants.make({ edits, workspace, rows: servers.rows, groupOf: rounds.groupOf }),
    lates,
    others: budgets.others,
    patience,
    scope
  })
  const flush = Effect.suspend(() =>
    sink === undefined
      ? Effect.void
      : Effect.flatMap(lates.deliver, (all) => Effect.forEach(all, sink!, { discard: true }))
  )

  const rest = Rest.make({ look, lates, hashesOf, patience, flush })

  /** That of the first of the files. */
  const groupOf = (paths: Iterable<string>): Course.Group => {
    const [first = ""] = paths
    const key = rounds.groupOf(first)
    const group = groups.get(key) ?? {
      key,
      turn: Semaphore.makeUnsafe(1),
      current: undefined,
      inherited: undefined,
      resume: undefined,
      writing: 0,
      written: 0,
      waiting: 0
    }
    groups.set(key, group)
    return group
  }

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

  /** All that a write has caused, after what was noted before it. */
  const conclude = Effect.fnUntraced(function* (request: Course.After, group: Course.Group, noted: Noted) {
    const { beginning, mine, snapshot } = noted
    const over = yield* Deferred.make<"replaced" | "cut">()
    group.current = { request, over }
    const looking = quietly(
      "What a write has caused",
      Effect.scoped(look.after(request, mine, snapshot, beginning.was))
    )
    const looked = yield* Effect.raceFirst(looking, Deferred.await(over)).pipe(
      Effect.ensuring(Deferred.succeed(request.done, undefined))
    )
    group.current = undefined
    if (looked === "replaced") {
      const takeBack = rest.replaced(request, beginning)
      rounds.forget(request.course.introduced.splice(0))
      group.inherited = snapshot
      group.resume = Effect.suspend(() => {
        takeBack()
        group.inherited = undefined
        return conclude(request, group, noted)
      })
      return
    }
    const whole = typeof looked === "object" ? looked : undefined
    yield* quietly("What is told later", keep(request, whole?.targets ?? request.course.answers.keys()))
    if (whole === undefined || !request.course.isAskedLater) return
    yield* Effect.forkIn(quietly("What is told later", rest.ask(request, group, whole.rest, beginning)), scope)
  })

  /** One write, from what was there before it to all that it has caused. */
  const follow = (
    inbox: Queue.Queue<Course.Request>,
    group: Course.Group,
    isOver: () => boolean,
    isTooLate: () => boolean
  ) =>
    Effect.gen(function* () {
      const noted: Noted = { beginning: Rest.begin(), mine: new Set(), snapshot: new Map() }
      const befores: Array<Course.Before> = []
      while (true) {
        const request = yield* Queue.take(inbox)
        if (request._tag === "End" || isOver()) {
          // It has not taken the place of the other one.
          const { resume } = group
          group.resume = undefined
          return yield* resume ?? Effect.void
        }
        if (request._tag === "Before") {
          befores.push(request)
          yield* rest.note(request, noted.beginning)
          const found = yield* Effect.ensuring(
            quietly("What was there before a write", look.before(request, group, isTooLate)),
            Deferred.succeed(request.done, undefined)
          )
          for (const path of found?.all ?? []) noted.mine.add(path)
          for (const [key, counts] of found?.snapshot ?? []) {
            if (!noted.snapshot.has(key)) noted.snapshot.set(key, counts)
          }
        } else {
          group.resume = undefined
          for (const one of befores) look.takeOver(one)
          return yield* conclude(request, group, noted)
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
    /** It is followed to its end. */
    let isSent = false
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
    let group: Course.Group | undefined
    /** Between what was there before and what is there after it. */
    const mayWrite = (isWriting: boolean) => {
      if (isWriting === (group !== undefined)) return
      group ??= groupOf(own)
      group.writing += isWriting ? 1 : -1
      if (!isWriting) group = undefined
    }
    const release = Effect.suspend(() => {
      mayWrite(false)
      if (isSent || isOver) return Effect.void
      isOver = true
      // Nothing was written: what is late of these files still holds.
      lates.hold(own, -1)
      own.clear()
      return send({ _tag: "End" })
    })
    const budgetFor = (paths: Iterable<string>) =>
      Effect.map(Effect.timeoutOption(rounds.areWarm(paths), budgets.warm), (isWarm) =>
        Policy.millis(Option.contains(isWarm, true) ? budgets.warm : budgets.cold)
      )

    const before = Effect.fnUntraced(function* (paths: ReadonlyArray<string>) {
      const noted = look.writes()
      const names = yield* resolved(paths)
      if (names.size === 0) return
      const startedAt = yield* Clock.currentTimeMillis
      take(names.keys())
      const contents = yield* contentsOf([...names].flatMap(([path, kind]) => (kind === "file" ? [path] : [])))
      budget = Math.max(budget ?? 0, yield* budgetFor(names.keys()))
      // A part is left for what comes after; the first of its kind mostly waits for the server to start.
      const isWarm = budget <= Policy.millis(budgets.warm)
      const limit = isWarm ? budget / 2 : Math.max(budget - Policy.millis(budgets.warm), budget / 2)
      isStructural ||= [...names.values()].includes("missing")
      takePlace(groupOf(own), contents)
      const done = yield* Deferred.make<void>()
      yield* send({ _tag: "Before", names, contents, writes: noted, done })
      yield* Effect.timeoutOption(Deferred.await(done), limit)
      spent += (yield* Clock.currentTimeMillis) - startedAt
      mayWrite(true)
    })

    const after = Effect.fnUntraced(function* (written: Course.Written): Effect.fn.Return<Course.Report> {
      const names = yield* resolved(
        written.files.flatMap(({ from, path }) => (from === undefined ? [path] : [from, path]))
      )
      if (names.size === 0) {
        const outcome: Course.Report["outcome"] = written.files.length === 0 ? "nothing_new" : "not_covered"
        return yield* Effect.as(release, { ...Course.nothing, outcome })
      }
      take(names.keys())
      isWritten = true
      mayWrite(false)
      groupOf(own).written++
      const contents = yield* contentsOf(names.keys())
      isStructural ||= [...contents.values()].includes(undefined)
      if (isStructural) cut(groupOf(own))
      const course: Course.Course = {
        introduced: [],
        answers: new Map(),
        unfounded: new Map(),
        unasked: 0,
        unread: 0,
        isAskedLater: false,
        isWhole: false,
        isTold: false
      }
      const done = yield* Deferred.make<void>()
      isSent = true
      yield* send({ _tag: "After", written, contents, course, done })
      const limit = Math.max((budget ?? (yield* budgetFor(names.keys()))) - spent, Policy.millis(budgets.warm) / 2)
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
