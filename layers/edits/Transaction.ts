/**
 * Does steps to the disk: all of them, or none.
 *
 * Everything is checked, the journal is written, the new texts are written beside the old ones (here a full disk shows, before
 * anything has changed), and only then are they renamed into place, one synchronous step a file: the old text is compared once
 * more right before its rename, and kept under another name until all is done. What another program writes between that
 * comparison and the rename, microseconds, is not seen if it replaced the file; if it wrote into it, that is seen afterwards
 * and everything is taken back, its text included.
 */
import { Effect, Result } from "effect"
import * as Path from "node:path"
import * as Step from "../../src/edits/Step.ts"
import * as ToolError from "../../src/ToolError.ts"
import type { Workspace } from "../../src/Workspace.ts"
import * as Asides from "./Asides.ts"
import * as Disk from "./Disk.ts"
import type { DirectoryLock } from "./DirectoryLock.ts"
import * as Journal from "./Journal.ts"
import { hash, type JournalEntry } from "./JournalEntry.ts"
import * as Look from "./Look.ts"

export interface Place {
  readonly disk: Disk.Disk
  readonly workspace: Workspace["Service"]
  readonly journal: Journal.Journal
  readonly lock: DirectoryLock
}

export interface Work {
  readonly steps: ReadonlyArray<Step.Step>
  readonly initial: Step.States
}

type SetStep = Extract<Step.Step, { readonly type: "set" }>

/** So many steps without giving way to other fibers. */
const stride = 8
const giveWay = (index: number) => (index % stride === stride - 1 ? Effect.yieldNow : Effect.void)

const mostNamed = 10

const wordFor = (expected: Step.State, actual: Step.State): string =>
  actual === Step.missing
    ? "was deleted"
    : expected === Step.missing
      ? "is there now"
      : actual.startsWith("file:") && expected.startsWith("file:")
        ? "was changed"
        : actual.startsWith("symlink:")
          ? "is a symbolic link now"
          : actual === "directory"
            ? "is a directory now"
            : "is something else now"

/** Everything that is not as the steps need it, before anything is done. */
export const check = Effect.fnUntraced(function* ({ disk, workspace }: Place, work: Work) {
  const problems: Array<string> = []
  const forbidden: Array<string> = []
  let index = 0
  for (const [path, expected] of work.initial) {
    yield* giveWay(index++)
    const resolved = yield* Effect.result(workspace.resolve(path))
    const leads = Result.isSuccess(resolved)
      ? expected.startsWith("symlink:")
        ? resolved.success.entry
        : resolved.success.path
      : resolved.failure.code === "not_found"
        ? path
        : undefined
    if (leads !== path) {
      problems.push(`${workspace.show(path)} is reached through a symbolic link now`)
      continue
    }
    const actual = yield* attempt(path, workspace, () => Look.stateAt(disk, path, expected))
    if (!Step.fits(expected, actual)) problems.push(`${workspace.show(path)} ${wordFor(expected, actual)}`)
  }
  for (const step of work.steps) {
    if (step.type === "move") continue
    yield* giveWay(index++)
    yield* attempt(step.path, workspace, () => {
      const stats = disk.stats(step.path)
      if (step.before?.kind === "file" && stats?.kind === "file") {
        const reason = Look.readOnly(disk, step.path, stats)
        if (reason !== undefined) forbidden.push(`${workspace.show(step.path)}: ${reason}`)
      }
      if (step.before?.kind === "directory" && !step.loose && stats?.kind === "directory") {
        const added = disk.names(step.path).filter((name) => !work.initial.has(Path.join(step.path, name)))
        if (added.length > 0) problems.push(`${workspace.show(step.path)} has something new in it (${added[0]})`)
      }
    })
  }
  const told = (found: ReadonlyArray<string>) =>
    found.slice(0, mostNamed).join("; ") + (found.length > mostNamed ? `; and ${found.length - mostNamed} more` : "")
  if (problems.length > 0) {
    return yield* ToolError.make(
      "stale_edit",
      `${told(problems)}. Nothing was written. Make the edit again from what is there now.`
    )
  }
  if (forbidden.length > 0) return yield* ToolError.make("refused_edit", `${told(forbidden)}. Nothing was written.`)
})

