/** The code actions that `lsp` listed last, so that an index means what the model has read (SPEC §4). */
import type { LanguageServers } from "./LanguageServers.ts"

export interface Offered {
  readonly title: string
  readonly kind: string | undefined
}

export interface Place {
  /** Absolute. */
  readonly file: string
  readonly line: number
  readonly symbol: string
}

const mostPlaces = 50
const lists = new WeakMap<LanguageServers["Service"], Map<string, ReadonlyArray<Offered>>>()
const keyOf = ({ file, line, symbol }: Place): string => JSON.stringify([file, line, symbol])

/** Keeps the list of a place, in the run of this port. */
export const remember = (
  servers: LanguageServers["Service"],
  place: Place,
  actions: ReadonlyArray<{ readonly title: string; readonly kind?: string }>
): void => {
  const own = lists.get(servers) ?? new Map<string, ReadonlyArray<Offered>>()
  lists.set(servers, own)
  own.delete(keyOf(place))
  own.set(
    keyOf(place),
    actions.map(({ kind, title }) => ({ title, kind }))
  )
  for (const oldest of own.keys()) {
    if (own.size <= mostPlaces) return
    own.delete(oldest)
  }
}

/** The list of a place; `undefined` where none was given. */
export const recall = (servers: LanguageServers["Service"], place: Place): ReadonlyArray<Offered> | undefined =>
  lists.get(servers)?.get(keyOf(place))
