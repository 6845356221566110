/** The files below a directory that a glob names. */
import { Effect, Glob } from "effect"
import * as Fs from "node:fs"
import * as Path from "node:path"

/** Where to begin, and whether an absolute path is meant. The glob is relative to the root, or absolute. */
export const make = (
  root: string,
  glob: string
): { readonly base: string; readonly matches: (absolute: string) => boolean } => {
  const segments = glob.split("/")
  const first = segments.findIndex((segment) => /[*?[{\\]/.test(segment))
  const isPlain = first < 0
  const base = Path.resolve(
    root,
    (isPlain ? segments : segments.slice(0, first)).join("/") || (glob.startsWith("/") ? "/" : ".")
  )
  if (isPlain) return { base, matches: (absolute) => absolute === base }
  const rest = Glob.make(segments.slice(first).join("/"), { dot: true })
  return { base, matches: (absolute) => Glob.match(rest, Path.relative(base, absolute).replaceAll(Path.sep, "/")) }
}

/** How many directories are listed before other fibers have their turn. */
const slice = 20

/** In the order of their paths. A directory that cannot be read counts as empty. */
export const walk = Effect.fnUntraced(function* (
  from: string,
  matches: (absolute: string) => boolean,
  isIgnored: (absolute: string, isDirectory: boolean) => boolean
) {
  const found: Array<string> = []
  const directories = [from]
  for (let listed = 1; directories.length > 0; listed++) {
    const directory = directories.pop()!
    for (const entry of list(directory)) {
      const path = Path.join(directory, entry.name)
      if (entry.isDirectory()) {
        if (!isIgnored(path, true)) directories.push(path)
      } else if ((entry.isFile() || entry.isSymbolicLink()) && matches(path) && !isIgnored(path, false)) {
        if (entry.isFile() || isFile(path)) found.push(path)
      }
    }
    if (listed % slice === 0) yield* Effect.yieldNow
  }
  return found.sort()
})

const list = (directory: string): ReadonlyArray<Fs.Dirent> => {
  try {
    return Fs.readdirSync(directory, { withFileTypes: true })
  } catch {
    return []
  }
}

const isFile = (path: string): boolean => {
  try {
    return Fs.statSync(path).isFile()
  } catch {
    return false
  }
}
