import * as Fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as Fake from "../../support/FakeDebugAdapter.ts"
import * as Folders from "../../support/Folders.ts"
import * as Leftovers from "../../support/Leftovers.ts"

const launch = { op: "launch", program: "a.t" } as const
const at = (...lines: ReadonlyArray<number>) => ({ op: "breakpoints", file: "a.t", lines }) as const

const stopped = (behaviour: Fake.Behaviour = () => {}, options?: Fake.Options) =>
  Effect.tap(Fake.run(behaviour, options), (run) =>
    Effect.gen(function* () {
      yield* run.ok(at(3, 10))
      assert.strictEqual((yield* run.ok(launch)).state, "stopped")
    })
  )

describe("the end", () => {
  it.live("67 68 70 72 terminate: disconnect once, and no process, descriptor or file is left", () =>
    Effect.gen(function* () {
      const before = yield* Leftovers.held
      const run = yield* stopped((adapter) => {
        adapter.fork()
        adapter.on("launch", async (args, request) => {
          adapter.log({ temporary: args.temporary })
          return adapter.base("launch", args, request)
        })
      })
      const temporary = run.log().flatMap(({ temporary: folder }) => (folder as string) ?? [])[0]!
      assert.isTrue(Fs.existsSync(temporary))
      const value = yield* run.ok({ op: "terminate" })
      assert.deepInclude(value, { state: "ended", ended_because: "it was terminated" })
      assert.notProperty(value, "exit_code")
      assert.match(value.words, /^Ended: it was terminated/)
      yield* run.gone
      assert.deepStrictEqual(
        run.received("disconnect").map(({ arguments: args }) => args),
        [{ restart: false, terminateDebuggee: true }]
      )
      assert.isFalse(Fs.existsSync(temporary))
      // Again, and with nothing there: the same answer, nothing breaks.
      assert.strictEqual((yield* run.ok({ op: "terminate" })).state, "ended")
      yield* run.close
      yield* Leftovers.expectNone(run.runId, { before, pids: run.pids(), within: "5 seconds" })
    })
  )

  it.live(
    "72 a folder that a killed host left a day ago is removed by the next launch, what another one keeps is not",
    () =>
      Effect.gen(function* () {
        const folder = (owner: number) => {
          const path = Folders.make(`livetools-debug-${owner}-`)
          const then = Date.now() / 1000 - 90_000
          Fs.utimesSync(path, then, then)
          return path
        }
        const [left, kept] = [folder(4_000_000), folder(process.pid)]
        yield* stopped()
        assert.deepStrictEqual([Fs.existsSync(left), Fs.existsSync(kept)], [false, true])
      })
  )

  it.live("64 279 the exit code after our own kill is not told as one of the program", () =>
    Effect.gen(function* () {
      const run = yield* stopped((adapter) => {
        adapter.on("disconnect", async (_, request) => {
          await adapter.event("exited", { exitCode: 247 })
          await adapter.event("terminated")
          await adapter.respond(request)
          return adapter.noReply
        })
      })
      const value = yield* run.ok({ op: "terminate" })
      assert.deepStrictEqual(
        [value.state, value.exit_code, value.ended_because],
        ["ended", undefined, "it was terminated"]
      )
    })
  )

  const stubborn: Record<string, Fake.Behaviour> = {
    "never answers disconnect": (adapter) => {
      adapter.fork()
      adapter.on("disconnect", () => adapter.noReply)
      adapter.on("$end", () => {})
      adapter.keepAlive()
      adapter.ignoreTermination()
    },
    "answers and stays": (adapter) => {
      adapter.fork()
      adapter.on("disconnect", () => {})
      adapter.on("$end", () => {})
      adapter.keepAlive()
    },
    "is stopped by a signal": (adapter) => {
      adapter.fork()
      adapter.on("threads", () => {
        adapter.kill("SIGSTOP")
      })
    },
    "has stopped reading": (adapter) => {
      adapter.fork()
      adapter.on("threads", () => {
        adapter.stopReading()
      })
      adapter.on("$end", () => {})
      adapter.keepAlive()
    },
    "has a program that sheds the mark and the group": (adapter) => {
      const pid = adapter.fork({})
      adapter.on("configurationDone", async (args, request) => {
        await adapter.event("process", { name: "x", systemProcessId: pid, isLocalProcess: true })
        return adapter.base("configurationDone", args, request)
      })
    }
  }
  for (const [name, behaviour] of Object.entries(stubborn)) {
    it.live(`72 D7 19 3 an adapter that ${name} leaves nothing, in a bounded time`, () =>
      Effect.gen(function* () {
        const run = yield* stopped(behaviour)
        yield* Effect.ignore(Effect.timeoutOption(run.call({ op: "threads" }), "300 millis"))
        const from = performance.now()
        assert.strictEqual((yield* run.ok({ op: "terminate" })).state, "ended")
        assert.isBelow(performance.now() - from, 15_000)
        yield* run.gone
        assert.strictEqual((yield* run.ok({ op: "status" })).state, "ended")
      })
    )
  }

  it.live("72 29 an adapter that is killed leaves no program behind; the mark it had runs on in the program", () =>
    Effect.gen(function* () {
      const run = yield* stopped((adapter) => {
        adapter.fork()
      })
      const [adapter] = run.pids()
      assert.isTrue(run.log()[0]!.mark!.split(":").includes(run.runId))
      process.kill(adapter!, "SIGKILL")
      yield* run.gone
      const value = yield* run.ok({ op: "status" })
      assert.strictEqual(value.state, "ended")
      assert.match(value.ended_because ?? "", /the adapter was killed by SIGKILL/)
    })
  )

  it.live("69 terminated without exited: the code is not known; exited alone does not end it; in either order", () =>
    Effect.gen(function* () {
      const run = yield* stopped((adapter) => {
        adapter.on("next", async (_, request) => {
          await adapter.respond(request)
          await adapter.event("exited", { exitCode: 5 })
          await adapter.sleep(50)
          adapter.program.line++
          await adapter.stop("step")
          return adapter.noReply
        })
        adapter.on("continue", async (_, request) => {
          await adapter.event("terminated")
          await adapter.respond(request)
          return adapter.noReply
        })
      })
      assert.strictEqual((yield* run.ok({ op: "step_over" })).state, "stopped")
      assert.deepInclude(yield* run.ok({ op: "continue" }), { state: "ended", exit_code: 5 })
      assert.lengthOf(run.received("disconnect"), 1)

      const other = yield* stopped((adapter) => {
        adapter.on("continue", async (_, request) => {
          await adapter.respond(request)
          await adapter.event("terminated", {})
          return adapter.noReply
        })
        adapter.on("disconnect", async (_, request) => {
          await adapter.event("exited", { exitCode: 6 })
          await adapter.respond(request)
          return adapter.noReply
        })
      })
      assert.deepInclude(yield* other.ok({ op: "continue" }), { state: "ended", exit_code: 6 })

      const unknown = yield* stopped((adapter) => {
        adapter.on("continue", async (_, request) => {
          await adapter.respond(request)
          await adapter.event("terminated", {})
          return adapter.noReply
        })
      })
      const value = yield* unknown.ok({ op: "continue" })
      assert.notProperty(value, "exit_code")
      assert.match(value.words, /^Ended: the exit code is not known\./)
    })
  )

  it.live("69 an exit code that is only said in words is read", () =>
    Effect.gen(function* () {
      const run = yield* stopped(
        (adapter) => {
          adapter.on("continue", async (_, request) => {
            await adapter.respond(request)
            await adapter.output("\nExited (3).")
            await adapter.event("terminated")
            return adapter.noReply
          })
        },
        { adapter: { quirks: { exitText: /Exited \((\d+)\)/ } } }
      )
      assert.deepInclude(yield* run.ok({ op: "continue" }), { state: "ended", exit_code: 3 })
    })
  )

  it.live("71 an adapter that asks for a restart is not obeyed in silence", () =>
    Effect.gen(function* () {
      const run = yield* stopped((adapter) => {
        adapter.on("continue", async (_, request) => {
          await adapter.respond(request)
          await adapter.event("terminated", { restart: true })
          return adapter.noReply
        })
      })
      assert.strictEqual((yield* run.ok({ op: "continue" })).state, "ended")
      assert.deepStrictEqual((yield* run.ok({ op: "output" })).output, [
        { category: "console", text: "The adapter asks for a restart: op `restart` does that.\n" }
      ])
    })
  )

  it.live("10 an adapter that hangs up without a word ends the session", () =>
    Effect.gen(function* () {
      const run = yield* stopped(
        (adapter) => {
          adapter.on("continue", () => adapter.exit(0))
        },
        { transport: "listen" }
      )
      const value = yield* run.ok({ op: "continue" })
      assert.strictEqual(value.state, "ended")
      assert.match(value.ended_because ?? "", /the adapter exited with code 0/)
    })
  )

  it.effect("73 the limit of 30 minutes ends a session in the middle of an operation, which answers with that", () =>
    Effect.gen(function* () {
      const run = yield* stopped((adapter) => {
        adapter.fork()
        adapter.on("continue", () => ({}))
      })
      yield* TestClock.adjust("29 minutes")
      assert.deepInclude(yield* run.ok({ op: "status" }), { state: "stopped", seconds_left: 60 })
      const waiting = yield* Effect.forkChild(run.ok({ op: "continue", wait_seconds: 600 }), { startImmediately: true })
      yield* Fake.eventually(() => (run.commands().includes("continue") ? true : undefined))
      yield* TestClock.adjust("1 minute")
      const value = yield* Fiber.join(waiting)
      assert.deepInclude(value, { state: "ended", ended_because: "session ended: 30 min limit" })
      assert.match(value.words, /^Ended: session ended: 30 min limit/)
      yield* run.gone
      assert.match(yield* run.refused({ op: "continue" }, "no_session"), /30 min limit/)
    })
  )

  it.effect("73 22 the limit is not extended by use, and an inspection that it ends says so", () =>
    Effect.gen(function* () {
      const run = yield* stopped(
        (adapter) => {
          adapter.on("evaluate", () => adapter.noReply)
        },
        { policy: { request: "40 minutes" } }
      )
      for (let i = 0; i < 29; i++) {
        yield* TestClock.adjust("1 minute")
        yield* run.ok({ op: "stack" })
      }
      const asking = yield* Effect.forkChild(run.refused({ op: "evaluate", expression: "x" }, "no_session"), {
        startImmediately: true
      })
      yield* Fake.eventually(() => (run.commands().includes("evaluate") ? true : undefined))
      yield* TestClock.adjust("1 minute")
      assert.match(yield* Fiber.join(asking), /session ended: 30 min limit/)
      yield* run.gone
    })
  )

  it.live("terminate overtakes a launch that builds, and a wait", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run((adapter) => {
        adapter.fork()
        adapter.on("launch", () => adapter.noReply)
      })
      const launching = yield* Effect.forkChild(run.ok(launch), { startImmediately: true })
      yield* Fake.eventually(() => (run.commands().includes("launch") ? true : undefined))
      assert.match((yield* run.ok({ op: "status" })).notes?.[0] ?? "", /It is being started/)
      yield* run.refused({ op: "pause" }, "not_ready")
      yield* run.ok({ op: "terminate" })
      assert.deepInclude(yield* Fiber.join(launching), { state: "ended", ended_because: "it was terminated" })
      yield* run.gone

      const other = yield* stopped((adapter) => {
        adapter.on("continue", () => ({}))
      })
      const waiting = yield* Effect.forkChild(other.ok({ op: "continue" }), { startImmediately: true })
      yield* Fake.eventually(() => (other.commands().includes("continue") ? true : undefined))
      yield* other.ok({ op: "terminate" })
      assert.deepInclude(yield* Fiber.join(waiting), { state: "ended", ended_because: "it was terminated" })
    })
  )

  it.live("restart begins again with the breakpoints that are there", () =>
    Effect.gen(function* () {
      const run = yield* stopped()
      yield* run.ok({ op: "step_over" })
      yield* run.ok(at(7))
      assert.deepInclude((yield* run.ok({ op: "restart" })).stop, { reason: "breakpoint", line: 7 })
      yield* run.ok({ op: "terminate" })
      assert.deepInclude((yield* run.ok({ op: "restart" })).stop, { reason: "breakpoint", line: 7 })
      assert.lengthOf(run.received("launch"), 3)
    })
  )

  for (const moment of ["stopped", "running", "launching"] as const) {
    it.live(`72 the end of the run while ${moment} leaves nothing`, () =>
      Effect.gen(function* () {
        const before = yield* Leftovers.held
        const run = yield* Fake.run((adapter) => {
          adapter.fork()
          if (adapter.program.last === 20) adapter.on("continue", () => ({}))
          adapter.on("threads", () => adapter.noReply)
        })
        yield* run.ok(at(3))
        if (moment !== "launching") yield* run.ok(launch)
        else {
          yield* Effect.forkChild(run.call(launch), { startImmediately: true })
          yield* Fake.eventually(() => (run.commands().includes("initialize") ? true : undefined))
        }
        if (moment === "running") yield* Effect.forkChild(run.call({ op: "continue" }), { startImmediately: true })
        yield* run.close
        yield* Leftovers.expectNone(run.runId, { before, pids: run.pids(), within: "5 seconds" })
      })
    )
  }
})

