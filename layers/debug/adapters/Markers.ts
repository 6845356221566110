/** Where the root of a project is: the nearest marker at or above a folder, or one somewhere below the working directory (SPEC §7.1). */
import * as Fs from "node:fs"
import * as Path from "node:path"
import picomatch from "picomatch"
import * as Candidates from "../../process/Candidates.ts"

const namesIn = (folder: string): ReadonlyArray<Fs.Dirent> => {
  try {
    return Fs.readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

/** The path of the first of the markers, in their order, that a folder has. */
const markerIn = (
  folder: string,
  markers: ReadonlyArray<string>,
  entries: () => ReadonlyArray<Fs.Dirent>
): string | undefined => {
  for (const marker of markers) {
    if (!marker.includes("*")) {
      const path = Path.join(folder, marker)
      if (Fs.existsSync(path)) return path
      continue
    }
    const isMatch = picomatch(marker, { dot: true })
    const found = entries().find(({ name }) => isMatch(name))
    if (found !== undefined) return Path.join(folder, found.name)
  }
  return undefined
}

/** The nearest marker at or above a folder, inside the working directory; of a folder outside of it there is none. */
export const above = (folder: string, workspace: string, markers: ReadonlyArray<string>): string | undefined => {
  for (const at of Candidates.upwards(folder, workspace)) {
    const found = markerIn(at, markers, () => namesIn(at))
    if (found !== undefined) return found
  }
  return undefined
}

const mostFolders = 1000
const deepest = 4
/** What is built, installed or hidden is no project of the user's. */
const passedOver = /^(\..*|node_modules|vendor|target|build|dist|out|venv|env|__pycache__|site-packages)$/

/** For each list of markers the one that is nearest to the top of the working directory: a look at its upper folders. */
export const below = (
  workspace: string,
  lists: ReadonlyArray<ReadonlyArray<string>>
): ReadonlyArray<string | undefined> => {
  const found: Array<string | undefined> = lists.map(() => undefined)
  let level = [workspace]
  let count = 0
  for (let depth = 0; depth <= deepest && level.length > 0; depth++) {
    const next: Array<string> = []
    for (const folder of level) {
      if (++count > mostFolders) return found
      const entries = namesIn(folder)
      lists.forEach((markers, index) => {
        found[index] ??= markerIn(folder, markers, () => entries)
      })
      next.push(
        ...entries
          .filter((entry) => entry.isDirectory() && !passedOver.test(entry.name))
          .map(({ name }) => Path.join(folder, name))
      )
    }
    if (found.every((marker) => marker !== undefined)) return found
    level = next.sort()
  }
  return found
}
