/**
 * JSON-RPC 2.0 over framed bytes, as the Language Server Protocol uses it (C1–C17). It owns no process: bytes come as a
 * stream and go through a function.
 */
import { Effect, Schema, Scope } from "effect"
import * as Messages from "./Messages.ts"
import * as Pending from "./Pending.ts"

export { Closed } from "./Messages.ts"
export type { End } from "./Messages.ts"

/** Codes of errors (C12). */
export const errorCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  requestCancelled: -32800,
  contentModified: -32801,
  serverCancelled: -32802,
  requestFailed: -32803
} as const

/** The other side answered with an error. */
export class ResponseError extends Schema.TaggedError<ResponseError>()("ResponseError", {
  code: Schema.Finite,
  message: Schema.String,
  data: Schema.optionalKey(Schema.Unknown)
}) {}

export interface Connection {
  /**
   * Sends a request and waits for its answer; interrupted, it sends `$/cancelRequest` (C13). `params` that are `undefined` are
   * left out (C9).
   */
  readonly request: (method: string, params?: unknown) => Effect.Effect<unknown, ResponseError | Messages.Closed>
  /** Sends a notification, in order with all else; `false` when the connection is over. */
  readonly notify: (method: string, params?: unknown) => boolean
  /** Completes when all that was sent so far has been written. */
  readonly flushed: Effect.Effect<void>
  /** Fails what waits, and all later requests. The first reason stands. */
  readonly close: (reason: string) => void
}

export interface Options<E> extends Messages.Options<E> {
  /** Called in the order of arrival, between the answers; must not throw or take long. */
  readonly onNotification: (method: string, params: unknown) => void
  /** Starts in the order of arrival; many may run at once. A request is answered exactly once, whatever this does (C6). */
  readonly onRequest: (method: string, params: unknown) => Effect.Effect<unknown, ResponseError>
}

const isRecord = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const toError = (value: unknown): ResponseError => {
  const error = isRecord(value) ? value : {}
  return new ResponseError({
    code:
      typeof error["code"] === "number" && Number.isFinite(error["code"]) ? error["code"] : errorCodes.internalError,
    message: typeof error["message"] === "string" ? error["message"] : "an error without a message",
    ...(error["data"] === undefined ? {} : { data: error["data"] })
  })
}

export const make = Effect.fnUntraced(function* <E>(
  options: Options<E>
): Effect.fn.Return<Connection, never, Scope.Scope> {
  // A scope that is being closed takes no fibers, and what is asked while the owner says goodbye is still answered.
  const answering = yield* Scope.fork(yield* Effect.scope)
  const messages = yield* Messages.make(options)
  const pending = Pending.make<unknown, ResponseError | Messages.Closed>()
  const send = (message: object): boolean => messages.send({ jsonrpc: "2.0", ...message })
  const notify = (method: string, params?: unknown) => !messages.isOver() && send({ method, params })

  const serve = (id: unknown, method: string, params: unknown) =>
    Effect.suspend(() => options.onRequest(method, params)).pipe(
      Effect.map((result) => ({ id, result: result ?? null })),
      Effect.catchCause((cause) => {
        const failure = cause.reasons.find((reason) => reason._tag === "Fail")?.error
        const { code, data, message } = failure ?? toError({ message: "the client failed to answer" })
        return Effect.succeed({ id, error: { code, message, data } })
      }),
      Effect.map((answer) => send(answer)),
      Effect.forkIn(answering, { startImmediately: true })
    )

  const take = (message: Messages.Message): Effect.Effect<void> => {
    const { error, id, method, params, result } = message
    // What has a method is no answer, even if its id is that of a request of ours (C5).
    if (typeof method === "string") {
      if (id !== undefined && id !== null) return Effect.asVoid(serve(id, method, params))
      return Effect.sync(() => {
        try {
          options.onNotification(method, params)
        } catch (error) {
          options.onNoise(`${method} could not be handled: ${String(error)}`)
        }
      })
    }
    return Effect.sync(() => {
      // An answer that nobody waits for was cancelled (C11).
      pending.settle(
        id,
        error === undefined || error === null ? Effect.succeed(result ?? null) : Effect.fail(toError(error))
      )
    })
  }

  yield* messages.listen(take)

  return {
    request: (method, params) =>
      pending.run(
        (id) =>
          Effect.sync(() => {
            send({ id, method, params })
          }),
        (id) =>
          Effect.sync(() => {
            notify("$/cancelRequest", { id })
          })
      ),
    notify,
    flushed: messages.flushed,
    close: (reason) => {
      pending.failAll(new Messages.Closed({ message: reason }))
      messages.close()
    }
  }
})
