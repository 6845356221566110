import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { isDeepStrictEqual } from "node:util"
import type * as Disk from "../../../layers/edits/Disk.ts"
import { hash } from "../../../layers/edits/JournalEntry.ts"
import type { Options } from "../../../layers/edits/NodeEdits.ts"
import type { Plan } from "../../../src/edits/Plan.ts"
import { perform, random, randomPlan, randomTree, shown, type Tree } from "./reference.ts"
import {
  type Changing,
  deadOwner,
  engine,
  type Fate,
  faulty,
  journals,
  makePlace,
  type Place,
  removePlace,
  snapshot
} from "./support.ts"

/** More seeds than the default can be tried with `EDITS_SEEDS=<factor>`. */
const factor = Number(process.env["EDITS_SEEDS"] ?? 1)
const seeds = (count: number) => Array.from({ length: count * factor }, (_, i) => i + 1)

const textHash = (text: string) => hash(Buffer.from(text))

const placeOf = (tree: Tree): Place => {
  const place = makePlace({})
  for (const [path, thing] of tree) {
    const whole = Path.join(place.root, path)
    if (thing.kind === "directory") Fs.mkdirSync(whole, { mode: thing.mode })
    else {
      Fs.writeFileSync(whole, thing.bytes)
      Fs.chmodSync(whole, thing.mode)
    }
  }
  return place
}

const inPlace = <A, E>(tree: Tree, use: (place: Place) => Effect.Effect<A, E>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => placeOf(tree)),
    use,
    (place) => Effect.sync(() => removePlace(place))
  )

/** A tree and a plan that fits it and does at least so many things to the disk. */
const interesting = (seed: number): { readonly tree: Tree; readonly plan: Plan; readonly expected: Tree } => {
  for (let r = random(seed * 7919); ;) {
    const tree = randomTree(r)
    const { expected, plan } = randomPlan(r, tree, textHash, 8)
    if (expected !== undefined && plan.operations.length >= 4) return { tree, plan, expected }
  }
}

/** Applies and undoes; says what became of each. */
const appliedAndUndone = (place: Place, plan: Plan, options: Options = {}) =>
  Effect.scoped(
    Effect.gen(function* () {
      const edits = yield* engine(place, options)
      const done = yield* Effect.result(edits.apply(plan))
      if (Result.isFailure(done)) return { failure: done.failure, edits, id: undefined }
      const id = done.success.edit_id
      const undone = yield* Effect.result(edits.undo(id))
      return { failure: Result.isFailure(undone) ? undone.failure : undefined, edits, id }
    })
  )

describe("any plan on any tree", () => {
  it.live(
    "gives the tree that a naive reference gives, or is refused with the tree as it was; undo gives the old one",
    () =>
      Effect.gen(function* () {
        let done = 0
        for (const seed of seeds(250)) {
          const r = random(seed)
          const tree = randomTree(r)
          const { expected, plan } = randomPlan(r, tree, textHash)
          const context = JSON.stringify({ seed, tree: shown(tree), plan })
          yield* inPlace(tree, (place) =>
            Effect.scoped(
              Effect.gen(function* () {
                const edits = yield* engine(place)
                const before = snapshot(place.root)
                assert.deepStrictEqual(before, shown(tree))
                const staged = yield* Effect.result(edits.stage(plan))
                assert.deepStrictEqual(snapshot(place.root), before)
                assert.strictEqual(Result.isSuccess(staged), expected !== undefined, `${context} ${String(staged)}`)
                if (Result.isFailure(staged) || expected === undefined) return
                done++
                const accepted = yield* Effect.result(edits.accept(staged.success.edit_id))
                assert.isTrue(Result.isSuccess(accepted), `${context} ${String(accepted)}`)
                assert.deepStrictEqual(snapshot(place.root), shown(expected), context)
                const undone = yield* Effect.result(edits.undo(staged.success.edit_id))
                assert.isTrue(Result.isSuccess(undone), `${context} ${String(undone)}`)
                assert.deepStrictEqual(snapshot(place.root), before, context)
                assert.deepStrictEqual(journals(place), [])
              })
            )
          )
        }
        assert.isAbove(done, 60 * factor)
      }),
    60_000 * factor
  )

  it.live("sees operations of the reference refused one by one, too", () =>
    Effect.sync(() => {
      // The reference itself: what it refuses, it leaves as it was.
      const tree: Tree = new Map([["a", { kind: "file", bytes: Buffer.from("x"), mode: 0o644 }]])
      assert.isFalse(perform(tree, { kind: "rename", from: "a", to: "a/b" }, () => undefined))
      assert.deepStrictEqual([...tree.keys()], ["a"])
    })
  )
})

/** The calls of the disk that applying the plan and undoing it makes. */
const callsOf = (tree: Tree, plan: Plan) =>
  inPlace(tree, (place) => {
    const calls: Array<Changing> = []
    const disk = faulty(({ operation }) => (calls.push(operation), "do"))
    return Effect.map(appliedAndUndone(place, plan, { disk }), () => calls)
  })

