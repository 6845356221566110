/** Which files of a project name another one: those in which a write may cause errors, whether a server has them open or not. */
import { Clock, Effect, Option } from "effect"
import type { Edits } from "../Edits.ts"
import type { Workspace } from "../Workspace.ts"
import * as Row from "./rows/Row.ts"

export interface Dependants {
  /**
   * The files that name one of these, and those that name them, nearest first, and where one of these declares what others use
   * without naming it, all others; at most `most`.
   */
  readonly of: (files: ReadonlyArray<string>, most: number) => ReadonlyArray<string>
  /** Those that name one of these themselves or need not to, all of them. */
  readonly direct: (files: ReadonlyArray<string>) => ReadonlyArray<string>
  /** How many files that the same servers serve nobody has looked into, because the project has too many. */
  readonly unread: (files: ReadonlyArray<string>) => number
  /** Looks at files again; those that are gone are forgotten. */
  readonly look: (files: ReadonlyArray<string>) => Effect.Effect<void>
  /** Looks at the whole project, where that was not done lately. */
  readonly refresh: Effect.Effect<void>
}

/** How many files are looked into, and how long what was found is good for changes that others make, in milliseconds. */
const mostRead = 10_000
const lasts = 30_000

const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1)

/** A line that names another file, in any of the languages. */
const naming =
  /^\s*(?:import|export|from|use|mod|pub|require|require_relative|load|source|part|include|using|package|#\s*include|#\s*import|@import|@use|@forward|local|const|let|var)\b|\b(?:require|import|include)\b|^\s*(?:[\w.]+\s+)?"[^"]+"\s*;?\s*$/

const words = /[\p{L}\p{N}_$]+(?:-[\p{L}\p{N}_$]+)*/gu

/** Names that stand for the folder that they are in. */
const folders = new Set(["index", "__init__", "mod", "lib", "main"])

/** Folders that stand for the package that they are in. */
const sources = new Set(["src", "lib"])

/** What others call a file by: its name without extensions, and its folder's or package's where it stands for that. */
const namesOf = (path: string): ReadonlyArray<string> => {
  const stem = baseName(path).replace(/^\.+/, "").split(".")[0] ?? ""
  // A Go file is known by its package.
  if (!folders.has(stem) && !path.endsWith(".go")) return [stem]
  const [parent = "", above = ""] = path.split("/").slice(0, -1).toReversed()
  // A crate with a hyphen is called with an underscore.
  return sources.has(parent) ? [stem, parent, above, above.replaceAll("-", "_")] : [stem, parent]
}

const namedIn = (text: string): ReadonlySet<string> => {
  const named = new Set<string>()
  const take = (part: string) => {
    for (const [word] of part.matchAll(words)) for (const one of [word, ...word.split("-")]) named.add(one)
  }
  for (const line of text.split(/\r?\n/)) {
    if (line.length > 1000 || !naming.test(line)) continue
    take(line)
  }
  // Names in parentheses or braces over several lines end in a line that has a text only.
  for (const [, path] of text.matchAll(/from\s*["']([^"']+)["']/g)) take(path!)
  return named
}

const isScript = /\.[cm]?[jt]sx?$/
const augments = /\bdeclare\s+(?:global\b|module\s*["'])/
const isModule = /^\s*(?:import|export)\b|\brequire\s*\(|\bexports\b/m
const declares =
  /^(?:declare|interface|type|namespace|module|enum|abstract|class|function|async|var|let|const)\s+[\w{["'$]/m

/** Whether a file declares what others use without an import. */
const isAmbient = (path: string, text: string): boolean => {
  if (isScript.test(path)) return augments.test(text) || (!isModule.test(text) && declares.test(text))
  return /^(?:__)?builtins(?:__)?\.pyi$/.test(baseName(path))
}

export const make = (services: {
  readonly edits: Edits["Service"]
  readonly workspace: Workspace["Service"]
  readonly rows: ReadonlyArray<Row.Row>
  /** The same for files that the same servers serve. */
  readonly groupOf: (path: string) => string
  /** How many files are looked into. Default 10,000. */
  readonly most?: number
}): Dependants => {
  const { edits, groupOf, most: mostFiles = mostRead, rows, workspace } = services
  const named = new Map<string, ReadonlySet<string>>()
  /** Those that are ambient, or were: when they are no more, what others use is gone. */
  const ambient = new Set<string>()
  let beyond: ReadonlyArray<string> = []
  let lookedAt = Number.NEGATIVE_INFINITY

  const isServed = (path: string) => rows.some((row) => Row.languageOf(row, baseName(path)) !== undefined)

  const look = (files: ReadonlyArray<string>) =>
    Effect.forEach(
      files.filter(isServed),
      (file) =>
        Effect.map(Effect.option(edits.read(file)), (source) => {
          if (Option.isNone(source)) named.delete(file)
          else {
            const { path, text } = source.value
            named.set(path, namedIn(text))
            if (isAmbient(path, text)) ambient.add(path)
          }
        }),
      { discard: true }
    )

  /** Those that may use what is ambient in files. */
  const around = (files: ReadonlyArray<string>): ReadonlyArray<string> => {
    const groups = new Set(files.filter((file) => ambient.has(file)).map(groupOf))
    return groups.size === 0 ? [] : [...named.keys()].filter((other) => groups.has(groupOf(other)))
  }

  return {
    look,
    of: (files, most) => {
      const found = new Set(files)
      for (const file of found) {
        if (found.size >= files.length + most) break
        const names = namesOf(file)
        for (const [other, words] of named) {
          if (found.size >= files.length + most) break
          if (names.some((name) => words.has(name))) found.add(other)
        }
      }
      for (const other of around(files)) {
        if (found.size >= files.length + most) break
        found.add(other)
      }
      return [...found].slice(files.length)
    },
    direct: (files) => {
      const names = [...new Set(files.flatMap(namesOf))]
      const naming = [...named].flatMap(([other, words]) => (names.some((name) => words.has(name)) ? [other] : []))
      return [...new Set([...naming, ...around(files)])].filter((other) => !files.includes(other))
    },
    unread: (files) => {
      if (beyond.length === 0) return 0
      const groups = new Set(files.map(groupOf))
      return beyond.filter((path) => !named.has(path) && groups.has(groupOf(path))).length
    },
    refresh: Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      if (now - lookedAt < lasts) return
      lookedAt = now
      const all = yield* Effect.orElseSucceed(workspace.files("**/*"), (): ReadonlyArray<string> => [])
      const served = all.filter(isServed)
      beyond = served.slice(mostFiles)
      yield* look(served.slice(0, mostFiles))
    })
  }
}
