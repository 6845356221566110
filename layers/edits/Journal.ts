/**
 * The journals of one directory: what is being done to it, written down before it is done, so that another process can finish
 * or take back what a killed one began. One file an edit; its name says whose it is.
 *
 * A journal is on the medium (fsync) before the first file is touched: that costs one wait an edit, and texts survive a power
 * cut. The files of the user are not waited for (2 ms each here, 50 times their writing): a killed process loses nothing
 * that it wrote, and that is what is promised.
 */
import * as Crypto from "node:crypto"
import * as Path from "node:path"
import * as Disk from "./Disk.ts"
import * as JournalEntry from "./JournalEntry.ts"
import * as Owner from "./Owner.ts"

/** A journal that was found. `isWhole`: it was written to its end, so that the edit may have begun. */
export interface Found {
  readonly path: string
  readonly owner: Owner.Owner
  readonly token: string
  readonly isWhole: boolean
}

export interface Journal {
  readonly folder: string
  /** A file that says whose it is, and that is removed like an unfinished journal when that one dies. */
  readonly sign: () => string
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
    disk.makeDirectory(folder)
    disk.setMode(folder, ours.folder)
  } catch (cause) {
    if (Disk.codeOf(cause) !== "EEXIST") throw cause
  }
}

/** Names that nothing else has. */
export const newToken = (): string => Crypto.randomBytes(6).toString("hex")

const parse = (name: string): Omit<Found, "path"> | undefined => {
  const [, who = "", token, part] = /^(.*)@([0-9a-f]+)\.journal(\.part(?:\.taken)?)?$/.exec(name) ?? []
  const owner = Owner.parse(who)
  return owner === undefined || token === undefined ? undefined : { owner, token, isWhole: part === undefined }
}

export const make = (disk: Disk.Disk, stateFolder: string, root: string, owner: Owner.Owner): Journal => {
  const folder = Path.join(stateFolder, "edits", JournalEntry.hash(Buffer.from(root)).slice(0, 32))
  const at = (token: string) => Path.join(folder, `${Owner.format(owner)}@${token}.journal`)
  /** Does something and, where that fails, removes the files that it may have made. They say of nothing that was begun. */
  const orRemove = (files: ReadonlyArray<string>, run: () => void) => {
    try {
      run()
    } catch (cause) {
      for (const file of files) {
        try {
          Disk.discard(disk, file)
        } catch {
          // The next process removes it.
        }
      }
      throw cause
    }
  }
  return {
    folder,
    sign: () => {
      makeFolder(disk, folder)
      const part = `${at(newToken())}.part`
      orRemove([part], () => disk.create(part, Buffer.from(Owner.format(owner)), { mode: ours.file }))
      return part
    },
    begin: (entry) => {
      makeFolder(disk, folder)
      const path = at(entry.token)
      const part = `${path}.part`
      orRemove([part, path], () => {
        disk.create(part, JournalEntry.encode(entry), { mode: ours.file })
        disk.flush(part)
        disk.rename(part, path)
      })
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
