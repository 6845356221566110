/**
 * What a compiler reads of TypeScript projects, copied to another folder without what was built from it: there they can be built,
 * and nothing is written into them (SPEC §3.10). Each path has its counterpart below that folder, so what leads out of the working
 * directory does so there too; the packages in `node_modules` are linked.
 */
import * as Fs from "node:fs"
import * as Path from "node:path"
import { Effect, type Scope } from "effect"
import * as Paths from "../workspace/Paths.ts"
import * as Folders from "./Folders.ts"
import type { Tsconfig } from "./Tsconfig.ts"

export interface FreshCopy {
  /** Where a path of the projects is in the copy. */
  readonly to: (path: string) => string
  /** The paths of the copy in a text, as they are in the projects. */
  readonly from: (text: string) => string
}

/** Why there is no copy, as part of a sentence. */
export interface Refused {
  readonly _tag: "Refused"
  readonly reason: string
}

/** More than this is not copied. */
const mostFiles = 50_000
const mostBytes = 512 * 1024 * 1024

/** What TypeScript reads. */
const isRead = (name: string): boolean => /\.(?:[cm]?[jt]sx?|json)$/.test(name)

const isInside = (folder: string, path: string): boolean => Paths.isInside(Path, folder, path)

const realPath = (path: string): string | undefined => {
  try {
    return Fs.realpathSync(path)
  } catch {
    return undefined
  }
}

const isUnreadable = (cause: unknown): boolean =>
  cause instanceof Error && "code" in cause && (cause.code === "ENOENT" || cause.code === "EACCES")

/** The folders that are none of the others' parts. */
const outermost = (folders: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(folders)].filter((one, _, all) => !all.some((other) => other !== one && isInside(other, one)))

const above = (folder: string): ReadonlyArray<string> => {
  const parent = Path.dirname(folder)
  return parent === folder ? [] : [parent, ...above(parent)]
}

/** The checkout that a folder is in; itself where it is in none. */
export const repositoryOf = (folder: string): string =>
  [folder, ...above(folder)].find((one) => Fs.existsSync(Path.join(one, ".git"))) ?? folder

/** Below `folder`, which is there and is removed with the scope; `root` is copied whole, of what is outside only the projects. */
export const make = Effect.fnUntraced(function* (options: {
  readonly folder: string
  readonly root: string
  readonly projects: ReadonlyArray<Tsconfig>
}): Effect.fn.Return<FreshCopy, Refused, Scope.Scope> {
  const { projects, root } = options
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => Fs.mkdtempSync(Path.join(options.folder, "copy-"))),
    (made) => Effect.promise(() => Fs.promises.rm(made, { recursive: true, force: true }).catch(() => undefined))
  )
  const to = (path: string) => Path.join(folder, Path.relative(Path.parse(path).root, path))
  const areas = outermost([root, ...projects.map(({ file }) => Path.dirname(file))])
  const kept = [root, ...projects.flatMap(({ bases, file }) => [file, ...bases])]
  const outputs = new Set(
    projects.flatMap((one) => one.outputs).filter((path) => !kept.some((file) => isInside(path, file)))
  )
  const fixed = projects.flatMap((one) => one.fixed)
  if (fixed.length > 0) {
    return yield* Effect.fail<Refused>({ _tag: "Refused", reason: `it would write to ${fixed[0]}, an absolute path` })
  }

  let files = 0
  let bytes = 0
  const copy = (file: string) => {
    try {
      bytes += Fs.statSync(file).size
      files++
      Fs.copyFileSync(file, to(file), Fs.constants.COPYFILE_FICLONE)
    } catch (cause) {
      // What is gone or cannot be read, the compiler does not read either.
      if (!isUnreadable(cause)) throw cause
    }
  }

  /** A package of these projects leads to its copy, another one to itself. */
  const link = (entry: string) => {
    const real = realPath(entry)
    if (real === undefined) return
    const isOwn = !real.split(Path.sep).includes("node_modules") && areas.some((area) => isInside(area, real))
    Fs.symlinkSync(isOwn ? to(real) : entry, to(entry))
  }
  const packages = (modules: string) => {
    Fs.mkdirSync(to(modules), { recursive: true })
    for (const { name } of Folders.entriesOf(modules)) {
      const entry = Path.join(modules, name)
      // Folders with a dot are the caches of programs, which write there.
      if (name.startsWith(".")) continue
      if (!name.startsWith("@")) {
        link(entry)
        continue
      }
      Fs.mkdirSync(to(entry))
      for (const scoped of Folders.entriesOf(entry)) link(Path.join(entry, scoped.name))
    }
  }

  /** Where a folder was walked, by its real path: a link from outside may lead to it again. */
  const walked = new Map<string, string>()
  const pending = [...areas]
  const walk = Effect.gen(function* () {
    for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
      const real = realPath(at)
      if (real === undefined || real === options.folder) continue
      const before = walked.get(real)
      if (before !== undefined) {
        Fs.symlinkSync(to(before), to(at))
        continue
      }
      walked.set(real, at)
      Fs.mkdirSync(to(at), { recursive: true })
      for (const entry of Folders.entriesOf(at)) {
        const path = Path.join(at, entry.name)
        if (entry.name === ".git" || outputs.has(path)) continue
        const kind = entry.isSymbolicLink() ? Fs.statSync(path, { throwIfNoEntry: false }) : entry
        if (kind === undefined) continue
        if (kind.isDirectory()) {
          const target = entry.isSymbolicLink() ? realPath(path) : undefined
          if (entry.name === "node_modules") packages(path)
          else if (target !== undefined && areas.some((area) => isInside(area, target)))
            Fs.symlinkSync(to(target), to(path))
          else pending.push(path)
        } else if (kind.isFile() && isRead(entry.name)) {
          copy(path)
          if (files > mostFiles || bytes > mostBytes) {
            const most = `${mostFiles} files or ${mostBytes / 1024 / 1024} MiB`
            return yield* Effect.fail<Refused>({ _tag: "Refused", reason: `its copy would have more than ${most}` })
          }
          if (files % 32 === 0) yield* Effect.yieldNow
        }
      }
      yield* Effect.yieldNow
    }
    for (const parent of new Set(areas.flatMap(above))) {
      const modules = Path.join(parent, "node_modules")
      if (Fs.existsSync(modules) && !Fs.existsSync(to(modules))) packages(modules)
    }
    const around = [
      ...areas.flatMap(above).map((parent) => Path.join(parent, "package.json")),
      ...projects.flatMap(({ bases }) => bases).filter((base) => !base.split(Path.sep).includes("node_modules"))
    ]
    for (const file of new Set(around)) {
      if (Fs.existsSync(to(file)) || !Fs.existsSync(file)) continue
      Fs.mkdirSync(Path.dirname(to(file)), { recursive: true })
      copy(file)
    }
  })
  yield* walk.pipe(
    Effect.catchDefect((cause) =>
      Effect.fail<Refused>({ _tag: "Refused", reason: `it could not be copied: ${String(cause)}` })
    )
  )
  return { to, from: (text) => text.replaceAll(folder, "") }
})
