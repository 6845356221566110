/** One lock per key, first come first served. An entry lives as long as somebody holds it or waits for it. */
import { Effect, Semaphore } from "effect"

export interface FileLocks {
  /**
   * Runs an effect while holding the locks of these keys. They are taken in one order, so that calls over several keys
   * cannot deadlock. Waiting can be interrupted. Not re-entrant: a call inside another for the same key waits for ever.
   */
  readonly withLocks: (keys: Iterable<string>) => <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** How many locks are held or waited for. */
  readonly size: () => number
}

export const make = (): FileLocks => {
  const entries = new Map<string, { readonly semaphore: Semaphore.Semaphore; users: number }>()

  const withLock =
    (key: string) =>
    <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.acquireUseRelease(
        Effect.sync(() => {
          const entry = entries.get(key) ?? { semaphore: Semaphore.makeUnsafe(1), users: 0 }
          entries.set(key, entry)
          entry.users++
          return entry
        }),
        (entry) => entry.semaphore.withPermit(self),
        (entry) => Effect.sync(() => --entry.users === 0 && entries.delete(key))
      )

  return {
    withLocks: (keys) => (self) => [...new Set(keys)].sort().reduceRight((inner, key) => withLock(key)(inner), self),
    size: () => entries.size
  }
}
