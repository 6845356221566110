/** What lies on the disk, in the words of the planner. */
import * as Path from "node:path"
import * as Step from "../../src/edits/Step.ts"
import type { Looked } from "../../src/edits/VirtualTree.ts"
import * as ToolError from "../../src/ToolError.ts"
import type { Disk, Stats } from "./Disk.ts"
import { hash } from "./JournalEntry.ts"

/**
 * Why something must not be written. A mode without any write bit is a wish that holds for the superuser, too, whom the system
 * would let through.
 */
const ownReadOnly = (disk: Disk, path: string, stats: Stats): string | undefined =>
  (stats.mode & 0o222) === 0
    ? `it is read-only (mode ${stats.mode.toString(8)})`
    : disk.isWritable(path)
      ? undefined
      : "this process has no permission to write it"

export const readOnly = (disk: Disk, path: string, stats: Stats): string | undefined => {
  const reason = ownReadOnly(disk, path, stats)
  if (reason !== undefined || stats.kind !== "file") return reason
  const directory = Path.dirname(path)
  const above = disk.stats(directory)
  const reasonAbove = above === undefined ? undefined : ownReadOnly(disk, directory, above)
  return reasonAbove === undefined ? undefined : `of its directory ${reasonAbove}`
}

/** A file is read where a `limit` is given; one of more bytes is refused with `too_large`. */
export const look = (
  disk: Disk,
  path: string,
  limit?: { readonly maxBytes: number; readonly shown: string }
): Looked => {
  const stats = disk.stats(path)
  if (stats === undefined) return { kind: "missing" }
  if (stats.kind === "other") return { kind: "other" }
  if (stats.kind === "symlink") return { kind: "symlink", target: disk.target(path) }
  const reason = readOnly(disk, path, stats)
  const writing = reason === undefined ? {} : { readOnly: reason }
  const { identity, mode } = stats
  if (stats.kind === "directory") return { kind: "directory", mode, identity, ...writing }
  const file = { kind: "file", mode, owner: stats.owner, identity, links: stats.links, ...writing } as const
  if (limit === undefined) return file
  if (stats.size > limit.maxBytes) {
    throw ToolError.make("too_large", `${limit.shown} has ${stats.size} bytes; an edit can hold ${limit.maxBytes}.`)
  }
  const bytes = disk.read(path)
  return { ...file, content: { bytes, hash: hash(bytes) } }
}

/** The state of a path, as exact as `expected` asks for: a file is not read where any file would do. */
export const stateAt = (disk: Disk, path: string, expected?: Step.State): Step.State => {
  const stats = disk.stats(path)
  if (stats === undefined) return Step.missing
  if (stats.kind === "symlink") return `symlink:${disk.target(path)}`
  if (stats.kind !== "file") return stats.kind
  return expected === Step.anyFile ? Step.anyFile : `file:${hash(disk.read(path))}`
}
