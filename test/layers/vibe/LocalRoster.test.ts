import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Queue, Schema, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as Fs from "node:fs"
import * as Path from "node:path"
import * as LocalRoster from "../../../layers/vibe/LocalRoster.ts"
import type * as Answer from "../../../src/Answer.ts"
import * as Budget from "../../../src/Budget.ts"
import * as LiveTool from "../../../src/LiveTool.ts"
import * as Surface from "../../../src/Surface.ts"
import { Roster, VibeMode } from "../../../src/vibe/Roster.ts"
import { maxShownResult, vibe } from "../../../src/vibe/VibeTools.ts"
import { type Task, Worker, WorkerFailed } from "../../../src/vibe/Worker.ts"
import * as Cli from "../../support/Cli.ts"

/** What a scripted worker is told to do by its messages, and what was seen of it. */
class Seen extends Context.Service<
  Seen,
  {
    readonly tasks: Array<Task>
    readonly runs: Array<ReadonlyArray<string>>
    readonly written: Array<string>
    /** How each run ended, as the harness is told. */
    readonly ended: Array<string>
    /** Each `hold` waits for one of these. */
    readonly gate: Queue.Queue<string>
  }
>()("test/Seen") {
  static readonly layer = Layer.effect(
    Seen,
    Effect.map(Queue.unbounded<string>(), (gate) => Seen.of({ tasks: [], runs: [], written: [], ended: [], gate }))
  )
}

const touch = LiveTool.make("touch", {
  description: "Writes down that it was called.",
  tier: "write",
  parameters: Schema.Struct({}),
  success: Schema.String,
  text: (value) => value,
  requires: [Seen],
  handler: () =>
    Effect.gen(function* () {
      const { written } = yield* Seen
      written.push("touched")
      return "touched"
    })
})

const scripted: Layer.Layer<Worker, never, Seen> = Layer.effect(
  Worker,
  Effect.gen(function* () {
    const seen = yield* Seen
    return Worker.of({
      ended: ({ worker_id }, { isFailure, text }) =>
        Effect.sync(() => void seen.ended.push(`${worker_id} ${isFailure ? "failed" : "finished"} ${text}`)),
      open: (task) =>
        Effect.gen(function* () {
          seen.tasks.push(task)
          if (task.label === "unopened") return yield* new WorkerFailed({ message: "there is no model" })
          const surface = yield* Effect.orDie(Surface.makeWired([touch], { cap: task.cap })).pipe(
            Effect.provideService(Seen, seen)
          )
          let runs = 0
          return {
            run: (messages: ReadonlyArray<string>) =>
              Effect.gen(function* () {
                seen.runs.push(messages)
                const run = ++runs
                const last = messages.at(-1)!
                if (last === "fail") return yield* new WorkerFailed({ message: "the model is not there" })
                if (last === "die") return yield* Effect.die(new Error("broken"))
                if (last === "flood") return "x".repeat(2_000_000)
                if (last.startsWith("say ")) yield* task.note(last.slice(4))
                if (last === "say on") return yield* Effect.never
                if (last === "hold") return `held ${yield* Queue.take(seen.gate)}`
                // It does not let itself be interrupted, and goes on to write when it is let go.
                if (last === "stubborn") {
                  return yield* Effect.uninterruptible(
                    Effect.gen(function* () {
                      yield* Queue.take(seen.gate)
                      return (yield* surface.dispatch("touch", {})).text
                    })
                  )
                }
                if (last === "touch") return (yield* surface.dispatch("touch", {})).text
                return `${run}: ${messages.join(" | ")}`
              })
          }
        })
    })
  })
)

const logs = Effect.acquireRelease(
  Effect.sync(() => Cli.folder({})),
  (folder) => Effect.sync(() => folder.remove())
)

