/** Asking about files before and after a write, and the ledger that the answers are compared with (SPEC §3a). */
import { Effect, Option } from "effect"
import type { Edits } from "../Edits.ts"
import type { Workspace } from "../Workspace.ts"
import type { Answer, Diagnostic, FileDiagnostics, LanguageServers } from "./LanguageServers.ts"
import * as Ledger from "./Ledger.ts"
import * as Row from "./rows/Row.ts"

export type Introduced = Diagnostic & { readonly server: string }

const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1)
const kindOf = (path: string): string => {
  const name = baseName(path)
  const dot = name.lastIndexOf(".")
  return dot < 0 ? name : name.slice(dot).toLowerCase()
}
const serverOf = ({ id, root }: { readonly id: string; readonly root?: string }): string => `${id}\0${root ?? ""}`

const isConfirmed = ({ outcome }: Answer<unknown>): boolean => outcome === "found" || outcome === "empty"
const valueOf = (answer: Answer<ReadonlyArray<Diagnostic>>): ReadonlyArray<Diagnostic> =>
  answer.outcome === "found" ? answer.value : []

/** A set of answers, and when it was asked for. */
export interface Round {
  readonly number: number
  readonly files: ReadonlyArray<FileDiagnostics>
}

export const keyOf = (path: string, server: string): string => `${server}\0${path}`

/** For one run. */
export const make = (services: {
  readonly servers: LanguageServers["Service"]
  readonly edits: Edits["Service"]
  readonly workspace: Workspace["Service"]
}) => {
  const { edits, servers, workspace } = services
  const ledger = Ledger.make()
  /** Files with a write whose consequences are not known yet: what was known before it stands. */
  const busy = new Map<string, number>()
  /** The latest round that said something of a file: an older one that comes in later is not taken. */
  const latest = new Map<string, number>()
  /** The kinds of files that a server has answered for. */
  const warm = new Set<string>()
  let rounds = 0

  const isServed = (path: string): boolean =>
    servers.rows.some((row) => row.disabled !== true && Row.languageOf(row, baseName(path)) !== undefined)

  const hashOf = (path: string) =>
    Effect.map(Effect.option(edits.read(path)), (source) => Option.getOrUndefined(source)?.hash)
  const hashesOf = (paths: Iterable<string>) =>
    Effect.map(
      Effect.forEach([...paths], (path) =>
        Effect.map(hashOf(path), (hash): [string, string | undefined] => [path, hash])
      ),
      (entries) => new Map(entries)
    )

  const ask = (paths: ReadonlyArray<string>, millis: number) =>
    Effect.suspend(() => {
      const number = ++rounds
      const none: ReadonlyArray<FileDiagnostics> = []
      if (paths.length === 0 || millis <= 0) return Effect.succeed<Round>({ number, files: none })
      return servers.diagnostics(paths, { timeout: millis }).pipe(
        Effect.orElseSucceed(() => none),
        // The port keeps its time; this is for the call, which is never held longer.
        Effect.timeoutOption(millis + 50),
        Effect.map((files): Round => ({ number, files: Option.getOrElse(files, () => none) }))
      )
    })

  /** Takes what is confirmed into the ledger, and gives what is more than it had. */
  const settle = (
    round: Round,
    before: {
      readonly snapshot: ReadonlyMap<string, Ledger.Counts>
      readonly extra: ReadonlyMap<string, Ledger.Counts>
    }
  ) => {
    const introduced: Array<Introduced> = []
    /** Confirmed now, but not known before. */
    const unfounded: Array<{ readonly path: string; readonly server: string }> = []
    for (const { path, servers: answers } of round.files) {
      for (const answer of answers.filter(isConfirmed)) {
        const server = serverOf(answer)
        const key = keyOf(path, server)
        warm.add(kindOf(path))
        if ((latest.get(key) ?? 0) > round.number) continue
        latest.set(key, round.number)
        const value = valueOf(answer)
        const known = ledger.get(path, server) ?? before.snapshot.get(key)
        ledger.set(path, server, Ledger.count(value))
        if (known === undefined) {
          if (value.some(({ severity }) => severity <= 2)) unfounded.push({ path, server: answer.id })
          continue
        }
        const counts = Ledger.most(known, before.extra.get(key) ?? Ledger.none)
        introduced.push(...Ledger.beyond(value, counts).map((one) => ({ ...one, server: answer.id })))
      }
    }
    return { introduced, unfounded }
  }

  /** What servers have said of any file, as counts: for those that nobody asks about. */
  const said = Effect.map(servers.known, (known) => {
    const counts = new Map<string, Ledger.Counts>()
    for (const one of known) counts.set(keyOf(one.path, serverOf(one)), Ledger.count(one.diagnostics))
    return counts
  })

  /** What was known before a write whose consequences are not, must stand. */
  const isFrozen = (path: string): boolean => busy.has(path) && ledger.has(path)

  const hold = (path: string, by: number) => {
    const count = (busy.get(path) ?? 0) + by
    if (count <= 0) busy.delete(path)
    else busy.set(path, count)
  }

  /** The files below paths that are served; of a folder, those in it. */
  const resolved = Effect.fnUntraced(function* (paths: ReadonlyArray<string>) {
    const found = new Map<string, "file" | "missing">()
    for (const path of paths) {
      // Only of a folder the name says nothing.
      if (!isServed(path) && baseName(path).includes(".")) continue
      const one = Option.getOrUndefined(yield* Effect.option(workspace.resolve(path)))
      if (one === undefined) continue
      if (one.kind === "directory") {
        const inside = yield* Effect.orElseSucceed(
          workspace.files(`${workspace.show(one.path)}/**/*`),
          (): ReadonlyArray<string> => []
        )
        for (const file of inside.filter(isServed)) found.set(file, "file")
      } else if ((one.kind === "file" || one.kind === "missing") && isServed(one.path)) found.set(one.path, one.kind)
    }
    return found
  })

  return {
    ledger,
    isServed,
    hashesOf,
    /** The files of which the servers answer within the time; none where that was not kept. */
    ask,
    settle,
    said,
    isFrozen,
    hold,
    resolved,
    /** Whether a server has answered for a file of this kind. */
    isWarm: (path: string) => warm.has(kindOf(path)),
    /** Takes an answer of the time before a write into the ledger, if it is confirmed. */
    accept: (path: string, answer: Answer<ReadonlyArray<Diagnostic>>, round: Round) => {
      if (!isConfirmed(answer)) return
      warm.add(kindOf(path))
      latest.set(keyOf(path, serverOf(answer)), round.number)
      ledger.set(path, serverOf(answer), Ledger.count(valueOf(answer)))
    }
  }
}
