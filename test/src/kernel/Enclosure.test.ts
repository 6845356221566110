import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Result } from "effect"
import * as Enclosure from "../../../src/kernel/Enclosure.ts"

const running: Enclosure.Running = { enter: (program) => ({ ...program, command: "box" }) }

describe("place", () => {
  it.effect("is the enclosure that runs", () =>
    Effect.gen(function* () {
      const port = { running: Effect.succeed(Result.succeed(running)), isHostAllowed: false }
      assert.strictEqual(yield* Enclosure.place(port), running)
    })
  )

  it.effect("is the host where none is wired", () =>
    Effect.gen(function* () {
      const port = Context.get(Context.empty(), Enclosure.Enclosure)
      assert.isUndefined(yield* Enclosure.place(port))
    })
  )

  it.effect("is nowhere where the host is not allowed, and says why", () =>
    Effect.gen(function* () {
      const port = { running: Effect.succeed(Result.fail("the container is stopped")), isHostAllowed: false }
      const why = yield* Effect.flip(Enclosure.place(port))
      assert.include(why, "no enclosure is running: the container is stopped")
    })
  )

  it.effect("is asked anew each time, and starts nothing", () =>
    Effect.gen(function* () {
      let isUp = false
      const port = {
        running: Effect.sync(() => (isUp ? Result.succeed(running) : Result.fail("not yet"))),
        isHostAllowed: true
      }
      assert.isUndefined(yield* Enclosure.place(port))
      isUp = true
      assert.strictEqual(yield* Enclosure.place(port), running)
    })
  )
})
