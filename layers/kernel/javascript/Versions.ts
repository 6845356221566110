/** Which state of a local file a cell imports: Node keeps a module for ever under its URL, so another state gets another one. */
import { readFileSync, statSync } from "node:fs"
import { fileURLToPath, pathToFileURL } from "node:url"
import * as TypeScript from "./TypeScript.ts"

/** The state of a file, `undefined` where there is none. */
export const stamp = (path: string): string | undefined => {
  try {
    const { mtimeMs, size } = statSync(path)
    return `${mtimeMs}-${size}`
  } catch {
    return undefined
  }
}

/** Packages do not change under a program. */
export const isInstalled = (path: string): boolean => /[\\/]node_modules[\\/]/.test(path)

const imported =
  /(?:^|[\s;}])(?:import|export)\b[^"'`]*?["']([^"'?#\n]+)["']|\b(?:import|require)\s*\(\s*["'`]([^"'`?#\n]+)["'`]/g

/** The text of a file; empty where it cannot be read: Node says what is wrong with it. */
export const textOf = (path: string): string => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}

/** The files that a file imports by their path. A comment that looks like an import does no harm: it is one file more to look at. */
const importsOf = (path: string, text: string): ReadonlyArray<string> =>
  Array.from(text.matchAll(imported), ([, from, called]) => TypeScript.fileOf(from ?? called!, path)).filter(
    (each) => each !== undefined
  )

interface Known {
  stamp: string
  text: string
  imports: ReadonlyArray<string>
  /** Of its present state, which is that of the files behind it too. */
  version: number
  /** It was loaded in this version. */
  isLoaded: boolean
  seenAt: number
}
const known = new Map<string, Known>()

/** What has changed and is still to get another version: a cell may be stopped in between. */
const changed = new Set<string>()

/** Looks at a file and the local files behind it, at those again that were looked at longer ago than this. */
const look = (root: string, freshMs: number): ReadonlyArray<string> => {
  const now = performance.now()
  const found = new Set<string>()
  const visit = (path: string): void => {
    if (found.has(path) || isInstalled(path)) return
    let file = known.get(path)
    if (file === undefined || now - file.seenAt > freshMs) {
      const state = stamp(path)
      if (state === undefined) return
      if (file === undefined || file.stamp !== state) {
        const text = textOf(path)
        if (file === undefined) {
          file = { stamp: state, text, imports: importsOf(path, text), version: 0, isLoaded: false, seenAt: now }
          known.set(path, file)
        } else if (file.text !== text) {
          changed.add(path)
          Object.assign(file, { text, imports: importsOf(path, text) })
        }
        file.stamp = state
      }
      file.seenAt = now
    }
    found.add(path)
    for (const each of file.imports) visit(each)
  }
  visit(root)
  if (changed.size > 0) {
    advance(withDependents(changed))
    changed.clear()
  }
  return [...found]
}

const withDependents = (paths: Iterable<string>): ReadonlySet<string> => {
  const affected = new Set(paths)
  for (let size = 0; size !== affected.size;) {
    size = affected.size
    for (const [path, { imports }] of known) if (imports.some((each) => affected.has(each))) affected.add(path)
  }
  return affected
}

const advance = (paths: Iterable<string>): void => {
  for (const path of paths) {
    const file = known.get(path)
    if (file !== undefined) Object.assign(file, { version: file.version + 1, isLoaded: false })
  }
}

const urlOf = (path: string): string => {
  const { href } = pathToFileURL(path)
  const version = known.get(path)?.version ?? 0
  return version === 0 ? href : `${href}?version=${version}`
}

/** An address without the version that `urlOf` gave it. */
export const withoutVersion = (text: string): string => text.replace(/\?version=\d+/, "")

export interface Version {
  readonly url: string
  /** The local files that it consists of, as far as their text tells. */
  readonly files: ReadonlyArray<string>
}

/** The URL for the present state of a local file. */
export const of = (path: string, freshMs = 0): Version => {
  const files = look(path, freshMs)
  return { url: urlOf(path), files }
}

/** How long a file is taken to be as it was, while the modules of one import are found. */
const soonMs = 100

/** As `of`, for a URL that Node has resolved. */
export const ofUrl = (url: string): string => {
  if (!url.startsWith("file:") || url.includes("?")) return url
  const path = fileURLToPath(url)
  return isInstalled(path) ? url : of(path, soonMs).url
}

/** The addresses of those that are not in their first version, by the ones they had in it. */
export const later = (files: ReadonlyArray<string>): ReadonlyArray<readonly [string, string]> =>
  files
    .filter((path) => (known.get(path)?.version ?? 0) > 0)
    .map((path) => [pathToFileURL(path).href, urlOf(path)] as const)

/** These files were loaded. */
export const loaded = (files: ReadonlyArray<string>): void => {
  for (const path of files) {
    const file = known.get(path)
    if (file !== undefined) file.isLoaded = true
  }
}

/** The loading of these files failed, or was stopped: Node would never begin it again. What was loaded before stays. */
export const failed = (files: ReadonlyArray<string>): void =>
  advance(files.filter((path) => known.get(path)?.isLoaded === false))
