/** The tool `debug`: drives a debugger, one session a conversation (SPEC §7). */
import { Effect, Schema } from "effect"
import { Conversation } from "../Conversation.ts"
import * as LiveTool from "../LiveTool.ts"
import * as ToolError from "../ToolError.ts"
import { Workspace } from "../Workspace.ts"
import type { Wanted } from "./Breakpoints.ts"
import { type Debugger, Debuggers, type Launch } from "./Debuggers.ts"
import * as Shown from "./Shown.ts"
import * as Text from "./Text.ts"
import * as Values from "./Values.ts"

const ops = [
  "adapters",
  "status",
  "breakpoints",
  "launch",
  "attach",
  "continue",
  "pause",
  "step_over",
  "step_in",
  "step_out",
  "threads",
  "stack",
  "scopes",
  "variables",
  "set_variable",
  "evaluate",
  "output",
  "restart",
  "terminate"
] as const

const { optionalKey } = Schema
const positive = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))
const perLine = Schema.Array(Schema.NullOr(Schema.String))

const Parameters = Schema.Struct({
  op: Schema.Literals(ops).annotate({
    description:
      "adapters: what can be debugged here, and why not. breakpoints: the whole list of a file (before or after launch). launch: " +
      "runs the program to the first stop. attach: to what listens on a port. continue, step_over, step_in, step_out, pause. " +
      "threads, stack, scopes (of a frame), variables (of a reference), set_variable, evaluate: while stopped. output: what the " +
      "program wrote since last asked. status. restart. terminate."
  }),
  file: optionalKey(Schema.NonEmptyString.annotate({ description: "breakpoints: the source file" })),
  lines: optionalKey(
    Schema.Array(positive).annotate({
      description: "breakpoints: all lines of that file to stop at, 1-based; [] clears it"
    })
  ),
  conditions: optionalKey(
    perLine.annotate({ description: "breakpoints: one a line, an expression of the program; null for none" })
  ),
  hit_conditions: optionalKey(
    perLine.annotate({ description: "breakpoints: one a line, at which hit to stop, as `3`; null for none" })
  ),
  log_messages: optionalKey(
    perLine.annotate({
      description:
        "breakpoints: one a line, written to the output instead of stopping, `{x}` is evaluated; null for none"
    })
  ),
  functions: optionalKey(
    Schema.Array(Schema.NonEmptyString).annotate({ description: "breakpoints: all functions to stop at, by name" })
  ),
  exceptions: optionalKey(
    Schema.Literals(["uncaught", "all", "none"]).annotate({
      description: "breakpoints: which exceptions stop the program, default uncaught"
    })
  ),
  program: optionalKey(
    Schema.NonEmptyString.annotate({ description: "launch: a script, a Go package folder, or a built executable" })
  ),
  module: optionalKey(Schema.NonEmptyString.annotate({ description: "launch: a Python module, instead of program" })),
  args: optionalKey(Schema.Array(Schema.String).annotate({ description: "launch: arguments of the program" })),
  cwd: optionalKey(
    Schema.NonEmptyString.annotate({ description: "launch: working directory of the program, default that of the run" })
  ),
  env: optionalKey(
    Schema.Record(Schema.String, Schema.String).annotate({ description: "launch: variables added to the environment" })
  ),
  mode: optionalKey(
    Schema.Literals(["debug", "test", "exec"]).annotate({
      description: "launch, Go: debug builds the package (default), test its tests, exec takes a built binary"
    })
  ),
  adapter: optionalKey(
    Schema.NonEmptyString.annotate({ description: "launch, attach: an id of `adapters`, where more than one could" })
  ),
  port: optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 65_535 })).annotate({
      description: "attach: the port on this machine"
    })
  ),
  thread_id: optionalKey(Schema.Int.annotate({ description: "of `threads`; default the thread that stopped last" })),
  until: optionalKey(
    Schema.NonEmptyString.annotate({ description: "continue: `file:line` to stop at as well, this once" })
  ),
  wait_seconds: optionalKey(
    Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 600 })).annotate({
      description: "continue: how long to wait for the stop, default 30"
    })
  ),
  frame_id: optionalKey(positive.annotate({ description: "of `stack`; valid until the program goes on" })),
  reference: optionalKey(
    Schema.Int.annotate({ description: "of `scopes`, `variables` or `evaluate`; valid until the program goes on" })
  ),
  start: optionalKey(Schema.Natural.annotate({ description: "variables: from which child on, default 0" })),
  name: optionalKey(Schema.NonEmptyString.annotate({ description: "set_variable: the name as in `variables`" })),
  value: optionalKey(Schema.String.annotate({ description: "set_variable: an expression" })),
  expression: optionalKey(
    Schema.NonEmptyString.annotate({
      description: "evaluate: in the language of the program, in the scope of the frame"
    })
  )
})
type Parameters = typeof Parameters.Type

