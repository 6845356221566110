import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer } from "effect"
import { TestRunner } from "effect/cluster"
import { TestClock } from "effect/testing"
import * as ClusterWorker from "../../../layers/vibe/ClusterWorker.ts"
import * as LocalRoster from "../../../layers/vibe/LocalRoster.ts"
import { Roster } from "../../../src/vibe/Roster.ts"
import { type Task, Worker, WorkerFailed } from "../../../src/vibe/Worker.ts"
import * as Cli from "../../support/Cli.ts"

/** What is seen of the workers on the runner. */
interface Seen {
  readonly tasks: Array<Task>
  readonly runs: Array<ReadonlyArray<string>>
  readonly log: Array<string>
  readonly begun: Deferred.Deferred<void>
}

const onRunner = (seen: Seen) =>
  Layer.succeed(
    Worker,
    Worker.of({
      open: (task) =>
        Effect.gen(function* () {
          seen.tasks.push(task)
          let known = 0
          yield* Effect.addFinalizer(() => Effect.sync(() => void seen.log.push("closed")))
          return {
            run: (messages: ReadonlyArray<string>) =>
              Effect.gen(function* () {
                seen.runs.push(messages)
                known += messages.length
                yield* task.note(`working on ${messages.join()}`)
                if (messages.includes("fail")) return yield* new WorkerFailed({ message: "no model there" })
                if (messages.includes("die")) return yield* Effect.die(new Error("broken"))
                if (messages.includes("never")) {
                  yield* Deferred.succeed(seen.begun, undefined)
                  return yield* Effect.onInterrupt(Effect.never, () =>
                    Effect.sync(() => void seen.log.push("interrupted"))
                  )
                }
                return `${known} known: ${messages.join(" | ")}`
              })
          }
        })
    })
  )

const start = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => Cli.folder({})),
    (made) => Effect.sync(() => made.remove())
  )
  const seen: Seen = { tasks: [], runs: [], log: [], begun: yield* Deferred.make<void>() }
  const cluster = Layer.mergeAll(
    ClusterWorker.runner({ maxIdleTime: "1 hour" }).pipe(Layer.provide(onRunner(seen))),
    LocalRoster.layer({ runId: "run", folder: folder.root }).pipe(Layer.provide(ClusterWorker.layer({ runId: "run" })))
  ).pipe(Layer.provide(TestRunner.layer))
  const context = yield* Layer.buildWithScope(cluster, yield* Effect.scope)
  const roster = Context.get(context, Roster)
  const spawn = (brief: string) => roster.spawn({ brief, label: "work", tier: "good", cap: "write" })
  /** Waits while the cluster's own clock goes on. */
  const wait = Effect.gen(function* () {
    const waiting = yield* Effect.forkChild(roster.wait("worker_1", undefined), { startImmediately: true })
    while (waiting.pollUnsafe() === undefined) yield* TestClock.adjust("1 second")
    return yield* Fiber.join(waiting)
  })
  return { roster, seen, spawn, wait }
})

describe("workers on a cluster", () => {
  it.effect("work, remember, and give results and notes as those in this process do", () =>
    Effect.gen(function* () {
      const { roster, seen, spawn, wait } = yield* start
      yield* spawn("a\nb")
      assert.deepInclude(yield* wait, { state: "finished", result: "1 known: a\nb" })
      yield* roster.send("worker_1", "c")
      yield* roster.send("worker_1", "d")
      const waited = yield* wait
      assert.strictEqual(waited.state, "finished")
      assert.deepStrictEqual(seen.runs.flat(), ["a\nb", "c", "d"])
      assert.match(waited.result ?? "", /^3 known: /)
      assert.deepInclude(seen.tasks[0], { worker_id: "worker_1", label: "work", tier: "good", cap: "write" })
      assert.strictEqual(seen.tasks.length, 1)
    })
  )

  it.effect("fail with the reason, also of a fault, and run again", () =>
    Effect.gen(function* () {
      const { roster, spawn, wait } = yield* start
      yield* spawn("fail")
      assert.deepInclude(yield* wait, { state: "failed", reason: "no model there", last_output: "working on fail" })
      yield* roster.send("worker_1", "die")
      assert.deepInclude(yield* wait, { state: "failed", reason: "a fault in the worker: Error: broken" })
      yield* roster.send("worker_1", "on")
      assert.deepInclude(yield* wait, { state: "finished", result: "3 known: on" })
    })
  )

  it.effect("are killed where they run, with all that they hold", () =>
    Effect.gen(function* () {
      const { roster, seen, spawn } = yield* start
      yield* spawn("never")
      const begun = yield* Effect.forkChild(Deferred.await(seen.begun), { startImmediately: true })
      while (begun.pollUnsafe() === undefined) yield* TestClock.adjust("1 second")
      const killing = yield* Effect.forkChild(roster.kill("worker_1"), { startImmediately: true })
      while (killing.pollUnsafe() === undefined) yield* TestClock.adjust("100 millis")
      assert.deepInclude(yield* Fiber.join(killing), { state: "killed", why: "killed" })
      assert.sameMembers(seen.log, ["interrupted", "closed"])
    })
  )

  it.effect("that are lost have failed, with the reason, and what they had is never begun again by itself", () =>
    Effect.gen(function* () {
      const { roster, seen, spawn, wait } = yield* start
      yield* spawn("a")
      yield* wait
      // The cluster forgets an entity that is idle: to its run it is gone as with its machine.
      yield* TestClock.adjust("3 hours")
      assert.deepStrictEqual(seen.log, ["closed"])
      yield* roster.send("worker_1", "b")
      const lost = yield* wait
      assert.deepInclude(lost, { state: "failed", why: "failed" })
      assert.match(lost.reason ?? "", /the machine that it worked on is gone.*it was not begun again/)
      assert.deepStrictEqual(seen.runs, [["a"]])
      yield* roster.send("worker_1", "c")
      assert.deepInclude(yield* wait, { state: "finished", result: "1 known: c" })
    })
  )
})
