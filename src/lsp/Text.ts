/** The texts of `lsp`, each derived from its value: short, one fact a line (DESIGN, "Results"). */
import type * as Values from "./Values.ts"

const longestLine = 200

/** A source line without its indentation, cut where it is long. */
const source = (text: string): string => {
  const trimmed = text.trim()
  return trimmed.length > longestLine ? `${trimmed.slice(0, longestLine)}…` : trimmed
}

const counted = (count: number, singular: string, plural = `${singular}s`): string =>
  `${count} ${count === 1 ? singular : plural}`

/** `50 of 213 references`, or `3 references`. */
const shownOf = (shown: number, total: number, singular: string, plural?: string): string =>
  shown < total ? `${shown} of ${counted(total, singular, plural)}` : counted(total, singular, plural)

const words = { found: "found", empty: "knows of none", unknown: "not known", not_covered: "not covered" } as const

/** One line a server. */
export const parts = (servers: ReadonlyArray<Values.Part>): ReadonlyArray<string> =>
  servers.map(({ id, outcome, reason }) =>
    outcome === "found" && reason !== undefined
      ? `${id}: found, but there may be more: ${reason}`
      : `${id}: ${words[outcome]}${reason === undefined ? "" : `: ${reason}`}`
  )

/** Those that have something to explain a line each, the others together; why they do not cover it is in `status`. */
const tail = (servers: ReadonlyArray<Values.Part>): ReadonlyArray<string> => {
  const absent = servers.filter(({ outcome }) => outcome === "not_covered").map(({ id }) => id)
  const plain = servers.filter(({ outcome, reason }) => outcome !== "not_covered" && reason === undefined)
  const others = servers.filter(({ outcome, reason }) => outcome !== "not_covered" && reason !== undefined)
  const together = [...parts(plain), ...(absent.length === 0 ? [] : [`not covered by ${absent.join(", ")}`])].join("; ")
  return [...(together === "" ? [] : [`[${together}]`]), ...parts(others).map((part) => `[${part}]`)]
}

const lines = (
  head: ReadonlyArray<string>,
  body: ReadonlyArray<string>,
  value: { readonly servers: ReadonlyArray<Values.Part>; readonly notes?: ReadonlyArray<string> }
): string =>
  [...head, ...body, ...(value.notes ?? []).map((note) => `Note: ${note}`), ...tail(value.servers)].join("\n")

const most = 20

export const listed = (names: ReadonlyArray<string>): string =>
  names.length > most ? `${names.slice(0, most).join(", ")} and ${names.length - most} more` : names.join(", ")

interface Question {
  readonly action: string
  readonly file?: string
  readonly symbol?: string
  readonly query?: string
  readonly server?: string
}

const nouns: { readonly [action: string]: readonly [string, string] } = {
  definition: ["definition", "definitions"],
  declaration: ["declaration", "declarations"],
  type_definition: ["type definition", "type definitions"],
  implementation: ["implementation", "implementations"],
  references: ["reference", "references"],
  incoming_calls: ["caller", "callers"],
  outgoing_calls: ["called function", "called functions"],
  supertypes: ["supertype", "supertypes"],
  subtypes: ["subtype", "subtypes"]
}

export const locations = (value: Values.Locations, { action, file, symbol }: Question): string => {
  const [singular, plural] = nouns[action] ?? [action, action]
  const of = `of \`${symbol}\``
  if (value.total === 0) return lines([`No ${plural} ${of}.`], [], value)
  const body = value.locations.map(({ kind, line, name, path, sites = [], text }) => {
    const what = name === undefined ? "" : `${kind ?? ""} ${name}  `.trimStart()
    const where = action === "outgoing_calls" ? `, in ${file}` : ""
    const calls =
      sites.length === 0 ? "" : `  (called on ${sites.length === 1 ? "line" : "lines"} ${sites.join(", ")}${where})`
    return `${path}:${line}  ${what}${source(text)}${calls}`
  })
  return lines([`${shownOf(value.locations.length, value.total, singular, plural)} ${of}:`], body, value)
}

export const hover = (value: Values.Hover, { symbol }: Question): string =>
  lines([value.contents === "" ? `Nothing is said of \`${symbol}\`.` : value.contents], [], value)

export const symbols = (value: Values.Symbols, { file, query }: Question): string => {
  const of = file === undefined ? `for \`${query}\`` : `in ${file}`
  if (value.total === 0) return lines([`No symbols ${of}.`], [], value)
  const body = value.symbols.map(({ container, depth, kind, line, name, path, text }) => {
    const inside = file === undefined && container !== undefined ? ` in ${container}` : ""
    return `${path}:${line}  ${"  ".repeat(Math.min(depth, 20))}${kind} ${name}${inside}  ${source(text)}`
  })
  return lines([`${shownOf(value.symbols.length, value.total, "symbol")} ${of}:`], body, value)
}

