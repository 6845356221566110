import { assert, describe, it } from "@effect/vitest"
import { Cause, Context, Deferred, Effect, Exit, Fiber, Layer, Option, Ref, Schema, Scope, Stream } from "effect"
import { type Call, CurrentCall, noTools, ProgressSink } from "../../src/Call.ts"
import { Gate } from "../../src/Gate.ts"
import * as LiveTool from "../../src/LiveTool.ts"
import * as Parameters from "../../src/Parameters.ts"
import * as Surface from "../../src/Surface.ts"
import * as ToolError from "../../src/ToolError.ts"

class Lamp extends Context.Service<Lamp, { readonly lit: Ref.Ref<ReadonlyArray<string>> }>()("test/Lamp") {
  static readonly layer = Layer.effect(
    Lamp,
    Effect.map(Ref.make<ReadonlyArray<string>>([]), (lit) => Lamp.of({ lit }))
  )
}
class Door extends Context.Service<Door, { readonly open: Deferred.Deferred<void> }>()("test/Door") {
  static readonly layer = Layer.effect(
    Door,
    Effect.map(Deferred.make<void>(), (open) => Door.of({ open }))
  )
}

const Empty = Schema.Struct({})
const look = LiveTool.make("look", {
  description: "Looks at the lamp.",
  tier: "read",
  parameters: Empty,
  success: Schema.Struct({ lit: Schema.Array(Schema.String) }),
  text: ({ lit }) => `lit: ${lit.join(",")}`,
  requires: [Lamp],
  handler: () => Effect.flatMap(Lamp, (lamp) => Effect.map(Ref.get(lamp.lit), (lit) => ({ lit })))
})

const light = LiveTool.make("light", {
  description: "Lights one lamp.",
  tier: "write",
  parameters: Schema.Struct({
    id: Schema.NonEmptyString.annotate({ description: "which lamp" }),
    times: Schema.optionalKey(
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 3 })).annotate({ description: "how often" })
    )
  }),
  success: Schema.Struct({ id: Schema.String }),
  text: ({ id }) => `lit ${id}`,
  requires: [Lamp],
  handler: ({ id }) =>
    Effect.flatMap(Lamp, (lamp) =>
      Effect.as(
        Ref.update(lamp.lit, (lit) => [...lit, id]),
        { id }
      )
    )
})

const drive = LiveTool.make("drive", {
  description: "Drives through the door.",
  tier: "exec",
  parameters: Schema.Struct({
    op: Schema.Literals(["wait", "note", "stop", "fail", "die", "nest"]).annotate({ description: "what to do" }),
    id: Schema.optionalKey(Schema.String.annotate({ description: "whose turn" })),
    place: Schema.optionalKey(Schema.String.annotate({ description: "where" }))
  }),
  success: Schema.String,
  text: (value) => value,
  requires: [Door, Lamp],
  operations: {
    by: "op",
    uses: { wait: { optional: ["id"] }, note: { required: ["id"] }, stop: {}, fail: {}, die: {}, nest: {} }
  },
  serialKey: () => "car",
  overtakes: ({ op }) => op === "stop",
  handler: Effect.fnUntraced(function* ({ id, op }, call: Call) {
    const { open } = yield* Door
    const { lit } = yield* Lamp
    switch (op) {
      case "wait":
        yield* call.progress("waiting", 10)
        yield* Effect.onInterrupt(Deferred.await(open), () => Ref.update(lit, (all) => [...all, "interrupted"]))
        break
      case "fail":
        return yield* ToolError.make("not_ready", "The engine is cold. Call note first.")
      case "die":
        return yield* Effect.die(new Error("no engine"))
      case "nest":
      case "note":
      case "stop":
    }
    yield* Ref.update(lit, (all) => [...all, `${op} ${id ?? ""}`.trim()])
    return op
  })
})

const resources = Layer.merge(Lamp.layer, Door.layer)
const lit = Effect.flatMap(Lamp, (lamp) => Ref.get(lamp.lit))

