/** What is debugged in a conversation, what was, and what is known of it; how it begins to be looked after, and how it ends. */
import { Clock, Duration, Effect, Option, type Scope } from "effect"
import * as Budget from "../../src/Budget.ts"
import * as Breakpoints from "../../src/debug/Breakpoints.ts"
import * as Changes from "../../src/debug/Changes.ts"
import type { Stop } from "../../src/debug/Execution.ts"
import * as OutputRing from "../../src/debug/OutputRing.ts"
import * as Policy from "../../src/debug/Policy.ts"
import * as References from "../../src/debug/References.ts"
import * as Threads from "../../src/debug/Threads.ts"
import type * as Values from "../../src/debug/Values.ts"
import * as Wire from "../../src/debug/Wire.ts"
import * as ToolError from "../../src/ToolError.ts"
import * as Clocks from "./Clocks.ts"
import * as Context from "./Context.ts"
import * as Live from "./Live.ts"
import * as Told from "./Told.ts"

const longestImportant = 600
/** How long a stop without a stack is taken for one that the adapter is about to take back, in real time. */
const takingBack = "1 second"

/** A session of the past. */
export interface Ended {
  readonly live: Live.Live
  readonly unbound: ReadonlyArray<Breakpoints.OfFile>
}

export interface Current {
  readonly root: string
  readonly policy: Policy.Policy
  readonly scope: Scope.Scope
  readonly changes: Changes.Changes
  readonly breakpoints: Breakpoints.Breakpoints
  readonly references: References.References
  readonly threads: Threads.Threads
  readonly output: OutputRing.OutputRing
  readonly around: Context.Around
  readonly live: () => Live.Live | undefined
  readonly ended: () => Ended | undefined
  /** Frames and references are valid while it stays the same; it never comes twice. */
  readonly generationOf: (live: Live.Live) => number
  /** The frame that was told of the present stop. */
  readonly frame: () => number | undefined
  /** Whether what is told of the present stop is there. */
  readonly isLookedAt: (live: Live.Live) => boolean
  /** Waits until a stop that has just come is looked at, if there is one. */
  readonly lookedAt: (live: Live.Live) => Effect.Effect<void>
  /** Variables may have changed at the present stop: those that were told are not of this moment any more. */
  readonly touched: () => void
  /** Makes a session the present one, and looks after it. */
  readonly open: (
    about: Pick<Live.Options, "adapter" | "builtAt" | "isAttached" | "program">
  ) => Effect.Effect<Live.Live>
  /** Ends a session, if it is the present one, and keeps what is to be known of it. The first reason stands. */
  readonly conclude: (live: Live.Live, because: string | undefined) => Effect.Effect<void>
  /** Forgets a session that has never begun. */
  readonly forget: () => void
  /** The state; asks nobody. */
  readonly state: () => Values.Value
  /** The state after an op that resumes or stops. */
  readonly resulting: () => Values.Value
  readonly unread: () => Pick<Values.Value, "important" | "output_left">
  /** The session that is there; fails with why there is none. */
  readonly present: Effect.Effect<Live.Live, ToolError.ToolError>
  readonly noSession: () => ToolError.ToolError
  /** What fails because the session ends, fails with the reason why it ends. */
  readonly during: (
    live: Live.Live
  ) => <A>(self: Effect.Effect<A, ToolError.ToolError>) => Effect.Effect<A, ToolError.ToolError>
  /**
   * Waits for a stop after this one, the end, or the end of the wait, and tells the state that results. `refused` is looked at
   * on the way.
   */
  readonly settled: (
    live: Live.Live,
    serial: number,
    wait: Duration.Input,
    refused?: () => ToolError.ToolError | undefined
  ) => Effect.Effect<Values.Value, ToolError.ToolError>
  /** Why a session ended when its time was over. */
  readonly outOfTime: string
  readonly ttlMillis: number
}

