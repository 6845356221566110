/** How a command of the reference harness ends when it does not end well. */
import { Runtime, Schema } from "effect"

/** Wrong usage (exit code 2); `message` says what is wrong and how it is meant. */
export class UsageError extends Schema.TaggedError<UsageError>()("UsageError", { message: Schema.String }) {
  override readonly [Runtime.errorExitCode] = 2
  override readonly [Runtime.errorReported] = false
}

/** The language model of an agent could not be started, or failed (exit code 1); `message` says which, why, and what to do. */
export class ModelFailed extends Schema.TaggedError<ModelFailed>()("ModelFailed", { message: Schema.String }) {
  override readonly [Runtime.errorExitCode] = 1
  override readonly [Runtime.errorReported] = false
}

/** A tool failed, or was denied, or an agent did not come to an end. It is told on standard output or error already. */
export class CallFailed extends Schema.TaggedError<CallFailed>()("CallFailed", { exitCode: Schema.Int }) {
  override readonly [Runtime.errorExitCode] = this.exitCode
  override readonly [Runtime.errorReported] = false
}
