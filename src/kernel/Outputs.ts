/** What a cell showed, in order and bounded (SPEC §8.8, §11 `eval`). */
import { Schema } from "effect"
import { utf8Length } from "../wire/Framing.ts"
import * as Frame from "./Frame.ts"
import * as Terminal from "./Terminal.ts"

const background = {
  /** Shown between two cells, by what earlier ones had left running. */
  background: Schema.optionalKey(Schema.Literal(true))
}

export const Output = Schema.Union([
  Schema.Struct({
    kind: Schema.Literals(["stdout", "stderr"]),
    text: Schema.String,
    /** Before this text some was left out. */
    after_gap: Schema.optionalKey(Schema.Literal(true)),
    ...background
  }),
  Schema.Struct({
    kind: Schema.Literal("display"),
    data: Frame.Bundle,
    display_id: Schema.optionalKey(Schema.String),
    /** It is the new state of an earlier display with this id. */
    update: Schema.optionalKey(Schema.Literal(true)),
    ...background
  }),
  Schema.Struct({ kind: Schema.Literal("result"), data: Frame.Bundle, ...background }),
  Schema.Struct({
    kind: Schema.Literal("error"),
    name: Schema.String,
    message: Schema.String,
    traceback: Schema.String,
    ...background
  })
])
export type Output = typeof Output.Type
type Text = Extract<Output, { readonly kind: "stdout" | "stderr" }>
type Shown = Exclude<Output, Text>

export interface Limits {
  /** Text of a cell, in bytes: one half is the beginning, one half the end. Default 48 KiB. */
  readonly inlineBytes: number
  /** A longer line is cut. Default 4,000 characters. */
  readonly lineChars: number
  /** One image, in bytes; all of a cell together at most four times as much. Default 5 MiB. */
  readonly imageBytes: number
  /** How many images of a cell are kept. Default 20. */
  readonly images: number
  /** How many displays of a cell are kept; their plain text together is at most `inlineBytes`. Default 200. */
  readonly displays: number
}

export const defaultLimits: Limits = {
  inlineBytes: 48 * 1024,
  lineChars: 4000,
  imageBytes: 5 * 1024 * 1024,
  images: 20,
  displays: 200
}

/** The bounded outputs, and what they leave out. */
export interface Collected {
  readonly outputs: ReadonlyArray<Output>
  /** Where text was left out: how much there was in all. */
  readonly cut?: { readonly totalBytes: number; readonly totalLines: number }
  /** Lines that were cut in their middle. */
  readonly longLines: number
  /** Whether all text is in `outputs`. */
  readonly isWhole: boolean
  /** What else was left out, one sentence each. */
  readonly notices: ReadonlyArray<string>
}

export interface Collector {
  readonly text: (kind: Text["kind"], text: string, bytes: number) => void
  readonly show: (output: Shown) => void
  /** Everything before it is gone: now, or (`wait`) with the next output. */
  readonly clear: (wait: boolean) => void
  readonly isEmpty: () => boolean
  readonly finish: () => Collected
}

const isText = (output: Output): output is Text => output.kind === "stdout" || output.kind === "stderr"

