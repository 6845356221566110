/** The base of the Debug Adapter Protocol over framed bytes (checklist 1–12). It owns no process: bytes come as a stream and go through a function. */
import { Effect, Schema, Scope } from "effect"
import * as Messages from "../wire/Messages.ts"
import * as Pending from "../wire/Pending.ts"
import * as Wire from "./Wire.ts"

export { Closed } from "../wire/Messages.ts"
export type { End } from "../wire/Messages.ts"

/** The adapter answered with an error; `message` is the most helpful text of it. */
export class RequestError extends Schema.TaggedError<RequestError>()("RequestError", {
  command: Schema.String,
  message: Schema.String
}) {}

export interface Connection {
  /** Sends at once, tells the number of the request, and waits for the `body` of the answer, however long it takes. */
  readonly request: (
    command: string,
    args?: unknown,
    sent?: (seq: number) => void
  ) => Effect.Effect<unknown, RequestError | Messages.Closed>
  /** Completes when all that was sent so far has been written. */
  readonly flushed: Effect.Effect<void>
  /** Fails what waits, and all later requests. The first reason stands. */
  readonly close: (reason: string) => void
}

export interface Options<E> extends Messages.Options<E> {
  /** Called in the order of arrival, between the answers; must not throw or take long. */
  readonly onEvent: (event: string, body: unknown) => void
  /** Answers a request of the adapter with a body, or refuses it with a text. */
  readonly onRequest: (command: string, args: unknown) => Effect.Effect<unknown, string>
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
  return Wire.cut(Wire.plain(found ?? `the request ${command} failed, without a reason`), 4000).trim()
}

export const make = Effect.fnUntraced(function* <E>(
  options: Options<E>
): Effect.fn.Return<Connection, never, Scope.Scope> {
  // A scope that is being closed takes no fibers, and what is asked while the owner says goodbye is still answered.
  const answering = yield* Scope.fork(yield* Effect.scope)
  const messages = yield* Messages.make({ ...options, limits: { bodyBytes: longestMessage } })
  let lastSeq = 0
  const pending = Pending.make<unknown, RequestError | Messages.Closed>(() => ++lastSeq)
  const commands = new Map<number, string>()

  const respond = (request: object, answer: object) =>
    Effect.sync(() => {
      const [request_seq, command] = [Wire.int(request, "seq") ?? 0, Wire.text(request, "command") ?? ""]
      messages.send({ seq: ++lastSeq, type: "response", request_seq, command, ...answer })
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

  const take = (message: Messages.Message): Effect.Effect<void> => {
    if (message["type"] === "request") return Effect.asVoid(serve(message))
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
      } else options.onNoise(`a message of no known type: ${Messages.excerpt(JSON.stringify(message))}`)
    })
  }

  yield* messages.listen(take)

  return {
    request: (command, args, sent) =>
      Effect.suspend(() => {
        let id = 0
        return pending
          .run(
            (seq) =>
              Effect.sync(() => {
                id = seq
                commands.set(seq, command)
                messages.send({ seq, type: "request", command, ...(args === undefined ? {} : { arguments: args }) })
                sent?.(seq)
              }),
            () => Effect.void
          )
          .pipe(Effect.ensuring(Effect.sync(() => commands.delete(id))))
      }),
    flushed: messages.flushed,
    close: (reason) => {
      pending.failAll(new Messages.Closed({ message: reason }))
      messages.close()
    }
  }
})
