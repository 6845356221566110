/** Strict decoding of a call's parameters: what is unknown, missing, wrong or unused is an error that names it. */
import { Result, Schema, SchemaIssue } from "effect"
import * as Suggest from "./Suggest.ts"
import * as ToolError from "./ToolError.ts"

/** A closed struct whose fields decode without services. */
export type ParametersSchema = Schema.Struct<{ readonly [name: string]: Schema.Codec<unknown, unknown> }>

/**
 * Which parameters each operation uses, for a tool with a parameter that picks one (`action`, `op`). A parameter that is given
 * and not used by the picked operation is an error, as is a required one that is missing.
 */
export interface Operations<Name extends string> {
  readonly by: Name
  readonly uses: {
    readonly [operation: string]: { readonly required?: ReadonlyArray<Name>; readonly optional?: ReadonlyArray<Name> }
  }
  /** Optional for every operation. */
  readonly always?: ReadonlyArray<Name>
}

const list = (names: ReadonlyArray<string>): string => names.map((name) => `\`${name}\``).join(", ")

const pathText = (path: ReadonlyArray<PropertyKey>): string =>
  path.map((key, index) => (typeof key === "number" ? `[${key}]` : `${index === 0 ? "" : "."}${String(key)}`)).join("")

const formatIssue = SchemaIssue.makeFormatterStandardSchemaV1()

const sentence = (issue: { readonly path: ReadonlyArray<PropertyKey>; readonly message: string }): string => {
  const [first, ...rest] = issue.path
  if (first === undefined) return "The parameters must be one JSON object."
  if (rest.length === 0 && issue.message === "Missing key") return `\`${String(first)}\` is missing.`
  if (issue.message === excess) return `\`${pathText(issue.path)}\` is not known there.`
  return `\`${pathText(issue.path)}\`: ${lowerFirst(issue.message)}.`
}

/** Makes the decoder of a tool's parameters. A `null` given for an optional parameter counts as not given. */
export const decoder = <P extends ParametersSchema>(options: {
  readonly tool: string
  readonly schema: P
  readonly operations?: Operations<string> | undefined
}): ((params: unknown) => Result.Result<P["Type"], ToolError.ToolError>) => {
  const { operations, schema, tool } = options
  const decode = Schema.decodeUnknownResult(schema, { errors: "all", onExcessProperty: "error" })
  const json = jsonSchema(schema)
  const names = Object.keys(schema.fields)
  const required = new Set(json.required)
  const takes =
    names.length === 0
      ? "It takes no parameters."
      : `It takes ${names.map((name) => (required.has(name) ? `\`${name}\`` : `\`${name}\` (optional)`)).join(", ")}.`

  const unused = (params: { readonly [name: string]: unknown }): ReadonlyArray<string> => {
    if (operations === undefined) return []
    const operation = String(params[operations.by])
    const uses = Object.hasOwn(operations.uses, operation) ? operations.uses[operation]! : {}
    const needed = uses.required ?? []
    const allowed = [...needed, ...(uses.optional ?? []), ...(operations.always ?? [])]
    const label = `${operations.by} \`${operation}\``
    const wrong: Array<string> = []
    for (const name of needed)
      if (params[name] === undefined) wrong.push(`\`${name}\` is missing: ${label} needs ${list(needed)}.`)
    for (const name of Object.keys(params)) {
      if (name === operations.by || params[name] === undefined || allowed.includes(name)) continue
      wrong.push(
        `\`${name}\` is not used by ${label}, which takes ${allowed.length === 0 ? "nothing else" : list(allowed)}.`
      )
    }
    return wrong
  }

  const fail = (sentences: ReadonlyArray<string>) =>
    Result.fail(ToolError.make("invalid_params", `Invalid parameters for ${tool}: ${sentences.join(" ")}`))

  // Found here and not by the schema, which does not see an own `__proto__`.
  const unknown = (params: unknown): ReadonlyArray<string> =>
    Object.keys(typeof params === "object" && params !== null ? params : {}).filter((name) => !names.includes(name))

  return (params) => {
    const strangers = Array.isArray(params) ? [] : unknown(params)
    const decoded = decode(withoutNulls(params, names, required))
    if (Result.isFailure(decoded) || strangers.length > 0) {
      const issues = Result.isFailure(decoded) ? formatIssue(decoded.failure.issue).issues : []
      return fail([
        ...strangers.map((name) => `\`${name}\` is not a parameter of it.${Suggest.didYouMean(name, names)}`),
        ...issues
          .map(({ message, path }) => ({
            message,
            path: (path ?? []).map((key) => (typeof key === "object" ? key.key : key))
          }))
          .filter(({ message, path }) => !(path.length === 1 && message === excess))
          .map(sentence),
        takes
      ])
    }
    const wrong = unused(decoded.success)
    return wrong.length > 0 ? fail(wrong) : Result.succeed(decoded.success)
  }
}

