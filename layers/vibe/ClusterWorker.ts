/**
 * Workers that run elsewhere, on an `effect/cluster` (DESIGN, "Past one machine"). The roster stays with its run, and each worker
 * is an entity on one of the cluster's runners. What a lost runner had begun is not begun again: it is a failed run.
 */
import { Deferred, type Duration, Effect, Exit, Layer, Queue, Schema, Scope, Stream } from "effect"
import { Entity, type Sharding } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { randomUUID } from "node:crypto"
import * as Budget from "../../src/Budget.ts"
import { Tier } from "../../src/Tier.ts"
import { type Session, Worker, WorkerFailed } from "../../src/vibe/Worker.ts"

/** The runner that had the worker is gone, and what the worker knew with it. */
class WorkerLost extends Schema.TaggedError<WorkerLost>()("WorkerLost", {}) {}

const Event = Schema.Union([Schema.Struct({ note: Schema.String }), Schema.Struct({ result: Schema.String })])

// Volatile messages all of them: a persisted one would be worked on again after a crash.
const Open = Rpc.make("Open", {
  payload: {
    worker_id: Schema.String,
    label: Schema.String,
    tier: Schema.Literals(["fast", "good"]),
    cap: Tier
  },
  /** Names this life of the worker. */
  success: Schema.String,
  error: WorkerFailed
})
const Run = Rpc.make("Run", {
  payload: { life: Schema.String, messages: Schema.Array(Schema.String) },
  success: Event,
  error: Schema.Union([WorkerFailed, WorkerLost]),
  stream: true
})
const Close = Rpc.make("Close")

const WorkerEntity = Entity.make("livetools/Worker", [Open, Run, Close])

/** What each runner of the cluster provides: it runs workers with the `Worker` of its own process. */
export const runner = (options?: {
  /** A worker that nobody has given work for so long is forgotten. Default 1 day. */
  readonly maxIdleTime?: Duration.Input
}): Layer.Layer<never, never, Worker | Sharding.Sharding> =>
  WorkerEntity.toLayer(
    Effect.gen(function* () {
      const worker = yield* Worker
      const outer = yield* Effect.scope
      let open: { readonly life: string; readonly session: Session; readonly scope: Scope.Closeable } | undefined
      let tell: (note: string) => Effect.Effect<unknown> = () => Effect.void

      return WorkerEntity.of({
        Open: Effect.fnUntraced(function* ({ payload }) {
          if (open !== undefined) return open.life
          const scope = yield* Scope.fork(outer)
          const session = yield* Scope.provide(
            worker.open({
              ...payload,
              note: (note) => Effect.suspend(() => Effect.asVoid(tell(note)))
            }),
            scope
          )
          open = { life: randomUUID(), session, scope }
          return open.life
        }),
        Run: ({ payload }) =>
          Stream.callback<typeof Event.Type, WorkerFailed | WorkerLost>((queue) =>
            Effect.gen(function* () {
              if (open?.life !== payload.life) return yield* Queue.fail(queue, new WorkerLost())
              tell = (note) => Queue.offer(queue, { note })
              // A defect that reached the cluster would restart the entity.
              const result = yield* Effect.result(Effect.catchDefect(open.session.run(payload.messages), fault))
              tell = () => Effect.void
              if (result._tag === "Failure") return yield* Queue.fail(queue, result.failure)
              yield* Queue.offer(queue, { result: result.success })
              yield* Queue.end(queue)
            })
          ),
        Close: () =>
          Effect.suspend(() => {
            const left = open
            open = undefined
            return left === undefined ? Effect.void : Scope.close(left.scope, Exit.void)
          })
      })
    }),
    { concurrency: "unbounded", maxIdleTime: options?.maxIdleTime ?? "1 day" }
  )

const fault = (defect: unknown) =>
  Effect.fail(
    new WorkerFailed({
      message: `a fault in the worker: ${(defect instanceof Error ? `${defect.name}: ${defect.message}` : String(defect)).slice(0, 1000)}`
    })
  )

/** How long a run waits for a runner to let go of a worker that it has killed. */
const closeWithin = Budget.after("5 seconds")

/** The `Worker` of a run whose workers run on the cluster; its roster is `LocalRoster`. */
export const layer = (options: { readonly runId: string }): Layer.Layer<Worker, never, Sharding.Sharding> =>
  Layer.effect(
    Worker,
    Effect.gen(function* () {
      const clientOf = yield* WorkerEntity.client
      return Worker.of({
        open: Effect.fnUntraced(function* (task) {
          const { cap, label, note, tier, worker_id } = task
          const client = clientOf(`${options.runId}/${worker_id}`)
          let life: string | undefined
          yield* Effect.addFinalizer(() => Effect.ignore(Budget.within(closeWithin)(client.Close())))
          return {
            run: (messages: ReadonlyArray<string>) =>
              Effect.gen(function* () {
                life ??= yield* client.Open({ worker_id, label, tier, cap })
                const result = yield* Deferred.make<string>()
                yield* Stream.runForEach(client.Run({ life, messages }), (event) =>
                  "note" in event ? note(event.note) : Deferred.succeed(result, event.result)
                )
                return yield* Deferred.await(result)
              }).pipe(
                Effect.catchTag("WorkerLost", () =>
                  Effect.suspend(() => {
                    life = undefined
                    return Effect.fail(
                      new WorkerFailed({
                        message:
                          "the machine that it worked on is gone, and with it what it had begun and what it knew; it was not " +
                          "begun again. Look at what it has changed before a message lets it begin anew"
                      })
                    )
                  })
                ),
                Effect.mapError((error) =>
                  error._tag === "WorkerFailed"
                    ? error
                    : new WorkerFailed({ message: `the cluster could not run it: ${error._tag}` })
                )
              )
          }
        })
      })
    })
  )
