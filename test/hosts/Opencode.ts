/** An opencode plugin's tools. */
import { tool, type ToolDefinition } from "@opencode-ai/plugin"
import type * as Answer from "../../src/Answer.ts"
import * as Content from "../../src/Content.ts"
import type * as Surface from "../../src/Surface.ts"

const file = (image: Content.Image) => ({ type: "file" as const, mime: image.mediaType, url: Content.dataUrl(image) })
const result = (answer: Answer.Answer) => ({ output: answer.text, attachments: Content.images(answer).map(file) })
const adapt = ({ call, description, jsonSchema: { properties, required } }: Surface.Function): ToolDefinition => {
  const args = Object.entries(properties).map(([key, schema]) => [key, tool.schema.any().meta(schema)] as const)
  const shape = args.map(([key, arg]) => [key, required.includes(key) ? arg : arg.optional()] as const)
  const execute: ToolDefinition["execute"] = (params, { abort }) => call(params, { signal: abort }).then(result)
  return tool({ description, args: Object.fromEntries(shape), execute })
}
export const tools = (surface: Surface.Surface): { [name: string]: ToolDefinition } =>
  Object.fromEntries(surface.toFunctions().map((each) => [each.name, adapt(each)]))
