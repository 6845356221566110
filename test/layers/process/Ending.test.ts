import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Scope, Stream } from "effect"
import * as NodeProcesses from "../../../layers/process/NodeProcesses.ts"
import { type Options, Processes } from "../../../src/Processes.ts"
import * as Leftovers from "../../support/Leftovers.ts"
import * as Trees from "../../support/trees.ts"

const cwd = os.tmpdir()
const sh = (script: string, options: Partial<Options> = {}) =>
  Effect.flatMap(Processes, (processes) => processes.spawn({ command: "sh", args: ["-c", script], cwd, ...options }))

/** A run in a scope of its own. */
const openRun = Effect.gen(function* () {
  const scope = yield* Scope.make()
  const context = yield* Layer.buildWithScope(NodeProcesses.layer(), scope)
  const { runId } = yield* Effect.provideContext(Processes, context)
  const inRun = <A, E>(effect: Effect.Effect<A, E, Processes | Scope.Scope>) =>
    effect.pipe(Effect.provideContext(context), Effect.provideService(Scope.Scope, scope))
  return { runId, inRun, close: Scope.close(scope, Exit.void) }
})

/** Starts a script that prints the pids of what it starts, one a line, and `ready` at the end. */
const startTree = (script: string, options: Partial<Options> = {}) =>
  Effect.gen(function* () {
    const child = yield* sh(script, options)
    const pids = yield* child.stdout.pipe(
      Stream.decodeText,
      Stream.splitLines,
      Stream.takeUntil((line) => line === "ready"),
      Stream.filter((line) => line !== "ready"),
      Stream.map(Number),
      Stream.runCollect
    )
    return { child, pids: [child.pid, ...pids] }
  })

describe("closing the scope", () => {
  for (const [name, script] of Object.entries(Trees.scripts)) {
    it.live(`in mid-use leaves nothing of ${name}`, () =>
      Effect.gen(function* () {
        const before = yield* Leftovers.held
        const run = yield* openRun
        const { pids } = yield* run.inRun(startTree(script, { grace: 200 }))
        assert.isAbove(pids.length, 1)
        assert.deepStrictEqual(
          pids.slice(1).filter((pid) => !Leftovers.isRunning(pid)),
          []
        )
        const begin = performance.now()
        yield* run.close
        assert.isBelow(performance.now() - begin, 1200)
        yield* Leftovers.expectNone(run.runId, { before, pids, within: 0 })
      })
    )
  }

  it.live("leaves nothing of a tree that does not stop growing", () =>
    Effect.gen(function* () {
      for (let i = 0; i < 5; i++) {
        const run = yield* openRun
        const tag = 100_000 + Math.floor(Math.random() * 1e9)
        yield* run.inRun(startTree(Trees.growing(tag), { grace: 20 }))
        yield* run.close
        yield* Leftovers.expectNone(run.runId, { within: 0 })
        const left = Leftovers.withArguments(String(tag))
        for (const pid of left) process.kill(pid, "SIGKILL")
        assert.deepStrictEqual(left, [])
      }
    })
  )

  it.live("ends the background processes of a child that has already exited", () =>
    Effect.gen(function* () {
      const run = yield* openRun
      const { child, pids } = yield* run.inRun(startTree(`sleep 60 & echo $!; setsid sleep 60 & echo $!; echo ready`))
      assert.deepStrictEqual(yield* child.exit, { code: 0 })
      assert.deepStrictEqual(pids.filter(Leftovers.isRunning), pids.slice(1))
      yield* run.close
      yield* Leftovers.expectNone(run.runId, { pids, within: 0 })
    })
  )

  it.live("gives the tree time to end by itself", () =>
    Effect.gen(function* () {
      const dir = yield* Effect.acquireRelease(
        Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "ending-"))),
        (made) => Effect.sync(() => fs.rmSync(made, { recursive: true }))
      )
      const run = yield* openRun
      const polite = (name: string) =>
        `trap 'sleep 0.1; echo done > ${dir}/${name}; exit' TERM; echo ready; while :; do sleep 0.02; done`
      yield* run.inRun(startTree(polite("leader")))
      yield* run.inRun(startTree(`setsid sh -c '${polite("outside").replaceAll("'", `'"'"'`)}' & wait`))
      yield* run.close
      yield* Leftovers.expectNone(run.runId, { within: 0 })
      assert.sameMembers(fs.readdirSync(dir), ["leader", "outside"])
    })
  )

  it.live("ends children that ignore it all at once, not one after the other", () =>
    Effect.gen(function* () {
      const run = yield* openRun
      for (let i = 0; i < 5; i++) {
        const stubborn = startTree(`trap "" TERM; echo ready; while :; do sleep 60; done`, { grace: 500 })
        yield* run.inRun(Scope.provide(stubborn, yield* Scope.make()))
      }
      const begin = performance.now()
      yield* run.close
      assert.isBelow(performance.now() - begin, 4 * 500)
      yield* Leftovers.expectNone(run.runId, { within: 0 })
    })
  )

  it.effect("takes real time under a test clock", () =>
    Effect.gen(function* () {
      const run = yield* openRun
      const { pids } = yield* run.inRun(
        startTree(`trap "" TERM; echo ready; while :; do sleep 60; done`, { grace: 50 })
      )
      yield* run.close
      yield* Leftovers.expectNone(run.runId, { pids, within: 0 })
    })
  )

  it.live("ends one child and leaves its neighbours", () =>
    Effect.gen(function* () {
      const run = yield* openRun
      const other = yield* openRun
      const mine = yield* run.inRun(startTree(Trees.scripts["another session"]!))
      const neighbour = yield* run.inRun(startTree(Trees.scripts["another session"]!))
      const stranger = yield* other.inRun(startTree(Trees.scripts["a double fork"]!))
      yield* mine.child.end
      assert.deepStrictEqual(mine.pids.filter(Leftovers.isRunning), [])
      assert.deepStrictEqual(neighbour.pids.filter(Leftovers.isRunning), neighbour.pids)
      yield* run.close
      yield* Leftovers.expectNone(run.runId, { pids: [...mine.pids, ...neighbour.pids], within: 0 })
      assert.deepStrictEqual(stranger.pids.filter(Leftovers.isRunning), stranger.pids)
      assert.lengthOf(Leftovers.guardians(other.runId), 1)
      yield* other.close
      yield* Leftovers.expectNone(other.runId, { pids: stranger.pids, within: 0 })
    })
  )
})

