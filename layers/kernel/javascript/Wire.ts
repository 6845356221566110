/**
 * The kernel's end of the wire: frames on a descriptor of their own, marks in the two text pipes. What it uses was taken from the
 * built-in objects before a cell could change them, and it calls no method that a cell can replace.
 */
import { writeSync } from "node:fs"

const { stringify } = JSON
const { create, keys } = Object
const { byteLength, from: bufferFrom } = Buffer
const charCodeAt = Function.prototype.call.bind(String.prototype.charCodeAt) as (text: string, at: number) => number
const { wait } = Atomics
const never = new Int32Array(new SharedArrayBuffer(4))
const write = writeSync

/** The longest frame, in bytes. */
export const maxFrame = 64 * 1024 * 1024

/** The fields of a frame. Without a prototype: a cell may have put a `toJSON` on the one of all objects. */
export const fields = <F extends object>(values: F): F => {
  const frame = create(null) as F
  const names = keys(values) as Array<keyof F>
  // By index: a cell may have replaced the iterator of arrays.
  for (let at = 0; at < names.length; at++) frame[names[at]!] = values[names[at]!]
  return frame
}

/** Writes all of a text, also where a child has made the descriptor non-blocking. Throws what the system says. */
export const writeAll = (fd: number, data: Uint8Array): void => {
  let at = 0
  while (at < data.length) {
    try {
      at += write(fd, data, at, data.length - at)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error
      wait(never, 0, 0, 1)
    }
  }
}

const slice = Function.prototype.call.bind(String.prototype.slice) as (text: string, from: number, to: number) => string
const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"))

const ascii = (text: string): string => {
  if (byteLength(text) === text.length) return text
  let escaped = ""
  let from = 0
  for (let at = 0; at < text.length; at++) {
    const unit = charCodeAt(text, at)
    if (unit < 0x80) continue
    if (at > from) escaped += slice(text, from, at)
    escaped += `\\u${hex[unit >> 8]}${hex[unit & 0xff]}`
    from = at + 1
  }
  return escaped + slice(text, from, text.length)
}

const attempt = (fd: number, bytes: Uint8Array): void => {
  try {
    writeAll(fd, bytes)
  } catch {
    // The cell has closed it; the host does not wait long.
  }
}

export interface Wire {
  /** What the marks begin with; set once, by the host. */
  marker: string
  /** Sends a frame whose place among the texts does not matter. `params` is added as the JSON it is. */
  readonly send: (frame: object, params?: string) => void
  /** Sends a frame that comes after everything written so far. */
  readonly place: (frame: object) => void
  /** Places a frame together with the next one: for the time in which nothing of the user's runs. */
  readonly hold: (frame: object) => void
  /** Writes a mark without a frame: what is written to one pipe from here on came after what was written to the other. */
  readonly mark: () => void
}

export const make = (frames: number): Wire => {
  let seq = 0
  let held = ""
  const checked = (text: string) => {
    if (text.length >= maxFrame)
      throw new RangeError(`a message of ${text.length} bytes is over the limit of ${maxFrame}`)
    return text
  }
  const line = (text: string) => writeAll(frames, bufferFrom(`${text}\n`, "latin1"))
  const placed = (frame: object) => checked(ascii(stringify(fields({ ...frame, seq: seq + 1 }))))
  const mark = (suffix: string) => {
    if (wire.marker === "") return
    const bytes = bufferFrom(`\0${wire.marker}:${seq}${suffix}\0`, "latin1")
    attempt(1, bytes)
    attempt(2, bytes)
  }
  const put = (text: string) => {
    const whole = held === "" || text === "" ? held + text : `${held}\n${text}`
    held = ""
    seq++
    mark("")
    line(whole)
  }
  const wire: Wire = {
    marker: "",
    send: (frame, params) => {
      const text = ascii(stringify(fields(frame)))
      line(checked(params === undefined ? text : `${cut(text)},"params":${ascii(params)}}`))
    },
    place: (frame) => put(placed(frame)),
    hold: (frame) => {
      if (held !== "") put("")
      held = placed(frame)
    },
    mark: () => {
      if (held !== "") put("")
      seq++
      mark("~")
    }
  }
  return wire
}

const cut = (text: string): string => slice(text, 0, text.length - 1)