const attempt = <A>(path: string, workspace: Place["workspace"], run: () => A) =>
  Effect.try({
    try: run,
    catch: (cause) =>
      cause instanceof ToolError.ToolError
        ? cause
        : ToolError.make("refused_edit", `${workspace.show(path)}: ${Disk.reasonOf(cause)}.`)
  })

/**
 * Checks and does the steps under the lock of the directory, then runs `done`. Once the first file is touched it cannot be
 * interrupted: it is done and `done` has run, or it is taken back.
 */
export const run = Effect.fnUntraced(function* <A>(place: Place, work: Work, done: () => A) {
  const all = Effect.andThen(check(place, work), finish(place, work, done))
  return yield* work.steps.length > 0 ? place.lock.hold(all) : all
})

const finish = Effect.fnUntraced(function* <A>(place: Place, work: Work, done: () => A) {
  return yield* Effect.uninterruptible(Effect.map(work.steps.length > 0 ? perform(place, work) : Effect.void, done))
})

const perform = Effect.fnUntraced(function* (place: Place, work: Work) {
  const { disk, journal, workspace } = place
  const { root } = workspace
  const written = yield* Effect.try({
    try: () => {
      const entry: JournalEntry = {
        root,
        steps: work.steps,
        initial: withIdentities(disk, work),
        token: Journal.newToken(),
        asides: Asides.directories(disk, root, work.steps)
      }
      return { entry, path: journal.begin(entry) }
    },
    catch: (cause) =>
      ToolError.make(
        "refused_edit",
        `The journal that makes the edit safe cannot be written to ${journal.folder}: ${Disk.reasonOf(cause)}. Nothing was changed.`
      )
  })
  const { entry } = written
  const placed = new Map<number, Disk.Stats>()
  /** The identities of the files that were written here: who else writes the same text writes another file. */
  const own = new Set<string>()
  /** The first step that was not begun. */
  let next = 0

  const forward = Effect.gen(function* () {
    for (const [index, step] of entry.steps.entries()) {
      if (step.type === "move" || step.after?.kind !== "file") continue
      const { after } = step
      yield* attempt(step.path, workspace, () => {
        const now = disk.stats(step.path)
        const fresh = Asides.fresh(entry, index)
        disk.create(fresh, after.bytes, step.before !== null && now !== undefined ? now : after)
        const stats = disk.stats(fresh)
        if (stats === undefined || hash(disk.read(fresh)) !== after.hash) {
          throw ToolError.make("refused_edit", `${workspace.show(step.path)}: the disk did not keep what was written.`)
        }
        placed.set(index, stats)
        own.add(stats.identity)
      })
      yield* giveWay(index)
    }
    for (const [index, step] of entry.steps.entries()) {
      const path = step.type === "move" ? step.from : step.path
      yield* attempt(path, workspace, () => {
        const begin = () => void (next = index + 1)
        if (step.type === "move") move(place, step, begin)
        else set(place, entry, index, step, placed.get(index), begin)
      })
      yield* giveWay(index)
    }
    yield* attempt(root, workspace, () => Asides.clear(disk, entry))
    yield* attempt(root, workspace, () => journal.end(written.path))
  })

  yield* forward.pipe(
    Effect.catchDefect((defect) => Effect.fail(ToolError.make("internal", `${Disk.reasonOf(defect)}.`))),
    Effect.catch(
      Effect.fnUntraced(function* (error) {
        // Each try finds out anew what there is to take back, so one that was cut short does no harm.
        const lost = yield* Effect.retry(takeBack(place, entry, own, next), { times: 3 }).pipe(
          Effect.mapError((failure) =>
            ToolError.make(
              error.code,
              `${error.message} Taking it back failed, too: ${failure.message} The directory is half changed. ` +
                `All texts are in ${written.path}; the next process that edits here takes the edit back.`
            )
          )
        )
        const told =
          lost.length === 0
            ? ["Everything is as it was."]
            : [`Taken back, but for what somebody else changed meanwhile: ${lost.map(workspace.show).join(", ")}.`]
        for (const tidy of [() => Asides.clear(disk, entry), () => Disk.discard(disk, written.path)]) {
          const tidied = yield* attempt(root, workspace, tidy).pipe(Effect.retry({ times: 3 }), Effect.result)
          if (Result.isFailure(tidied))
            told.push(`A temporary file is left (${entry.token}): ${tidied.failure.message}`)
        }
        return yield* ToolError.make(error.code, [error.message, ...told].join(" "))
      })
    )
  )
})

