import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { spawn } from "node:child_process"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import * as Owner from "../../../layers/edits/Owner.ts"
import type { Repair } from "../../../src/Edits.ts"
import type { Operation, Plan } from "../../../src/edits/Plan.ts"
import {
  type Changing,
  deadOwner,
  engine,
  type Files,
  faulty,
  fill,
  journals,
  type Place,
  snapshot,
  tree
} from "./support.ts"

const write = (path: string, text: string): Operation => ({ kind: "write", path, text })
const files: Files = { "a.txt": "a", "b.txt": "b", "c.txt": "c" }
const plan: Plan = { operations: [write("a.txt", "A"), write("b.txt", "B"), write("c.txt", "C")] }

/** Applies a plan by a process that dies before the n-th call of an operation on a path that ends so. */
const dieAt = (place: Place, plan: Plan, operation: Changing, path: string, owner: Owner.Owner = deadOwner) => {
  let isDead = false
  const disk = faulty((step) => {
    isDead ||= step.operation === operation && step.path.endsWith(path)
    return isDead ? "fail" : "do"
  })
  return Effect.scoped(
    Effect.gen(function* () {
      const edits = yield* engine(place, { disk, owner })
      assert.isTrue(Result.isFailure(yield* Effect.result(edits.apply(plan))))
      assert.isTrue(isDead)
    })
  )
}

const start = (place: Place, options: { readonly repair?: boolean } = {}) =>
  Effect.scoped(Effect.map(engine(place, options), ({ repairs }) => repairs))

const outcomes = (repairs: ReadonlyArray<Repair>) => repairs.map(({ files, outcome }) => [outcome, ...files])

const withPlace = <E>(files: Files, use: (place: Place) => Effect.Effect<void, E>) =>
  Effect.scoped(Effect.flatMap(tree(files), use))