export const make = Effect.fnUntraced(function* (options: {
  readonly root: string
  readonly policy: Policy.Policy
}): Effect.fn.Return<Current, never, Scope.Scope> {
  const { policy, root } = options
  const scope = yield* Effect.scope
  const changes = Changes.make()
  const breakpoints = Breakpoints.make()
  const references = References.make()
  const threads = Threads.make()
  const output = OutputRing.make(policy.outputBytes)
  let lastKey = 0
  let current: Live.Live | undefined
  let ended: Ended | undefined
  /** What is told of the stop of a generation. */
  let context: { readonly generation: number; readonly value: Values.Stop } | undefined
  /** Generations rise over all sessions, so that no number of an earlier one is taken for one of this. */
  let generationsBefore = 0
  /** What an adapter wants to be seen at once, and no answer has told yet; each text once. */
  let important = ""
  const generationOf = (live: Live.Live) => generationsBefore + live.execution.generation()
  const isLookedAt = (live: Live.Live) => context?.generation === generationOf(live)
  const lookedAt: Current["lookedAt"] = (live) =>
    Effect.asVoid(
      Clocks.within(
        changes.until(() =>
          live.isOver() || live.execution.current() === undefined || isLookedAt(live) ? true : undefined
        ),
        "2 seconds"
      )
    )
  const touched = () => {
    if (context?.value.locals === undefined) return
    const { locals: _, locals_total: __, ...value } = context.value
    context = { ...context, value }
  }

  const ttlMillis = Duration.toMillis(Duration.fromInputUnsafe(policy.ttl))
  const outOfTime = `session ended: ${ttlMillis / 60_000} min limit`

  const around: Context.Around = {
    root,
    builtAt: () => current?.builtAt,
    processOf: ({ told }) => {
      const all = new Set([...(current?.sessions.values() ?? [])].map((one) => one.told.processId ?? told.processId))
      return all.size > 1 ? told.processId : undefined
    },
    giveThread: (session, id) => threads.give(session.key, id),
    give: (session, handle) =>
      current === undefined ? 0 : references.give(generationOf(current), { ...handle, session: session.key }),
    written: () =>
      output
        .tail(Policy.outputTail, ["stdout", "stderr"])
        .map(({ text }) => text)
        .join("")
  }

  /** lldb stops a program by a signal, and says so. */
  const reasonOf = (live: Live.Live, stop: Stop): string =>
    live.pausedAfter !== undefined &&
    stop.serial === live.pausedAfter + 1 &&
    /SIG(STOP|INT|TRAP)/.test(`${stop.description} ${stop.text}`)
      ? "pause"
      : stop.reason

  const state = (): Values.Value => {
    if (current === undefined) {
      return ended === undefined
        ? { state: "none" }
        : Told.ended(ended.live.exitCode(), ended.live.because(), ended.unbound)
    }
    const stop = current.execution.current()
    if (stop === undefined || !current.isStarted) return { state: "running" }
    if (context !== undefined && isLookedAt(current)) return { state: "stopped", stop: context.value }
    const description = stop.description ?? stop.text
    return {
      state: "stopped",
      stop: {
        reason: reasonOf(current, stop),
        thread_id: stop.threadId === undefined ? 0 : threads.give(stop.session, stop.threadId),
        ...(description === undefined ? {} : { description })
      }
    }
  }
  const unread = () => {
    const [left, said] = [output.unread(), important.trim()]
    important = ""
    return {
      ...(left === 0 ? {} : { output_left: left }),
      ...(said === "" ? {} : { important: Wire.cut(Wire.plain(said), longestImportant) })
    }
  }
  const resulting = (): Values.Value => {
    const value = state()
    if (value.state !== "ended") return { ...value, ...unread() }
    const tail = output.tail(Policy.outputTail, ["stdout", "stderr", "important"])
    return tail.length === 0 ? value : { ...value, output: tail }
  }

  const allUnbound = () => [...breakpoints.all(), ...breakpoints.temporary()].filter(({ verified }) => !verified)

  const conclude = (live: Live.Live, because: string | undefined) =>
    Effect.gen(function* () {
      yield* live.end(because)
      if (current !== live) return
      ended = { live, unbound: live.isStarted ? allUnbound() : [] }
      generationsBefore = generationOf(live) + 1
      current = undefined
      context = undefined
      breakpoints.endTemporary()
      for (const key of live.sessions.keys()) breakpoints.forget(key)
      changes.notify()
    }).pipe(Effect.uninterruptible)

  yield* Effect.addFinalizer(() =>
    Effect.suspend(() => (current === undefined ? Effect.void : conclude(current, Told.runEnded)))
  )

  /** Ends a session when the program has ended or its time is over, and looks at each stop. */
  const attend = Effect.fnUntraced(function* (live: Live.Live) {
    const forked = { startImmediately: true } as const
    const over = changes.until(() => (live.isOver() ? true : undefined))
    yield* Effect.forkIn(Effect.andThen(over, conclude(live, undefined)), scope, forked)
    const spent = Effect.raceFirst(Budget.spent(Budget.after(policy.ttl)), over)
    yield* Effect.forkIn(Effect.andThen(spent, conclude(live, outOfTime)), scope, forked)

    const look = Effect.gen(function* () {
      const [generation, stop] = yield* changes.until(() => {
        const found = live.isStarted && !live.isOver() ? live.execution.current() : undefined
        return found === undefined || isLookedAt(live) ? undefined : ([generationOf(live), found] as const)
      })
      const session = live.sessions.get(stop.session)
      const told =
        session === undefined
          ? Option.none()
          : yield* Effect.option(Context.of(around, session, stop, reasonOf(live, stop)))
      const isPast = () => generation !== generationOf(live) || current !== live || live.isOver()
      // lldb tells a stop of its own making while it attaches, with the program on its way again.
      if (Option.getOrUndefined(told)?.frame === undefined) {
        yield* Clocks.within(
          changes.until(() => (isPast() ? true : undefined)),
          takingBack
        )
      }
      // Who has gone on meanwhile, has not stopped there.
      if (isPast()) return
      const value = Option.getOrElse(told, (): Values.Stop => state().stop ?? { reason: stop.reason, thread_id: 0 })
      context = { generation, value }
      changes.notify()
    })
    yield* Effect.forkIn(Effect.forever(look), live.scope, forked)
  })

  const open: Current["open"] = Effect.fnUntraced(function* (about) {
    output.clear()
    important = ""
    threads.clear()
    ended = undefined
    const live = yield* Live.make({
      ...about,
      startedAt: yield* Clock.currentTimeMillis,
      policy,
      changes,
      breakpoints,
      output,
      onImportant: (text) => {
        if (important.length < longestImportant && !important.includes(text.trim())) important += text
      },
      nextKey: () => ++lastKey,
      parent: scope
    })
    current = live
    yield* attend(live)
    return live
  })

  const noSession = () => Told.noSession(ended?.live)
  const present = Effect.suspend((): Effect.Effect<Live.Live, ToolError.ToolError> => {
    if (current !== undefined && !current.isOver()) {
      if (current.isStarted) return Effect.succeed(current)
      return Effect.fail(
        ToolError.make("not_ready", `${current.program} is still being started: wait, or terminate it.`)
      )
    }
    const over = current === undefined ? Effect.void : conclude(current, undefined)
    return Effect.andThen(
      over,
      Effect.suspend(() => Effect.fail(noSession()))
    )
  })
  const during: Current["during"] = (live) => (self) =>
    Effect.catch(
      self,
      Effect.fnUntraced(function* (error) {
        if (!live.isOver()) return yield* error
        yield* conclude(live, undefined)
        return yield* live.because() === undefined ? error : noSession()
      })
    )

  const settled: Current["settled"] = Effect.fnUntraced(function* (live, serial, wait, refused = () => undefined) {
    const event = changes.until(() => {
      if (live.isOver()) return "over"
      if (refused() !== undefined) return "refused"
      const stop = live.execution.current()
      return stop !== undefined && stop.serial > serial && isLookedAt(live) ? "stopped" : undefined
    })
    const found = yield* Budget.within(Budget.after(wait))(event)
    const refusal = refused()
    if (refusal !== undefined && !live.isOver()) return yield* refusal
    if (live.isOver()) yield* conclude(live, undefined)
    else if (live.execution.current() !== undefined) {
      yield* Effect.forEach(breakpoints.endTemporary(), (path) => live.sendFile(path), { discard: true })
    }
    if (Option.isSome(found)) return resulting()
    const unbound = live.isOver() ? [] : allUnbound()
    return {
      ...resulting(),
      ...(unbound.length === 0 ? {} : { unbound: unbound.map(Told.breakpoint) }),
      waited_seconds: Duration.toSeconds(Duration.fromInputUnsafe(wait))
    }
  })

  return {
    root,
    policy,
    scope,
    changes,
    breakpoints,
    references,
    threads,
    output,
    around,
    live: () => current,
    ended: () => ended,
    generationOf,
    frame: () => context?.value.frame?.id,
    isLookedAt,
    lookedAt,
    touched,
    open,
    conclude,
    forget: () => {
      ended = undefined
    },
    state,
    resulting,
    unread,
    present,
    noSession,
    during,
    settled,
    outOfTime,
    ttlMillis
  }
})
