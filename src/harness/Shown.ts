/** What a call has shown while it was under way, for the case that it is cancelled and has no answer. */
import { Effect } from "effect"
import { OutputSink } from "../Call.ts"

/** The end of it is kept. Characters. */
export const maxShown = 48 * 1024

/** The end of a text that comes in parts, with what of it is not kept. */
export interface Tail {
  readonly push: (text: string) => void
  readonly text: () => string
  /** The last line that is not blank, whole, however many parts it came in; of one that was written over, what stands there. */
  readonly lastLine: () => string
}

export const tail = (): Tail => {
  let kept = ""
  let left = 0
  return {
    push: (text) => {
      const all = kept + text
      kept = all.slice(-maxShown)
      left += all.length - kept.length
    },
    text: () => (left === 0 ? kept : `[… ${left} characters before this …]\n${kept}`),
    lastLine: () => {
      const text = kept.trimEnd()
      return text.slice(Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r")) + 1)
    }
  }
}

/** Runs the call; when it is interrupted, `tell` is given what it had shown, as it came. */
export const keep =
  (tell: (shown: string) => Effect.Effect<void>) =>
  <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      const shown = tail()
      return call.pipe(
        Effect.provideService(OutputSink, ({ text }) => Effect.sync(() => shown.push(text))),
        Effect.onInterrupt(() => tell(shown.text()))
      )
    })

/** For a person. */
export const cancelled = (tool: string, shown: string): string =>
  `${tool} was cancelled.${shown.trim() === "" ? "" : ` It had shown:\n${shown.trimEnd()}`}`
