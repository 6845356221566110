/** Questions whose answers are places: definition and its kin, and references (SPEC §3.3). */
import { Effect, Option } from "effect"
import type { Location } from "./LanguageServers.ts"
import type { AskError, Asking, NoAnswer, Place, Question } from "./Question.ts"
import * as Uri from "./Uri.ts"
import * as Wire from "./Wire.ts"

/** Whether an absolute path belongs to somebody else: outside the working directory, or in `node_modules` (C56). */
export type IsForeign = (path: string) => boolean

export interface Places extends Pick<Distinct<Place>, "count" | "keys"> {
  /** The first of them, in order. */
  readonly locations: ReadonlyArray<Location>
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

/** The places of an answer, each once. */
export interface Distinct<P extends Place> {
  readonly count: number
  /** So many of them: the project's own first, then by path and position (C56). */
  readonly first: (most: number) => ReadonlyArray<P>
  /** One text for each place, the same whoever names it and however its URI is spelt. */
  readonly keys: () => ReadonlyArray<string>
}

/** A line and a character as one number. */
const lineUnit = 2 ** 24

export const distinct = <P extends Place>(places: ReadonlyArray<P>, isForeign: IsForeign): Distinct<P> => {
  interface File {
    readonly path: string
    readonly rank: number
    readonly places: Map<number, P>
  }
  const byPath = new Map<string, File>()
  const byUri = new Map<string, File>()
  let count = 0
  const fileOf = (uri: string) => {
    let file = byUri.get(uri)
    if (file === undefined) {
      const path = Uri.key(uri)
      file = byPath.get(path) ?? { path, rank: isForeign(path) ? 1 : 0, places: new Map() }
      byPath.set(path, file)
      byUri.set(uri, file)
    }
    return file
  }
  for (const place of places) {
    const { character, line } = place.range.start
    const { places } = fileOf(place.uri)
    const at = line * lineUnit + character
    if (places.has(at)) continue
    places.set(at, place)
    count++
  }
  return {
    count,
    first: (most) => {
      const files = [...byPath.values()].sort(
        (a, b) => a.rank - b.rank || (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)
      )
      const first: Array<P> = []
      for (const { places } of files) {
        if (first.length >= most) break
        for (const [, place] of [...places].sort(([a], [b]) => a - b)) first.push(place)
      }
      return first.slice(0, most)
    },
    keys: () => [...byPath.values()].flatMap(({ path, places }) => Array.from(places.keys(), (at) => `${at} ${path}`))
  }
}

const locate = Effect.fnUntraced(function* (
  asking: Asking,
  result: unknown,
  { cap, isForeign }: Options
): Effect.fn.Return<Option.Option<Places>, AskError> {
  const places = distinct(yield* readable(result, Wire.locations(result), "location"), isForeign)
  if (places.count === 0) return Option.none()
  return Option.some({ ...places, locations: yield* asking.locate(places.first(cap)) })
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
