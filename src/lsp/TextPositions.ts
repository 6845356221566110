/** From offsets of a text to the positions of the protocol and back, in the encoding that a server counts in (C44–C47). */
import * as Lines from "../edits/Lines.ts"
import type { Encoding, Position, Range } from "../edits/Positions.ts"
import type { Span } from "./LanguageServers.ts"

export type { Encoding, Position, Range }

/** A text with the offsets at which its lines begin. */
export interface Indexed {
  readonly text: string
  readonly starts: ReadonlyArray<number>
}

export const index = (text: string): Indexed => ({ text, starts: Lines.starts(text) })

/** How many units of the encoding the code point has, and how many of UTF-16. */
const widths: Record<Encoding, (point: number) => number> = {
  "utf-8": (point) => (point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4),
  "utf-16": (point) => (point < 0x10000 ? 1 : 2),
  "utf-32": () => 1
}

/** Where a line ends, before its line end. */
const endOfLine = ({ starts, text }: Indexed, line: number): number => {
  const next = starts[line + 1]
  if (next === undefined) return text.length
  return next - (text.startsWith("\r\n", next - 2) ? 2 : 1)
}

/** The text of a zero-based line without its end; `undefined` beyond the last. */
export const lineText = (indexed: Indexed, line: number): string | undefined => {
  const start = indexed.starts[line]
  return start === undefined ? undefined : indexed.text.slice(start, endOfLine(indexed, line))
}

/** The zero-based line of an offset. */
const lineOf = (starts: ReadonlyArray<number>, offset: number): number => {
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (starts[middle]! <= offset) low = middle
    else high = middle - 1
  }
  return low
}

/** The position of an offset. One inside a character or a line end is that of its begin; one outside the text, its end. */
export const toPosition = (indexed: Indexed, offset: number, encoding: Encoding): Position => {
  const { starts, text } = indexed
  const inside = Math.max(0, Math.min(offset, text.length))
  const line = lineOf(starts, inside)
  const until = Math.min(inside, endOfLine(indexed, line))
  const width = widths[encoding]
  let character = 0
  for (let at = starts[line]!; at < until;) {
    const point = text.codePointAt(at)!
    at += point < 0x10000 ? 1 : 2
    if (at > until) break
    character += width(point)
  }
  return { line, character }
}

/**
 * The offset of a position. A character beyond the line is the line's end, a line beyond the text is the text's end (C46);
 * a position inside a character is its begin. Anything that is no natural number counts as 0.
 */
export const toOffset = (indexed: Indexed, position: Position, encoding: Encoding): number => {
  const { starts, text } = indexed
  const line = natural(position.line)
  const start = starts[line]
  if (start === undefined) return text.length
  const end = endOfLine(indexed, line)
  const wanted = natural(position.character)
  if (encoding === "utf-16") {
    const at = Math.min(end, start + wanted)
    return at > start && at < end && text.codePointAt(at - 1)! > 0xffff ? at - 1 : at
  }
  const width = widths[encoding]
  let at = start
  for (let character = 0; at < end;) {
    const point = text.codePointAt(at)!
    character += width(point)
    if (character > wanted) break
    at += point < 0x10000 ? 1 : 2
  }
  return at
}

const natural = (value: number): number => (Number.isInteger(value) && value > 0 ? value : 0)

/** A range of the protocol as lines and columns of ours. Without the text, characters are taken for UTF-16 units. */
export const toSpan = (indexed: Indexed | undefined, range: Range, encoding: Encoding): Span => {
  const place = (position: Position) => {
    const line = natural(position.line)
    const start = indexed?.starts[line]
    if (indexed === undefined || start === undefined) return { line: line + 1, column: natural(position.character) + 1 }
    return { line: line + 1, column: toOffset(indexed, position, encoding) - start + 1 }
  }
  const from = place(range.start)
  const to = place(range.end)
  return { line: from.line, column: from.column, endLine: to.line, endColumn: to.column }
}
