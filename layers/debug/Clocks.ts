/** What must end in real time, whatever clock its owner runs on. */
import { Clock, Context, type Duration, Effect, type Exit, type Option } from "effect"

const realClock = Context.get(Context.empty(), Clock.Clock)

export const onRealClock = Effect.provideService(Clock.Clock, realClock)

/** Runs in real time with a limit, also where nothing may be interrupted. */
export const within = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  limit: Duration.Input
): Effect.Effect<Option.Option<Exit.Exit<A, E>>, never, R> =>
  effect.pipe(Effect.exit, Effect.timeoutOption(limit), Effect.interruptible, onRealClock)
