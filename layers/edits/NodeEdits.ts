/** The edit engine on this machine's file system. */
import { Effect, Layer, Result, Semaphore } from "effect"
import * as Path from "node:path"
import { type Edit, Edits, type Event, type Resolved, type State } from "../../src/Edits.ts"
import * as Change from "../../src/edits/Change.ts"
import * as Content from "../../src/edits/Content.ts"
import { pathsOf, type Plan } from "../../src/edits/Plan.ts"
import * as Staging from "../../src/edits/Staging.ts"
import * as Step from "../../src/edits/Step.ts"
import type * as VirtualTree from "../../src/edits/VirtualTree.ts"
import * as ToolError from "../../src/ToolError.ts"
import { Workspace } from "../../src/Workspace.ts"
import * as DirectoryLock from "./DirectoryLock.ts"
import * as Disk from "./Disk.ts"
import * as Journal from "./Journal.ts"
import { hash } from "./JournalEntry.ts"
import * as Look from "./Look.ts"
import * as Owner from "./Owner.ts"
import * as Repair from "./Repair.ts"
import * as StateFolder from "./StateFolder.ts"
import * as Transaction from "./Transaction.ts"

export interface Options {
  /** Where journals are kept. Default: the user's state folder (`StateFolder.path`). */
  readonly stateFolder?: string
  /** Whether edits that killed processes left are repaired now. Default true; a run capped at `read` gives false. */
  readonly repair?: boolean
  /** How much of a change is shown. */
  readonly bounds?: Partial<Change.Bounds>
  /** Bytes of old and new texts of one edit, which are kept for undo. Default 256 MiB. */
  readonly maxBytes?: number
  /** @internal For tests that let the disk fail. */
  readonly disk?: Disk.Disk
  /** @internal For tests that play another process. */
  readonly owner?: Owner.Owner
}

const defaultMaxBytes = 256 * 1024 * 1024

interface Kept {
  readonly id: string
  readonly label: string | undefined
  readonly told: Pick<Edit, "files" | "warnings">
  /** One decision on an edit at a time. */
  readonly turn: Semaphore.Semaphore
  state: State
  /** What accept (in `staged`) or undo (in `accepted`) would do. */
  work: Transaction.Work | undefined
}

const toldOf = (kept: Kept): Edit => ({
  edit_id: kept.id,
  state: kept.state,
  ...(kept.label === undefined ? {} : { label: kept.label }),
  ...kept.told
})

const saying: Readonly<Record<State, string>> = {
  staged: "is staged and was not accepted: accept or discard it.",
  accepted: "was accepted already; undo takes it back.",
  undone: "was undone. Make the edit again to get a new one.",
  discarded: "was discarded. Make the edit again to get a new one."
}

const eventsOf = (before: Step.States, after: Step.States): ReadonlyArray<Event> => {
  const events: Array<Event> = []
  for (const path of new Set([...before.keys(), ...after.keys()])) {
    const [old, now] = [before.get(path) ?? Step.missing, after.get(path) ?? Step.missing]
    if (old === now) continue
    events.push({ path, event: old === Step.missing ? "created" : now === Step.missing ? "deleted" : "changed" })
  }
  return events
}

