/** What lies on the disk, in the words of the planner. */
import * as Path from "node:path"
import * as Step from "../../src/edits/Step.ts"
import type { Looked } from "../../src/edits/VirtualTree.ts"
import type { Disk, Stats } from "./Disk.ts"
import { hash } from "./JournalEntry.ts"

/**
 * Why something must not be written. A mode without any write bit is a wish that holds for the superuser, too, whom the system
 * would let through.
 */
export const readOnly = (disk: Disk, path: string, stats: Stats): string | undefined => {
  if ((stats.mode & 0o222) === 0) return `it is read-only (mode ${stats.mode.toString(8)})`
  if (!disk.isWritable(path)) return "this process has no permission to write it"
  if (stats.kind !== "file") return undefined
  const parent = Path.dirname(path)
  const above = disk.stats(parent)
  const reason = above === undefined ? undefined : readOnly(disk, parent, above)
  return reason === undefined ? undefined : `of its directory ${reason}`
}

export const look = (disk: Disk, path: string, content: boolean): Looked => {
  const stats = disk.stats(path)
  if (stats === undefined) return { kind: "missing" }
  if (stats.kind === "other") return { kind: "other" }
  if (stats.kind === "symlink") return { kind: "symlink", target: disk.target(path) }
  const reason = readOnly(disk, path, stats)
  const writing = reason === undefined ? {} : { readOnly: reason }
  const { identity, mode } = stats
  if (stats.kind === "directory") return { kind: "directory", mode, identity, ...writing }
  const file = { kind: "file", mode, owner: stats.owner, identity, links: stats.links, ...writing } as const
  if (!content) return file
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
