/** Reads lines of a file of any size in bounded memory. */
import { Effect, FileSystem, type PlatformError, Schema } from "effect"

/** More bytes than may be held were asked for. */
export class TooLarge extends Schema.TaggedError<TooLarge>()("TooLarge", {
  /** The line at which the bound was passed. */
  line: Schema.Natural
}) {}

export interface LineRange {
  /** The lines as they are in the file, line ends included. */
  readonly bytes: Uint8Array
  /** The first bytes of the file. */
  readonly head: Uint8Array
  /** The number of the last line in `bytes`; one less than `first` where the file has none of the lines. */
  readonly last: number
  /** How many lines the file has; `undefined` where the rest of it was not read. */
  readonly total: number | undefined
}

export interface Options {
  /** 1-based. */
  readonly first: number
  readonly count: number
  /** The greatest number of bytes that are held. */
  readonly maxBytes: number
  /** A file is read to its end, to count its lines, up to so many bytes. */
  readonly countUpTo: number
}

const chunkSize = 256 * 1024
const headSize = 8 * 1024
const newline = 10

/** Reads `count` lines from line `first` on. */
export const read = Effect.fnUntraced(function* (
  path: string,
  { count, countUpTo, first, maxBytes }: Options
): Effect.fn.Return<LineRange, PlatformError.PlatformError | TooLarge, FileSystem.FileSystem> {
  const fs = yield* FileSystem.FileSystem
  return yield* Effect.scoped(
    Effect.gen(function* () {
      const file = yield* fs.open(path)
      const buffer = new Uint8Array(chunkSize)
      const parts: Array<Uint8Array> = []
      let head = new Uint8Array()
      let held = 0
      let seen = 0
      let line = 1
      let isLineOpen = false
      const end = first + count
      for (;;) {
        const size = yield* file.read(buffer)
        if (size === 0) break
        const chunk = buffer.subarray(0, size)
        if (head.length < headSize) head = joined([head, chunk.slice(0, headSize - head.length)])
        seen += size
        const until = seen <= countUpTo ? Infinity : end
        let at = 0
        while (at < size && line < until) {
          const isWanted = line >= first && line < end
          const from = at
          const stop = isWanted ? end : line < first ? first : Infinity
          for (; at < size && line < stop;) {
            const next = chunk.indexOf(newline, at)
            isLineOpen = next < 0
            at = next < 0 ? size : next + 1
            if (next >= 0) line++
          }
          if (!isWanted) continue
          held += at - from
          if (held > maxBytes) return yield* new TooLarge({ line })
          parts.push(chunk.slice(from, at))
        }
        if (at < size) return { bytes: joined(parts), head, last: end - 1, total: undefined }
      }
      const total = isLineOpen ? line : line - 1
      return { bytes: joined(parts), head, last: Math.min(total, end - 1), total }
    })
  )
})

const joined = (parts: ReadonlyArray<Uint8Array>): Uint8Array<ArrayBuffer> => {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
