/** The tool `lsp`: questions to a language server (SPEC §3). */
import { Effect, Schema } from "effect"
import * as LiveTool from "../LiveTool.ts"
import * as ToolError from "../ToolError.ts"
import { Workspace } from "../Workspace.ts"
import * as CodeActions from "./CodeActions.ts"
import * as DiagnosticsOf from "./DiagnosticsOf.ts"
import * as Hierarchy from "./Hierarchy.ts"
import * as Hover from "./Hover.ts"
import { LanguageServers, type Location, type Options, type Status, type Target } from "./LanguageServers.ts"
import * as OfferedActions from "./OfferedActions.ts"
import * as Outcomes from "./Outcomes.ts"
import * as Places from "./Places.ts"
import * as SymbolOnLine from "./SymbolOnLine.ts"
import * as Symbols from "./Symbols.ts"
import * as Text from "./Text.ts"
import type * as TextPositions from "./TextPositions.ts"
import * as Values from "./Values.ts"

/** How many locations an answer has (SPEC §3.3). */
export const mostLocations = 50
/** How many symbols of a file's outline. */
export const mostOutline = 200
/** How many symbols of a search. */
export const mostSymbols = 100
/** How much of what a server says on hover, in UTF-16 units. */
const longestHover = 16_000

const places = ["definition", "declaration", "type_definition", "implementation", "references"] as const
const hierarchies = ["incoming_calls", "outgoing_calls", "supertypes", "subtypes"] as const
const actions = [
  "diagnostics",
  ...places,
  ...hierarchies,
  "hover",
  "symbols",
  "code_actions",
  "status",
  "reload"
] as const

const Parameters = Schema.Struct({
  action: Schema.Literals(actions).annotate({
    description:
      "diagnostics: errors and warnings of a file, of the files of a glob, or of the project (`*`). definition, declaration, " +
      "type_definition, implementation, references, hover, incoming_calls, outgoing_calls, supertypes, subtypes, code_actions " +
      "(listed, not applied): of the symbol on that line. symbols: the outline of `file`, or a search of the project by " +
      "`query`. status: which servers run, and why others do not. reload: starts servers anew."
  }),
  file: Schema.optionalKey(
    Schema.NonEmptyString.annotate({
      description: "path relative to the working directory; for diagnostics also a glob (`src/**/*.ts`) or `*`"
    })
  ),
  line: Schema.optionalKey(
    Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)).annotate({ description: "the line of the symbol, 1-based" })
  ),
  symbol: Schema.optionalKey(
    Schema.NonEmptyString.annotate({
      description: "a name as it stands on that line; `name#2` for its second occurrence there"
    })
  ),
  query: Schema.optionalKey(
    Schema.NonEmptyString.annotate({ description: "for symbols: a name or a part of one, searched for in the project" })
  ),
  server: Schema.optionalKey(
    Schema.NonEmptyString.annotate({ description: "ask only this server, by its id in status" })
  ),
  timeout_seconds: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 300 })).annotate({
      description: "how long to wait, default 20; a project that still loads may need more"
    })
  )
})
type Parameters = typeof Parameters.Type

const atSymbol = { required: ["file", "line", "symbol"] } as const
const uses = {
  diagnostics: { required: ["file"] },
  ...Object.fromEntries([...places, ...hierarchies, "hover", "code_actions"].map((action) => [action, atSymbol])),
  symbols: { optional: ["file", "query"] },
  status: {},
  reload: { optional: ["file"] }
} as const

export const lsp = LiveTool.make("lsp", {
  description:
    "Asks language servers about the code as it is on disk now: where a symbol is defined and used, its type and " +
    "documentation, who calls it, errors and warnings, quick fixes. A position is a line and a symbol that stands on it. " +
    "The answer says for each server whether it found something, knows that there is nothing, does not know (yet), or does " +
    "not cover the file. It changes no file.",
  tier: "read",
  parameters: Parameters,
  success: Values.Value,
  requires: [LanguageServers, Workspace],
  operations: { by: "action", uses, always: ["server", "timeout_seconds"] },
  text: (value, params) => {
    if ("locations" in value) return Text.locations(value, params)
    if ("contents" in value) return Text.hover(value, params)
    if ("symbols" in value) return Text.symbols(value, params)
    if ("diagnostics" in value) return Text.diagnostics(value, params)
    if ("actions" in value) return Text.actions(value, params)
    return Text.statuses(value, params)
  },
  handler: (params): Effect.Effect<Values.Value, ToolError.ToolError, LanguageServers | Workspace> => {
    const { action } = params
    if (isOneOf(places, action)) return navigate(action, params)
    if (isOneOf(hierarchies, action)) return climb(action, params)
    switch (action) {
      case "diagnostics":
        return DiagnosticsOf.ask(params.file ?? "", optionsOf(params))
      case "hover":
        return hover(params)
      case "symbols":
        return symbols(params)
      case "code_actions":
        return codeActions(params)
      case "status":
        return status(params)
      case "reload":
        return reload(params)
    }
  }
})

