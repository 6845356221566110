import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer } from "effect"
import { type Deferred, DeferredFindings } from "../../../src/DeferredFindings.ts"
import * as AgentCommand from "../../../src/harness/AgentCommand.ts"
import { AgentModels } from "../../../src/harness/AgentModels.ts"
import { WorkerEvents } from "../../../src/harness/AgentWorker.ts"
import { Output } from "../../../src/harness/Output.ts"
import { RunInfo } from "../../../src/harness/RunInfo.ts"
import { VibeSwitch } from "../../../src/harness/VibeSwitch.ts"
import * as Surface from "../../../src/Surface.ts"
import type { Listed } from "../../../src/vibe/Roster.ts"
import * as ScriptedModel from "../../support/ScriptedModel.ts"

/** Runs the command over these workers and findings; gives what it was asked in its last turn, and what it printed. */
const play = Effect.fnUntraced(function* (
  undelivered: () => ReadonlyArray<Listed>,
  findings: Array<ReadonlyArray<Deferred>>
) {
  let asked: ReadonlyArray<string> = []
  let printed = ""
  const model = yield* ScriptedModel.make(({ prompt, turn }) => {
    asked = ScriptedModel.asked(prompt)
    return { text: `end ${turn}` }
  })
  const services = Layer.mergeAll(
    Layer.succeed(AgentModels, { name: "m", main: model, fast: model, good: model }),
    Layer.succeed(Output, { out: (text) => Effect.sync(() => void (printed += text)), err: () => Effect.void }),
    Layer.succeed(RunInfo, { id: "run", conversation: "talk", cwd: "/", cap: "exec" }),
    Layer.succeed(VibeSwitch, {
      isOn: Effect.succeed(true),
      set: () => Effect.void,
      undelivered: Effect.sync(undelivered),
      onChange: () => Effect.void
    }),
    Layer.succeed(DeferredFindings, { take: Effect.sync(() => findings.shift() ?? []), divert: () => Effect.void }),
    Layer.effect(Surface.Wired, Effect.orDie(Surface.makeWired([], { cap: "exec" }))),
    WorkerEvents.layer
  )
  const exit = yield* Effect.exit(AgentCommand.run({ json: true, task: "Go" })).pipe(
    Effect.scoped,
    Effect.provide(services)
  )
  assert.isTrue(Exit.isSuccess(exit))
  const events = printed
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { readonly type: string; readonly text: string; readonly outcome?: string })
  return { asked, events }
})

const worker = (n: number, state: Listed["state"]): Listed => ({
  worker_id: `worker_${n}`,
  label: `label ${n}`,
  tier: "good",
  state,
  elapsed_seconds: 1
})

describe("AgentCommand", () => {
  it.effect("puts workers that were not waited for to the model once, and says at the end which are lost", () =>
    Effect.gen(function* () {
      const { asked, events } = yield* play(() => [worker(1, "running"), worker(2, "finished")], [])
      assert.strictEqual(asked.length, 2)
      assert.match(
        asked[1]!,
        /^You end, but worker_1 \(label 1\) is still at work, worker_2 \(label 2\) has finished, and you have not waited/
      )
      assert.deepStrictEqual(
        events.slice(-3).map(({ text }) => text),
        [
          "worker_1 (label 1) was still at work and is stopped.",
          "worker_2 (label 2) has finished, and nobody waited for its result.",
          "end 1"
        ]
      )
    })
  )

  it.effect("says nothing of workers where each was waited for", () =>
    Effect.gen(function* () {
      const { asked, events } = yield* play(() => [], [])
      assert.deepStrictEqual(asked, ["Go"])
      assert.deepStrictEqual(
        events.map(({ type }) => type),
        ["said", "ended"]
      )
    })
  )

  it.effect("tells the model what its writes turned out to have caused before it is done", () =>
    Effect.gen(function* () {
      const found: Deferred = { tool: "write", files: ["a.ts"], introduced: [], text: "write introduced 1 error" }
      const { asked, events } = yield* play(() => [], [[found]])
      assert.deepStrictEqual(asked, ["Go", "write introduced 1 error"])
      assert.deepInclude(events.at(-1), { type: "ended", outcome: "done", text: "end 1" })
    })
  )
})
