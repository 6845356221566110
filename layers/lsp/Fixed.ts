/** Keeps what a server is shown as it is while it is asked about texts that need not be those on disk. */
import { Effect, Latch, Semaphore } from "effect"

export interface Fixed {
  /** Runs while nobody else shows the server anything; one such effect at a time. */
  readonly during: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Completes when none runs; after a while all the same, for a question waits for no server that never answers another. */
  readonly over: Effect.Effect<void>
}

const patience = "10 seconds"

export const make = (): Fixed => {
  const turn = Semaphore.makeUnsafe(1)
  const latch = Latch.makeUnsafe(true)
  return {
    during: (self) =>
      turn.withPermit(
        Effect.acquireUseRelease(
          Effect.sync(() => latch.closeUnsafe()),
          () => self,
          () => Effect.sync(() => latch.openUnsafe())
        )
      ),
    over: Effect.suspend(() =>
      latch.isOpen() ? Effect.void : Effect.asVoid(Effect.timeoutOption(latch.await, patience))
    )
  }
}
