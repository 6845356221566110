/** Settings of the reference harness: `livetools.json` in the user's configuration folder and in the working directory (SPEC §12). */
import { Effect, Result, Schema, SchemaIssue } from "effect"
import * as Suggest from "../Suggest.ts"
import * as AdapterRows from "../debug/adapters/Rows.ts"
import * as Rows from "../lsp/rows/Rows.ts"
import { Tier } from "../Tier.ts"

const bytes = Schema.Int.check(Schema.isGreaterThan(0))
const seconds = Schema.Finite.check(Schema.isGreaterThan(0))

export const Settings = Schema.Struct({
  /** The highest tier shown; a flag can only lower it. */
  cap: Schema.optionalKey(Tier),
  /** Language servers by id: new ones, and what is different of shipped ones (`{ "pyright": { "disabled": true } }`). */
  servers: Schema.optionalKey(Rows.Overrides),
  /** Debug adapters by id, in the same way. */
  adapters: Schema.optionalKey(AdapterRows.Overrides),
  caps: Schema.optionalKey(
    Schema.Struct({
      /** `ast_grep` skips larger files. Default 4 MiB. */
      ast_grep_file_bytes: Schema.optionalKey(bytes),
      /** `read` refuses larger files without a range. Default 10 MiB. */
      read_file_bytes: Schema.optionalKey(bytes),
      /** What an answer of `eval` shows of a cell's text. Default 48 KiB. */
      eval_output_bytes: Schema.optionalKey(bytes),
      /** How many workers are at work at once; the others are queued. Default 8. */
      workers: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThan(0)))
    })
  ),
  budgets: Schema.optionalKey(
    Schema.Struct({
      /** How long a cell may show nothing and call nothing. Default 300. */
      eval_inactivity_seconds: Schema.optionalKey(seconds),
      /** How long a cell may take in all. Default: no limit. */
      eval_cell_seconds: Schema.optionalKey(seconds),
      /** How long `ask_user` waits for an answer. Default 1800. */
      ask_user_seconds: Schema.optionalKey(seconds),
      /** How long one run of a worker may take. Default: no limit. */
      worker_seconds: Schema.optionalKey(seconds)
    })
  ),
  /** The Python of `eval`: a path, or a name on `PATH`. Default: the project's virtual environment, then `PATH`. */
  python: Schema.optionalKey(Schema.NonEmptyString),
  /** Where cells of `eval` run. Default: on the host. */
  enclosure: Schema.optionalKey(
    Schema.Struct({
      /** A sandbox of Linux namespaces: only the working directory can be written, and there is no network. */
      kind: Schema.Literal("bubblewrap"),
      network: Schema.optionalKey(Schema.Boolean),
      /** Folders besides the working directory that can be written, absolute. */
      writable: Schema.optionalKey(Schema.Array(Schema.NonEmptyString)),
      /** Paths that are hidden, absolute. Default: where keys and credentials usually lie in the home directory. */
      absent: Schema.optionalKey(Schema.Array(Schema.NonEmptyString))
    })
  )
})
export type Settings = typeof Settings.Type

export class SettingsError extends Schema.TaggedError<SettingsError>()("SettingsError", { message: Schema.String }) {}

/** Reads one file's text. An unknown key, a wrong value and bad JSON are errors that name the file and the place. */
export const parse = (file: string, text: string): Effect.Effect<Settings, SettingsError> => {
  const fail = (what: string) => Effect.fail(new SettingsError({ message: `${file}: ${what}` }))
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    return fail(`not JSON: ${(error as Error).message}`)
  }
  const decoded = decode(json)
  if (Result.isSuccess(decoded)) return Effect.succeed(decoded.success)
  return fail(
    format(decoded.failure.issue)
      .issues.map(({ message, path = [] }) => {
        const keys = path.map((key) => String(typeof key === "object" ? key.key : key))
        const place = keys.length === 0 ? "the whole" : `\`${keys.join(".")}\``
        if (message !== "Expected no excess property") return `${place}: ${message}.`
        const known = keys.length === 1 ? Object.keys(Settings.fields) : []
        return `${place} is not a setting.${Suggest.didYouMean(keys.at(-1) ?? "", known)}`
      })
      .join(" ")
  )
}

/** The settings of both files; the later ones win, key by key. */
export const merge = (user: Settings, project: Settings): Settings => ({
  ...user,
  ...project,
  ...(user.servers === undefined && project.servers === undefined
    ? {}
    : { servers: { ...user.servers, ...project.servers } }),
  ...(user.adapters === undefined && project.adapters === undefined
    ? {}
    : { adapters: { ...user.adapters, ...project.adapters } }),
  ...(user.caps === undefined && project.caps === undefined ? {} : { caps: { ...user.caps, ...project.caps } }),
  ...(user.budgets === undefined && project.budgets === undefined
    ? {}
    : { budgets: { ...user.budgets, ...project.budgets } })
})

const decode = Schema.decodeUnknownResult(Settings, { errors: "all", onExcessProperty: "error" })
const format = SchemaIssue.makeFormatterStandardSchemaV1()