const ofThread = { optional: ["thread_id"] } as const
const uses = {
  adapters: {},
  status: {},
  breakpoints: {
    optional: ["file", "lines", "conditions", "hit_conditions", "log_messages", "functions", "exceptions"]
  },
  launch: { optional: ["program", "module", "args", "adapter", "cwd", "env", "mode"] },
  attach: { required: ["port"], optional: ["adapter"] },
  continue: { optional: ["thread_id", "until", "wait_seconds"] },
  pause: ofThread,
  step_over: ofThread,
  step_in: ofThread,
  step_out: ofThread,
  threads: {},
  stack: ofThread,
  scopes: { required: ["frame_id"] },
  variables: { required: ["reference"], optional: ["start"] },
  set_variable: { required: ["reference", "name", "value"] },
  evaluate: { required: ["expression"], optional: ["frame_id"] },
  output: {},
  restart: {},
  terminate: {}
} as const

type Needs = Debuggers | Workspace | Conversation

export const debug = LiveTool.make("debug", {
  description:
    "Drives a debugger: set breakpoints, launch the program (or attach to a port), then step and look at the stack, variables " +
    "and expressions. One session a conversation; it ends by itself after 30 minutes. Frame ids and references are valid for " +
    "one stop. A call that waits for a stop gives way to pause, status, output and terminate.",
  tier: "exec",
  parameters: Parameters,
  success: Values.Value,
  // The conversation comes first: calls of one conversation run in order, those of several side by side.
  requires: [Conversation, Debuggers, Workspace],
  operations: { by: "op", uses },
  serialKey: ({ op }) => (op === "adapters" ? undefined : "session"),
  overtakes: ({ op }) => op === "pause" || op === "status" || op === "output" || op === "terminate",
  text: (value, params) => Text.text(value, params),
  handler: (params): Effect.Effect<Values.Value, ToolError.ToolError, Needs> =>
    Effect.gen(function* () {
      const { id } = yield* Conversation
      const debuggers = yield* Debuggers
      const { show } = yield* Workspace
      const value = yield* perform(yield* debuggers.of(id), params)
      return Shown.value(value, show)
    })
})

const perform = (
  debugger_: Debugger,
  params: Parameters
): Effect.Effect<Values.Value, ToolError.ToolError, Workspace> => {
  switch (params.op) {
    case "adapters":
      return debugger_.adapters
    case "status":
      return debugger_.status
    case "breakpoints":
      return Effect.flatMap(breakpointChange(params), debugger_.setBreakpoints)
    case "launch":
      return Effect.flatMap(launch(params), debugger_.launch)
    case "attach":
      return debugger_.attach({ port: params.port ?? 0, adapter: params.adapter })
    case "continue":
      return Effect.flatMap(until(params.until), (place) =>
        debugger_.resume({
          kind: "continue",
          threadId: params.thread_id,
          until: place,
          waitSeconds: params.wait_seconds
        })
      )
    case "step_over":
    case "step_in":
    case "step_out":
      return debugger_.resume({ kind: params.op, threadId: params.thread_id })
    case "pause":
      return debugger_.pause(params.thread_id)
    case "threads":
      return debugger_.threads
    case "stack":
      return debugger_.stack(params.thread_id)
    case "scopes":
      return debugger_.scopes(params.frame_id ?? 0)
    case "variables":
      return debugger_.variables(params.reference ?? 0, params.start ?? 0)
    case "set_variable":
      return debugger_.setVariable(params.reference ?? 0, params.name ?? "", params.value ?? "")
    case "evaluate":
      return debugger_.evaluate(params.expression ?? "", params.frame_id)
    case "output":
      return debugger_.output
    case "restart":
      return debugger_.restart
    case "terminate":
      return debugger_.terminate
  }
}

