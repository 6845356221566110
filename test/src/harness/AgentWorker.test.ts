import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Schema, Scope } from "effect"
import type * as Agent from "../../../src/harness/Agent.ts"
import { AgentModels } from "../../../src/harness/AgentModels.ts"
import * as AgentWorker from "../../../src/harness/AgentWorker.ts"
import * as Approvals from "../../../src/harness/Approvals.ts"
import * as CardQuestions from "../../../src/harness/CardQuestions.ts"
import { Cards, type Event } from "../../../src/harness/Cards.ts"
import * as LiveTool from "../../../src/LiveTool.ts"
import { askUser } from "../../../src/question/AskUser.ts"
import { TargetSpace } from "../../../src/question/Questions.ts"
import { type Task, Worker } from "../../../src/vibe/Worker.ts"
import * as ScriptedModel from "../../support/ScriptedModel.ts"

class Held extends Context.Service<
  Held,
  { readonly begun: Deferred.Deferred<void>; readonly go: Deferred.Deferred<void>; readonly log: Array<string> }
>()("test/Held") {
  static readonly layer = Layer.effect(
    Held,
    Effect.gen(function* () {
      return { begun: yield* Deferred.make<void>(), go: yield* Deferred.make<void>(), log: [] }
    })
  )
}

const write = LiveTool.make("write", {
  description: "Writes when it is let go.",
  tier: "write",
  parameters: Schema.Struct({}),
  success: Schema.String,
  text: (value) => value,
  requires: [Held],
  handler: () =>
    Effect.gen(function* () {
      const { begun, go, log } = yield* Held
      yield* Deferred.succeed(begun, undefined)
      yield* Effect.onInterrupt(Deferred.await(go), () => Effect.sync(() => void log.push("interrupted")))
      log.push("written")
      return "written"
    })
})

type Play = Parameters<typeof ScriptedModel.make>[0]

const wired = (play: Play | undefined) =>
  AgentWorker.layer({ tools: [write, askUser], cwd: "/w" }).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        AgentWorker.WorkerEvents.layer,
        Held.layer,
        CardQuestions.layer,
        Layer.succeed(TargetSpace, { id: "conversation" }),
        Approvals.layer({ policy: Approvals.askForChanges }),
        play === undefined
          ? Layer.empty
          : Layer.effect(
              AgentModels,
              Effect.map(ScriptedModel.make(play), (model) => ({ name: "m", main: model, fast: model, good: model }))
            )
      )
    ),
    Layer.provideMerge(Cards.layer)
  )

const task = (more: Partial<Task> = {}): Task => ({
  worker_id: "worker_1",
  label: "write it",
  tier: "fast",
  cap: "exec",
  note: () => Effect.void,
  ...more
})

const human = Effect.gen(function* () {
  const cards = yield* Cards
  const events: Array<Event> = []
  yield* cards.connect((event) => Effect.sync(() => void events.push(event)))
  return { cards, open: () => events.flatMap((event) => (event.type === "open" ? [event.card] : [])) }
})

describe("a worker of the same loop", () => {
  it.effect("works with tools of its own up to its cap, and its cards say who asks", () =>
    Effect.gen(function* () {
      const { cards, open } = yield* human
      const worker = yield* Worker
      const { go } = yield* Held
      const heard: Array<[string, Agent.Event["type"]]> = []
      yield* (yield* AgentWorker.WorkerEvents).listen((of, event) =>
        Effect.sync(() => void heard.push([of.worker_id, event.type]))
      )
      const session = yield* worker.open(task())
      const fiber = yield* Effect.forkChild(session.run(["Write it"]), { startImmediately: true })
      assert.deepInclude(open()[0], { kind: "permission", asker: "worker_1 (write it)", question: "May write run?" })
      yield* cards.answer("card_1", { selected: ["Allow"] })
      yield* Deferred.succeed(go, undefined)
      yield* Effect.yieldNow
      for (let i = 0; open().length < 2 && i < 100; i++) yield* Effect.yieldNow
      assert.deepInclude(open()[1], { kind: "question", asker: "worker_1 (write it)", question: "Enough?" })
      yield* cards.answer("card_2", { text: "yes" })
      assert.strictEqual(yield* Fiber.join(fiber), "It says: The user wrote: yes")
      assert.includeDeepMembers(heard, [
        ["worker_1", "call"],
        ["worker_1", "answer"],
        ["worker_1", "said"]
      ])
    }).pipe(
      Effect.provide(
        wired(({ prompt, turn }) =>
          turn === 0
            ? { calls: [["write", {}]] }
            : turn === 1
              ? { calls: [["ask_user", { question: "Enough?" }]] }
              : { text: `It says: ${ScriptedModel.results(prompt).at(-1)}` }
        )
      )
    )
  )

  it.effect("cannot call above its cap", () =>
    Effect.gen(function* () {
      const worker = yield* Worker
      const session = yield* worker.open(task({ cap: "read" }))
      assert.match(yield* session.run(["Write it"]), /unknown_tool: There is no tool `write` here.*: ask_user\./)
    }).pipe(
      Effect.provide(
        wired(({ prompt, turn }) =>
          turn === 0 ? { calls: [["write", {}]] } : { text: ScriptedModel.results(prompt).join() }
        )
      )
    )
  )

  it.effect("loses its tools with its scope: what runs is interrupted, and no call begins any more", () =>
    Effect.gen(function* () {
      const { cards } = yield* human
      const worker = yield* Worker
      const { begun, log } = yield* Held
      const scope = yield* Scope.make()
      const session = yield* Scope.provide(worker.open(task()), scope)
      const fiber = yield* Effect.forkChild(session.run(["Write it"]), { startImmediately: true })
      yield* cards.answer("card_1", { selected: [2] })
      yield* Deferred.await(begun)
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(log, ["interrupted"])
      assert.match(
        yield* Fiber.join(fiber),
        /^cancelled: The run ended[^]*cancelled: The run is ending: write was not called/
      )
      assert.deepStrictEqual(log, ["interrupted"])
    }).pipe(
      Effect.provide(
        wired(({ prompt, turn }) =>
          turn < 2 ? { calls: [["write", {}]] } : { text: ScriptedModel.results(prompt).join("\n") }
        )
      )
    )
  )

  it.effect("fails with the reason without a model, and when it repeats itself", () =>
    Effect.gen(function* () {
      const open = Effect.flatMap(Worker, (worker) => worker.open(task()))
      const none = yield* Effect.flip(open).pipe(Effect.provide(wired(undefined)))
      assert.match(none.message, /no language model for workers in this run; it is given with --model MODULE/)
      const stuck = yield* Effect.flatMap(open, (session) => Effect.flip(session.run(["Go"]))).pipe(
        Effect.provide(wired(() => ({ text: "again", calls: [["nothing", {}]] })))
      )
      assert.strictEqual(
        stuck.message,
        "it made the same calls with the same answers over and over. The last it said: again"
      )
    })
  )
})
