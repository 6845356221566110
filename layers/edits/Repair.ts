/** What killed processes left of their edits in a directory: taken back or finished, or left alone and told. */
import { Cause, Effect, Result } from "effect"
import * as Path from "node:path"
import type { Repair } from "../../src/Edits.ts"
import * as Step from "../../src/edits/Step.ts"
import * as Asides from "./Asides.ts"
import * as Disk from "./Disk.ts"
import type { Found } from "./Journal.ts"
import * as JournalEntry from "./JournalEntry.ts"
import * as Look from "./Look.ts"
import * as Owner from "./Owner.ts"
import type { Place } from "./Transaction.ts"

type Told = Omit<Repair, "journal">

/** Does one step to the disk, whatever temporary files an earlier try left. */
const put = (disk: Disk.Disk, entry: JournalEntry.JournalEntry, index: number, step: Step.Step): void => {
  if (step.type === "move") return disk.rename(step.from, step.to)
  const { after, before, path } = step
  if (after?.kind === "file") {
    const fresh = Asides.fresh(entry, index)
    Disk.discard(disk, fresh)
    disk.create(fresh, after.bytes, after)
    disk.rename(fresh, path)
  } else if (after?.kind === "symlink") disk.symlink(after.target, path)
  else if (after?.kind === "directory") Disk.putDirectory(disk, Asides.fresh(entry, index), path, after.mode)
  else if (before?.kind !== "directory") disk.unlink(path)
  else if (disk.names(path).length === 0) disk.removeDirectory(path)
}

/** Every path of the journal leads to itself: no link was put in its way that would carry a repair elsewhere. */
const isStraight = (place: Place, path: string, state: Step.State): Effect.Effect<boolean> =>
  Effect.match(place.workspace.resolve(path), {
    onFailure: (error) => error.code === "not_found",
    onSuccess: (resolved) => (state.startsWith("symlink:") ? resolved.entry : resolved.path) === path
  })

const settle = Effect.fnUntraced(function* (place: Place, found: Found): Effect.fn.Return<Told> {
  const { disk, workspace } = place
  const left = (reason: string, files: ReadonlyArray<string> = []): Told => ({ outcome: "left", reason, files })

  const read = yield* Effect.sync(() => JournalEntry.decode(disk.read(found.path)))
  if (Result.isFailure(read)) return left(`the journal cannot be read: ${read.failure}`)
  const entry = read.success
  if (entry.root !== workspace.root) return left(`the journal is of another directory, ${entry.root}`)

  const { touched } = Step.simulate(entry.initial, entry.steps, Path.sep)
  const now = new Map<string, { readonly state: Step.State; readonly identity: Step.State | undefined }>()
  for (const path of touched) {
    const state = Look.stateAt(disk, path)
    if (!(yield* isStraight(place, path, state))) {
      return left("a symbolic link is in the way now", [workspace.show(path)])
    }
    const stats = disk.stats(path)
    now.set(path, { state, identity: stats === undefined ? undefined : Step.same(stats.identity) })
  }
  const lies = (path: string, expected: Step.State) => {
    const found = now.get(path)
    return Step.fits(expected, found?.state ?? Step.missing) || found?.identity === expected
  }
  const done = Step.done(entry.steps, entry.initial, lies, Path.sep)
  if (Result.isFailure(done)) {
    return left("these hold something that the journal does not know", done.failure.map(workspace.show))
  }
  const isAll = done.success.length === entry.steps.length
  if (!isAll) {
    const isDone = new Set(done.success)
    for (const [index, step] of [...entry.steps.entries()].toReversed()) {
      if (isDone.has(step)) put(disk, entry, index, Step.invert(step))
    }
  }
  const files = [...new Set(entry.steps.map((step) => workspace.show(step.type === "move" ? step.to : step.path)))]
  Asides.clear(disk, entry)
  disk.unlink(found.path)
  return { outcome: isAll ? "completed" : "rolled_back", reason: "its host was gone before the edit was done", files }
})

/**
 * Looks at every journal of the directory whose owner is gone. `repair: false` touches nothing and tells what is there. A failure
 * of the disk in the middle leaves the journal, for the next process.
 */
export const all = Effect.fnUntraced(function* (
  place: Place,
  repair: boolean
): Effect.fn.Return<ReadonlyArray<Repair>> {
  const { disk, journal } = place
  const told: Array<Repair> = []
  const left = (path: string, reason: string) => void told.push({ outcome: "left", reason, files: [], journal: path })

  const visit = Effect.fnUntraced(function* (found: Found) {
    const status = Owner.status(found.owner)
    if (status === "alive") return
    if (!found.isWhole) return status === "dead" && repair ? Disk.discard(disk, found.path) : undefined
    if (status === "unknown") return left(found.path, `its owner is on another machine, ${found.owner.host}`)
    if (!repair) return left(found.path, "this run may not write, so what a killed process began stays as it is")
    const settled = Effect.suspend(() => {
      const path = journal.claim(found)
      return path === undefined
        ? Effect.void
        : Effect.map(settle(place, { ...found, path }), (outcome) => void told.push({ journal: path, ...outcome }))
    })
    yield* place.lock.hold(settled)
  })
  /** A disk that fails is told, like everything that leaves a journal where it is. */
  const telling = <A, E>(path: string, self: Effect.Effect<A, E>) =>
    Effect.catchCause(self, (cause) => Effect.sync(() => left(path, Disk.reasonOf(Cause.squash(cause)))))

  const visits = Effect.suspend(() => Effect.forEach(journal.list(), (found) => telling(found.path, visit(found))))
  yield* telling(journal.folder, visits)
  const lock = Effect.suspend(() => (repair && place.lock.isLeft() ? place.lock.hold(Effect.void) : Effect.void))
  yield* telling(journal.folder, lock)
  return told
})
