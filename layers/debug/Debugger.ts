/** The debugger of one conversation (SPEC §7). */
import { Clock, Effect, type Scope } from "effect"
import type * as Debuggers from "../../src/debug/Debuggers.ts"
import * as Policy from "../../src/debug/Policy.ts"
import type * as Values from "../../src/debug/Values.ts"
import type { ToolError } from "../../src/ToolError.ts"
import * as Current from "./Current.ts"
import * as Inspecting from "./Inspecting.ts"
import * as Resuming from "./Resuming.ts"
import * as Starting from "./Starting.ts"
import * as Told from "./Told.ts"

export interface Options extends Starting.Options {
  readonly root: string
  readonly policy: Policy.Policy
}

/** The debugger; it ends with the scope. */
export const make = Effect.fnUntraced(function* (
  options: Options
): Effect.fn.Return<Debuggers.Debugger, never, Scope.Scope> {
  const current = yield* Current.make(options)
  const { breakpoints, conclude, output, resulting, state } = current

  const functions = () =>
    breakpoints.functions().map(({ message, name, verified }) => ({
      name,
      verified,
      ...(message === undefined ? {} : { message })
    }))

  const setBreakpoints: Debuggers.Debugger["setBreakpoints"] = Effect.fn("Debugger.setBreakpoints")(function* (change) {
    const { exceptions, file } = change
    if (file !== undefined) breakpoints.setFile(file.path, file.wanted)
    if (change.functions !== undefined) breakpoints.setFunctions(change.functions)
    if (exceptions !== undefined) breakpoints.setExceptions(exceptions)
    const live = current.live()
    if (live !== undefined && live.isStarted && !live.isOver()) {
      if (file !== undefined) yield* live.sendFile(file.path)
      if (change.functions !== undefined) yield* live.sendFunctions
      if (exceptions !== undefined) yield* live.sendExceptions
    }
    return {
      ...state(),
      breakpoints: (file === undefined ? breakpoints.all() : breakpoints.file(file.path)).map(Told.breakpoint),
      ...(breakpoints.hasFunctions() || change.functions !== undefined ? { functions: functions() } : {}),
      ...(exceptions === undefined ? {} : { exceptions })
    }
  })

  const status = Effect.gen(function* () {
    const before = current.live()
    if (before?.isOver() === true) yield* conclude(before, undefined)
    const live = current.live()
    if (live !== undefined && live.isStarted) yield* current.lookedAt(live)
    const subject = live ?? current.ended()?.live
    const past = live === undefined ? 0 : (yield* Clock.currentTimeMillis) - live.startedAt
    const value: Values.Value = {
      ...state(),
      ...(subject === undefined
        ? {}
        : { adapter: subject.adapter.id, program: subject.program, is_attached: subject.isAttached }),
      ...(live === undefined ? {} : { seconds_left: Math.max(0, Math.ceil((current.ttlMillis - past) / 1000)) }),
      breakpoints: breakpoints.all().map(Told.breakpoint),
      ...(breakpoints.hasFunctions() ? { functions: functions() } : {}),
      exceptions: breakpoints.exceptions(),
      ...current.unread(),
      ...(live !== undefined && !live.isStarted ? { notes: ["It is being started."] } : {})
    }
    return value
  })

  const readOutput = Effect.sync((): Values.Value => {
    const { dropped, entries, left } = output.read(Policy.outputBytes)
    return {
      ...state(),
      output: entries.map(({ category, text }) => ({ category, text })),
      ...(dropped === 0 ? {} : { output_dropped: dropped }),
      ...(left === 0 ? {} : { output_left: left })
    }
  })

  const terminate = Effect.suspend((): Effect.Effect<Values.Value, ToolError> => {
    const live = current.live()
    if (live !== undefined) {
      const because = live.isAttached ? "detached; the program goes on" : Told.terminated
      return Effect.andThen(conclude(live, because), Effect.sync(resulting))
    }
    return current.ended() === undefined ? Effect.fail(current.noSession()) : Effect.sync(resulting)
  })

  const adapters = Effect.map(
    Effect.suspend(() => options.find()),
    (all): Values.Value => ({
      ...state(),
      adapters: all.map(({ adapter, binary, marker, reason, usable, version }) => ({
        id: adapter.id,
        usable,
        ...(marker === undefined ? {} : { marker }),
        ...(binary === undefined ? {} : { binary }),
        ...(version === undefined ? {} : { version }),
        ...(reason === undefined ? {} : { reason })
      }))
    })
  )

  return {
    adapters,
    status,
    setBreakpoints,
    output: readOutput,
    terminate,
    ...Starting.make(current, options),
    ...Resuming.make(current),
    ...Inspecting.make(current)
  }
})