describe("what a killed process left", () => {
  it.live("is taken back and told, and gone for the start after that", () =>
    withPlace(files, (place) =>
      Effect.gen(function* () {
        const before = snapshot(place.root)
        yield* dieAt(place, plan, "rename", "b.txt")
        assert.strictEqual(snapshot(place.root)["a.txt"], `file 644 "A"`)
        const repairs = yield* start(place)
        assert.deepStrictEqual(outcomes(repairs), [["rolled_back", "a.txt", "b.txt", "c.txt"]])
        assert.deepStrictEqual(snapshot(place.root), before)
        assert.deepStrictEqual(journals(place), [])
        assert.deepStrictEqual(yield* start(place), [])
      })
    )
  )
  it.live("is completed where all of it was done", () =>
    withPlace(files, (place) =>
      Effect.gen(function* () {
        yield* dieAt(place, plan, "unlink", ".old")
        const repairs = yield* start(place)
        assert.deepStrictEqual(outcomes(repairs), [["completed", "a.txt", "b.txt", "c.txt"]])
        assert.deepStrictEqual(Object.values(snapshot(place.root)), [`file 644 "A"`, `file 644 "B"`, `file 644 "C"`])
      })
    )
  )
  it.live("is not touched where a file holds a text that the journal does not know: the report names it", () =>
    withPlace(files, (place) =>
      Effect.gen(function* () {
        yield* dieAt(place, plan, "rename", "c.txt")
        fill(place.root, { "b.txt": "somebody's own" })
        const before = snapshot(place.root)
        for (let i = 0; i < 2; i++) {
          // The first start has made the journal its own; it is let die by a new name for it.
          const [name] = journals(place)
          const folder = Path.join(place.state, "edits", Fs.readdirSync(Path.join(place.state, "edits"))[0]!)
          const dead = name!.replace(/^.*@([0-9a-f]+\.journal)$/, `${Owner.format(deadOwner)}@$1`)
          Fs.renameSync(Path.join(folder, name!), Path.join(folder, dead))
          const repairs = yield* start(place)
          assert.deepStrictEqual(outcomes(repairs), [["left", "b.txt"]])
          assert.include(repairs[0]!.reason, "does not know")
          assert.isTrue(Fs.existsSync(repairs[0]!.journal))
          assert.deepStrictEqual(snapshot(place.root), before)
        }
      })
    )
  )
  it.live("is taken back also where somebody took back a part by hand", () =>
    withPlace(files, (place) =>
      Effect.gen(function* () {
        const before = snapshot(place.root)
        yield* dieAt(place, plan, "unlink", ".old")
        fill(place.root, { "a.txt": "a" })
        assert.deepStrictEqual(outcomes(yield* start(place))[0]![0], "rolled_back")
        assert.deepStrictEqual(snapshot(place.root), before)
      })
    )
  )
  it.live("is told apart by what was moved: two directories that swap their names", () =>
    withPlace({ "x/1": "1", "y/2": "2" }, (place) =>
      Effect.gen(function* () {
        const rename = (from: string, to: string): Operation => ({ kind: "rename", from, to })
        const swap: Plan = { operations: [rename("x", "t"), rename("y", "x"), rename("t", "y"), write("y/1", "one")] }
        const before = snapshot(place.root)
        yield* dieAt(place, swap, "rename", "1")
        yield* start(place)
        assert.deepStrictEqual(snapshot(place.root), before)
      })
    )
  )
  it.live("is left alone, and told, by a run that may not write", () =>
    withPlace(files, (place) =>
      Effect.gen(function* () {
        yield* dieAt(place, plan, "rename", "b.txt")
        const before = snapshot(place.root)
        const [repair] = yield* start(place, { repair: false })
        assert.strictEqual(repair!.outcome, "left")
        assert.include(repair!.reason, "may not write")
        assert.deepStrictEqual(snapshot(place.root), before)
        assert.deepStrictEqual(outcomes(yield* start(place))[0]![0], "rolled_back")
      })
    )
  )
  it.live("is left alone as long as its owner is alive; a process id that is used again is another owner", () =>
    withPlace(files, (place) =>
      Effect.gen(function* () {
        const child = yield* Effect.acquireRelease(
          Effect.sync(() => spawn("sleep", ["60"])),
          (child) => Effect.sync(() => child.kill("SIGKILL"))
        )
        const fields = Fs.readFileSync(`/proc/${child.pid}/stat`, "utf8").split(") ")[1]!.split(" ")
        const alive: Owner.Owner = { host: Os.hostname(), pid: child.pid!, start: fields[19]! }
        assert.strictEqual(Owner.status(alive), "alive")
        assert.strictEqual(Owner.status({ ...alive, start: "1" }), "dead")
        yield* dieAt(place, plan, "rename", "b.txt", alive)
        const before = snapshot(place.root)
        assert.deepStrictEqual(yield* start(place), [])
        assert.deepStrictEqual(snapshot(place.root), before)
        child.kill("SIGKILL")
        yield* Effect.callback<void>((resume) => void child.once("exit", () => resume(Effect.void)))
        assert.strictEqual(Owner.status(alive), "dead")
        assert.deepStrictEqual(outcomes(yield* start(place))[0]![0], "rolled_back")
      }).pipe(Effect.scoped)
    )
  )
  it.live("of another machine is left alone and told", () =>
    withPlace(files, (place) =>
      Effect.gen(function* () {
        yield* dieAt(place, plan, "rename", "b.txt", { ...deadOwner, host: "else@where" })
        const [repair] = yield* start(place)
        assert.deepStrictEqual(
          [repair!.outcome, repair!.reason],
          ["left", "its owner is on another machine, else@where"]
        )
      })
    )
  )
  it.live("is not repaired through a link that was put in the way, nor from a journal that is damaged", () =>
    withPlace({ "d/a.txt": "a", "d/b.txt": "b" }, (place) =>
      Effect.gen(function* () {
        yield* dieAt(place, { operations: [write("d/a.txt", "A"), write("d/b.txt", "B")] }, "rename", "b.txt")
        const outside = Path.join(place.root, "../outside")
        Fs.renameSync(Path.join(place.root, "d"), outside)
        Fs.symlinkSync(outside, Path.join(place.root, "d"))
        const before = snapshot(outside)
        const [repair] = yield* start(place)
        assert.strictEqual(repair!.outcome, "left")
        assert.deepStrictEqual(snapshot(outside), before)

        const journal = repair!.journal
        const bytes = Fs.readFileSync(journal)
        const dead = Path.join(Path.dirname(journal), `${Owner.format(deadOwner)}@0123.journal`)
        Fs.rmSync(journal)
        for (const damaged of [bytes.subarray(0, bytes.length - 1), Buffer.from("nonsense"), Buffer.alloc(0)]) {
          Fs.writeFileSync(dead, damaged)
          const [told] = yield* start(place)
          assert.strictEqual(told!.outcome, "left")
          assert.include(told!.reason, "the journal cannot be read")
          Fs.rmSync(told!.journal)
        }
      })
    )
  )
  it.live("is repaired once, whoever starts at the same time", () =>
    withPlace(files, (place) =>
      Effect.gen(function* () {
        const before = snapshot(place.root)
        yield* dieAt(place, plan, "rename", "b.txt")
        const all = yield* Effect.all([start(place), start(place), start(place)], { concurrency: "unbounded" })
        assert.deepStrictEqual(all.flatMap(outcomes), [["rolled_back", "a.txt", "b.txt", "c.txt"]])
        assert.deepStrictEqual(snapshot(place.root), before)
        assert.deepStrictEqual(journals(place), [])
      })
    )
  )
  it.live("holds no lock: the next edit takes it over", () =>
    withPlace(files, (place) =>
      Effect.gen(function* () {
        const edits = yield* engine(place)
        yield* dieAt(place, plan, "rename", "b.txt")
        assert.include(journals(place), "lock")
        yield* edits.apply({ operations: [write("d.txt", "d")] })
        assert.notInclude(journals(place), "lock")
      }).pipe(Effect.scoped)
    )
  )
})

