/** The rows that are shipped, and what a harness' settings make of them (SPEC §3.9, §12). */
import { type Result, Schema } from "effect"
import * as Shared from "../../Overrides.ts"
import * as Compiled from "./Compiled.ts"
import * as Documents from "./Documents.ts"
import * as Python from "./Python.ts"
import { Binary, Row } from "./Row.ts"
import * as Scripting from "./Scripting.ts"
import * as Web from "./Web.ts"

/** Every shipped row. Of rows with one role the first usable one serves. */
export const shipped: ReadonlyArray<Row> = [
  ...Web.rows,
  ...Python.rows,
  ...Compiled.rows,
  ...Scripting.rows,
  ...Documents.rows
]

const { binary: _, id: __, ...fields } = Row.fields

/** What a setting says of one row: of a shipped one only what is to be different. `binary` may be a name or a path alone. */
export const Override = Schema.Struct({
  languages: Schema.optionalKey(fields.languages),
  markers: Schema.optionalKey(fields.markers),
  binary: Schema.optionalKey(Schema.Union([Schema.NonEmptyString, Binary])),
  args: fields.args,
  env: fields.env,
  role: fields.role,
  tools: fields.tools,
  settings: fields.settings,
  initializationOptions: fields.initializationOptions,
  answers: fields.answers,
  disabled: fields.disabled
})
export type Override = typeof Override.Type

/** The setting: what is different, by the id of the row. */
export const Overrides = Schema.Record(Schema.NonEmptyString, Override)
export type Overrides = typeof Overrides.Type

const decode = Schema.decodeUnknownResult(Row, { errors: "all", onExcessProperty: "error" })

/**
 * The rows with the overrides laid over them, key by key. A row of a new id stands before the others, so that it wins its
 * role; it must be whole. Fails with one sentence for each row that is not.
 */
export const configure = (
  rows: ReadonlyArray<Row>,
  overrides: Overrides
): Result.Result<ReadonlyArray<Row>, ReadonlyArray<string>> =>
  Shared.configure<Row, Override>({
    what: "language server",
    rows,
    overrides,
    apply: (id, { binary, ...rest }, row) =>
      decode({
        ...row,
        ...rest,
        id,
        ...(binary === undefined ? {} : { binary: typeof binary === "string" ? { name: binary } : binary })
      })
  })
