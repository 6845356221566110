/** One debug adapter as data (SPEC §7.2): where it is found, how it is started, and what it is asked. */
import { Schema } from "effect"
import type { Adapter, Arguments, LaunchInput, Quirks, Transport } from "./Adapter.ts"

const name = Schema.NonEmptyString
const names = Schema.Array(name)

/** Where a binary is looked for, in this order; the first that works is taken. */
export const Binary = Schema.Struct({
  /** A name, or a path that is absolute or relative to the root. `*` stands for a version: `lldb-dap-*`, the highest first. */
  name,
  /** Folders of the project, at the root or above it up to the working directory: `.venv/bin`. Only where it is trusted. */
  project: Schema.optionalKey(names),
  /** Folders of the user's home that installers use and that need not be on `PATH`: `go/bin`. */
  home: Schema.optionalKey(names),
  /** Arguments with which it soon exits with 0 when it works. The first number with a dot that it prints is its version. */
  check: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The lowest major version that will do. */
  least: Schema.optionalKey(Schema.Natural),
  /** What to do when the check fails, as a sentence without its point. */
  help: Schema.optionalKey(name)
})
export type Binary = typeof Binary.Type

const filters = Schema.Struct({ uncaught: names, all: names })

/** As `Adapter.Quirks`, with patterns as texts. */
export const QuirksData = Schema.Struct({
  childSessions: Schema.optionalKey(Schema.Literals(["startDebugging", "debugpyAttach"])),
  needsBuiltProgram: Schema.optionalKey(Schema.Boolean),
  evaluateContext: Schema.optionalKey(Schema.Literals(["repl", "watch"])),
  exceptionFilters: Schema.optionalKey(filters),
  resumeBeforeDetach: Schema.optionalKey(Schema.Boolean),
  detachCommand: Schema.optionalKey(name),
  pagesByFilter: Schema.optionalKey(Schema.Boolean),
  exitText: Schema.optionalKey(name),
  showsErrors: Schema.optionalKey(Schema.Boolean),
  noise: Schema.optionalKey(name),
  stdoutNoise: Schema.optionalKey(name),
  lastOutput: Schema.optionalKey(name),
  fatal: Schema.optionalKey(Schema.Struct({ functions: names, texts: names })),
  ignoresHits: Schema.optionalKey(Schema.Boolean),
  logsWithoutEnd: Schema.optionalKey(Schema.Boolean),
  hidesSignals: Schema.optionalKey(Schema.Boolean),
  holdsValue: Schema.optionalKey(Schema.Struct({ hold: name, held: name })),
  echoesValue: Schema.optionalKey(Schema.Boolean),
  hitConditions: Schema.optionalKey(name),
  errorNoise: Schema.optionalKey(name),
  conditionSettings: Schema.optionalKey(Schema.Struct({ command: name, arguments: Schema.JsonObject })),
  environment: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  isProgram: Schema.optionalKey(Schema.Boolean),
  inheritsEnvironment: Schema.optionalKey(Schema.Boolean)
})

export const TransportData = Schema.Union([
  Schema.Literal("stdio"),
  /** `line`: the pattern of the line that says the port, its first group; on standard output, or where `on` says. */
  Schema.Struct({ tcp: Schema.Literal("listen-line"), line: name, on: Schema.optionalKey(Schema.Literal("stderr")) }),
  /** `${address}` in `args` is where it is to connect to. */
  Schema.Struct({ tcp: Schema.Literal("dial-in") })
])

export const Row = Schema.Struct({
  /** What `adapter` and `adapters` call it. */
  id: name,
  /** Looked for in this order. */
  binaries: Schema.NonEmptyArray(Binary),
  /** With the placeholders of `launch` where the program is given on the command line; `${args}` becomes one argument each. */
  args: Schema.optionalKey(Schema.Array(Schema.String)),
  transport: Schema.optionalKey(TransportData),
  /** What the adapter calls itself in `initialize`. Default `id`. */
  adapterId: Schema.optionalKey(name),
  /**
   * Files and folders of which one must be at or above the program, inside the working directory; the nearest is the root. `*`
   * stands for any part of a name.
   */
  markers: Schema.NonEmptyArray(name),
  /** Of programs, with the dot, lower case. */
  extensions: Schema.Array(name),
  /** Whether a folder can be a program. */
  takesFolders: Schema.optionalKey(Schema.Boolean),
  /** A program with one of these extensions stands for the folder that it is in. */
  folderOf: Schema.optionalKey(names),
  /**
   * What `launch` is sent. A text that is only a placeholder becomes what it stands for: `${program}`, `${module}`, `${args}`
   * (a list), `${cwd}`, `${env}` (an object), `${envList}` (`["NAME=VALUE"]`), `${mode}`, `${python}`, `${temporary}` (a private
   * folder); inside of a longer text it is filled in. `${mode|debug}` has a default. What names something that is not given is
   * left out, with its key.
   */
  launch: Schema.JsonObject,
  attach: Schema.Struct({
    /** `connect`: what listens on the port is the adapter. `spawn`: the adapter is started, and connects to the port. `never`: it cannot. */
    how: Schema.Literals(["connect", "spawn", "never"]),
    /** As `launch`, with `${port}` (a number) and `${cwd}`. */
    arguments: Schema.JsonObject
  }),
  /** The project's own interpreter: where the adapter runs on another one, it is `${python}`. */
  interpreter: Schema.optionalKey(Schema.NonEmptyArray(Binary)),
  quirks: Schema.optionalKey(QuirksData),
  /** Never started; `adapters` says so. */
  disabled: Schema.optionalKey(Schema.Boolean)
})
export type Row = typeof Row.Type

