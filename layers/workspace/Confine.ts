/**
 * Where a path that a model gave really leads, and whether that is inside the root.
 *
 * The walk is synchronous: nothing of this process comes between its look-ups, and each costs microseconds. `..` and
 * links are followed as the system follows them, name by name; names below a missing one are taken as they are.
 */
import { Result } from "effect"
import * as Fs from "node:fs"
import * as Path from "node:path"
import * as ToolError from "../../src/ToolError.ts"
import type { Resolved } from "../../src/Workspace.ts"
import * as Paths from "./Paths.ts"

/** As many links as Linux follows. */
const maxLinks = 40

const kindOf = (stats: Fs.Stats): Resolved["kind"] =>
  stats.isFile() ? "file" : stats.isDirectory() ? "directory" : "other"

const reasonOf = (cause: unknown): string =>
  cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : String(cause)

/** What names lead to where that is below the root and there is nothing to follow: the usual case, in two look-ups however deep. */
const plain = (root: string, from: string, names: ReadonlyArray<string>): Resolved | undefined => {
  if (names.length === 0 || names.includes("..")) return undefined
  const path = Path.join(from, ...names)
  if (!path.startsWith(root + Path.sep)) return undefined
  try {
    if (Fs.realpathSync.native(path) !== path) return undefined
    return { path, entry: path, kind: kindOf(Fs.lstatSync(path)) }
  } catch {
    return undefined
  }
}

/** Resolves `path` against `root`, which is absolute and real. See `Workspace.resolve` for the failures. */
export const resolve = (root: string, path: string): Result.Result<Resolved, ToolError.ToolError> => {
  const outside = (because = "") =>
    Result.fail(
      ToolError.make(
        "outside_directory",
        `${path} is outside the working directory ${root}${because}. Give a path inside it, relative to it.`
      )
    )
  if (path === "")
    return Result.fail(
      ToolError.make("invalid_params", "The path is empty. Give a path, `.` for the working directory.")
    )
  if (path.includes("\0")) return Result.fail(ToolError.make("invalid_params", "The path contains a null byte."))

  const inRoot = !Path.isAbsolute(path) || path === root || path.startsWith(root + Path.sep)
  let at = inRoot ? root : Path.parse(path).root
  const names = Paths.segments(
    Path,
    inRoot && Path.isAbsolute(path) ? path.slice(root.length) : path.slice(inRoot ? 0 : at.length)
  )
  const direct = plain(root, at, names)
  if (direct !== undefined) return Result.succeed(direct)
  const pending = names.toReversed()
  let kind: Resolved["kind"] = "directory"
  let entry: string | undefined
  let missing = 0
  let links = 0
  let throughLink = false

  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (kind === "file" || kind === "other") {
      if (!Paths.isInside(Path, root, at)) return outside()
      const what = kind === "file" ? "a file" : "neither a file nor a directory"
      return Result.fail(
        ToolError.make(
          "not_found",
          `${path} does not exist: ${Paths.show(Path, root, at)} is ${what}, not a directory.`
        )
      )
    }
    if (name === "..") {
      at = Path.dirname(at)
      if (missing > 0) missing--
      kind = missing > 0 ? "missing" : "directory"
      continue
    }
    const next = Path.join(at, name)
    if (missing > 0) {
      at = next
      missing++
      continue
    }
    let stats: Fs.Stats | undefined
    let target: string | undefined
    try {
      stats = Fs.lstatSync(next, { throwIfNoEntry: false })
      if (stats?.isSymbolicLink()) target = Fs.readlinkSync(next)
    } catch (cause) {
      if (!Paths.isInside(Path, root, next)) return outside()
      return Result.fail(
        ToolError.make(
          "not_found",
          `${path} cannot be looked up: ${reasonOf(cause)} at ${Paths.show(Path, root, next)}.`
        )
      )
    }
    if (stats === undefined) {
      at = next
      kind = "missing"
      missing = 1
    } else if (target !== undefined) {
      throughLink = true
      if (++links > maxLinks) return outside(", or cannot be known to be inside: it is a loop of symbolic links")
      if (pending.length === 0) entry ??= next
      if (Path.isAbsolute(target)) at = Path.parse(target).root
      pending.push(...Paths.segments(Path, target).toReversed())
    } else {
      at = next
      kind = kindOf(stats)
    }
  }
  if (!Paths.isInside(Path, root, at) || (entry !== undefined && !Paths.isInside(Path, root, entry))) {
    return outside(throughLink ? ` (a symbolic link leads to ${at})` : "")
  }
  return Result.succeed({ path: at, entry: entry ?? at, kind })
}
