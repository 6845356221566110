/** What is told is of this moment, and what goes wrong is not passed over. */
import * as Fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { Quirks } from "../../../src/debug/adapters/Adapter.ts"
import * as Fake from "../../support/FakeDebugAdapter.ts"

const launch = { op: "launch", program: "a.t" } as const
const at = (...lines: ReadonlyArray<number>) => ({ op: "breakpoints", file: "a.t", lines }) as const

/** A run that is stopped at line 3. */
const stopped = (behaviour: Fake.Behaviour = () => {}, quirks: Quirks = {}, options: Fake.Options = {}) =>
  Effect.tap(Fake.run(behaviour, { ...options, adapter: { quirks } }), (run) =>
    Effect.gen(function* () {
      yield* run.ok(at(3, 10))
      assert.strictEqual((yield* run.ok(launch)).stop?.line, 3)
    })
  )
/** The locals of the fake have this reference of ours. */
const locals = Effect.fnUntraced(function* (run: Fake.Run) {
  const { frames = [] } = yield* run.ok({ op: "stack" })
  const { scopes = [] } = yield* run.ok({ op: "scopes", frame_id: frames[0]!.id })
  return scopes[0]!.reference
})

describe("a stop", () => {
  it.live(
    "is told without the values that an evaluation or a set variable may have changed, and anew at the next",
    () =>
      Effect.gen(function* () {
        const run = yield* stopped()
        assert.lengthOf((yield* run.ok({ op: "status" })).stop?.locals ?? [], 2)
        yield* run.ok({ op: "evaluate", expression: "x" })
        assert.notProperty((yield* run.ok({ op: "status" })).stop, "locals")
        assert.notProperty((yield* run.ok({ op: "pause" })).stop, "locals")
        assert.lengthOf((yield* run.ok({ op: "step_over" })).stop?.locals ?? [], 2)
        const set = yield* run.ok({ op: "set_variable", reference: yield* locals(run), name: "x", value: "7" })
        assert.strictEqual(set.result, "7")
        assert.notProperty((yield* run.ok({ op: "status" })).stop, "locals")
      })
  )

  it.live("that has just come is looked at before an expression is evaluated in its frame", () =>
    Effect.gen(function* () {
      const run = yield* stopped((adapter) => {
        let isMoved = false
        adapter.on("evaluate", async (args, request) => {
          if (args.expression !== "call f()") return adapter.base("evaluate", args, request)
          isMoved = true
          await adapter.event("continued", { threadId: 1, allThreadsContinued: true })
          await adapter.stop("function call")
          return { result: "7", variablesReference: 0 }
        })
        adapter.on("stackTrace", async (args, request) => {
          if (isMoved) await adapter.sleep(300)
          return adapter.base("stackTrace", args, request)
        })
      })
      yield* run.ok({ op: "evaluate", expression: "call f()" })
      assert.strictEqual((yield* run.ok({ op: "evaluate", expression: "x" })).result, "3")
      assert.deepInclude(run.received("evaluate").at(-1)?.arguments, { expression: "x", frameId: 1000 })
    })
  )

  it.live("says when its source has changed since the program was started", () =>
    Effect.gen(function* () {
      const run = yield* stopped()
      assert.notProperty((yield* run.ok({ op: "step_over" })).stop, "source_changed")
      const later = new Date(Date.now() + 60_000)
      Fs.utimesSync(run.path("a.t"), later, later)
      const value = yield* run.ok({ op: "step_over" })
      assert.isTrue(value.stop?.source_changed)
      assert.match(value.words, /a\.t has changed since the program was built or started/)
      Fs.utimesSync(run.path("a.t"), new Date(0), new Date(0))
      assert.notProperty((yield* run.ok({ op: "restart" })).stop, "source_changed")
    })
  )

  it.live("tells once what the adapter wants to be seen at once", () =>
    Effect.gen(function* () {
      const run = yield* stopped((adapter) => {
        adapter.on("next", async (args, request) => {
          for (let i = 0; i < 3; i++) await adapter.output("the condition \u001b[1mi >\u001b[m is wrong\n", "important")
          return adapter.base("next", args, request)
        })
      })
      const value = yield* run.ok({ op: "step_over" })
      assert.strictEqual(value.important, "the condition i > is wrong")
      assert.include(value.words, "The adapter says: the condition i > is wrong")
      assert.notProperty(yield* run.ok({ op: "status" }), "important")
      const { output = [] } = yield* run.ok({ op: "output" })
      assert.strictEqual(output[0]?.text, "the condition i > is wrong\n".repeat(3))
    })
  )
})

