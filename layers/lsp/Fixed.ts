/** Keeps what a server is shown as it is while it is asked about texts that need not be those on disk. */
import { type Duration, Effect, Latch, Semaphore } from "effect"

export interface Fixed {
  /** Runs while nobody else shows the server anything; one such effect at a time. */
  readonly during: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Completes when none runs, or when the patience is over. */
  readonly over: Effect.Effect<void>
}

export const make = (patience: () => Duration.Input): Fixed => {
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
      latch.isOpen() ? Effect.void : Effect.asVoid(Effect.timeoutOption(latch.await, patience()))
    )
  }
}
