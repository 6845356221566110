/** Runs the checkers that a project's own configuration names, so that nothing is written into it (SPEC §3.10). */
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { Clock, type Duration, Effect, Option, Result, type Scope } from "effect"
import type { Checked, Checker, Sign } from "../../src/lsp/checkers/Checker.ts"
import * as Checkers from "../../src/lsp/checkers/Checkers.ts"
import * as Parse from "../../src/lsp/checkers/Parse.ts"
import type { FindBinary, LanguageServers } from "../../src/lsp/LanguageServers.ts"
import * as Policy from "../../src/lsp/Policy.ts"
import type { Part } from "../../src/lsp/Values.ts"
import * as Processes from "../../src/Processes.ts"

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
/** How many run at once. */
const mostAtOnce = 2

const isNamed =
  (root: string) =>
  ({ file, having }: Sign): boolean => {
    const path = Path.join(root, file)
    if (having === undefined) return Fs.existsSync(path)
    try {
      return new RegExp(having, "m").test(Fs.readFileSync(path, "utf8"))
    } catch {
      return false
    }
  }

const argsOf = ({ args, argsWhere = [] }: Checker, root: string): ReadonlyArray<string> =>
  argsWhere.find(({ signs }) => signs.some(isNamed(root)))?.args ?? args

/** Those to run: all that are named, and where none of a role is, the usual ones, of which the first that is found. */
const chosen = (checkers: ReadonlyArray<Checker>, root: string): ReadonlyArray<ReadonlyArray<Checker>> => {
  const named = checkers.filter(({ signs }) => signs.some(isNamed(root)))
  const roles = new Set(named.map(({ id, role }) => role ?? id))
  const usual = new Map<string, Array<Checker>>()
  for (const checker of checkers) {
    const role = checker.role ?? checker.id
    if (roles.has(role) || !(checker.usual ?? []).some(isNamed(root))) continue
    usual.set(role, [...(usual.get(role) ?? []), checker])
  }
  return [...named.map((checker) => [checker]), ...usual.values()]
}

interface Ran {
  readonly part: Part
  readonly found: ReadonlyArray<Parse.Found>
}

const without = (id: string, outcome: "unknown" | "not_covered", reason: string): Ran => ({
  part: { id, outcome, reason },
  found: []
})

/** The end of what a program says, for a sentence. */
const lastWords = (output: Processes.Output): string => {
  const lines = `${output.stdout}\n${output.stderr}`.split(/\r?\n/).filter((line) => line.trim() !== "")
  return lines.slice(-5).join("; ").slice(-600)
}

/** A look at what a project's compiler configuration refers to: a solution checks nothing by itself. */
const references = (root: string): ReadonlyArray<string> => {
  try {
    const text = Fs.readFileSync(Path.join(root, "tsconfig.json"), "utf8")
    const list = /"references"\s*:\s*\[([^\]]*)\]/.exec(text)?.[1] ?? ""
    return [...list.matchAll(/"path"\s*:\s*"([^"]+)"/g)].map(([, path]) => path!)
  } catch {
    return []
  }
}

