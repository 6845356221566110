/**
 * What is on its way to a process that may stop reading (C16). Nobody who sends waits for it: what it does not take piles up
 * to a limit, and then, or when it has taken nothing for too long, it counts as wedged.
 */
import { type Cause, type Duration, Effect, Option, Queue, type Scope } from "effect"

export interface Outbox {
  /** `false` when the outbox is over: nothing will be sent any more. */
  readonly send: (bytes: Uint8Array) => boolean
  /** Completes when everything sent so far has been written, or the outbox is over. */
  readonly flushed: Effect.Effect<void>
  /** Takes nothing more; what is in it is still written. */
  readonly end: () => void
}

export interface Options<E> {
  readonly write: (bytes: Uint8Array) => Effect.Effect<void, E>
  /** Called once, when the process is wedged, or (`isClosed`) the pipe is closed. */
  readonly failed: (reason: string, isClosed: boolean) => void
  /** Default 64 MiB. */
  readonly capacityBytes?: number
  /** How long one message may take to be written. Default 30 seconds. */
  readonly stuckAfter?: Duration.Input
}

type Item = Uint8Array | (() => void)

export const make = Effect.fnUntraced(function* <E extends { readonly message: string }>(
  options: Options<E>
): Effect.fn.Return<Outbox, never, Scope.Scope> {
  const capacity = options.capacityBytes ?? 64 * 1024 * 1024
  const queue = yield* Queue.unbounded<Item, Cause.Done>()
  let waiting = 0
  let isOver = false
  let hasFailed = false
  const fail = (reason: string, isClosed: boolean) => {
    if (hasFailed) return
    hasFailed = true
    isOver = true
    Queue.endUnsafe(queue)
    options.failed(reason, isClosed)
  }
  const step = Effect.flatMap(Queue.take(queue), (item) => {
    if (typeof item === "function") return Effect.sync(item)
    if (hasFailed) return Effect.void
    return options.write(item).pipe(
      Effect.timeoutOption(options.stuckAfter ?? "30 seconds"),
      Effect.map((written) => {
        waiting -= item.length
        if (Option.isNone(written)) fail("it has stopped reading its input", false)
      }),
      Effect.catch((error: E) => Effect.sync(() => fail(error.message, true)))
    )
  })
  yield* Effect.forever(step).pipe(Effect.ignore, Effect.forkScoped({ startImmediately: true }))
  return {
    send: (bytes) => {
      if (isOver) return false
      waiting += bytes.length
      if (waiting > capacity) {
        fail(`it has stopped reading its input: ${waiting} bytes wait for it`, false)
        return false
      }
      return Queue.offerUnsafe(queue, bytes)
    },
    flushed: Effect.callback<void>((resume) => {
      if (!Queue.offerUnsafe(queue, () => resume(Effect.void))) resume(Effect.void)
    }),
    end: () => {
      isOver = true
      Queue.endUnsafe(queue)
    }
  }
})
