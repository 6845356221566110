import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Schema } from "effect"
import * as FileLocks from "../../../layers/workspace/FileLocks.ts"

const keys = ["a", "b", "c", "d", "e"]
const Call = Schema.Struct({
  keys: Schema.Array(Schema.Literals(keys)),
  pauses: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 })),
  interrupt: Schema.Boolean
})

describe("withLocks", () => {
  it.effect.prop(
    "never deadlocks, never lets two in, and keeps no entry, with any calls and interruptions",
    [Schema.Array(Call).check(Schema.isMaxLength(12))],
    ([calls]) =>
      Effect.gen(function* () {
        const locks = FileLocks.make()
        const held = new Set<string>()
        const done: Array<number> = []
        const fibers = yield* Effect.forEach(calls, (call, index) =>
          Effect.gen(function* () {
            for (const key of new Set(call.keys)) {
              assert.isFalse(held.has(key), `${key} is held twice`)
              held.add(key)
            }
            for (let i = 0; i < call.pauses; i++) yield* Effect.yieldNow
            done.push(index)
          }).pipe(
            Effect.ensuring(Effect.sync(() => call.keys.forEach((key) => held.delete(key)))),
            locks.withLocks(call.keys),
            Effect.forkChild
          )
        )
        yield* Effect.yieldNow
        yield* Effect.forEach(fibers, (fiber, i) => (calls[i]!.interrupt ? Fiber.interrupt(fiber) : Effect.void))
        yield* Effect.forEach(fibers, (fiber, i) => (calls[i]!.interrupt ? Effect.void : Fiber.join(fiber)))
        calls.forEach((call, i) => call.interrupt || assert.include(done, i))
        assert.strictEqual(locks.size(), 0)
      })
  )
  it.effect("lets calls on other files pass, and those on one file in the order they came", () =>
    Effect.gen(function* () {
      const locks = FileLocks.make()
      const order: Array<string> = []
      const gate = yield* Deferred.make<void>()
      const note = (name: string) => Effect.sync(() => void order.push(name))
      const first = yield* Effect.forkChild(locks.withLocks(["a"])(Deferred.await(gate)), { startImmediately: true })
      const waiting = yield* Effect.forEach(["1", "2", "3"], (name) =>
        Effect.forkChild(locks.withLocks(["a", "z"])(note(name)), { startImmediately: true })
      )
      yield* locks.withLocks(["b"])(note("b"))
      yield* Deferred.succeed(gate, undefined)
      yield* Effect.forEach([first, ...waiting], Fiber.join)
      assert.deepStrictEqual(order, ["b", "1", "2", "3"])
    })
  )
  it.effect("can be interrupted while it waits, and the lock goes to the next", () =>
    Effect.gen(function* () {
      const locks = FileLocks.make()
      const gate = yield* Deferred.make<void>()
      const start = <A>(self: Effect.Effect<A>) =>
        Effect.forkChild(locks.withLocks(["a"])(self), { startImmediately: true })
      const first = yield* start(Deferred.await(gate))
      const second = yield* start(Effect.void)
      const third = yield* start(Effect.succeed("third"))
      yield* Fiber.interrupt(second)
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(first)
      assert.strictEqual(yield* Fiber.join(third), "third")
      assert.strictEqual(locks.size(), 0)
    })
  )
  it.effect("is released by a failure and a defect", () =>
    Effect.gen(function* () {
      const locks = FileLocks.make()
      yield* Effect.exit(locks.withLocks(["a", "b"])(Effect.fail("no")))
      yield* Effect.exit(locks.withLocks(["a", "b"])(Effect.die("no")))
      assert.strictEqual(yield* locks.withLocks(["b", "a"])(Effect.succeed(1)), 1)
    })
  )
  it.effect("takes thousands of files", () =>
    Effect.gen(function* () {
      const locks = FileLocks.make()
      const many = Array.from({ length: 5000 }, (_, i) => `f${i}`)
      assert.strictEqual(yield* locks.withLocks(many)(Effect.sync(locks.size)), 5000)
      assert.strictEqual(locks.size(), 0)
    })
  )
})
