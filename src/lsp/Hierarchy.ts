/** Questions about who calls whom, and which type stands above or below which (SPEC §3.3). */
import { Effect, Option, Schema } from "effect"
import type { Location } from "./LanguageServers.ts"
import { distinct, locateEach, type Options, readable } from "./Places.ts"
import type { AskError, Asking, Place, Question } from "./Question.ts"
import * as SymbolKinds from "./SymbolKinds.ts"
import * as Wire from "./Wire.ts"

/** A caller, a callee or a type. */
export interface Node {
  readonly name: string
  readonly kind: string
  /** Where it is declared. */
  readonly location: Location
  /** The lines of the calls, 1-based: in the caller's file. None for a type. */
  readonly sites: ReadonlyArray<number>
}

export interface Nodes {
  /** The first of them, in order. */
  readonly nodes: ReadonlyArray<Node>
  readonly total: number
}

const Item = Schema.Struct({
  name: Schema.String,
  kind: Schema.optionalKey(Schema.Unknown),
  uri: Schema.String,
  range: Wire.Range,
  selectionRange: Schema.optionalKey(Wire.Range)
})
type Item = typeof Item.Type

const Call = Schema.Struct({
  from: Schema.optionalKey(Item),
  to: Schema.optionalKey(Item),
  fromRanges: Schema.optionalKey(Schema.Array(Wire.Range))
})

const items = Wire.each(Item)
const calls = Wire.each(Call)

/** A place with what stands there. */
interface Link extends Place {
  readonly item: Item
  readonly sites: ReadonlyArray<number>
}

const link = (item: Item, sites: ReadonlyArray<number>): Link => ({
  uri: item.uri,
  range: item.selectionRange ?? item.range,
  item,
  sites
})

const steps = {
  incoming_calls: { prepare: "textDocument/prepareCallHierarchy", next: "callHierarchy/incomingCalls" },
  outgoing_calls: { prepare: "textDocument/prepareCallHierarchy", next: "callHierarchy/outgoingCalls" },
  supertypes: { prepare: "textDocument/prepareTypeHierarchy", next: "typeHierarchy/supertypes" },
  subtypes: { prepare: "textDocument/prepareTypeHierarchy", next: "typeHierarchy/subtypes" }
} as const

export type Action = keyof typeof steps

const linksOf = (action: Action, result: unknown): ReadonlyArray<Link> => {
  if (action === "supertypes" || action === "subtypes") return items(result).map((item) => link(item, []))
  return calls(result).flatMap(({ from, fromRanges = [], to }) => {
    const item = action === "incoming_calls" ? from : to
    return item === undefined
      ? []
      : [
          link(
            item,
            fromRanges.map(({ start }) => start.line + 1)
          )
        ]
  })
}

const keyOf = ({ range, uri }: Place): string => `${uri}\0${range.start.line}\0${range.start.character}`

/** Overloads may be named one by one: the calls of one function are put together. */
const together = (links: ReadonlyArray<Link>): ReadonlyArray<Link> => {
  const byPlace = new Map<string, Link>()
  for (const one of links) {
    const key = keyOf(one)
    const sites = [...(byPlace.get(key)?.sites ?? []), ...one.sites]
    byPlace.set(key, { ...one, sites: [...new Set(sites)].sort((a, b) => a - b) })
  }
  return [...byPlace.values()]
}

const locate = Effect.fnUntraced(function* (
  asking: Asking,
  found: ReadonlyArray<Link>,
  { cap, isForeign }: Options
): Effect.fn.Return<Option.Option<Nodes>, AskError> {
  if (found.length === 0) return Option.none()
  const links = distinct(together(found), isForeign).first(Number.POSITIVE_INFINITY)
  const shown = links.slice(0, cap)
  const nodes = (yield* locateEach(asking, shown)).flatMap((location, i): ReadonlyArray<Node> => {
    const { item, sites } = shown[i]!
    return location === undefined ? [] : [{ name: item.name, kind: SymbolKinds.name(item.kind), location, sites }]
  })
  return Option.some({ nodes, total: links.length })
})

/** Overloads and the like; a server that names more is not followed. */
const mostStarts = 20

export const question = (action: Action, options: Options): Question<Nodes> => {
  const { next, prepare } = steps[action]
  return {
    name: action,
    scope: "project",
    isProvided: (capabilities, document) => capabilities.provides(prepare, document),
    ask: Effect.fnUntraced(function* (asking) {
      const prepared = yield* asking.request(prepare, asking.place)
      yield* readable(prepared, items(prepared), "call or type")
      // Sent back as they came: servers keep what they know in `data`.
      const starts: ReadonlyArray<unknown> = Array.isArray(prepared) ? prepared.slice(0, mostStarts) : []
      const links = yield* Effect.forEach(starts, (item) =>
        Effect.flatMap(asking.request(next, { item }), (result) =>
          readable(result, linksOf(action, result), "call or type")
        )
      )
      return yield* locate(asking, links.flat(), options)
    })
  }
}
