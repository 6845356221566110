/** Names that exist and that a wrong path may have meant. */
import * as Fs from "node:fs"
import * as Path from "node:path"
import * as Suggest from "../../src/Suggest.ts"

const most = 4
/** Directory entries that the search for the same name elsewhere may look at. */
const mostVisited = 5000

const list = (directory: string): ReadonlyArray<Fs.Dirent> => {
  try {
    return Fs.readdirSync(directory, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1))
  } catch {
    return []
  }
}

/**
 * Absolute paths near the missing `path` (inside `root`), best first, at most 4: alike names in the deepest directory that
 * exists, then the same name in other directories (bounded search, `isIgnored` is left out).
 */
export const near = (root: string, path: string, isIgnored: (absolute: string) => boolean): ReadonlyArray<string> => {
  let directory = path
  let rest: ReadonlyArray<string> = []
  do {
    rest = [Path.basename(directory), ...rest]
    directory = Path.dirname(directory)
  } while (directory !== root && !Fs.existsSync(directory))
  const [wanted = "", ...below] = rest

  const names = list(directory).map(({ name }) => name)
  const found = Suggest.near(wanted, names, most).map((name) => {
    const whole = Path.join(directory, name, ...below)
    return below.length === 0 || Fs.existsSync(whole) ? whole : Path.join(directory, name)
  })

  const base = Path.basename(path)
  const queue = [root]
  for (let visited = 0; queue.length > 0 && visited < mostVisited && found.length < most;) {
    const at = queue.shift()!
    for (const child of list(at)) {
      visited++
      const whole = Path.join(at, child.name)
      if (child.name.toLowerCase() === base.toLowerCase() && !found.includes(whole) && !isIgnored(whole))
        found.push(whole)
      if (child.isDirectory() && !isIgnored(whole)) queue.push(whole)
    }
  }
  return found.slice(0, most)
}
