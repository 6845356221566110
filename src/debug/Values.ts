/** What `debug` answers (SPEC §11). */
import { Schema } from "effect"

const { optionalKey } = Schema

/** A variable; `reference` 0: it has no children. Values are cut at 400 characters, with the full length. */
export const Variable = Schema.Struct({
  name: Schema.String,
  value: Schema.String,
  type: optionalKey(Schema.String),
  reference: Schema.Int
})
export type Variable = typeof Variable.Type

export const Frame = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  path: optionalKey(Schema.String),
  line: optionalKey(Schema.Int)
})
export type Frame = typeof Frame.Type

export const Stop = Schema.Struct({
  reason: Schema.String,
  path: optionalKey(Schema.String),
  line: optionalKey(Schema.Int),
  thread_id: Schema.Int,
  /** Where more than one process is debugged. */
  process_id: optionalKey(Schema.Int),
  description: optionalKey(Schema.String),
  /** The frame that `path` and `line` are of. */
  frame: optionalKey(Frame),
  /** The frame at the top of the stack, where it is another: a runtime's, without source. */
  top: optionalKey(Frame),
  /** The lines around it. */
  source: optionalKey(Schema.Array(Schema.Struct({ line: Schema.Int, text: Schema.String }))),
  /** The innermost variables. */
  locals: optionalKey(Schema.Array(Variable)),
  /** The file has changed since the program was started or built: the lines may not be those that run. */
  source_changed: optionalKey(Schema.Boolean),
  /** How many locals there are, when not all are shown. */
  locals_total: optionalKey(Schema.Int)
})
export type Stop = typeof Stop.Type

export const Adapter = Schema.Struct({
  id: Schema.String,
  usable: Schema.Boolean,
  marker: optionalKey(Schema.String),
  binary: optionalKey(Schema.String),
  version: optionalKey(Schema.String),
  reason: optionalKey(Schema.String)
})

export const Breakpoint = Schema.Struct({
  path: Schema.String,
  line: Schema.Int,
  verified: Schema.Boolean,
  bound_line: optionalKey(Schema.Int),
  message: optionalKey(Schema.String),
  condition: optionalKey(Schema.String),
  hit_condition: optionalKey(Schema.String),
  log_message: optionalKey(Schema.String)
})
export type Breakpoint = typeof Breakpoint.Type

export const FunctionBreakpoint = Schema.Struct({
  name: Schema.String,
  verified: Schema.Boolean,
  message: optionalKey(Schema.String)
})

export const Output = Schema.Struct({ category: Schema.String, text: Schema.String })

export const state = ["none", "running", "stopped", "ended"] as const

export const Value = Schema.Struct({
  state: Schema.Literals(state),
  stop: optionalKey(Stop),
  exit_code: optionalKey(Schema.Int),
  /** Why the session has ended, where it was not the program that ended. */
  ended_because: optionalKey(Schema.String),
  /** How long an op has waited for a stop that has not come. */
  waited_seconds: optionalKey(Schema.Finite),
  /** What is debugged, and by which adapter. */
  program: optionalKey(Schema.String),
  adapter: optionalKey(Schema.String),
  is_attached: optionalKey(Schema.Boolean),
  /** Until the session is ended whatever happens. */
  seconds_left: optionalKey(Schema.Int),
  adapters: optionalKey(Schema.Array(Adapter)),
  breakpoints: optionalKey(Schema.Array(Breakpoint)),
  functions: optionalKey(Schema.Array(FunctionBreakpoint)),
  exceptions: optionalKey(Schema.Literals(["uncaught", "all", "none"])),
  /** Breakpoints that are not bound, so that the program does not stop there: told when it has ended, or goes on after a wait. */
  unbound: optionalKey(Schema.Array(Breakpoint)),
  threads: optionalKey(Schema.Array(Schema.Struct({ id: Schema.Int, name: Schema.String }))),
  frames: optionalKey(Schema.Array(Frame)),
  scopes: optionalKey(Schema.Array(Schema.Struct({ name: Schema.String, reference: Schema.Int }))),
  variables: optionalKey(Schema.Array(Variable)),
  /** How many variables, frames or threads there are in all, where it is known. */
  total: optionalKey(Schema.Int),
  result: optionalKey(Schema.String),
  type: optionalKey(Schema.String),
  reference: optionalKey(Schema.Int),
  /** The expression could not be evaluated; `result` says why. */
  is_error: optionalKey(Schema.Boolean),
  output: optionalKey(Schema.Array(Output)),
  /** Bytes of output that were lost, and that are left to be read. */
  output_dropped: optionalKey(Schema.Int),
  output_left: optionalKey(Schema.Int),
  /** What the adapter has said since and wants to be seen at once, as that a condition cannot be evaluated. */
  important: optionalKey(Schema.String),
  notes: optionalKey(Schema.Array(Schema.String))
})
export type Value = typeof Value.Type
