/** The base of the Debug Adapter Protocol over framed bytes (checklist 1–12). It owns no process: bytes come as a stream and go through a function. */
import { Effect, Schema, Scope, Stream } from "effect"
import * as Framing from "../wire/Framing.ts"
import * as Outbox from "../wire/Outbox.ts"
import * as Pending from "../wire/Pending.ts"
import * as Wire from "./Wire.ts"

/** The adapter answered with an error; `message` is the most helpful text of it. */
export class RequestError extends Schema.TaggedError<RequestError>()("RequestError", {
  command: Schema.String,
  message: Schema.String
}) {}

/** There is no connection (any more); `message` says why. */
export class Closed extends Schema.TaggedError<Closed>()("Closed", { message: Schema.String }) {}

/** Why a connection is over. `isClosed`: the other side has closed it, and how that ended says more than the reason. */
export interface End {
  readonly reason: string
  readonly isClosed: boolean
}

export interface Connection {
  /** Sends at once and waits for the `body` of the answer, however long it takes. */
  readonly request: (command: string, args?: unknown) => Effect.Effect<unknown, RequestError | Closed>
  /** Completes when all that was sent so far has been written. */
  readonly flushed: Effect.Effect<void>
  /** Fails what waits, and all later requests. The first reason stands. */
  readonly close: (reason: string) => void
}

export interface Options<E> {
  readonly input: Stream.Stream<Uint8Array, E>
  readonly write: (bytes: Uint8Array) => Effect.Effect<void, { readonly message: string }>
  /** Called in the order of arrival, between the answers; must not throw or take long. */
  readonly onEvent: (event: string, body: unknown) => void
  /** Answers a request of the adapter with a body, or refuses it with a text. */
  readonly onRequest: (command: string, args: unknown) => Effect.Effect<unknown, string>
  /** What was not understood; the connection goes on. */
  readonly onNoise: (what: string) => void
  /** Called once, when no message will come or go any more; not after `close`. Requests wait on until `close`. */
  readonly onEnd: (end: End) => void
}

/** The longest message, in bytes. */
export const longestMessage = 64 * 1024 * 1024

const placeholder = /\{([^{}]*)\}/g

/** The text of an error: the filled-in `format` of its body, else its `message`. */
export const errorText = (command: string, response: unknown): string => {
  const error = Wire.get(Wire.get(response, "body"), "error")
  const variables = Wire.get(error, "variables")
  const format = Wire.text(error, "format")
  const filled = format?.replaceAll(placeholder, (whole, name: string) => Wire.text(variables, name) ?? whole)
  const found = [filled, Wire.text(response, "message")].find((text) => text !== undefined && text.trim() !== "")
  return Wire.cut(found ?? `the request ${command} failed, without a reason`, 4000).trim()
}

const excerpt = (text: string): string => (text.length > 200 ? `${Wire.cut(text, 200)}…` : text)

export const make = Effect.fnUntraced(function* <E>(
  options: Options<E>
): Effect.fn.Return<Connection, never, Scope.Scope> {
  // A scope that is being closed takes no fibers, and what is asked while the owner says goodbye is still answered.
  const answering = yield* Scope.fork(yield* Effect.scope)
  let lastSeq = 0
  const pending = Pending.make<unknown, RequestError | Closed>(() => ++lastSeq)
  const commands = new Map<number, string>()
  let isOver = false
  const end = (reason: string, isClosed: boolean) => {
    if (isOver) return
    isOver = true
    options.onEnd({ reason, isClosed })
  }
  const outbox = yield* Outbox.make({ write: options.write, failed: end })
  const send = (message: object): boolean => outbox.send(Framing.encode(JSON.stringify(message)))

  const respond = (request: object, answer: object) =>
    Effect.sync(() => {
      const [request_seq, command] = [Wire.int(request, "seq") ?? 0, Wire.text(request, "command") ?? ""]
      send({ seq: ++lastSeq, type: "response", request_seq, command, ...answer })
    })

  const serve = (message: object) =>
    Effect.suspend(() => options.onRequest(Wire.text(message, "command") ?? "", Wire.get(message, "arguments"))).pipe(
      Effect.matchCauseEffect({
        onSuccess: (body) => respond(message, { success: true, ...(body === undefined ? {} : { body }) }),
        onFailure: (cause) => {
          const reason = cause.reasons.find((each) => each._tag === "Fail")?.error
          return respond(message, { success: false, message: reason ?? "the client failed to answer" })
        }
      }),
      Effect.forkIn(answering, { startImmediately: true })
    )

  const take = (body: string) => {
    let message: unknown
    try {
      message = JSON.parse(body)
    } catch {
      return Effect.sync(() => options.onNoise(`a message that is not JSON: ${excerpt(body)}`))
    }
    if (Wire.isRecord(message) && message["type"] === "request") return serve(message)
    return Effect.sync(() => {
      const type = Wire.text(message, "type")
      if (type === "event") {
        try {
          options.onEvent(Wire.text(message, "event") ?? "", Wire.get(message, "body"))
        } catch (error) {
          options.onNoise(`an event that could not be handled: ${String(error)}`)
        }
      } else if (type === "response") {
        const seq = Wire.int(message, "request_seq") ?? -1
        // An answer that nobody waits for any more is late.
        pending.settle(
          seq,
          Wire.flag(message, "success") === true
            ? Effect.succeed(Wire.get(message, "body"))
            : Effect.suspend(() => {
                const command = commands.get(seq) ?? ""
                return Effect.fail(new RequestError({ command, message: errorText(command, message) }))
              })
        )
      } else options.onNoise(`a message of no known type: ${excerpt(body)}`)
    })
  }

  const decoder = Framing.decoder({ bodyBytes: longestMessage })
  const onFrame = (frame: Framing.Frame) => {
    if (frame._tag === "Body") return take(frame.text)
    return Effect.sync(() => {
      if (frame._tag === "Broken") end(`what it writes cannot be read: ${frame.reason}`, false)
      else if (frame.text.trim() !== "") options.onNoise(`text between messages: ${excerpt(frame.text.trim())}`)
    })
  }
  yield* options.input.pipe(
    Stream.takeWhile(() => !isOver),
    Stream.runForEach((chunk) => Effect.forEach(decoder.push(chunk), onFrame, { discard: true })),
    Effect.exit,
    Effect.andThen(Effect.sync(() => end("it has closed its output", true))),
    Effect.forkScoped({ startImmediately: true })
  )

  return {
    request: (command, args) =>
      Effect.suspend(() => {
        let id = 0
        return pending
          .run(
            (seq) =>
              Effect.sync(() => {
                id = seq
                commands.set(seq, command)
                send({ seq, type: "request", command, ...(args === undefined ? {} : { arguments: args }) })
              }),
            () => Effect.void
          )
          .pipe(Effect.ensuring(Effect.sync(() => commands.delete(id))))
      }),
    flushed: outbox.flushed,
    close: (reason) => {
      isOver = true
      pending.failAll(new Closed({ message: reason }))
      outbox.end()
    }
  }
})
