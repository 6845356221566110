/**
 * `Content-Length` framing, as the Language Server and the Debug Adapter Protocol share it (C1–C4, C14). Time is linear in
 * the bytes, whatever the chunks are.
 */

/** What came out of the bytes. */
export type Frame =
  | { readonly _tag: "Body"; readonly text: string }
  /** Bytes that belong to no message, skipped to find the next header. */
  | { readonly _tag: "Junk"; readonly text: string }
  /** No way to go on: the stream is not one of messages. Nothing follows. */
  | { readonly _tag: "Broken"; readonly reason: string }

export interface Limits {
  /** The longest body, in bytes. Default 128 MiB. */
  readonly bodyBytes?: number
  /** How much may come without a header, in bytes. Default 1 MiB. */
  readonly junkBytes?: number
}

export interface Decoder {
  /** The frames that this chunk completes. The chunk must not be changed afterwards. */
  readonly push: (chunk: Uint8Array) => ReadonlyArray<Frame>
}

const encoder = new TextEncoder()

/** A message with its header. */
export const encode = (body: string): Uint8Array => {
  const length = utf8Length(body)
  const header = `Content-Length: ${length}\r\n\r\n`
  const bytes = new Uint8Array(header.length + length)
  encoder.encodeInto(header, bytes)
  encoder.encodeInto(body, bytes.subarray(header.length))
  return bytes
}

/** How many bytes a string has in UTF-8; half of a surrogate pair counts as the replacement character that it becomes. */
export const utf8Length = (text: string): number => {
  let length = text.length
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0x80) continue
    if (unit < 0x800) length += 1
    else if (unit >= 0xd800 && unit < 0xdc00 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) {
      length += 2
      i++
    } else length += 2
  }
  return length
}

const [CR, LF] = [13, 10]
const end = [CR, LF, CR, LF]

/** The length that a header block names, with what stands before it; `undefined` where it names none. */
const parseHeader = (block: string): { readonly junk: string; readonly length: number } | undefined => {
  const usual = /^Content-Length: (\d{1,15})$/.exec(block)
  if (usual !== null) return { junk: "", length: Number(usual[1]) }
  // The last one counts: what stands before it is left over from something that was cut off.
  const found = [...block.matchAll(/content-length[ \t]*:[ \t]*(\d{1,15})[ \t]*(?=\r\n|$)/gi)].at(-1)
  if (found === undefined) return undefined
  const lines = block.slice(0, found.index).split("\r\n")
  const own = lines.pop() ?? ""
  const fields = lines.findLastIndex((line) => !/^[A-Za-z][A-Za-z-]*[ \t]*:/.test(line)) + 1
  const junk = own === "" ? lines.slice(0, fields) : [...lines, own]
  return { junk: junk.join("\r\n"), length: Number(found[1]) }
}

export const decoder = (limits: Limits = {}): Decoder => {
  const bodyBytes = limits.bodyBytes ?? 128 * 1024 * 1024
  const junkBytes = limits.junkBytes ?? 1024 * 1024
  const text = new TextDecoder("utf-8", { ignoreBOM: true })
  let parts: Array<Uint8Array> = []
  let held = 0
  /** How much of `end` has been seen. */
  let matched = 0
  /** The length of the body that is being read. */
  let length: number | undefined
  let skipped = 0
  let isBroken = false

  const take = (): Uint8Array => {
    const first = parts[0]
    let whole = first ?? new Uint8Array(0)
    if (parts.length > 1) {
      whole = new Uint8Array(held)
      let at = 0
      for (const part of parts) {
        whole.set(part, at)
        at += part.length
      }
    }
    parts = []
    held = 0
    return whole
  }

  const hold = (part: Uint8Array) => {
    if (part.length === 0) return
    parts.push(part)
    held += part.length
  }

  /** The offset after the end of the header, or -1 when it is not in this chunk. */
  const headerEnd = (chunk: Uint8Array, from: number): number => {
    for (let i = from; i < chunk.length; i++) {
      const byte = chunk[i]
      matched = byte === end[matched] ? matched + 1 : byte === CR ? 1 : 0
      if (matched === 4) {
        matched = 0
        return i + 1
      }
    }
    return -1
  }

  const push = (chunk: Uint8Array): ReadonlyArray<Frame> => {
    const frames: Array<Frame> = []
    const fail = (reason: string) => {
      isBroken = true
      parts = []
      frames.push({ _tag: "Broken", reason })
    }
    let at = 0
    while (at < chunk.length || length === 0) {
      if (isBroken) break
      if (length === undefined) {
        const next = headerEnd(chunk, at)
        hold(chunk.subarray(at, next < 0 ? chunk.length : next))
        at = next < 0 ? chunk.length : next
        if (next < 0) {
          if (held + skipped > junkBytes) fail(`${held + skipped} bytes came without a Content-Length header`)
          continue
        }
        const block = text.decode(take().subarray(0, -4))
        const header = parseHeader(block)
        const junk = header === undefined ? block : header.junk
        if (junk !== "") frames.push({ _tag: "Junk", text: junk })
        if (header === undefined) {
          skipped += block.length + 4
          if (skipped > junkBytes) fail(`${skipped} bytes came without a Content-Length header`)
          continue
        }
        skipped = 0
        length = header.length
        if (length > bodyBytes) fail(`a message of ${length} bytes is announced, more than ${bodyBytes}`)
      } else {
        const part = chunk.subarray(at, at + length - held)
        hold(part)
        at += part.length
        if (held < length) continue
        length = undefined
        frames.push({ _tag: "Body", text: text.decode(take()) })
      }
    }
    return frames
  }
  return { push }
}
