/** Programs that go on: pausing them, and every way in which a session, an adapter, a program or the host may end. */
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import * as Cli from "../../support/Cli.ts"
import * as Leftovers from "../../support/Leftovers.ts"
import { record } from "../support/table.ts"
import * as Checkout from "./Checkout.ts"
import * as Spec from "./Spec.ts"

// The command has a home of its own, which is not where Go keeps what it has built.
process.env["GOCACHE"] ??= Path.join(Os.homedir(), ".cache/go-build")
process.env["GOMODCACHE"] ??= Path.join(Os.homedir(), "go/pkg/mod")

const parentOf = (pid: number): number => {
  try {
    return Number(Fs.readFileSync(`/proc/${pid}/stat`, "latin1").split(") ").at(-1)!.split(" ")[1])
  } catch {
    return 0
  }
}

export const lasting = (spec: Spec.Spec): void => {
  const { frame } = spec
  const launch = Spec.launch(spec)

  layer(Spec.here(spec), { excludeTestServices: true, timeout: "120 seconds" })(
    `${spec.name}: a program that goes on`,
    (it) => {
      /** With a session of its own. */
      const lives = (
        name: string,
        ops: ReadonlyArray<string>,
        policy: Checkout.Options["policy"],
        body: (checkout: Checkout.Checkout) => Effect.Effect<void>
      ) =>
        it.effect(
          name,
          () =>
            Effect.scoped(
              Effect.gen(function* () {
                const { root } = yield* Spec.Here
                const checkout = yield* Spec.open(spec, root, policy)
                const result = yield* Effect.exit(body(checkout))
                const cleared = yield* Effect.exit(checkout.clear)
                yield* result
                yield* cleared
                for (const op of ops) record(op, spec.name, "yes", "Operation × adapter")
              })
            ),
          Spec.within
        )
      const gone = (checkout: Checkout.Checkout) =>
        Checkout.until("nothing of the session lives", () => Leftovers.marked(checkout.runId).length === 0, 15)
      const soon = { wait: "3 seconds" } as const

      lives(
        "is running, is paused, takes a breakpoint while it runs, and ends with its child",
        ["pause", "status", "terminate"],
        soon,
        (checkout) =>
          Effect.gen(function* () {
            const { fails, line, ok, source } = checkout
            const value = yield* ok(launch("fork"))
            assert.deepInclude(value, { state: "running", waited_seconds: 3 })
            yield* fails("not_stopped", { op: "step_over" })
            yield* fails("not_stopped", { op: "stack" })
            let said = ""
            while (!/child \d+/.test(said)) said += (yield* Checkout.output(checkout)).text
            const child = Number(/child (\d+)/.exec(said)![1])
            assert.isTrue(Leftovers.isRunning(child))
            const paused = yield* ok({ op: "pause" })
            assert.strictEqual(paused.state, "stopped", JSON.stringify(paused))
            assert.strictEqual(paused.stop?.reason, "pause")
            assert.include(Spec.names((yield* ok({ op: "stack" })).frames), frame("spin"))
            assert.strictEqual((yield* ok({ op: "continue", wait_seconds: 0 })).state, "running")
            const bound = yield* ok({ op: "breakpoints", file: source, lines: [line("tick")] })
            assert.isTrue(bound.breakpoints?.[0]?.verified, JSON.stringify(bound))
            let status = yield* ok({ op: "status" })
            for (let i = 0; status.state === "running" && i < 100; i++) {
              yield* Effect.sleep("50 millis")
              status = yield* ok({ op: "status" })
            }
            assert.strictEqual(status.stop?.line, line("tick"))
            const ended = yield* ok({ op: "terminate" })
            assert.strictEqual(ended.state, "ended")
            yield* gone(checkout)
            yield* Checkout.until("the child is gone too", () => !Leftovers.isRunning(child), 5)
          })
      )

      lives(
        "ends when its time is over in the middle of a wait, and the answer says so",
        ["time to live"],
        { ttl: "8 seconds", wait: "2 seconds" },
        (checkout) =>
          Effect.gen(function* () {
            const { ok } = checkout
            yield* ok(launch("spin"))
            yield* ok({ op: "pause" })
            const value = yield* ok({ op: "continue", wait_seconds: 60 })
            assert.strictEqual(value.state, "ended")
            assert.match(value.ended_because ?? "", /session ended: .* min limit/)
            yield* gone(checkout)
            assert.strictEqual((yield* ok({ op: "status" })).state, "ended")
            assert.include((yield* Checkout.output(checkout)).text, "spinning")
          })
      )

      lives("leaves nothing when the adapter is killed, and the wait ends with that", [], soon, (checkout) =>
        Effect.gen(function* () {
          yield* checkout.ok(launch("spin"))
          const waiting = yield* Effect.forkChild(
            Effect.andThen(checkout.ok({ op: "pause" }), checkout.ok({ op: "continue", wait_seconds: 60 })),
            { startImmediately: true }
          )
          yield* Effect.sleep("500 millis")
          const pids = Leftovers.marked(checkout.runId)
          assert.isNotEmpty(pids)
          // Our own child is the adapter; what it has started is the program.
          const own = Leftovers.tree(process.pid)
          const top = pids.find((pid) => own.includes(pid) && parentOf(pid) === process.pid)
          process.kill(top ?? pids[0]!, "SIGKILL")
          const value = yield* Fiber.join(waiting)
          assert.strictEqual(value.state, "ended", JSON.stringify(value))
          assert.match(value.ended_because ?? "", /killed by SIGKILL|gone|closed/)
          yield* gone(checkout)
        })
      )

      lives(
        "ends when the program is killed from outside, or says what it knows, and leaves nothing",
        [],
        soon,
        (checkout) =>
          Effect.gen(function* () {
            yield* checkout.ok(launch("spin"))
            let said = ""
            while (!/spinning \d+/.test(said)) said += (yield* Checkout.output(checkout)).text
            process.kill(Number(/spinning (\d+)/.exec(said)![1]), "SIGKILL")
            yield* Effect.sleep("1 second")
            yield* checkout.ok({ op: "status" })
            yield* Effect.ignore(checkout.ok({ op: "terminate" }))
            yield* gone(checkout)
          })
      )

      lives("ends an adapter that hangs, and the program with it", [], soon, (checkout) =>
        Effect.gen(function* () {
          yield* checkout.ok(launch("fork"))
          for (const pid of Leftovers.marked(checkout.runId)) {
            if (parentOf(pid) === process.pid) process.kill(pid, "SIGSTOP")
          }
          assert.strictEqual((yield* checkout.ok({ op: "status" })).state, "running")
          assert.strictEqual((yield* checkout.ok({ op: "terminate" })).state, "ended")
          yield* gone(checkout)
        })
      )

      for (const [how, mode] of [
        ["runs, nor of its child,", "fork"],
        ["is stopped", "work"]
      ] as const) {
        it.effect(
          `leaves nothing of a program that ${how} when the host is killed (72)`,
          () =>
            Effect.gen(function* () {
              const { line, root, source } = yield* Spec.Here
              Fs.writeFileSync(Path.join(root, "livetools.json"), JSON.stringify({ adapters: spec.overrides ?? {} }))
              process.env["PATH"] = Checkout.searchPath
              const serving = Cli.serve(["--yes"], root)
              yield* Effect.addFinalizer(() => Effect.sync(() => serving.kill("SIGKILL")))
              const started = yield* Effect.promise(() => serving.request("initialize", { protocolVersion: 1 }).answer)
              const { run } = started["result"] as { readonly run: { readonly id: string } }
              const call = (params: object) => serving.call("debug", params)
              yield* Effect.promise(() => call({ op: "breakpoints", file: source, lines: [line("add")] }))
              const launched = call(launch(mode))
              if (mode === "work") {
                const { isFailure, text } = yield* Effect.promise(() => launched)
                assert.isFalse(isFailure, text)
                assert.include(text, "Stopped: breakpoint")
              } else {
                launched.catch(() => {})
                const children = () => Leftovers.withArguments("sleep", "1000")
                const own = () => Leftovers.marked(run.id).filter((pid) => children().includes(pid))
                yield* Checkout.until(`the child is there: ${serving.errors()}`, () => own().length > 0, 60)
              }
              assert.isAtLeast(Leftovers.marked(run.id).length, 2)
              serving.kill("SIGKILL")
              yield* Effect.promise(() => serving.closed)
              yield* Effect.orDie(Leftovers.expectNone(run.id, { within: "10 seconds" }))
            }),
          Spec.within
        )
      }

      if (spec.endless !== undefined) {
        lives(
          "does not wait for an expression for ever, and can be ended meanwhile",
          [],
          { request: "4 seconds" },
          (checkout) =>
            Effect.gen(function* () {
              yield* checkout.ok({ op: "breakpoints", file: checkout.source, lines: [checkout.line("add")] })
              yield* checkout.ok(launch("work"))
              const answer = yield* Effect.exit(checkout.ok({ op: "evaluate", expression: spec.endless! }))
              assert.isDefined(answer)
              yield* checkout.ok({ op: "status" })
              assert.strictEqual((yield* checkout.ok({ op: "terminate" })).state, "ended")
              yield* gone(checkout)
            })
        )
      }
    }
  )
}
