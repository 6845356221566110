/**
 * Lists the files below a directory in the order of their paths, without what ignore files exclude (as `IgnoreRules`, but
 * looked up once for each directory on the way). Synchronous and free of Effect: it runs in a worker thread.
 */
import ignore, { type Ignore } from "ignore"
import * as Fs from "node:fs"
import * as Path from "node:path"
import * as IgnoreRules from "../workspace/IgnoreRules.ts"

/** Why an entry is left out. */
export type Skip = "ignored" | "symbolic link" | "unreadable" | "no regular file"

export interface Visitor {
  /** A file, by its absolute path and its name. Returning `false` ends the walk. */
  readonly file: (path: string, name: string) => boolean
  readonly skip: (reason: Skip) => void
}

interface Rules {
  readonly files: ReadonlyArray<{ readonly name: string; readonly below: string; readonly text: string }>
  /** Whether this path, relative to the top (a directory ends with `/`), is excluded where its parents are not. */
  readonly excludes: (path: string, name: string) => boolean
}

const always = new Set([".git", "node_modules"])
const names = [".gitignore", ".ignore"]

const read = (file: string): string | undefined => {
  try {
    return Fs.readFileSync(file, "utf8")
  } catch {
    return undefined
  }
}

const isCaseless = process.platform !== "linux"
const cased = (text: string) => (isCaseless ? text.toLowerCase() : text)

const longest = (literals: ReadonlyArray<string>) =>
  literals.reduce((best, next) => (next.length > best.length ? next : best), "")

/**
 * The rules that may be about a path, by the last segment of each rule or a literal part of it: most paths are no rule's
 * business, and asking the rules themselves costs more than the rest of the walk.
 */
const concerning = (rules: ReadonlyArray<string>): ((path: string, name: string) => ReadonlyArray<string>) => {
  const byPath = new Map<string, Array<string>>()
  const byName = new Map<string, Array<string>>()
  const byPart: Array<{ readonly part: string; readonly inName: boolean; readonly rule: string }> = []
  const add = (map: Map<string, Array<string>>, key: string, rule: string) => {
    const known = map.get(key)
    if (known === undefined) map.set(key, [rule])
    else known.push(rule)
  }
  for (const rule of rules) {
    if (rule.trim() === "" || rule.startsWith("#")) continue
    const plain = rule
      .replace(/^!/, "")
      .replaceAll(/\[[^\]]*\]|\\./g, "*")
      .trim()
      .replace(/\/$/, "")
    const segment = plain.slice(plain.lastIndexOf("/") + 1)
    const ofName = longest(segment.split(/[*?]/))
    if (segment !== plain && !/[*?]/.test(plain)) add(byPath, cased(plain.replace(/^\//, "")), rule)
    else if (ofName === segment) add(byName, cased(segment), rule)
    else if (ofName !== "") byPart.push({ part: cased(ofName), inName: true, rule })
    else byPart.push({ part: cased(longest(plain.split(/[*?/]/))), inName: false, rule })
  }
  return (path, name) => {
    const found: Array<string> = []
    if (byName.size > 0) found.push(...(byName.get(cased(name)) ?? []))
    if (byPath.size > 0) found.push(...(byPath.get(cased(path.endsWith("/") ? path.slice(0, -1) : path)) ?? []))
    for (const { inName, part, rule } of byPart) if (cased(inName ? name : path).includes(part)) found.push(rule)
    return found
  }
}

const matcherOf = (rules: ReadonlyArray<string>): Ignore => ignore({ ignorecase: isCaseless }).add([...rules])

const compile = (files: Rules["files"]): Rules => {
  const ordered = ["exclude", ...names].flatMap((name) => files.filter((file) => file.name === name))
  const rules = ordered.flatMap(({ below, text }) => IgnoreRules.fromTop(text, below))
  const concerns = concerning(rules)
  // Where a rule can take back what another excludes, all of them decide together; else each for itself, made when it is asked.
  const together = rules.some((rule) => rule.startsWith("!")) ? matcherOf(rules) : undefined
  const alone = new Map<string, Ignore>()
  const excludes = (path: string, rule: string): boolean => {
    const matcher = alone.get(rule) ?? matcherOf([rule])
    alone.set(rule, matcher)
    return matcher.ignores(path)
  }
  return {
    files,
    excludes: (path, name) => {
      const concerned = concerns(path, name)
      if (concerned.length === 0) return false
      return together === undefined ? concerned.some((rule) => excludes(path, rule)) : together.ignores(path)
    }
  }
}

/** The rules that also hold in a directory, `below` the top. */
const enter = (rules: Rules, directory: string, below: string, present: (name: string) => boolean): Rules => {
  const own = names.flatMap((name) => {
    const text = present(name) ? read(Path.join(directory, name)) : undefined
    return text === undefined ? [] : [{ name, below, text }]
  })
  return own.length === 0 ? rules : compile([...rules.files, ...own])
}

/** The rules above a directory, and the directory from which their paths count. */
const above = (directory: string): { readonly rules: Rules; readonly top: string } => {
  const top = IgnoreRules.topOf(directory)
  const exclude = read(Path.join(IgnoreRules.gitFolder(Path.join(top, ".git")), "info", "exclude"))
  let rules = compile(exclude === undefined ? [] : [{ name: "exclude", below: "", text: exclude }])
  const relative = Path.relative(top, directory)
    .split(Path.sep)
    .filter((name) => name !== "")
  for (let depth = 0; depth < relative.length; depth++) {
    const below = relative.slice(0, depth).join("/")
    rules = enter(rules, Path.join(top, below), below, () => true)
  }
  // Who names an excluded directory means what is in it.
  return relative.length > 0 && rules.excludes(`${relative.join("/")}/`, relative.at(-1)!)
    ? { rules: compile([]), top: directory }
    : { rules, top }
}

const byName = (a: Fs.Dirent, b: Fs.Dirent) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)

/**
 * Visits every file below `start` (absolute, real). Links to directories are not followed; links to files are where they
 * lead into `root`.
 */
export const walk = (start: string, root: string, visitor: Visitor): void => {
  const { rules, top } = above(start)

  const linked = (path: string): boolean => {
    try {
      const real = Fs.realpathSync(path)
      return (real === root || real.startsWith(root + Path.sep)) && Fs.statSync(real).isFile()
    } catch {
      return false
    }
  }

  const visit = (directory: string, inherited: Rules): boolean => {
    let entries: Array<Fs.Dirent>
    try {
      entries = Fs.readdirSync(directory, { withFileTypes: true })
    } catch {
      visitor.skip("unreadable")
      return true
    }
    const below = directory.slice(top.length + 1).replaceAll(Path.sep, "/")
    const prefix = below === "" ? "" : `${below}/`
    const own = enter(inherited, directory, below, (name) => entries.some((entry) => entry.name === name))
    for (const entry of entries.sort(byName)) {
      const isDirectory = entry.isDirectory()
      if (always.has(entry.name) || own.excludes(prefix + entry.name + (isDirectory ? "/" : ""), entry.name)) {
        visitor.skip("ignored")
        continue
      }
      const path = directory + Path.sep + entry.name
      if (isDirectory) {
        if (!visit(path, own)) return false
      } else if (entry.isFile() || (entry.isSymbolicLink() && linked(path))) {
        if (!visitor.file(path, entry.name)) return false
      } else visitor.skip(entry.isSymbolicLink() ? "symbolic link" : "no regular file")
    }
    return true
  }

  visit(start, rules)
}
