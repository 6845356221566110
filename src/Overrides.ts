/** What a harness' settings make of shipped rows of data, as those of language servers and of debug adapters (SPEC §12). */
import { Result, type Schema, SchemaIssue } from "effect"
import * as Suggest from "./Suggest.ts"

export interface Options<Row, Override> {
  /** What a row is of, as in messages: `language server`. */
  readonly what: string
  readonly rows: ReadonlyArray<Row>
  /** What is to be different, by the id of the row. */
  readonly overrides: { readonly [id: string]: Override }
  /** The row with the override laid over it; over `undefined`, a new row, which must be whole. */
  readonly apply: (id: string, override: Override, row: Row | undefined) => Result.Result<Row, Schema.SchemaError>
  /** What is wrong with a row that its schema cannot see, a clause. */
  readonly check?: (row: Row) => string | undefined
  /** A place in a row as the settings call it. */
  readonly placeOf?: (keys: string) => string
}

/** The rows with the overrides laid over them, those of new ids first. Fails with one sentence for each row that is not right. */
export const configure = <Row extends { readonly id: string }, Override>({
  apply,
  check = () => undefined,
  overrides,
  placeOf = (keys) => keys,
  rows,
  what
}: Options<Row, Override>): Result.Result<ReadonlyArray<Row>, ReadonlyArray<string>> => {
  const given = new Map(Object.entries(overrides))
  const wrong: Array<string> = []
  const refuse = (id: string, problem: string, hint = ""): ReadonlyArray<Row> => {
    wrong.push(`The ${what} \`${id}\`: ${problem}.${hint}`)
    return []
  }
  const make = (id: string, override: Override, row: Row | undefined): ReadonlyArray<Row> => {
    const made = apply(id, override, row)
    if (Result.isFailure(made)) {
      const near = row === undefined ? rows.map((shipped) => shipped.id) : []
      return refuse(id, problemsOf(made.failure, placeOf), Suggest.didYouMean(id, near))
    }
    const problem = check(made.success)
    return problem === undefined ? [made.success] : refuse(id, problem)
  }
  const changed = rows.flatMap((row) => {
    const override = given.get(row.id)
    given.delete(row.id)
    return override === undefined ? [row] : make(row.id, override, row)
  })
  const added = [...given].flatMap(([id, override]) => make(id, override, undefined))
  return wrong.length > 0 ? Result.fail(wrong) : Result.succeed([...added, ...changed])
}

const format = SchemaIssue.makeFormatterStandardSchemaV1()

const problemsOf = (error: Schema.SchemaError, placeOf: (keys: string) => string): string =>
  format(error.issue)
    .issues.map(({ message, path = [] }) => {
      const place = placeOf(path.map((key) => String(typeof key === "object" ? key.key : key)).join("."))
      return message === "Missing key" ? `\`${place}\` is missing` : `\`${place}\`: ${message}`
    })
    .join("; ")