describe("a program that goes on", () => {
  const unbound: Fake.Behaviour = (adapter) => {
    adapter.on("configurationDone", async (_, request) => {
      await adapter.respond(request)
      return adapter.noReply
    })
    adapter.program.order = "lldb19"
  }

  it.live("is told with the breakpoints that are not bound, those of `until` too", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run(unbound, { policy: { wait: "50 millis" } })
      yield* run.ok(at(3, 50))
      const value = yield* run.ok(launch)
      assert.strictEqual(value.state, "running")
      assert.deepStrictEqual(
        value.unbound?.map(({ line }) => line),
        [50]
      )
      assert.match(value.words, /1 breakpoint is not bound:\n {2}a\.t:50 {2}pending/)
      const until = yield* run.ok({ op: "continue", until: "a.t:60", wait_seconds: 0 })
      assert.deepStrictEqual(
        until.unbound?.map(({ line }) => line),
        [50, 60]
      )
    })
  )

  it.live("stops at `until` although it was running already", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run(
        (adapter) => {
          adapter.program.order = "lldb19"
          adapter.on("configurationDone", () => {})
          adapter.on("setBreakpoints", async (args, request) => {
            await adapter.respond(request, adapter.base("setBreakpoints", args, request))
            if (args.breakpoints.length > 0) await adapter.run()
            return adapter.noReply
          })
        },
        { policy: { wait: "200 millis" } }
      )
      assert.strictEqual((yield* run.ok(launch)).state, "running")
      const value = yield* run.ok({ op: "continue", until: "a.t:6", wait_seconds: 30 })
      assert.deepInclude(value.stop, { reason: "breakpoint", line: 6 })
      assert.deepStrictEqual(value.notes, ["It was running already."])
      assert.notInclude(run.commands(), "continue")
    })
  )
})