/** What is moved is known again by its identity, which a rename keeps: two directories look alike otherwise. */
const withIdentities = (disk: Disk.Disk, { initial, steps }: Work): Step.States => {
  const states = new Map(initial)
  for (const origin of Step.moved(steps, Path.sep)) {
    const state = states.get(origin)
    const stats = state === Step.anyFile || state === "directory" ? disk.stats(origin) : undefined
    if (stats !== undefined) states.set(origin, Step.same(stats.identity))
  }
  return states
}

const stale = (place: Place, path: string, expected: Step.State, actual: Step.State) =>
  ToolError.make("stale_edit", `${place.workspace.show(path)} ${wordFor(expected, actual)} while the edit was applied.`)

/** Nothing may have come between the check and now. */
const expect = (place: Place, path: string, expected: Step.State, at = path): void => {
  const actual = Look.stateAt(place.disk, at, expected)
  if (!Step.fits(expected, actual)) throw stale(place, path, expected, actual)
}

const move = (place: Place, step: Extract<Step.Step, { readonly type: "move" }>, begin: () => void): void => {
  const { disk } = place
  const [from, to] = [disk.stats(step.from), disk.stats(step.to)]
  if (from === undefined) throw stale(place, step.from, Step.anyFile, Step.missing)
  const isOtherCase = to?.identity === from.identity && step.from.toLowerCase() === step.to.toLowerCase()
  if (to !== undefined && !isOtherCase) throw stale(place, step.to, Step.missing, to.kind)
  begin()
  disk.rename(step.from, step.to)
}

/** Codes of file systems that have no hard links. */
const noLinks = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EXDEV"])

const set = (
  place: Place,
  entry: JournalEntry,
  index: number,
  step: SetStep,
  placed: Disk.Stats | undefined,
  begin: () => void
): void => {
  const { disk } = place
  const { after, before, path } = step
  const [fresh, kept] = [Asides.fresh(entry, index), Asides.kept(entry, index)]
  if (before?.kind === "file" && after?.kind === "file") {
    return replace(place, path, before, { fresh, kept, placed }, begin)
  }
  const isThere = step.loose && after?.kind === "directory" && disk.stats(path)?.kind === "directory"
  if (!isThere) expect(place, path, Step.stateOf(before))
  begin()
  if (before?.kind === "directory") {
    const [added] = disk.names(path)
    if (added !== undefined && step.loose) return
    if (added !== undefined) throw stale(place, Path.join(path, added), Step.missing, Step.anyFile)
    disk.rename(path, kept)
  } else if (after === null) {
    disk.rename(path, kept)
    expect(place, path, Step.stateOf(before), kept)
  } else if (after.kind === "directory") Disk.putDirectory(disk, fresh, path, after.mode)
  else if (after.kind === "symlink") disk.symlink(after.target, path)
  else {
    try {
      // Unlike a rename this fails where something came to be meanwhile.
      disk.link(fresh, path)
    } catch (cause) {
      if (Disk.codeOf(cause) === "EEXIST") throw stale(place, path, Step.missing, Step.anyFile)
      if (!noLinks.has(Disk.codeOf(cause) ?? "")) throw cause
      disk.rename(fresh, path)
    }
  }
}

