/**
 * JSON objects in frames, both ways: what the connections of the Language Server Protocol and of the Debug Adapter Protocol share.
 * It owns no process: bytes come as a stream and go through a function.
 */
import { type Duration, Effect, Schema, type Scope, Stream } from "effect"
import * as Framing from "./Framing.ts"
import * as Outbox from "./Outbox.ts"

/** There is no connection (any more); `message` says why. */
export class Closed extends Schema.TaggedError<Closed>()("Closed", { message: Schema.String }) {}

/** Why a connection is over. `isClosed`: the other side has closed it, and how that ended says more than the reason. */
export interface End {
  readonly reason: string
  readonly isClosed: boolean
}

export interface Options<E> {
  readonly input: Stream.Stream<Uint8Array, E>
  readonly write: (bytes: Uint8Array) => Effect.Effect<void, { readonly message: string }>
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

export type Message = { readonly [key: string]: unknown }

export interface Messages {
  /** Begins to read, once: `take` is given each message in the order of arrival, and holds up the next one. */
  readonly listen: (take: (message: Message) => Effect.Effect<void>) => Effect.Effect<void, never, Scope.Scope>
  /** In order with all else; `false` when the connection is over. */
  readonly send: (message: object) => boolean
  /** Completes when all that was sent so far has been written. */
  readonly flushed: Effect.Effect<void>
  readonly isOver: () => boolean
  /** Takes and gives no message more; what was sent is still written. */
  readonly close: () => void
}

const isMessage = (value: unknown): value is Message =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The beginning of what was not understood. */
export const excerpt = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text)

export const make = Effect.fnUntraced(function* <E>(
  options: Options<E>
): Effect.fn.Return<Messages, never, Scope.Scope> {
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

  const read = (text: string, take: (message: Message) => Effect.Effect<void>): Effect.Effect<void> => {
    let message: unknown
    try {
      message = JSON.parse(text)
    } catch {
      return Effect.sync(() => options.onNoise(`a message that is not JSON: ${excerpt(text)}`))
    }
    return isMessage(message)
      ? take(message)
      : Effect.sync(() => options.onNoise(`a message that is not an object: ${excerpt(text)}`))
  }
  const decoder = Framing.decoder(options.limits)

  return {
    listen: (take) => {
      const onFrame = (frame: Framing.Frame) => {
        if (frame._tag === "Body") return read(frame.text, take)
        return Effect.sync(() => {
          if (frame._tag === "Broken") end(`what it writes cannot be read: ${frame.reason}`, false)
          else if (frame.text.trim() !== "") options.onNoise(`text between messages: ${excerpt(frame.text.trim())}`)
        })
      }
      return options.input.pipe(
        Stream.takeWhile(() => !isOver),
        Stream.runForEach((chunk) => Effect.forEach(decoder.push(chunk), onFrame, { discard: true })),
        Effect.exit,
        Effect.andThen(Effect.sync(() => end("it has closed its output", true))),
        Effect.forkScoped({ startImmediately: true }),
        Effect.asVoid
      )
    },
    send: (message) => outbox.send(Framing.encode(JSON.stringify(message))),
    flushed: outbox.flushed,
    isOver: () => isOver,
    close: () => {
      isOver = true
      outbox.end()
    }
  }
})
