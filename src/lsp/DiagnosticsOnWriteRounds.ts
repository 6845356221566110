/** Asking about files before and after a write, and the ledger that the answers are compared with (SPEC §3a). */
import { Effect, Option } from "effect"
import type { Edits } from "../Edits.ts"
import type { Workspace } from "../Workspace.ts"
import type { Answer, Diagnostic, DiagnosticsOptions, FileDiagnostics, LanguageServers } from "./LanguageServers.ts"
import * as Ledger from "./Ledger.ts"
import * as Row from "./rows/Row.ts"

export type Said = Answer<ReadonlyArray<Diagnostic>>

/** `by`: the server and its root, as the ledger has it. */
export type Introduced = Diagnostic & { readonly server: string; readonly by: string }

export type Kind = "file" | "missing"

const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1)
export const serverOf = ({ id, root }: { readonly id: string; readonly root?: string }): string =>
  `${id}\0${root ?? ""}`

export const isConfirmed = ({ outcome }: Answer<unknown>): boolean => outcome === "found" || outcome === "empty"
export const valueOf = (answer: Said): ReadonlyArray<Diagnostic> => (answer.outcome === "found" ? answer.value : [])

export const keyOf = (path: string, server: string): string => `${server}\0${path}`

/** The server and its root of a key. */
export const byOf = (key: string): string => key.split("\0").slice(0, 2).join("\0")

/** The servers, with their roots, that have answered. */
export const confirmedBy = (answers: ReadonlyArray<Said>): ReadonlyArray<string> =>
  answers.filter(isConfirmed).map(serverOf)

/** Notes what a server has said of a file, where that is known. */
export const put = (counts: Map<string, Ledger.Counts>, path: string, answer: Said): void => {
  if (isConfirmed(answer)) counts.set(keyOf(path, serverOf(answer)), Ledger.count(valueOf(answer)))
}

/** What was known before a write: of files that the ledger does not have, and of an edit that is taken back now. */
export interface Before {
  readonly snapshot: ReadonlyMap<string, Ledger.Counts>
  readonly extra: ReadonlyMap<string, Ledger.Counts>
}

/** For one run. */
export const make = (services: {
  readonly servers: LanguageServers["Service"]
  readonly edits: Edits["Service"]
  readonly workspace: Workspace["Service"]
}) => {
  const { edits, servers, workspace } = services
  const ledger = Ledger.make()
  /**
   * Warnings that were not said any more when errors came: a linter does not look at what does not compile. When the errors are
   * mended they are back, and nothing new.
   */
  const hidden = new Map<string, Ledger.Counts>()
  /** The servers, with their roots, that have answered. */
  const warm = new Set<string>()

  const isServed = (path: string): boolean =>
    servers.rows.some((row) => row.disabled !== true && Row.languageOf(row, baseName(path)) !== undefined)

  /** The same for files that the same servers serve. */
  const groupOf = (path: string): string => {
    const row = servers.rows.find((one) => one.disabled !== true && Row.languageOf(one, baseName(path)) !== undefined)
    return row?.role ?? row?.id ?? ""
  }

  /** What is on disk now. */
  const contentsOf = (paths: Iterable<string>) =>
    Effect.map(
      Effect.forEach([...paths], (path) =>
        Effect.map(Effect.option(edits.read(path)), (source) => [path, Option.getOrUndefined(source)] as const)
      ),
      (entries) => new Map(entries)
    )

  /** The answers of the servers, those that came within the time. */
  const ask = (
    paths: ReadonlyArray<string>,
    millis: number,
    texts: DiagnosticsOptions["texts"] & {},
    onAnswer?: DiagnosticsOptions["onAnswer"]
  ): Effect.Effect<ReadonlyArray<FileDiagnostics>> =>
    paths.length === 0
      ? Effect.succeed([])
      : Effect.orElseSucceed(servers.diagnostics(paths, { timeout: millis, texts, onAnswer }), () => [])

  /** What a server says more than was known. */
  const beyond = (answer: Said, known: Ledger.Counts): ReadonlyArray<Introduced> =>
    Ledger.beyond(valueOf(answer), known).map((one) => ({ ...one, server: answer.id, by: serverOf(answer) }))

  /** Takes answers into the ledger, one by one, and compares them with what was known before. */
  const settle = ({ extra, snapshot }: Before) => {
    const taken: Array<{ readonly key: string; readonly by: string; before: Ledger.Counts; now: Ledger.Counts }> = []
    const broken = new Set<string>()
    return {
      /** What is more than was known; `undefined` where nothing was. */
      take: (path: string, answer: Said): ReadonlyArray<Introduced> | undefined => {
        if (!isConfirmed(answer)) return []
        const by = serverOf(answer)
        const key = keyOf(path, by)
        warm.add(by)
        const value = valueOf(answer)
        const was = ledger.get(path, by) ?? snapshot.get(key)
        const now = Ledger.count(value)
        ledger.set(path, by, now)
        if (was === undefined) return now.size > 0 ? undefined : []
        const before = [extra.get(key), hidden.get(key)].reduce<Ledger.Counts>(
          (all, more) => (more === undefined ? all : Ledger.most(all, more)),
          was
        )
        const fresh = beyond(answer, before)
        if (fresh.some(({ severity }) => severity === 1)) broken.add(by)
        taken.push({ key, by, before, now })
        return fresh
      },
      /** All answers have been taken. */
      end: () => {
        for (const { before, by, key, now } of taken) {
          const known = broken.has(by) ? before : hidden.get(key)
          if (known === undefined) continue
          const lost = Ledger.lostWarnings(known, now)
          if (lost.size > 0) hidden.set(key, lost)
          else hidden.delete(key)
        }
      }
    }
  }

  /** What servers have said of any file, as counts; `asked`: those of which they spoke only because they were asked. */
  const said = Effect.map(servers.known, (known) => {
    const counts = new Map<string, Ledger.Counts>()
    const asked = new Set<string>()
    for (const one of known) {
      const key = keyOf(one.path, serverOf(one))
      counts.set(key, Ledger.count(one.diagnostics))
      if (one.isAsked === true) asked.add(key)
    }
    return { counts, asked }
  })

  /** The files of paths that are served; of a folder, those in it. */
  const resolved = Effect.fnUntraced(function* (paths: ReadonlyArray<string>) {
    const found = new Map<string, Kind>()
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
    groupOf,
    contentsOf,
    ask,
    beyond,
    settle,
    said,
    resolved,
    /** Takes findings out of the ledger: where they are found again, they are told again. */
    forget: (findings: ReadonlyArray<Introduced>) => {
      for (const one of findings) {
        const known = ledger.get(one.path, one.by)
        if (known !== undefined) ledger.set(one.path, one.by, Ledger.without(known, one))
      }
    },
    /** Whether the servers of these files, with their roots, have answered before. */
    areWarm: Effect.fnUntraced(function* (paths: Iterable<string>) {
      if (warm.size === 0) return false
      for (const path of paths) {
        const serving = yield* servers.serving(path)
        if (!serving.every((one) => warm.has(serverOf(one)))) return false
      }
      return true
    })
  }
}
export type Rounds = ReturnType<typeof make>
