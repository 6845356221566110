/** Newline-delimited input of any length, in bounded memory. */
import { Stream } from "effect"

export type Line = { readonly text: string } | { readonly tooLong: number }

/**
 * Splits bytes into lines (LF or CRLF), UTF-8. A line above `maxBytes` becomes `{ tooLong: its length in bytes }` without ever being held whole.
 * A last line without a newline counts. A byte order mark at the start of a line is dropped.
 */
export const split =
  (maxBytes: number) =>
  <E, R>(bytes: Stream.Stream<Uint8Array, E, R>): Stream.Stream<Line, E, R> =>
    Stream.suspend(() => {
      const decoder = new TextDecoder()
      let parts: Array<Uint8Array> = []
      let size = 0
      const take = (): Line => {
        const line: Line = size > maxBytes ? { tooLong: size } : { text: decoder.decode(concat(parts, size)) }
        parts = []
        size = 0
        return "text" in line && line.text.endsWith("\r") ? { text: line.text.slice(0, -1) } : line
      }
      const push = (part: Uint8Array) => {
        size += part.length
        if (size > maxBytes) parts = []
        else parts.push(part)
      }
      return Stream.concat(
        bytes.pipe(
          Stream.map((chunk) => {
            const lines: Array<Line> = []
            let start = 0
            for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
              push(chunk.subarray(start, end))
              lines.push(take())
              start = end + 1
            }
            if (start < chunk.length) push(chunk.slice(start))
            return lines
          }),
          Stream.flattenIterable
        ),
        Stream.suspend(() => (size === 0 ? Stream.empty : Stream.succeed(take())))
      )
    })

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