const isOneOf = <const A extends string>(list: ReadonlyArray<A>, value: string): value is A =>
  list.some((one) => one === value)

const optionsOf = ({ server, timeout_seconds }: Parameters): Options => ({
  ...(server === undefined ? {} : { server }),
  ...(timeout_seconds === undefined ? {} : { timeout: timeout_seconds * 1000 })
})

/** The file of a question, as a target, and what was said of the symbol on the way. */
const targetOf = Effect.fnUntraced(function* ({ file = "", line, symbol }: Parameters) {
  const workspace = yield* Workspace
  const resolved = yield* workspace.existing(file)
  const shown = workspace.show(resolved.path)
  if (resolved.kind === "directory") {
    return yield* ToolError.make("invalid_params", `${shown} is a directory: give one of the files in it.`)
  }
  let place: SymbolOnLine.Place | undefined
  const at = (text: TextPositions.Indexed) =>
    Effect.suspend(() =>
      Effect.map(
        Effect.fromResult(
          SymbolOnLine.resolve({
            path: shown,
            text,
            line: line ?? 1,
            symbol: symbol ?? "",
            several: "first"
          })
        ),
        (found) => {
          place = found
          return found.offset
        }
      )
    )
  const target: Target = symbol === undefined ? { file: resolved.path } : { file: resolved.path, at }
  return {
    shown,
    target,
    length: () => place?.name.length ?? 0,
    notes: () => (place === undefined || place.notes.length === 0 ? {} : { notes: place.notes })
  }
})

const isForeignTo =
  (show: (path: string) => string): Places.IsForeign =>
  (path) => {
    const shown = show(path)
    return shown === path || shown.split("/").includes("node_modules")
  }

/** A location as it is told. */
const told = (show: (path: string) => string, { isFile, line, path, text }: Location) => ({
  path: isFile ? show(path) : path,
  line,
  text: text ?? ""
})

const navigate = Effect.fnUntraced(function* (action: Places.Action, params: Parameters) {
  const servers = yield* LanguageServers
  const { show } = yield* Workspace
  const { notes, shown, target } = yield* targetOf(params)
  const question = Places.question(action, { isForeign: isForeignTo(show), cap: mostLocations })
  const answers = yield* servers.ask(question, target, optionsOf(params))
  const found = Outcomes.found(answers)
  const seen = new Set<string>()
  const locations = found
    .flatMap(({ value }) => value.locations)
    .filter(({ column, line, path }) => {
      const key = `${path}\0${line}\0${column}`
      return seen.has(key) ? false : seen.add(key)
    })
  const value: Values.Locations = {
    locations: locations.slice(0, mostLocations).map((location) => told(show, location)),
    total: found.length === 1 ? found[0]!.value.count : new Set(found.flatMap(({ value }) => value.keys())).size,
    servers: answers.map(Outcomes.toPart),
    ...notes()
  }
  return yield* Outcomes.requireAnswer(`${action} of \`${params.symbol}\` at ${shown}:${params.line}`, value, answers)
})

const climb = Effect.fnUntraced(function* (action: Hierarchy.Action, params: Parameters) {
  const servers = yield* LanguageServers
  const { root, show } = yield* Workspace
  const { notes, shown, target } = yield* targetOf(params)
  const question = Hierarchy.question(action, { isForeign: isForeignTo(show), cap: mostLocations })
  const answers = yield* servers.ask(question, target, optionsOf(params))
  const found = Outcomes.found(answers)
  const nodes = found.flatMap(({ value }) => value.nodes)
  const value: Values.Locations = {
    locations: nodes.slice(0, mostLocations).map(({ kind, location, name, sites }) => ({
      ...told(show, location),
      // A module that calls is named by its path.
      name: name.startsWith(`${root}/`) ? show(name) : name,
      kind,
      ...(action === "incoming_calls" || action === "outgoing_calls" ? { sites } : {})
    })),
    total: found.reduce((sum, one) => sum + one.value.total, 0),
    servers: answers.map(Outcomes.toPart),
    ...notes()
  }
  return yield* Outcomes.requireAnswer(`${action} of \`${params.symbol}\` at ${shown}:${params.line}`, value, answers)
})

const hover = Effect.fnUntraced(function* (params: Parameters) {
  const servers = yield* LanguageServers
  const { notes, shown, target } = yield* targetOf(params)
  const answers = yield* servers.ask(Hover.question, target, optionsOf(params))
  const blocks = [...new Set(Outcomes.found(answers).map(({ value }) => value))].map((text) =>
    text.length > longestHover ? `${text.slice(0, longestHover)}\n[cut: ${text.length} characters in all]` : text
  )
  const value: Values.Hover = {
    contents: blocks.join("\n\n"),
    servers: answers.map(Outcomes.toPart),
    ...notes()
  }
  return yield* Outcomes.requireAnswer(`hover of \`${params.symbol}\` at ${shown}:${params.line}`, value, answers)
})

