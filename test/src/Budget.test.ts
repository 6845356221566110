import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Option, Ref, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as Budget from "../../src/Budget.ts"

describe("Budget", () => {
  it.effect("within: gives what ends in time, interrupts what does not", () =>
    Effect.gen(function* () {
      const interrupted = yield* Ref.make(false)
      const slow = Effect.onInterrupt(Effect.sleep("10 seconds"), () => Ref.set(interrupted, true))
      const inTime = yield* Effect.forkChild(Budget.within(Budget.after("11 seconds"))(Effect.as(slow, "done")))
      const late = yield* Effect.forkChild(Budget.within(Budget.after("9 seconds"))(slow))
      yield* TestClock.adjust("11 seconds")
      assert.deepStrictEqual(yield* Fiber.join(inTime), Option.some("done"))
      assert.deepStrictEqual(yield* Fiber.join(late), Option.none())
      assert.isTrue(yield* Ref.get(interrupted))
    })
  )

  it.effect("idle: activity re-arms it, a pause stops it, the scope ends it", () =>
    Effect.gen(function* () {
      const spent = yield* Ref.make(0)
      const scope = yield* Scope.make()
      const idle = yield* Scope.provide(
        Budget.idle(
          Budget.after("5 minutes"),
          Ref.update(spent, (n) => n + 1)
        ),
        scope
      )
      yield* TestClock.adjust("4 minutes")
      yield* idle.touch
      yield* TestClock.adjust("4 minutes")
      assert.strictEqual(yield* Ref.get(spent), 0)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* Ref.get(spent), 1)
      yield* idle.touch
      yield* idle.pause
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(yield* Ref.get(spent), 1)
      yield* idle.touch
      yield* Scope.close(scope, Exit.void)
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(yield* Ref.get(spent), 1)
    })
  )
})
