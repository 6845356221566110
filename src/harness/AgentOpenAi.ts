/**
 * A language model behind an endpoint that speaks OpenAI's Chat Completions: the smallest part of the protocol that an agent
 * needs. The provider packages of Effect do not load with effect 4.1; where one does, its Layer is given with `--model`.
 */
import { Effect, Layer, Option, Schema, Stream } from "effect"
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
                id: Schema.optional(Schema.NullOr(Schema.String)),
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
        prompt_tokens: Schema.optional(Schema.NullOr(Schema.Finite)),
        completion_tokens: Schema.optional(Schema.NullOr(Schema.Finite))
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
                  description: rootOf(error)
                })
              )
            )
          )
          if (response.status >= 300) {
            const body = yield* Effect.orElseSucceed(response.text, () => "")
            return yield* refused(response, { status: response.status, body })
          }
          const text = yield* response.text.pipe(
            Effect.mapError((error) =>
              failed(new AiError.InvalidResponseError({ description: `it cannot be read: ${error.message}` }))
            )
          )
          const body = Option.getOrUndefined(parseJson(text))
          const error = errorIn(body)
          if (error !== undefined) return yield* refused(response, error)
          return yield* Schema.decodeUnknownEffect(Completion)(body).pipe(
            Effect.map(parts),
            Effect.mapError((problem) =>
              failed(
                new AiError.InvalidResponseError({
                  description: `not a chat completion: ${body === undefined ? "it is not JSON" : problem.message}. It begins ${JSON.stringify(text.slice(0, 300))}`
                })
              )
            )
          )
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

/** What lies at the bottom of a failure: the outer errors say only that something failed. */
const rootOf = (error: Error): string => {
  let root = error
  for (let depth = 0; depth < 10 && root.cause instanceof Error; depth++) root = root.cause
  return root.message || root.name
}

interface Refusal {
  readonly status: number | undefined
  readonly body: string
}

const refused = ({ headers }: HttpClientResponse.HttpClientResponse, { body, status = 0 }: Refusal) => {
  const said = body.slice(0, 1000)
  const description = status === 0 ? `the provider answered with an error: ${said}` : `HTTP ${status}: ${said}`
  const http = { response: { status, headers }, body: said }
  if (status === 429 && /"?insufficient_quota"?/.test(body)) return failed(new AiError.QuotaExhaustedError({ http }))
  return failed(
    status === 404
      ? new AiError.InvalidRequestError({ description })
      : AiError.reasonFromHttpStatus({ status, description, http })
  )
}

/** The error that some providers send as if it were an answer: in place of the choices, or of the one choice. */
const errorIn = (body: unknown): Refusal | undefined => {
  const { choices, error = undefined } = isRecord(body) ? body : {}
  const first: unknown = Array.isArray(choices) ? choices[0] : undefined
  const found = error ?? (isRecord(first) ? first["error"] : undefined) ?? undefined
  if (found === undefined) return undefined
  const code = isRecord(found) ? Number(found["code"]) : NaN
  const message = isRecord(found) && typeof found["message"] === "string" ? found["message"] : undefined
  return {
    status: Number.isInteger(code) && code >= 400 && code < 600 ? code : undefined,
    body: message ?? (typeof found === "string" ? found : JSON.stringify(found))
  }
}

const isRecord = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null

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
  content_filter: "content-filter",
  error: "error"
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
      id: call.id ?? "",
      name: call.function.name,
      params: Option.getOrElse(parseJson(call.function.arguments), () => call.function.arguments)
    })),
    {
      type: "finish",
      reason: (reason != null && Object.hasOwn(finishReasons, reason) ? finishReasons[reason] : undefined) ?? "unknown",
      usage: {
        inputTokens: {
          uncached: undefined,
          total: usage?.prompt_tokens ?? undefined,
          cacheRead: undefined,
          cacheWrite: undefined
        },
        outputTokens: { total: usage?.completion_tokens ?? undefined, text: undefined, reasoning: undefined }
      },
      response: undefined
    }
  ]
}

// Arguments that are no JSON go to the tool as the text they are: its error names what is wrong.
const parseJson = (text: string): Option.Option<unknown> =>
  Option.liftThrowable((json: string): unknown => JSON.parse(json === "" ? "{}" : json))(text)
