/** Keeps calls with one serial key in the order they came (SPEC §2: calls on one session run in the order they were issued). */
import { Effect, Semaphore } from "effect"

/** Held by at most one call at a time; its identity is what a nested call is checked against. */
export interface CallQueue {
  readonly semaphore: Semaphore.Semaphore
  users: number
}

// Calls that stand on the same live resource share a queue, whichever surface they come through.
const queues = new WeakMap<object, Map<string, CallQueue>>()

/** The queue of this key of this live resource. */
export const of = (resource: object, key: string): CallQueue => {
  let byKey = queues.get(resource)
  if (byKey === undefined) queues.set(resource, (byKey = new Map()))
  let queue = byKey.get(key)
  if (queue === undefined) byKey.set(key, (queue = { semaphore: Semaphore.makeUnsafe(1), users: 0 }))
  return queue
}

/** Runs an effect when all that came before it with this key are done. */
export const enqueue =
  (resource: object, key: string, queue: CallQueue) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.acquireUseRelease(
      Effect.sync(() => queue.users++),
      () => queue.semaphore.withPermits(1)(self),
      () =>
        Effect.sync(() => {
          if (--queue.users === 0) queues.get(resource)?.delete(key)
        })
    )
