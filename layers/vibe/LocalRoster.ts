/** The roster in this process: each worker a fiber that ends with the run, and a log on disk (SPEC §10). */
import { Cause, Clock, Deferred, Effect, Exit, Fiber, Layer, Option, Scope } from "effect"
import * as Budget from "../../src/Budget.ts"
import * as Suggest from "../../src/Suggest.ts"
import type { Tier } from "../../src/Tier.ts"
import * as ToolError from "../../src/ToolError.ts"
import { type Grade, type Listed, Roster, type State, type Waited } from "../../src/vibe/Roster.ts"
import { type Outcome, type Session, type Task, Worker, WorkerFailed } from "../../src/vibe/Worker.ts"
import * as WorkerLog from "./WorkerLog.ts"

export interface Options {
  readonly runId: string
  /** Where the folder with the logs of the run is made. */
  readonly folder: string
  /** How many work at once; the others are queued. Default 8. */
  readonly atOnce?: number | undefined
  /** How long one run of a worker may take. Default: as long as it wants. */
  readonly timeLimit?: Budget.Budget | undefined
}

/** A longer result is cut; the whole is in the log. Characters. */
export const maxResult = 500_000

/** How long a kill waits for the worker's tools to have ended. */
const stopWithin = Budget.after("5 seconds")

interface Entry {
  readonly id: string
  readonly label: string
  readonly tier: Grade
  readonly cap: Tier
  readonly log: WorkerLog.Log
  readonly scope: Scope.Closeable
  readonly pending: Array<string>
  state: State
  session: Session | undefined
  fiber: Fiber.Fiber<void> | undefined
  /** Completes when it has nothing left to do. */
  idle: Deferred.Deferred<void>
  last: Outcome | undefined
  /** What earlier runs ended with and no wait has given. */
  ungiven: ReadonlyArray<Outcome>
  /** What the last run that ended well gave. */
  result: string | undefined
  whyKilled: string | undefined
  lastOutput: string | undefined
  since: number
  until: number
  stopping: Fiber.Fiber<void> | undefined
}

