/**
 * The journals of one directory: what is being done to it, written down before it is done, so that another process can finish
 * or take back what a killed one began. One file an edit; its name says whose it is.
 *
 * A journal is on the medium (fsync) before the first file is touched: that costs one wait an edit, and texts survive a power
 * cut. The files of the user are not waited for (2 ms each here, 50 times their writing): a killed process loses nothing
 * that it wrote, and that is what is promised.
 */
import * as Path from "node:path"
import * as Disk from "./Disk.ts"
import * as JournalEntry from "./JournalEntry.ts"
import type { Owner } from "./Owner.ts"

/** A journal that was found. `isWhole`: it was written to its end, so that the edit may have begun. */
export interface Found {
  readonly path: string
  readonly owner: Owner
  readonly token: string
  readonly isWhole: boolean
}

export interface Journal {
  readonly folder: string
  /** Writes the entry down and returns the path of its file. */
  readonly begin: (entry: JournalEntry.JournalEntry) => string
  readonly end: (path: string) => void
  readonly list: () => ReadonlyArray<Found>
  /** Makes a journal ours, whoever else tries; `undefined` when somebody else was first. Returns its new path. */
  readonly claim: (found: Found) => string | undefined
}

/** Files of these journals hold texts of the user: nobody else may read them. */
const ours = { folder: 0o700, file: 0o600 }

const makeFolder = (disk: Disk.Disk, folder: string): void => {
  if (disk.stats(folder) !== undefined) return
  makeFolder(disk, Path.dirname(folder))
  try {
    disk.makeDirectory(folder, ours.folder)
  } catch (cause) {
    if (Disk.codeOf(cause) !== "EEXIST") throw cause
  }
}

const parse = (name: string): Omit<Found, "path"> | undefined => {
  const [, fields, part] = /^(.*)\.journal(\.part)?$/.exec(name) ?? []
  try {
    const [host, pid, start, token] = fields?.split("@").map(decodeURIComponent) ?? []
    if (host === undefined || start === undefined || token === undefined) return undefined
    return { owner: { host, pid: Number(pid), start }, token, isWhole: part === undefined }
  } catch {
    return undefined
  }
}

export const make = (disk: Disk.Disk, stateFolder: string, root: string, owner: Owner): Journal => {
  const folder = Path.join(stateFolder, "edits", JournalEntry.hash(Buffer.from(root)).slice(0, 32))
  const nameOf = (token: string) => [owner.host, owner.pid, owner.start, token].map(encodeURIComponent).join("@")
  const at = (token: string) => Path.join(folder, `${nameOf(token)}.journal`)
  return {
    folder,
    begin: (entry) => {
      makeFolder(disk, folder)
      const path = at(entry.token)
      const part = `${path}.part`
      try {
        disk.create(part, JournalEntry.encode(entry), { mode: ours.file })
        disk.flush(part)
        disk.rename(part, path)
      } catch (cause) {
        try {
          Disk.discard(disk, part)
        } catch {
          // It is a part without a meaning, which the next start removes.
        }
        throw cause
      }
      return path
    },
    end: (path) => disk.unlink(path),
    list: () =>
      disk.stats(folder) === undefined
        ? []
        : disk.names(folder).flatMap((name) => {
            const found = parse(name)
            return found === undefined ? [] : [{ ...found, path: Path.join(folder, name) }]
          }),
    claim: (found) => {
      const path = at(found.token)
      if (path === found.path) return path
      try {
        disk.rename(found.path, path)
        return path
      } catch (cause) {
        if (Disk.codeOf(cause) === "ENOENT") return undefined
        throw cause
      }
    }
  }
}