describe("an attachment", () => {
  const attached = Effect.fnUntraced(function* (
    behaviour: Fake.Behaviour,
    adapter?: NonNullable<Fake.Options["adapter"]>
  ) {
    const run = yield* Fake.run(behaviour, adapter === undefined ? {} : { adapter })
    const target = yield* Fake.server(run)
    return { run, ...target, attach: { op: "attach", port: target.port, adapter: "fake" } as const }
  })
  const program: Fake.Behaviour = (adapter) => {
    adapter.on("configurationDone", async (_, request) => {
      await adapter.respond(request)
      return adapter.noReply
    })
    adapter.on("attach", async ({ port }, request) => {
      adapter.log({ attachedTo: port })
      await adapter.event("initialized")
      await adapter.respond(request)
      return adapter.noReply
    })
    adapter.on("disconnect", async (_, request) => adapter.respond(request).then(() => adapter.noReply))
  }

  const holding: ReadonlyArray<readonly [string, Fake.Behaviour]> = [
    [
      "in the handshake",
      (adapter) => {
        adapter.on("attach", async (_, request) => {
          await adapter.stop("exception", { description: "signal SIGSTOP" })
          await adapter.event("initialized")
          await adapter.respond(request)
          return adapter.noReply
        })
        adapter.on("configurationDone", async (_, request) => {
          await adapter.respond(request)
          await adapter.sleep(300)
          await adapter.event("continued", { threadId: 1, allThreadsContinued: true })
          return adapter.noReply
        })
        adapter.on("stackTrace", () => {
          throw new Error("notStopped")
        })
      }
    ],
    [
      "after it",
      (adapter) => {
        adapter.on("attach", async (_, request) => {
          await adapter.event("initialized")
          await adapter.respond(request)
          return adapter.noReply
        })
        adapter.on("configurationDone", async (_, request) => {
          await adapter.respond(request)
          await adapter.stop("exception", { description: "signal SIGSTOP" })
          await adapter.sleep(300)
          await adapter.event("continued", { threadId: 1, allThreadsContinued: true })
          return adapter.noReply
        })
        adapter.on("stackTrace", () => {
          throw new Error("notStopped")
        })
      }
    ]
  ]
  for (const [when, behaviour] of holding) {
    it.live(`38 67 a stop of the adapter's own making, told ${when}, is no stop of the program`, () =>
      Effect.gen(function* () {
        const { attach, run } = yield* attached(behaviour)
        assert.deepInclude(yield* run.ok(attach), { state: "running", waited_seconds: 2 })
      })
    )
  }

  it.live("38 a stop whose stack the adapter does not tell is one all the same", () =>
    Effect.gen(function* () {
      const { attach, run } = yield* attached((adapter) => {
        adapter.on("attach", async (_, request) => {
          await adapter.event("initialized")
          await adapter.respond(request)
          return adapter.noReply
        })
        adapter.on("configurationDone", async (_, request) => {
          await adapter.respond(request)
          await adapter.stop("pause")
          return adapter.noReply
        })
        adapter.on("stackTrace", () => {
          throw new Error("no stack")
        })
      })
      assert.deepInclude(yield* run.ok(attach), { state: "stopped", stop: { reason: "pause", thread_id: 1 } })
    })
  )

  it.live(
    "74 67 41 connects to what listens, starts nothing; afterwards the target is alive, and can be attached to again",
    () =>
      Effect.gen(function* () {
        const { attach, child, port, run } = yield* attached(program)
        assert.deepInclude(yield* run.ok(attach), { state: "running", waited_seconds: 2 })
        assert.deepStrictEqual(Leftovers.marked(run.runId), [])
        assert.strictEqual((yield* run.ok({ op: "pause" })).stop?.reason, "pause")
        const status = yield* run.ok({ op: "status" })
        assert.deepInclude(status, { adapter: "fake", is_attached: true, program: `port ${port}` })
        assert.match(yield* run.refused({ op: "restart" }, "not_covered"), /not ours to start/)
        const end = yield* run.ok({ op: "terminate" })
        assert.deepInclude(end, { state: "ended", ended_because: "detached; the program goes on" })
        assert.deepStrictEqual(run.received("disconnect")[0]!.arguments, { terminateDebuggee: false })
        assert.isTrue(Leftovers.isRunning(child.pid!))
        assert.strictEqual((yield* run.ok({ ...attach })).state, "running")
        yield* run.close
        assert.isTrue(Leftovers.isRunning(child.pid!))
        assert.deepStrictEqual(
          run.log().flatMap(({ attachedTo }) => attachedTo ?? []),
          [port, port]
        )
      })
  )

  it.live("74 before it goes, what would halt the target is taken back", () =>
    Effect.gen(function* () {
      const { attach, run } = yield* attached(program, { quirks: { resumeBeforeDetach: true } })
      yield* run.ok(at(3))
      yield* run.ok(attach)
      assert.strictEqual((yield* run.ok({ op: "pause" })).state, "stopped")
      yield* run.ok({ op: "terminate" })
      assert.deepStrictEqual(run.commands().slice(-3), ["setBreakpoints", "continue", "disconnect"])
      assert.deepStrictEqual(run.received("setBreakpoints").at(-1)!.arguments.breakpoints, [])
    })
  )

  it.live("82 where nothing listens yet it knocks for a while, and then says so", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run(() => {}, { policy: { connect: "300 millis" } })
      assert.match(
        yield* run.refused({ op: "attach", port: 1, adapter: "fake" }, "adapter_failed"),
        /nothing answers on port 1 of this machine/
      )
      assert.strictEqual((yield* run.ok({ op: "status" })).state, "none")
    })
  )

  it.live("66 the other side hangs up: the session is over", () =>
    Effect.gen(function* () {
      const { attach, child, run } = yield* attached((adapter) => {
        adapter.on("attach", async (args, request) => {
          adapter.program.order = "delve"
          return adapter.base("attach", args, request)
        })
        adapter.on("configurationDone", async (_, request) => {
          await adapter.respond(request)
          return adapter.noReply
        })
        adapter.on("threads", () => adapter.noReply)
      })
      yield* run.ok(attach)
      const waiting = yield* Effect.forkChild(run.refused({ op: "pause" }, "no_session"), { startImmediately: true })
      yield* Fake.eventually(() => (run.commands().includes("threads") ? true : undefined))
      child.kill("SIGKILL")
      assert.match(yield* Fiber.join(waiting), /the adapter has closed the connection/)
    })
  )
})

