/** Where the binary of a language server is on this machine (SPEC §3.1, 3.9): in the project where it is trusted, on `PATH`, at home. */
import { Effect, Option, Result } from "effect"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import * as Budget from "../../src/Budget.ts"
import type { FindBinary, Found } from "../../src/lsp/LanguageServers.ts"
import type { Binary, Row } from "../../src/lsp/rows/Row.ts"
import * as Processes from "../../src/Processes.ts"
import * as Executable from "../process/Executable.ts"
import * as Paths from "../workspace/Paths.ts"

export interface Options {
  /** The working directory, absolute, symbolic links resolved. */
  readonly workspace: string
  /** Whether programs from inside the working directory may run. */
  readonly isTrusted: boolean
  /** Default: the variables of this process. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /** Default: the user's. */
  readonly home?: string | undefined
}

/** How long a binary has to answer its probe; a slow one is taken as working. */
const probeTime = "5 seconds"

interface Candidate {
  readonly file: string
  readonly isInProject: boolean
  /** Whether it is the project's choice: its package, when too old, ends the search. */
  readonly decides: boolean
}

/** The look-up for a run. It keeps nothing itself: the port keeps answers until `reload`. */
export const make = Effect.fnUntraced(function* (
  options: Options
): Effect.fn.Return<FindBinary, never, Processes.Processes> {
  const context = yield* Effect.context<Processes.Processes>()
  const env = options.env ?? process.env
  const home = options.home ?? Os.homedir()
  const isInside = (file: string) => Paths.isInside(Path, options.workspace, file)

  const candidate = (file: string, decides: boolean): Candidate => ({
    file,
    decides,
    isInProject: isInside(file) || isInside(realPath(file))
  })

  const candidates = (binary: Binary, root: string): ReadonlyArray<Candidate> => {
    if (/[\\/]/.test(binary.name))
      return [candidate(Path.resolve(root, binary.name), false)].filter(({ file }) => Fs.existsSync(file))
    const inProject = upwards(root, options.workspace).flatMap((folder) =>
      (binary.project ?? []).map((below) => Path.join(folder, below, binary.name))
    )
    const onPath = (env["PATH"] ?? "").split(Path.delimiter).filter((folder) => Path.isAbsolute(folder))
    const atHome = (binary.home ?? []).map((below) => Path.join(home, below))
    const all = [
      ...inProject.map((file) => candidate(file, true)),
      ...[...onPath, ...atHome].map((folder) => candidate(Path.join(folder, binary.name), false))
    ]
    // Reversed: of a file that is named twice the first stands.
    return [...new Map(all.toReversed().map((one) => [one.file, one])).values()]
      .toReversed()
      .filter(({ file }) => Fs.existsSync(file))
  }

  const probe = (binary: Binary, command: string, cwd: string) =>
    binary.probe === undefined
      ? Effect.undefined
      : Effect.provideContext(failureOf(command, binary.probe, cwd, env), context)

  return Effect.fn("Binaries.find")(function* (row: Row, root: string): Effect.fn.Return<Found> {
    const { binary } = row
    const problems: Array<string> = []
    let isUntrusted = false
    for (const { decides, file, isInProject } of candidates(binary, root)) {
      const misfit = binary.npm === undefined ? undefined : misfitOf(file, binary.npm)
      if (misfit !== undefined) {
        problems.push(misfit.reason)
        if (decides && misfit.isOld) return { status: "missing", reason: misfit.reason }
        continue
      }
      if (isInProject && !options.isTrusted) {
        isUntrusted = true
        problems.push(`${file} is inside the project, which is not trusted`)
        continue
      }
      const checked = Executable.find(file, root, undefined)
      if (Result.isFailure(checked)) {
        problems.push(checked.failure.message)
        continue
      }
      const failure = yield* probe(binary, file, root)
      if (failure === undefined) return { status: "found", command: file }
      problems.push(failure)
    }
    if (isUntrusted) {
      return { status: "not_trusted", reason: `counts as not found: ${problems.join("; ")}` }
    }
    return { status: "missing", reason: problems.length > 0 ? problems.join("; ") : nowhere(binary) }
  })
})

const nowhere = (binary: Binary): string => {
  if (/[\\/]/.test(binary.name)) return `there is no file ${binary.name}`
  const folders = [...(binary.project ?? []), "PATH", ...(binary.home ?? []).map((below) => `~/${below}`)]
  const last = folders.pop()!
  return `\`${binary.name}\` is not in ${folders.length === 0 ? last : `${folders.join(", ")} or ${last}`}`
}

const realPath = (file: string): string => {
  try {
    return Fs.realpathSync(file)
  } catch {
    return file
  }
}

/** The folders from one up to another that is above it, both included. */
const upwards = (from: string, to: string): ReadonlyArray<string> => {
  const folders: Array<string> = []
  for (let at = from; Paths.isInside(Path, to, at); at = Path.dirname(at)) {
    folders.push(at)
    if (at === to || at === Path.dirname(at)) break
  }
  return folders
}

/** Why the npm package that a file belongs to is not the wanted one, if it belongs to one. */
const misfitOf = (
  file: string,
  wanted: NonNullable<Binary["npm"]>
): { readonly reason: string; readonly isOld: boolean } | undefined => {
  for (let at = Path.dirname(realPath(file)); at !== Path.dirname(at); at = Path.dirname(at)) {
    const found = packageOf(at)
    if (found === undefined) continue
    if (found.name !== wanted.package) {
      return { reason: `${file} belongs to the package ${found.name}, not ${wanted.package}`, isOld: false }
    }
    if (Number.parseInt(found.version, 10) >= wanted.major) return undefined
    const reason = `${file} is of ${found.name} ${found.version}; version ${wanted.major} or later is needed`
    return { reason, isOld: true }
  }
  return undefined
}

const packageOf = (folder: string): { readonly name: string; readonly version: string } | undefined => {
  try {
    const json: unknown = JSON.parse(Fs.readFileSync(Path.join(folder, "package.json"), "utf8"))
    if (typeof json !== "object" || json === null || !("name" in json) || !("version" in json)) return undefined
    return { name: String(json.name), version: String(json.version) }
  } catch {
    return undefined
  }
}

/** What a binary says when it does not work, as a sentence. */
const failureOf = Effect.fnUntraced(function* (
  command: string,
  args: ReadonlyArray<string>,
  cwd: string,
  env: Readonly<Record<string, string | undefined>>
) {
  const words = [Path.basename(command), ...args].join(" ")
  const ran = yield* Processes.run({ command, args, cwd, env, maxBytes: 4096, grace: 0 }).pipe(
    Effect.result,
    Budget.within(Budget.after(probeTime))
  )
  if (Option.isNone(ran)) return undefined
  if (Result.isFailure(ran.value)) return `${command} does not start: ${ran.value.failure.message}`
  const { exit, stderr, stdout } = ran.value.success
  if (exit.code === 0) return undefined
  const said = `${stderr}\n${stdout}`.split("\n").find((line) => line.trim() !== "")
  return `${command} is there but does not work: \`${words}\` ${Processes.describeExit(exit)}${
    said === undefined ? "" : `, saying: ${said.trim().slice(0, 300)}`
  }`
})
