/** Which servers run: one for each row and root, started once however many ask, ended when nobody asks (C25, C29, C30). */
import { Clock, Effect, RcMap, Scope } from "effect"
import type { FindBinary, Found } from "../../src/lsp/LanguageServers.ts"
import * as Policy from "../../src/lsp/Policy.ts"
import * as Restarts from "../../src/lsp/Restarts.ts"
import type { Row } from "../../src/lsp/rows/Row.ts"
import type { Process, Processes } from "../../src/Processes.ts"
import type { FileWatch } from "./FileWatch.ts"
import * as Session from "./Session.ts"
import type { Texts } from "./Texts.ts"

/** A server that could run. */
export interface Usable {
  readonly row: Row
  readonly root: string
  readonly command: string
}

export type Standing =
  | { readonly state: "running"; readonly session: Session.Session }
  | { readonly state: "starting"; readonly pid: number | undefined }
  | { readonly state: "failed"; readonly reason: string }
  | { readonly state: "stopped" }

export interface Supervisor {
  /** Looks for the binary of a row. */
  readonly find: FindBinary
  /** The server, started where it does not run. `started` is called when there is no need to wait (any more). */
  readonly borrow: (usable: Usable) => Effect.Effect<Session.Session, Session.StartFailure, Scope.Scope>
  readonly running: () => ReadonlyArray<Session.Session>
  /** All that were ever to run, and did not end because nobody asked. */
  readonly known: () => ReadonlyArray<Usable>
  readonly standing: (row: Row, root: string, now: number) => Standing
  readonly crashes: (row: Row, root: string, now: number) => number
  readonly lastReason: (row: Row, root: string) => string | undefined
  /** Ends servers and forgets why they could not start. */
  readonly reset: (servers: ReadonlyArray<Usable>) => Effect.Effect<void>
  /** Forgets where binaries are. */
  readonly forgetBinaries: () => void
}

export interface Options {
  readonly processes: Processes["Service"]
  readonly texts: Texts
  readonly watch: FileWatch
  readonly policy: Policy.Policy
  readonly findBinary: FindBinary
}

const keyOf = (row: Row, root: string): string => `${row.id}\0${root}`

