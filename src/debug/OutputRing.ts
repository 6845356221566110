/** The output of a debuggee (checklist 61–66): bounded, by category, read on from where the last reader stopped. */
import * as Framing from "../wire/Framing.ts"
import * as Wire from "./Wire.ts"

export interface Entry {
  /** `stdout`, `stderr`, `console`, `important`, or what else an adapter calls it. */
  readonly category: string
  readonly text: string
}

export interface Read {
  readonly entries: ReadonlyArray<Entry>
  /** Bytes that were never read and are gone. */
  readonly dropped: number
  /** Bytes that are there and were not given. */
  readonly left: number
}

export interface OutputRing {
  readonly push: (category: string, text: string) => void
  /** What has come since the last `read`, at most about `most` bytes of it. */
  readonly read: (most: number) => Read
  /** The end of all that is kept of these categories, at most `most` UTF-16 units; not counted as read. */
  readonly tail: (most: number, categories: ReadonlyArray<string>) => ReadonlyArray<Entry>
  /** Bytes that `read` would give. */
  readonly unread: () => number
  readonly clear: () => void
}

interface Chunk {
  readonly category: string
  text: string
  bytes: number
}

const chunkUnits = 4096
const mostChunks = 8192

const lone = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

const joined = (chunks: ReadonlyArray<Entry>): ReadonlyArray<Entry> => {
  const entries: Array<{ category: string; text: string }> = []
  for (const { category, text } of chunks) {
    const last = entries.at(-1)
    if (last?.category === category) last.text += text
    else entries.push({ category, text })
  }
  return entries.map(({ category, text }) => ({ category, text: Wire.plain(text) })).filter(({ text }) => text !== "")
}

export const make = (capacity = 256 * 1024): OutputRing => {
  let chunks: Array<Chunk> = []
  let bytes = 0
  /** Where reading goes on: a chunk, and a place in its text. */
  let cursor = { at: 0, offset: 0 }
  let dropped = 0
  /** The first half of a character whose second half has not come yet. */
  const halves = new Map<string, string>()

  const restOf = (at: number): string => chunks[at]!.text.slice(at === cursor.at ? cursor.offset : 0)
  const unread = (): number => {
    let sum = 0
    for (let at = cursor.at; at < chunks.length; at++) {
      sum += at === cursor.at && cursor.offset > 0 ? Framing.utf8Length(restOf(at)) : chunks[at]!.bytes
    }
    return sum
  }

  const shrink = () => {
    let gone = 0
    while (gone < chunks.length && (bytes > capacity || chunks.length - gone > mostChunks)) {
      if (gone >= cursor.at) {
        dropped += Framing.utf8Length(restOf(gone))
        cursor = { at: gone + 1, offset: 0 }
      }
      bytes -= chunks[gone]!.bytes
      gone++
    }
    if (gone === 0) return
    chunks = chunks.slice(gone)
    cursor = { at: cursor.at - gone, offset: cursor.offset }
  }

  const append = (category: string, text: string) => {
    const size = Framing.utf8Length(text)
    bytes += size
    const last = chunks.at(-1)
    if (last !== undefined && last.category === category && last.text.length < chunkUnits) {
      last.text += text
      last.bytes += size
    } else chunks.push({ category, text, bytes: size })
  }

  return {
    push: (category, text) => {
      let whole = (halves.get(category) ?? "") + text
      halves.delete(category)
      if (/[\ud800-\udbff]$/.test(whole)) {
        halves.set(category, whole.slice(-1))
        whole = whole.slice(0, -1)
      }
      whole = whole.replaceAll(lone, "\ufffd")
      for (let at = 0; at < whole.length;) {
        const part = Wire.cut(whole.slice(at, at + chunkUnits + 1), chunkUnits)
        append(category, part)
        at += part.length
      }
      shrink()
    },
    read: (most) => {
      const taken: Array<Entry> = []
      let size = 0
      while (cursor.at < chunks.length && size < most) {
        const rest = restOf(cursor.at)
        const part = Wire.cut(rest, most - size)
        taken.push({ category: chunks[cursor.at]!.category, text: part })
        size += Framing.utf8Length(part)
        if (part.length < rest.length) {
          cursor = { at: cursor.at, offset: cursor.offset + part.length }
          if (part.length === 0) break
          // The last chunk may still grow; a whole one is done.
        } else if (cursor.at === chunks.length - 1) {
          cursor = { at: cursor.at, offset: cursor.offset + part.length }
          break
        } else cursor = { at: cursor.at + 1, offset: 0 }
      }
      const result = { entries: joined(taken), dropped, left: unread() }
      dropped = 0
      return result
    },
    tail: (most, categories) => {
      const found: Array<Entry> = []
      let size = 0
      for (let at = chunks.length - 1; at >= 0 && size < most; at--) {
        const { category, text } = chunks[at]!
        if (!categories.includes(category)) continue
        const part = text.slice(-(most - size))
        found.unshift({ category, text: part.replace(/^[\udc00-\udfff]/, "") })
        size += part.length
      }
      return joined(found)
    },
    unread,
    clear: () => {
      chunks = []
      bytes = 0
      cursor = { at: 0, offset: 0 }
      dropped = 0
      halves.clear()
    }
  }
}
