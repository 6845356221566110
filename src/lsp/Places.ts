/** Questions whose answers are places: definition and its kin, and references (SPEC §3.3). */
import { Effect, Option } from "effect"
import type { Location } from "./LanguageServers.ts"
import type { AskError, Asking, NoAnswer, Place, Question } from "./Question.ts"
import * as Uri from "./Uri.ts"
import * as Wire from "./Wire.ts"

/** Whether an absolute path belongs to somebody else: outside the working directory, or in `node_modules` (C56). */
export type IsForeign = (path: string) => boolean

export interface Places {
  /** The first of them, in order. */
  readonly locations: ReadonlyArray<Location>
  /** One text for each place there is, the same for the same place whoever names it. */
  readonly keys: ReadonlySet<string>
}

export interface Options {
  readonly isForeign: IsForeign
  /** How many are read and shown. */
  readonly cap: number
}

/** What an answer has in it. One in which nothing can be read is not an empty one. */
export const readable = <A>(
  result: unknown,
  items: ReadonlyArray<A>,
  what: string
): Effect.Effect<ReadonlyArray<A>, NoAnswer> => {
  const isEmpty = result === null || result === undefined || (Array.isArray(result) && result.length === 0)
  return isEmpty || items.length > 0
    ? Effect.succeed(items)
    : Effect.fail({ _tag: "NoAnswer", message: `it answered with something that is no ${what}` })
}

/** One for each place, `undefined` where it cannot be made sense of. */
export const locateEach = (
  asking: Asking,
  places: ReadonlyArray<Place>
): Effect.Effect<ReadonlyArray<Location | undefined>> =>
  Effect.flatMap(asking.locate(places), (locations) =>
    locations.length === places.length
      ? Effect.succeed<ReadonlyArray<Location | undefined>>(locations)
      : Effect.forEach(places, (place) => Effect.map(asking.locate([place]), ([location]) => location))
  )

/** A place with what it is compared by. */
interface Ranked<P extends Place> {
  readonly place: P
  readonly path: string
  readonly rank: number
  /** The same for the same place, however its URI is spelt. */
  readonly key: string
}

/** Each place once: the project's own first, then by path and position (C56). */
export const inOrder = <P extends Place>(places: ReadonlyArray<P>, isForeign: IsForeign): ReadonlyArray<Ranked<P>> => {
  const known = new Map<string, { readonly path: string; readonly rank: number }>()
  const of = (uri: string) => {
    let one = known.get(uri)
    if (one === undefined) {
      const path = Uri.key(uri)
      one = { path, rank: isForeign(path) ? 1 : 0 }
      known.set(uri, one)
    }
    return one
  }
  const found = new Map<string, Ranked<P>>()
  for (const place of places) {
    const { path, rank } = of(place.uri)
    const { character, line } = place.range.start
    const key = `${line}:${character} ${path}`
    if (!found.has(key)) found.set(key, { place, path, rank, key })
  }
  return [...found.values()].sort((a, b) => {
    const [p, q] = [a.place.range.start, b.place.range.start]
    return (
      a.rank - b.rank ||
      (a.path < b.path ? -1 : a.path > b.path ? 1 : 0) ||
      p.line - q.line ||
      p.character - q.character
    )
  })
}

const locate = Effect.fnUntraced(function* (
  asking: Asking,
  result: unknown,
  { cap, isForeign }: Options
): Effect.fn.Return<Option.Option<Places>, AskError> {
  const places = inOrder(yield* readable(result, Wire.locations(result), "location"), isForeign)
  if (places.length === 0) return Option.none()
  const locations = yield* asking.locate(places.slice(0, cap).map(({ place }) => place))
  return Option.some({ locations, keys: new Set(places.map(({ key }) => key)) })
})

const methods = {
  definition: "textDocument/definition",
  declaration: "textDocument/declaration",
  type_definition: "textDocument/typeDefinition",
  implementation: "textDocument/implementation",
  references: "textDocument/references"
} as const

export type Action = keyof typeof methods

/** `implementation` and `references` are about the whole project: an answer given while it loads may lack some. */
export const question = (action: Action, options: Options): Question<Places> => {
  const method = methods[action]
  return {
    name: action,
    scope: action === "references" || action === "implementation" ? "project" : "place",
    isProvided: (capabilities, document) => capabilities.provides(method, document),
    ask: (asking) => {
      const context = action === "references" ? { context: { includeDeclaration: true } } : {}
      return Effect.flatMap(asking.request(method, { ...asking.place, ...context }), (result) =>
        locate(asking, result, options)
      )
    }
  }
}
