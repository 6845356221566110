/** Newline-delimited messages of any length, in bounded memory. */

export type Line = { readonly text: string } | { readonly tooLong: number }

export interface Decoder {
  /** The lines that this chunk completes. The chunk may be changed afterwards. */
  readonly push: (chunk: Uint8Array) => ReadonlyArray<Line>
  /** What is there without a newline, at the end of the input. */
  readonly end: () => ReadonlyArray<Line>
  /** Whether a line has begun and not ended. */
  readonly isInLine: () => boolean
}

/**
 * Splits bytes into lines (LF or CRLF), UTF-8. A line above `maxBytes` becomes `{ tooLong: its length in bytes }` without ever
 * being held whole. A byte order mark at the start of a line is dropped.
 */
export const decoder = (maxBytes: number): Decoder => {
  const decoder = new TextDecoder()
  let parts: Array<Uint8Array> = []
  let size = 0
  const take = (): Line => {
    const line: Line = size > maxBytes ? { tooLong: size } : { text: decoder.decode(concat(parts, size)) }
    parts = []
    size = 0
    return "text" in line && line.text.endsWith("\r") ? { text: line.text.slice(0, -1) } : line
  }
  const hold = (part: Uint8Array) => {
    size += part.length
    if (size > maxBytes) parts = []
    else parts.push(part)
  }
  return {
    push: (chunk) => {
      const lines: Array<Line> = []
      let start = 0
      for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
        hold(chunk.subarray(start, end))
        lines.push(take())
        start = end + 1
      }
      if (start < chunk.length) hold(chunk.slice(start))
      return lines
    },
    end: () => (size === 0 ? [] : [take()]),
    isInLine: () => size > 0
  }
}

const concat = (parts: ReadonlyArray<Uint8Array>, size: number): Uint8Array => {
  if (parts.length === 1) return parts[0]!
  const whole = new Uint8Array(size)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
