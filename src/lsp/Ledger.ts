/**
 * What a run has been told of the diagnostics of files, or found there before it wrote (SPEC §3a): for each file and server a
 * multiset of severity, code and message. Where a diagnostic stands is left out: one that moved is not new (C73, C74).
 */
import type { Diagnostic } from "./LanguageServers.ts"

/** The lines at which each diagnostic stands; how many they are is what counts. */
export type Counts = ReadonlyMap<string, ReadonlyArray<number>>

export const none: Counts = new Map()

const keyOf = ({ code, message, severity }: Diagnostic): string => JSON.stringify([severity, code, message])

/** Errors and warnings are told; what is less is not kept. */
const isTold = ({ severity }: Diagnostic): boolean => severity <= 2

export const count = (diagnostics: ReadonlyArray<Diagnostic>): Counts => {
  const counts = new Map<string, Array<number>>()
  for (const diagnostic of diagnostics.filter(isTold)) {
    const lines = counts.get(keyOf(diagnostic))
    if (lines === undefined) counts.set(keyOf(diagnostic), [diagnostic.line])
    else lines.push(diagnostic.line)
  }
  return counts
}

/** The larger of two multisets, diagnostic by diagnostic. */
export const most = (a: Counts, b: Counts): Counts => {
  const merged = new Map(a)
  for (const [key, lines] of b) if (lines.length > (merged.get(key)?.length ?? 0)) merged.set(key, lines)
  return merged
}

/** Those that are more than the multiset has. Of several that are the same, those that stand where none stood before. */
export const beyond = (diagnostics: ReadonlyArray<Diagnostic>, known: Counts): ReadonlyArray<Diagnostic> => {
  const groups = new Map<string, Array<Diagnostic>>()
  for (const diagnostic of diagnostics.filter(isTold)) {
    const group = groups.get(keyOf(diagnostic))
    if (group === undefined) groups.set(keyOf(diagnostic), [diagnostic])
    else group.push(diagnostic)
  }
  return Array.from(groups, ([key, group]) => {
    const lines = [...(known.get(key) ?? [])]
    const excess = group.length - lines.length
    if (excess <= 0) return []
    const moved = group.filter(({ line }) => {
      const at = lines.indexOf(line)
      if (at < 0) return true
      lines.splice(at, 1)
      return false
    })
    return moved.slice(-excess)
  }).flat()
}

/** With one less of what is the same as a diagnostic. */
export const without = (known: Counts, diagnostic: Diagnostic): Counts => {
  const lines = known.get(keyOf(diagnostic))
  if (lines === undefined) return known
  const at = Math.max(0, lines.indexOf(diagnostic.line))
  return new Map([...known, [keyOf(diagnostic), lines.toSpliced(at, 1)]])
}

/** The warnings that one multiset has more than the other, with as many as the first has. */
export const lostWarnings = (known: Counts, now: Counts): Counts =>
  new Map([...known].filter(([key, lines]) => key.startsWith("[2,") && lines.length > (now.get(key)?.length ?? 0)))

export interface Ledger {
  /** What is known of a file by a server; `undefined` where nothing is. */
  readonly get: (file: string, server: string) => Counts | undefined
  readonly set: (file: string, server: string, counts: Counts) => void
  readonly has: (file: string) => boolean
  /** There is no such file: whatever a server says of it later is new. */
  readonly absent: (file: string) => void
  /** What is known of a file from all servers. */
  readonly of: (file: string) => ReadonlyMap<string, Counts>
  readonly drop: (file: string) => void
  /** A file, or a folder with all that is in it, is at another path now (C81). */
  readonly move: (from: string, to: string) => void
  /** The files, those of the latest changes last. */
  readonly files: () => ReadonlyArray<string>
}

interface Entry {
  readonly servers: Map<string, Counts>
  readonly isNew: boolean
}

/** More files than this are not kept. */
const mostFiles = 2000

export const make = (): Ledger => {
  const entries = new Map<string, Entry>()
  const put = (file: string, entry: Entry) => {
    entries.delete(file)
    entries.set(file, entry)
    for (const oldest of entries.keys()) {
      if (entries.size <= mostFiles) return
      entries.delete(oldest)
    }
  }
  return {
    get: (file, server) => {
      const entry = entries.get(file)
      return entry?.servers.get(server) ?? (entry?.isNew === true ? none : undefined)
    },
    set: (file, server, counts) => {
      const entry = entries.get(file) ?? { servers: new Map<string, Counts>(), isNew: false }
      entry.servers.set(server, counts)
      put(file, entry)
    },
    has: (file) => entries.has(file),
    absent: (file) => put(file, { servers: new Map(), isNew: true }),
    of: (file) => entries.get(file)?.servers ?? new Map<string, Counts>(),
    drop: (file) => {
      entries.delete(file)
    },
    move: (from, to) => {
      for (const [file, entry] of Array.from(entries)) {
        if (file !== from && !file.startsWith(`${from}/`)) continue
        entries.delete(file)
        put(to + file.slice(from.length), entry)
      }
    },
    files: () => [...entries.keys()]
  }
}