describe("ending a child", () => {
  it.live("can be asked for by many, and goes on when they are interrupted", () =>
    Effect.gen(function* () {
      const run = yield* openRun
      const { child, pids } = yield* run.inRun(
        startTree(`trap "" TERM; echo ready; while :; do sleep 60; done`, { grace: 200 })
      )
      const first = yield* Effect.forkChild(child.end, { startImmediately: true })
      const second = yield* Effect.forkChild(child.end, { startImmediately: true })
      yield* Fiber.interrupt(first)
      assert.deepStrictEqual(yield* Fiber.join(second), { signal: "SIGKILL", ended: "end" })
      assert.deepStrictEqual(pids.filter(Leftovers.isRunning), [])
      assert.deepStrictEqual(yield* child.end, { signal: "SIGKILL", ended: "end" })
      yield* run.close
    })
  )

  it.live("is a SIGKILL at once without a grace", () =>
    Effect.gen(function* () {
      const run = yield* openRun
      const { child } = yield* run.inRun(startTree(`trap "exit 0" TERM; echo ready; sleep 60 & wait`, { grace: 0 }))
      assert.deepStrictEqual(yield* child.end, { signal: "SIGKILL", ended: "end" })
      yield* run.close
    })
  )
})

describe("interrupting the start of a child", () => {
  it.live("leaves nothing, wherever it strikes", () =>
    Effect.gen(function* () {
      const before = yield* Leftovers.held
      const run = yield* openRun
      for (let yields = 0; yields < 12; yields++) {
        const starting = yield* Effect.forkChild(
          run.inRun(Effect.scoped(Effect.andThen(sh("sleep 60 & setsid sleep 60 & wait"), Effect.never)))
        )
        for (let i = 0; i < yields; i++) yield* Effect.yieldNow
        yield* Fiber.interrupt(starting)
        assert.deepStrictEqual(Leftovers.marked(run.runId), [])
      }
      yield* run.close
      yield* Leftovers.expectNone(run.runId, { before })
    })
  )
})
