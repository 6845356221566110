/** A host on the Vercel AI SDK. */
import { dynamicTool, jsonSchema, type ToolSet } from "ai"
import type * as Answer from "../../src/Answer.ts"
import * as Content from "../../src/Content.ts"
import type * as Surface from "../../src/Surface.ts"

const adapt = ({ call, description, jsonSchema: schema }: Surface.Function) =>
  dynamicTool({
    description,
    inputSchema: jsonSchema(schema),
    execute: (params, { abortSignal }) => call(params, { signal: abortSignal }),
    toModelOutput: ({ output }) => ({ type: "content", value: Content.parts(output as Answer.Answer) })
  })
export const tools = (surface: Surface.Surface): ToolSet =>
  Object.fromEntries(surface.toFunctions().map((tool) => [tool.name, adapt(tool)]))
