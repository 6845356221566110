/**
 * What the host of an interpreter and its runner say to each other: one JSON object a line, ASCII, on descriptors of their own.
 * Descriptors 1 and 2 belong to the user's code; the runner writes *marks* into them, which say where a frame belongs.
 */
import { Option, Schema } from "effect"

/** The longest line in both directions, in bytes. */
export const maxBytes = 64 * 1024 * 1024

/** `mime` to its content: text, base64 for `image/png` and `image/jpeg`, a JSON value for `*+json` and `application/json`. */
export const Bundle = Schema.Record(Schema.String, Schema.Unknown)
export type Bundle = typeof Bundle.Type

const cell = Schema.Int
const seq = Schema.Int

/** Ended: without an error, with one, by an interrupt, by the exit of the program (`exit_code`). */
export const Status = Schema.Literals(["ok", "error", "interrupted", "exit"])
export type Status = typeof Status.Type

/** Frames with a place among the texts. */
export const Placed = Schema.Union([
  Schema.Struct({
    t: Schema.Literal("display"),
    cell,
    seq,
    data: Bundle,
    id: Schema.optionalKey(Schema.NullOr(Schema.String)),
    update: Schema.optionalKey(Schema.NullOr(Schema.Boolean))
  }),
  Schema.Struct({ t: Schema.Literal("clear"), cell, seq, wait: Schema.optionalKey(Schema.Boolean) }),
  Schema.Struct({ t: Schema.Literal("result"), cell, seq, data: Bundle }),
  Schema.Struct({
    t: Schema.Literal("error"),
    cell,
    seq,
    name: Schema.String,
    message: Schema.String,
    traceback: Schema.String
  }),
  Schema.Struct({
    t: Schema.Literal("done"),
    cell,
    seq,
    status: Status,
    exit_code: Schema.optionalKey(Schema.NullOr(Schema.Finite)),
    rss: Schema.optionalKey(Schema.NullOr(Schema.Finite))
  })
])
export type Placed = typeof Placed.Type

/** Runner to host. */
export const Frame = Schema.Union([
  Placed,
  Schema.Struct({
    t: Schema.Literal("ready"),
    language: Schema.String,
    version: Schema.String,
    executable: Schema.String,
    pid: Schema.Int
  }),
  Schema.Struct({
    t: Schema.Literal("notice"),
    cell: Schema.optionalKey(Schema.NullOr(Schema.Int)),
    text: Schema.String
  }),
  Schema.Struct({
    t: Schema.Literal("call"),
    id: Schema.Union([Schema.Int, Schema.String]),
    cell,
    name: Schema.String,
    params: Schema.optionalKey(Schema.Unknown)
  }),
  Schema.Struct({ t: Schema.Literal("cancel"), id: Schema.Union([Schema.Int, Schema.String]) })
])
export type Frame = typeof Frame.Type
export type Ready = Extract<Frame, { readonly t: "ready" }>
export type ToolCall = Extract<Frame, { readonly t: "call" }>

/** Host to runner. */
export type Request =
  | { readonly t: "init"; readonly marker: string; readonly cwd: string; readonly tools: boolean }
  | { readonly t: "run"; readonly cell: number; readonly code: string; readonly file?: string }
  | { readonly t: "interrupt"; readonly cell: number }
  | { readonly t: "reply"; readonly id: ToolCall["id"]; readonly ok: true; readonly value: unknown }
  | {
      readonly t: "reply"
      readonly id: ToolCall["id"]
      readonly ok: false
      readonly code: string
      readonly message: string
    }

const decodeFrame = Schema.decodeUnknownOption(Frame)

/** `None`: the line is no frame. */
export const decode = (line: string): Option.Option<Frame> => {
  try {
    return decodeFrame(JSON.parse(line))
  } catch {
    return Option.none()
  }
}

const encoder = new TextEncoder()
// oxlint-disable-next-line no-control-regex
const beyondAscii = /[^\x00-\x7f]/g

/** The line of a request. */
export const encode = (request: Request): Uint8Array => {
  const text = JSON.stringify(request).replaceAll(
    beyondAscii,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
  )
  return encoder.encode(`${text}\n`)
}
