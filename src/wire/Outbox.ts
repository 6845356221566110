/**
 * What is on its way to a process that may stop reading (C16). Nobody who sends waits for it: what it does not take piles up
 * to a limit, and then, or when it has taken nothing for too long, it counts as wedged.
 */
import { Clock, Duration, Effect, MutableList, type Scope } from "effect"

export interface Outbox {
  /** `false` when the outbox is over: nothing will be sent any more. */
  readonly send: (bytes: Uint8Array) => boolean
  /** Completes when nothing is left to be written, or the outbox is over. */
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

/** A fiber that waits here goes on at once when it is woken, and not with the next turn of the event loop. */
const bell = () => {
  let waiting: (() => void) | undefined
  return {
    ring: () => {
      const wake = waiting
      waiting = undefined
      wake?.()
    },
    heard: Effect.callback<void>((resume) => {
      waiting = () => resume(Effect.void)
    })
  }
}

export const make = Effect.fnUntraced(function* <E extends { readonly message: string }>(
  options: Options<E>
): Effect.fn.Return<Outbox, never, Scope.Scope> {
  const capacity = options.capacityBytes ?? 64 * 1024 * 1024
  const stuckAfter = Duration.toMillis(options.stuckAfter ?? "30 seconds")
  const clock = yield* Clock.Clock
  const queue = MutableList.make<Uint8Array>()
  const filled = bell()
  const begun = bell()
  let flushing: Array<() => void> = []
  let waiting = 0
  let writingSince: number | undefined
  let isOver = false
  let hasFailed = false

  const isIdle = () => hasFailed || (writingSince === undefined && queue.length === 0)
  const flush = () => {
    const all = flushing
    flushing = []
    for (const done of all) done()
  }
  const fail = (reason: string, isClosed: boolean) => {
    if (hasFailed) return
    hasFailed = true
    isOver = true
    MutableList.clear(queue)
    flush()
    options.failed(reason, isClosed)
  }

  const step = Effect.suspend(() => {
    const bytes = MutableList.take(queue)
    if (bytes === MutableList.Empty) {
      flush()
      return filled.heard
    }
    writingSince = clock.currentTimeMillisUnsafe()
    begun.ring()
    return options.write(bytes).pipe(
      Effect.catch((error: E) => Effect.sync(() => fail(error.message, true))),
      Effect.andThen(
        Effect.sync(() => {
          waiting -= bytes.length
          writingSince = undefined
        })
      )
    )
  })
  /** One clock for all messages that follow each other: a timer for each would cost more than the write. */
  const watch = Effect.suspend(() => {
    if (writingSince === undefined || hasFailed) return begun.heard
    const left = writingSince + stuckAfter - clock.currentTimeMillisUnsafe()
    if (left > 0) return Effect.sleep(left)
    fail("it has stopped reading its input", false)
    return begun.heard
  })
  for (const each of [step, watch]) {
    yield* Effect.forever(each, { disableYield: true }).pipe(Effect.forkScoped({ startImmediately: true }))
  }

  return {
    send: (bytes) => {
      if (isOver) return false
      waiting += bytes.length
      if (waiting > capacity) {
        fail(`it has stopped reading its input: ${waiting} bytes wait for it`, false)
        return false
      }
      MutableList.append(queue, bytes)
      filled.ring()
      return true
    },
    flushed: Effect.callback<void>((resume) => {
      if (isIdle()) resume(Effect.void)
      else flushing.push(() => resume(Effect.void))
    }),
    end: () => {
      isOver = true
    }
  }
})
