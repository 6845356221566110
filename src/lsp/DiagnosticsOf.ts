/** The action `diagnostics`: of a file, of the files of a glob, of the project (SPEC §3.3, 3.5, 3.10). */
import { Effect } from "effect"
import * as ToolError from "../ToolError.ts"
import { Workspace } from "../Workspace.ts"
import { type Answer, type Diagnostic, type FileDiagnostics, LanguageServers, type Options } from "./LanguageServers.ts"
import * as Outcomes from "./Outcomes.ts"
import * as Row from "./rows/Row.ts"
import * as Text from "./Text.ts"
import * as Values from "./Values.ts"

/** How many diagnostics an answer has; the errors come first, and the rest is counted. */
const cap = 100
/** How many files of a glob are looked at in one call; the others are named. */
const mostFiles = 1000

const isGlob = (file: string): boolean => /[*?{[]/.test(file)
const baseName = (path: string): string => path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1)
/** Errors and warnings are told; the rest only counts as "nothing worse". */
const isTold = ({ severity }: Diagnostic): boolean => severity <= 2

export const ask = Effect.fnUntraced(function* (file: string, options: Options) {
  if (file === "*") return yield* ofProject(options)
  const workspace = yield* Workspace
  const resolved = yield* workspace.resolve(file)
  if (resolved.kind !== "missing" || !isGlob(file)) {
    const existing = yield* workspace.existing(file)
    if (existing.kind === "directory") return yield* directory(workspace.show(existing.path))
    return yield* ofFiles([existing.path], options)
  }
  const matching = yield* workspace.files(file)
  if (matching.length === 0) {
    return yield* ToolError.make("not_found", `No file matches ${file} (what ignore files exclude does not count).`)
  }
  return yield* ofFiles(matching, options)
})

const directory = (shown: string) =>
  ToolError.make("invalid_params", `${shown} is a directory. For the files in it give a glob: \`${shown}/**\`.`)

const ofFiles = Effect.fnUntraced(function* (files: ReadonlyArray<string>, options: Options) {
  const servers = yield* LanguageServers
  const { show } = yield* Workspace
  const isServed = (path: string) =>
    servers.rows.some((row) => row.disabled !== true && Row.languageOf(row, baseName(path)) !== undefined)
  // One file is asked about whatever it is, so that the answer says why it is not covered.
  const served = files.length === 1 ? files : files.filter(isServed)
  const asked = served.slice(0, mostFiles)
  const answers = yield* servers.diagnostics(asked, options)
  const known = yield* servers.known
  const { found, unchecked } = merge(answers, show)
  const late = served
    .slice(mostFiles)
    .map((path) => ({ path: show(path), reason: `only ${mostFiles} files are looked at in a call` }))
  const value: Values.Diagnostics = {
    ...shown(found),
    servers: together(answers.flatMap((answer) => answer.servers)),
    files: asked.length,
    unchecked: [...unchecked, ...late],
    elsewhere: elsewhere(known, new Set(asked), show),
    ...(served.length === files.length
      ? {}
      : {
          notes: [
            `${files.length - served.length} of the ${files.length} files that match are of no language that is served.`
          ]
        })
  }
  const what = files.length === 1 ? show(files[0]!) : `the ${files.length} files`
  if (value.diagnostics.length > 0) return value
  return yield* Outcomes.requireAnswer(
    `the diagnostics of ${what}`,
    value,
    answers.flatMap((answer) => answer.servers)
  )
})

const ofProject = Effect.fnUntraced(function* (options: Options) {
  const servers = yield* LanguageServers
  const { show } = yield* Workspace
  // One server is asked for by name: then it is not about the checkers.
  const check = options.server === undefined ? servers.check : undefined
  // One after the other, the second would be left without time.
  const [checked, answers] = yield* Effect.all(
    [check === undefined ? Effect.succeed(undefined) : check(options), servers.projectDiagnostics(options)],
    { concurrency: options.timeout === undefined ? 1 : 2 }
  )
  const known = (yield* servers.known).filter(({ id }) => options.server === undefined || id === options.server)
  const confirmed = answers.flatMap(toTold)
  const said = known.flatMap(({ diagnostics, id }) => diagnostics.filter(isTold).map((one) => told(one, id, true)))
  const byChecker = (checked?.diagnostics ?? [])
    .filter(({ severity }) => severity <= 2)
    .map((one) => told({ ...one, raw: undefined }, one.source ?? "", false))
  // What a checker tells is not repeated for the servers.
  const repeated = new Set(byChecker.map(({ line, message, path }) => JSON.stringify([path, line, message])))
  const rest = [...confirmed, ...said].filter(
    ({ line, message, path }) => !repeated.has(JSON.stringify([path, line, message]))
  )
  const found = [...byChecker, ...rest]
  const checkers = (checked?.checkers ?? []).map((one) => ({ ...one, configurations: one.configurations.map(show) }))
  const value: Values.Diagnostics = {
    ...shown(found.map((one) => ({ ...one, path: show(one.path) }))),
    servers: answers.map(Outcomes.toPart),
    files: new Set(found.map(({ path }) => path)).size,
    unchecked: [],
    elsewhere: [],
    checkers,
    notes: notesOf(checkers, checked?.fixtures.map(show) ?? [], rest.length)
  }
  if (value.diagnostics.length > 0 || checkers.some(({ outcome }) => outcome === "empty")) return value
  yield* Outcomes.requireAnswer(
    "the diagnostics of the project",
    { ...value, servers: [...checkers, ...value.servers] },
    [
      ...checkers.map((one): Answer<never> => ({
        ...one,
        outcome: one.outcome === "unknown" ? "unknown" : "not_covered",
        reason: one.reason ?? ""
      })),
      ...answers
    ]
  )
  return value
})

const notesOf = (
  checkers: ReadonlyArray<Values.CheckerPart>,
  fixtures: ReadonlyArray<string>,
  byServers: number
): ReadonlyArray<string> => {
  const apart =
    fixtures.length === 0 ? [] : [`Not checked, because they are in folders of fixtures: ${Text.listed(fixtures)}.`]
  if (checkers.length === 0) {
    return ["This is what the running servers say of the files they know; no checker of the project was run.", ...apart]
  }
  // One line for all configurations of which the same is said.
  const said = new Map<string, Values.CheckerPart>()
  for (const part of checkers) {
    const key = JSON.stringify([part.id, part.outcome, part.reason])
    said.set(key, { ...part, configurations: [...(said.get(key)?.configurations ?? []), ...part.configurations] })
  }
  return [
    ...Array.from(said.values(), ({ configurations, id, outcome, reason }) => {
      const where = configurations.length === 0 ? "" : ` (${Text.listed(configurations)})`
      return `${id}${where}: ${words[outcome]}${reason === undefined ? "" : `: ${reason}`}`
    }),
    ...apart,
    ...(byServers > 0 ? [`${byServers} of them are what the running servers say, beside the checkers.`] : [])
  ]
}
const words = { found: "found", empty: "clean", unknown: "not known", not_covered: "not run" } as const

type Told = Values.Diagnostic & { readonly column: number }

const told = (diagnostic: Diagnostic, id: string, isProvisional: boolean): Told => {
  const { code, column, line, message, path, severity, source } = diagnostic
  return {
    path,
    line,
    column,
    severity: Values.severityName(severity),
    message,
    source: source ?? id,
    ...(code === undefined ? {} : { code }),
    ...(isProvisional ? { provisional: true } : {})
  }
}

const toTold = (answer: Answer<ReadonlyArray<Diagnostic>>): ReadonlyArray<Told> => {
  const isUnknown = answer.outcome === "unknown"
  const value = answer.outcome === "found" ? answer.value : isUnknown ? (answer.provisional ?? []) : []
  return value.filter(isTold).map((one) => told(one, answer.id, isUnknown))
}

const merge = (answers: ReadonlyArray<FileDiagnostics>, show: (path: string) => string) => ({
  found: answers.flatMap(({ servers }) => servers.flatMap(toTold)).map((one) => ({ ...one, path: show(one.path) })),
  unchecked: answers.flatMap(({ error, path, servers }) => [
    ...(error === undefined ? [] : [{ path: show(path), reason: error.message }]),
    ...servers.flatMap((answer) =>
      answer.outcome === "unknown" ? [{ path: show(path), reason: `${answer.id}: ${answer.reason}` }] : []
    )
  ])
})

/** Each once, the errors first, then in the order of paths and lines. */
const shown = (found: ReadonlyArray<Told>): Pick<Values.Diagnostics, "diagnostics" | "total"> => {
  const key = ({ code, column, line, message, path, severity }: Told) =>
    JSON.stringify([path, line, column, severity, code, message])
  const all = [...new Map(found.toReversed().map((one) => [key(one), one])).values()]
  const rank = ({ severity }: Told) => Values.severities.indexOf(severity)
  all.sort(
    (a, b) =>
      rank(a) - rank(b) || (a.path < b.path ? -1 : a.path > b.path ? 1 : 0) || a.line - b.line || a.column - b.column
  )
  return { diagnostics: all.slice(0, cap).map(({ column: _, ...one }) => one), total: all.length }
}

/** One part a server over all the files: known to be clean only where every file is. */
const together = (answers: ReadonlyArray<Answer<ReadonlyArray<Diagnostic>>>): ReadonlyArray<Values.Part> => {
  const byId = new Map<string, Array<Answer<ReadonlyArray<Diagnostic>>>>()
  for (const answer of answers) byId.set(answer.id, [...(byId.get(answer.id) ?? []), answer])
  return Array.from(byId, ([id, own]): Values.Part => {
    if (own.length === 1) return withoutHints(own[0]!)
    const parts = own.map(withoutHints)
    const unknown = parts.filter(({ outcome }) => outcome === "unknown")
    const missing =
      unknown.length === 0 ? undefined : `${unknown.length} of ${own.length} files are not known: ${unknown[0]!.reason}`
    if (parts.some(({ outcome }) => outcome === "found"))
      return { id, outcome: "found", ...(missing === undefined ? {} : { reason: missing }) }
    if (missing !== undefined) return { id, outcome: "unknown", reason: missing }
    return parts.find(({ outcome }) => outcome === "empty") ?? parts[0]!
  })
}

/** A file with nothing but hints has neither errors nor warnings. */
const withoutHints = (answer: Answer<ReadonlyArray<Diagnostic>>): Values.Part =>
  answer.outcome === "found" && answer.incomplete === undefined && !answer.value.some(isTold)
    ? { id: answer.id, outcome: "empty" }
    : Outcomes.toPart(answer)

/** How many errors the servers have told of in other files: a clean file says nothing of these. */
const elsewhere = (
  known: ReadonlyArray<{ readonly path: string; readonly diagnostics: ReadonlyArray<Diagnostic> }>,
  asked: ReadonlySet<string>,
  show: (path: string) => string
): Values.Diagnostics["elsewhere"] => {
  const errors = new Map<string, number>()
  for (const { diagnostics, path } of known) {
    const count = asked.has(path) ? 0 : diagnostics.filter(({ severity }) => severity === 1).length
    if (count > 0) errors.set(show(path), (errors.get(show(path)) ?? 0) + count)
  }
  return Array.from(errors, ([path, count]) => ({ path, errors: count })).sort((a, b) => (a.path < b.path ? -1 : 1))
}
