/** Reads the files of a search, and knows again those that have not changed. Free of Effect: it runs in a worker thread. */
import { isUtf8 } from "node:buffer"
import * as Fs from "node:fs"

/** 4 MiB: larger files are left out, where nothing else is said (SPEC §13). */
export const defaultLargest = 4 * 1024 * 1024

/** Where a NUL makes a file a binary one. */
const headLength = 8 * 1024

export type Read =
  | { readonly bytes: Buffer; readonly stamp: string | undefined }
  | { readonly skipped: "too large" | "binary" | "not UTF-8" | "unreadable" }

/** Milliseconds within which a second change of a file may leave its times as they are. */
const granularity = 50

/**
 * What tells one version of a file from another, or `undefined` where nothing does: a file that was changed just now could
 * change again without a sign.
 */
const stampOf = ({ ctimeMs, ino, mtimeMs, size }: Fs.Stats): string | undefined =>
  Date.now() - Math.max(mtimeMs, ctimeMs) < granularity ? undefined : `${ino} ${size} ${mtimeMs} ${ctimeMs}`

/** The stamp of a file, `undefined` where it has none. */
export const stamp = (path: string): string | undefined => {
  try {
    const stats = Fs.statSync(path, { throwIfNoEntry: false })
    return stats?.isFile() === true ? stampOf(stats) : undefined
  } catch {
    return undefined
  }
}

// One buffer for all files: most of them are only looked into.
let buffer = Buffer.allocUnsafe(256 * 1024)

/** Reads a file of at most `largest` bytes. The bytes are valid until the next call. */
export const read = (path: string, largest: number): Read => {
  let descriptor: number | undefined
  try {
    descriptor = Fs.openSync(path, "r")
    const stats = Fs.fstatSync(descriptor)
    if (!stats.isFile()) return { skipped: "unreadable" }
    if (stats.size > largest) return { skipped: "too large" }
    if (stats.size >= buffer.length) buffer = Buffer.allocUnsafe(stats.size + 1)
    let length = 0
    for (let count = -1; count !== 0 && length < buffer.length; length += count) {
      count = Fs.readSync(descriptor, buffer, length, buffer.length - length, null)
    }
    const bytes = buffer.subarray(0, length)
    if (bytes.subarray(0, headLength).includes(0)) return { skipped: "binary" }
    if (!isUtf8(bytes)) return { skipped: "not UTF-8" }
    // A file that grew while it was read is taken as it was; it has another stamp the next time.
    return { bytes, stamp: length === stats.size ? stampOf(stats) : undefined }
  } catch {
    return { skipped: "unreadable" }
  } finally {
    if (descriptor !== undefined) Fs.closeSync(descriptor)
  }
}

/** The text of a file without its byte order mark. */
export const decode = (bytes: Buffer): string => {
  const text = bytes.toString("utf8")
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
}
