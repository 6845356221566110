/**
 * Which Python a run's cells run on (SPEC §8.6): the one that is set, the project's virtual environment, the one that is
 * activated, then those on `PATH`. Whether one works shows when it is started; one that does not falls through.
 */
import * as Fs from "node:fs"
import * as Path from "node:path"
import * as Paths from "../workspace/Paths.ts"

export interface Options {
  /** The working directory, absolute, symbolic links resolved. */
  readonly cwd: string
  /** A path, from the working directory, or a name that is looked up on `PATH`. No other is tried then. */
  readonly python?: string | undefined
  /** Whether programs from inside the project may run. */
  readonly isTrusted: boolean
  readonly env: Readonly<Record<string, string | undefined>>
}

export interface Found {
  /** Absolute, in the order in which they are tried. */
  readonly candidates: ReadonlyArray<string>
  /** What was passed over, a clause each. */
  readonly skipped: ReadonlyArray<string>
}

/** Nothing is there below a file (some tools keep the name of an environment in one), or in what may not be read. */
const isThere = (file: string): boolean => {
  try {
    return Fs.lstatSync(file, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}

/** The python of a virtual environment, also where it is a link into nothing: that is worth telling. */
const inEnvironment = (folder: string): ReadonlyArray<string> =>
  ["python3", "python"]
    .map((name) => Path.join(folder, "bin", name))
    .filter((file) => isThere(file))
    .slice(0, 1)

/** From the working directory up to the top of its repository; without one, the working directory alone. */
const projectFolders = (cwd: string): ReadonlyArray<string> => {
  const folders: Array<string> = []
  for (let at = cwd; ; at = Path.dirname(at)) {
    folders.push(at)
    if (Fs.existsSync(Path.join(at, ".git"))) return folders
    if (at === Path.dirname(at)) return [cwd]
  }
}

const onPath = (env: Options["env"], wanted: ReadonlyArray<string>): ReadonlyArray<string> => {
  const folders = (env["PATH"] ?? "").split(Path.delimiter).filter((folder) => Path.isAbsolute(folder))
  return wanted
    .flatMap((name) => folders.map((folder) => Path.join(folder, name)))
    .filter((file) => Fs.existsSync(file))
}

const realPath = (file: string): string => {
  try {
    return Fs.realpathSync(file)
  } catch {
    return file
  }
}

/** The same program under two names is tried once; the python of an environment is another one than what it links to. */
const unique = (files: ReadonlyArray<string>): ReadonlyArray<string> => {
  const seen = new Set<string>()
  return files.filter((file) => {
    const isOfEnvironment = Fs.existsSync(Path.join(Path.dirname(file), "..", "pyvenv.cfg"))
    const key = isOfEnvironment ? Path.join(realPath(Path.dirname(file)), Path.basename(file)) : realPath(file)
    return seen.size !== seen.add(key).size
  })
}

export const find = ({ cwd, env, isTrusted, python }: Options): Found => {
  if (python !== undefined) {
    const given = /[\\/]/.test(python) ? [Path.resolve(cwd, python)] : onPath(env, [python])
    return {
      candidates: given,
      skipped: given.length === 0 ? [`the python of the settings, ${python}, is not on PATH`] : []
    }
  }
  const folders = projectFolders(cwd)
  const top = folders.at(-1)!
  const activated = env["VIRTUAL_ENV"]
  const isOwn = activated !== undefined && folders.includes(Path.dirname(realPath(activated)))
  const all = unique([
    ...(isOwn ? inEnvironment(activated) : []),
    ...folders.flatMap((folder) => [".venv", "venv"].flatMap((name) => inEnvironment(Path.join(folder, name)))),
    ...(activated === undefined || isOwn ? [] : inEnvironment(activated)),
    ...(env["CONDA_PREFIX"] === undefined ? [] : inEnvironment(env["CONDA_PREFIX"])),
    ...onPath(env, ["python3", "python"])
  ])
  const candidates = isTrusted ? all : all.filter((file) => !Paths.isInside(Path, top, file))
  return {
    candidates,
    skipped: all
      .filter((file) => !candidates.includes(file))
      .map((file) => `${file} is inside the project, which is not trusted`)
  }
}

/** Where the bytecode of the interpreter's own modules is kept, which is most of its start: the user's cache folder, if there is one. */
export const bytecodeFolder = (env: Options["env"]): string | undefined => {
  const { HOME: home, XDG_CACHE_HOME: set } = env
  if (set !== undefined && Path.isAbsolute(set)) return Path.join(set, "livetools", "python")
  if (home === undefined || !Path.isAbsolute(home)) return undefined
  return Path.join(home, process.platform === "darwin" ? "Library/Caches" : ".cache", "livetools", "python")
}

/** Variables that would change how the interpreter of the cells behaves, without the user's having meant that. */
export const environment: Readonly<Record<string, undefined>> = {
  PYTHONUNBUFFERED: undefined,
  PYTHONSTARTUP: undefined,
  PYTHONINSPECT: undefined,
  PYTHONBREAKPOINT: undefined,
  PYTHONWARNINGS: undefined,
  PYTHONIOENCODING: undefined,
  PYTHONDEVMODE: undefined,
  PYTHONHOME: undefined
}
