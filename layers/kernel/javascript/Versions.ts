/** Which state of a local file a cell imports: Node keeps a module for ever under its URL, so a changed one gets another. */
import { readFileSync, statSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { present } from "./TypeScript.ts"

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

const relative =
  /(?:^|[\s;}])(?:import|export)\b[^"'`]*?["'](\.\.?\/[^"'?#]+)["']|\bimport\s*\(\s*["'`](\.\.?\/[^"'`?#]+)["'`]/g

interface Read {
  readonly stamp: string
  readonly imports: ReadonlyArray<string>
}
const read = new Map<string, Read>()

/** The files that a file imports by their path. A comment that looks like an import does no harm: it is one file more to look at. */
const importsOf = (path: string, now: string): ReadonlyArray<string> => {
  const known = read.get(path)
  if (known?.stamp === now) return known.imports
  let text = ""
  try {
    text = readFileSync(path, "utf8")
  } catch {
    // It imports nothing that we can see; Node says what is wrong with it.
  }
  const imports = Array.from(text.matchAll(relative), ([, from, dynamic]) =>
    present(resolve(dirname(path), from ?? dynamic!))
  )
  read.set(path, { stamp: now, imports })
  return imports
}

/** The states of a file and of the local files behind it. */
const statesOf = (path: string, found = new Map<string, string>()): ReadonlyMap<string, string> => {
  const now = stamp(path)
  if (now === undefined || found.has(path) || isInstalled(path)) return found
  found.set(path, now)
  for (const imported of importsOf(path, now)) statesOf(imported, found)
  return found
}

const versions = new Map<string, { readonly states: string; readonly number: number }>()
const loaded = new Map<string, string>()

export interface Version {
  readonly url: string
  /** The local files that it consists of, as far as their text tells. */
  readonly files: ReadonlyArray<string>
  /** Files behind it that have changed since they were first imported. */
  readonly changed: ReadonlyArray<string>
}

/** The URL for the present state of a local file. */
export const of = (path: string): Version => {
  const { href: url } = pathToFileURL(path)
  const states = statesOf(path)
  if (states.size === 0) return { url, files: [], changed: [] }
  const text = Array.from(states, (each) => each.join(" ")).join("\n")
  const before = versions.get(path)
  const number = before === undefined ? 0 : before.number + (before.states === text ? 0 : 1)
  versions.set(path, { states: text, number })
  const changed: Array<string> = []
  for (const [each, state] of states) {
    const first = loaded.get(each)
    if (first === undefined) loaded.set(each, state)
    else if (first !== state && each !== path) changed.push(each)
  }
  return { url: number === 0 ? url : `${url}?changed=${number}`, files: [...states.keys()], changed }
}

/** As `of`, for a URL that Node has resolved. */
export const ofUrl = (url: string): string => {
  if (!url.startsWith("file:") || url.includes("?")) return url
  const path = fileURLToPath(url)
  return isInstalled(path) ? url : of(path).url
}
