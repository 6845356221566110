/** How every row stands in the working directory, and why it does not run (SPEC §3.1, C103). */
import { Clock, Effect } from "effect"
import type { Status } from "../../src/lsp/LanguageServers.ts"
import type { Row } from "../../src/lsp/rows/Row.ts"
import type { Workspace } from "../../src/Workspace.ts"
import type { FileWatch } from "./FileWatch.ts"
import * as Roots from "./Roots.ts"
import * as Session from "./Session.ts"
import type { Supervisor } from "./Supervisor.ts"

export interface Options {
  readonly rows: ReadonlyArray<Row>
  readonly supervisor: Supervisor
  readonly workspace: Workspace["Service"]
  readonly watch: FileWatch
}

const describe = Effect.fnUntraced(function* (session: Session.Session, options: Options, now: number) {
  const { documents, process, progress, told } = session
  const stderr = yield* Session.tailOf(process)
  const work = progress.describe(now)
  const trouble = options.watch.trouble()
  const reason = work.length > 0 ? work.join("; ") : trouble
  return {
    state: "running" as const,
    ...(reason === undefined ? {} : { reason }),
    pid: process.pid,
    ...(session.name === undefined ? {} : { server: session.name }),
    ...(work.length === 0 ? {} : { progress: work }),
    openDocuments: documents.all().length,
    memory: yield* process.memory,
    ...(told.lastError === undefined ? {} : { lastError: told.lastError }),
    ...(stderr === "" ? {} : { stderr })
  }
})

/** One row at one root that it has or had. */
const atRoot = Effect.fnUntraced(function* (
  row: Row,
  { marker, root }: { readonly root: string; readonly marker: string | undefined },
  options: Options,
  now: number
) {
  const { supervisor } = options
  const crashes = supervisor.crashes(row, root, now)
  const lastReason = supervisor.lastReason(row, root)
  const base = {
    id: row.id,
    languages: row.languages.map(({ id }) => id),
    root,
    ...(marker === undefined ? {} : { marker }),
    ...(crashes === 0 ? {} : { crashes }),
    ...(lastReason === undefined ? {} : { lastError: lastReason })
  }
  const found = yield* supervisor.find(row, root)
  const binary = found.status === "found" ? { binary: found.command } : {}
  const standing = supervisor.standing(row, root, now)
  switch (standing.state) {
    case "running":
      return { ...base, ...binary, ...(yield* describe(standing.session, options, now)) } satisfies Status
    case "starting":
      return {
        ...base,
        ...binary,
        state: standing.state,
        ...(standing.pid === undefined ? {} : { pid: standing.pid })
      } satisfies Status
    case "failed":
      return { ...base, ...binary, state: standing.state, reason: standing.reason } satisfies Status
    case "stopped":
      return found.status === "found"
        ? ({ ...base, ...binary, state: "stopped", reason: "it starts when it is asked" } satisfies Status)
        : ({ ...base, state: "unavailable", reason: found.reason } satisfies Status)
  }
})

const ofRow = Effect.fnUntraced(function* (
  row: Row,
  candidates: ReadonlyArray<Roots.Candidate>,
  options: Options,
  now: number
): Effect.fn.Return<ReadonlyArray<Status>> {
  const languages = row.languages.map(({ id }) => id)
  if (row.disabled === true) {
    return [{ id: row.id, languages, state: "unavailable", reason: "it is disabled in the settings" }]
  }
  const roots = new Map<string, string | undefined>()
  for (const known of options.supervisor.known()) if (known.row.id === row.id) roots.set(known.root, undefined)
  for (const { marker, root, sample } of candidates) {
    if (roots.size === 0 || roots.has(root) || sample !== undefined) roots.set(root, marker)
  }
  if (roots.size > 0) {
    return yield* Effect.forEach(roots, ([root, marker]) => atRoot(row, { root, marker }, options, now))
  }
  const reason = `no root marker (${row.markers.join(", ")}) in the working directory`
  const found = yield* options.supervisor.find(row, options.workspace.root)
  return [
    found.status === "found"
      ? { id: row.id, languages, state: "unavailable", reason, binary: found.command }
      : { id: row.id, languages, state: "unavailable", reason: `${reason}; ${found.reason}` }
  ]
})

export const all = (options: Options): Effect.Effect<ReadonlyArray<Status>> =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const candidates = yield* Roots.all(options.rows, options.workspace)
    const each = yield* Effect.forEach(options.rows, (row) => ofRow(row, candidates.get(row.id) ?? [], options, now))
    return each.flat()
  })
