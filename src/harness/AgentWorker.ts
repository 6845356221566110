/** Workers that are agents of the same loop, each with a surface of its own (SPEC §10). */
import { Context, Effect, Layer, Option, Scope } from "effect"
import type * as LiveTool from "../LiveTool.ts"
import * as Surface from "../Surface.ts"
import { type Task, Worker, WorkerFailed } from "../vibe/Worker.ts"
import * as Agent from "./Agent.ts"
import { AgentModels } from "./AgentModels.ts"
import * as AgentPrompt from "./AgentPrompt.ts"
import { CurrentAsker } from "./Cards.ts"
import * as ModelErrors from "./ModelErrors.ts"

type Listener = (task: Task, event: Agent.Event) => Effect.Effect<void>

/** What the workers of a run say and do, for whoever wants to see it. */
export class WorkerEvents extends Context.Service<
  WorkerEvents,
  {
    readonly tell: Listener
    /** Hears every worker as long as the scope is open. */
    readonly listen: (listener: Listener) => Effect.Effect<void, never, Scope.Scope>
  }
>()("livetools/harness/WorkerEvents") {
  static readonly layer: Layer.Layer<WorkerEvents> = Layer.sync(WorkerEvents, () => {
    const listeners = new Set<Listener>()
    return {
      tell: (task, event) => Effect.forEach(listeners, (listener) => listener(task, event), { discard: true }),
      listen: (listener) =>
        Effect.acquireRelease(
          Effect.sync(() => void listeners.add(listener)),
          () => Effect.sync(() => void listeners.delete(listener))
        )
    }
  })
}

/**
 * Workers with these tools, as far as their services are in the context and their tiers within the cap of the task. `own` is what
 * each has for itself instead of sharing it with the run (its interpreters, its debug session); it ends with the worker. Without
 * models every run of a worker fails, and says so.
 */
export const layer = <Own = never, R = never>(options: {
  readonly tools: ReadonlyArray<LiveTool.Any>
  readonly cwd: string
  readonly own?: (task: Task) => Layer.Layer<Own, never, R>
}): Layer.Layer<Worker, never, WorkerEvents | R> =>
  Layer.effect(
    Worker,
    Effect.gen(function* () {
      const context = yield* Effect.context<WorkerEvents | R>()
      const events = Context.get(context, WorkerEvents)
      const models = Context.getOption(context, AgentModels)
      return Worker.of({
        ended: (task, { isFailure, text }) =>
          events.tell(task, { type: "note", text: isFailure ? `Failed: ${text}` : "Finished." }),
        open: Effect.fnUntraced(function* (task) {
          if (Option.isNone(models)) {
            return yield* new WorkerFailed({
              message: "there is no language model for workers in this run; it is given with --model MODULE"
            })
          }
          // The scope of a worker is its own: with the scope of the run, its tools would outlive it.
          const scope = yield* Effect.scope
          const shared = Context.add(context, Scope.Scope, scope)
          const own =
            options.own === undefined
              ? Context.empty()
              : yield* Effect.provideContext(Layer.build(Layer.fresh(options.own(task))), shared)
          const surface = yield* Effect.orDie(Surface.makeWired(options.tools, { cap: task.cap })).pipe(
            Effect.provideContext(Context.merge(shared, own))
          )
          const agent = Agent.make({
            model: models.value[task.tier],
            surface,
            system: AgentPrompt.worker(options.cwd, task.label),
            tell: (event) => Effect.andThen(noteOf(task, event), events.tell(task, event))
          })
          return {
            run: (messages: ReadonlyArray<string>) =>
              agent.ask(messages).pipe(
                Effect.mapError(
                  (error) =>
                    new WorkerFailed({
                      message: `its language model (${models.value.name}) failed: ${ModelErrors.describe(error)}`
                    })
                ),
                Effect.flatMap(({ outcome, text, turns }) =>
                  outcome === "done"
                    ? Effect.succeed(text)
                    : Effect.fail(new WorkerFailed({ message: whyUndone(outcome, text, turns) }))
                ),
                Effect.provideService(CurrentAsker, `${task.worker_id} (${task.label})`)
              )
          }
        })
      })
    })
  )

const whyUndone = (outcome: Exclude<Agent.Ended["outcome"], "done">, text: string, turns: number): string => {
  const why = {
    stuck: "it made the same calls with the same answers over and over",
    out_of_turns: `it has spent its ${turns} turns`,
    cut: "its last message was cut",
    empty: "its last message was empty"
  }[outcome]
  return text === "" ? why : `${why}. The last it said: ${text}`
}

const noteOf = (task: Task, event: Agent.Event): Effect.Effect<void> => {
  switch (event.type) {
    case "said":
    case "note":
      return task.note(event.text)
    case "call":
      return task.note(`> ${event.tool} ${JSON.stringify(event.params)}`)
    case "cancelled":
      return task.note(`${event.tool} was cancelled${event.shown === "" ? "" : `; it had shown: ${event.shown}`}`)
    case "answer":
      return task.note(`${event.tool} answered: ${event.answer.text}`)
  }
}