describe("child sessions", () => {
  it.live("22 a process that the program starts is joined where debugpy says so, and gone with it", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run(
        (adapter) => {
          if (adapter.session > 1) {
            adapter.on("attach", (args, request) => {
              adapter.log({ attachedTo: args.subProcessId })
              return adapter.base("attach", args, request)
            })
            return
          }
          adapter.on("configurationDone", async (_, request) => {
            await adapter.respond(request)
            await adapter.event("debugpyAttach", {
              request: "attach",
              connect: { host: "127.0.0.1", port: adapter.port() },
              subProcessId: 4711,
              program: adapter.program.path
            })
            return adapter.noReply
          })
          adapter.program.order = "lldb19"
        },
        { transport: "listen", adapter: { quirks: { childSessions: "debugpyAttach" } } }
      )
      yield* run.ok(at(4))
      assert.deepInclude((yield* run.ok(launch)).stop, { reason: "breakpoint", line: 4 })
      assert.deepStrictEqual(
        run.log().flatMap(({ attachedTo }) => attachedTo ?? []),
        [4711]
      )
      // The child runs to its end; the program itself goes on.
      assert.deepInclude(yield* run.ok({ op: "continue", wait_seconds: 1 }), { state: "running" })
      yield* run.ok({ op: "terminate" })
      yield* run.gone
    })
  )

  it.live(
    "D4 22 are joined where the adapter makes them: breakpoints bind there, the focus stays on the stopped one",
    () =>
      Effect.gen(function* () {
        const run = yield* Fake.run(
          (adapter) => {
            if (adapter.session > 1) {
              adapter.on("launch", async (args, request) => {
                adapter.log({ child_launch: args.name })
                adapter.program.path = args.program
                return adapter.base("launch", args, request)
              })
              return
            }
            adapter.on("configurationDone", async (_, request) => {
              await adapter.respond(request)
              void adapter.reverse("startDebugging", {
                request: "launch",
                configuration: { name: "child", program: adapter.program.path }
              })
              return adapter.noReply
            })
            adapter.program.order = "lldb19"
          },
          { transport: "listen", adapter: { quirks: { childSessions: "startDebugging" } } }
        )
        yield* run.ok(at(4, 6))
        const value = yield* run.ok(launch)
        assert.deepInclude(value.stop, { reason: "breakpoint", path: "a.t", line: 4 })
        assert.deepInclude((yield* run.ok({ op: "status" })).breakpoints?.[0], { line: 4, verified: true })
        const { threads } = yield* run.ok({ op: "threads" })
        assert.deepStrictEqual(
          threads?.map(({ name }) => name),
          ["main", "main"]
        )
        assert.strictEqual(new Set(threads?.map(({ id }) => id)).size, 2)
        assert.deepInclude((yield* run.ok({ op: "continue" })).stop, { line: 6 })
        assert.deepStrictEqual(
          run.received("continue").map(({ session }) => session),
          [2]
        )
        yield* run.ok({ op: "terminate" })
        yield* run.gone
      })
  )
})
