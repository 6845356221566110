/** Waiting for a server without asking it again and again, and what is said when the time is over. */
import { Clock, Effect } from "effect"
import type { Outcome } from "../../src/lsp/LanguageServers.ts"
import type { AskError } from "../../src/lsp/Question.ts"
import { errorCodes } from "../../src/wire/JsonRpc.ts"
import type { Session } from "./Session.ts"

/** How far a call has come with one server: all that is known when its time is over. */
export interface Course<A> {
  /** As `waiting for …`. */
  doing: string
  session?: Session
  value?: A
}

export const course = <A>(doing: string): Course<A> => ({ doing })

/** Completes at the next thing that the server tells (of this file), and at the latest at a time in milliseconds. */
export const next = Effect.fnUntraced(function* (
  session: Session,
  mark: number,
  until: number | undefined,
  path?: string
) {
  const told = session.signal.after(mark, path)
  if (until === undefined) {
    yield* told
    return
  }
  const now = yield* Clock.currentTimeMillis
  yield* Effect.timeoutOption(told, Math.max(0, until - now))
})

/** Completes when the server does not say that it is loading; fails never, but may wait for ever. */
export const loaded = Effect.fnUntraced(function* (session: Session, course: Course<unknown>) {
  while (true) {
    const mark = session.signal.mark()
    const now = yield* Clock.currentTimeMillis
    if (session.progress.readiness(now) !== "loading" || session.over() !== undefined) return
    course.doing = "waiting for it to load the project"
    yield* next(session, mark, session.progress.changesAt(now))
  }
})

/** What it says that it is doing, in parentheses after a sentence; empty where it says nothing. */
const work = (session: Session, now: number): string => {
  const lines = session.progress.describe(now)
  return lines.length === 0 ? "" : `: ${lines.slice(0, 3).join("; ")}`
}

/** Why an answer may lack something. */
export const stillLoading = (session: Session, now: number): string =>
  `it is still loading the project${work(session, now)}`

/** The outcome when the time is over. */
export const timedOut = <A>(course: Course<A>, seconds: number, now: number): Outcome<A> => {
  const { doing, session, value } = course
  const isLoading = session !== undefined && session.progress.readiness(now) === "loading"
  const state = isLoading ? `; ${stillLoading(session, now)}` : ""
  const reason = `not answered in ${seconds} s, ${doing}${state}`
  const why = isLoading ? "loading" : "late"
  return { outcome: "unknown", reason, why, ...(value === undefined ? {} : { provisional: value }) }
}

/** An answer that tells to ask again: the text has changed, or the server gave up its work. */
export const isTransient = (error: AskError): boolean =>
  error._tag === "ResponseError" &&
  (error.code === errorCodes.contentModified ||
    error.code === errorCodes.requestCancelled ||
    (error.code === errorCodes.serverCancelled && retriggers(error.data)))

const retriggers = (data: unknown): boolean =>
  !(typeof data === "object" && data !== null && "retriggerRequest" in data && data.retriggerRequest === false)

/** An operation that the server advertised and does not know. */
export const isUnsupported = (error: AskError): boolean =>
  error._tag === "ResponseError" &&
  (error.code === errorCodes.methodNotFound ||
    /unhandled method|unknown method|(?:method|diagnostics) (?:is |are )?not (?:found|supported|implemented)/i.test(
      error.message
    ))

export const failed = (error: AskError): { readonly outcome: "unknown"; readonly reason: string } => ({
  outcome: "unknown",
  reason:
    error._tag === "ResponseError"
      ? `it answered with an error: ${error.message.slice(0, 500)} (${error.code})`
      : error.message
})
