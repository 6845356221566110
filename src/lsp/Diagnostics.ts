/**
 * What a server has said of the diagnostics of files, pushed and pulled, and whether that belongs to the text it was shown
 * last (C58–C69).
 */
import { Option, Schema } from "effect"
import type { Diagnostic, Severity } from "./LanguageServers.ts"
import * as TextPositions from "./TextPositions.ts"
import * as Uri from "./Uri.ts"
import * as Wire from "./Wire.ts"

const Sent = Schema.Struct({
  range: Wire.Range,
  severity: Schema.optionalKey(Schema.Unknown),
  code: Schema.optionalKey(Schema.Unknown),
  source: Schema.optionalKey(Schema.Unknown),
  message: Schema.Union([Schema.String, Schema.Struct({ kind: Schema.String, value: Schema.String })]),
  tags: Schema.optionalKey(Schema.Unknown)
})

/** As a server sent it. */
export interface Item {
  readonly decoded: typeof Sent.Type
  readonly raw: unknown
}

const decode = Schema.decodeUnknownOption(Sent)

const toItems = (value: unknown): ReadonlyArray<Item> =>
  Array.isArray(value)
    ? value.flatMap((raw: unknown) => {
        const decoded = decode(raw)
        return Option.isSome(decoded) ? [{ decoded: decoded.value, raw }] : []
      })
    : []

const isSeverity = (value: unknown): value is Severity => value === 1 || value === 2 || value === 3 || value === 4

/** A longer message is cut: some servers put whole type expansions there. */
const longestMessage = 4000

/** As the port has it. A missing severity is an error (C69). Without the text, columns are taken for UTF-16 units. */
export const toDiagnostic = (
  item: Item,
  path: string,
  indexed: TextPositions.Indexed | undefined,
  encoding: TextPositions.Encoding
): Diagnostic => {
  const { code, message, range, severity, source, tags } = item.decoded
  const text = typeof message === "string" ? message : message.value
  const has = (tag: number) => Array.isArray(tags) && tags.includes(tag)
  return {
    path,
    ...TextPositions.toSpan(indexed, range, encoding),
    severity: isSeverity(severity) ? severity : 1,
    message: text.length > longestMessage ? `${text.slice(0, longestMessage)}…` : text,
    ...(typeof code === "string" || typeof code === "number" ? { code: String(code) } : {}),
    ...(typeof source === "string" && source !== "" ? { source } : {}),
    ...(has(1) ? { isUnnecessary: true } : {}),
    ...(has(2) ? { isDeprecated: true } : {}),
    raw: item.raw
  }
}

const identity = ({ decoded: { code, message, range, severity, source } }: Item): string =>
  JSON.stringify([range, severity, code, source, message])

const isSame = (a: ReadonlyArray<Item>, b: ReadonlyArray<Item>): boolean =>
  a.length === b.length && a.map(identity).sort().join("\n") === b.map(identity).sort().join("\n")

/** How long after a push none other may come before it counts, in milliseconds. */
export interface Settling {
  readonly usual: number
  /** For a push that is often followed by the true one: the first set is empty, a set turns empty, or is the old one again. */
  readonly doubtful: number
}

interface Pushed {
  readonly items: ReadonlyArray<Item>
  readonly pushedAt: number
  readonly settlesAt: number
}

interface Entry {
  uri: string
  /** What was pushed last, whatever text it was for. */
  pushed: ReadonlyArray<Item>
  pulled: Map<string | undefined, { readonly resultId: string | undefined; readonly items: ReadonlyArray<Item> }>
  /** The version that the server was shown; `undefined` when it is not open. */
  version: number | undefined
  /** When it was shown that version. */
  shownAt: number
  /** What was pushed for that version. */
  fresh: Pushed | undefined
  /** What was known when that version was shown; `undefined` when nothing was. */
  before: ReadonlyArray<Item> | undefined
  /** We have closed it, and the server may say so by an empty push (C60). */
  wasClosed: boolean
  /** How many diagnostics were not kept. */
  omitted: number
  /** Whether it was asked about first, or the server has told of it by itself; `undefined` as long as neither. */
  isAsked: boolean | undefined
}

