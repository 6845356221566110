/** Where the roots of a project are: the nearest marker at or above a file, inside the working directory (C25, SPEC §3.7). */
import * as Fs from "node:fs"
import * as Path from "node:path"
import { Effect } from "effect"
import * as Row from "../../src/lsp/rows/Row.ts"
import type { Workspace } from "../../src/Workspace.ts"

export interface Root {
  readonly root: string
  /** The marker's path. */
  readonly marker: string
}

const markerIn = (row: Row.Row, folder: string, names: () => ReadonlyArray<string>): string | undefined => {
  for (const marker of row.markers) {
    if (!marker.includes("*")) {
      const path = Path.join(folder, marker)
      if (Fs.existsSync(path)) return path
      continue
    }
    const name = names().find((each) => Row.fits(marker, each))
    if (name !== undefined) return Path.join(folder, name)
  }
  return undefined
}

const entriesIn = (folder: string): ReadonlyArray<Fs.Dirent> => {
  try {
    return Fs.readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

const isInside = (top: string, path: string): boolean =>
  path === top || path.startsWith(top.endsWith(Path.sep) ? top : top + Path.sep)

/** The root of a file for a row; `undefined` where there is no marker, or the file is outside the working directory. */
export const of = (row: Row.Row, file: string, top: string): Root | undefined => {
  let folder = Path.dirname(file)
  while (isInside(top, folder)) {
    const here = folder
    const marker = markerIn(row, here, () => entriesIn(here).map(({ name }) => name))
    if (marker !== undefined) return { root: here, marker }
    if (here === top) return undefined
    folder = Path.dirname(folder)
  }
  return undefined
}

/** A root of a row that the project has, and one of the files that the row serves there. */
export interface Candidate extends Root {
  readonly sample: string | undefined
}

const mostFolders = 3000
const mostRoots = 16

/** The roots of every row, by its id: a look at the folders that are not ignored, those near the top first. */
export const all = Effect.fnUntraced(function* (rows: ReadonlyArray<Row.Row>, workspace: Workspace["Service"]) {
  const found = new Map<string, Array<{ root: string; marker: string; sample: string | undefined }>>()
  let level = [workspace.root]
  let count = 0
  while (level.length > 0 && count < mostFolders) {
    const next: Array<string> = []
    for (const folder of level) {
      if (++count > mostFolders) break
      if (folder !== workspace.root && (yield* workspace.isIgnored(folder))) continue
      if (count % 64 === 0) yield* Effect.yieldNow
      const entries = entriesIn(folder)
      const names = entries.map(({ name }) => name)
      const files = entries.filter((entry) => entry.isFile()).map(({ name }) => name)
      next.push(...entries.filter((entry) => entry.isDirectory()).map(({ name }) => Path.join(folder, name)))
      for (const row of rows) {
        const roots = found.get(row.id) ?? []
        const marker = markerIn(row, folder, () => names)
        if (marker !== undefined && roots.length < mostRoots) {
          roots.push({ root: folder, marker, sample: undefined })
          found.set(row.id, roots)
        }
        const nearest = roots.findLast(({ root }) => isInside(root, folder))
        if (nearest === undefined || nearest.sample !== undefined) continue
        const sample = files.find((name) => Row.languageOf(row, name) !== undefined)
        if (sample !== undefined) nearest.sample = Path.join(folder, sample)
      }
    }
    level = next
  }
  const result: ReadonlyMap<string, ReadonlyArray<Candidate>> = found
  return result
})
