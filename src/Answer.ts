/** What a call ends with (SPEC §11). */
import type { Deferred } from "./DeferredFindings.ts"
import type { Code } from "./ToolError.ts"

/** `text` is for the model, `value` for programs: plain JSON of the tool's `success` schema. */
export interface Success<out Value = unknown> {
  readonly isFailure: false
  readonly text: string
  readonly value: Value
  /** What an earlier write has caused; in `text` too. */
  readonly deferred?: ReadonlyArray<Deferred>
}

/** `value` is there where SPEC §11 says that the failure carries one. */
export interface Failure {
  readonly isFailure: true
  readonly code: Code
  readonly text: string
  readonly value?: unknown
  readonly deferred?: ReadonlyArray<Deferred>
}

export type Answer<Value = unknown> = Success<Value> | Failure

export const failure = (code: Code, text: string, value?: unknown): Failure =>
  value === undefined ? { isFailure: true, code, text } : { isFailure: true, code, text, value }

/** The answer with what earlier writes have caused, in its text too. */
export const withDeferred = <A extends Answer>(answer: A, deferred: ReadonlyArray<Deferred>): A =>
  deferred.length === 0
    ? answer
    : { ...answer, deferred, text: [answer.text, ...deferred.map(({ text }) => text)].join("\n") }
