/** Output as it comes, for whoever looks (`Call.output`): merged, in order, and never holding up the cell that prints. */
import { Effect, Queue, type Scope, Semaphore } from "effect"
import type { Call } from "../../src/Call.ts"

export interface Streaming {
  readonly push: (kind: string, text: string) => void
  /** Completes when all that was pushed has been handed on. */
  readonly flush: Effect.Effect<void>
}

/** What a slow reader has not taken is left out above this many characters. */
const capacity = 256 * 1024

const none: Streaming = { push: () => {}, flush: Effect.void }

export const make = (call: Call): Effect.Effect<Streaming, never, Scope.Scope> =>
  Effect.gen(function* () {
    const show = call.output
    if (show === undefined) return none
    const wake = yield* Queue.unbounded<void>()
    let waiting: Array<{ readonly kind: string; text: string }> = []
    let size = 0
    let isLeftOut = false
    const turn = Semaphore.makeUnsafe(1)
    const drain = Effect.gen(function* () {
      while (waiting.length > 0) {
        const all = waiting
        waiting = []
        size = 0
        if (isLeftOut) all.push({ kind: "stderr", text: "\n[some output was not shown: its reader is too slow]\n" })
        isLeftOut = false
        for (const { kind, text } of all) yield* show(kind, text)
      }
    }).pipe(turn.withPermits(1))
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(Queue.take(wake), drain)))
    return {
      push: (kind, text) => {
        if (text === "") return
        if (size > capacity) {
          isLeftOut = true
          return
        }
        size += text.length
        const last = waiting.at(-1)
        if (last?.kind === kind) last.text += text
        else waiting.push({ kind, text })
        if (waiting.length === 1) Queue.offerUnsafe(wake, undefined)
      },
      flush: drain
    }
  })
