/** The texts that are on disk now, read again only when a file may have changed. */
import { createHash } from "node:crypto"
import * as Fs from "node:fs"
import { Clock, Context } from "effect"
import * as Content from "../../src/edits/Content.ts"
import * as TextPositions from "../../src/lsp/TextPositions.ts"

export interface Text {
  readonly path: string
  /** Without a byte order mark. */
  readonly text: string
  readonly hash: string
  readonly indexed: TextPositions.Indexed
}

/** Why there is no text. */
export type Trouble = "missing" | "not_a_file" | "too_large" | "not_text" | "unreadable"

export interface Texts {
  /** The present text. The same object as before where the file has not changed. */
  readonly read: (path: string) => Text | Trouble
  /** A text that need not be on disk; the object of the present one where that is the same. */
  readonly of: (path: string, text: string) => Text
  /** Where the links of a path lead; the path itself where nothing is there. */
  readonly canonical: (path: string) => string
}

export interface Options {
  /** Documents above this size are not opened (SPEC §13), in bytes. Default 8 MiB. */
  readonly documentBytes?: number
  /** How much text is kept, in UTF-16 units. Default 1 Mi. */
  readonly keptUnits?: number
}

interface Kept {
  readonly text: Text
  readonly signature: string
  /** Whether a change after the reading would show in the signature. */
  readonly isSure: boolean
}

const clock = Context.get(Context.empty(), Clock.Clock)

/** The clocks of file systems tick this slowly, in milliseconds: two writes within a tick look like one. */
const tick = 100

const signatureOf = (stat: Fs.BigIntStats): string => `${stat.ino}:${stat.size}:${stat.mtimeNs}:${stat.ctimeNs}`

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex")

const lazy = (path: string, text: string): Text => {
  let hash: string | undefined
  let indexed: TextPositions.Indexed | undefined
  return {
    path,
    text,
    get hash() {
      return (hash ??= hashOf(text))
    },
    get indexed() {
      return (indexed ??= TextPositions.index(text))
    }
  }
}

export const make = (options: Options = {}): Texts => {
  const documentBytes = options.documentBytes ?? 8 * 1024 * 1024
  const keptUnits = options.keptUnits ?? 1024 * 1024
  /** In the order of use. */
  const kept = new Map<string, Kept>()
  const paths = new Map<string, string>()
  let units = 0

  const drop = (path: string) => {
    units -= kept.get(path)?.text.text.length ?? 0
    kept.delete(path)
  }
  const keep = (path: string, entry: Kept) => {
    drop(path)
    kept.set(path, entry)
    units += entry.text.text.length
    for (const oldest of kept.keys()) {
      if (units <= keptUnits) return
      drop(oldest)
    }
  }

  const read = (path: string): Text | Trouble => {
    const stat = Fs.statSync(path, { bigint: true, throwIfNoEntry: false })
    if (stat === undefined) return "missing"
    if (!stat.isFile()) return "not_a_file"
    if (stat.size > documentBytes) return "too_large"
    const signature = signatureOf(stat)
    const known = kept.get(path)
    if (known?.signature === signature && known.isSure) {
      kept.delete(path)
      kept.set(path, known)
      return known.text
    }
    const isSure = clock.currentTimeMillisUnsafe() - Number(stat.ctimeMs) > tick
    const content = Content.decode(Fs.readFileSync(path))
    if (content === undefined) return "not_text"
    const text = known?.text.text === content.text ? known.text : lazy(path, content.text)
    keep(path, { text, signature, isSure })
    return text
  }

  return {
    read: (path) => {
      try {
        return read(path)
      } catch (error) {
        const code = error instanceof Error && "code" in error ? error.code : undefined
        return code === "ENOENT" || code === "ENOTDIR" ? "missing" : "unreadable"
      }
    },
    of: (path, text) => {
      const known = kept.get(path)?.text
      return known?.text === text ? known : lazy(path, text)
    },
    canonical: (path) => {
      const known = paths.get(path)
      if (known !== undefined) return known
      let real: string
      try {
        real = Fs.realpathSync(path)
      } catch {
        return path
      }
      if (paths.size > 10_000) paths.clear()
      paths.set(path, real)
      return real
    }
  }
}