/** The longest beginning of at most so many bytes; whole lines where there are any. */
const headOf = (text: string, bytes: number): string => {
  if (text.length * 3 <= bytes || utf8Length(text) <= bytes) return text
  let end = Math.min(text.length, bytes)
  while (end > 0 && utf8Length(text.slice(0, end)) > bytes) end -= Math.max(1, Math.floor(end / 16))
  if ((text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end--
  const line = text.lastIndexOf("\n", end - 1)
  return text.slice(0, line > end / 2 ? line + 1 : end)
}

/** The longest end of at most so many bytes; whole lines where there are any. */
const tailOf = (text: string, bytes: number): string => {
  if (text.length * 3 <= bytes || utf8Length(text) <= bytes) return text
  let start = Math.max(0, text.length - bytes)
  while (start < text.length && utf8Length(text.slice(start)) > bytes)
    start += Math.max(1, Math.floor((text.length - start) / 16))
  if ((text.charCodeAt(start) & 0xfc00) === 0xdc00) start++
  const line = text.indexOf("\n", start)
  return text.slice(line >= 0 && line + 1 - start < (text.length - start) / 2 ? line + 1 : start)
}

/** Texts of one stream that follow each other become one. */
const merge = (outputs: ReadonlyArray<Output>): ReadonlyArray<Output> => {
  const merged: Array<Output> = []
  let parts: Array<string> = []
  const flush = () => {
    const last = merged.at(-1)
    if (parts.length > 1 && last !== undefined && isText(last))
      merged[merged.length - 1] = { ...last, text: parts.join("") }
    parts = []
  }
  for (const output of outputs) {
    if (isText(output) && parts.length > 0 && merged.at(-1)?.kind === output.kind) parts.push(output.text)
    else {
      flush()
      merged.push(output)
      if (isText(output)) parts = [output.text]
    }
  }
  flush()
  return merged
}

const newlines = (text: string): number => {
  let count = 0
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++
  return count
}

/** A text with its middle left out where it has more bytes than this. */
export const bounded = (text: string, bytes: number): string => {
  if (text.length * 3 <= bytes || utf8Length(text) <= bytes) return text
  const head = headOf(text, bytes / 2)
  const tail = tailOf(text, bytes / 2)
  return `${head}\n[… ${utf8Length(text) - utf8Length(head) - utf8Length(tail)} bytes left out …]\n${tail}`
}

/** All images of a cell together, in images of the largest size. */
const imagesInAll = 4
/** All that displays have beside their plain text, in inline texts of a cell. */
const richInAll = 10
/** What an output of its own costs in an answer beside its text: a heading, or the object around it. */
const outputBytes = 16

const isImage = (mime: string): boolean => mime.startsWith("image/")

export const make = (limits: Limits): Collector => {
  const half = Math.floor(limits.inlineBytes / 2)
  const lines = { stdout: Terminal.lines(limits.lineChars), stderr: Terminal.lines(limits.lineChars) }
  let head: Array<Output> = []
  let headBytes = 0
  let isHeadFull = false
  let tail: Array<Output> = []
  let tailChars = 0
  let totalBytes = 0
  let totalLines = 0
  let isCut = false
  let isShortened = false
  let willClear = false
  let last: Text["kind"] | undefined
  let images = 0
  let imageChars = 0
  let displays = 0
  let plainBytes = 0
  let richChars = 0
  const dropped = { images: 0, displays: 0, large: 0 }

  const shrink = () => {
    for (let at = 0; tailChars > half && at < tail.length;) {
      const output = tail[at]!
      if (!isText(output)) at++
      else if (tailChars - output.text.length >= half) {
        tailChars -= output.text.length
        tail.splice(at, 1)
        isCut = true
      } else return
    }
  }

  const append = (kind: Text["kind"], text: string) => {
    if (text === "") return
    if (isHeadFull) {
      const rest = text.length > 2 * half ? text.slice(-half) : text
      if (rest !== text) isCut = true
      tail.push({ kind, text: rest })
      tailChars += rest.length
      shrink()
      return
    }
    const before = head.at(-1)
    const isContinued = before?.kind === kind
    const cost = isContinued || before === undefined ? 0 : outputBytes
    let fitting = headOf(text, Math.max(0, half - headBytes - cost))
    // A line is not torn where the part before it ends with one.
    if (fitting !== text && before !== undefined && isText(before) && before.text.endsWith("\n")) {
      fitting = fitting.slice(0, fitting.lastIndexOf("\n") + 1)
    }
    if (isContinued) head[head.length - 1] = { kind, text: before.text + fitting }
    else if (fitting !== "") {
      head.push({ kind, text: fitting })
      headBytes += cost
    }
    headBytes += utf8Length(fitting)
    if (fitting.length === text.length) return
    isHeadFull = true
    append(kind, text.slice(fitting.length))
  }

  const flush = () => {
    if (last !== undefined) append(last, lines[last].flush())
    last = undefined
  }

  const clear = () => {
    willClear = false
    flush()
    head = []
    tail = []
    headBytes = tailChars = 0
    isHeadFull = isCut = isShortened = false
    totalBytes = totalLines = 0
    images = displays = imageChars = plainBytes = richChars = 0
  }

  const shorten = (text: string, bytes: number): string => {
    const shorter = bounded(text, bytes)
    if (shorter !== text) isShortened = true
    return shorter
  }

  /** What of a bundle is kept. */
  const admit = (data: Frame.Bundle): Frame.Bundle => {
    const kept: Array<[string, unknown]> = []
    for (const [mime, content] of Object.entries(data)) {
      const size = typeof content === "string" ? content.length : JSON.stringify(content).length
      if (isImage(mime) && size * 0.75 > limits.imageBytes) {
        dropped.large++
        continue
      }
      if (isImage(mime) && (++images > limits.images || (imageChars += size) > imagesInAll * limits.imageBytes)) {
        dropped.images++
        continue
      }
      if (mime === "text/plain" && typeof content === "string") kept.push([mime, shorten(content, half)])
      else if (!isImage(mime) && (richChars += size) > richInAll * limits.inlineBytes) dropped.large++
      else kept.push([mime, content])
    }
    return Object.fromEntries(kept)
  }

  /** Whether the displays of the cell have had all the text that a cell may show; what is echoed as its result always fits. */
  const isFull = (data: Frame.Bundle): boolean => {
    const text = data["text/plain"]
    if (typeof text !== "string") return false
    plainBytes += utf8Length(text) + outputBytes
    return plainBytes > limits.inlineBytes
  }

  const place = (output: Shown) => {
    const list = isHeadFull ? tail : head
    const before = list.at(-1)
    const isNewState =
      output.kind === "display" &&
      output.update === true &&
      before?.kind === "display" &&
      before.update === true &&
      before.display_id === output.display_id
    if (isNewState) list[list.length - 1] = output
    else if (output.kind === "display" && (++displays > limits.displays || isFull(output.data))) {
      dropped.displays++
      isShortened = true
    } else list.push(output)
  }

  return {
    text: (kind, text, bytes) => {
      if (willClear) clear()
      if (last !== kind) flush()
      last = kind
      totalBytes += bytes
      totalLines += newlines(text)
      append(kind, lines[kind].push(text))
    },
    show: (output) => {
      if (willClear) clear()
      flush()
      if (output.kind === "error") {
        place({
          ...output,
          message: shorten(output.message, half / 4),
          traceback: shorten(output.traceback, half)
        })
      } else place({ ...output, data: admit(output.data) })
    },
    clear: (wait) => {
      if (wait) willClear = true
      else clear()
    },
    isEmpty: () => head.length === 0 && tail.length === 0 && last === undefined,
    finish: () => {
      flush()
      // Measured in bytes only now: characters are what is cheap to count on the way.
      let room = half
      const end: Array<Output> = []
      for (const output of merge(tail).toReversed()) {
        if (!isText(output)) end.push(output)
        else {
          if (end.length > 0) room = Math.max(0, room - outputBytes)
          const text = tailOf(output.text, room)
          if (text !== output.text) isCut = true
          room = text === output.text ? room - utf8Length(text) : 0
          if (text !== "") end.push({ ...output, text })
        }
      }
      const merged: Array<Output> = [...head]
      let hasGap = false
      for (const output of end.reverse()) {
        const before = merged.at(-1)
        if (isCut && !hasGap && isText(output)) {
          hasGap = true
          merged.push({ ...output, after_gap: true })
        } else if (isText(output) && before !== undefined && isText(before) && before.kind === output.kind) {
          merged[merged.length - 1] = { ...before, text: before.text + output.text }
        } else merged.push(output)
      }
      const longLines = lines.stdout.cut() + lines.stderr.cut()
      const notices = [
        dropped.images > 0
          ? `${dropped.images} more images were left out: at most ${limits.images} of a cell are shown.`
          : "",
        dropped.displays > 0
          ? `${dropped.displays} displays were left out: of a cell at most ${limits.displays} are shown, with ${limits.inlineBytes} bytes of text in all.`
          : "",
        dropped.large > 0 ? `${dropped.large} large parts of displays were left out.` : ""
      ].filter((text) => text !== "")
      return {
        outputs: merged,
        ...(isCut ? { cut: { totalBytes, totalLines } } : {}),
        longLines,
        isWhole: !isCut && longLines === 0 && !isShortened,
        notices
      }
    }
  }
}
