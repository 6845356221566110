/** Wakes those who wait for something to change, without anybody looking again and again. */
import { Effect } from "effect"

export interface Signal {
  /** Something about a file has changed, or something that concerns everybody. */
  readonly notify: (path?: string) => void
  /** Taken before a look at what may change. */
  readonly mark: () => number
  /** Completes at the first change after the mark: of this file or for everybody, or any. */
  readonly after: (mark: number, path?: string) => Effect.Effect<void>
}

interface Waiter {
  readonly path: string | undefined
  readonly wake: () => void
}

const mostPaths = 10_000

export const make = (): Signal => {
  let count = 0
  let common = 0
  const last = new Map<string, number>()
  const waiting = new Set<Waiter>()
  return {
    notify: (path) => {
      count++
      if (path !== undefined && last.size < mostPaths) last.set(path, count)
      else {
        common = count
        last.clear()
      }
      // All at once: who is woken may wait again before this ends.
      const woken = [...waiting].filter((waiter) => path === undefined || (waiter.path ?? path) === path)
      for (const waiter of woken) waiting.delete(waiter)
      for (const { wake } of woken) wake()
    },
    mark: () => count,
    after: (mark, path) =>
      Effect.callback((resume) => {
        const changed = path === undefined ? count : Math.max(common, last.get(path) ?? 0)
        if (changed > mark) return resume(Effect.void)
        const waiter = { path, wake: () => resume(Effect.void) }
        waiting.add(waiter)
        return Effect.sync(() => waiting.delete(waiter))
      })
  }
}
