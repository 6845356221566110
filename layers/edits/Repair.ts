/** What killed processes left of their edits in a directory: taken back or finished, or left alone and told. */
import { Effect, Result } from "effect"
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

const same = (paths: Iterable<string>, expected: Step.States, actual: Step.States): boolean => {
  for (const path of paths) {
    if (!Step.fits(expected.get(path) ?? Step.missing, actual.get(path) ?? Step.missing)) return false
  }
  return true
}

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
  else if (after?.kind === "directory") disk.makeDirectory(path, after.mode)
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

  const { final, touched } = Step.simulate(entry.initial, entry.steps, Path.sep)
  const now = new Map<string, Step.State>()
  for (const path of touched) {
    const state = Look.stateAt(disk, path)
    if (!(yield* isStraight(place, path, state))) {
      return left("a symbolic link is in the way now", [workspace.show(path)])
    }
    now.set(path, state)
  }
  const files = [...new Set(entry.steps.map((step) => workspace.show(step.type === "move" ? step.to : step.path)))]
  const isDone = same(touched, final, now)
  const isUndone = same(touched, entry.initial, now)

  let outcome: "rolled_back" | "completed" = isDone ? "completed" : "rolled_back"
  if (!isDone && !isUndone) {
    const back = Step.rewind(entry.steps, entry.initial, now, Path.sep)
    const forward = Step.rewind(Step.reverse(entry.steps), final, now, Path.sep)
    if (Result.isFailure(back) && Result.isFailure(forward)) {
      return left("these hold something that the journal does not know", back.failure.map(workspace.show))
    }
    outcome = Result.isSuccess(back) ? "rolled_back" : "completed"
    const steps = Result.isSuccess(back) ? back.success : Result.isSuccess(forward) ? forward.success : []
    // A step's temporary file is named after the place of the step in the journal, wherever it comes in the repair.
    const indexOf = new Map(entry.steps.map((step, index) => [step.type === "set" ? step.path : "", index]))
    for (const step of steps) put(disk, entry, step.type === "set" ? (indexOf.get(step.path) ?? 0) : 0, step)
  }
  Asides.clear(disk, entry)
  disk.unlink(found.path)
  return { outcome, reason: "its host was gone before the edit was done", files }
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
    if (status === "unknown") return left(found.path, `its owner is on another machine, ${found.owner.host}`)
    if (!repair) return left(found.path, "this run may not write, so what a killed process began stays as it is")
    if (!found.isWhole) return disk.unlink(found.path)
    const path = journal.claim(found)
    if (path !== undefined) told.push({ journal: path, ...(yield* settle(place, { ...found, path })) })
  })

  yield* Effect.sync(() => journal.list()).pipe(
    Effect.flatMap((found) =>
      Effect.forEach(found, (one) =>
        Effect.catchDefect(visit(one), (defect) => Effect.sync(() => left(one.path, Disk.reasonOf(defect))))
      )
    ),
    Effect.catchDefect((defect) => Effect.sync(() => left(journal.folder, Disk.reasonOf(defect))))
  )
  return told
})
