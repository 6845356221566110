/** Time-outs, TTLs and idle budgets, all as schedules: a budget is spent when its schedule completes. */
import { type Duration, Effect, FiberHandle, Option, Schedule, type Scope } from "effect"

export type Budget = Schedule.Schedule<unknown>

/** A budget that is spent after this time. */
export const after = (duration: Duration.Input): Budget => Schedule.duration(duration)

/** Completes when the budget is spent. */
export const spent = (budget: Budget): Effect.Effect<void> => Effect.asVoid(Effect.repeat(Effect.void, budget))

/** Runs an effect inside a budget: `None`, with the effect interrupted, when the budget is spent first. */
export const within =
  (budget: Budget) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<Option.Option<A>, E, R> =>
    Effect.raceFirst(Effect.asSome(self), Effect.as(spent(budget), Option.none<A>()))

/** A countdown that activity re-arms. */
export interface Idle {
  /** Starts the countdown again. */
  readonly touch: Effect.Effect<void>
  /** Stops it until the next `touch`. */
  readonly pause: Effect.Effect<void>
}

/** Runs `onSpent` once each time the budget passes without a `touch`. The countdown starts at once and ends with the scope. */
export const idle = Effect.fnUntraced(function* (
  budget: Budget,
  onSpent: Effect.Effect<void>
): Effect.fn.Return<Idle, never, Scope.Scope> {
  const countdown = yield* FiberHandle.make<void>()
  // `onSpent` may touch or close the countdown itself, so it runs outside of the fiber that the handle would interrupt.
  const touch = Effect.asVoid(
    FiberHandle.run(
      countdown,
      Effect.andThen(spent(budget), Effect.forkDetach(onSpent, { startImmediately: true })).pipe(Effect.asVoid)
    )
  )
  yield* touch
  return { touch, pause: FiberHandle.clear(countdown) }
})