export const actions = (value: Values.Actions, { symbol }: Question): string => {
  if (value.actions.length === 0) return lines([`No code actions at \`${symbol}\`.`], [], value)
  const several = new Set(value.actions.map(({ server }) => server)).size > 1
  const possible = value.actions.filter(({ disabled }) => disabled === undefined)
  const others = value.actions.filter(({ disabled }) => disabled !== undefined)
  const body = possible.map(({ index, kind, preferred, server, title }) => {
    const more = [
      ...(kind === undefined ? [] : [kind]),
      ...(preferred === true ? ["preferred"] : []),
      ...(several ? [server] : [])
    ]
    return `${index}. ${title}${more.length === 0 ? "" : `  (${more.join("; ")})`}`
  })
  const notNow = others.length === 0 ? [] : [`Not possible here: ${listed(others.map(({ title }) => title))}`]
  return lines(
    [`${counted(possible.length, "code action")} at \`${symbol}\`, none applied:`],
    [...body, ...notNow],
    value
  )
}

const diagnosticLine = ({
  code,
  line,
  message,
  path,
  provisional,
  severity,
  source: from
}: Values.Diagnostic): string => {
  const [first = "", ...rest] = message.trim().split(/\r\n|\r|\n/)
  const label = `${severity}${code === undefined ? "" : ` ${code}`}`
  const more = rest.map((text) => `\n    ${text.trimEnd()}`).join("")
  return `${path}:${line}  ${label}: ${first}${from === undefined ? "" : `  [${from}]`}${
    provisional === true ? "  (not confirmed)" : ""
  }${more}`
}

/** The files by the reason why something is not known of them. */
const unchecked = (value: Values.Diagnostics): ReadonlyArray<string> => {
  const byReason = new Map<string, Array<string>>()
  for (const { path, reason } of value.unchecked) {
    const paths = byReason.get(reason)
    if (paths === undefined) byReason.set(reason, [path])
    else paths.push(path)
  }
  return [...byReason].map(
    ([reason, paths]) => `Not known of ${counted(paths.length, "file")}: ${listed(paths)} (${reason})`
  )
}

export const diagnostics = (value: Values.Diagnostics, { file = "" }: Question): string => {
  const count = (severity: Values.Diagnostic["severity"]) =>
    value.diagnostics.filter((diagnostic) => diagnostic.severity === severity).length
  const scope = file === "*" ? "the project" : value.files === 1 ? file : `${counted(value.files, "file")} (${file})`
  const both = (["error", "warning"] as const)
    .flatMap((severity) => (count(severity) === 0 ? [] : [counted(count(severity), severity)]))
    .join(" and ")
  const checkers = value.checkers ?? []
  const isAllKnown =
    checkers.length > 0
      ? checkers.every(({ outcome }) => outcome === "found" || outcome === "empty")
      : value.unchecked.length === 0 && value.servers.every(({ outcome }) => outcome !== "unknown")
  const head =
    value.total === 0
      ? isAllKnown
        ? `No errors or warnings in ${scope}.`
        : `No errors or warnings are known in ${scope}, but not everything is known.`
      : value.diagnostics.length < value.total
        ? `${shownOf(value.diagnostics.length, value.total, "error or warning", "errors and warnings")} in ${scope}, errors first:`
        : `${both} in ${scope}:`
  const elsewhere = value.elsewhere.map(({ errors, path }) => `${path} (${counted(errors, "error")})`)
  return lines(
    [head],
    [
      ...value.diagnostics.map(diagnosticLine),
      ...unchecked(value),
      ...(elsewhere.length === 0 ? [] : [`In other files, as last said by the servers: ${listed(elsewhere)}`])
    ],
    value
  )
}

const mebibytes = (bytes: number): string => `${Math.max(1, Math.round(bytes / 1024 / 1024))} MiB`

const statusLine = (status: Values.ServerStatus): string => {
  const { binary, crashes, id, last_error, marker, memory_bytes, open_documents, pid, progress, reason, root, server } =
    status
  const facts = [
    ...(root === undefined ? [] : [`root ${root}`]),
    ...(marker === undefined ? [] : [`marker ${marker}`]),
    ...(binary === undefined ? [] : [`binary ${binary}`]),
    ...(pid === undefined ? [] : [`pid ${pid}`]),
    // Some put a whole report into their version.
    ...(server === undefined ? [] : [server.replace(/\s*\{.*/s, "")]),
    ...(open_documents === undefined ? [] : [counted(open_documents, "open document")]),
    ...(memory_bytes === undefined ? [] : [mebibytes(memory_bytes)]),
    ...(progress ?? []),
    ...(crashes === undefined || crashes === 0 ? [] : [`ended by itself ${counted(crashes, "time")}`]),
    ...(reason === undefined ? [] : [reason]),
    ...(last_error === undefined ? [] : [`last error: ${source(last_error.split("\n")[0] ?? "")}`])
  ]
  return `${id}: ${status.state}${facts.length === 0 ? "" : `; ${facts.join("; ")}`}`
}

/** Those that a marker speaks for, one a line with its facts; of the others only who they are, unless one is asked about. */
export const statuses = ({ servers }: Values.Statuses, { server }: Question): string => {
  const isAbsent = ({ marker, state }: Values.ServerStatus) => state === "unavailable" && marker === undefined
  const told = servers.filter((status) => server !== undefined || !isAbsent(status))
  const absent = servers.filter((status) => !told.includes(status)).map(({ id }) => id)
  const head = told.length === 0 ? ["No language server has a root marker here."] : told.map(statusLine)
  const rest =
    absent.length === 0
      ? []
      : [
          `No root marker here (or disabled): ${absent.join(", ")}.`,
          "`status` with `server` says which marker and which binary one of them needs."
        ]
  return [...head, ...rest].join("\n")
}