/** Since the text was shown: nothing was pushed, something that may be replaced, or something that counts. */
export type Push =
  | { readonly state: "none"; readonly shownAt: number }
  | { readonly state: "settling" | "settled"; readonly pushedAt: number; readonly settlesAt: number }

export type Source = "pushed" | "pulled" | "answered" | "all"

export interface Diagnostics {
  /** The server was shown a text of the document. */
  readonly shown: (path: string, version: number, now: number) => void
  readonly closed: (path: string) => void
  /** The file is gone. */
  readonly dropped: (path: string) => void
  /** `textDocument/publishDiagnostics`, for the path that its URI is. */
  readonly published: (path: string, params: unknown, now: number) => void
  /** A document diagnostic report, with what it says of related documents. */
  readonly reported: (
    path: string,
    identifier: string | undefined,
    report: unknown,
    toPath: (uri: string) => string
  ) => void
  readonly resultId: (path: string, identifier: string | undefined) => string | undefined
  /** All that could be `previousResultIds`. */
  readonly resultIds: (
    identifier: string | undefined
  ) => ReadonlyArray<{ readonly uri: string; readonly value: string }>
  /** What was pulled is out of date: none of it counts as unchanged (C66). */
  readonly forgetResultIds: () => void
  readonly push: (path: string, now: number) => Push
  /**
   * What is known of a file: `pushed`; `pulled`, and what was pushed after the text was shown; what was pulled alone, `answered`;
   * or `all`, for a file that is not open.
   */
  readonly items: (path: string, from: Source) => ReadonlyArray<Item>
  readonly omitted: (path: string) => number
  /** Whether something was said of the text that is shown. */
  readonly isHeard: (path: string) => boolean
  /** Whether it was shown or asked about before the server said anything of it: silence until then said nothing. */
  readonly isAsked: (path: string) => boolean
  readonly paths: () => ReadonlyArray<string>
}

export interface Limits {
  readonly perFile: number
  readonly inAll: number
}

const size = (entry: Entry): number =>
  [...entry.pulled.values()].reduce((sum, { items }) => sum + items.length, entry.pushed.length)