/** The check of a run: nothing is started before it is asked for, and what it keeps is gone with the scope. */
export const make = Effect.fnUntraced(function* (
  options: Options
): Effect.fn.Return<LanguageServers["Service"]["check"] & {}, never, Processes.Processes | Scope.Scope> {
  const { findBinary, isTrusted, root } = options
  const checkers = options.checkers ?? Checkers.shipped
  const context = yield* Effect.context<Processes.Processes>()
  let folder: string | undefined
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      if (folder !== undefined) Fs.rmSync(folder, { recursive: true, force: true })
    })
  )
  const out = () => (folder ??= Fs.mkdtempSync(Path.join(Fs.realpathSync(Os.tmpdir()), "livetools-check-")))

  const runOne = Effect.fnUntraced(function* (checker: Checker, more: ReadonlyArray<string>): Effect.fn.Return<Ran> {
    const { id } = checker
    const missing = (checker.wouldWrite ?? []).filter((file) => !Fs.existsSync(Path.join(root, file)))
    if (missing.length > 0) {
      return without(id, "not_covered", `it was not run: it would write ${missing.join(", ")} into the project`)
    }
    if (checker.runsProject === true && !isTrusted) {
      return without(id, "not_covered", "it was not run: it runs programs of the project, which is not trusted")
    }
    const row = { id, languages: [{ id }], markers: ["."], binary: checker.binary } as const
    const binary = yield* findBinary(row, root)
    if (binary.status !== "found") return without(id, "not_covered", binary.reason)
    const fill = (text: string) => text.replaceAll("${out}", out())
    const ran = yield* Processes.run({
      command: binary.command,
      args: [...argsOf(checker, root).map(fill), ...more],
      cwd: root,
      env: Object.fromEntries(Object.entries(checker.env ?? {}).map(([name, value]) => [name, fill(value)])),
      maxBytes: mostOutput
    }).pipe(Effect.provideContext(context), Effect.result)
    if (Result.isFailure(ran)) return without(id, "unknown", `it did not start: ${ran.failure.message}`)
    const output = ran.success
    const found = Parse.formats[checker.format](output, (path) => Path.resolve(root, path)).map((one) => ({
      ...one,
      source: id
    }))
    const isWhole = output.exit.code !== undefined && checker.finished.includes(output.exit.code) && !output.truncated
    // Not clean and nothing told: it failed before it checked.
    const isMute = output.exit.code !== 0 && found.length === 0
    if (isWhole && !isMute) return { part: { id, outcome: found.length > 0 ? "found" : "empty" }, found }
    const how = output.truncated ? "it says more than is read" : `it ${Processes.describeExit(output.exit)}`
    const reason = `${how}: ${lastWords(output)}`
    return { part: { id, outcome: found.length > 0 ? "found" : "unknown", reason }, found }
  })

  /** The parts of a solution one after the other. */
  const run = Effect.fnUntraced(function* (checker: Checker): Effect.fn.Return<Ran> {
    if (checker.format !== "tsc") return yield* runOne(checker, [])
    const all = yield* Effect.forEach(["tsconfig.json", ...references(root)], (path) => runOne(checker, ["-p", path]))
    const worst =
      all.find(({ part }) => part.outcome === "unknown") ?? all.find(({ part }) => part.reason !== undefined)
    const found = all.flatMap((one) => one.found)
    const outcome = found.length > 0 ? "found" : (worst?.part.outcome ?? "empty")
    const reason = worst?.part.reason
    return { part: { id: checker.id, outcome, ...(reason === undefined ? {} : { reason }) }, found }
  })

  const first = Effect.fnUntraced(function* (same: ReadonlyArray<Checker>): Effect.fn.Return<Ran> {
    let absent: Ran | undefined
    for (const checker of same) {
      const ran = yield* run(checker)
      if (ran.part.outcome !== "not_covered") return ran
      absent ??= ran
    }
    return absent!
  })

  const most = Policy.millis(options.bound ?? "120 seconds")
  const all = Effect.fnUntraced(function* (bound: number) {
    const until = (yield* Clock.currentTimeMillis) + bound
    return yield* Effect.forEach(
      chosen(checkers, root),
      Effect.fnUntraced(function* (same) {
        const left = Math.max(0, until - (yield* Clock.currentTimeMillis))
        return Option.getOrElse(yield* Effect.timeoutOption(first(same), left), () =>
          without(same[0]!.id, "unknown", `it has not ended in ${bound / 1000} s, the time of all checkers together`)
        )
      }),
      { concurrency: mostAtOnce }
    )
  })
  return ({ timeout } = {}) =>
    all(timeout === undefined ? most : Math.min(most, Policy.millis(timeout))).pipe(
      Effect.map((all): Checked => {
        // `go vet` tells what does not compile as `go build` does.
        const keyOf = ({ line, message, path }: Parse.Found) => JSON.stringify([path, line, message])
        const seen = new Set<string>()
        const diagnostics = all
          .flatMap(({ found }) => found)
          .filter((one) => (seen.has(keyOf(one)) ? false : seen.add(keyOf(one))))
        return { diagnostics, checkers: all.map(({ part }) => part) }
      }),
      Effect.withSpan("Checkers.run")
    )
})