describe("an adapter that keeps silent", () => {
  it.live("of hit conditions that it does not take: they are not sent, and say so", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run(() => {}, { adapter: { quirks: { hitConditions: /^\d+$/ } } })
      yield* run.ok({ ...at(3, 5), hit_conditions: [">= 3", "1"] })
      assert.strictEqual((yield* run.ok(launch)).stop?.line, 5)
      const { breakpoints = [] } = yield* run.ok({ op: "status" })
      assert.deepInclude(breakpoints[0] ?? {}, { line: 3, verified: false })
      assert.match(
        breakpoints[0]?.message ?? "",
        /^not set: this adapter cannot do a hit condition like this; `3` is one/
      )
      assert.deepInclude(breakpoints[1] ?? {}, { line: 5, verified: true })
    })
  )

  it.live("of conditions that are wrong is asked to say so, once, and only where there is one", () =>
    Effect.gen(function* () {
      const settings = { command: "setDebuggerProperty", arguments: { skip: [] } }
      const run = yield* stopped((adapter) => adapter.on("setDebuggerProperty", () => {}), {
        conditionSettings: settings
      })
      assert.notInclude(run.commands(), "setDebuggerProperty")
      yield* run.ok({ ...at(6, 10), conditions: ["x > 1", null] })
      yield* run.ok({ ...at(6, 11), conditions: ["x > 2", null] })
      assert.deepStrictEqual(
        run.commands().filter((command) => /set(Debugger|Breakpoints)/.test(command)),
        ["setBreakpoints", "setDebuggerProperty", "setBreakpoints", "setBreakpoints"]
      )
      assert.deepStrictEqual(run.received("setDebuggerProperty")[0]?.arguments, { skip: [] })
    })
  )

  it.live("of values that cannot be evaluated: they are evaluated before, once, in the frame of the variable", () =>
    Effect.gen(function* () {
      const run = yield* stopped(
        (adapter) => {
          adapter.on("evaluate", (args) => {
            if (args.expression === "hold(1/0)") throw new Error("ZeroDivisionError")
            return { result: "", variablesReference: 0 }
          })
          adapter.on("setVariable", ({ value }) => ({ value: value === "held" ? "42" : value, variablesReference: 0 }))
        },
        { holdsValue: { hold: "hold(${value})", held: "held" } }
      )
      const set = { op: "set_variable", reference: yield* locals(run), name: "x" } as const
      const text = yield* run.refused({ ...set, value: "1/0" }, "adapter_failed")
      assert.strictEqual(text, "1/0 could not be evaluated; nothing was set: ZeroDivisionError")
      assert.notInclude(run.commands(), "setVariable")
      assert.strictEqual((yield* run.ok({ ...set, value: "$& 6*7" })).result, "42")
      assert.deepInclude(run.received("evaluate").at(-1)?.arguments, { expression: "hold($& 6*7)", frameId: 1000 })
    })
  )

  it.live("of the value that was set is asked for it", () =>
    Effect.gen(function* () {
      const run = yield* stopped(
        (adapter) => {
          adapter.on("variables", () => ({
            variables: [{ name: "x", value: "3", evaluateName: "this.x", variablesReference: 0 }]
          }))
          adapter.on("evaluate", ({ expression }) => ({
            result: expression === "this.x" ? "4" : "",
            type: "int",
            variablesReference: 0
          }))
        },
        { echoesValue: true }
      )
      const set = { op: "set_variable", reference: yield* locals(run), name: "x", value: "b * 2" } as const
      assert.deepInclude(yield* run.ok(set), { result: "4", type: "int" })
    })
  )

  it.live("shows errors without what is of the adapter itself, and without what steers a terminal", () =>
    Effect.gen(function* () {
      const run = yield* stopped(
        (adapter) =>
          adapter.on("evaluate", () => {
            throw new Error('Traceback:\n  File "/lib/pydevd/x.py", line 3, in f\n    g()\n\u001b[33mNameError\u001b[m')
          }),
        { errorNoise: /^ {2}File ".*pydevd.*\n(?: {4}.*\n)*/gm }
      )
      assert.strictEqual((yield* run.ok({ op: "evaluate", expression: "f" })).result, "Traceback:\nNameError")
    })
  )
})

it.effect(
  "11 59 a request that is not answered in time is taken back where the adapter can, and the session goes on",
  () =>
    Effect.gen(function* () {
      const run = yield* stopped((adapter) => {
        let waiting: { readonly seq: number; readonly command: string } | undefined
        adapter.program.capabilities.supportsCancelRequest = true
        adapter.on("evaluate", (args, request) => {
          if (args.expression !== "endless()") return adapter.base("evaluate", args, request)
          waiting = request
          return adapter.noReply
        })
        adapter.on("cancel", async ({ requestId }) => {
          if (requestId === waiting?.seq) await adapter.fail(waiting!, "interrupted in endless")
        })
      })
      const slow = yield* Effect.forkChild(run.refused({ op: "evaluate", expression: "endless()" }, "timed_out"), {
        startImmediately: true
      })
      yield* Fake.eventually(() => (run.commands().includes("evaluate") ? true : undefined))
      yield* TestClock.adjust("15 seconds")
      assert.match(yield* Fiber.join(slow), /made to give it up: interrupted in endless\nThe session goes on/)
      assert.strictEqual((yield* run.ok({ op: "evaluate", expression: "x" })).result, "3")
    })
)
