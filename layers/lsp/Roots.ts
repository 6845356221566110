/** Where the roots of a project are: the nearest marker at or above a file, inside the working directory (C25, SPEC §3.7). */
import * as Fs from "node:fs"
import * as Path from "node:path"
import { Effect } from "effect"
import * as Folders from "./Folders.ts"
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

const isInside = (top: string, path: string): boolean =>
  path === top || path.startsWith(top.endsWith(Path.sep) ? top : top + Path.sep)

/** The root of a file for a row; `undefined` where there is no marker, or the file is outside the working directory. */
export const of = (row: Row.Row, file: string, top: string): Root | undefined => {
  let folder = Path.dirname(file)
  while (isInside(top, folder)) {
    const here = folder
    const marker = markerIn(row, here, () => Folders.entriesOf(here).map(({ name }) => name))
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

const mostRoots = 16

/** The roots of every row, by its id, those near the top first. */
export const all = Effect.fnUntraced(function* (rows: ReadonlyArray<Row.Row>, workspace: Workspace["Service"]) {
  const found = new Map<string, Array<{ root: string; marker: string; sample: string | undefined }>>()
  const { folders } = yield* Folders.all(workspace)
  for (const { entries, path: folder } of folders) {
    const names = entries.map(({ name }) => name)
    const files = entries.filter((entry) => entry.isFile()).map(({ name }) => name)
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
  const result: ReadonlyMap<string, ReadonlyArray<Candidate>> = found
  return result
})
