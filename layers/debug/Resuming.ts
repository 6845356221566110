/** `continue`, the steps and `pause` (checklist 37–49). */
import { Duration, Effect } from "effect"
import type * as Debuggers from "../../src/debug/Debuggers.ts"
import * as Wire from "../../src/debug/Wire.ts"
import * as ToolError from "../../src/ToolError.ts"
import type { Current } from "./Current.ts"
import type { Live } from "./Live.ts"
import * as Meant from "./Meant.ts"
import * as Told from "./Told.ts"

const commands = { continue: "continue", step_over: "next", step_in: "stepIn", step_out: "stepOut" } as const

export const make = (current: Current): Pick<Debuggers.Debugger, "resume" | "pause"> => {
  const { breakpoints, changes, during, policy, present, resulting, settled, threads } = current

  /** Asks beside the wait for what comes of it. Not answered in time is not refused: it may well have an effect. */
  const ask = Effect.fnUntraced(function* (
    live: Live,
    self: Effect.Effect<unknown, ToolError.ToolError>,
    refused: Effect.Effect<void>,
    answered: (body: unknown) => void
  ) {
    let refusal: ToolError.ToolError | undefined
    const asked = Effect.matchEffect(self, {
      onFailure: (error) =>
        error.code === "timed_out"
          ? Effect.void
          : Effect.andThen(
              refused,
              Effect.sync(() => {
                refusal = error
              })
            ),
      onSuccess: (body) => Effect.sync(() => answered(body))
    }).pipe(Effect.andThen(Effect.sync(changes.notify)))
    yield* Effect.forkIn(asked, live.scope, { startImmediately: true })
    return () => refusal
  })

  /** Sets what it is to stop at, this once; whether there is something. */
  const aim = Effect.fnUntraced(function* (live: Live, until: Debuggers.Resume["until"]) {
    if (until !== undefined && breakpoints.addTemporary(until.path, until.line)) yield* live.sendFile(until.path)
    return until !== undefined
  })

  const resume: Debuggers.Debugger["resume"] = Effect.fn("Debugger.resume")(function* (request) {
    const live = yield* present
    const { execution } = live
    const stop = execution.current()
    if (stop === undefined) {
      if (request.kind !== "continue") return yield* Told.notStopped
      const serial = execution.serial()
      const isAimed = yield* aim(live, request.until)
      const notes = [isAimed ? "It was running already." : "It is running already; nothing was sent."]
      if (request.waitSeconds === undefined && !isAimed) return { ...resulting(), notes }
      const wait = request.waitSeconds === undefined ? policy.wait : Duration.seconds(request.waitSeconds)
      return { ...(yield* during(live)(settled(live, serial, wait))), notes }
    }
    const { id, session } = yield* during(live)(Meant.thread(current, live, request.threadId))
    if (id === undefined) return yield* ToolError.make("adapter_failed", "The adapter names no thread to resume.")
    if (!execution.isStopped(session.key, id)) {
      return yield* ToolError.make(
        "not_stopped",
        `Thread ${request.threadId} is running: only a stopped one can go on.`
      )
    }
    yield* aim(live, request.until)
    const serial = execution.serial()
    // Before it is sent: the stop may come before the answer (37).
    const restore = execution.save()
    execution.continued(session.key, stop.isOfAll ? undefined : id)
    changes.notify()
    const refusal = yield* ask(
      live,
      session.request(commands[request.kind], { threadId: id }),
      Effect.sync(restore),
      (body) => {
        if (Wire.flag(body, "allThreadsContinued") !== false || !stop.isOfAll || execution.serial() !== serial) return
        restore()
        execution.continued(session.key, id)
      }
    )
    const wait = request.waitSeconds === undefined ? policy.wait : Duration.seconds(request.waitSeconds)
    return yield* during(live)(settled(live, serial, wait, refusal))
  })

  const isStopped = (live: Live, threadId: number | undefined) => {
    if (threadId === undefined) return live.execution.current() !== undefined
    const thread = threads.find(threadId)
    return thread !== undefined && live.execution.isStopped(thread.session, thread.id)
  }

  const pause: Debuggers.Debugger["pause"] = Effect.fn("Debugger.pause")(function* (threadId) {
    const live = yield* present
    if (isStopped(live, threadId)) {
      const value = yield* settled(live, 0, "2 seconds")
      return { ...value, notes: ["It was stopped already; nothing was sent."] }
    }
    const serial = live.execution.serial()
    const { id, session } = yield* during(live)(Meant.thread(current, live, threadId))
    live.pausedAfter = serial
    const refusal = yield* ask(live, session.request("pause", { threadId: id ?? 1 }), Effect.void, () => {})
    const value = yield* during(live)(settled(live, serial, policy.wait, refusal))
    return value.state === "running"
      ? { ...value, notes: ["The pause was asked for and has not taken effect: `status` shows when it does."] }
      : value
  })

  return { resume, pause }
}
