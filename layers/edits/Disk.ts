/**
 * The file system as the edit engine uses it: the only way to the disk, so that tests can let any step fail.
 *
 * Calls are synchronous and throw Node's errors. Between the check of a text and the rename that replaces it nothing of this
 * process can come then, and a call costs a fraction of an asynchronous one; callers yield between files.
 */
import * as Fs from "node:fs"

export interface Stats {
  readonly kind: "file" | "directory" | "symlink" | "other"
  readonly mode: number
  readonly owner: readonly [number, number]
  readonly identity: string
  readonly links: number
  readonly size: number
}

export interface Disk {
  /** Of the path itself, a link not followed; `undefined` when nothing is there. */
  readonly stats: (path: string) => Stats | undefined
  readonly read: (path: string) => Uint8Array
  readonly target: (link: string) => string
  readonly names: (directory: string) => ReadonlyArray<string>
  /** Whether this process may write there. */
  readonly isWritable: (path: string) => boolean
  /** A new file; fails where something is. The default mode is that of the process; the owner is kept as far as allowed. */
  readonly create: (
    path: string,
    bytes: Uint8Array,
    like?: { readonly mode?: number; readonly owner?: readonly [number, number] }
  ) => void
  readonly setMode: (path: string, mode: number) => void
  /** Waits until the file's bytes are on the medium. */
  readonly flush: (path: string) => void
  readonly link: (existing: string, path: string) => void
  readonly rename: (from: string, to: string) => void
  readonly unlink: (path: string) => void
  readonly symlink: (target: string, path: string) => void
  readonly makeDirectory: (path: string) => void
  readonly removeDirectory: (path: string) => void
}

/** The code of a Node error (`ENOSPC`, …), if it is one. */
export const codeOf = (cause: unknown): string | undefined =>
  cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : undefined

const says: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "not permitted",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is spent",
  EROFS: "the file system is read-only",
  EXDEV: "it would cross into another file system",
  EMFILE: "too many open files",
  EIO: "the disk reports an error"
}

/** What went wrong, in words. */
export const reasonOf = (cause: unknown): string => {
  const code = codeOf(cause)
  const words = code === undefined ? undefined : says[code]
  return words === undefined ? (cause instanceof Error ? cause.message : String(cause)) : `${words} (${code})`
}

export const node: Disk = {
  stats: (path) => {
    try {
      const stats = Fs.lstatSync(path, { bigint: true, throwIfNoEntry: false })
      if (stats === undefined) return undefined
      return {
        kind: stats.isFile()
          ? "file"
          : stats.isDirectory()
            ? "directory"
            : stats.isSymbolicLink()
              ? "symlink"
              : "other",
        mode: Number(stats.mode & 0o7777n),
        owner: [Number(stats.uid), Number(stats.gid)],
        identity: `${stats.dev}:${stats.ino}`,
        links: Number(stats.nlink),
        size: Number(stats.size)
      }
    } catch (cause) {
      // A file stands where a directory would have to be.
      if (codeOf(cause) === "ENOTDIR") return undefined
      throw cause
    }
  },
  read: (path) => Fs.readFileSync(path),
  target: (link) => Fs.readlinkSync(link),
  names: (directory) => Fs.readdirSync(directory).sort(),
  isWritable: (path) => {
    try {
      Fs.accessSync(path, Fs.constants.W_OK)
      return true
    } catch {
      return false
    }
  },
  create: (path, bytes, like) => {
    const file = Fs.openSync(path, "wx", like?.mode === undefined ? 0o666 : 0o600)
    try {
      for (let at = 0; at < bytes.length;) at += Fs.writeSync(file, bytes, at)
      if (like?.owner !== undefined) {
        const own = Fs.fstatSync(file)
        if (own.uid !== like.owner[0] || own.gid !== like.owner[1]) {
          try {
            Fs.fchownSync(file, like.owner[0], like.owner[1])
          } catch (cause) {
            if (codeOf(cause) !== "EPERM") throw cause
          }
        }
      }
      if (like?.mode !== undefined) Fs.fchmodSync(file, like.mode)
    } finally {
      Fs.closeSync(file)
    }
  },
  setMode: (path, mode) => Fs.chmodSync(path, mode),
  flush: (path) => {
    const file = Fs.openSync(path, "r")
    try {
      Fs.fsyncSync(file)
    } finally {
      Fs.closeSync(file)
    }
  },
  link: (existing, path) => Fs.linkSync(existing, path),
  rename: (from, to) => Fs.renameSync(from, to),
  unlink: (path) => Fs.unlinkSync(path),
  symlink: (target, path) => Fs.symlinkSync(target, path),
  makeDirectory: (path) => Fs.mkdirSync(path),
  removeDirectory: (path) => Fs.rmdirSync(path)
}

/** Removes a file, a link or an empty directory if it is there. */
export const discard = (disk: Disk, path: string): void => {
  const stats = disk.stats(path)
  if (stats === undefined) return
  try {
    if (stats.kind === "directory") disk.removeDirectory(path)
    else disk.unlink(path)
  } catch (cause) {
    if (codeOf(cause) !== "ENOENT") throw cause
  }
}

/** A directory that is there with its mode at once, or not at all: it is made at `aside`. One that is there gets the mode. */
export const putDirectory = (disk: Disk, aside: string, path: string, mode: number | undefined): void => {
  const isThere = disk.stats(path)?.kind === "directory"
  if (mode === undefined) {
    if (!isThere) disk.makeDirectory(path)
  } else if (isThere) disk.setMode(path, mode)
  else {
    discard(disk, aside)
    disk.makeDirectory(aside)
    disk.setMode(aside, mode)
    disk.rename(aside, path)
  }
}
