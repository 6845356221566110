/** `livetools agent`: the loop over the surface of a run, with its transcript (SPEC §12). */
import { Effect, Option } from "effect"
import * as Surface from "../Surface.ts"
import { DeferredFindings } from "../DeferredFindings.ts"
import { isAtWork, type Listed, lost } from "../vibe/Roster.ts"
import type { Task } from "../vibe/Worker.ts"
import * as Agent from "./Agent.ts"
import { AgentModels } from "./AgentModels.ts"
import * as AgentPrompt from "./AgentPrompt.ts"
import * as AgentTranscript from "./AgentTranscript.ts"
import { WorkerEvents } from "./AgentWorker.ts"
import * as ModelErrors from "./ModelErrors.ts"
import { Output } from "./Output.ts"
import { RunInfo } from "./RunInfo.ts"
import { CallFailed, ModelFailed, UsageError } from "./Usage.ts"
import { VibeSwitch } from "./VibeSwitch.ts"

/**
 * Works on a task and prints what is said and done, workers behind their names; with `json` one event a line. Fails with
 * `UsageError` without a model, with `ModelFailed` when the model fails, and with `CallFailed` (1) when the loop is ended before
 * the task. A model that ends is told once of workers that it did not wait for, and of what its writes turned out to have caused.
 */
export const run = Effect.fn("AgentCommand.run")(function* ({
  json,
  task
}: {
  readonly json: boolean
  readonly task: string
}) {
  const output = yield* Output
  const models = yield* Effect.serviceOption(AgentModels)
  if (Option.isNone(models)) {
    return yield* new UsageError({
      message:
        "an agent needs a language model: give --model MODULE, where MODULE is a file or a package whose default export is a Layer of effect/ai's LanguageModel, or openai:MODEL for an endpoint that speaks OpenAI's protocol ($OPENAI_BASE_URL, $OPENAI_API_KEY)."
    })
  }
  const surface = yield* Surface.Wired
  const { cwd } = yield* RunInfo
  const transcript = AgentTranscript.make()
  const print = (event: Agent.Event, worker?: Task) =>
    output.out(
      json
        ? `${JSON.stringify(worker === undefined ? event : { worker_id: worker.worker_id, ...event })}\n`
        : transcript(event, worker?.worker_id)
    )
  yield* (yield* WorkerEvents).listen((worker, event) => print(event, worker))
  const { undelivered } = yield* VibeSwitch
  const deferred = yield* Effect.serviceOption(DeferredFindings)
  const findings = Option.isNone(deferred)
    ? Effect.succeed([])
    : Effect.map(deferred.value.take, (found) => found.map(({ text }) => text))
  let isToldOfWorkers = false
  const pending = Effect.gen(function* () {
    const workers = isToldOfWorkers ? [] : yield* undelivered
    if (workers.length > 0) isToldOfWorkers = true
    return [...(yield* findings), ...(workers.length > 0 ? [unwaited(workers)] : [])]
  })
  const agent = Agent.make({
    model: models.value.main,
    surface,
    system: AgentPrompt.agent(cwd, surface),
    tell: (event) => print(event),
    pending
  })
  const ended = yield* agent.ask([task]).pipe(
    Effect.mapError((error) => {
      const why = ModelErrors.describe(error)
      return new ModelFailed({ message: `the language model of --model ${models.value.name} failed: ${why}` })
    })
  )
  for (const text of yield* findings) yield* print({ type: "note", text: `Not told to the model: ${text}` })
  for (const worker of yield* undelivered) yield* print({ type: "note", text: lost(worker) })
  if (json) yield* output.out(`${JSON.stringify({ type: "ended", ...ended })}\n`)
  if (ended.outcome !== "done") return yield* new CallFailed({ exitCode: 1 })
})

const unwaited = (workers: ReadonlyArray<Listed>): string =>
  `You end, but ${workers
    .map((each) => `${each.worker_id} (${each.label}) ${isAtWork(each) ? "is still at work" : `has ${each.state}`}`)
    .join(
      ", "
    )}, and you have not waited for that. Get each result with vibe_wait, or stop with vibe_kill what is not ` +
  "needed. If you end now, workers are stopped and their results are lost."
