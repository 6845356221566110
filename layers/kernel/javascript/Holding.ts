/**
 * Keeps what a cell awaits alive. A promise that nothing else refers to would be collected with the cell that waits for it, and V8's
 * inspector reports that to us in the middle of the collection, which ends the process. A cell awaits one thing at a time.
 */
import { types } from "node:util"

const NativePromise = Promise
const resolve = Promise.resolve.bind(Promise)
const then = Function.prototype.call.bind(Promise.prototype.then) as (
  promise: unknown,
  settled: (value: unknown) => unknown
) => Promise<unknown>

let held: unknown

/** What is awaited. */
export const hold = (value: unknown): unknown => {
  const isPlain = (typeof value !== "object" || value === null) && typeof value !== "function"
  held = isPlain || types.isPromise(value) ? value : resolve(value)
  return held
}

export const release = (): void => {
  held = undefined
}

/** What `for await` goes through. */
export const each = (iterable: AsyncIterable<unknown> | Iterable<unknown>): AsyncIterable<unknown> => ({
  [Symbol.asyncIterator]: () => {
    if (Symbol.asyncIterator in iterable) {
      const iterator = iterable[Symbol.asyncIterator]()
      return withReturn(iterator, () => hold(iterator.next()) as Promise<IteratorResult<unknown>>)
    }
    const iterator = iterable[Symbol.iterator]()
    return withReturn(iterator, () => {
      const { done, value } = iterator.next()
      return hold(then(resolve(value), (settled) => ({ done, value: settled }))) as Promise<IteratorResult<unknown>>
    })
  }
})

const withReturn = (
  iterator: AsyncIterator<unknown> | Iterator<unknown>,
  next: () => Promise<IteratorResult<unknown>>
): AsyncIterator<unknown> => {
  if (iterator.return === undefined) return { next }
  const end = async () => NativePromise.resolve(iterator.return!())
  return { next, return: () => hold(end()) as Promise<IteratorResult<unknown>> }
}
