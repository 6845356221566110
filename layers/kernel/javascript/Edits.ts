/** Changes of a text, and where each place of the changed text was before. Offsets are in UTF-16 units, lines and columns 0-based. */

export interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
  /** What stands between the two goes to the front. */
  readonly hoists?: "from" | "to"
}

/** A part of the changed text: one that stands as it was, or, of no length, a new one. */
export interface Segment {
  readonly at: number
  /** Its offset before; of a new one, the place where it was put. */
  readonly from: number
  readonly length: number
}

export interface Position {
  readonly line: number
  readonly column: number
}

interface Chunk {
  readonly text: string
  readonly from: number
  readonly isNew?: true
}

/** `front`: where that goes what is hoisted. */
export const apply = (text: string, edits: ReadonlyArray<Edit>, front = 0) => {
  const before: Array<Chunk> = []
  const hoisted: Array<Chunk> = []
  const after: Array<Chunk> = []
  let from = 0
  let isHoisting = false
  const add = (chunk: Chunk) => (isHoisting ? hoisted : chunk.from < front ? before : after).push(chunk)
  // Stable: at one place, what was asked for first comes first.
  const all: ReadonlyArray<Edit> = [{ start: front, end: front, text: "" }, ...edits]
  for (const { end, hoists, start, text: by } of all.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    if (start > from) add({ text: text.slice(from, start), from })
    if (hoists === "from") isHoisting = true
    if (by !== "") add({ text: by, from: start, isNew: true })
    if (hoists === "to") isHoisting = false
    from = Math.max(from, end)
  }
  after.push({ text: text.slice(from), from })
  let code = ""
  const segments: Array<Segment> = []
  for (const chunk of [...before, ...hoisted, ...after]) {
    segments.push({ at: code.length, from: chunk.from, length: chunk.isNew === true ? 0 : chunk.text.length })
    code += chunk.text
  }
  return { code, segments }
}

/** Where an offset of the changed text was. */
export const origin = (segments: ReadonlyArray<Segment>, at: number): number => {
  const last = segments.findLast((segment) => segment.at <= at)
  return last === undefined ? 0 : last.from + Math.min(at - last.at, last.length)
}

const lineEnd = /\r\n|[\n\r\u2028\u2029]/g

const lineStarts = (text: string): ReadonlyArray<number> => [
  0,
  ...Array.from(text.matchAll(lineEnd), ({ 0: end, index }) => index + end.length)
]

export const offsetOf = (text: string, { column, line }: Position): number =>
  (lineStarts(text)[line] ?? text.length) + column

export const positionOf = (text: string, offset: number): Position => {
  const starts = lineStarts(text)
  const line = starts.findLastIndex((start) => start <= offset)
  return { line, column: offset - starts[line]! }
}

/** A line of a text with a caret below the column, as Node shows it. */
export const excerpt = (name: string, text: string, { column, line }: Position): string => {
  const whole = text.split(lineEnd)[line]
  if (whole === undefined) return ""
  const from = Math.max(0, column - 99)
  const shown = whole.slice(from, from + 160).replaceAll("\t", " ")
  return `${name}:${line + 1}\n${shown}\n${" ".repeat(Math.max(0, column - from))}^\n`
}
