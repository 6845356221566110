import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Queue } from "effect"
import * as LocalRoster from "../../../layers/vibe/LocalRoster.ts"
import { Roster, type Waited } from "../../../src/vibe/Roster.ts"
import { Worker, WorkerFailed } from "../../../src/vibe/Worker.ts"
import * as Cli from "../../support/Cli.ts"

/** A generator of whole numbers below a bound, the same for the same seed (mulberry32). */
const numbers = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) % below
  }
}

/** Runs end when they are let go, well or not; each says which messages it had. */
const scripted = (ran: Map<string, Array<string>>, go: Queue.Queue<boolean>) =>
  Layer.succeed(
    Worker,
    Worker.of({
      open: (task) =>
        Effect.succeed({
          run: (messages) =>
            Effect.gen(function* () {
              const isWell = yield* Queue.take(go)
              const all = ran.get(task.worker_id) ?? []
              ran.set(task.worker_id, [...all, ...messages])
              return yield* isWell
                ? Effect.succeed(`<${messages.join("+")}>`)
                : Effect.fail(new WorkerFailed({ message: `<${messages.join("+")}>` }))
            })
        })
    })
  )

/** Every outcome that an answer gives for the first time. */
const given = (seen: Map<string, string>, waited: Waited): ReadonlyArray<string> => {
  const last = waited.why === "finished" ? waited.result : waited.why === "failed" ? waited.reason : undefined
  const isNew = last !== undefined && seen.get(waited.worker_id) !== last
  if (isNew) seen.set(waited.worker_id, last)
  return [...waited.earlier_results.map((text) => text.replace("failed: ", "")), ...(isNew ? [last] : [])]
}

describe("the roster under any order of calls", () => {
  it.effect("runs every message once and in order, and gives every outcome once and in order", () =>
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => Cli.folder({})),
        (made) => Effect.sync(() => made.remove())
      )
      for (let seed = 1; seed <= 60; seed++) {
        const below = numbers(seed)
        const ran = new Map<string, Array<string>>()
        const sent = new Map<string, Array<string>>()
        const outcomes = new Map<string, Array<string>>()
        const seen = new Map<string, string>()
        const killed = new Set<string>()
        const go = yield* Queue.unbounded<boolean>()
        const body = Effect.gen(function* () {
          const roster = yield* Roster
          const waits: Array<Fiber.Fiber<void, unknown>> = []
          let lastMessage = 0
          const note = (waited: Waited) =>
            Effect.sync(() =>
              outcomes.set(waited.worker_id, [...(outcomes.get(waited.worker_id) ?? []), ...given(seen, waited)])
            )
          for (let step = 0; step < 80; step++) {
            const ids = [...sent.keys()]
            const id = ids[below(Math.max(1, ids.length))]
            const choice = below(10)
            if (id === undefined || (choice === 0 && ids.length < 5)) {
              const brief = `m${++lastMessage}`
              const { worker_id } = yield* roster.spawn({ brief, label: "w", tier: "fast", cap: "read" })
              sent.set(worker_id, [brief])
            } else if (choice <= 3) {
              const message = `m${++lastMessage}`
              const result = yield* Effect.result(roster.send(id, message))
              assert.strictEqual(result._tag === "Failure", killed.has(id))
              if (result._tag === "Success") sent.set(id, [...sent.get(id)!, message])
            } else if (choice <= 5) {
              waits.push(
                yield* Effect.forkChild(
                  Effect.flatMap(roster.wait(id, undefined), (waited) => Effect.asVoid(note(waited))),
                  { startImmediately: below(2) === 0 }
                )
              )
            } else if (choice === 6 && below(6) === 0) {
              killed.add(id)
              yield* note(yield* roster.kill(id))
            } else {
              yield* Queue.offer(go, below(4) > 0)
              for (let i = below(4); i > 0; i--) yield* Effect.yieldNow
            }
          }
          yield* Effect.forkScoped(Effect.forever(Effect.andThen(Queue.offer(go, true), Effect.yieldNow)))
          yield* Fiber.joinAll(waits)
          for (const id of sent.keys()) yield* note(yield* roster.wait(id, undefined))
          for (const { state, worker_id } of yield* roster.list) {
            assert.strictEqual(state === "killed", killed.has(worker_id), `seed ${seed}, ${worker_id}`)
            if (killed.has(worker_id)) continue
            const messages = sent.get(worker_id)
            assert.deepStrictEqual(ran.get(worker_id), messages, `seed ${seed}, ${worker_id}`)
            const told = outcomes.get(worker_id)!.flatMap((text) => text.slice(1, -1).split("+"))
            assert.sameOrderedMembers(told, messages!, `seed ${seed}, ${worker_id}`)
          }
        })
        yield* body.pipe(
          Effect.provide(
            LocalRoster.layer({ runId: `run${seed}`, folder: folder.root, atOnce: 2 }).pipe(
              Layer.provide(scripted(ran, go))
            )
          ),
          Effect.scoped
        )
      }
    })
  )
})
