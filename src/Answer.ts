/** What a call ends with (SPEC §11). */
import type { Code } from "./ToolError.ts"

/** `text` is for the model, `value` for programs: plain JSON of the tool's `success` schema. */
export interface Success<out Value = unknown> {
  readonly isFailure: false
  readonly text: string
  readonly value: Value
}

/** `value` is there where SPEC §11 says that the failure carries one. */
export interface Failure {
  readonly isFailure: true
  readonly code: Code
  readonly text: string
  readonly value?: unknown
}

export type Answer<Value = unknown> = Success<Value> | Failure

export const failure = (code: Code, text: string, value?: unknown): Failure =>
  value === undefined ? { isFailure: true, code, text } : { isFailure: true, code, text, value }
