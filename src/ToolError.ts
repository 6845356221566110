/** The one failure of a tool (SPEC §11): a code for programs and a message for the model. */
import { Schema } from "effect"

/** Codes of a failed answer (SPEC §11). */
export const Code = Schema.Literals([
  "unknown_tool",
  "invalid_params",
  "denied",
  "no_approver",
  "outside_directory",
  "not_found",
  "not_text",
  "too_large",
  "symbol_not_found",
  "ambiguous_symbol",
  "unparseable_pattern",
  "unknown_language",
  "stale_edit",
  "unknown_edit",
  "refused_edit",
  "not_covered",
  "not_ready",
  "timed_out",
  "no_session",
  "session_exists",
  "not_stopped",
  "stale_reference",
  "adapter_failed",
  "server_failed",
  "cell_failed",
  "kernel_died",
  "nobody_connected",
  "unknown_worker",
  "cancelled",
  "internal"
])
export type Code = typeof Code.Type

/**
 * What a handler fails with. `message` says what was wrong, where, and what to do next; `value` is the structured value
 * that some failures carry (a cell that raised, a question that timed out).
 */
export class ToolError extends Schema.TaggedError<ToolError>()("ToolError", {
  code: Code,
  message: Schema.String,
  value: Schema.optionalKey(Schema.Unknown)
}) {}

/** A `ToolError` with a code and a message. */
export const make = (code: Code, message: string): ToolError => new ToolError({ code, message })
