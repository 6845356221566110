/** Questions about symbols by name: a file's outline, and a search of the workspace (SPEC §3.3, C54). */
import { Effect, Option, Schema } from "effect"
import type { Location } from "./LanguageServers.ts"
import { type IsForeign, locateEach, type Options, readable } from "./Places.ts"
import type { AskError, Asking, Place, Question } from "./Question.ts"
import * as SymbolKinds from "./SymbolKinds.ts"
import * as Uri from "./Uri.ts"
import * as Wire from "./Wire.ts"

export interface Found {
  readonly name: string
  readonly kind: string
  readonly container?: string
  /** How deep in the outline, from 0. */
  readonly depth: number
  readonly location: Location
  /** The server named the file only: the line is not known. */
  readonly isFileOnly?: boolean
}

export interface Symbols {
  /** The first of them, in order. */
  readonly symbols: ReadonlyArray<Found>
  readonly total: number
}

/** A symbol as it is on the wire. */
interface Raw {
  readonly name: string
  readonly kind: string
  readonly container: string | undefined
  readonly depth: number
  readonly uri: string
  readonly range: Place["range"] | undefined
  readonly raw: unknown
}

/** Nested or flat: a nested one has ranges of its own, a flat one a location. */
const Nested = Schema.Struct({
  name: Schema.String,
  kind: Schema.optionalKey(Schema.Unknown),
  range: Wire.Range,
  selectionRange: Schema.optionalKey(Wire.Range)
})
const Flat = Schema.Struct({
  name: Schema.String,
  kind: Schema.optionalKey(Schema.Unknown),
  containerName: Schema.optionalKey(Schema.Unknown),
  location: Schema.Struct({ uri: Schema.String, range: Schema.optionalKey(Wire.Range) })
})
const decodeNested = Schema.decodeUnknownOption(Nested)
const decodeFlat = Schema.decodeUnknownOption(Flat)

const flat = (raw: unknown): Raw | undefined => {
  const decoded = Option.getOrUndefined(decodeFlat(raw))
  if (decoded === undefined) return undefined
  const { containerName, kind, location, name } = decoded
  const container = typeof containerName === "string" && containerName !== "" ? containerName : undefined
  return { name, kind: SymbolKinds.name(kind), container, depth: 0, uri: location.uri, range: location.range, raw }
}

/** More than any file has; a server that sends more, or nests without end, is cut. */
const mostSymbols = 50_000

const outline = (result: unknown, uri: string): ReadonlyArray<Raw> => {
  const found: Array<Raw> = []
  const stack: Array<{ readonly raw: unknown; readonly depth: number; readonly container: string | undefined }> = []
  const push = (children: unknown, depth: number, container: string | undefined) => {
    if (!Array.isArray(children)) return
    for (let i = children.length - 1; i >= 0; i--) stack.push({ raw: children[i], depth, container })
  }
  push(result, 0, undefined)
  for (let next = stack.pop(); next !== undefined && found.length < mostSymbols; next = stack.pop()) {
    const { container, depth, raw } = next
    const nested = Option.getOrUndefined(decodeNested(raw))
    if (nested === undefined) {
      const symbol = flat(raw)
      if (symbol !== undefined) found.push(symbol)
      continue
    }
    const { kind, name, range, selectionRange } = nested
    found.push({ name, kind: SymbolKinds.name(kind), container, depth, uri, range: selectionRange ?? range, raw })
    push(Wire.get(raw, "children"), depth + 1, name)
  }
  return found
}

const start = { line: 0, character: 0 }

const locate = Effect.fnUntraced(function* (
  asking: Asking,
  symbols: ReadonlyArray<Raw>,
  cap: number
): Effect.fn.Return<Option.Option<Symbols>, AskError> {
  if (symbols.length === 0) return Option.none()
  const wanted = symbols.slice(0, cap)
  const places = wanted.map(({ range, uri }) => ({ uri, range: range ?? { start, end: start } }))
  const shown = (yield* locateEach(asking, places)).flatMap((location, i): ReadonlyArray<Found> => {
    const { container, depth, kind, name, range } = wanted[i]!
    if (location === undefined) return []
    const isFileOnly = range === undefined ? { isFileOnly: true } : {}
    return [{ name, kind, depth, location, ...(container === undefined ? {} : { container }), ...isFileOnly }]
  })
  return Option.some({ symbols: shown, total: symbols.length })
})

/** The outline of the file asked about, in its order. */
export const ofFile = ({ cap }: { readonly cap: number }): Question<Symbols> => ({
  name: "symbols of a file",
  scope: "place",
  isProvided: (capabilities, document) => capabilities.provides("textDocument/documentSymbol", document),
  ask: Effect.fnUntraced(function* (asking) {
    const { textDocument } = asking.place
    const result = yield* asking.request("textDocument/documentSymbol", { textDocument })
    const symbols = yield* readable(result, outline(result, textDocument.uri), "symbol")
    return yield* locate(asking, symbols, cap)
  })
})

/** The names that are nearest to what was asked for come first, the project's own before others. */
const ranked = (symbols: ReadonlyArray<Raw>, query: string, isForeign: IsForeign): ReadonlyArray<Raw> => {
  const wanted = query.toLowerCase()
  const rank = ({ name, uri }: Raw) => {
    const lower = name.toLowerCase()
    const likeness = name === query ? 0 : lower === wanted ? 1 : lower.startsWith(wanted) ? 2 : 3
    return likeness + (isForeign(Uri.key(uri)) ? 10 : 0)
  }
  return symbols
    .map((symbol) => ({ symbol, rank: rank(symbol) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ symbol }) => symbol)
}

/** A search of the workspace by name. */
export const search = (query: string, { cap, isForeign }: Options): Question<Symbols> => ({
  name: "symbols of the workspace",
  scope: "project",
  isProvided: (capabilities) => capabilities.provides("workspace/symbol"),
  ask: Effect.fnUntraced(function* (asking) {
    const result = yield* asking.request("workspace/symbol", { query })
    const found = Array.isArray(result) ? result.slice(0, mostSymbols).flatMap((raw) => flat(raw) ?? []) : []
    const symbols = ranked(yield* readable(result, found, "symbol"), query, isForeign)
    const mayResolve = asking.capabilities.option("workspace/symbol", "resolveProvider") === true
    const resolve = (symbol: Raw) =>
      asking.request("workspaceSymbol/resolve", symbol.raw).pipe(
        Effect.map((answer) => flat(answer) ?? symbol),
        Effect.orElseSucceed(() => symbol)
      )
    const resolved = yield* Effect.forEach(
      symbols.slice(0, cap),
      (symbol) => (symbol.range === undefined && mayResolve ? resolve(symbol) : Effect.succeed(symbol)),
      { concurrency: 16 }
    )
    return yield* locate(asking, [...resolved, ...symbols.slice(cap)], cap)
  })
})