const symbols = Effect.fnUntraced(function* (params: Parameters) {
  const servers = yield* LanguageServers
  const { show } = yield* Workspace
  const { file, query } = params
  if ((file === undefined) === (query === undefined)) {
    const which = file === undefined ? "neither is given" : "both are given"
    return yield* ToolError.make(
      "invalid_params",
      `action \`symbols\` takes one of \`file\` (its outline) and \`query\` (a search of the project); ${which}.`
    )
  }
  const cap = query === undefined ? mostOutline : mostSymbols
  const ask =
    query === undefined
      ? Effect.flatMap(targetOf(params), ({ target }) =>
          servers.ask(Symbols.ofFile({ cap }), target, optionsOf(params))
        )
      : servers.askProject(Symbols.search(query, { cap, isForeign: isForeignTo(show) }), optionsOf(params))
  const answers = yield* ask
  const found = Outcomes.found(answers)
  const unlined = found.flatMap(({ value }) => value.symbols).filter(({ isFileOnly }) => isFileOnly).length
  const value: Values.Symbols = {
    symbols: found
      .flatMap(({ value }) => value.symbols)
      .slice(0, cap)
      .map(({ container, depth, kind, location, name }) => ({
        name,
        kind,
        ...told(show, location),
        depth,
        ...(container === undefined ? {} : { container })
      })),
    total: found.reduce((sum, one) => sum + one.value.total, 0),
    servers: answers.map(Outcomes.toPart),
    ...(unlined === 0 ? {} : { notes: [`For ${unlined} of them the server named the file only, not the line.`] })
  }
  return yield* Outcomes.requireAnswer(
    query === undefined ? `the symbols of ${file}` : `symbols for \`${query}\``,
    value,
    answers
  )
})

const codeActions = Effect.fnUntraced(function* (params: Parameters) {
  const servers = yield* LanguageServers
  const { length, notes, shown, target } = yield* targetOf(params)
  const answers = yield* servers.ask(CodeActions.question({ length }), target, optionsOf(params))
  const all = Outcomes.found(answers).flatMap(({ id, value }) => value.map((action) => ({ ...action, server: id })))
  const value: Values.Actions = {
    actions: all.map(({ disabled, isPreferred, kind, server, title }, i) => ({
      index: i + 1,
      title,
      server,
      ...(kind === undefined ? {} : { kind }),
      ...(disabled === undefined ? {} : { disabled }),
      ...(isPreferred === true ? { preferred: true } : {})
    })),
    servers: answers.map(Outcomes.toPart),
    ...notes()
  }
  OfferedActions.remember(
    servers,
    { file: target.file, line: params.line ?? 1, symbol: params.symbol ?? "" },
    value.actions
  )
  return yield* Outcomes.requireAnswer(`code actions at \`${params.symbol}\`, ${shown}:${params.line}`, value, answers)
})

const toStatus =
  (show: (path: string) => string) =>
  (status: Status): Values.ServerStatus => ({
    id: status.id,
    languages: status.languages,
    state: status.state,
    ...(status.root === undefined ? {} : { root: show(status.root) }),
    ...(status.reason === undefined ? {} : { reason: status.reason }),
    ...(status.marker === undefined ? {} : { marker: show(status.marker) }),
    ...(status.binary === undefined ? {} : { binary: show(status.binary) }),
    ...(status.pid === undefined ? {} : { pid: status.pid }),
    ...(status.server === undefined ? {} : { server: status.server }),
    ...(status.progress === undefined ? {} : { progress: status.progress }),
    ...(status.openDocuments === undefined ? {} : { open_documents: status.openDocuments }),
    ...(status.memory === undefined ? {} : { memory_bytes: status.memory }),
    ...(status.crashes === undefined ? {} : { crashes: status.crashes }),
    ...(status.lastError === undefined ? {} : { last_error: status.lastError }),
    ...(status.stderr === undefined ? {} : { stderr: status.stderr })
  })

const ofServer = ({ server }: Parameters, statuses: ReadonlyArray<Status>) =>
  statuses.filter(({ id }) => server === undefined || id === server)

const status = Effect.fnUntraced(function* (params: Parameters) {
  const servers = yield* LanguageServers
  const { show } = yield* Workspace
  const own = ofServer(params, yield* servers.status)
  if (own.length === 0 && params.server !== undefined) {
    return yield* ToolError.make(
      "invalid_params",
      `There is no server \`${params.server}\`. There are: ${servers.rows.map(({ id }) => id).join(", ")}.`
    )
  }
  return { servers: own.map(toStatus(show)) }
})

const reload = Effect.fnUntraced(function* (params: Parameters) {
  const servers = yield* LanguageServers
  const { existing, show } = yield* Workspace
  const file = params.file === undefined ? undefined : (yield* existing(params.file)).path
  return { servers: ofServer(params, yield* servers.reload(file)).map(toStatus(show)) }
})
