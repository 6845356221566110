/**
 * A language model behind an endpoint that speaks OpenAI's Chat Completions: the smallest part of the protocol that an agent
 * needs. The provider packages of Effect do not load with effect 4.1; where one does, its Layer is given with `--model`.
 */
import { Duration, Effect, Layer, Option, Schema, Stream } from "effect"
import { AiError, LanguageModel, type Prompt, type Response, Tool } from "effect/ai"
import { HttpClient, HttpClientRequest, type HttpClientResponse } from "effect/http"

export interface Options {
  /** As `https://host/v1`. */
  readonly baseUrl: string
  readonly apiKey: string | undefined
  readonly model: string
}

const Completion = Schema.Struct({
  choices: Schema.NonEmptyArray(
    Schema.Struct({
      finish_reason: Schema.optional(Schema.NullOr(Schema.String)),
      message: Schema.Struct({
        content: Schema.optional(Schema.NullOr(Schema.String)),
        refusal: Schema.optional(Schema.NullOr(Schema.String)),
        tool_calls: Schema.optional(
          Schema.NullOr(
            Schema.Array(
              Schema.Struct({
                id: Schema.String,
                function: Schema.Struct({ name: Schema.String, arguments: Schema.String })
              })
            )
          )
        )
      })
    })
  ),
  usage: Schema.optional(
    Schema.NullOr(
      Schema.Struct({
        prompt_tokens: Schema.optional(Schema.Finite),
        completion_tokens: Schema.optional(Schema.Finite)
      })
    )
  )
})

export const layer = (options: Options): Layer.Layer<LanguageModel.LanguageModel, never, HttpClient.HttpClient> =>
  Layer.effect(
    LanguageModel.LanguageModel,
    Effect.gen(function* () {
      const client = yield* HttpClient.HttpClient
      const generateText = ({ prompt, toolChoice, tools }: LanguageModel.ProviderOptions) =>
        Effect.gen(function* () {
          const request = HttpClientRequest.post(`${options.baseUrl.replace(/\/+$/, "")}/chat/completions`).pipe(
            options.apiKey === undefined ? (it) => it : HttpClientRequest.bearerToken(options.apiKey),
            HttpClientRequest.bodyJsonUnsafe({
              model: options.model,
              messages: prompt.content.flatMap(messages),
              ...(tools.length === 0
                ? {}
                : {
                    tools: tools.map((tool) => ({
                      type: "function",
                      function: {
                        name: tool.name,
                        description: Tool.getDescription(tool),
                        parameters: Tool.getJsonSchema(tool)
                      }
                    })),
                    ...(typeof toolChoice === "string" ? { tool_choice: toolChoice } : {})
                  })
            })
          )
          const response = yield* client.execute(request).pipe(
            Effect.mapError((error) =>
              failed(
                new AiError.NetworkError({
                  reason: "TransportError",
                  method: request.method,
                  url: request.url,
                  description: error.message
                })
              )
            )
          )
          if (response.status >= 300) return yield* refused(response)
          const body = yield* response.json.pipe(
            Effect.flatMap(Schema.decodeUnknownEffect(Completion)),
            Effect.mapError((error) =>
              failed(new AiError.InvalidOutputError({ description: `not a chat completion: ${error.message}` }))
            )
          )
          return parts(body)
        })
      return yield* LanguageModel.make({
        generateText,
        streamText: () =>
          Stream.fail(failed(new AiError.InvalidRequestError({ description: "Streaming is not provided." })))
      })
    })
  )

const failed = (reason: AiError.AiErrorReason): AiError.AiError =>
  AiError.make({ module: "AgentOpenAi", method: "generateText", reason })

const refused = Effect.fnUntraced(function* (response: HttpClientResponse.HttpClientResponse) {
  const body = yield* Effect.orElseSucceed(response.text, () => "")
  const description = `HTTP ${response.status}: ${body.slice(0, 1000)}`
  const seconds = Number(response.headers["retry-after"])
  return yield* failed(
    response.status === 429 && seconds > 0
      ? new AiError.RateLimitError({ retryAfter: Duration.seconds(seconds) })
      : response.status >= 500
        ? new AiError.InternalProviderError({ description })
        : response.status === 404
          ? new AiError.InvalidRequestError({ description })
          : AiError.reasonFromHttpStatus({ status: response.status, description })
  )
})

const messages = (message: Prompt.Message): ReadonlyArray<object> => {
  switch (message.role) {
    case "system":
      return [{ role: "system", content: message.content }]
    case "user":
      return [{ role: "user", content: message.content.map(content) }]
    case "assistant": {
      const text = message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("")
      const calls = message.content.flatMap((part) => (part.type === "tool-call" ? [part] : []))
      return [
        {
          role: "assistant",
          content: text === "" ? null : text,
          ...(calls.length === 0
            ? {}
            : {
                tool_calls: calls.map(({ id, name, params }) => ({
                  id,
                  type: "function",
                  function: { name, arguments: typeof params === "string" ? params : JSON.stringify(params) }
                }))
              })
        }
      ]
    }
    case "tool": {
      const results = message.content.flatMap((part) => (part.type === "tool-result" ? [part] : []))
      // A result is text only in this protocol: images follow in a message of their own.
      const images = results.flatMap(({ modelOutput = [] }) => modelOutput.filter((part) => part.type === "file"))
      return [
        ...results.map(({ id, result }) => ({
          role: "tool",
          tool_call_id: id,
          content: typeof result === "string" ? result : JSON.stringify(result)
        })),
        ...(images.length === 0 ? [] : [{ role: "user", content: images.map(content) }])
      ]
    }
  }
}

const content = (part: Prompt.TextPart | Prompt.FilePart): object => {
  if (part.type === "text") return { type: "text", text: part.text }
  const { data, mediaType } = part
  if (typeof data !== "string" && !(data instanceof URL)) return { type: "text", text: `(a file of type ${mediaType})` }
  return {
    type: "image_url",
    image_url: {
      url: data instanceof URL || /^https?:|^data:/.test(data) ? String(data) : `data:${mediaType};base64,${data}`
    }
  }
}

const finishReasons: { readonly [reason: string]: Response.FinishReason } = {
  stop: "stop",
  length: "length",
  tool_calls: "tool-calls",
  content_filter: "content-filter"
}

const parts = ({ choices, usage }: typeof Completion.Type): Array<Response.PartEncoded> => {
  const { finish_reason, message } = choices[0]
  const isRefused = message.refusal != null && message.refusal !== ""
  const reason = isRefused ? "content_filter" : finish_reason
  const texts = [message.content, message.refusal].flatMap((text) => (text == null || text === "" ? [] : [text]))
  return [
    ...texts.map((text) => ({ type: "text" as const, text })),
    ...(message.tool_calls ?? []).map((call) => ({
      type: "tool-call" as const,
      id: call.id,
      name: call.function.name,
      params: Option.getOrElse(parseJson(call.function.arguments), () => call.function.arguments)
    })),
    {
      type: "finish",
      reason: (reason != null && Object.hasOwn(finishReasons, reason) ? finishReasons[reason] : undefined) ?? "unknown",
      usage: {
        inputTokens: { uncached: undefined, total: usage?.prompt_tokens, cacheRead: undefined, cacheWrite: undefined },
        outputTokens: { total: usage?.completion_tokens, text: undefined, reasoning: undefined }
      },
      response: undefined
    }
  ]
}

// Arguments that are no JSON go to the tool as the text they are: its error names what is wrong.
const parseJson = (text: string): Option.Option<unknown> =>
  Option.liftThrowable((json: string): unknown => JSON.parse(json === "" ? "{}" : json))(text)
