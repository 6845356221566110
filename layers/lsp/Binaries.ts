/** Where the binary of a language server is on this machine (SPEC §3.1, 3.9): in the project where it is trusted, on `PATH`, at home. */
import { Effect, Option, Result } from "effect"
import * as Fs from "node:fs"
import * as Path from "node:path"
import * as Budget from "../../src/Budget.ts"
import type { FindBinary, Found } from "../../src/lsp/LanguageServers.ts"
import type { Binary, Row } from "../../src/lsp/rows/Row.ts"
import * as Processes from "../../src/Processes.ts"
import * as Candidates from "../process/Candidates.ts"
import * as Executable from "../process/Executable.ts"

export interface Options extends Candidates.Places {
  /** Whether programs from inside the working directory may run. */
  readonly isTrusted: boolean
}

/** How long a binary has to answer its probe; a slow one is taken as working. */
const probeTime = "5 seconds"

/** The look-up for a run. It keeps nothing itself: the port keeps answers until `reload`. */
export const make = Effect.fnUntraced(function* (
  options: Options
): Effect.fn.Return<FindBinary, never, Processes.Processes> {
  const context = yield* Effect.context<Processes.Processes>()
  const env = options.env ?? process.env

  const probe = (binary: Binary, command: string, cwd: string) =>
    binary.probe === undefined
      ? Effect.undefined
      : Effect.provideContext(failureOf(command, binary.probe, cwd, env), context)

  return Effect.fn("Binaries.find")(function* (row: Row, root: string): Effect.fn.Return<Found> {
    const { binary } = row
    const problems: Array<string> = []
    let isUntrusted = false
    for (const { file, isInProject, isOwn } of Candidates.of(binary, root, options)) {
      const misfit = binary.npm === undefined ? undefined : misfitOf(file, binary.npm)
      if (misfit !== undefined) {
        problems.push(misfit.reason)
        // The project's own choice, when too old, ends the search.
        if (isOwn && misfit.isOld) return { status: "missing", reason: misfit.reason }
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
    return { status: "missing", reason: problems.length > 0 ? problems.join("; ") : Candidates.nowhere(binary) }
  })
})

/** Why the npm package that a file belongs to is not the wanted one, if it belongs to one. */
const misfitOf = (
  file: string,
  wanted: NonNullable<Binary["npm"]>
): { readonly reason: string; readonly isOld: boolean } | undefined => {
  for (let at = Path.dirname(Candidates.realPath(file)); at !== Path.dirname(at); at = Path.dirname(at)) {
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