describe("Surface.makeWired", () => {
  it.effect("drops each tool whose key is not wired and says which", () =>
    Effect.gen(function* () {
      const none = yield* Surface.makeWired([look, light, drive])
      assert.deepStrictEqual(none.entries.length, 0)
      assert.deepStrictEqual(none.absent, [
        { name: "look", tier: "read", missing: ["test/Lamp is not wired"] },
        { name: "light", tier: "write", missing: ["test/Lamp is not wired"] },
        { name: "drive", tier: "exec", missing: ["test/Door is not wired", "test/Lamp is not wired"] }
      ])
      const lamp = yield* Effect.provide(Surface.makeWired([look, light, drive]), Lamp.layer)
      assert.deepStrictEqual(
        lamp.entries.map((entry) => entry.name),
        ["look", "light"]
      )
      assert.deepStrictEqual(lamp.absent, [{ name: "drive", tier: "exec", missing: ["test/Door is not wired"] }])
      const missing = new Map([Lamp.key, Door.key].map((key) => [key, "the power is off"]))
      assert.deepStrictEqual((yield* Surface.makeWired([drive], { cap: "read", missing })).absent, [
        { name: "drive", tier: "exec", missing: ["the power is off", "its tier is exec, the cap is read"] }
      ])
    })
  )

  it.effect("capped at read, has no higher schema and refuses a call by name as an unknown tool", () =>
    Effect.gen(function* () {
      const surface = yield* Effect.provide(Surface.makeWired([look, light, drive], { cap: "read" }), resources)
      assert.deepStrictEqual(Object.keys(surface.ready.tools), ["look"])
      assert.deepStrictEqual(Object.keys(surface.toolkit.tools), ["look"])
      assert.deepStrictEqual(
        surface.toFunctions().map((f) => f.name),
        ["look"]
      )
      assert.deepStrictEqual(yield* surface.dispatch("light", { id: "a" }), {
        isFailure: true,
        code: "unknown_tool",
        text: "There is no tool `light` here. The tools are: look."
      })
      assert.deepStrictEqual(surface.absent[0], {
        name: "light",
        tier: "write",
        missing: ["its tier is write, the cap is read"]
      })
    })
  )

  it.effect("refuses two tools of one name", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Surface.makeWired([look, light, { ...drive, name: "look" }]))
      assert.strictEqual(error.name, "look")
      assert.match(error.message, /Two tools are named `look`/)
    })
  )

  it.effect("is a layer too", () =>
    Effect.gen(function* () {
      const surface = yield* Surface.Wired
      assert.deepStrictEqual(yield* surface.dispatch("look", {}), {
        isFailure: false,
        text: "lit: ",
        value: { lit: [] }
      })
    }).pipe(Effect.provide(Layer.provide(Surface.layerWired([look, light, drive]), resources)))
  )
})

const invalid = (name: string, params: unknown) =>
  Effect.flatMap(Surface.makeWired([look, light, drive]), (surface) =>
    Effect.map(surface.dispatch(name, params), (answer) => {
      assert.isTrue(answer.isFailure && answer.code === "invalid_params")
      return answer.text
    })
  ).pipe(Effect.provide(resources))

