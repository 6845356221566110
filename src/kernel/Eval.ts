/** `eval`: cells for persistent interpreters (SPEC §8). */
import { Effect, Schema } from "effect"
import * as LiveTool from "../LiveTool.ts"
import { ToolError } from "../ToolError.ts"
import { type Ending, Kernels, Language } from "./Kernels.ts"
import * as Report from "./Report.ts"
import * as Value from "./Value.ts"

const words = (text: string): number => text.split(/\s+/).filter((word) => word !== "").length

const Parameters = Schema.Struct({
  code: Schema.String.annotate({ description: "The cell, verbatim: no Markdown fence around it" }),
  description: Schema.String.annotate({
    description: "What the cell does, in 5 to 10 words: its label in the transcript"
  }).check(
    Schema.makeFilter(
      (text) =>
        words(text) > 1 || "say in 5 to 10 words what the cell does: it is the label of the cell in the transcript"
    )
  ),
  language: Schema.optionalKey(Language.annotate({ description: "The language of the cell. Default: python" })),
  reset: Schema.optionalKey(
    Schema.Boolean.annotate({
      description: "Throw this language's interpreter away, even in the middle of a cell, and begin a new one first"
    })
  )
})

const codeOf = (ending: Ending): ToolError["code"] => {
  if ("isTimeout" in ending && ending.isTimeout) return "timed_out"
  return ending.status === "died" ? "kernel_died" : "cell_failed"
}

/** A whole cell inside of a Markdown fence. */
const fenced = /^\s*(`{3,}|~{3,})[ \t]*[\w+-]*[ \t]*\r?\n([\s\S]*?)\r?\n?\1[ \t]*\s*$/

export const evalTool = LiveTool.make("eval", {
  description:
    "Runs a cell in a persistent interpreter, Python (default) or JavaScript. Variables, imports and loaded data stay " +
    "from call to call, also after an error. The last expression is echoed; display(), data frames and figures work, and " +
    'so do %pip, !command, %%bash and top-level await. Call your other tools from a cell: tool("read", {"path": ' +
    '"a.txt"}) gives the contents; in JavaScript await it; tools() lists them. Standard input is empty. A cell is ' +
    "interrupted, with its state kept, when nothing happens for 5 minutes. Cells of one language run in order.",
  tier: "exec",
  parameters: Parameters,
  success: Value.Value,
  text: Report.make,
  requires: [Kernels],
  serialKey: ({ language }) => language ?? "python",
  overtakes: ({ reset }) => reset === true,
  handler: Effect.fnUntraced(function* ({ code, description, language = "python", reset = false }, call) {
    const kernels = yield* Kernels
    const fence = fenced.exec(code)
    const ran = yield* kernels.run({ language, code: fence?.[2] ?? code, reset, call })
    const length = words(description)
    const value = Value.make(ran, [
      ...ran.notices,
      ...(fence === null ? [] : ["the Markdown fence around the code was taken off; send the code alone."]),
      ...(length >= 5 && length <= 10 ? [] : [`the description has ${length} words; 5 to 10 make a good label.`])
    ])
    if (value.ok) return value
    return yield* new ToolError({ code: codeOf(ran.ending), message: Report.make(value), value })
  })
})