/** `Edits` for the directory of the `Workspace`. What killed processes left there is repaired while the layer is built. */
export const layer = (options: Options = {}): Layer.Layer<Edits, never, Workspace> =>
  Layer.effect(
    Edits,
    Effect.gen(function* () {
      const workspace = yield* Workspace
      const disk = options.disk ?? Disk.node
      const bounds: Change.Bounds = { ...Change.defaultBounds, ...options.bounds }
      const maxBytes = options.maxBytes ?? defaultMaxBytes
      const stateFolder = options.stateFolder ?? StateFolder.path(process.env, process.platform)
      const journal = Journal.make(disk, stateFolder, workspace.root, options.owner ?? Owner.self())
      const place = { disk, workspace, journal, lock: DirectoryLock.make(disk, journal) }

      const repairs = yield* Repair.all(place, options.repair ?? true)
      for (const repair of repairs) {
        yield* Effect.logWarning(`An edit of a killed process: ${repair.outcome}, ${repair.reason}`, repair)
      }

      const looking = <A>(path: string, look: () => A) =>
        Effect.try({
          try: look,
          catch: (cause) =>
            cause instanceof ToolError.ToolError
              ? cause
              : ToolError.make("not_found", `${workspace.show(path)} cannot be read: ${Disk.reasonOf(cause)}.`)
        })

      const view: VirtualTree.Disk = {
        root: workspace.root,
        separator: Path.sep,
        lexical: (path) => Path.resolve(workspace.root, path),
        resolve: workspace.resolve,
        show: workspace.show,
        isIgnored: workspace.isIgnored,
        hash,
        list: (path) => looking(path, () => disk.names(path)),
        look: (path, content) =>
          looking(path, () => Look.look(disk, path, content ? { maxBytes, shown: workspace.show(path) } : undefined))
      }

      const edits = new Map<string, Kept>()
      let count = 0
      /** Two edits never write at the same time: one may move a directory in which the other has a file. */
      const writing = yield* Semaphore.make(1)

      const keep = (plan: Plan, staged: Staging.Staged, state: State, work: Transaction.Work): Kept => {
        const kept: Kept = {
          id: `edit_${++count}`,
          label: plan.label,
          told: { files: staged.files, warnings: staged.warnings },
          turn: Semaphore.makeUnsafe(1),
          state,
          work
        }
        edits.set(kept.id, kept)
        return kept
      }

      const find = (id: string) =>
        Effect.suspend(() => {
          const kept = edits.get(id)
          if (kept !== undefined) return Effect.succeed(kept)
          const staged = [...edits.values()].filter(({ state }) => state === "staged").map(({ id }) => id)
          const known = staged.length === 0 ? "No edit is staged." : `Staged: ${staged.join(", ")}.`
          return Effect.fail(ToolError.make("unknown_edit", `There is no edit "${id}" in this run. ${known}`))
        })

      /** Does the work; `done` gets what takes it back. Both or neither happen, also when the fiber is interrupted. */
      const carryOut = (work: Transaction.Work, done: (inverse: Transaction.Work) => Kept) =>
        writing.withPermit(
          Transaction.run(place, work, (): Resolved => {
            const { final } = Step.simulate(work.initial, work.steps, Path.sep)
            const kept = done({ steps: Step.reverse(work.steps), initial: final })
            return { ...toldOf(kept), events: work.steps.length === 0 ? [] : eventsOf(work.initial, final) }
          })
        )

      const locksOf = (work: Transaction.Work) =>
        work.steps.flatMap((step) => (step.type === "move" ? [step.from, step.to] : [step.path]))

      /** From one state to another by doing the work that is kept; a failure changes neither. */
      const advance = (id: string, from: State, to: State) =>
        Effect.gen(function* () {
          const kept = yield* find(id)
          const resolved = Effect.gen(function* () {
            if (kept.state !== from || kept.work === undefined) {
              return yield* ToolError.make("refused_edit", `${id} ${saying[kept.state]}`)
            }
            const done = (inverse: Transaction.Work) => {
              kept.state = to
              kept.work = to === "accepted" ? inverse : undefined
              return kept
            }
            return yield* workspace.withLocks(locksOf(kept.work))(carryOut(kept.work, done))
          })
          return yield* kept.turn.withPermit(resolved)
        })

      const applyLocked = Effect.fnUntraced(function* (plan: Plan) {
        const staged = yield* Staging.stage(plan, view, { bounds, maxBytes })
        return yield* carryOut({ steps: staged.steps, initial: staged.originals }, (inverse) =>
          keep(plan, staged, "accepted", inverse)
        )
      })

      /** The locks of what the paths lead to; one that leads nowhere has none, and the staging says so. */
      const locked = Effect.fnUntraced(function* (paths: ReadonlyArray<string>) {
        const resolved = yield* Effect.forEach(paths, (path) => Effect.result(workspace.resolve(path)))
        return workspace.withLocks(
          resolved.flatMap((one) => (Result.isSuccess(one) ? [one.success.entry, one.success.path] : []))
        )
      })

      return Edits.of({
        read: Effect.fn("Edits.read")(function* (path) {
          const resolved = yield* workspace.existing(path)
          const looked = yield* view.look(resolved.path, true)
          if (looked.kind !== "file" || looked.content === undefined) {
            return yield* ToolError.make("not_text", `${workspace.show(resolved.path)} is not a file (${looked.kind}).`)
          }
          const text = Content.decode(looked.content.bytes)
          if (text === undefined) {
            return yield* ToolError.make("not_text", `${workspace.show(resolved.path)} is not valid UTF-8.`)
          }
          return { path: resolved.path, text: text.text, hash: hash(Content.encode({ text: text.text, mark: false })) }
        }),
        hash: (text) => hash(Content.encode({ text, mark: false })),
        stage: Effect.fn("Edits.stage")(function* (plan) {
          const staged = yield* Staging.stage(plan, view, { bounds, maxBytes })
          return toldOf(keep(plan, staged, "staged", { steps: staged.steps, initial: staged.originals }))
        }),
        accept: Effect.fn("Edits.accept")((id) => advance(id, "staged", "accepted")),
        undo: Effect.fn("Edits.undo")((id) => advance(id, "accepted", "undone")),
        discard: Effect.fn("Edits.discard")(function* (id) {
          const kept = yield* find(id)
          return yield* kept.turn.withPermit(
            Effect.suspend(() => {
              if (kept.state === "accepted" || kept.state === "undone") {
                return Effect.fail(ToolError.make("refused_edit", `${id} ${saying[kept.state]}`))
              }
              kept.state = "discarded"
              kept.work = undefined
              return Effect.succeed({ ...toldOf(kept), events: [] })
            })
          )
        }),
        apply: Effect.fn("Edits.apply")(function* (plan) {
          const lock = yield* locked(plan.operations.flatMap(pathsOf))
          return yield* lock(applyLocked(plan))
        }),
        applyWith: (paths, make) =>
          Effect.flatMap(locked(paths), (lock) => lock(Effect.flatMap(make, applyLocked))).pipe(
            Effect.withSpan("Edits.applyWith")
          ),
        describe: Effect.fn("Edits.describe")(function* (id) {
          return toldOf(yield* find(id))
        }),
        list: Effect.sync(() => [...edits.values()].map(toldOf)),
        repairs
      })
    })
  )
