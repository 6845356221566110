import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as Fake from "../../support/FakeDebugAdapter.ts"

const launch = { op: "launch", program: "a.t" } as const
const at = (...lines: ReadonlyArray<number>) => ({ op: "breakpoints", file: "a.t", lines }) as const
const place = ({ state, stop }: { state: string; stop?: { reason: string; path?: string; line?: number } }) =>
  stop === undefined ? state : `${state} ${stop.reason} ${stop.line}`

/** A run that is stopped at line 3. */
const stopped = (behaviour: Fake.Behaviour = () => {}, options?: Fake.Options) =>
  Effect.tap(Fake.run(behaviour, options), (run) =>
    Effect.gen(function* () {
      yield* run.ok(at(3, 10))
      assert.strictEqual(place(yield* run.ok(launch)), "stopped breakpoint 3")
    })
  )

describe("going on", () => {
  it.live("41 50 steps and continues with the thread of the stop, one request and three for what is told", () =>
    Effect.gen(function* () {
      const run = yield* stopped()
      const before = run.commands().length
      assert.strictEqual(place(yield* run.ok({ op: "step_over" })), "stopped step 4")
      assert.deepStrictEqual(run.commands().slice(before), ["next", "stackTrace", "scopes", "variables"])
      assert.strictEqual(place(yield* run.ok({ op: "step_in", thread_id: 1 })), "stopped step 5")
      assert.strictEqual(place(yield* run.ok({ op: "step_out" })), "stopped step 6")
      assert.strictEqual(place(yield* run.ok({ op: "continue" })), "stopped breakpoint 10")
      assert.deepInclude(yield* run.ok({ op: "continue" }), { state: "ended", exit_code: 0 })
      for (const command of ["next", "stepIn", "stepOut", "continue"]) {
        assert.deepInclude(run.received(command)[0]!.arguments, { threadId: 1 })
      }
    })
  )

  it.live("37 46 a stop, or the end, that comes before the answer is not lost", () =>
    Effect.gen(function* () {
      const run = yield* stopped((adapter) => {
        adapter.on("next", async (_, request) => {
          adapter.program.line++
          await adapter.stop("step")
          await adapter.sleep(50)
          await adapter.respond(request)
          return adapter.noReply
        })
        adapter.on("continue", async (_, request) => {
          await adapter.end(4)
          await adapter.respond(request)
          return adapter.noReply
        })
      })
      assert.strictEqual(place(yield* run.ok({ op: "step_over" })), "stopped step 4")
      assert.strictEqual(place(yield* run.ok({ op: "status" })), "stopped step 4")
      assert.deepInclude(yield* run.ok({ op: "continue" }), { state: "ended", exit_code: 4 })
    })
  )

  it.live("38 goes on by itself: what continues after a stop has not stopped, and the next stop counts", () =>
    Effect.gen(function* () {
      const run = yield* stopped((adapter) => {
        adapter.on("continue", async (_, request) => {
          await adapter.respond(request)
          for (let i = 0; i < 3; i++) {
            await adapter.stop("breakpoint")
            await adapter.event("continued", { threadId: 1, allThreadsContinued: true })
          }
          adapter.program.line = 15
          await adapter.sleep(100)
          await adapter.stop("breakpoint")
          return adapter.noReply
        })
      })
      assert.strictEqual(place(yield* run.ok({ op: "continue" })), "stopped breakpoint 15")
    })
  )

  it.live("38 a program that goes on while it is looked at is not told as stopped there", () =>
    Effect.gen(function* () {
      const run = yield* stopped((adapter) => {
        let looks = 0
        adapter.on("stackTrace", async (args, request) => {
          if (++looks === 2) {
            await adapter.event("continued", { threadId: 1, allThreadsContinued: true })
            setTimeout(() => {
              adapter.program.line = 18
              void adapter.stop("breakpoint")
            }, 100)
            throw new Error("it runs")
          }
          return adapter.base("stackTrace", args, request)
        })
      })
      assert.strictEqual(place(yield* run.ok({ op: "continue" })), "stopped breakpoint 18")
    })
  )

  it.live("39 50 a stop without thread or reason: the threads are asked for", () =>
    Effect.gen(function* () {
      const run = yield* stopped((adapter) => {
        adapter.on("threads", () => ({
          threads: [
            { id: 5, name: "[Go 5] gc" },
            { id: 7, name: "* [Go 7] main.add" }
          ]
        }))
        adapter.on("continue", async (_, request) => {
          await adapter.respond(request)
          await adapter.event("stopped", { threadId: 0, allThreadsStopped: true })
          return adapter.noReply
        })
      })
      const value = yield* run.ok({ op: "continue" })
      assert.deepInclude(value.stop, { reason: "stopped", thread_id: 7, line: 3 })
      assert.deepInclude(run.received("stackTrace").at(-1)!.arguments, { threadId: 7 })
    })
  )

  it.live("40 threads stop and go on by themselves where the adapter says so", () =>
    Effect.gen(function* () {
      const run = yield* stopped((adapter) => {
        adapter.on("threads", () => ({
          threads: [
            { id: 1, name: "main" },
            { id: 2, name: "worker" }
          ]
        }))
        adapter.on("continue", async ({ threadId }, request) => {
          await adapter.respond(request, { allThreadsContinued: false })
          if (threadId === 1) await adapter.event("stopped", { reason: "pause", threadId: 2, allThreadsStopped: false })
          return adapter.noReply
        })
        adapter.on("configurationDone", async (_, request) => {
          await adapter.respond(request)
          adapter.program.line = 3
          await adapter.event("stopped", { reason: "breakpoint", threadId: 1, allThreadsStopped: false })
          return adapter.noReply
        })
      })
      assert.match(yield* run.refused({ op: "step_over", thread_id: 2 }, "not_stopped"), /Thread 2 is running/)
      assert.deepInclude((yield* run.ok({ op: "continue" })).stop, { reason: "pause", thread_id: 2 })
      assert.match(yield* run.refused({ op: "step_over", thread_id: 1 }, "not_stopped"), /Thread 1 is running/)
      assert.strictEqual((yield* run.ok({ op: "continue", wait_seconds: 0 })).state, "running")
    })
  )

  it.live("41 an unknown thread is named with those there are, and nothing is sent", () =>
    Effect.gen(function* () {
      const run = yield* stopped()
      for (const op of ["continue", "step_over", "stack"] as const) {
        assert.match(
          yield* run.refused({ op, thread_id: 77 }, "invalid_params"),
          /There is no thread 77\. There are: 1 \(main\)/
        )
      }
      assert.notInclude(run.commands(), "continue")
    })
  )

  it.live("42 44 running: steps and inspection are refused here, continue says so; nothing is sent", () =>
    Effect.gen(function* () {
      const run = yield* stopped((adapter) => {
        adapter.on("continue", () => ({}))
      })
      assert.deepInclude(yield* run.ok({ op: "continue", wait_seconds: 0.05 }), {
        state: "running",
        waited_seconds: 0.05
      })
      const before = run.commands().length
      for (const op of ["step_over", "step_in", "step_out", "stack"] as const) {
        assert.match(yield* run.refused({ op }, "not_stopped"), /The program is running: op `pause` stops it/)
      }
      yield* run.refused({ op: "evaluate", expression: "x" }, "not_stopped")
      yield* run.refused({ op: "scopes", frame_id: 1 }, "not_stopped")
      yield* run.refused({ op: "variables", reference: 2 }, "not_stopped")
      const again = yield* run.ok({ op: "continue" })
      assert.deepInclude(again, { state: "running", notes: ["It is running already; nothing was sent."] })
      const waited = yield* run.ok({ op: "continue", wait_seconds: 0.05 })
      assert.deepInclude(waited, { state: "running", waited_seconds: 0.05, notes: again.notes ?? [] })
      assert.strictEqual(run.commands().length, before)
    })
  )

  it.live("43 pause of what is stopped gives that stop and sends nothing", () =>
    Effect.gen(function* () {
      const run = yield* stopped()
      const value = yield* run.ok({ op: "pause" })
      assert.strictEqual(place(value), "stopped breakpoint 3")
      assert.deepStrictEqual(value.notes, ["It was stopped already; nothing was sent."])
      assert.notInclude(run.commands(), "pause")
      assert.strictEqual(place(yield* run.ok({ op: "continue" })), "stopped breakpoint 10")
    })
  )

  it.effect("45 a wait that is over is a success; a later stop is seen by status", () =>
    Effect.gen(function* () {
      const run = yield* stopped((adapter) => {
        adapter.on("continue", async (_, request) => {
          await adapter.respond(request)
          return adapter.noReply
        })
        adapter.on("threads", async () => {
          adapter.program.line = 12
          await adapter.stop("breakpoint")
          return { threads: [{ id: 1, name: "main" }] }
        })
      })
      const waiting = yield* Effect.forkChild(run.ok({ op: "continue" }), { startImmediately: true })
      yield* Fake.eventually(() => (run.commands().includes("continue") ? true : undefined))
      yield* TestClock.adjust("29 seconds")
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust("1 second")
      assert.deepInclude(yield* Fiber.join(waiting), { state: "running", waited_seconds: 30 })
      yield* run.ok({ op: "threads" })
      assert.strictEqual(place(yield* run.ok({ op: "status" })), "stopped breakpoint 12")
      const sent = run.commands().length
      assert.deepInclude((yield* run.ok({ op: "status" })).stop, { path: "a.t", line: 12 })
      assert.strictEqual(run.commands().length, sent)
    })
  )

  it.live("49 34 calls on one session run in the order they came", () =>
    Effect.gen(function* () {
      const run = yield* stopped((adapter) => {
        adapter.on("next", async (args, request) => {
          await adapter.sleep(50)
          return adapter.base("next", args, request)
        })
      })
      const values = yield* Effect.all(
        Array.from({ length: 4 }, () => run.ok({ op: "step_over" })),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(values.map(place), [
        "stopped step 4",
        "stopped step 5",
        "stopped step 6",
        "stopped step 7"
      ])
    })
  )

  it.live("60 pause, status and output overtake a wait; the wait ends with the stop", () =>
    Effect.gen(function* () {
      const run = yield* stopped((adapter) => {
        adapter.on("continue", async (_, request) => {
          await adapter.output("working\n", "stdout")
          await adapter.respond(request)
          return adapter.noReply
        })
      })
      const waiting = yield* Effect.forkChild(run.ok({ op: "continue" }), { startImmediately: true })
      yield* Fake.eventually(() => (run.commands().includes("continue") ? true : undefined))
      assert.strictEqual((yield* run.ok({ op: "status" })).state, "running")
      // Until what it has written has arrived.
      while ((yield* run.ok({ op: "status" })).output_left === undefined) yield* Effect.sleep("10 millis")
      assert.deepStrictEqual((yield* run.ok({ op: "output" })).output, [{ category: "stdout", text: "working\n" }])
      assert.strictEqual(place(yield* run.ok({ op: "pause" })), "stopped pause 3")
      assert.strictEqual(place(yield* Fiber.join(waiting)), "stopped pause 3")
    })
  )

  it.live("47 what lldb calls an exception after our pause is a pause; a signal of its own keeps its description", () =>
    Effect.gen(function* () {
      const run = yield* stopped((adapter) => {
        adapter.on("continue", () => ({}))
        adapter.on("pause", async (_, request) => {
          await adapter.respond(request)
          await adapter.stop("exception", { description: "signal SIGSTOP", text: "signal SIGSTOP" })
          return adapter.noReply
        })
        adapter.on("next", async (_, request) => {
          await adapter.respond(request)
          await adapter.stop("exception", { description: "division by zero", text: "ZeroDivisionError" })
          return adapter.noReply
        })
      })
      yield* run.ok({ op: "continue", wait_seconds: 0 })
      const paused = yield* run.ok({ op: "pause" })
      assert.deepInclude(paused.stop, { reason: "pause", description: "signal SIGSTOP" })
      const raised = yield* run.ok({ op: "step_over" })
      assert.deepInclude(raised.stop, { reason: "exception", description: "ZeroDivisionError: division by zero" })
      assert.match(
        raised.words,
        /^Stopped: exception \(ZeroDivisionError: division by zero\) at a\.t:3 in main, thread 1/
      )
    })
  )

  it.live("47 type and message of an exception are asked for where the stop does not have them", () =>
    Effect.gen(function* () {
      const run = yield* stopped((adapter) => {
        adapter.program.capabilities.supportsExceptionInfoRequest = true
        adapter.on("exceptionInfo", () => ({
          exceptionId: "panic",
          breakMode: "unhandled",
          details: { typeName: "runtime.Error", message: "index out of range [5]" }
        }))
        adapter.on("continue", async (_, request) => {
          await adapter.respond(request)
          await adapter.stop("exception", { description: "panic" })
          return adapter.noReply
        })
      })
      const { stop } = yield* run.ok({ op: "continue" })
      assert.strictEqual(stop?.description, "panic: runtime.Error: index out of range [5]")
    })
  )

  it.live("48 86 a cancelled wait keeps the session, and nothing is sent again", () =>
    Effect.gen(function* () {
      const run = yield* stopped((adapter) => {
        adapter.on("continue", () => ({}))
      })
      const waiting = yield* Effect.forkChild(run.call({ op: "continue" }), { startImmediately: true })
      yield* Fake.eventually(() => (run.commands().includes("continue") ? true : undefined))
      yield* Fiber.interrupt(waiting)
      assert.strictEqual((yield* run.ok({ op: "status" })).state, "running")
      assert.strictEqual(place(yield* run.ok({ op: "pause" })), "stopped pause 3")
      assert.strictEqual(run.received("continue").length, 1)
    })
  )

  it.live("10 70 a refused resumption keeps the stop", () =>
    Effect.gen(function* () {
      const run = yield* stopped((adapter) => {
        adapter.on("next", () => {
          throw new Error("Thread 1 is not paused")
        })
      })
      assert.match(
        yield* run.refused({ op: "step_over" }, "adapter_failed"),
        /fake refused `next`: Thread 1 is not paused/
      )
      assert.strictEqual(place(yield* run.ok({ op: "status" })), "stopped breakpoint 3")
      assert.strictEqual(place(yield* run.ok({ op: "continue" })), "stopped breakpoint 10")
    })
  )

  it.live("2 a stop whose frames cannot be had is told without them, and the next call works", () =>
    Effect.gen(function* () {
      const run = yield* stopped((adapter) => {
        let count = 0
        adapter.on("stackTrace", (args, request) => {
          if (++count === 2) throw new Error("Unable to process `stackTrace`")
          return adapter.base("stackTrace", args, request)
        })
      })
      assert.deepStrictEqual((yield* run.ok({ op: "step_over" })).stop, { reason: "step", thread_id: 1 })
      assert.strictEqual(place(yield* run.ok({ op: "step_over" })), "stopped step 5")
    })
  )

  it.live("12 46 an adapter that dies in a wait ends it with how it died", () =>
    Effect.gen(function* () {
      const run = yield* stopped((adapter) => {
        adapter.fork()
        adapter.on("continue", async (_, request) => {
          await adapter.respond(request)
          adapter.stderr("fatal: out of luck\n")
          adapter.kill("SIGABRT")
          return adapter.noReply
        })
      })
      const value = yield* run.ok({ op: "continue" })
      assert.strictEqual(value.state, "ended")
      assert.match(value.ended_because ?? "", /the adapter was killed by SIGABRT; .*\nfatal: out of luck/)
      assert.notProperty(value, "exit_code")
      yield* run.gone
    })
  )
})

describe("breakpoints", () => {
  it.live(
    "28 30 31 33 48 each call sends the whole list of that file; bound lines and events are kept apart from what was asked",
    () =>
      Effect.gen(function* () {
        const run = yield* stopped(
          (adapter) => {
            adapter.on("setBreakpoints", async ({ breakpoints, source }) => {
              if (source.path.endsWith("b.t")) {
                await adapter.event("breakpoint", {
                  reason: "changed",
                  breakpoint: { id: 77, verified: true, line: 2 }
                })
                return { breakpoints: [{ id: 77, verified: false, message: "loading" }] }
              }
              return adapter.base("setBreakpoints", { breakpoints, source }, { seq: 0, command: "" }) as object
            })
            adapter.on("threads", async () => {
              await adapter.event("breakpoint", { reason: "changed", breakpoint: { id: 10, line: 11 } })
              await adapter.event("breakpoint", { reason: "new", breakpoint: { id: 500, verified: true, line: 1 } })
              await adapter.event("breakpoint", { reason: "removed", breakpoint: { id: 3 } })
              return { threads: [{ id: 1, name: "main" }] }
            })
          },
          { files: { "b.t": "one\ntwo\n" } }
        )
        assert.deepStrictEqual((yield* run.ok({ op: "breakpoints", file: "b.t", lines: [1] })).breakpoints, [
          { path: "b.t", line: 1, verified: true, bound_line: 2 }
        ])
        yield* run.ok({ op: "threads" })
        assert.deepStrictEqual(
          (yield* run.ok({ op: "status" })).breakpoints?.map(({ bound_line, line, path, verified }) => [
            path,
            line,
            verified,
            bound_line
          ]),
          [
            ["a.t", 3, false, 3],
            ["a.t", 10, true, 11],
            ["b.t", 1, true, 2]
          ]
        )
        yield* run.ok(at(10, 12))
        yield* run.ok({ op: "breakpoints", file: "b.t", lines: [] })
        assert.deepStrictEqual(
          run
            .received("setBreakpoints")
            .map(({ arguments: { breakpoints, source } }) => [
              source.name,
              breakpoints.map(({ line }: { line: number }) => line)
            ]),
          [
            ["a.t", [3, 10]],
            ["b.t", [1]],
            ["a.t", [10, 12]],
            ["b.t", []]
          ]
        )
      })
  )

  it.live("35 a path is shown to the adapter absolute, normalised, links resolved", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run(() => {})
      const { breakpoints } = yield* run.ok({ op: "breakpoints", file: "x/../a.t", lines: [2] })
      assert.deepStrictEqual(
        breakpoints?.map(({ path }) => path),
        ["a.t"]
      )
      yield* run.ok(launch)
      assert.strictEqual(run.received("setBreakpoints")[0]!.arguments.source.path, run.path("a.t"))
    }).pipe(Effect.scoped)
  )

  it.live("34 changes while it runs take effect, and no stop is made of them", () =>
    Effect.gen(function* () {
      const run = yield* stopped((adapter) => {
        adapter.on("continue", () => ({}))
      })
      yield* run.ok({ op: "continue", wait_seconds: 0 })
      const value = yield* run.ok(at(5))
      assert.deepInclude(value, { state: "running" })
      assert.deepStrictEqual(run.received("setBreakpoints").at(-1)!.arguments.breakpoints, [{ line: 5 }])
    })
  )

  it.live("continue until a place stops there once", () =>
    Effect.gen(function* () {
      const run = yield* stopped()
      assert.strictEqual(place(yield* run.ok({ op: "continue", until: "a.t:6" })), "stopped breakpoint 6")
      assert.deepStrictEqual(
        run
          .received("setBreakpoints")
          .map(({ arguments: { breakpoints } }) => breakpoints.map(({ line }: { line: number }) => line)),
        [
          [3, 10],
          [3, 10, 6],
          [3, 10]
        ]
      )
      assert.deepStrictEqual(
        (yield* run.ok({ op: "status" })).breakpoints?.map(({ line }) => line),
        [3, 10]
      )
      yield* run.refused({ op: "continue", until: "a.t" }, "invalid_params")
      yield* run.refused({ op: "continue", until: "../x.t:1" }, "outside_directory")
    })
  )

  it.live("exceptions: which filters are set", () =>
    Effect.gen(function* () {
      const run = yield* stopped()
      yield* run.ok({ op: "breakpoints", exceptions: "all" })
      assert.match(
        (yield* run.ok({ op: "breakpoints", exceptions: "none" })).words,
        /\nExceptions that stop the program: none\.$/
      )
      assert.strictEqual((yield* run.ok(at())).words, "No breakpoints are set there.")
      assert.deepStrictEqual(
        run.received("setExceptionBreakpoints").map(({ arguments: args }) => args.filters),
        [["uncaught"], ["raised", "uncaught"], []]
      )
    })
  )

  it.live("16 conditions, hit conditions and log messages are sent; empty ones are not", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run(() => {})
      yield* run.ok({
        ...at(1, 2, 3),
        conditions: ["x > 1", "", null],
        hit_conditions: [null, "2", null],
        log_messages: [null, null, "x is {x}"]
      })
      yield* run.ok(launch)
      assert.deepStrictEqual(run.received("setBreakpoints")[0]!.arguments.breakpoints, [
        { line: 1, condition: "x > 1" },
        { line: 2, hitCondition: "2" },
        { line: 3, logMessage: "x is {x}" }
      ])
    })
  )
})