/** Counts the workers over every roster that is made of one such layer: an id, and its log, is never used twice in a run. */
export const layer = (options: Options): Layer.Layer<Roster, never, Worker> => {
  let spawned = 0
  return Layer.effect(
    Roster,
    Effect.gen(function* () {
      const worker = yield* Worker
      const folder = yield* WorkerLog.openFolder(options.folder, options.runId)
      const clock = yield* Clock.Clock
      const context = yield* Effect.context<never>()
      const now = () => clock.currentTimeMillisUnsafe()
      const limit = options.atOnce ?? 8
      const entries = new Map<string, Entry>()
      const queue: Array<Entry> = []
      const given = new WeakSet<Outcome>()
      let active = 0
      let isOver = false

      const isBusy = ({ state }: Entry) => state === "queued" || state === "running"
      const elapsed = (entry: Entry) => Math.round(((isBusy(entry) ? now() : entry.until) - entry.since) / 100) / 10

      // All transitions are synchronous, so that no other call sees one half done.
      const settle = (entry: Entry, state: State) => {
        entry.state = state
        entry.until = now()
        Deferred.doneUnsafe(entry.idle, Effect.void)
      }

      const record = (entry: Entry, outcome: Outcome) => {
        if (entry.last !== undefined) entry.ungiven = [...entry.ungiven, entry.last]
        entry.last = outcome
        if (outcome.isFailure) return
        entry.result = outcome.text
        entry.lastOutput = undefined
      }

      /** Starts what is queued, as far as there is room. */
      const start = () => {
        if (isOver) return
        while (active < limit) {
          const entry = queue.shift()
          if (entry === undefined) return
          active++
          entry.state = "running"
          entry.fiber = Effect.runForkWith(context)(work(entry))
        }
      }

      const give = (entry: Entry, message: string) => {
        entry.pending.push(message)
        if (isBusy(entry)) return
        entry.state = "queued"
        entry.since = now()
        entry.idle = Deferred.makeUnsafe()
        queue.push(entry)
        start()
      }

      const work = (entry: Entry): Effect.Effect<void> => {
        let hasLeft = false
        const leave = () => {
          if (hasLeft) return
          hasLeft = true
          active--
          start()
        }
        return Effect.gen(function* () {
          if (entry.session === undefined && entry.last === undefined) {
            yield* entry.log.write("spawned", `${entry.label} (${entry.tier}, cap ${entry.cap})`)
          }
          for (;;) {
            const messages = entry.pending.splice(0)
            for (const message of messages) yield* entry.log.write("message", message)
            const outcome = outcomeOf(yield* Effect.exit(runOnce(entry, messages)), entry.log.path)
            yield* entry.log.write(outcome.isFailure ? "failed" : "finished", outcome.text)
            // One that was killed meanwhile stays so, whatever it still gives.
            if (entry.state !== "running") return
            record(entry, outcome)
            yield* worker.ended?.(taskOf(entry), outcome) ?? Effect.void
            if (entry.state !== "running") return
            if (entry.pending.length > 0) continue
            settle(entry, outcome.isFailure ? "failed" : "finished")
            return leave()
          }
        }).pipe(Effect.ensuring(Effect.sync(leave)))
      }

      const taskOf = (entry: Entry): Task => ({
        worker_id: entry.id,
        label: entry.label,
        tier: entry.tier,
        cap: entry.cap,
        note: (text) =>
          Effect.suspend(() => {
            // What a killed one still says is no news of it, but what its tools had shown by then is to be read somewhere.
            if (entry.state !== "killed") entry.lastOutput = text.slice(-5000)
            return entry.log.write("note", text)
          })
      })

      const runOnce = Effect.fnUntraced(function* (entry: Entry, messages: ReadonlyArray<string>) {
        entry.session ??= yield* Scope.provide(worker.open(taskOf(entry)), entry.scope)
        const run = entry.session.run(messages)
        if (options.timeLimit === undefined) return yield* run
        const inTime = yield* Budget.within(options.timeLimit)(run)
        if (Option.isSome(inTime)) return inTime.value
        return yield* new WorkerFailed({
          message: "it has spent the time that the harness gives to one run of a worker"
        })
      })

      // One that had little to do may have ended already: it did not wait for a place.
      const begun = ({ id, state }: Entry) => ({
        worker_id: id,
        state: state === "queued" ? ("queued" as const) : ("running" as const)
      })

      const find = (id: string): Effect.Effect<Entry, ToolError.ToolError> => {
        const entry = entries.get(id)
        if (entry !== undefined) return Effect.succeed(entry)
        const known = [...entries.keys()]
        return Effect.fail(
          ToolError.make(
            "unknown_worker",
            `There is no worker \`${id.slice(0, 100)}\` in this run.${Suggest.didYouMean(id, known)} ` +
              (known.length === 0 ? "None was spawned." : `The workers are: ${known.join(", ")}.`)
          )
        )
      }

      const waited = (entry: Entry, why: Waited["why"]): Waited => {
        const { last } = entry
        // The last outcome stands in `result` or `reason`, but where the worker works on, or was killed after it had failed.
        const isEarlier = why === "timed_out" || (why === "killed" && last?.isFailure === true)
        const earlier = [...entry.ungiven, ...(isEarlier && last !== undefined ? [last] : [])].filter(
          (each) => !given.has(each)
        )
        entry.ungiven = []
        for (const each of earlier) given.add(each)
        if (last !== undefined) given.add(last)
        const reason = why === "killed" ? entry.whyKilled : why === "failed" ? entry.last?.text : undefined
        return {
          worker_id: entry.id,
          label: entry.label,
          state: entry.state,
          why,
          ...(entry.result === undefined || (why !== "finished" && why !== "killed") ? {} : { result: entry.result }),
          earlier_results: earlier.map(({ isFailure, text }) => (isFailure ? `failed: ${text}` : text)),
          ...(reason === undefined ? {} : { reason }),
          ...(entry.lastOutput === undefined ? {} : { last_output: entry.lastOutput }),
          elapsed_seconds: elapsed(entry),
          log: entry.log.path
        }
      }

      const kill = (entry: Entry, reason: string): Effect.Effect<void> =>
        Effect.suspend(() => {
          if (entry.state !== "killed") {
            const wasAt = queue.indexOf(entry)
            if (wasAt >= 0) queue.splice(wasAt, 1)
            entry.pending.length = 0
            entry.whyKilled = reason
            settle(entry, "killed")
            // Both at once: a worker that does not let itself be interrupted must lose its tools all the same.
            const stop = Effect.all(
              [
                entry.fiber === undefined ? Effect.void : Fiber.interrupt(entry.fiber),
                Scope.close(entry.scope, Exit.void),
                entry.log.write("killed", reason)
              ],
              { concurrency: "unbounded", discard: true }
            )
            entry.stopping = Effect.runForkWith(context)(stop)
          }
          return entry.stopping === undefined
            ? Effect.void
            : Effect.asVoid(Budget.within(stopWithin)(Fiber.await(entry.stopping)))
        })

      yield* Effect.addFinalizer(() =>
        Effect.suspend(() => {
          isOver = true
          return Effect.forEach(
            entries.values(),
            (entry) =>
              isBusy(entry) ? kill(entry, "its run, or vibe mode, has ended") : Scope.close(entry.scope, Exit.void),
            { concurrency: "unbounded", discard: true }
          )
        })
      )

      const listed = (entry: Entry): Listed => ({
        worker_id: entry.id,
        label: entry.label,
        tier: entry.tier,
        state: entry.state,
        elapsed_seconds: elapsed(entry),
        ...(entry.result === undefined ? {} : { last_result: entry.result })
      })

      const isUndelivered = (entry: Entry) =>
        isBusy(entry) || [...entry.ungiven, entry.last].some((outcome) => outcome !== undefined && !given.has(outcome))

      const refuseWhenOver = Effect.suspend(() =>
        isOver
          ? Effect.fail(
              ToolError.make("cancelled", "Vibe mode has ended, and its workers with it. Do the work yourself.")
            )
          : Effect.void
      )

      return Roster.of({
        spawn: Effect.fnUntraced(function* ({ brief, cap, label, tier }) {
          yield* refuseWhenOver
          const id = `worker_${++spawned}`
          const entry: Entry = {
            id,
            label,
            tier,
            cap,
            log: WorkerLog.make(folder, id),
            scope: Scope.makeUnsafe(),
            pending: [],
            state: "finished",
            session: undefined,
            fiber: undefined,
            idle: Deferred.makeUnsafe(),
            last: undefined,
            ungiven: [],
            result: undefined,
            whyKilled: undefined,
            lastOutput: undefined,
            since: now(),
            until: now(),
            stopping: undefined
          }
          entries.set(id, entry)
          give(entry, brief)
          return begun(entry)
        }),
        send: Effect.fnUntraced(function* (id, message) {
          yield* refuseWhenOver
          const entry = yield* find(id)
          if (entry.state === "killed") {
            return yield* ToolError.make(
              "unknown_worker",
              `${id} (${entry.label}) was killed and takes no messages. Spawn another one for what is left to do.`
            )
          }
          give(entry, message)
          return begun(entry)
        }),
        wait: Effect.fnUntraced(function* (id, budget) {
          const entry = yield* find(id)
          const idle: Effect.Effect<void> = Effect.suspend(() =>
            isBusy(entry) ? Effect.andThen(Deferred.await(entry.idle), idle) : Effect.void
          )
          yield* budget === undefined ? idle : Budget.within(budget)(idle)
          return waited(entry, whyEnded(entry.state))
        }),
        kill: Effect.fnUntraced(function* (id) {
          const entry = yield* find(id)
          yield* kill(entry, "it was stopped with vibe_kill")
          return waited(entry, "killed")
        }),
        list: Effect.sync(() => Array.from(entries.values(), listed)),
        undelivered: Effect.sync(() => [...entries.values()].filter(isUndelivered).map(listed))
      })
    })
  )
}

const whyEnded = (state: State): Waited["why"] => (state === "queued" || state === "running" ? "timed_out" : state)

const outcomeOf = (exit: Exit.Exit<string, WorkerFailed>, log: string): Outcome =>
  Exit.isSuccess(exit)
    ? { isFailure: false, text: cut(exit.value, maxResult, log) }
    : { isFailure: true, text: describe(exit.cause) }

const cut = (text: string, limit: number, log: string): string =>
  text.length <= limit
    ? text
    : `${text.slice(0, limit)}\n(cut: ${limit} of ${text.length} characters; more is in ${log})`

const describe = (cause: Cause.Cause<WorkerFailed>): string => {
  const error = Cause.findErrorOption(cause)
  if (Option.isSome(error)) return error.value.message
  if (Cause.hasInterruptsOnly(cause)) return "it was interrupted"
  const defect = Cause.squash(cause)
  return `a fault in the worker: ${(defect instanceof Error ? `${defect.name}: ${defect.message}` : String(defect)).slice(0, 1000)}`
}