describe("parameters", () => {
  it.effect("names the unknown, the missing and the wrong ones, all at once", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* invalid("light", { ids: "a", times: 9 }),
        "Invalid parameters for light: `ids` is not a parameter of it. Did you mean `id`? `id` is missing. " +
          "`times`: expected a value between 1 and 3. It takes `id`, `times` (optional)."
      )
      assert.match(yield* invalid("light", "a"), /must be one JSON object/)
      assert.match(yield* invalid("look", { any: 1 }), /`any` is not a parameter of it\. It takes no parameters\./)
      assert.match(
        yield* invalid("light", JSON.parse('{"id":"a","__proto__":1}')),
        /`__proto__` is not a parameter of it/
      )
    })
  )

  it.effect("names one that the operation does not use, or needs", () =>
    Effect.gen(function* () {
      assert.match(
        yield* invalid("drive", { op: "stop", place: "x" }),
        /`place` is not used by op `stop`, which takes nothing else\./
      )
      assert.match(yield* invalid("drive", { op: "note" }), /`id` is missing: op `note` needs `id`\./)
      assert.match(
        yield* invalid("drive", { op: "note", id: "a", place: "b" }),
        /`place` is not used by op `note`, which takes `id`/
      )
    })
  )

  it.effect("takes null for an optional one as not given (agent-tool-reports E27), never for a required one", () =>
    Effect.gen(function* () {
      const surface = yield* Surface.makeWired([light])
      assert.isFalse((yield* surface.dispatch("light", { id: "a", times: null })).isFailure)
      assert.isTrue((yield* surface.dispatch("light", { id: null })).isFailure)
    }).pipe(Effect.provide(resources))
  )

  it("are a plain object for a tool that takes none, with no word that providers refuse", () => {
    assert.deepStrictEqual<unknown>(Parameters.jsonSchema(Schema.Struct({})), {
      type: "object",
      properties: {},
      required: [],
      additionalProperties: false
    })
  })

  it.effect("have a closed JSON Schema in every shape that hosts take", () =>
    Effect.gen(function* () {
      const surface = yield* Surface.makeWired([light])
      const expected = {
        type: "object",
        properties: {
          id: { type: "string", minLength: 1, description: "which lamp" },
          times: { type: "integer", minimum: 1, maximum: 3, description: "how often" }
        },
        required: ["id"],
        additionalProperties: false
      }
      assert.deepStrictEqual<unknown>(surface.entries[0]?.jsonSchema, expected)
      assert.deepStrictEqual<unknown>(surface.toFunctions()[0]?.jsonSchema, expected)
      const tool = surface.ready.tools["light"]
      assert.deepStrictEqual<unknown>(Object.getOwnPropertyDescriptor(tool, "jsonSchema")?.value, expected)
      assert.deepStrictEqual(Context.getOption(tool!.annotations, Surface.TierAnnotation), Option.some("write"))
    }).pipe(Effect.provide(resources))
  )
})