describe("a disk that fails at one step, of an accept or of an undo", () => {
  for (const seed of seeds(3)) {
    it.live(
      `leaves the tree as it was, byte by byte (plan ${seed})`,
      () =>
        Effect.gen(function* () {
          const { expected, plan, tree } = interesting(seed)
          const calls = yield* callsOf(tree, plan)
          for (const [index, call] of calls.entries()) {
            const fates: ReadonlyArray<Fate> =
              call === "create" ? ["fail", "fail after", "half"] : ["fail", "fail after"]
            for (const fate of fates) {
              yield* inPlace(tree, (place) =>
                Effect.gen(function* () {
                  const before = snapshot(place.root)
                  const disk = faulty(({ number }) => (number === index + 1 ? fate : "do"))
                  const { edits, failure, id } = yield* appliedAndUndone(place, plan, { disk })
                  const context = `${call} ${index + 1} ${fate}: ${String(failure)}`
                  assert.deepStrictEqual(journals(place), [], context)
                  const now = id === undefined || failure === undefined ? before : shown(expected)
                  assert.deepStrictEqual(snapshot(place.root), now, context)
                  // A lock that could not be removed at once is no failure of the edit.
                  if (failure === undefined) return assert.strictEqual(call, "unlink")
                  assert.strictEqual(failure.code, "refused_edit", context)
                  assert.match(failure.message, /Everything is as it was|Nothing was changed/)
                  // The engine is none the worse for it.
                  if (id === undefined) yield* edits.apply(plan)
                  else yield* edits.undo(id)
                  assert.deepStrictEqual(snapshot(place.root), id === undefined ? shown(expected) : before, context)
                })
              )
            }
          }
        }),
      60_000
    )
  }
})

describe("a disk that is full from some step on", () => {
  for (const seed of seeds(3)) {
    it.live(
      `leaves the tree as it was, byte by byte (plan ${seed})`,
      () =>
        Effect.gen(function* () {
          const { expected, plan, tree } = interesting(seed + 100)
          const calls = yield* callsOf(tree, plan)
          let failures = 0
          for (let first = 1; first <= calls.length; first++) {
            yield* inPlace(tree, (place) =>
              Effect.gen(function* () {
                const before = snapshot(place.root)
                const full = new Set<Changing>(["create", "makeDirectory", "symlink"])
                const decide = ({ number, operation }: { number: number; operation: Changing }): Fate =>
                  number < first || !full.has(operation) ? "do" : operation === "create" ? "half" : "fail"
                const disk = faulty(decide, "ENOSPC")
                const { failure, id } = yield* appliedAndUndone(place, plan, { disk })
                if (failure === undefined) return
                failures++
                assert.include(failure.message, "the disk is full")
                assert.deepStrictEqual(
                  snapshot(place.root),
                  id === undefined ? before : shown(expected),
                  failure.message
                )
                assert.deepStrictEqual(journals(place), [])
              })
            )
          }
          assert.isAbove(failures, 0)
        }),
      60_000
    )
  }
})

/** From this step on nothing reaches the disk any more; with `half`, the step itself does so by half. */
const dyingAt = (step: number, half: boolean): Disk.Disk =>
  faulty(({ number, operation }) =>
    number < step ? "do" : number === step && half && operation === "create" ? "half" : "fail"
  )

describe("a process that is gone after any step of an accept or of an undo", () => {
  for (const seed of seeds(4)) {
    it.live(
      `is repaired by the next one, to all or none; a repair that dies, by the one after it (plan ${seed})`,
      () =>
        Effect.gen(function* () {
          const { expected, plan, tree } = interesting(seed + 200)
          const calls = yield* callsOf(tree, plan)
          const r = random(seed)
          for (let step = 1; step <= calls.length; step++) {
            for (const repairsDie of [false, true]) {
              yield* inPlace(tree, (place) =>
                Effect.gen(function* () {
                  const before = snapshot(place.root)
                  const dying = { disk: dyingAt(step, r.chance(0.5)), owner: deadOwner }
                  yield* appliedAndUndone(place, plan, dying)
                  for (let i = 0; i < (repairsDie ? 3 : 0); i++) {
                    const disk = dyingAt(1 + r.int(8), r.chance(0.5))
                    yield* Effect.scoped(engine(place, { disk, owner: { ...deadOwner, start: `${i}` } }))
                  }
                  const repairs = yield* Effect.scoped(Effect.map(engine(place), ({ repairs }) => repairs))
                  const context = `${calls[step - 1]} ${step}, ${repairsDie}: ${JSON.stringify(repairs)}`
                  const now = snapshot(place.root)
                  assert.isTrue(
                    repairs.every(({ outcome }) => outcome !== "left"),
                    context
                  )
                  if (!isDeepStrictEqual(now, shown(expected))) assert.deepStrictEqual(now, before, context)
                  assert.deepStrictEqual(journals(place), [], context)
                })
              )
            }
          }
        }),
      60_000
    )
  }
})
