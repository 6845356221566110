/**
 * How often servers have ended by themselves, and which may be started now. It outlives them: a count that a new server begins
 * again would never stop (C29, C30).
 */
import * as Policy from "./Policy.ts"

/** Whether a server may be started: now, after a pause, or (`reason`) not for a while. */
export type Verdict =
  | { readonly _tag: "Now" }
  | { readonly _tag: "Pause"; readonly millis: number }
  | { readonly _tag: "No"; readonly reason: string; readonly isStart: boolean }

export interface Restarts {
  readonly verdict: (key: string, now: number) => Verdict
  readonly crashed: (key: string, reason: string, now: number) => void
  /** It did not start. */
  readonly failed: (key: string, reason: string, now: number) => void
  /** How often it ended in the window. */
  readonly count: (key: string, now: number) => number
  /** What it ended or failed with last. */
  readonly lastReason: (key: string) => string | undefined
  readonly forget: (key: string) => void
}

interface Entry {
  readonly ends: ReadonlyArray<number>
  readonly reason: string
  /** When the last start failed; `undefined` when it worked. */
  readonly failedAt: number | undefined
}

const seconds = (millis: number): string => `${Math.max(1, Math.ceil(millis / 1000))} s`

export const make = ({ failed, restarts }: Pick<Policy.Policy, "failed" | "restarts">): Restarts => {
  const entries = new Map<string, Entry>()
  const within = Policy.millis(restarts.within)
  const recent = (key: string, now: number) => (entries.get(key)?.ends ?? []).filter((at) => now - at < within)
  const add = (key: string, reason: string, now: number, failedAt: number | undefined) =>
    entries.set(key, { ends: [...recent(key, now), now], reason, failedAt })
  return {
    verdict: (key, now) => {
      const entry = entries.get(key)
      if (entry === undefined) return { _tag: "Now" }
      const ends = recent(key, now)
      const last = ends.at(-1)
      if (entry.failedAt !== undefined) {
        const left = entry.failedAt + Policy.millis(failed) - now
        const again = `it is tried again in ${seconds(left)}, or at once with reload`
        return left > 0 ? { _tag: "No", reason: `${entry.reason}; ${again}`, isStart: true } : { _tag: "Now" }
      }
      if (ends.length >= restarts.times) {
        const left = ends[ends.length - restarts.times]! + within - now
        const again = `it is started again in ${seconds(left)}, or at once with reload`
        const why = `it ended ${ends.length} times in ${seconds(within)}, last: ${entry.reason}`
        return { _tag: "No", reason: `${why}; ${again}`, isStart: false }
      }
      const pause = last === undefined ? 0 : last + Policy.millis(restarts.pause) * 2 ** (ends.length - 1) - now
      return pause > 0 ? { _tag: "Pause", millis: pause } : { _tag: "Now" }
    },
    crashed: (key, reason, now) => add(key, reason, now, undefined),
    failed: (key, reason, now) => add(key, reason, now, now),
    count: (key, now) => recent(key, now).length,
    lastReason: (key) => entries.get(key)?.reason,
    forget: (key) => entries.delete(key)
  }
}
