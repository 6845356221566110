/** Runs the checkers that a project's own configuration names, so that nothing is written into it (SPEC §3.10). */
import * as Fs from "node:fs"
import * as Path from "node:path"
import { Clock, type Duration, Effect, Option, Result, type Scope } from "effect"
import type { Checked, Checker } from "../../src/lsp/checkers/Checker.ts"
import * as Checkers from "../../src/lsp/checkers/Checkers.ts"
import * as Parse from "../../src/lsp/checkers/Parse.ts"
import type { FindBinary, LanguageServers } from "../../src/lsp/LanguageServers.ts"
import * as Policy from "../../src/lsp/Policy.ts"
import type { CheckerPart } from "../../src/lsp/Values.ts"
import * as Processes from "../../src/Processes.ts"
import { Workspace } from "../../src/Workspace.ts"
import * as TemporaryFolder from "../process/TemporaryFolder.ts"
import * as Configurations from "./Configurations.ts"
import * as FreshCopy from "./FreshCopy.ts"

export interface Options {
  /** The working directory, absolute, symbolic links resolved. */
  readonly root: string
  /** Whether programs of the working directory may run (SPEC §3.9); `findBinary` goes by the same. */
  readonly isTrusted: boolean
  readonly findBinary: FindBinary
  /** Default: those that are shipped. */
  readonly checkers?: ReadonlyArray<Checker>
  /** Of all together. Default 120 s. */
  readonly bound?: Duration.Input
}

/** How much of the output of one is read, in bytes. */
const mostOutput = 32 * 1024 * 1024
/** How long a program has to say what a configuration is part of. */
const locating = "5 seconds"
/** How many run at once. */
const mostAtOnce = 2

interface Ran {
  readonly part: CheckerPart
  readonly found: ReadonlyArray<Parse.Found>
}

const without = (
  { checkers, configurations }: Configurations.Check,
  outcome: "unknown" | "not_covered",
  reason: string,
  { id } = checkers[0]!
): Ran => ({ part: { id, outcome, reason, configurations }, found: [] })

/** The end of what a program says, for a sentence. */
const lastWords = (output: Processes.Output): string => {
  const lines = `${output.stdout}\n${output.stderr}`.split(/\r?\n/).filter((line) => line.trim() !== "")
  return lines.slice(-5).join("; ").slice(-600)
}

/** What the compiler says of modules, files and declarations that it does not find. */
const isNotFound = new Set(["2307", "2792", "5083", "6053", "7016", "18003"])

/** A configuration that others extend may have no files of its own. */
const noInputs = "18003"

/** Projects that the compiler leaves out because those that they refer to have errors (TypeScript before 5.6). */
const leftOut = (output: string): string | undefined => {
  const names = [...output.matchAll(/ - Skipping build of project '(.+?)' because its dependency/g)].map(
    ([, name]) => name!
  )
  return names.length === 0
    ? undefined
    : `left out because projects that they refer to have errors: ${names.join(", ")}`
}

