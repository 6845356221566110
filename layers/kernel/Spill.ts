/** The whole text of a cell, in a file, where the answer has not all of it. */
import * as Fs from "node:fs"
import * as Path from "node:path"
import { Effect, type Scope } from "effect"
import * as TemporaryFolder from "../process/TemporaryFolder.ts"

/** What is kept in memory before a file is begun, in characters. */
const buffered = 64 * 1024
/** A cell that never stops printing does not fill the disk. */
const largest = 256 * 1024 * 1024

export interface Spill {
  readonly write: (text: string) => void
  /** The file with all of it; what is not wanted is removed. */
  readonly finish: (isWanted: boolean) => string | undefined
}

/** Gives a name to each file; the folder is private, and removed with the scope unless the harness gave it. */
export interface Folder {
  /** The folder, made for whoever is to read what will be in it; none where it cannot be made. */
  readonly readable: () => ReadonlyArray<string>
  readonly open: (name: string) => Spill
}

export const folder = (given: string | undefined): Effect.Effect<Folder, never, Scope.Scope> =>
  Effect.gen(function* () {
    let own: string | undefined
    const path = (): string => {
      if (given === undefined) return (own ??= TemporaryFolder.make("livetools-cells-"))
      const absolute = Path.resolve(given)
      Fs.mkdirSync(absolute, { recursive: true })
      return absolute
    }
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        if (own !== undefined) Fs.rmSync(own, { recursive: true, force: true })
      })
    )
    const readable = () => {
      try {
        return [path()]
      } catch {
        return []
      }
    }
    return { readable, open: (name) => open(() => Path.join(path(), name)) }
  })

const open = (path: () => string): Spill => {
  let head = ""
  let file: { readonly path: string; readonly fd: number } | undefined
  let size = 0
  let isOver = false
  const begin = () => {
    const name = path()
    file = { path: name, fd: Fs.openSync(name, "w", 0o600) }
    put(head)
    head = ""
  }
  const put = (text: string) => {
    if (file === undefined || isOver) return
    size += Fs.writeSync(file.fd, text)
    if (size < largest) return
    isOver = true
    Fs.writeSync(file.fd, `\n[… the rest is not kept: the file has reached ${largest} bytes …]\n`)
  }
  // A full disk costs the file, not the cell.
  const guarded = (self: () => void) => {
    try {
      self()
    } catch {
      isOver = true
    }
  }
  return {
    write: (text) =>
      guarded(() => {
        if (file !== undefined) return put(text)
        head += text
        if (head.length > buffered) begin()
      }),
    finish: (isWanted) => {
      if (isWanted) guarded(() => (file === undefined ? begin() : undefined))
      if (file === undefined) return undefined
      const { fd, path } = file
      guarded(() => Fs.closeSync(fd))
      if (!isWanted) guarded(() => Fs.rmSync(path, { force: true }))
      return isWanted ? path : undefined
    }
  }
}
