/** A language model that plays a script: what it says and calls is decided by what it was told so far. */
import { Effect, Stream } from "effect"
import { type AiError, LanguageModel, type Prompt, type Response } from "effect/ai"

export interface Step {
  readonly text?: string
  /** Each with an id of its own where it is given none. */
  readonly calls?: ReadonlyArray<readonly [tool: string, params: unknown, id?: string]>
  readonly finish?: "stop" | "length" | "content-filter" | "error"
}

/** The results that the prompt carries, in order, as the model reads them. */
export const results = (prompt: Prompt.Prompt): ReadonlyArray<string> =>
  prompt.content.flatMap((message) =>
    message.role === "tool"
      ? message.content.flatMap((part) => (part.type === "tool-result" ? [String(part.result)] : []))
      : []
  )

/** The texts of the user's messages, in order. */
export const asked = (prompt: Prompt.Prompt): ReadonlyArray<string> =>
  prompt.content.flatMap((message) =>
    message.role === "user" ? message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])) : []
  )

let lastId = 0

/** `turn` counts the requests from 0. */
export const make = (
  play: (options: {
    readonly turn: number
    readonly prompt: Prompt.Prompt
    readonly tools: ReadonlyArray<string>
  }) => Step | AiError.AiError
): Effect.Effect<LanguageModel.LanguageModel> => {
  let turn = 0
  return LanguageModel.make({
    generateText: ({ prompt, tools }) =>
      Effect.suspend(() => {
        const step = play({ turn: turn++, prompt, tools: tools.map(({ name }) => name) })
        return "reason" in step ? Effect.fail(step) : Effect.succeed(parts(step))
      }),
    streamText: () => Stream.die("not played")
  })
}

const parts = ({ calls = [], finish, text }: Step): Array<Response.PartEncoded> => [
  ...(text === undefined ? [] : [{ type: "text" as const, text }]),
  ...calls.map(([name, params, id = `call_${++lastId}`]) => ({ type: "tool-call" as const, id, name, params })),
  {
    type: "finish",
    reason: finish ?? (calls.length > 0 ? "tool-calls" : "stop"),
    usage: {
      inputTokens: { uncached: undefined, total: undefined, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: undefined, text: undefined, reasoning: undefined }
    },
    response: undefined
  }
]