const excess = "Expected no excess property"

const lowerFirst = (text: string): string => text.slice(0, 1).toLowerCase() + text.slice(1)

const withoutNulls = (params: unknown, names: ReadonlyArray<string>, required: ReadonlySet<string>): unknown => {
  if (typeof params !== "object" || params === null || Array.isArray(params)) return params
  const isOmitted = ([name, value]: [string, unknown]) => value === null && names.includes(name) && !required.has(name)
  const entries = Object.entries(params)
  return entries.some(isOmitted) ? Object.fromEntries(entries.filter((entry) => !isOmitted(entry))) : params
}

/** A closed JSON Schema (draft 2020-12) of an object. */
export interface ObjectSchema {
  readonly type: "object"
  readonly properties: { readonly [name: string]: { readonly description?: string; readonly [key: string]: unknown } }
  readonly required: ReadonlyArray<string>
  readonly additionalProperties: false
  readonly $defs?: { readonly [name: string]: unknown }
}

export type JsonSchema = { readonly [key: string]: unknown }

/** The JSON Schema of a result, open: fields may be added (SPEC §11). */
export const openJsonSchema = (schema: Schema.Codec<unknown, unknown>): JsonSchema => {
  const document = Schema.toJsonSchemaDocument(schema)
  return {
    ...document.schema,
    ...(Object.keys(document.definitions).length === 0 ? {} : { $defs: document.definitions })
  }
}

/** The closed JSON Schema of a tool's parameters. */
export const jsonSchema = (schema: ParametersSchema): ObjectSchema => {
  const document = Schema.toJsonSchemaDocument(schema, { onExcessProperty: "error" })
  // A struct without fields is `not null` to Effect, which providers of models refuse.
  const { not: _, ...object } = document.schema
  return {
    type: "object",
    properties: {},
    required: [],
    ...object,
    additionalProperties: false,
    ...(Object.keys(document.definitions).length === 0 ? {} : { $defs: document.definitions })
  }
}

/** Standard Schema and Standard JSON Schema (standardschema.dev), for hosts that take these. */
export interface StandardSchema {
  readonly "~standard": {
    readonly version: 1
    readonly vendor: "livetools"
    readonly validate: (
      value: unknown
    ) => { readonly value: unknown } | { readonly issues: ReadonlyArray<{ readonly message: string }> }
    readonly jsonSchema: {
      readonly input: (options?: unknown) => Record<string, unknown>
      readonly output: (options?: unknown) => Record<string, unknown>
    }
  }
}

/** Validates as the call itself will, and gives the parameters back as they came. */
export const standardSchema = (
  schema: ObjectSchema,
  prepare: (params: unknown) => Result.Result<unknown, ToolError.ToolError>
): StandardSchema => ({
  "~standard": {
    version: 1,
    vendor: "livetools",
    validate: (value) => {
      const prepared = prepare(value)
      return Result.isSuccess(prepared) ? { value } : { issues: [{ message: prepared.failure.message }] }
    },
    jsonSchema: { input: () => ({ ...schema }), output: () => ({ ...schema }) }
  }
})
