/** Requests that wait for their answers, by id. Shared by the sessions of language servers and debug adapters. */
import { Deferred, Effect } from "effect"

export interface Pending<A, E> {
  /**
   * Takes a new id, sends with it and waits. Interrupted, it calls `abandon`; an answer that still comes is dropped, and
   * the id is never used again (C11).
   */
  readonly run: <E2, R, R2>(
    send: (id: number) => Effect.Effect<void, E2, R>,
    abandon: (id: number) => Effect.Effect<void, never, R2>
  ) => Effect.Effect<A, E | E2, R | R2>
  /** Gives a request its answer; `false` when nobody waits for this id. */
  readonly settle: (id: unknown, answer: Effect.Effect<A, E>) => boolean
  /** Fails all that wait, and all that will. */
  readonly failAll: (error: E) => void
  readonly size: () => number
}

/** 1, 2, 3, … */
const counter = () => {
  let last = 0
  return () => ++last
}

/** `nextId`: where ids come from, where other messages are counted with the requests. */
export const make = <A, E>(nextId: () => number = counter()): Pending<A, E> => {
  const waiting = new Map<unknown, Deferred.Deferred<A, E>>()
  let over: { readonly error: E } | undefined
  return {
    run: (send, abandon) =>
      Effect.suspend(() => {
        if (over !== undefined) return Effect.fail(over.error)
        const id = nextId()
        const answer = Deferred.makeUnsafe<A, E>()
        waiting.set(id, answer)
        return Effect.andThen(send(id), Deferred.await(answer)).pipe(
          Effect.onInterrupt(() => Effect.suspend(() => (waiting.has(id) ? abandon(id) : Effect.void))),
          Effect.ensuring(Effect.sync(() => waiting.delete(id)))
        )
      }),
    settle: (id, answer) => {
      const deferred = waiting.get(id)
      if (deferred === undefined) return false
      waiting.delete(id)
      return Deferred.doneUnsafe(deferred, answer)
    },
    failAll: (error) => {
      over ??= { error }
      const all = [...waiting.values()]
      waiting.clear()
      for (const deferred of all) Deferred.doneUnsafe(deferred, Effect.fail(error))
    },
    size: () => waiting.size
  }
}
