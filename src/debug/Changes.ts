/** Wakes those who wait for what adapters tell, without anybody looking again and again. */
import { Effect } from "effect"

export interface Changes {
  /** Something may have changed. */
  readonly notify: () => void
  /** Completes with what a look gives, now or after the first change that makes it give something. */
  readonly until: <A>(look: () => A | undefined) => Effect.Effect<A>
}

export const make = (): Changes => {
  const waiting = new Set<() => void>()
  return {
    notify: () => {
      for (const check of Array.from(waiting)) check()
    },
    until: (look) =>
      Effect.callback((resume) => {
        const check = () => {
          const found = look()
          if (found === undefined) return
          waiting.delete(check)
          resume(Effect.succeed(found))
        }
        waiting.add(check)
        check()
        return Effect.sync(() => waiting.delete(check))
      })
  }
}
