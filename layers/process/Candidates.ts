/** Where a program may be on this machine: in the project, on `PATH`, at home. Whether it works is for others to find out. */
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import * as Paths from "../workspace/Paths.ts"

export interface Places {
  /** The working directory, absolute, symbolic links resolved. */
  readonly workspace: string
  /** Default: the variables of this process. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /** Default: the user's. */
  readonly home?: string | undefined
}

export interface Wanted {
  /** A name, or a path that is absolute or relative to the root. `*` in a name stands for a version. */
  readonly name: string
  /** Folders of the project, at the root or above it up to the working directory. */
  readonly project?: ReadonlyArray<string> | undefined
  /** Folders of the user's home. */
  readonly home?: ReadonlyArray<string> | undefined
}

export interface Candidate {
  readonly file: string
  /** Inside the working directory, itself or what it links to: it counts only where the project is trusted. */
  readonly isInProject: boolean
  /** Whether it is from the project's own folders. */
  readonly isOwn: boolean
}

const isPath = (name: string): boolean => /[\\/]/.test(name)

/** The files that are there, in the order in which they are to be tried. */
export const of = (wanted: Wanted, root: string, places: Places): ReadonlyArray<Candidate> => {
  const { workspace } = places
  const isInside = (file: string) => Paths.isInside(Path, workspace, file)
  const candidate = (file: string, isOwn: boolean): Candidate => ({
    file,
    isOwn,
    isInProject: isInside(file) || isInside(realPath(file))
  })
  if (isPath(wanted.name)) {
    return [candidate(Path.resolve(root, wanted.name), false)].filter(({ file }) => Fs.existsSync(file))
  }
  const env = places.env ?? process.env
  const home = places.home ?? Os.homedir()
  const inProject = upwards(root, workspace).flatMap((folder) =>
    (wanted.project ?? []).map((below) => Path.join(folder, below))
  )
  const onPath = (env["PATH"] ?? "").split(Path.delimiter).filter((folder) => Path.isAbsolute(folder))
  const atHome = (wanted.home ?? []).map((below) => Path.join(home, below))
  const files = new Map<string, boolean>()
  const add = (folder: string, isOwn: boolean) => {
    for (const file of named(wanted.name, folder)) if (!files.has(file)) files.set(file, isOwn)
  }
  for (const folder of inProject) add(folder, true)
  for (const folder of [...onPath, ...atHome]) add(folder, false)
  return [...files].filter(([file]) => Fs.existsSync(file)).map(([file, isOwn]) => candidate(file, isOwn))
}

const named = (name: string, folder: string): ReadonlyArray<string> => {
  const [before, after] = name.split("*")
  if (before === undefined || after === undefined) return [Path.join(folder, name)]
  return entriesOf(folder)
    .flatMap((entry) => {
      if (!entry.startsWith(before) || !entry.endsWith(after)) return []
      const version = entry.slice(before.length, entry.length - after.length)
      return /^\d+(\.\d+)*$/.test(version) ? [{ entry, version: version.split(".").map(Number) }] : []
    })
    .sort((a, b) => compare(b.version, a.version))
    .map(({ entry }) => Path.join(folder, entry))
}

const entriesOf = (folder: string): ReadonlyArray<string> => {
  try {
    return Fs.readdirSync(folder)
  } catch {
    return []
  }
}

const compare = (a: ReadonlyArray<number>, b: ReadonlyArray<number>): number => {
  const at = a.findIndex((part, index) => part !== b[index])
  return at < 0 ? a.length - b.length : a[at]! - (b[at] ?? -1)
}

/** Where it was looked for, as a sentence without its point: it is not there. */
export const nowhere = ({ home, name, project }: Wanted): string => {
  if (isPath(name)) return `there is no file ${name}`
  const folders = [...(project ?? []), "PATH", ...(home ?? []).map((below) => `~/${below}`)]
  const last = folders.pop()!
  return `\`${name}\` is not in ${folders.length === 0 ? last : `${folders.join(", ")} or ${last}`}`
}

/** The file that a link leads to; the link where it leads nowhere. */
export const realPath = (file: string): string => {
  try {
    return Fs.realpathSync(file)
  } catch {
    return file
  }
}

/** The folders from one up to another that is above it, both included. */
export const upwards = (from: string, to: string): ReadonlyArray<string> => {
  const folders: Array<string> = []
  for (let at = from; Paths.isInside(Path, to, at); at = Path.dirname(at)) {
    folders.push(at)
    if (at === to || at === Path.dirname(at)) break
  }
  return folders
}