/**
 * Puts the new text in the place of the old one. The link shows what is replaced, whoever else writes: its text is compared
 * before the rename and after it, and one look right before the rename tells that it is still the file at the path.
 */
const replace = (
  place: Place,
  path: string,
  before: Extract<Step.Entry, { readonly kind: "file" }>,
  { fresh, kept, placed }: { readonly fresh: string; readonly kept: string; readonly placed: Disk.Stats | undefined },
  begin: () => void
): void => {
  const { disk } = place
  const old = Step.stateOf(before)
  const expectText = (at: string) => {
    if (hash(disk.read(at)) !== before.hash) throw stale(place, path, old, Step.anyFile)
  }
  begin()
  try {
    disk.link(path, kept)
  } catch (cause) {
    if (Disk.codeOf(cause) === "ENOENT") throw stale(place, path, old, Step.missing)
    if (!noLinks.has(Disk.codeOf(cause) ?? "")) throw cause
    expect(place, path, old)
    disk.create(kept, before.bytes, before)
    return disk.rename(fresh, path)
  }
  const linked = disk.stats(kept)
  if (linked?.kind !== "file") throw stale(place, path, old, linked?.kind ?? Step.missing)
  expectText(kept)
  if (linked.mode !== placed?.mode) disk.setMode(fresh, linked.mode)
  if (disk.stats(path)?.identity !== linked.identity) throw stale(place, path, old, Step.anyFile)
  disk.rename(fresh, path)
  expectText(kept)
}

/**
 * Takes the steps before `next` back, last first, by what lies on the disk: a step that failed may have been done or not. Returns
 * the paths that somebody else has changed since, which are left as they are.
 */
const takeBack = Effect.fnUntraced(function* (place: Place, entry: JournalEntry, own: Set<string>, next: number) {
  const lost: Array<string> = []
  for (let index = next - 1; index >= 0; index--) {
    const step = entry.steps[index]!
    const path = step.type === "move" ? step.from : step.path
    yield* attempt(path, place.workspace, () => {
      if (step.type === "move") {
        if (place.disk.stats(step.from) === undefined || step.from.toLowerCase() === step.to.toLowerCase()) {
          place.disk.rename(step.to, step.from)
        }
      } else if (!unset(place.disk, entry, index, step, own)) lost.push(path)
    })
    yield* giveWay(index)
  }
  return lost
})

/** Whether what was before lies there again. `own` has the identities of the files that the edit wrote. */
const unset = (
  disk: Disk.Disk,
  entry: JournalEntry,
  index: number,
  { after, before, path }: SetStep,
  own: Set<string>
): boolean => {
  const kept = Asides.kept(entry, index)
  const actual = Look.stateAt(disk, path)
  if (after?.kind === "directory" && actual === "directory") {
    const isEmpty = disk.names(path).length === 0
    if (isEmpty) disk.removeDirectory(path)
    return isEmpty
  }
  const isOurs = after?.kind !== "file" || own.has(disk.stats(path)?.identity ?? "")
  if (!isOurs || actual !== Step.stateOf(after)) return actual === Step.stateOf(before)
  if (before === null) disk.unlink(path)
  else if (disk.stats(kept) !== undefined) disk.rename(kept, path)
  else if (before.kind === "symlink") disk.symlink(before.target, path)
  else if (before.kind === "directory") Disk.putDirectory(disk, Asides.fresh(entry, index), path, before.mode)
  else {
    const fresh = Asides.fresh(entry, index)
    Disk.discard(disk, fresh)
    disk.create(fresh, before.bytes, before)
    own.add(disk.stats(fresh)?.identity ?? "")
    disk.rename(fresh, path)
  }
  return true
}
