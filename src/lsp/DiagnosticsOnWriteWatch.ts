/**
 * What writes cause, for one run (SPEC §3a): what servers say of files before a write and after it, compared by the ledger. All
 * waiting is bounded, and nothing here fails.
 */
import { Clock, type Duration, Effect, Fiber, type Scope, Semaphore } from "effect"
import { type Deferred } from "../DeferredFindings.ts"
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

type Introduced = Rounds.Introduced
type Told = (written: Written, introduced: ReadonlyArray<Introduced>) => Deferred

const nothing: Report = { outcome: "not_covered", introduced: [], reasons: [], isDeferred: false }

/** Findings that wait for the next answer. */
interface Ready {
  readonly written: Written
  /** What was written, links resolved. */
  readonly own: ReadonlyArray<string>
  readonly round: Rounds.Round
  /** The texts that they are about. */
  readonly hashes: ReadonlyMap<string, string | undefined>
  readonly extra: ReadonlyMap<string, Ledger.Counts>
  readonly snapshot: ReadonlyMap<string, Ledger.Counts>
  readonly release: Effect.Effect<void>
}

const mostSnapshots = 200

export const make = Effect.fnUntraced(function* (options: {
  readonly servers: LanguageServers["Service"]
  readonly edits: Edits["Service"]
  readonly workspace: Workspace["Service"]
  readonly budgets: Budgets
  readonly tell: Told
}): Effect.fn.Return<
  {
    readonly begin: Effect.Effect<Watch>
    readonly take: Effect.Effect<ReadonlyArray<Deferred>>
    readonly divert: (sink: (deferred: Deferred) => Effect.Effect<void>) => Effect.Effect<void, never, Scope.Scope>
  },
  never,
  Scope.Scope
> {
  const { budgets, edits, servers, tell, workspace } = options
  const scope = yield* Effect.scope
  const {
    ask,
    hashesOf,
    hold,
    isFrozen,
    isServed,
    ledger,
    accept,
    resolved,
    said,
    settle,
    isWarm: isWarmKind
  } = Rounds.make({
    servers,
    edits,
    workspace
  })
  const dependants = Dependants.make({ edits, workspace, rows: servers.rows })
  const baselines = yield* Semaphore.make(1)
  const ready: Array<Ready> = []
  /** What was known before an edit, of the files that it might concern. */
  const befores = new Map<string, ReadonlyMap<string, Ledger.Counts>>()
  let sink: ((deferred: Deferred) => Effect.Effect<void>) | undefined

  let isIndexed = false
  /** The first time it is waited for, later it goes on beside. */
  const refreshed = Effect.fnUntraced(function* (millis: number) {
    const fiber = yield* Effect.forkIn(dependants.refresh, scope, { startImmediately: true })
    if (!isIndexed) yield* Effect.timeoutOption(Fiber.await(fiber), millis)
    isIndexed = true
  })

  /** Findings that are about to be told. */
  const told: Array<Deferred> = []

  /** Compares what has come in, but for writes of which a file is written again now. */
  const collect = Effect.fnUntraced(function* (again: ReadonlyMap<string, unknown>) {
    const [stay, go] = [new Array<Ready>(), new Array<Ready>()]
    for (const one of ready.splice(0)) (one.own.some((path) => again.has(path)) ? stay : go).push(one)
    ready.push(...stay)
    for (const one of go) {
      const now = yield* hashesOf(one.hashes.keys())
      const stands = one.own.every((path) => now.get(path) === one.hashes.get(path))
      if (stands) {
        const files = one.round.files.filter(({ path }) => now.get(path) === one.hashes.get(path))
        const { introduced } = settle({ ...one.round, files }, one)
        if (introduced.length > 0) told.push(tell(one.written, introduced))
      }
      yield* one.release
    }
  })

  const deliver: Effect.Effect<ReadonlyArray<Deferred>> = Effect.map(collect(new Map()), () => told.splice(0))

  const flush = Effect.suspend(() =>
    sink === undefined ? Effect.void : Effect.flatMap(deliver, (all) => Effect.forEach(all, sink!, { discard: true }))
  )

  /** Asks on after the call has ended; what comes of it waits for the next answer. */
  const later = (
    one: Omit<Ready, "round" | "hashes">,
    paths: ReadonlyArray<string>,
    hashes: ReadonlyMap<string, string | undefined>
  ) =>
    Effect.gen(function* () {
      const round = yield* ask(paths, Policy.millis(budgets.deferred))
      const now = yield* hashesOf(paths)
      ready.push({ ...one, round, hashes: new Map([...now, ...hashes]) })
      yield* flush
    }).pipe(
      Effect.catchCause((cause) =>
        Effect.andThen(Effect.logDebug("Diagnostics that were waited for", cause), one.release)
      ),
      Effect.forkIn(scope, { startImmediately: true })
    )

  const begin = Effect.sync((): Watch => {
    const mine = new Set<string>()
    let snapshot: ReadonlyMap<string, Ledger.Counts> = new Map()
    let spent = 0
    let budget: number | undefined
    let isReleased = false
    const release = Effect.sync(() => {
      if (isReleased) return
      isReleased = true
      for (const path of mine) hold(path, -1)
    })
    const take = (paths: Iterable<string>) => {
      for (const path of paths) {
        if (mine.has(path) || isReleased) continue
        mine.add(path)
        hold(path, 1)
      }
    }
    const budgetFor = (paths: Iterable<string>): number =>
      Policy.millis([...paths].every(isWarmKind) ? budgets.warm : budgets.cold)

    const noteBefore = Effect.fnUntraced(function* (paths: ReadonlyArray<string>) {
      const served = yield* resolved(paths)
      if (served.size === 0) return
      const startedAt = yield* Clock.currentTimeMillis
      yield* collect(served)
      budget = Math.max(budget ?? 0, budgetFor(served.keys()))
      // A part is left for what comes after; the first of its kind mostly waits for the server to start.
      const isWarm = budget <= Policy.millis(budgets.warm)
      const limit = isWarm ? budget / 2 : Math.max(budget - Policy.millis(budgets.warm), budget / 2)
      const note = Effect.gen(function* () {
        yield* refreshed(limit / 2)
        const names = [...served.keys()]
        const others = dependants.of(names, budgets.others)
        const seen = ledger.files().slice(-budgets.others)
        const all = [...new Set([...names, ...others, ...seen])]
        const free = all.filter((path) => !isFrozen(path) && served.get(path) !== "missing")
        for (const [path, kind] of served) if (kind === "missing" && !isFrozen(path)) ledger.absent(path)
        snapshot = yield* said
        const hashes = yield* hashesOf(free)
        const left = limit - ((yield* Clock.currentTimeMillis) - startedAt)
        const round = yield* ask(free, left)
        const now = yield* hashesOf(free)
        for (const { path, servers: answers } of round.files) {
          // What somebody wrote meanwhile is no state before the write (C79).
          if (hashes.get(path) !== now.get(path) || isFrozen(path)) continue
          for (const answer of answers) {
            accept(path, answer, round)
          }
        }
        take(all)
      })
      yield* baselines.withPermit(note).pipe(Effect.timeoutOption(limit + 100))
      take(served.keys())
      spent += (yield* Clock.currentTimeMillis) - startedAt
    })

    const lookAfter = Effect.fnUntraced(function* (written: Written): Effect.fn.Return<Report> {
      const gone = new Set<string>()
      for (const { from, path } of written.files) {
        if (from !== undefined && from !== path) {
          ledger.move(from, path)
          gone.add(from)
        }
      }
      const served = yield* resolved(written.files.map(({ path }) => path))
      for (const [path, kind] of served) {
        if (kind !== "missing") continue
        ledger.drop(path)
        gone.add(path)
      }
      const own = [...served.keys()].filter((path) => !gone.has(path))
      yield* dependants.look([...own, ...gone])
      if (served.size === 0) return yield* Effect.as(release, nothing)
      const before = new Map<string, Ledger.Counts>()
      const targets = [...new Set([...own, ...mine, ...dependants.of([...own, ...gone], budgets.others)])].filter(
        (path) => !gone.has(path)
      )
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
      const startedAt = yield* Clock.currentTimeMillis
      const limit = Math.max((budget ?? budgetFor(own)) - spent, Policy.millis(budgets.warm) / 2)
      const hashes = yield* hashesOf(own)
      const round = yield* ask(targets, limit)
      const first = settle(round, { snapshot, extra })
      // Errors that a server tells of in files that nobody asked about (C61).
      const now = yield* said
      const known = new Set(targets)
      const elsewhere = new Set(
        [...now].flatMap(([key, counts]) => {
          const [id = "", root = "", path = ""] = key.split("\0")
          if (known.has(path) || gone.has(path) || !isServed(path)) return []
          const base = ledger.get(path, `${id}\0${root}`) ?? snapshot.get(key) ?? Ledger.none
          return [...counts].some(([one, lines]) => lines.length > (base.get(one)?.length ?? 0)) ? [path] : []
        })
      )
      const more = [...elsewhere].slice(0, budgets.others)
      // Of a server that ran before the write and had said nothing of a file, that was all.
      const assumed = new Map(snapshot)
      for (const [key] of now)
        if (elsewhere.has(key.split("\0")[2] ?? "") && !assumed.has(key)) assumed.set(key, Ledger.none)
      const left = limit - ((yield* Clock.currentTimeMillis) - startedAt)
      const second = yield* ask(more, left)
      const beyond = settle(second, { snapshot: assumed, extra })

      const introduced = [...first.introduced, ...beyond.introduced]
      // What is deleted is only felt elsewhere.
      const ownSet = new Set(own.length > 0 ? own : targets)
      const answers = round.files.flatMap(({ path, servers: each }) => (ownSet.has(path) ? each : []))
      const unknown = answers.flatMap((answer) =>
        answer.outcome === "unknown" ? [`${answer.id}: ${answer.reason}`] : []
      )
      const isCut = round.files.length === 0 && targets.length > 0
      const isOpen = [...round.files, ...second.files].some(({ servers: each }) =>
        each.some(({ outcome }) => outcome === "unknown")
      )
      const isDeferred = isCut || isOpen || second.files.length < more.length
      if (isDeferred) {
        yield* later({ written, own, extra, snapshot: assumed, release }, [...targets, ...more], hashes)
      } else yield* release
      const isCovered = isCut || answers.some(({ outcome }) => outcome !== "not_covered")
      const unfounded = first.unfounded
        .filter(({ path }) => ownSet.has(path))
        .map(({ path, server }) => `${server}: what it said of ${workspace.show(path)} before the write is not known`)
      const reasons = [...new Set([...unknown, ...unfounded, ...(isCut ? ["no answer in time"] : [])])]
      const outcome =
        introduced.length > 0
          ? "introduced"
          : reasons.length > 0
            ? "unknown"
            : isCovered
              ? "nothing_new"
              : "not_covered"
      return { outcome, introduced, reasons, isDeferred }
    })

    return {
      release,
      before: (paths) =>
        Effect.catchCause(noteBefore(paths), (cause) => Effect.logDebug("What was there before a write", cause)),
      after: (written) =>
        lookAfter(written).pipe(
          Effect.catchCause((cause) =>
            Effect.as(Effect.andThen(Effect.logDebug("What a write has caused", cause), release), {
              ...nothing,
              outcome: "unknown" as const,
              reasons: ["the look-up failed"]
            })
          ),
          Effect.onInterrupt(() => release)
        )
    }
  })

  return {
    begin,
    take: Effect.suspend(() => (sink === undefined && ready.length + told.length > 0 ? deliver : Effect.succeed([]))),
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
