import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer, Schema } from "effect"
import { VibeSwitch, layer } from "../../../src/harness/VibeSwitch.ts"
import * as LiveTool from "../../../src/LiveTool.ts"
import * as Surface from "../../../src/Surface.ts"
import { Roster } from "../../../src/vibe/Roster.ts"
import * as VibeTools from "../../../src/vibe/VibeTools.ts"

class Bell extends Context.Service<Bell, { readonly rung: Deferred.Deferred<void> }>()("test/Bell") {}

const wait = LiveTool.make("wait", {
  description: "Waits for the bell.",
  tier: "read",
  parameters: Schema.Struct({}),
  success: Schema.String,
  text: (value) => value,
  requires: [Bell],
  handler: () =>
    Effect.gen(function* () {
      const { rung } = yield* Bell
      yield* Deferred.await(rung)
      return "rung"
    })
})

let opened = 0
let closed = 0
const roster = Layer.effect(
  Roster,
  Effect.acquireRelease(
    Effect.sync(() => {
      opened++
      return Roster.of({
        spawn: ({ cap }) => Effect.succeed({ worker_id: `worker capped at ${cap}`, state: "running" }),
        send: () => Effect.die("not called"),
        wait: () => Effect.die("not called"),
        kill: () => Effect.die("not called"),
        list: Effect.succeed([]),
        undelivered: Effect.succeed([
          { worker_id: "worker_1", label: "l", tier: "good", state: "running", elapsed_seconds: 1 }
        ])
      })
    }),
    () => Effect.sync(() => void closed++)
  )
)

const start = (isOn: boolean) => {
  opened = closed = 0
  const bell = Layer.effect(
    Bell,
    Effect.map(Deferred.make<void>(), (rung) => ({ rung }))
  )
  return Layer.provideMerge(layer({ tools: [wait, ...VibeTools.vibe], cap: "write", isOn, roster }), bell)
}

describe("vibe mode", () => {
  it.effect("brings its tools and its roster, and takes them away; whoever listens is told of each change", () =>
    Effect.gen(function* () {
      const surface = yield* Surface.Wired
      const vibe = yield* VibeSwitch
      let told = 0
      yield* vibe.onChange(Effect.sync(() => void told++))
      const names = () => surface.entries.map(({ name }) => name)
      assert.deepStrictEqual(names(), ["wait"])
      assert.deepStrictEqual(
        surface.absent.find(({ name }) => name === "vibe_spawn"),
        {
          name: "vibe_spawn",
          tier: "read",
          missing: ["vibe mode is off: start with `--vibe` (in the console `:vibe on`, over serve `vibe.set`)"]
        }
      )
      yield* vibe.set(true)
      yield* vibe.set(true)
      assert.deepStrictEqual([yield* vibe.isOn, told, opened, closed], [true, 1, 1, 0])
      assert.deepStrictEqual(names(), ["wait", "vibe_spawn", "vibe_send", "vibe_wait", "vibe_kill", "vibe_list"])
      assert.deepInclude(yield* surface.dispatch("vibe_spawn", { brief: "b", label: "l" }), {
        value: { worker_id: "worker capped at write", state: "running" }
      })
      yield* vibe.set(false)
      assert.deepStrictEqual([yield* vibe.isOn, told, opened, closed], [false, 2, 1, 1])
      assert.deepInclude(yield* surface.dispatch("vibe_list", {}), { isFailure: true, code: "unknown_tool" })
      yield* vibe.set(true)
      assert.deepStrictEqual([opened, closed], [2, 1])
      assert.deepInclude(yield* surface.dispatch("vibe_list", {}), { isFailure: false, value: { workers: [] } })
    }).pipe(Effect.provide(start(false)))
  )

  it.effect("a call that was begun before the surface was made anew goes on", () =>
    Effect.gen(function* () {
      const surface = yield* Surface.Wired
      const vibe = yield* VibeSwitch
      const { rung } = yield* Bell
      assert.isTrue(yield* vibe.isOn)
      const waiting = yield* Effect.forkChild(surface.dispatch("wait", {}), { startImmediately: true })
      yield* vibe.set(false)
      yield* Deferred.succeed(rung, undefined)
      assert.deepInclude(yield* Fiber.join(waiting), { isFailure: false, text: "rung" })
    }).pipe(Effect.provide(start(true)))
  )

  it.effect("knows the workers that are not waited for, and none while it is off", () =>
    Effect.gen(function* () {
      const vibe = yield* VibeSwitch
      const ids = Effect.map(vibe.undelivered, (all) => all.map(({ worker_id }) => worker_id))
      assert.deepStrictEqual(yield* ids, [])
      yield* vibe.set(true)
      assert.deepStrictEqual(yield* ids, ["worker_1"])
      yield* vibe.set(false)
      assert.deepStrictEqual(yield* ids, [])
    }).pipe(Effect.provide(start(false)))
  )

  it.effect("ends with the run", () =>
    Effect.gen(function* () {
      yield* Effect.scoped(Layer.build(start(true)))
      assert.deepStrictEqual([opened, closed], [1, 1])
    })
  )
})