export const make = Effect.fnUntraced(function* (options: Options): Effect.fn.Return<Supervisor, never, Scope.Scope> {
  const { policy } = options
  const scope = yield* Effect.scope
  const restarts = Restarts.make(policy)
  const known = new Map<string, Usable>()
  const starting = new Map<string, Process | undefined>()
  const running = new Map<string, Session.Session>()
  const binaries = new Map<string, { readonly found: Found; readonly until: number }>()

  const find: FindBinary = Effect.fnUntraced(function* (row, root) {
    const now = yield* Clock.currentTimeMillis
    const kept = binaries.get(keyOf(row, root))
    if (kept !== undefined && now < kept.until) return kept.found
    const found = yield* options.findBinary(row, root)
    binaries.set(keyOf(row, root), {
      found,
      until: found.status === "found" ? Number.POSITIVE_INFINITY : now + Policy.millis(policy.failed)
    })
    return found
  })

  /** A server that ended by itself: counted once, whoever notices first. */
  const bury = Effect.fnUntraced(function* (key: string, session: Session.Session, reason: string) {
    if (running.get(key) !== session) return
    running.delete(key)
    restarts.crashed(key, reason, yield* Clock.currentTimeMillis)
    yield* RcMap.invalidate(sessions, key)
  })

  /** In the scope of the run: what it ends is the scope that noticed it. */
  const crashed = (key: string, session: Session.Session) => (reason: string) =>
    Effect.andThen(bury(key, session, reason), session.end(reason)).pipe(
      Effect.forkIn(scope, { startImmediately: true })
    )

  const toolsOf = Effect.fnUntraced(function* (row: Row, root: string) {
    const found = new Map<string, string>()
    for (const [name, binary] of Object.entries(row.tools ?? {})) {
      const tool = yield* options.findBinary({ ...row, binary }, root)
      if (tool.status === "found") found.set(name, tool.command)
    }
    return found
  })

  const lookup = Effect.fnUntraced(function* (key: string) {
    const { command, root, row } = known.get(key)!
    starting.set(key, undefined)
    const { processes, texts, watch } = options
    const spawned = (process: Process) => starting.set(key, process)
    const tools = yield* toolsOf(row, root)
    const session = yield* Session.start({ row, root, command, tools, processes, texts, watch, policy, spawned }).pipe(
      Effect.tapError((failure) =>
        Effect.gen(function* () {
          restarts.failed(key, failure.message, yield* Clock.currentTimeMillis)
          // At once: later, the key may mean another start. Not waited for: it may end this very fiber.
          yield* Effect.forkIn(RcMap.invalidate(sessions, key), scope, { startImmediately: true })
        })
      ),
      Effect.ensuring(Effect.sync(() => starting.delete(key)))
    )
    running.set(key, session)
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        if (running.get(key) === session) running.delete(key)
      })
    )
    yield* session.ended.pipe(Effect.flatMap(crashed(key, session)), Effect.forkScoped({ startImmediately: true }))
    return session
  })
  const sessions: RcMap.RcMap<string, Session.Session, Session.StartFailure> = yield* RcMap.make({
    lookup,
    idleTimeToLive: policy.idle
  })
  // The map closes its entries one after the other; together they take as long as the slowest.
  yield* Effect.addFinalizer(() =>
    Effect.forEach(
      [
        ...[...running.values()].map((session) => session.end("the run has ended")),
        ...[...starting.values()].map((process) => (process === undefined ? Effect.void : process.end))
      ],
      (end) => end,
      { concurrency: "unbounded", discard: true }
    )
  )

  const reset = Effect.fnUntraced(function* (servers: ReadonlyArray<Usable>) {
    yield* Effect.forEach(
      servers,
      Effect.fnUntraced(function* ({ root, row }) {
        const key = keyOf(row, root)
        restarts.forget(key)
        const session = running.get(key)
        const process = starting.get(key)
        running.delete(key)
        yield* RcMap.invalidate(sessions, key)
        if (session !== undefined) yield* session.end("it was reloaded")
        else if (process !== undefined) yield* process.end
        // A start that this ended has failed only now.
        restarts.forget(key)
      }),
      { concurrency: "unbounded", discard: true }
    )
  })

  /** Ends the server that nobody uses and that was used longest ago, where there would be too many. */
  const makeRoom = Effect.fnUntraced(function* () {
    while (running.size + starting.size >= policy.servers) {
      const idle = [...running.keys()]
        .filter((key) => (uses.get(key)?.users ?? 0) === 0)
        .toSorted((a, b) => (uses.get(a)?.last ?? 0) - (uses.get(b)?.last ?? 0))
      const server = idle[0] === undefined ? undefined : known.get(idle[0])
      if (server === undefined) {
        const message = `${policy.servers} servers are in use, more are not started: ask about fewer roots at once`
        return yield* Effect.fail<Session.StartFailure>({ _tag: "StartFailure", message, isAbsent: false })
      }
      yield* reset([server])
    }
  })

  let clock = 0
  const uses = new Map<string, { users: number; last: number }>()
  const use = Effect.fnUntraced(function* (key: string) {
    const entry = uses.get(key) ?? { users: 0, last: 0 }
    uses.set(key, entry)
    entry.users++
    entry.last = ++clock
    yield* Scope.addFinalizer(
      yield* Effect.scope,
      Effect.sync(() => {
        entry.users--
      })
    )
  }, Effect.uninterruptible)

  return {
    find,
    borrow: Effect.fnUntraced(function* (usable) {
      const key = keyOf(usable.row, usable.root)
      known.set(key, usable)
      const present = running.get(key)
      const over = present?.over()
      if (present !== undefined && over !== undefined) yield* bury(key, present, over)
      if (!running.has(key) && !starting.has(key)) {
        const verdict = restarts.verdict(key, yield* Clock.currentTimeMillis)
        if (verdict._tag === "No") {
          return yield* Effect.fail<Session.StartFailure>({
            _tag: "StartFailure",
            message: verdict.reason,
            isAbsent: verdict.isStart
          })
        }
        if (verdict._tag === "Pause") yield* Effect.sleep(verdict.millis)
        if (!running.has(key) && !starting.has(key)) yield* makeRoom()
      }
      yield* use(key)
      return yield* RcMap.get(sessions, key)
    }),
    running: () => [...running.values()].filter((session) => session.over() === undefined),
    known: () => [...known.values()],
    standing: (row, root, now) => {
      const key = keyOf(row, root)
      const session = running.get(key)
      if (session?.over() === undefined && session !== undefined) return { state: "running", session }
      if (starting.has(key)) return { state: "starting", pid: starting.get(key)?.pid }
      const verdict = restarts.verdict(key, now)
      return verdict._tag === "No" ? { state: "failed", reason: verdict.reason } : { state: "stopped" }
    },
    crashes: (row, root, now) => restarts.count(keyOf(row, root), now),
    lastReason: (row, root) => restarts.lastReason(keyOf(row, root)),
    reset,
    forgetBinaries: () => binaries.clear()
  }
})
