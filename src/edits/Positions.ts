/** Positions of the Language Server Protocol and the offsets that they mean. */
import { Result } from "effect"
import * as Lines from "./Lines.ts"

/** What `Position.character` counts: bytes of UTF-8, UTF-16 code units, or code points. */
export type Encoding = "utf-8" | "utf-16" | "utf-32"

/** Zero-based line, and units of an `Encoding` from its start. */
export interface Position {
  readonly line: number
  readonly character: number
}

/** Zero-based; `end` is not part of it. */
export interface Range {
  readonly start: Position
  readonly end: Position
}

const width: Record<Encoding, (codePoint: number) => number> = {
  "utf-8": (point) => (point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4),
  "utf-16": (point) => (point < 0x10000 ? 1 : 2),
  "utf-32": () => 1
}

/** How a position is told to a model: one-based. */
export const show = (position: Position): string => `${position.line + 1}:${position.character + 1}`

/**
 * The UTF-16 offsets of positions, in time linear in the text and (but for sorting) in their number. A character past the
 * end of its line is that end, before the line's `\r\n`; a line past the last is the end of the text. Fails with a reason
 * for a position that is no pair of natural numbers or that lies inside a character.
 */
export const offsets = (
  text: string,
  positions: ReadonlyArray<Position>,
  encoding: Encoding
): Result.Result<ReadonlyArray<number>, string> => {
  const starts = Lines.starts(text)
  const unitsOf = width[encoding]
  const found = Array.from({ length: positions.length }, () => text.length)
  const order = positions
    .map((_, i) => i)
    .sort((a, b) => {
      const [p, q] = [positions[a]!, positions[b]!]
      return p.line - q.line || p.character - q.character
    })
  let line = -1
  let offset = 0
  let end = 0
  let character = 0
  for (const i of order) {
    const position = positions[i]!
    if (
      !(
        Number.isInteger(position.line) &&
        position.line >= 0 &&
        Number.isInteger(position.character) &&
        position.character >= 0
      )
    ) {
      return Result.fail(`line ${position.line}, character ${position.character} is not a position`)
    }
    if (position.line >= starts.length) continue
    if (position.line !== line) {
      line = position.line
      offset = starts[line]!
      character = 0
      end = starts[line + 1] ?? text.length
      if (line + 1 < starts.length) end -= text.startsWith("\r\n", end - 2) ? 2 : 1
    }
    while (character < position.character && offset < end) {
      const point = text.codePointAt(offset)!
      character += unitsOf(point)
      offset += point < 0x10000 ? 1 : 2
    }
    if (character > position.character) return Result.fail(`${show(position)} (${encoding}) is inside a character`)
    found[i] = offset
  }
  return Result.succeed(found)
}