/** A surface with the five tools over a roster of scripted workers, in a scope of its own. */
const start = (options: Partial<LocalRoster.Options> = {}, cap: "read" | "write" | "exec" = "exec") =>
  Effect.gen(function* () {
    const folder = yield* logs
    const seen = yield* Seen
    const scope = yield* Scope.fork(yield* Effect.scope)
    const services = Layer.mergeAll(
      LocalRoster.layer({ runId: "run", folder: folder.root, ...options }).pipe(Layer.provide(scripted)),
      Layer.succeed(VibeMode, { cap })
    )
    const context = yield* Layer.buildWithScope(services, scope)
    const surface = yield* Surface.make(vibe).pipe(Effect.provideContext(context))
    const call = (tool: string, params: object) => surface.dispatch(`vibe_${tool}`, params)
    const fork = (tool: string, params: object) => Effect.forkChild(call(tool, params), { startImmediately: true })
    const spawn = (brief: string, label = "work") => call("spawn", { brief, label })
    const wait = (n = 1, seconds?: number) =>
      call("wait", { worker_id: `worker_${n}`, ...(seconds === undefined ? {} : { timeout_seconds: seconds }) })
    const send = (message: string, n = 1) => call("send", { worker_id: `worker_${n}`, message })
    const log = (n = 1) =>
      Fs.readFileSync(Path.join(folder.root, "run", `worker_${n}.jsonl`), "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as { event: string; text: string })
    return {
      seen,
      call,
      fork,
      spawn,
      wait,
      send,
      log,
      folder,
      roster: Context.get(context, Roster),
      end: Scope.close(scope, Exit.void)
    }
  })

const value = (answer: Answer.Answer) => answer.value as { readonly [key: string]: unknown }
const run = <A, E>(effect: Effect.Effect<A, E, Seen | Scope.Scope>) => Effect.provide(effect, Seen.layer)

describe("the roster in this process", () => {
  it.live("knows which workers are at work or ended with something that no wait has given", () =>
    run(
      Effect.gen(function* () {
        const { roster, seen, send, spawn, wait } = yield* start()
        const undelivered = Effect.map(roster.undelivered, (all) =>
          all.map((each) => `${each.worker_id} ${each.state}`)
        )
        yield* spawn("hold")
        assert.deepStrictEqual(yield* undelivered, ["worker_1 running"])
        yield* Queue.offer(seen.gate, "a")
        yield* wait(1)
        assert.deepStrictEqual(yield* undelivered, [])
        yield* spawn("fail")
        while ((yield* roster.list)[1]!.state !== "failed") yield* Effect.sleep("5 millis")
        assert.deepStrictEqual(yield* undelivered, ["worker_2 failed"])
        yield* send("again", 1)
        yield* wait(2)
        yield* wait(1)
        assert.deepStrictEqual(yield* undelivered, [])
      })
    )
  )

  it.live("tells the harness how each run ended, also one that could not be opened, but not one that was killed", () =>
    run(
      Effect.gen(function* () {
        const { call, seen, send, spawn, wait } = yield* start()
        yield* spawn("fail")
        yield* wait(1)
        yield* send("again", 1)
        yield* wait(1)
        yield* spawn("x", "unopened")
        yield* wait(2)
        yield* spawn("die")
        yield* wait(3)
        yield* spawn("hold")
        yield* call("kill", { worker_id: "worker_4" })
        assert.deepStrictEqual(seen.ended, [
          "worker_1 failed the model is not there",
          "worker_1 finished 2: again",
          "worker_2 failed there is no model",
          "worker_3 failed a fault in the worker: Error: broken"
        ])
      })
    )
  )

  it.live("refuses a label, a brief and a message in which there is nothing to read", () =>
    run(
      Effect.gen(function* () {
        const { roster, send, spawn } = yield* start()
        for (const blank of ["", "  ", "\u200b\u2060", "\u3164\n"]) {
          const refused = [yield* spawn("x", blank), yield* spawn(blank), yield* send(blank)]
          for (const [index, name] of ["label", "brief", "message"].entries()) {
            assert.deepInclude(refused[index], { isFailure: true, code: "invalid_params" })
            assert.match(refused[index]!.text, new RegExp(`\`${name}\``))
          }
        }
        assert.match((yield* spawn("x", "\u200b")).text, /`label`: it needs words that can be read/)
        assert.deepStrictEqual(yield* roster.list, [])
      })
    )
  )

  it.live("counts its workers on where vibe mode is left and entered again: no id and no log is used twice", () =>
    run(
      Effect.gen(function* () {
        const folder = yield* logs
        const roster = LocalRoster.layer({ runId: "run", folder: folder.root }).pipe(Layer.provide(scripted))
        const once = Effect.gen(function* () {
          const { spawn } = yield* Roster
          return (yield* spawn({ brief: "x", label: "x", tier: "fast", cap: "read" })).worker_id
        }).pipe(Effect.provide(Layer.fresh(roster)))
        assert.deepStrictEqual([yield* once, yield* once], ["worker_1", "worker_2"])
      })
    )
  )

  it.effect("spawns at once, runs on its own, and gives the result however often it is waited for", () =>
    run(
      Effect.gen(function* () {
        const { call, log, seen, send, spawn, wait } = yield* start()
        const spawned = yield* spawn("hold", "look")
        assert.deepInclude(spawned, { isFailure: false, value: { worker_id: "worker_1", state: "running" } })
        assert.deepInclude(seen.tasks[0], { worker_id: "worker_1", label: "look", tier: "fast", cap: "exec" })
        yield* Queue.offer(seen.gate, "it")
        const first = yield* wait()
        assert.deepInclude(value(first), { state: "finished", why: "finished", result: "held it" })
        assert.match(first.text, /^worker_1 \(look\) has finished after 0 s\.\nResult:\nheld it$/)
        yield* TestClock.adjust("5 minutes")
        assert.deepStrictEqual(yield* wait(), first)
        const list = yield* call("list", {})
        assert.deepStrictEqual(list.isFailure ? undefined : list.value, {
          workers: [
            {
              worker_id: "worker_1",
              label: "look",
              tier: "fast",
              state: "finished",
              elapsed_seconds: 0,
              last_result: "held it"
            }
          ]
        })
        assert.match(list.text, /^worker_1 {2}finished {2}fast {2}0 s {2}look: held it$/)
        yield* send("again")
        assert.deepInclude(value(yield* wait()), { result: "2: again", earlier_results: [] })
        assert.deepStrictEqual(
          log().map(({ event, text }) => [event, text]),
          [
            ["spawned", "look (fast, cap exec)"],
            ["message", "hold"],
            ["finished", "held it"],
            ["message", "again"],
            ["finished", "2: again"]
          ]
        )
      })
    )
  )

  it.effect("messages that come while it works are worked on after, each whole and in order; no result is lost", () =>
    run(
      Effect.gen(function* () {
        const { seen, send, spawn, wait } = yield* start()
        yield* spawn("hold")
        assert.deepInclude(value(yield* send("first\nline")), { state: "running" })
        yield* send("second")
        yield* Queue.offer(seen.gate, "it")
        const waited = yield* wait()
        assert.deepStrictEqual(seen.runs, [["hold"], ["first\nline", "second"]])
        assert.deepInclude(value(waited), { result: "2: first\nline | second", earlier_results: ["held it"] })
        assert.match(waited.text, /Result of an earlier run \(1 of 1\):\nheld it\nResult:\n2: first/)
        assert.deepInclude(value(yield* wait()), { result: "2: first\nline | second", earlier_results: [] })
      })
    )
  )

  it.effect("a result that nobody waited for before the next message is given once with the next one", () =>
    run(
      Effect.gen(function* () {
        const { call, roster, send, spawn, wait } = yield* start()
        const untilIdle = Effect.repeat(roster.list, {
          until: ([worker]) => worker?.state === "finished" || worker?.state === "failed"
        })
        yield* spawn("a")
        yield* wait()
        yield* send("b")
        yield* untilIdle
        yield* call("list", {})
        yield* send("fail")
        yield* untilIdle
        const seen = [yield* wait(), yield* wait()].map(value)
        assert.deepInclude(seen[0], { why: "failed", reason: "the model is not there", earlier_results: ["2: b"] })
        assert.deepInclude(seen[1], { why: "failed", reason: "the model is not there", earlier_results: [] })
        yield* send("c")
        assert.deepInclude(value(yield* wait()), { why: "finished", result: "4: c", earlier_results: [] })
      })
    )
  )

  it.effect("two waits on one worker both end with it", () =>
    run(
      Effect.gen(function* () {
        const { fork, seen, spawn } = yield* start()
        yield* spawn("hold")
        const waits = [yield* fork("wait", { worker_id: "worker_1" }), yield* fork("wait", { worker_id: "worker_1" })]
        yield* Queue.offer(seen.gate, "it")
        for (const answer of yield* Fiber.joinAll(waits)) {
          assert.deepInclude(value(answer), { why: "finished", result: "held it" })
        }
      })
    )
  )

  it.effect("a wait whose time is over is a success that says so; the worker goes on", () =>
    run(
      Effect.gen(function* () {
        const { fork, seen, spawn, wait } = yield* start()
        yield* spawn("hold")
        const waiting = yield* fork("wait", { worker_id: "worker_1", timeout_seconds: 10 })
        yield* TestClock.adjust("9 seconds")
        assert.isUndefined(waiting.pollUnsafe())
        yield* TestClock.adjust("1 second")
        const answer = yield* Fiber.join(waiting)
        assert.deepInclude(value(answer), { state: "running", why: "timed_out", elapsed_seconds: 10 })
        assert.match(answer.text, /still running after 10 s; the wait is over, the worker goes on/)
        yield* Queue.offer(seen.gate, "it")
        assert.deepInclude(value(yield* wait()), { why: "finished", result: "held it", elapsed_seconds: 10 })
      })
    )
  )

  it.effect("a message sent in the moment in which it finishes is worked on once", () =>
    run(
      Effect.gen(function* () {
        const { fork, seen, send, spawn, wait } = yield* start()
        for (let n = 1; n <= 20; n++) {
          yield* spawn("hold")
          const waiting = yield* fork("wait", { worker_id: `worker_${n}` })
          yield* Queue.offer(seen.gate, "it")
          for (let i = 0; i < n; i++) yield* Effect.yieldNow
          assert.isFalse((yield* send(`message ${n}`, n)).isFailure)
          const all = JSON.stringify([yield* Fiber.join(waiting), yield* wait(n)].map(value))
          assert.include(all, `2: message ${n}`)
          assert.include(all, "held it")
          assert.deepStrictEqual(seen.runs.filter((messages) => messages.includes(`message ${n}`)).length, 1)
        }
      })
    )
  )

  it.effect("one that ends before vibe_spawn or vibe_send answers was not queued", () =>
    run(
      Effect.gen(function* () {
        const { send, spawn } = yield* start()
        assert.deepInclude(value(yield* spawn("go")), { state: "running" })
        assert.deepInclude(value(yield* send("again")), { state: "running" })
      })
    )
  )

  it.effect("runs eight at once and queues the others, in order", () =>
    run(
      Effect.gen(function* () {
        const { call, seen, spawn, wait } = yield* start()
        const states = []
        for (let n = 0; n < 11; n++) states.push(value(yield* spawn("hold"))["state"])
        assert.deepStrictEqual(states, [...Array(8).fill("running"), "queued", "queued", "queued"])
        assert.strictEqual(seen.runs.length, 8)
        yield* call("kill", { worker_id: "worker_9" })
        yield* call("kill", { worker_id: "worker_1" })
        assert.deepInclude(value(yield* wait(10, 0)), { state: "running" })
        assert.deepInclude(value(yield* wait(11, 0)), { state: "queued", why: "timed_out" })
        assert.deepInclude(value(yield* wait(9)), { state: "killed" })
        yield* Queue.offer(seen.gate, "it")
        assert.deepInclude(value(yield* wait(2)), { result: "held it" })
        yield* Effect.yieldNow
        assert.deepInclude(value(yield* wait(11, 0)), { state: "running" })
      })
    )
  )

  it.effect("one that fails or dies says why and can be sent to again", () =>
    run(
      Effect.gen(function* () {
        const { send, spawn, wait } = yield* start()
        yield* spawn("fail")
        const failed = yield* wait()
        assert.deepInclude(value(failed), { state: "failed", why: "failed", reason: "the model is not there" })
        assert.match(failed.text, /has failed after 0 s: the model is not there\. vibe_send lets it run again\./)
        yield* send("die")
        assert.deepInclude(value(yield* wait()), { state: "failed", reason: "a fault in the worker: Error: broken" })
        yield* send("work")
        assert.deepInclude(value(yield* wait()), { state: "finished", result: "3: work" })
      })
    )
  )

  it.effect("a kill ends the waits on it, and what it had said can still be read", () =>
    run(
      Effect.gen(function* () {
        const { call, fork, log, send, spawn, wait } = yield* start()
        yield* spawn("say on")
        const waiting = yield* fork("wait", { worker_id: "worker_1" })
        const killed = yield* call("kill", { worker_id: "worker_1" })
        assert.deepInclude(value(killed), { state: "killed", why: "killed", last_output: "on" })
        assert.deepInclude(value(yield* Fiber.join(waiting)), { state: "killed", why: "killed" })
        assert.deepInclude(value(yield* wait()), { state: "killed" })
        assert.deepInclude(value(yield* call("kill", { worker_id: "worker_1" })), { state: "killed" })
        const sent = yield* send("wake up")
        assert.deepInclude(sent, { isFailure: true, code: "unknown_worker" })
        assert.match(sent.text, /worker_1 \(work\) was killed and takes no messages/)
        assert.includeMembers(
          log().map(({ event }) => event),
          ["note", "killed"]
        )
      })
    )
  )

  it.effect(
    "one that does not let itself be interrupted is killed all the same: no tool of it runs, no result revives it",
    () =>
      run(
        Effect.gen(function* () {
          const { fork, seen, spawn, wait } = yield* start()
          yield* spawn("stubborn")
          const killing = yield* fork("kill", { worker_id: "worker_1" })
          yield* TestClock.adjust("5 seconds")
          assert.deepInclude(value(yield* Fiber.join(killing)), { state: "killed" })
          yield* Queue.offer(seen.gate, "go")
          yield* Effect.sleep("1 second").pipe(Effect.forkChild({ startImmediately: true }))
          yield* TestClock.adjust("1 second")
          assert.deepStrictEqual(seen.written, [])
          const after = value(yield* wait())
          assert.deepInclude(after, { state: "killed", why: "killed" })
          assert.notProperty(after, "result")
        })
      )
  )

  it.effect("one that never ends is ended by a time limit, where the harness sets one", () =>
    run(
      Effect.gen(function* () {
        const { fork, spawn } = yield* start({ timeLimit: Budget.after("1 hour") })
        yield* spawn("hold")
        const waiting = yield* fork("wait", { worker_id: "worker_1" })
        yield* TestClock.adjust("1 hour")
        const answer = yield* Fiber.join(waiting)
        assert.deepInclude(value(answer), { state: "failed" })
        assert.match(answer.text, /has spent the time/)
      })
    )
  )

  it.effect("one that floods is cut with the full count, and its log is bounded", () =>
    run(
      Effect.gen(function* () {
        const { log, seen, spawn, wait } = yield* start()
        yield* spawn("flood")
        const answer = yield* wait()
        const result = String(value(answer)["result"])
        assert.isBelow(result.length, LocalRoster.maxResult + 300)
        assert.match(result.slice(-300), /cut: 500000 of 2000000 characters; more is in \/.*worker_1\.jsonl/)
        assert.isBelow(answer.text.length, maxShownResult + 300)
        for (let i = 0; i < 20; i++) yield* seen.tasks[0]!.note("y".repeat(1_000_000))
        assert.deepInclude(log().at(-1), { event: "full" })
        assert.isBelow(JSON.stringify(log()).length, 18_000_000)
      })
    )
  )

  it.effect("an unknown worker is an error that names those there are; near names do not collide", () =>
    run(
      Effect.gen(function* () {
        const { call, send, spawn, wait } = yield* start()
        assert.match((yield* wait()).text, /no worker `worker_1` in this run\. None was spawned/)
        yield* spawn("a", "fix it!")
        yield* spawn("b", "fix it?")
        assert.deepInclude(value(yield* wait(1)), { result: "1: a" })
        assert.deepInclude(value(yield* wait(2)), { result: "1: b" })
        for (const answer of [yield* wait(3), yield* send("x", 3), yield* call("kill", { worker_id: "__proto__" })]) {
          assert.deepInclude(answer, { isFailure: true, code: "unknown_worker" })
          assert.match(answer.text, /The workers are: worker_1, worker_2\./)
        }
      })
    )
  )

  it.effect("a worker's surface is never above the cap of the one that spawned it", () =>
    run(
      Effect.gen(function* () {
        const { seen, spawn, wait } = yield* start({}, "read")
        yield* spawn("touch")
        assert.match(String(value(yield* wait())["result"]), /There is no tool `touch` here/)
        assert.deepStrictEqual(seen.written, [])
        assert.strictEqual(seen.tasks[0]?.cap, "read")
      })
    )
  )

  it.effect("leaving the mode, or the end of the run, ends every worker, running and queued", () =>
    run(
      Effect.gen(function* () {
        const { end, fork, roster, seen, spawn } = yield* start({ atOnce: 1 })
        const released = yield* Deferred.make<void>()
        yield* spawn("hold")
        yield* spawn("hold")
        const waiting = yield* fork("wait", { worker_id: "worker_2" })
        yield* end
        yield* Deferred.succeed(released, undefined)
        assert.deepInclude(value(yield* Fiber.join(waiting)), { state: "killed" })
        assert.deepStrictEqual(
          (yield* roster.list).map(({ state }) => state),
          ["killed", "killed"]
        )
        assert.strictEqual(seen.runs.length, 1)
        const late = yield* spawn("hold")
        assert.deepInclude(late, { isFailure: true, code: "cancelled" })
        assert.match(late.text, /Vibe mode has ended/)
      })
    )
  )
})