export const make = (settling: Settling, limits: Limits = { perFile: 3000, inAll: 10_000 }): Diagnostics => {
  /** In the order in which they were last heard of. */
  const entries = new Map<string, Entry>()
  let kept = 0

  /** Changes an entry, and drops files that are not open, those not heard of for longest, when there is too much. */
  const change = (path: string, update: (entry: Entry) => void) => {
    const entry: Entry = entries.get(path) ?? {
      uri: Uri.ofKey(path),
      pushed: [],
      pulled: new Map(),
      version: undefined,
      shownAt: 0,
      fresh: undefined,
      before: undefined,
      wasClosed: false,
      omitted: 0,
      isAsked: undefined
    }
    kept -= size(entry)
    update(entry)
    kept += size(entry)
    entries.delete(path)
    if (size(entry) > 0 || entry.version !== undefined || entry.wasClosed || entry.pulled.size > 0)
      entries.set(path, entry)
    for (const [other, { version }] of entries) {
      if (kept <= limits.inAll && entries.size <= limits.inAll) return
      if (other !== path && version === undefined) {
        kept -= size(entries.get(other)!)
        entries.delete(other)
      }
    }
  }

  const bounded = (entry: Entry, value: unknown): ReadonlyArray<Item> => {
    const all = Array.isArray(value) ? value.length : 0
    entry.omitted = Math.max(0, all - limits.perFile)
    return toItems(Array.isArray(value) ? value.slice(0, limits.perFile) : [])
  }

  const published = (path: string, params: unknown, now: number) =>
    change(path, (entry) => {
      const version = Wire.get(params, "version")
      const uri = Wire.get(params, "uri")
      const isOpen = entry.version !== undefined
      const isOther = isOpen && typeof version === "number" && version !== entry.version
      // It belongs to an older text, and there is one for the present.
      if (isOther && entry.fresh !== undefined) return
      const items = bounded(entry, Wire.get(params, "diagnostics"))
      if (!isOpen && entry.wasClosed) {
        entry.wasClosed = false
        if (items.length === 0) return
      }
      if (typeof uri === "string") entry.uri = uri
      entry.pushed = items
      if (items.length > 0) entry.isAsked ??= false
      if (!isOpen || isOther) return
      const known = entry.fresh?.items ?? entry.before
      const turnsClean = items.length === 0 && (known === undefined || known.length > 0)
      const isOldOne =
        typeof version !== "number" &&
        entry.fresh === undefined &&
        items.length > 0 &&
        isSame(items, entry.before ?? [])
      const wait = turnsClean || isOldOne ? settling.doubtful : settling.usual
      entry.fresh = { items, pushedAt: now, settlesAt: now + wait }
    })

  const reported = (
    path: string,
    identifier: string | undefined,
    report: unknown,
    toPath: (uri: string) => string,
    isAsked: boolean
  ) => {
    change(path, (entry) => {
      const resultId = Wire.get(report, "resultId")
      const id = typeof resultId === "string" ? resultId : undefined
      const items =
        Wire.get(report, "kind") === "unchanged"
          ? (entry.pulled.get(identifier)?.items ?? [])
          : bounded(entry, Wire.get(report, "items"))
      entry.pulled.set(identifier, { resultId: id, items })
      entry.isAsked ??= isAsked
    })
    const related = Wire.get(report, "relatedDocuments")
    if (!Wire.isRecord(related)) return
    for (const [uri, inner] of Object.entries(related)) {
      if (Wire.get(inner, "relatedDocuments") === undefined) reported(toPath(uri), identifier, inner, toPath, false)
    }
  }

  return {
    shown: (path, version, now) =>
      change(path, (entry) => {
        entry.shownAt = now
        entry.before = entry.version === undefined && entry.pushed.length === 0 ? undefined : entry.pushed
        entry.version = version
        entry.fresh = undefined
        entry.wasClosed = false
        entry.isAsked ??= true
      }),
    closed: (path) =>
      change(path, (entry) => {
        entry.version = undefined
        entry.fresh = undefined
        entry.wasClosed = true
      }),
    dropped: (path) => {
      const entry = entries.get(path)
      if (entry !== undefined) kept -= size(entry)
      entries.delete(path)
    },
    published,
    reported: (path, identifier, report, toPath) => reported(path, identifier, report, toPath, true),
    resultId: (path, identifier) => entries.get(path)?.pulled.get(identifier)?.resultId,
    resultIds: (identifier) =>
      [...entries].flatMap(([, { pulled, uri }]) => {
        const value = pulled.get(identifier)?.resultId
        return value === undefined ? [] : [{ uri, value }]
      }),
    forgetResultIds: () => {
      for (const { pulled } of entries.values()) {
        for (const [identifier, { items }] of pulled) pulled.set(identifier, { resultId: undefined, items })
      }
    },
    push: (path, now) => {
      const entry = entries.get(path)
      const fresh = entry?.fresh
      if (fresh === undefined) return { state: "none", shownAt: entry?.shownAt ?? 0 }
      const { pushedAt, settlesAt } = fresh
      return { state: now >= settlesAt ? "settled" : "settling", pushedAt, settlesAt }
    },
    items: (path, from) => {
      const entry = entries.get(path)
      if (entry === undefined) return []
      const pushed = from === "answered" ? [] : from === "pulled" ? (entry.fresh?.items ?? []) : entry.pushed
      const pulled = from === "pushed" ? [] : [...entry.pulled.values()].flatMap(({ items }) => items)
      return [...new Map([...pulled, ...pushed].map((item) => [identity(item), item])).values()]
    },
    isHeard: (path) => {
      const entry = entries.get(path)
      return entry !== undefined && (entry.fresh !== undefined || entry.pulled.size > 0)
    },
    isAsked: (path) => entries.get(path)?.isAsked === true,
    omitted: (path) => entries.get(path)?.omitted ?? 0,
    paths: () => [...entries.keys()]
  }
}