/** The check of a run: nothing is started before it is asked for, and what it keeps is gone with the scope. */
export const make = Effect.fnUntraced(function* (
  options: Options
): Effect.fn.Return<LanguageServers["Service"]["check"] & {}, never, Processes.Processes | Workspace | Scope.Scope> {
  const { findBinary, isTrusted, root } = options
  const checkers = options.checkers ?? Checkers.shipped
  const workspace = yield* Workspace
  const context = yield* Effect.context<Processes.Processes>()
  let folder: string | undefined
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      if (folder !== undefined) Fs.rmSync(folder, { recursive: true, force: true })
    })
  )
  const scratch = () => (folder ??= TemporaryFolder.make("livetools-check-"))
  const numbers = new Map<string, number>()
  /** That of a configuration. */
  const outOf = (configuration: string) => {
    const number = numbers.get(configuration) ?? numbers.size
    numbers.set(configuration, number)
    const out = Path.join(scratch(), String(number))
    Fs.mkdirSync(out, { recursive: true })
    return out
  }
  const find = ({ binary, id }: Checker, at: string) =>
    findBinary({ id, languages: [{ id }], markers: ["."], binary }, at)

  const locate = Effect.fnUntraced(function* (
    checker: Checker,
    { file, folder }: { readonly file: string; readonly folder: string }
  ) {
    if (checker.runsProject === true && !isTrusted) return file
    const binary = yield* find(checker, folder)
    if (binary.status !== "found") return file
    const ran = yield* Processes.run({ command: binary.command, args: checker.locate ?? [], cwd: folder }).pipe(
      Effect.provideContext(context),
      Effect.option,
      Effect.timeoutOption(locating)
    )
    const said = Option.getOrUndefined(Option.flatten(ran))
    const located = said?.exit.code === 0 ? said.stdout.trim() : ""
    return Path.isAbsolute(located) ? located : file
  })

  /** `from`: paths in a text that are those of a copy. */
  const runIn = Effect.fnUntraced(function* (
    check: Configurations.Check,
    checker: Checker,
    how: { readonly args: ReadonlyArray<string>; readonly cwd: string; readonly from?: (text: string) => string }
  ): Effect.fn.Return<Ran> {
    const { id } = checker
    const { configurations } = check
    const { args, cwd, from = (text: string) => text } = how
    const binary = yield* find(checker, check.folder)
    if (binary.status !== "found") return without(check, "not_covered", binary.reason, checker)
    const fill = (text: string) => text.replaceAll("${out}", () => outOf(configurations[0]!))
    const ran = yield* Processes.run({
      command: binary.command,
      args: args.map(fill),
      cwd,
      env: Object.fromEntries(Object.entries(checker.env ?? {}).map(([name, value]) => [name, fill(value)])),
      maxBytes: mostOutput
    }).pipe(Effect.provideContext(context), Effect.result)
    if (Result.isFailure(ran)) return without(check, "unknown", `it did not start: ${ran.failure.message}`, checker)
    const output = ran.success
    const found = Parse.formats[checker.format](output, (path) => from(Path.resolve(cwd, path))).map((one) => ({
      ...one,
      message: from(one.message),
      source: id
    }))
    if (check.isBase === true && found.length > 0 && found.every(({ code }) => code === noInputs)) {
      return { part: { id, outcome: "empty", reason: "it has no files, others extend it", configurations }, found: [] }
    }
    const isWhole = output.exit.code !== undefined && checker.finished.includes(output.exit.code) && !output.truncated
    // Not clean and nothing told: it failed before it checked.
    const isMute = output.exit.code !== 0 && found.length === 0
    const ending = output.truncated ? "it says more than is read" : `it ${Processes.describeExit(output.exit)}`
    const reason = isWhole && !isMute ? leftOut(output.stdout) : `${ending}: ${lastWords(output)}`
    const outcome = found.length > 0 ? "found" : reason === undefined ? "empty" : "unknown"
    return {
      part: { id, outcome, ...(reason === undefined ? {} : { reason: from(reason) }), configurations },
      found
    }
  })

  const run = Effect.fnUntraced(function* (check: Configurations.Check, checker: Checker): Effect.fn.Return<Ran> {
    const missing = (checker.wouldWrite ?? []).filter((file) => !Fs.existsSync(Path.join(check.folder, file)))
    if (missing.length > 0) {
      const reason = `it was not run: it would write ${missing.join(", ")} into the project`
      return without(check, "not_covered", reason, checker)
    }
    if (checker.runsProject === true && !isTrusted) {
      const reason = "it was not run: it runs programs of the project, which is not trusted"
      return without(check, "not_covered", reason, checker)
    }
    const { build } = check
    if (build === undefined) {
      return yield* runIn(check, checker, { args: Configurations.argsOf(checker, check.folder), cwd: check.folder })
    }
    const areas = [...new Set([root, FreshCopy.repositoryOf(root)])]
    let ran: Ran | undefined
    for (const area of areas) {
      ran = yield* FreshCopy.make({ folder: scratch(), root: area, projects: build.projects }).pipe(
        Effect.flatMap(({ from, to }) => {
          const args = [...(checker.buildArgs ?? []), ...build.heads.map(to)]
          return runIn(check, checker, { args, cwd: to(root), from })
        }),
        Effect.catchTag("Refused", ({ reason }) => {
          const told = `its projects refer to others, which can only be built in a copy, and ${reason}: run \`tsc --build\``
          return Effect.succeed(without(check, "unknown", told, checker))
        }),
        Effect.scoped
      )
      // What is not found may be outside of the working directory, where the copy had it not.
      if (!ran.found.some(({ code }) => code !== undefined && isNotFound.has(code))) break
    }
    return ran!
  })

  const first = Effect.fnUntraced(function* (check: Configurations.Check): Effect.fn.Return<Ran> {
    let absent: Ran | undefined
    for (const checker of check.checkers) {
      const ran = yield* run(check, checker)
      if (ran.part.outcome !== "not_covered") return ran
      absent ??= ran
    }
    return absent!
  })

  const most = Policy.millis(options.bound ?? "120 seconds")
  const all = Effect.fnUntraced(function* (bound: number) {
    const until = (yield* Clock.currentTimeMillis) + bound
    const { checks, fixtures, left } = yield* Configurations.plan(checkers, workspace, locate)
    const ran = yield* Effect.forEach(
      checks,
      Effect.fnUntraced(function* (check) {
        const rest = Math.max(0, until - (yield* Clock.currentTimeMillis))
        return Option.getOrElse(yield* Effect.timeoutOption(first(check), rest), () =>
          without(check, "unknown", `it has not ended in ${bound / 1000} s, the time of all checkers together`)
        )
      }),
      { concurrency: mostAtOnce }
    )
    return { ran, left, fixtures }
  })
  return ({ timeout } = {}) =>
    all(timeout === undefined ? most : Math.min(most, Policy.millis(timeout))).pipe(
      Effect.map(({ fixtures, left, ran }): Checked => {
        // `go vet` tells what does not compile as `go build` does, and a file may be in several configurations.
        const keyOf = ({ line, message, path }: Parse.Found) => JSON.stringify([path, line, message])
        const seen = new Set<string>()
        const diagnostics = ran
          .flatMap(({ found }) => found)
          .filter((one) => (seen.has(keyOf(one)) ? false : seen.add(keyOf(one))))
        return { diagnostics, checkers: [...ran.map(({ part }) => part), ...left], fixtures }
      }),
      Effect.withSpan("Checkers.run")
    )
})