describe("calls", () => {
  it.effect("give value and text", () =>
    Effect.gen(function* () {
      const surface = yield* Surface.make([look, light, drive])
      assert.deepStrictEqual(yield* surface.call("light", { id: "a" }), {
        isFailure: false,
        text: "lit a",
        value: { id: "a" }
      })
      const seen = yield* surface.call("look", {})
      assert.deepStrictEqual(seen.isFailure ? [] : seen.value.lit, ["a"])
    }).pipe(Effect.provide(resources))
  )

  it.effect("of one serial key keep their order; the overtaking ones overtake", () =>
    Effect.gen(function* () {
      const surface = yield* Surface.make([drive])
      const { open } = yield* Door
      const run = (params: LiveTool.ParamsOf<typeof drive>) =>
        Effect.forkChild(surface.call("drive", params), { startImmediately: true })
      const fibers = [
        yield* run({ op: "wait", id: "1" }),
        yield* run({ op: "note", id: "2" }),
        yield* run({ op: "note", id: "3" })
      ]
      yield* surface.call("drive", { op: "stop" })
      assert.deepStrictEqual(yield* lit, ["stop"])
      yield* Deferred.succeed(open, undefined)
      yield* Fiber.awaitAll(fibers)
      assert.deepStrictEqual(yield* lit, ["stop", "wait 1", "note 2", "note 3"])
    }).pipe(Effect.provide(resources))
  )

  it.effect("of one serial key keep their order across the surfaces of a run", () =>
    Effect.gen(function* () {
      const first = yield* Surface.make([drive])
      const second = yield* Surface.make([drive])
      const { open } = yield* Door
      const waiting = yield* Effect.forkChild(first.call("drive", { op: "wait" }), { startImmediately: true })
      const noting = yield* Effect.forkChild(second.call("drive", { op: "note", id: "2" }), { startImmediately: true })
      yield* Effect.yieldNow
      assert.deepStrictEqual(yield* lit, [])
      yield* Deferred.succeed(open, undefined)
      yield* Fiber.awaitAll([waiting, noting])
      assert.deepStrictEqual(yield* lit, ["wait", "note 2"])
    }).pipe(Effect.provide(resources))
  )

  it.effect("one that is interrupted while it waits its turn leaves the line intact", () =>
    Effect.gen(function* () {
      const surface = yield* Surface.make([drive])
      const { open } = yield* Door
      const run = (params: LiveTool.ParamsOf<typeof drive>) =>
        Effect.forkChild(surface.call("drive", params), { startImmediately: true })
      const first = yield* run({ op: "wait", id: "1" })
      const second = yield* run({ op: "note", id: "2" })
      const third = yield* run({ op: "note", id: "3" })
      yield* Fiber.interrupt(second)
      assert.deepStrictEqual(yield* lit, [])
      yield* Deferred.succeed(open, undefined)
      yield* Fiber.awaitAll([first, third])
      assert.deepStrictEqual(yield* lit, ["wait 1", "note 3"])
    }).pipe(Effect.provide(resources))
  )

  it.effect("made by a call that holds the same key are refused, not deadlocked (SPEC §8.11)", () =>
    Effect.gen(function* () {
      const inner = yield* Surface.make([drive])
      const nested = LiveTool.make("nested", {
        description: "Calls drive while it holds the key of drive.",
        tier: "read",
        parameters: Empty,
        success: Schema.Unknown,
        text: (value) => JSON.stringify(value),
        requires: [Door, Lamp],
        serialKey: () => "car",
        handler: () => Effect.flatMap(Lamp, () => inner.dispatch("drive", { op: "note", id: "x" }))
      })
      const outer = yield* Surface.make([nested])
      const answer = yield* outer.call("nested", {})
      assert.deepInclude(answer.isFailure ? {} : answer.value, {
        isFailure: true,
        code: "denied",
        text:
          "This drive call would wait for the nested call that makes it, for ever. " +
          "Let that call finish first, then make this one."
      })
    }).pipe(Effect.provide(resources))
  )

  it.effect("that fail give code and message; a defect is one failed call", () =>
    Effect.gen(function* () {
      const surface = yield* Surface.make([drive])
      assert.deepStrictEqual(yield* surface.call("drive", { op: "fail" }), {
        isFailure: true,
        code: "not_ready",
        text: "The engine is cold. Call note first."
      })
      const died = yield* surface.call("drive", { op: "die" })
      assert.isTrue(died.isFailure && died.code === "internal")
      assert.match(died.text, /fault in the tool, not in your call: Error: no engine/)
      assert.isFalse((yield* surface.call("drive", { op: "note", id: "after" })).isFailure)
    }).pipe(Effect.provide(resources))
  )

  it.effect("whose value does not fit the schema are one failed call", () =>
    Effect.gen(function* () {
      const liar = LiveTool.make("liar", {
        description: "Gives a wrong value.",
        tier: "read",
        parameters: Empty,
        success: Schema.Struct({ n: Schema.Finite.check(Schema.isGreaterThan(3)) }),
        text: () => "",
        requires: [],
        handler: () => Effect.succeed({ n: 1 })
      })
      const surface = yield* Surface.make([liar])
      const answer = yield* surface.call("liar", {})
      assert.isTrue(answer.isFailure && answer.code === "internal")
    })
  )

  it.effect("that are interrupted run their finalizers", () =>
    Effect.gen(function* () {
      const surface = yield* Surface.make([drive])
      const fiber = yield* Effect.forkChild(surface.call("drive", { op: "wait" }), { startImmediately: true })
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(yield* lit, ["interrupted"])
    }).pipe(Effect.provide(resources))
  )

  it.effect("under way when the run ends are interrupted and answered; later ones are refused", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const surface = yield* Scope.provide(Surface.make([drive]), scope)
      const fiber = yield* Effect.forkChild(surface.call("drive", { op: "wait" }), { startImmediately: true })
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(yield* lit, ["interrupted"])
      assert.deepStrictEqual(yield* Fiber.join(fiber), {
        isFailure: true,
        code: "cancelled",
        text: "The run ended while the call was under way; it was interrupted."
      })
      assert.deepInclude(yield* surface.dispatch("drive", { op: "stop" }), {
        code: "cancelled",
        text: "The run is ending: drive was not called."
      })
    }).pipe(Effect.provide(resources))
  )

  it.effect("pass the gate, which sees tier, parameters and who calls; a refusal runs nothing", () =>
    Effect.gen(function* () {
      const asked: Array<unknown> = []
      const gate = Gate.of({
        authorize: ({ call, params, tier }) => {
          asked.push([call.tool, call.parent?.tool, tier, params])
          return tier === "write" ? Effect.fail(ToolError.make("denied", "Not now.")) : Effect.void
        }
      })
      const surface = yield* Effect.provideService(Surface.make([look, light]), Gate, gate)
      assert.deepInclude(yield* surface.call("light", { id: "a" }), { code: "denied", text: "Not now." })
      const eval_: Call = {
        id: 1,
        tool: "eval",
        parent: undefined,
        progress: () => Effect.void,
        output: undefined,
        tools: noTools
      }
      yield* Effect.provideService(surface.call("look", {}), CurrentCall, eval_)
      assert.deepStrictEqual(asked, [
        ["light", undefined, "write", { id: "a" }],
        ["look", "eval", "read", {}]
      ])
      assert.deepStrictEqual(yield* lit, [])
    }).pipe(Effect.provide(resources))
  )

  it.effect("tell how far they are", () =>
    Effect.gen(function* () {
      const told: Array<unknown> = []
      const surface = yield* Surface.make([drive])
      const { open } = yield* Door
      yield* Deferred.succeed(open, undefined)
      yield* Effect.provideService(
        surface.call("drive", { op: "wait" }),
        ProgressSink,
        ({ call, message, percentage }) => Effect.sync(() => void told.push([call.tool, message, percentage]))
      )
      assert.deepStrictEqual(told, [["drive", "waiting", 10]])
    }).pipe(Effect.provide(resources))
  )
})

