/**
 * What ignore files exclude, as git and ripgrep have it: `.git` and `node_modules` always; else the last rule that fits, of
 * `.git/info/exclude`, then every `.gitignore` from the top of the repository down, then every `.ignore`; and nothing
 * below an excluded directory is taken back in. Where the root is not in a repository, its own files are the top.
 *
 * Synchronous and free of Effect, so that worker threads can use it as well.
 */
import ignore, { type Ignore } from "ignore"
import * as Fs from "node:fs"
import * as Path from "node:path"

export interface IgnoreRules {
  /** Whether this absolute path is excluded. A path outside the root is not. */
  readonly isIgnored: (absolute: string, isDirectory: boolean) => boolean
}

interface RuleFile {
  readonly stamp: string
  readonly text: string
}

/** Bytes. A larger rule file is no rule file. */
const largest = 1024 * 1024
const always = new Set([".git", "node_modules"])

/** The file's text, read again only when its stamp is no longer the known one. */
const load = (file: string, known: RuleFile | undefined): RuleFile | undefined => {
  try {
    const stats = Fs.statSync(file, { throwIfNoEntry: false })
    if (stats === undefined || !stats.isFile() || stats.size > largest) return undefined
    const stamp = `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`
    return known?.stamp === stamp ? known : { stamp, text: Fs.readFileSync(file, "utf8") }
  } catch {
    return undefined
  }
}

/** The rules of a file that lies in `directory` (relative, `/`, "" for the top), rewritten to hold from the top. */
export const fromTop = (text: string, directory: string): ReadonlyArray<string> => {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/)
  if (directory === "") return lines
  const literal = directory.replaceAll(/[\\*?[\]!#]/g, "\\$&")
  return lines.flatMap((line) => {
    if (line.trim() === "" || line.startsWith("#")) return []
    const negated = line.startsWith("!")
    const pattern = negated ? line.slice(1) : line
    const anchored = pattern.replace(/\/\s*$/, "").includes("/")
    return [`${negated ? "!" : ""}/${literal}/${anchored ? "" : "**/"}${pattern.replace(/^\//, "")}`]
  })
}

/** The folder that holds `info/exclude`: `.git` itself, or for a worktree (where `.git` is a file) the common one. */
export const gitFolder = (dotGit: string): string => {
  try {
    if (Fs.statSync(dotGit).isDirectory()) return dotGit
    const own = Path.resolve(
      Path.dirname(dotGit),
      /^gitdir: (.*)/.exec(Fs.readFileSync(dotGit, "utf8"))?.[1]?.trim() ?? ""
    )
    return Path.resolve(own, Fs.readFileSync(Path.join(own, "commondir"), "utf8").trim())
  } catch {
    return dotGit
  }
}

/** The nearest directory at or above `root` that holds a `.git`; `root` where there is none. */
export const topOf = (root: string): string => {
  for (let at = root; ; at = Path.dirname(at)) {
    if (Fs.existsSync(Path.join(at, ".git"))) return at
    if (at === Path.dirname(at)) return root
  }
}

/** Tells whether a path relative to `top` (`/`, a directory ends with one) is excluded by the rule files from `top` down. */
const below = (top: string): ((relative: string) => boolean) => {
  const exclude = Path.join(gitFolder(Path.join(top, ".git")), "info", "exclude")
  const files = new Map<string, RuleFile | undefined>()
  const matchers = new Map<string, { readonly stamp: string; readonly rules: Ignore }>()

  const matcherOf = (directory: string): Ignore => {
    const chain =
      directory === "" ? [""] : ["", ...directory.split("/").map((_, i, names) => names.slice(0, i + 1).join("/"))]
    const places = [
      { file: exclude, below: "" },
      ...[".gitignore", ".ignore"].flatMap((name) =>
        chain.map((below) => ({ file: Path.join(top, below, name), below }))
      )
    ]
    const present = places.flatMap(({ below, file }) => {
      const loaded = load(file, files.get(file))
      files.set(file, loaded)
      return loaded === undefined ? [] : [{ ...loaded, file, below }]
    })
    const stamp = present.map(({ file, stamp }) => `${file} ${stamp}`).join("\n")
    const known = matchers.get(directory)
    if (known?.stamp === stamp) return known.rules
    const rules = ignore({ ignorecase: process.platform !== "linux" })
    for (const { below, text } of present) rules.add([...fromTop(text, below)])
    matchers.set(directory, { stamp, rules })
    return rules
  }

  return (relative) =>
    matcherOf(
      relative
        .split("/")
        .slice(0, relative.endsWith("/") ? -2 : -1)
        .join("/")
    ).ignores(relative)
}

const relativeTo = (top: string, absolute: string) => Path.relative(top, absolute).replaceAll(Path.sep, "/")

/** The rules that hold below `root` (absolute, real). Rule files that change later are read again. */
export const make = (root: string): IgnoreRules => {
  let top = topOf(root)
  let excludes = below(top)
  // Who works inside an excluded directory means what is in it.
  if (top !== root && excludes(`${relativeTo(top, root)}/`)) {
    top = root
    excludes = below(top)
  }
  return {
    isIgnored: (absolute, isDirectory) => {
      const relative = relativeTo(root, absolute)
      if (relative === "" || relative === ".." || relative.startsWith("../") || Path.isAbsolute(relative)) return false
      if (relative.split("/").some((name) => always.has(name))) return true
      return excludes(relativeTo(top, absolute) + (isDirectory ? "/" : ""))
    }
  }
}
