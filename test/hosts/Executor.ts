/** An executor plugin's static tools; the types are those of its plugin contract, which is not published on its own. */
import { Effect } from "effect"
import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec"
import type * as Surface from "../../src/Surface.ts"

export interface StaticToolDecl {
  readonly name: string
  readonly description: string
  readonly inputSchema?: StandardSchemaV1 & StandardJSONSchemaV1
  readonly annotations?: { readonly requiresApproval?: boolean }
  readonly handler: (input: { readonly args: unknown }) => Effect.Effect<unknown, unknown>
}

export const tools = (surface: Surface.Surface): ReadonlyArray<StaticToolDecl> =>
  surface.entries.map(({ call, description, name, standardSchema, tier }) => ({
    name,
    description,
    inputSchema: standardSchema,
    annotations: { requiresApproval: tier !== "read" },
    handler: ({ args }) =>
      Effect.flatMap(call(args), (a) => (a.isFailure ? Effect.fail(a.text) : Effect.succeed(a.value)))
  }))
