/** The calls of a cell: through the tools of the call that runs it, to the runner and back (SPEC §8.3, 8.11). */
import { Clock, Effect, Fiber, type Scope } from "effect"
import type { Answer } from "../../src/Answer.ts"
import type { Call } from "../../src/Call.ts"
import * as Frame from "../../src/kernel/Frame.ts"
import type { Nested } from "../../src/kernel/Kernels.ts"

type Id = Frame.ToolCall["id"]

/** How many calls are told one by one. */
const shown = 30

export interface Bridge {
  readonly call: (call: Frame.ToolCall) => Effect.Effect<void>
  readonly cancel: (id: Id) => Effect.Effect<void>
  /** Ends the calls that are under way, and answers them: an interpreter that waits for one could not be interrupted. */
  readonly abort: (why: string) => Effect.Effect<void>
  /** Takes no calls any more, ends those that are under way, and gives how many there were. */
  readonly close: Effect.Effect<number>
  readonly isBusy: () => boolean
  readonly nested: () => ReadonlyArray<Nested>
  readonly total: () => number
}

export interface Options {
  /** Where calls run: they may take longer to end than the cell. */
  readonly scope: Scope.Scope
  readonly cell: number
  readonly call: Call
  /** `false`: it is too large. */
  readonly send: (request: Frame.Request) => Effect.Effect<boolean>
  /** The last of the calls that were under way has ended. */
  readonly idle: Effect.Effect<void>
}

/** How long the end of a cell waits for what its calls do last. */
const releaseTime = "2 seconds"

const failure = (id: Id, code: string, message: string): Frame.Request => ({ t: "reply", id, ok: false, code, message })

const replyTo = (id: Id, answer: Answer): Frame.Request =>
  answer.isFailure
    ? failure(id, answer.code, answer.text)
    : { t: "reply", id, ok: true, value: answer.value === undefined ? answer.text : answer.value }

export const make = Effect.fnUntraced(function* (options: Options): Effect.fn.Return<Bridge> {
  const { scope } = options
  const clock = yield* Clock.Clock
  // With what the harness gave the outer call: its sinks, its spans.
  const context = yield* Effect.context<never>()
  const pending = new Map<Id, Fiber.Fiber<void>>()
  const nested: Array<Nested> = []
  let total = 0
  let isClosed = false
  let running = 0

  const record = (tool: string, outcome: Nested["outcome"], since: number) => {
    total++
    const milliseconds = clock.currentTimeMillisUnsafe() - since
    if (nested.length < shown) nested.push({ tool: tool.slice(0, 100), outcome, milliseconds })
  }

  const perform = ({ id, name, params }: Frame.ToolCall) =>
    Effect.suspend(() => {
      const since = clock.currentTimeMillisUnsafe()
      if (name === "") {
        return Effect.flatMap(options.call.tools.list, (value) => options.send({ t: "reply", id, ok: true, value }))
      }
      return options.call.tools.dispatch(name, params ?? {}).pipe(
        Effect.onInterrupt(() => Effect.sync(() => record(name, "cancelled", since))),
        Effect.tap((answer) => Effect.sync(() => record(name, answer.isFailure ? "failed" : "ok", since))),
        Effect.flatMap((answer) => options.send(replyTo(id, answer))),
        Effect.flatMap((isSent) =>
          isSent
            ? Effect.void
            : options.send(
                failure(id, "too_large", `the result of ${name} has more than the 64 MiB that a cell can take`)
              )
        )
      )
    }).pipe(Effect.asVoid, Effect.setContext(context))

  const work = (frame: Frame.ToolCall) =>
    Effect.acquireUseRelease(
      Effect.sync(() => running++),
      () => perform(frame),
      () =>
        Effect.suspend(() => {
          pending.delete(frame.id)
          return --running === 0 ? options.idle : Effect.void
        })
    )

  /** They end by themselves when they are interrupted, some only after what they must not leave half done. */
  const interruptAll = Effect.suspend(() => {
    const fibers = [...pending.values()]
    return fibers.length === 0
      ? Effect.void
      : Effect.asVoid(Effect.timeoutOption(Fiber.interruptAll(fibers), releaseTime))
  })

  return {
    call: (frame) =>
      Effect.suspend(() => {
        if (isClosed || frame.cell !== options.cell) {
          const message = `cell ${frame.cell}, which makes this call of ${frame.name}, has ended: tools can be called by a running cell only`
          return options.send(failure(frame.id, "cancelled", message)).pipe(Effect.forkIn(scope), Effect.asVoid)
        }
        if (pending.has(frame.id)) return Effect.void
        return Effect.map(Effect.forkIn(work(frame), scope), (fiber) => {
          pending.set(frame.id, fiber)
        })
      }),
    cancel: (id) =>
      Effect.suspend(() => {
        const fiber = pending.get(id)
        return fiber === undefined ? Effect.void : Effect.asVoid(Effect.forkIn(Fiber.interrupt(fiber), scope))
      }),
    abort: (why) =>
      Effect.suspend(() => {
        const ids = [...pending.keys()]
        const replies = Effect.forEach(
          ids,
          (id) => options.send(failure(id, "cancelled", `the call was cancelled: ${why}`)),
          { discard: true }
        )
        return Effect.asVoid(Effect.forkIn(Effect.andThen(replies, interruptAll), scope))
      }),
    close: Effect.suspend(() => {
      isClosed = true
      const left = pending.size
      return Effect.as(interruptAll, left)
    }),
    isBusy: () => running > 0,
    nested: () => nested,
    total: () => total
  }
})
