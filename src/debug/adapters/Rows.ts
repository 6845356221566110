/** What a harness' settings make of the shipped adapters (SPEC §7.2, §12). */
import { Result, Schema } from "effect"
import * as Shared from "../../Overrides.ts"
import { Binary, Row } from "./Row.ts"

export { shipped } from "./Shipped.ts"

const { binaries: _, id: __, ...fields } = Row.fields

/** What a setting says of one adapter: of a shipped one only what is to be different. */
export const Override = Schema.Struct({
  /** One binary instead of all: a name or a path alone, or with where it is looked for. */
  binary: Schema.optionalKey(Schema.Union([Schema.NonEmptyString, Binary])),
  args: fields.args,
  transport: fields.transport,
  adapterId: fields.adapterId,
  markers: Schema.optionalKey(fields.markers),
  extensions: Schema.optionalKey(fields.extensions),
  takesFolders: fields.takesFolders,
  folderOf: fields.folderOf,
  /** Laid over the `launch` of a shipped one, key by key; `null` takes a key away. */
  launch: Schema.optionalKey(fields.launch),
  attach: Schema.optionalKey(fields.attach),
  interpreter: fields.interpreter,
  quirks: fields.quirks,
  disabled: fields.disabled
})
export type Override = typeof Override.Type

/** The setting: what is different, by the id of the adapter. */
export const Overrides = Schema.Record(Schema.NonEmptyString, Override)
export type Overrides = typeof Overrides.Type

const decode = Schema.decodeUnknownResult(Row, { errors: "all", onExcessProperty: "error" })

const laidOver = (launch: Schema.JsonObject, over: Schema.JsonObject): Schema.JsonObject =>
  Object.fromEntries(Object.entries({ ...launch, ...over }).filter(([, value]) => value !== null))

/**
 * The rows with the overrides laid over them, key by key. A row of a new id stands before the others, so that it debugs what it
 * fits; it must be whole, but for `launch` (default `program`, `args`, `cwd`, `env`) and `attach` (default: the port is that of
 * an adapter). Fails with one sentence for each row that is not.
 */
export const configure = (
  rows: ReadonlyArray<Row>,
  overrides: Overrides
): Result.Result<ReadonlyArray<Row>, ReadonlyArray<string>> =>
  Shared.configure<Row, Override>({
    what: "debug adapter",
    rows,
    overrides,
    apply: (id, { binary, launch, ...rest }, row) =>
      decode({
        ...(row ?? defaults),
        ...rest,
        id,
        ...(launch === undefined ? {} : { launch: laidOver(row?.launch ?? {}, launch) }),
        ...(binary === undefined ? {} : { binaries: [typeof binary === "string" ? { name: binary } : binary] })
      }),
    check: wrongPattern,
    placeOf: (keys) => (keys === "binaries" ? "binary" : keys)
  })

const defaults = {
  launch: { program: "${program}", args: "${args}", cwd: "${cwd}", env: "${env}" },
  attach: { how: "connect", arguments: { cwd: "${cwd}" } }
}

/** What is no regular expression, if something is. */
const wrongPattern = ({ quirks, transport }: Row): string | undefined => {
  const patterns = {
    "transport.line": typeof transport === "object" && "line" in transport ? transport.line : undefined,
    "quirks.exitText": quirks?.exitText,
    "quirks.noise": quirks?.noise,
    "quirks.stdoutNoise": quirks?.stdoutNoise,
    ...Object.fromEntries((quirks?.fatal?.texts ?? []).map((text, index) => [`quirks.fatal.texts.${index}`, text]))
  }
  for (const [place, pattern] of Object.entries(patterns)) {
    if (pattern === undefined) continue
    const compiled = Result.try(() => new RegExp(pattern))
    if (Result.isFailure(compiled)) return `\`${place}\`: ${String(compiled.failure)}`
  }
  return undefined
}
