/** Names that exist and that a wrong path may have meant. */
import * as Fs from "node:fs"
import * as Path from "node:path"

const most = 4
/** Directory entries that the search for the same name elsewhere may look at. */
const mostVisited = 5000

const distance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)))
    }
    row = next
  }
  return row[b.length]!
}

/** How far two names are apart, 0 for equal but for case; `undefined` when they are not alike. */
const unlikeness = (wanted: string, name: string): number | undefined => {
  const [a, b] = [wanted.toLowerCase(), name.toLowerCase()]
  if (Math.abs(a.length - b.length) <= 3 && a.length <= 128) {
    const d = distance(a, b)
    if (d <= Math.max(1, Math.floor(a.length / 4))) return d
  }
  return Path.parse(a).name === Path.parse(b).name ? 3 : undefined
}

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

  const alike: Array<{ readonly path: string; readonly score: number }> = []
  for (const { name } of list(directory)) {
    const score = unlikeness(wanted, name)
    if (score === undefined) continue
    const whole = Path.join(directory, name, ...below)
    if (below.length === 0 || Fs.existsSync(whole)) alike.push({ path: whole, score })
    else alike.push({ path: Path.join(directory, name), score: score + 10 })
  }
  const found = alike.sort((a, b) => a.score - b.score).map(({ path }) => path)

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
