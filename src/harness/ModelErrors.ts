/** What a failure of a language model says, and whether and when the model is asked again. */
import { Duration } from "effect"
import type { AiError } from "effect/ai"

/** A provider that asks for a longer pause is not asked again. */
const longestPause = Duration.minutes(5)
const attempts = 5

/** In one line, with what the provider itself said, where the error has it only beside its message. */
export const describe = (error: AiError.AiError): string => {
  const { reason } = error
  const message = error.message.replaceAll(/\s+/g, " ").replace(/\.$/, "")
  const { body = "", response } = ("http" in reason ? reason.http : undefined) ?? {}
  const said = body.trim().replaceAll(/\s+/g, " ").slice(0, 1000)
  if (said === "" || message.includes(said)) return message
  return `${message} (${response === undefined ? "" : `HTTP ${response.status}: `}${said})`
}

/**
 * How long to wait before the attempt that follows this one (from 1): as long as the provider asks, else longer each time. `undefined`:
 * it is not asked again. What does not have the shape of an answer would not have it the next time.
 */
export const pause = (error: AiError.AiError, attempt: number, now: number): Duration.Duration | undefined => {
  const { _tag } = error.reason
  if (!error.isRetryable || _tag === "InvalidOutputError" || _tag === "StructuredOutputError") return undefined
  if (attempt >= attempts) return undefined
  const asked = retryAfter(error, now)
  if (asked === undefined) return Duration.seconds(2 ** (attempt - 1))
  return Duration.isLessThanOrEqualTo(asked, longestPause) ? asked : undefined
}

/** Why it is not asked again, where that is the pause that the provider asks for. */
export const whyNot = (error: AiError.AiError, now: number): string | undefined => {
  const asked = error.isRetryable ? retryAfter(error, now) : undefined
  return asked === undefined || Duration.isLessThanOrEqualTo(asked, longestPause)
    ? undefined
    : `The model's provider asks to be left alone for ${Duration.format(asked)}, which is longer than a run waits.`
}

/** The `Retry-After` of the response: seconds, or a date. One that is over already asks for nothing. */
const retryAfter = (error: AiError.AiError, now: number): Duration.Duration | undefined => {
  if (error.retryAfter !== undefined) return error.retryAfter
  const header = "http" in error.reason ? error.reason.http?.response?.headers["retry-after"] : undefined
  if (typeof header !== "string" || header.trim() === "") return undefined
  const seconds = Number(header)
  const millis = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - now
  return millis > 0 ? Duration.millis(millis) : undefined
}