describe("hosts", () => {
  it.effect("of effect/ai get text for the model, the value, and a failure as text", () =>
    Effect.gen(function* () {
      const surface = yield* Surface.make([light])
      const handle = (params: unknown) =>
        surface.ready.handle("light", params).pipe(Stream.unwrap, Stream.runLast, Effect.map(Option.getOrThrow))
      const good = yield* handle({ id: "a" })
      assert.deepInclude(good, { isFailure: false, encodedResult: { text: "lit a", value: { id: "a" } } })
      assert.deepStrictEqual(
        good.modelOutput?.map((part) => (part.type === "text" ? part.text : part.type)),
        ["lit a"]
      )
      const bad = yield* handle({})
      assert.isTrue(bad.isFailure)
      assert.match(String(bad.encodedResult), /`id` is missing/)
      const viaLayer = yield* surface.toolkit.pipe(Effect.provide(surface.layer))
      assert.deepStrictEqual(Object.keys(viaLayer.tools), ["light"])
    }).pipe(Effect.provide(resources))
  )

  it.live("without Effect get a promise; aborting interrupts the handler, whose finalizers run first", () =>
    Effect.gen(function* () {
      const surface = yield* Surface.make([drive])
      const [f] = surface.toFunctions()
      assert.deepStrictEqual(yield* Effect.promise(() => f!.call({ op: "note", id: "1" })), {
        isFailure: false,
        text: "note",
        value: "note"
      })
      const controller = new AbortController()
      const pending = f!.call({ op: "wait" }, { signal: controller.signal })
      controller.abort(new Error("enough"))
      const exit = yield* Effect.exit(Effect.tryPromise({ try: () => pending, catch: (e) => (e as Error).message }))
      assert.deepStrictEqual(Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined, "enough")
      assert.deepStrictEqual(yield* lit, ["note 1", "interrupted"])
    }).pipe(Effect.provide(resources))
  )
})