describe("an edit that could not be taken back", () => {
  it.live("says so, and is taken back by the next process", () =>
    withPlace(files, (place) =>
      Effect.gen(function* () {
        const before = snapshot(place.root)
        let isBroken = false
        const disk = faulty(({ operation, path }) => {
          isBroken ||= operation === "rename" && path.endsWith("b.txt")
          return isBroken && operation === "rename" ? "fail" : "do"
        })
        const error = yield* engine(place, { disk, owner: deadOwner }).pipe(
          Effect.flatMap((edits) => Effect.flip(edits.apply(plan))),
          Effect.scoped
        )
        assert.match(error.message, /Taking it back failed, too.*half changed.*the next process/s)
        assert.deepStrictEqual(outcomes(yield* start(place))[0]![0], "rolled_back")
        assert.deepStrictEqual(snapshot(place.root), before)
      })
    )
  )
})

describe("somebody else who writes while an edit is applied", () => {
  const others: Readonly<Record<string, (path: string) => void>> = {
    "into the file": (path) => Fs.writeFileSync(path, "theirs"),
    "a file of their own in its place": (path) => {
      Fs.writeFileSync(`${path}.theirs`, "theirs")
      Fs.renameSync(`${path}.theirs`, path)
    }
  }
  for (const [how, interfere] of Object.entries(others)) {
    for (const victim of ["a.txt", "b.txt", "c.txt"]) {
      it.live(`${how} (${victim}) never loses it, and the edit is there whole or not at all`, () =>
        Effect.gen(function* () {
          const steps: Array<string> = []
          yield* withPlace(files, (place) =>
            Effect.gen(function* () {
              const disk = faulty(({ operation, path }) => (steps.push(`${operation} ${Path.basename(path)}`), "do"))
              yield* Effect.flatMap(engine(place, { disk }), (edits) => edits.apply(plan))
            }).pipe(Effect.scoped)
          )
          for (const [index, step] of steps.entries()) {
            // The one place that cannot be seen: between the last look and the rename, by a rename of their own.
            if (step === `rename ${victim}` && how !== "into the file") continue
            yield* withPlace(files, (place) =>
              Effect.gen(function* () {
                const disk = faulty(({ number }) => {
                  if (number === index + 1) interfere(Path.join(place.root, victim))
                  return "do"
                })
                const edits = yield* engine(place, { disk })
                const result = yield* Effect.result(edits.apply(plan))
                const context = `${index + 1} ${step} ${String(result)}`
                const { [victim]: theirs, ...rest } = snapshot(place.root)
                assert.strictEqual(theirs, `file 644 "theirs"`, context)
                const cases = new Set(
                  Object.values(rest).map((text) => text === text.toUpperCase().replace("FILE", "file"))
                )
                assert.strictEqual(cases.size, 1, context)
                assert.strictEqual([...cases][0], Result.isSuccess(result), context)
                if (Result.isFailure(result)) assert.strictEqual(result.failure.code, "stale_edit", context)
                assert.deepStrictEqual(journals(place), [], context)
              }).pipe(Effect.scoped)
            )
          }
        })
      )
    }
  }
})
