/** A host on the Vercel AI SDK. */
import { dynamicTool, jsonSchema, type ToolSet } from "ai"
import type * as Surface from "../../src/Surface.ts"

const adapt = ({ call, description, jsonSchema: schema }: Surface.Function) =>
  dynamicTool({
    description,
    inputSchema: jsonSchema(schema),
    execute: async (params, { abortSignal }) => (await call(params, { signal: abortSignal })).text
  })
export const tools = (surface: Surface.Surface): ToolSet =>
  Object.fromEntries(surface.toFunctions().map((tool) => [tool.name, adapt(tool)]))
