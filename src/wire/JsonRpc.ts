/**
 * JSON-RPC 2.0 over framed bytes, as the Language Server Protocol uses it (C1–C17). It owns no process: bytes come as a
 * stream and go through a function.
 */
import { type Duration, Effect, Schema, Scope, Stream } from "effect"
import * as Framing from "./Framing.ts"
import * as Outbox from "./Outbox.ts"
import * as Pending from "./Pending.ts"

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

/** There is no connection (any more); `message` says why. */
export class Closed extends Schema.TaggedError<Closed>()("Closed", { message: Schema.String }) {}

export interface Connection {
  /**
   * Sends a request and waits for its answer; interrupted, it sends `$/cancelRequest` (C13). `params` that are `undefined` are
   * left out (C9).
   */
  readonly request: (method: string, params?: unknown) => Effect.Effect<unknown, ResponseError | Closed>
  /** Sends a notification, in order with all else; `false` when the connection is over. */
  readonly notify: (method: string, params?: unknown) => boolean
  /** Completes when all that was sent so far has been written. */
  readonly flushed: Effect.Effect<void>
  /** Fails what waits, and all later requests. The first reason stands. */
  readonly close: (reason: string) => void
}

/** Why a connection is over. `isClosed`: the other side has closed it, and how that ended says more than the reason. */
export interface End {
  readonly reason: string
  readonly isClosed: boolean
}

export interface Options<E> {
  readonly input: Stream.Stream<Uint8Array, E>
  readonly write: (bytes: Uint8Array) => Effect.Effect<void, { readonly message: string }>
  /** Called in the order of arrival, between the answers; must not throw or take long. */
  readonly onNotification: (method: string, params: unknown) => void
  /** Starts in the order of arrival; many may run at once. A request is answered exactly once, whatever this does (C6). */
  readonly onRequest: (method: string, params: unknown) => Effect.Effect<unknown, ResponseError>
  /** What was not understood, for a log; the connection goes on (C14). */
  readonly onNoise: (what: string) => void
  /**
   * Called once, when no message will come or go any more; not after `close`. Requests wait on until `close`, so that their
   * failure can say more than that.
   */
  readonly onEnd: (end: End) => void
  readonly capacityBytes?: number
  readonly stuckAfter?: Duration.Input
  readonly limits?: Framing.Limits
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

const excerpt = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text)

export const make = Effect.fnUntraced(function* <E>(
  options: Options<E>
): Effect.fn.Return<Connection, never, Scope.Scope> {
  // A scope that is being closed takes no fibers, and what is asked while the owner says goodbye is still answered.
  const answering = yield* Scope.fork(yield* Effect.scope)
  const pending = Pending.make<unknown, ResponseError | Closed>()
  let isOver = false
  const end = (reason: string, isClosed: boolean) => {
    if (isOver) return
    isOver = true
    options.onEnd({ reason, isClosed })
  }
  const outbox = yield* Outbox.make({
    write: options.write,
    failed: end,
    ...(options.capacityBytes === undefined ? {} : { capacityBytes: options.capacityBytes }),
    ...(options.stuckAfter === undefined ? {} : { stuckAfter: options.stuckAfter })
  })
  const send = (message: object): boolean => outbox.send(Framing.encode(JSON.stringify({ jsonrpc: "2.0", ...message })))
  const notify = (method: string, params?: unknown) => !isOver && send({ method, params })

  const serve = (id: unknown, method: string, params: unknown) =>
    Effect.suspend(() => options.onRequest(method, params)).pipe(
      Effect.map((result) => ({ id, result: result ?? null })),
      Effect.catchCause((cause) => {
        const failure = cause.reasons.find((reason) => reason._tag === "Fail")?.error
        const { code, data, message } = failure ?? toError({ message: "the client failed to answer" })
        return Effect.succeed({ id, error: { code, message, data } })
      }),
      Effect.map(send),
      Effect.forkIn(answering, { startImmediately: true })
    )

  const take = (text: string) => {
    let message: unknown
    try {
      message = JSON.parse(text)
    } catch {
      return Effect.sync(() => options.onNoise(`a message that is not JSON: ${excerpt(text)}`))
    }
    if (!isRecord(message)) {
      return Effect.sync(() => options.onNoise(`a message that is not an object: ${excerpt(text)}`))
    }
    const { error, id, method, params, result } = message
    // What has a method is no answer, even if its id is that of a request of ours (C5).
    if (typeof method === "string") {
      if (id !== undefined && id !== null) return serve(id, method, params)
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

  const decoder = Framing.decoder(options.limits)
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
    flushed: outbox.flushed,
    close: (reason) => {
      isOver = true
      pending.failAll(new Closed({ message: reason }))
      outbox.end()
    }
  }
})
