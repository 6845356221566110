import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import * as Budget from "../../../src/Budget.ts"
import { CurrentCall, Registry } from "../../../src/Call.ts"
import { Gate } from "../../../src/Gate.ts"
import * as ToolError from "../../../src/ToolError.ts"
import * as Kernels from "../../support/kernels.ts"

/** Prints what a call gives, or its error. */
const printing = (call: string) =>
  `try { k.out(JSON.stringify(await ${call})) } catch (error) { k.out(error.name + ": " + error.message) }`

const out = Effect.fnUntraced(function* (run: Effect.Success<ReturnType<typeof Kernels.run>>, code: string) {
  return Kernels.textOf((yield* run.cell(code)).value, "stdout")
})

describe("a tool called from a cell", () => {
  it.live("gives its structured value, its text where it has no other; the model is told of the calls", () =>
    Effect.gen(function* () {
      const run = yield* Kernels.run()
      assert.strictEqual(yield* out(run, printing(`k.call("desk", { op: "echo", text: "hi é" })`)), `{"text":"hi é"}`)
      assert.strictEqual(yield* out(run, printing(`k.call("note", { size: null })`)), `"ééé"`)
      const { answer, value } = yield* run.cell(`
        for (let i = 0; i < 40; i++) await k.call("note", {})
        await k.call("desk", { op: "fail" }).catch(() => {})
      `)
      assert.match(answer.text, /Tools called: note ×30 \(\d+ ms\) and 11 more calls\./)
      assert.strictEqual(value.calls_total, 41)
      assert.strictEqual(value.calls!.length, 30)
    })
  )

  it.live("lists what may be called", () =>
    Effect.gen(function* () {
      const run = yield* Kernels.run()
      const list = JSON.parse(yield* out(run, printing(`k.call("", null)`))) as ReadonlyArray<{
        name: string
        inputSchema: { required: ReadonlyArray<string> }
      }>
      assert.deepStrictEqual(
        list.map(({ name }) => name),
        ["eval", "desk", "note"]
      )
      assert.deepStrictEqual(list[1]!.inputSchema.required, ["op"])
    })
  )

  it.live("an error is the tool's own, with its code; a wrong name and wrong parameters too", () =>
    Effect.gen(function* () {
      const run = yield* Kernels.run()
      assert.strictEqual(
        yield* out(run, printing(`k.call("desk", { op: "fail", text: "lamp" })`)),
        "not_found: There is no lamp."
      )
      assert.match(yield* out(run, printing(`k.call("dexk", {})`)), /^unknown_tool: .*did you mean.*desk/i)
      assert.match(yield* out(run, printing(`k.call("desk", { op: "echo", txt: 1 })`)), /^invalid_params: .*`txt`/)
    })
  )

  it.live("passes the gate, as a call of the eval call; a denied tool stays denied", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const gate = Layer.succeed(
        Gate,
        Gate.of({
          authorize: ({ call, tier }) => {
            seen.push(`${call.tool} ${tier} ${call.parent?.tool ?? "-"}`)
            return call.tool === "desk" ? Effect.fail(ToolError.make("denied", "desk was not run: no.")) : Effect.void
          }
        })
      )
      const run = yield* Kernels.run({ harness: gate as Layer.Layer<never> })
      assert.strictEqual(yield* out(run, printing(`k.call("desk", { op: "echo" })`)), "denied: desk was not run: no.")
      assert.strictEqual(yield* out(run, printing(`k.call("note", {})`)), `"ééé"`)
      assert.deepStrictEqual(seen, ["eval exec -", "desk exec eval", "eval exec -", "note read eval"])
    })
  )

  it.live("goes through the registry of the harness, where there is one", () =>
    Effect.gen(function* () {
      const registry = Layer.succeed(Registry, {
        list: Effect.succeed([{ name: "shell", description: "d", inputSchema: {} }]),
        dispatch: (name, params) =>
          Effect.map(CurrentCall, (call) => ({
            isFailure: false,
            text: `${name} ${JSON.stringify(params)} for ${call?.tool}`,
            value: undefined
          }))
      })
      const run = yield* Kernels.run({ harness: registry })
      assert.strictEqual(yield* out(run, printing(`k.call("shell", { a: 1 })`)), `"shell {\\"a\\":1} for eval"`)
      assert.include(yield* out(run, printing(`k.call("", null)`)), `"name":"shell"`)
    })
  )

  it.live("many run at the same time, but for those that must not", () =>
    Effect.gen(function* () {
      const run = yield* Kernels.run()
      const since = performance.now()
      yield* run.cell(`
        await Promise.all(Array.from({ length: 16 }, (_, i) => k.call("desk", { op: "slow", text: "p" + i })))
      `)
      assert.isBelow(performance.now() - since, 16 * 50)
      assert.deepStrictEqual(
        run.log.slice(0, 16),
        Array.from({ length: 16 }, (_, i) => `begin p${i}`)
      )
      run.log.length = 0
      yield* run.cell(`
        await Promise.all(["a", "b", "c"].map((text) => k.call("desk", { op: "slow", text, queue: "one" })))
      `)
      assert.deepStrictEqual(run.log, ["begin a", "end a", "begin b", "end b", "begin c", "end c"])
    })
  )

  it.live(
    "eval on the own interpreter is refused, on the other one not, and on the own one through that refused again",
    () =>
      Effect.gen(function* () {
        const run = yield* Kernels.run()
        const evaluate = (code: string, language: string) =>
          `k.call("eval", { code: ${JSON.stringify(code)}, description: "a cell of a cell", language: "${language}" })`
        assert.match(yield* out(run, printing(evaluate("1", "python"))), /^denied: This eval call would wait/)
        const inner = printing(evaluate("1", "python"))
        const answer = JSON.parse(yield* out(run, printing(evaluate(inner, "javascript")))) as {
          outputs: ReadonlyArray<{ text: string }>
        }
        assert.match(answer.outputs[0]!.text, /^denied: This eval call would wait/)
      })
  )

  it.live("is cancelled by the cell, alone", () =>
    Effect.gen(function* () {
      const run = yield* Kernels.run()
      const { value } = yield* run.cell(`
        const first = k.call("desk", { op: "wait", text: "one" })
        k.send({ t: "cancel", id: first.id })
        k.out(JSON.stringify(await k.call("note", {})))
      `)
      assert.strictEqual(Kernels.textOf(value, "stdout"), `"ééé"`)
      assert.deepStrictEqual(run.log, ["begin one", "cancelled one"])
      assert.deepStrictEqual(
        value.calls!.map(({ outcome, tool }) => `${tool} ${outcome}`),
        ["desk cancelled", "note ok"]
      )
    })
  )

  it.live("is cancelled with its cell, and answered, so that the interpreter can let go", () =>
    Effect.gen(function* () {
      const run = yield* Kernels.run({ outer: Budget.after("200 millis") })
      const { answer, value } = yield* run.cell(`
        k.onInterrupt(() => {})
        await k.call("desk", { op: "wait", text: "one" }).catch((error) => k.out(error.name + " " + error.message))
        k.done("interrupted")
      `)
      assert.include(Kernels.textOf(value, "stdout"), "cancelled the call was cancelled: the time that a cell may take")
      assert.deepStrictEqual(run.log, ["begin one", "cancelled one"])
      assert.deepInclude(value, { status: "interrupted", state: "kept" })
      assert.strictEqual(answer.isFailure && answer.code, "timed_out")
    })
  )

  it.live("is cancelled when the call of the cell is", () =>
    Effect.gen(function* () {
      const run = yield* Kernels.run()
      const fiber = yield* Effect.forkChild(run.cell(`await k.call("desk", { op: "wait", text: "one" })`), {
        startImmediately: true
      })
      yield* Kernels.eventually(() => (run.log.length > 0 ? true : undefined))
      yield* Fiber.interrupt(fiber)
      yield* Kernels.eventually(() => (run.log.includes("cancelled one") ? true : undefined))
      assert.isFalse((yield* run.cell(`1`)).answer.isFailure)
    })
  )

  it.live("that is still under way when the cell ends is cancelled, and the answer says so", () =>
    Effect.gen(function* () {
      const run = yield* Kernels.run()
      const { answer } = yield* run.cell(`k.call("desk", { op: "wait", text: "one" }); await k.call("note", {})`)
      assert.include(answer.text, "1 call of tools that the cell had not waited for was cancelled when it ended.")
      assert.deepStrictEqual(run.log, ["begin one", "cancelled one"])
    })
  )

  it.live("of a cell that has ended fails, between cells and in the next one", () =>
    Effect.gen(function* () {
      const run = yield* Kernels.run()
      yield* run.cell(
        `const mine = 1; setTimeout(() => k.call("desk", { op: "echo" }, mine).catch((e) => (state.late = e.message)), 10)`
      )
      const late = yield* Effect.repeat(Effect.delay(out(run, `k.out(state.late ?? "")`), "20 millis"), {
        until: (text) => text !== ""
      })
      assert.match(late, /has ended: tools can be called by a running cell only/)
      assert.match(yield* out(run, printing(`k.call("desk", { op: "echo" }, 1)`)), /^cancelled: cell 1.* has ended/)
      assert.deepStrictEqual(run.log, [])
    })
  )

  it.live(
    "takes and gives 50 MB; what is larger is an error, not a hang",
    () =>
      Effect.gen(function* () {
        const run = yield* Kernels.run()
        const { value } = yield* run.cell(`
        const text = "x".repeat(50_000_000)
        const [a, b] = await Promise.all([k.call("desk", { op: "echo", text }), k.call("desk", { op: "echo", text })])
        k.out(String(a.text.length + b.text.length))
      `)
        assert.strictEqual(Kernels.textOf(value, "stdout"), "100000000")
        assert.match(
          yield* out(run, printing(`k.call("note", { size: 12_000_000 })`)),
          /^too_large: the result of note/
        )
        assert.isFalse((yield* run.cell(`1`)).answer.isFailure)
        yield* Deferred.succeed(run.open, undefined)
      }),
    60_000
  )
})
