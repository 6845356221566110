/**
 * The definition of an agent tool that is bound to live resources: what a model is told of it, its approval tier, the
 * services it stands on, and its handler (DESIGN, "The kernel of the library").
 */
import { type Context, Effect, Result, Schema } from "effect"
import type { Call } from "./Call.ts"
import * as Parameters from "./Parameters.ts"
import type { Tier } from "./Tier.ts"
import type { ToolError } from "./ToolError.ts"

/** The key of a service. Its parameters are invariant, so only `any` admits every key. */
// oxlint-disable-next-line typescript/no-explicit-any
export type AnyKey = Context.Key<any, any>

/** The services behind a tuple of keys. */
export type ServicesOf<Requires extends ReadonlyArray<AnyKey>> = IdentifierOf<Requires[number]>
type IdentifierOf<Key> = Key extends Context.Key<infer Identifier, infer _Shape> ? Identifier : never

/** A call whose parameters are decoded, ready to run. */
export interface Prepared<out Value, out R> {
  readonly params: unknown
  /** Calls with the same key run one after the other; `undefined`: calls run concurrently. */
  readonly serialKey: string | undefined
  /** Whether it runs without waiting for the calls before it. */
  readonly overtakes: boolean
  readonly run: (call: Call) => Effect.Effect<{ readonly value: Value; readonly text: string }, ToolError, R>
}

/** A tool. `R` is what its handler needs, exactly the services behind `requires`. */
export interface LiveTool<out Name extends string, out T extends Tier, out Params, out Value, out R> {
  readonly name: Name
  readonly tier: T
  readonly description: string
  /** The closed JSON Schema of the parameters. */
  readonly jsonSchema: Parameters.ObjectSchema
  /** The JSON Schema of `value`. */
  readonly resultSchema: Parameters.JsonSchema
  readonly requires: ReadonlyArray<AnyKey>
  /** Decodes the parameters: strictly, naming what is wrong (`invalid_params`). */
  readonly prepare: (params: unknown, caller: Call | undefined) => Result.Result<Prepared<Value, R>, ToolError>
  readonly "~params"?: Params
}

export type Any = LiveTool<string, Tier, unknown, unknown, unknown>
/** The tool of this name in a union of tools. */
export type Named<T, Name extends string> = Extract<T, LiveTool<Name, Tier, unknown, unknown, unknown>>
export type NameOf<T> = T extends LiveTool<infer Name, infer _T, infer _P, infer _V, infer _R> ? Name : never
export type TierOf<T> = T extends LiveTool<infer _N, infer Of, infer _P, infer _V, infer _R> ? Of : never
export type ParamsOf<T> = T extends LiveTool<infer _N, infer _T, infer Params, infer _V, infer _R> ? Params : never
export type ValueOf<T> = T extends LiveTool<infer _N, infer _T, infer _P, infer Value, infer _R> ? Value : never
export type ServicesOfTool<T> = T extends LiveTool<infer _N, infer _T, infer _P, infer _V, infer R> ? R : never

/**
 * Makes a tool.
 *
 * - `description`, and the `description` annotation of each parameter: what the model reads
 * - `success`: the schema of the answer's `value` (SPEC §11)
 * - `text`: the text for the model, derived from the value in this one place
 * - `requires`: the keys of the services behind the tool; the handler may use these and no others
 * - `operations`: which parameters each operation uses, where one parameter picks the operation
 * - `serialKey`: calls for which it gives the same text run in the order they came, on one instance of the first service
 *   of `requires`; `undefined` runs at once
 * - `overtakes`: a call for which it holds does not wait its turn
 */
export const make = <
  const Name extends string,
  const T extends Tier,
  P extends Parameters.ParametersSchema,
  S extends Schema.Codec<unknown, unknown>,
  const Requires extends ReadonlyArray<AnyKey>
>(
  name: Name,
  options: {
    readonly description: string
    readonly tier: T
    readonly parameters: P
    readonly success: S
    readonly text: (value: S["Type"], params: P["Type"]) => string
    readonly requires: Requires
    readonly handler: (params: P["Type"], call: Call) => Effect.Effect<S["Type"], ToolError, ServicesOf<Requires>>
    readonly operations?: Parameters.Operations<Extract<keyof P["fields"], string>>
    readonly serialKey?: (params: P["Type"], caller: Call | undefined) => string | undefined
    readonly overtakes?: (params: P["Type"]) => boolean
  }
): LiveTool<Name, T, P["Encoded"], S["Encoded"], ServicesOf<Requires>> => {
  const decode = lazy(() =>
    Parameters.decoder({ tool: name, schema: options.parameters, operations: options.operations })
  )
  const inputSchema = lazy(() => Parameters.jsonSchema(options.parameters))
  const outputSchema = lazy(() => Parameters.openJsonSchema(options.success))
  const encode = Schema.encodeEffect(options.success)

  return {
    name,
    tier: options.tier,
    description: options.description,
    requires: options.requires,
    get jsonSchema() {
      return inputSchema()
    },
    get resultSchema() {
      return outputSchema()
    },
    prepare: (input, caller) =>
      Result.map(decode()(input), (params) => ({
        params,
        serialKey: options.serialKey?.(params, caller),
        overtakes: options.overtakes?.(params) ?? false,
        run: (call) =>
          Effect.flatMap(options.handler(params, call), (value) =>
            Effect.map(Effect.orDie(encode(value)), (encoded) => ({
              value: encoded,
              text: options.text(value, params)
            }))
          )
      }))
  }
}

const lazy = <A>(make: () => A): (() => A) => {
  let made: { readonly value: A } | undefined
  return () => (made ??= { value: make() }).value
}