type Values = ReadonlyMap<string, Schema.Json | undefined>

const placeholder = /\$\{(\w+)(?:\|([^}]*))?\}/g
const isWhole = /^\$\{(\w+)(?:\|([^}]*))?\}$/

const isList = (value: Schema.Json): value is ReadonlyArray<Schema.Json> => Array.isArray(value)

/** The JSON with its placeholders filled in; `undefined`: it names what is not given. */
export const fill = (json: Schema.Json, values: Values): Schema.Json | undefined => {
  if (typeof json === "string") {
    const whole = isWhole.exec(json)
    if (whole !== null && values.has(whole[1]!)) return values.get(whole[1]!) ?? whole[2]
    let isMissing = false
    const text = json.replaceAll(placeholder, (match, key: string, fallback: string | undefined) => {
      if (!values.has(key)) return match
      const value = values.get(key) ?? fallback
      if (value === undefined) isMissing = true
      return typeof value === "string" ? value : JSON.stringify(value ?? null)
    })
    return isMissing ? undefined : text
  }
  if (isList(json)) {
    const filled = json.map((each) => fill(each, values))
    return filled.every((each) => each === undefined) && json.length > 0
      ? undefined
      : filled.filter((each) => each !== undefined)
  }
  if (typeof json === "object" && json !== null) {
    return Object.fromEntries(
      Object.entries(json).flatMap(([key, value]): Array<[string, Schema.Json]> => {
        const filled = fill(value, values)
        return filled === undefined ? [] : [[key, filled]]
      })
    )
  }
  return json
}

const filled = (template: Schema.JsonObject, values: Values): Arguments =>
  Object.fromEntries(
    Object.entries(template).flatMap(([key, value]) => {
      const one = fill(value, values)
      return one === undefined ? [] : [[key, one]]
    })
  )

const folderOf = (path: string): string => path.slice(0, Math.max(1, path.lastIndexOf("/")))

const programOf = (row: Row, program: string | undefined): string | undefined =>
  program !== undefined && row.folderOf?.some((extension) => program.toLowerCase().endsWith(extension))
    ? folderOf(program)
    : program

const valuesOf = (row: Row, input: LaunchInput): Values =>
  new Map<string, Schema.Json | undefined>([
    ["program", programOf(row, input.program)],
    ["module", input.module],
    ["args", input.args],
    ["cwd", input.cwd],
    ["env", input.env],
    ["envList", Object.entries(input.env).map(([key, value]) => `${key}=${value}`)],
    ["mode", input.mode],
    ["python", input.python],
    ["temporary", input.temporary]
  ])

const transportOf = ({ transport = "stdio" }: Row): Transport =>
  transport !== "stdio" && transport.tcp === "listen-line"
    ? { ...transport, line: new RegExp(transport.line) }
    : transport

const quirksOf = ({
  errorNoise,
  exitText,
  fatal,
  hitConditions,
  noise,
  stdoutNoise,
  ...rest
}: typeof QuirksData.Type): Quirks => ({
  ...rest,
  ...(exitText === undefined ? {} : { exitText: new RegExp(exitText) }),
  ...(errorNoise === undefined ? {} : { errorNoise: new RegExp(errorNoise, "gm") }),
  ...(hitConditions === undefined ? {} : { hitConditions: new RegExp(hitConditions) }),
  ...(noise === undefined ? {} : { noise: new RegExp(noise) }),
  ...(stdoutNoise === undefined ? {} : { stdoutNoise: new RegExp(stdoutNoise) }),
  ...(fatal === undefined ? {} : { fatal: { ...fatal, texts: fatal.texts.map((text) => new RegExp(text)) } })
})

/** The adapter that a row describes. */
export const adapter = (row: Row): Adapter => {
  const {
    adapterId,
    args = [],
    attach,
    binaries,
    disabled,
    extensions,
    id,
    launch,
    markers,
    quirks,
    takesFolders
  } = row
  return {
    id,
    markers,
    extensions,
    adapterId,
    takesFolders,
    disabled,
    transport: transportOf(row),
    command: binaries.map((binary) => ({ name: binary.name, args })),
    launchArguments: (input) => filled(launch, valuesOf(row, input)),
    ...(args.some((arg) => /\$\{(program|args)\}/.test(arg))
      ? {
          launchCommand: (command: ReadonlyArray<string>, input: LaunchInput) => {
            const values = valuesOf(row, input)
            return command.flatMap((part) => {
              const value = fill(part, values) ?? []
              return isList(value) ? value.map(String) : [String(value)]
            })
          }
        }
      : {}),
    attach: {
      how: attach.how,
      arguments: ({ cwd, port }) =>
        filled(
          attach.arguments,
          new Map<string, Schema.Json>([
            ["port", port],
            ["cwd", cwd]
          ])
        )
    },
    ...(quirks === undefined ? {} : { quirks: quirksOf(quirks) })
  }
}
