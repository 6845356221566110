import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import * as Fake from "../../support/FakeDebugAdapter.ts"

const launch = { op: "launch", program: "a.t" } as const
const at = (...lines: ReadonlyArray<number>) => ({ op: "breakpoints", file: "a.t", lines }) as const

const place = ({ state, stop }: { state: string; stop?: { reason: string; path?: string; line?: number } }) =>
  `${state} ${stop?.reason} ${stop?.path}:${stop?.line}`

describe("a launch", () => {
  it.live(
    "13 15 16 17 18 19 28 29 1 in order: initialize, launch, then after initialized the whole configuration",
    () =>
      Effect.gen(function* () {
        const run = yield* Fake.run(() => {})
        yield* run.ok(at(5, 9))
        yield* run.ok({ op: "breakpoints", functions: ["work"] })
        const value = yield* run.ok({ ...launch, args: ["a", "世界😀"], env: { A: "1" } })
        assert.strictEqual(value.state, "stopped")
        assert.deepStrictEqual(value.stop, {
          reason: "breakpoint",
          thread_id: 1,
          path: "a.t",
          line: 5,
          frame: { id: 1, name: "main", path: "a.t", line: 5 },
          source: [2, 3, 4, 5, 6, 7, 8].map((line) => ({ line, text: `line ${line}` })),
          locals: [
            { name: "x", value: "5", type: "int", reference: 0 },
            { name: "list", value: "[…]", type: "list", reference: 2 }
          ]
        })
        const requests = run.received().filter(({ type }) => type === "request")
        assert.deepStrictEqual(
          requests.map(({ command }) => command),
          [
            "initialize",
            "launch",
            "setBreakpoints",
            "setFunctionBreakpoints",
            "setExceptionBreakpoints",
            "configurationDone",
            "stackTrace",
            "scopes",
            "variables"
          ]
        )
        assert.deepStrictEqual(
          requests.map(({ seq }) => seq),
          [1, 2, 3, 4, 5, 6, 7, 8, 9]
        )
        const [initialize, launched, lines, , filters] = requests.map((request) => request.arguments)
        assert.deepInclude(initialize, {
          linesStartAt1: true,
          columnsStartAt1: true,
          pathFormat: "path",
          supportsRunInTerminalRequest: false
        })
        assert.notProperty(initialize, "supportsStartDebuggingRequest")
        assert.deepInclude(launched, { program: run.path("a.t"), args: ["a", "世界😀"], env: { A: "1" } })
        assert.deepInclude(lines, {
          source: { path: run.path("a.t"), name: "a.t" },
          breakpoints: [{ line: 5 }, { line: 9 }]
        })
        assert.deepStrictEqual(filters, { filters: ["uncaught"] })
      })
  )

  for (const order of ["debugpy", "delve", "lldb19", "dart"] as const) {
    const behaviours: Record<string, Fake.Behaviour> = {
      debugpy: () => {},
      delve: (adapter) => {
        adapter.program.order = "delve"
        adapter.zeroSeq()
        adapter.emptyCommand()
      },
      lldb19: (adapter) => {
        adapter.program.order = "lldb19"
        adapter.zeroSeq()
      },
      dart: (adapter) => {
        adapter.program.order = "dart"
      }
    }
    it.live(`6 14 17 38 39 reaches the first stop in the order of ${order}`, () =>
      Effect.gen(function* () {
        const run = yield* Fake.run(behaviours[order]!)
        yield* run.ok(at(7))
        assert.strictEqual(place(yield* run.ok(launch)), "stopped breakpoint a.t:7")
        assert.strictEqual(run.received("setBreakpoints").length, 1)
        yield* run.ok({ op: "terminate" })
        yield* run.gone
      })
    )
  }

  it.live(
    "2 3 5 7 8 14 reads whatever comes in whatever pieces: telemetry first, junk, unknown events, split characters",
    () =>
      Effect.gen(function* () {
        const run = yield* Fake.run((adapter) => {
          adapter.split(3)
          adapter.program.order = "lldb19"
          void adapter.event("output", { category: "telemetry", output: "ptvsd" })
          void adapter.raw("some text that is no message\r\n\r\n")
          void adapter.raw("Content-Length: 5\r\nX-More: 1\r\n\r\n{nope")
          void adapter.event("dart.serviceExtensionAdded", { 世界: "😀" })
          void adapter.send({ type: "response", request_seq: 4711, command: "late", success: true })
          adapter.on("threads", () => ({ threads: [{ id: 1, name: "世界😀", extra: { a: 1 } }], more: true }))
        })
        yield* run.ok(at(3))
        assert.strictEqual(place(yield* run.ok(launch)), "stopped breakpoint a.t:3")
        assert.deepStrictEqual((yield* run.ok({ op: "threads" })).threads, [{ id: 1, name: "世界😀" }])
        assert.deepStrictEqual((yield* run.ok({ op: "output" })).output, [])
      })
  )

  it.live("19 the answers may take their time, in any place", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run((adapter) => {
        for (const command of ["initialize", "launch", "setBreakpoints", "configurationDone"]) {
          adapter.on(command, async (args, request) => {
            await adapter.sleep(60)
            return adapter.base(command, args, request)
          })
        }
      })
      yield* run.ok(at(3))
      assert.strictEqual(place(yield* run.ok(launch)), "stopped breakpoint a.t:3")
    })
  )

  it.live("22 32 36 a program that ends at once: ended, with code, output and what never bound", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run((adapter) => {
        adapter.program.code = 3
        adapter.on("configurationDone", async (_, request) => {
          await adapter.output("hello\n", "stdout")
          await adapter.output("oops\n", "stderr")
          await adapter.respond(request)
          await adapter.end()
          return adapter.noReply
        })
      })
      yield* run.ok(at(500))
      const value = yield* run.ok(launch)
      assert.deepInclude(value, { state: "ended", exit_code: 3 })
      assert.deepStrictEqual(value.output, [
        { category: "stdout", text: "hello\n" },
        { category: "stderr", text: "oops\n" }
      ])
      assert.deepStrictEqual(value.unbound, [{ path: "a.t", line: 500, verified: false, bound_line: 500 }])
      assert.match(value.words, /^Ended: exit code 3\.\n1 breakpoint never bound:\n {2}a\.t:500 {2}pending/)
    })
  )

  it.live("22 81 ended before it began: the answer to launch says whether that is a failure", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run((adapter) => {
        adapter.on("launch", async (_, request) => {
          await adapter.output("target exited early\n", "stderr")
          await adapter.event("terminated")
          await adapter.fail(request, "The program could not be started.")
          return adapter.noReply
        })
      })
      const text = yield* run.refused(launch, "adapter_failed")
      assert.match(text, /The program could not be started\.\nIts output:\ntarget exited early$/)
      const other = yield* Fake.run((adapter) => {
        adapter.on("launch", async (_, request) => {
          await adapter.respond(request)
          await adapter.event("exited", { exitCode: 9 })
          await adapter.event("terminated")
          return adapter.noReply
        })
      })
      assert.deepInclude(yield* other.ok(launch), { state: "ended", exit_code: 9 })
      yield* run.gone
    })
  )

  it.live("23 45 one that does not stop is running, a success", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run(
        (adapter) => {
          adapter.on("configurationDone", async (_, request) => {
            await adapter.respond(request)
            return adapter.noReply
          })
          adapter.program.order = "lldb19"
        },
        { policy: { wait: "100 millis" } }
      )
      const value = yield* run.ok(launch)
      assert.deepInclude(value, { state: "running", waited_seconds: 0.1 })
      assert.match(value.words, /^Still running after 0\.1 s/)
      assert.strictEqual((yield* run.ok({ op: "status" })).state, "running")
    })
  )

  it.live("10 20 24 a launch error: the useful text of it, the build's output, and nothing is left", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run((adapter) => {
        adapter.fork()
        adapter.on("launch", async (_, request) => {
          await adapter.output("./main.go:5:2: undefined: undefinedFn\n", "stderr")
          await adapter.fail(request, "Failed to launch", {
            id: 3000,
            format: "Failed to launch: {what}: Check the debug console for details.",
            variables: { what: "Build error" }
          })
          return adapter.noReply
        })
        adapter.on("disconnect", () => adapter.noReply)
        adapter.keepAlive()
        adapter.ignoreTermination()
      })
      const text = yield* run.refused(launch, "adapter_failed")
      assert.match(text, /Failed to launch: Build error: Check the debug console for details\./)
      assert.match(text, /undefined: undefinedFn/)
      assert.strictEqual((yield* run.ok({ op: "status" })).state, "none")
      yield* run.gone
    })
  )

  it.live("20 two errors: that of launch comes first, however late it is told", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run((adapter) => {
        adapter.on("launch", async (_, request) => {
          await adapter.event("initialized")
          setTimeout(
            () => void adapter.fail(request, undefined, { format: "'main.cpp' is not a valid executable" }),
            200
          )
          return adapter.noReply
        })
        adapter.on("configurationDone", () => {
          throw new Error("Expected process to be stopped.")
        })
      })
      assert.match(
        yield* run.refused(launch, "adapter_failed"),
        /^fake could not launch .*: 'main\.cpp' is not a valid executable\n\(configurationDone: Expected process to be stopped\.\)/
      )
    })
  )

  it.live("10 an error without any text is told as one", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run((adapter) => {
        adapter.on("launch", async (_, request) => {
          await adapter.fail(request)
          return adapter.noReply
        })
      })
      assert.match(yield* run.refused(launch, "adapter_failed"), /the request launch failed, without a reason/)
    })
  )

  const stages = ["initialize", "launch", "setBreakpoints", "configurationDone"] as const
  for (const stage of stages) {
    // The behaviour is written to a file: it sees nothing of this one.
    const crash = new Function(
      "adapter",
      `adapter.on(${JSON.stringify(stage)}, () => {
        adapter.fork()
        adapter.stderr("Traceback: no module named debugpy\\n")
        adapter.exit(7)
      })`
    ) as Fake.Behaviour
    it.live(
      `12 25 an adapter that dies at ${stage} is told with its code and its last words, and its tree is gone`,
      () =>
        Effect.gen(function* () {
          const run = yield* Fake.run(crash)
          yield* run.ok(at(3))
          const text = yield* run.refused(launch, "adapter_failed")
          assert.match(text, /exited with code 7/)
          assert.match(text, /Traceback: no module named debugpy/)
          yield* run.gone
          // And again: the same failure, no session in the way (zed#31408).
          assert.strictEqual(yield* run.refused(launch, "adapter_failed"), text)
        })
    )

    const silent = new Function(
      "adapter",
      `adapter.on(${JSON.stringify(stage)}, () => adapter.noReply)`
    ) as Fake.Behaviour
    it.live(`11 25 an adapter that never answers ${stage} is given up at the limit`, () =>
      Effect.gen(function* () {
        const run = yield* Fake.run(silent, {
          policy: { launch: "6 seconds", request: "3 seconds" }
        })
        yield* run.ok(at(3))
        if (stage === "setBreakpoints") {
          // A breakpoint that is not confirmed is no reason not to launch.
          assert.strictEqual((yield* run.ok(launch)).state, "ended")
        } else if (stage === "initialize") {
          // What is no adapter is not waited for as for a build.
          const text = yield* run.refused(launch, "adapter_failed")
          assert.match(text, /has not answered `initialize` in 3 s: is it a debug adapter\?/)
        } else {
          assert.match(yield* run.refused(launch, "timed_out"), /it was not ready after 6 s/)
        }
        yield* run.gone
      })
    )
  }

  it.live("4 a message of absurd length ends the session with what is wrong", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run((adapter) => {
        void adapter.raw("Content-Length: 99999999999\r\n\r\n")
        adapter.on("initialize", () => adapter.noReply)
      })
      assert.match(yield* run.refused(launch, "adapter_failed"), /a message of 99999999999 bytes is announced/)
      yield* run.gone
    })
  )

  it.live("18 nothing is configured that the adapter does not have", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run((adapter) => {
        adapter.program.capabilities = {}
        adapter.on("launch", async ({ program }, request) => {
          adapter.program.path = program
          await adapter.respond(request)
          await adapter.event("initialized")
          await adapter.sleep(100)
          await adapter.run()
          return adapter.noReply
        })
      })
      yield* run.ok({ ...at(4, 6), conditions: ["x > 1", null] })
      yield* run.ok({ op: "breakpoints", functions: ["f"] })
      assert.strictEqual(place(yield* run.ok(launch)), "stopped breakpoint a.t:6")
      assert.deepStrictEqual(run.commands().slice(0, 3), ["initialize", "launch", "setBreakpoints"])
      assert.notInclude(run.commands(), "configurationDone")
      assert.notInclude(run.commands(), "setExceptionBreakpoints")
      assert.notInclude(run.commands(), "setFunctionBreakpoints")
      assert.deepStrictEqual((yield* run.ok({ op: "status" })).breakpoints, [
        {
          path: "a.t",
          line: 4,
          verified: false,
          condition: "x > 1",
          message: "not set: this adapter cannot do conditions"
        },
        { path: "a.t", line: 6, verified: true, bound_line: 6 }
      ])
    })
  )

  it.live("21 capabilities that come later count", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run((adapter) => {
        adapter.program.capabilities = {}
        adapter.on("launch", async (args, request) => {
          await adapter.event("capabilities", { capabilities: { supportsConfigurationDoneRequest: true } })
          return adapter.base("launch", args, request)
        })
      })
      yield* run.ok(at(4))
      assert.strictEqual(place(yield* run.ok(launch)), "stopped breakpoint a.t:4")
    })
  )

  it.live("9 a request of the adapter that is not served is refused, never met with silence", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run((adapter) => {
        adapter.on("launch", async (args, request) => {
          adapter.log({ answer: await adapter.reverse("runInTerminal", { args: ["x"] }) })
          adapter.log({ answer: await adapter.reverse("startDebugging", {}) })
          return adapter.base("launch", args, request)
        })
      })
      yield* run.ok(launch)
      const answers = run.log().flatMap(({ answer }) => (answer as { success: boolean; message: string }) ?? [])
      assert.deepStrictEqual(
        answers.map(({ message, success }) => [success, message]),
        [
          [false, "this client has no terminal: use the internal console"],
          [false, "this client does not do `startDebugging`"]
        ]
      )
    })
  )

  it.live("26 a second one is refused with what is there; of two at once one wins", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run(() => {})
      yield* run.ok(at(3))
      const answers = yield* Effect.all([run.call(launch), run.call(launch)], { concurrency: "unbounded" })
      assert.deepStrictEqual(
        answers.map((answer) => (answer.isFailure ? answer.code : answer.value.state)),
        ["stopped", "session_exists"]
      )
      const text = yield* run.refused({ op: "attach", port: 1, adapter: "fake" }, "session_exists")
      assert.match(text, /There is a session already: fake, debugging a\.t, stopped\..*`terminate`/)
      assert.strictEqual(run.received("initialize").length, 1)
    })
  )

  it.live("27 after the end another begins; the output stays until then", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run((adapter) => {
        adapter.on("configurationDone", async (args, request) => {
          await adapter.output("out\n", "stdout")
          return adapter.base("configurationDone", args, request)
        })
      })
      assert.deepInclude(yield* run.ok(launch), { state: "ended", exit_code: 0 })
      assert.match(yield* run.refused({ op: "continue" }, "no_session"), /has ended \(exit code 0\)/)
      assert.deepStrictEqual((yield* run.ok({ op: "output" })).output, [{ category: "stdout", text: "out\n" }])
      assert.deepInclude(yield* run.ok({ op: "status" }), { state: "ended", exit_code: 0 })
      yield* run.ok(at(8))
      assert.strictEqual(place(yield* run.ok(launch)), "stopped breakpoint a.t:8")
      assert.deepStrictEqual((yield* run.ok({ op: "output" })).output, [{ category: "stdout", text: "out\n" }])
    })
  )

  it.live("48 25 a launch that is cancelled leaves nothing, and the next one works", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run((adapter) => {
        adapter.fork()
        adapter.on("launch", () => adapter.noReply)
      })
      const fiber = yield* Effect.forkChild(run.call(launch), { startImmediately: true })
      yield* Fake.eventually(() => (run.received("launch").length > 0 ? true : undefined))
      yield* Fiber.interrupt(fiber)
      yield* run.gone
      assert.deepInclude(yield* run.ok({ op: "status" }), { state: "ended", ended_because: "the launch was cancelled" })
      assert.match(yield* run.refused({ op: "continue" }, "no_session"), /the launch was cancelled/)
    })
  )

  for (const transport of ["listen", "dial"] as const) {
    it.live(`64 over TCP (${transport}): the rest of its standard output is the program's, always drained`, () =>
      Effect.gen(function* () {
        const run = yield* Fake.run(
          (adapter) => {
            adapter.on("configurationDone", async (args, request) => {
              adapter.stdout("from the program\n")
              adapter.stderr("and its errors\n")
              await adapter.sleep(50)
              return adapter.base("configurationDone", args, request)
            })
          },
          { transport, adapter: { quirks: { showsErrors: true } } }
        )
        yield* run.ok(at(3))
        assert.strictEqual(place(yield* run.ok(launch)), "stopped breakpoint a.t:3")
        const { output = [] } = yield* run.ok({ op: "output" })
        assert.deepStrictEqual(
          output.toSorted((a, b) => a.category.localeCompare(b.category)),
          [
            { category: "stderr", text: "and its errors\n" },
            { category: "stdout", text: "from the program\n" }
          ]
        )
        yield* run.ok({ op: "terminate" })
        yield* run.gone
      })
    )
  }
})
