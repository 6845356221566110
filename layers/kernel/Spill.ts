/** The whole text of a cell, in a file, where the answer has not all of it. */
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { Effect, type Scope } from "effect"

/** What is kept in memory before a file is begun, in characters. */
const buffered = 64 * 1024
/** A cell that never stops printing does not fill the disk. */
const largest = 256 * 1024 * 1024

export interface Spill {
  readonly write: (text: string) => void
  /** The file with all of it; what is not wanted is removed. */
  readonly finish: (isWanted: boolean) => string | undefined
}

const prefix = "livetools-cells-"

const day = 24 * 60 * 60 * 1000

/** Removes what runs left whose process was killed a day ago or more; `now`: a file that is new. */
const sweep = (now: string) => {
  try {
    const { mtimeMs } = Fs.statSync(now)
    for (const name of Fs.readdirSync(Os.tmpdir())) {
      const owner = name.startsWith(prefix) ? Number.parseInt(name.slice(prefix.length), 10) : Number.NaN
      const path = Path.join(Os.tmpdir(), name)
      if (Number.isNaN(owner) || isRunning(owner) || mtimeMs - Fs.statSync(path).mtimeMs < day) continue
      Fs.rmSync(path, { recursive: true, force: true })
    }
  } catch {
    // Somebody else's, or gone meanwhile: the next run looks again.
  }
}

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
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
      if (given === undefined) {
        if (own === undefined) {
          own = Fs.mkdtempSync(Path.join(Os.tmpdir(), `${prefix}${process.pid}-`))
          sweep(own)
        }
        return own
      }
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