const invalid = (message: string) => ToolError.make("invalid_params", message)

const sourceFile = Effect.fnUntraced(function* (file: string, isToBeCleared: boolean) {
  const workspace = yield* Workspace
  const resolved = yield* isToBeCleared ? workspace.resolve(file) : workspace.existing(file)
  if (resolved.kind === "file" || (isToBeCleared && resolved.kind === "missing")) return resolved.path
  return yield* invalid(`${workspace.show(resolved.path)} is not a file: breakpoints are set in source files.`)
})

const breakpointChange = Effect.fnUntraced(function* (params: Parameters) {
  const { exceptions, file, functions, lines } = params
  if ((file === undefined) !== (lines === undefined)) {
    const missing = file === undefined ? "`lines` without `file`" : "`file` without `lines`"
    return yield* invalid(`op \`breakpoints\` has ${missing}: give both. \`lines\`: [] clears the file.`)
  }
  if (file === undefined && functions === undefined && exceptions === undefined) {
    return yield* invalid("op `breakpoints` takes `file` with `lines`, `functions`, or `exceptions`: none is given.")
  }
  for (const name of ["conditions", "hit_conditions", "log_messages"] as const) {
    const given = params[name]
    if (given !== undefined && given.length !== (lines ?? []).length) {
      return yield* invalid(
        `\`${name}\` has ${given.length} entries and \`lines\` ${(lines ?? []).length}: give one for each line, null for none.`
      )
    }
  }
  const twice = (lines ?? []).find((line, index) => (lines ?? []).indexOf(line) !== index)
  if (twice !== undefined) return yield* invalid(`\`lines\` has ${twice} twice: one breakpoint a line.`)
  // An empty condition is none: some adapters take it for one that fails.
  const at = (list: ReadonlyArray<string | null> | undefined, index: number) => list?.[index]?.trim() || undefined
  const wanted = (lines ?? []).map((line, index): Wanted => ({
    line,
    condition: at(params.conditions, index),
    hitCondition: at(params.hit_conditions, index),
    logMessage: at(params.log_messages, index)
  }))
  return {
    file: file === undefined ? undefined : { path: yield* sourceFile(file, wanted.length === 0), wanted },
    functions,
    exceptions
  }
})

const launch = Effect.fnUntraced(function* (params: Parameters) {
  const workspace = yield* Workspace
  if ((params.program === undefined) === (params.module === undefined)) {
    const which = params.program === undefined ? "neither is given" : "both are given"
    return yield* invalid(`op \`launch\` takes one of \`program\` and \`module\`; ${which}.`)
  }
  let program: Launch["program"]
  if (params.program !== undefined) {
    const { kind, path } = yield* workspace.existing(params.program)
    if (kind !== "file" && kind !== "directory") {
      return yield* invalid(`${params.program} is neither a file nor a folder.`)
    }
    program = { path, kind }
  }
  const cwd = params.cwd === undefined ? undefined : yield* workspace.existing(params.cwd)
  if (cwd !== undefined && cwd.kind !== "directory") {
    return yield* invalid(`\`cwd\`: ${params.cwd} is not a folder.`)
  }
  return {
    program,
    module: params.module,
    args: params.args ?? [],
    adapter: params.adapter,
    cwd: cwd?.path,
    env: params.env ?? {},
    mode: params.mode
  } satisfies Launch
})

const until = Effect.fnUntraced(function* (place: string | undefined) {
  if (place === undefined) return undefined
  const parts = /^(.+):(\d{1,9})$/.exec(place)
  if (parts === null || Number(parts[2]) < 1) {
    return yield* invalid(`\`until\` is \`file:line\`, as \`src/main.py:12\`; it is ${JSON.stringify(place)}.`)
  }
  return { path: yield* sourceFile(parts[1]!, false), line: Number(parts[2]) }
})
