/** Settings of the reference harness: `livetools.json` in the user's configuration folder and in the working directory (SPEC §12). */
import { Effect, Result, Schema, SchemaIssue } from "effect"
import * as Suggest from "../Suggest.ts"
import * as Rows from "../lsp/rows/Rows.ts"
import { Tier } from "../Tier.ts"

const bytes = Schema.Int.check(Schema.isGreaterThan(0))

export const Settings = Schema.Struct({
  /** The highest tier shown; a flag can only lower it. */
  cap: Schema.optionalKey(Tier),
  /** Language servers by id: new ones, and what is different of shipped ones (`{ "pyright": { "disabled": true } }`). */
  servers: Schema.optionalKey(Rows.Overrides),
  caps: Schema.optionalKey(
    Schema.Struct({
      /** `ast_grep` skips larger files. Default 4 MiB. */
      ast_grep_file_bytes: Schema.optionalKey(bytes),
      /** `read` refuses larger files without a range. Default 10 MiB. */
      read_file_bytes: Schema.optionalKey(bytes)
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
  ...(user.caps === undefined && project.caps === undefined ? {} : { caps: { ...user.caps, ...project.caps } })
})

const decode = Schema.decodeUnknownResult(Settings, { errors: "all", onExcessProperty: "error" })
const format = SchemaIssue.makeFormatterStandardSchemaV1()
