import * as Fs from "node:fs"
import * as Os from "node:os"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as Budget from "../../../src/Budget.ts"
import * as Kernels from "../../support/kernels.ts"
import * as Leftovers from "../../support/Leftovers.ts"

const pidOf = (value: { readonly outputs: ReadonlyArray<unknown> }) =>
  Number((value.outputs[0] as { readonly text: string }).text)

/** A cell that runs, has printed `begun`, and does not end by itself. */
const running = Effect.fnUntraced(function* (
  run: Effect.Success<ReturnType<typeof Kernels.run>>,
  code: string,
  params?: Parameters<typeof run.cell>[1]
) {
  const flag = `${run.root}/begun-${Math.random()}`
  const fiber = yield* Effect.forkChild(
    run.cell(`(await import("node:fs")).writeFileSync(${JSON.stringify(flag)}, ""); ${code}`, params),
    { startImmediately: true }
  )
  yield* Kernels.eventually(() => (Fs.existsSync(flag) ? true : undefined))
  return fiber
})

describe("an interpreter", () => {
  it.live("begins with the first cell and keeps its state, also after an error; each language has its own", () =>
    Effect.gen(function* () {
      const run = yield* Kernels.run()
      assert.lengthOf(Leftovers.marked(run.runId), 0)
      yield* run.cell(`state.x = 41`)
      const failed = yield* run.cell(`state.y = 1; throw new TypeError("no")`)
      assert.strictEqual(failed.answer.isFailure && failed.answer.code, "cell_failed")
      assert.include(failed.answer.text, "Traceback: no")
      assert.include(failed.answer.text, "State kept")
      assert.deepInclude(failed.value, { ok: false, state: "kept", status: "error", cell: 2 })
      const { value } = yield* run.cell(`k.out(String(state.x + state.y))`)
      assert.deepInclude(value, { ok: true, state: "kept", status: "ok", cell: 3 })
      assert.strictEqual(Kernels.textOf(value, "stdout"), "42")
      const other = yield* run.cell(`k.out(String(state.x))`, { language: "javascript" })
      assert.strictEqual(Kernels.textOf(other.value, "stdout"), "undefined")
    })
  )

  it.live("cells of one language run one after the other, those of two at the same time", () =>
    Effect.gen(function* () {
      const run = yield* Kernels.run()
      yield* Effect.all([run.cell(`1`), run.cell(`1`, { language: "javascript" })], { concurrency: 2 })
      const slow = `state.at = (state.at ?? 0) + 1; const mine = state.at; await k.sleep(60); k.out(mine + " " + state.at)`
      const since = performance.now()
      const cells = yield* Effect.forEach(
        [1, 2, 3, 4],
        (i) => run.cell(slow, { language: i < 4 ? "python" : "javascript" }),
        {
          concurrency: "unbounded"
        }
      )
      assert.deepStrictEqual(
        cells.map(({ value }) => Kernels.textOf(value, "stdout")),
        ["1 1", "2 2", "3 3", "1 1"]
      )
      assert.isAbove(performance.now() - since, 170)
    })
  )

  it.live("an exit of the program ends the cell alone; a code other than 0 is a failure", () =>
    Effect.gen(function* () {
      const run = yield* Kernels.run()
      const zero = yield* run.cell(`state.x = 1; k.done("exit", { exit_code: 0 })`)
      assert.isFalse(zero.answer.isFailure)
      assert.include(zero.answer.text, "asked to exit with code 0")
      const three = yield* run.cell(`k.done("exit", { exit_code: 3, rss: 1000 })`)
      assert.strictEqual(three.answer.isFailure && three.answer.code, "cell_failed")
      assert.deepInclude(three.value, { status: "exit", exit_code: 3, state: "kept", memory_bytes: 1000 })
      assert.strictEqual(Kernels.textOf((yield* run.cell(`k.out(String(state.x))`)).value, "stdout"), "1")
    })
  )

  it.live(
    "its death is told at once, with its signal and all that it had printed; the next cell begins a new one and says so",
    () =>
      Effect.gen(function* () {
        const run = yield* Kernels.run()
        for (const [code, why] of [
          [`k.kill("SIGKILL")`, "it was killed by SIGKILL, likely because the memory ran out."],
          [`k.kill("SIGSEGV")`, "it was killed by SIGSEGV."],
          [`k.exit(7)`, "it exited with code 7."]
        ] as const) {
          const since = performance.now()
          const dead = yield* run.cell(`state.x = 1; k.out("said\\n"); k.err("and this"); ${code}; await k.forever()`)
          assert.isBelow(performance.now() - since, 5000)
          assert.strictEqual(dead.answer.isFailure && dead.answer.code, "kernel_died")
          assert.deepInclude(dead.value, { ok: false, state: "lost", status: "died", state_reason: why })
          assert.strictEqual(Kernels.textOf(dead.value, "stdout"), "said\n")
          assert.strictEqual(Kernels.textOf(dead.value, "stderr"), "and this")
          assert.include(dead.answer.text, `${why} State lost`)
          const next = yield* run.cell(`k.out(String(state.x))`)
          assert.strictEqual(Kernels.textOf(next.value, "stdout"), "undefined")
          assert.include(next.answer.text, "a new python interpreter was begun")
          assert.notInclude((yield* run.cell(`1`)).answer.text, "was begun")
        }
      })
  )

  it.live("a cell is never run twice, whatever happens to it", () =>
    Effect.gen(function* () {
      const run = yield* Kernels.run()
      const file = `${run.root}/ran`
      yield* run.cell(
        `(await import("node:fs")).appendFileSync(${JSON.stringify(file)}, "x"); k.kill("SIGKILL"); await k.forever()`
      )
      yield* run.cell(`1`)
      assert.strictEqual(Fs.readFileSync(file, "utf8"), "x")
    })
  )

  it.live("one that died while nothing ran is replaced, and that is told", () =>
    Effect.gen(function* () {
      const run = yield* Kernels.run()
      const pid = pidOf(
        (yield* run.cell(`k.out(String(process.pid)); setTimeout(() => { k.out("last words"); k.exit(9) }, 30)`)).value
      )
      yield* Kernels.eventually(() => (Leftovers.isRunning(pid) ? undefined : true))
      const { answer, value } = yield* run.cell(`k.out("new")`)
      assert.isFalse(answer.isFailure)
      assert.include(answer.text, "the last one is gone (it exited with code 9)")
      assert.deepStrictEqual(value.outputs, [
        { kind: "stdout", text: "last words", background: true },
        { kind: "stdout", text: "new" }
      ])
    })
  )

  it.live("one that closes the descriptors it speaks through is dead, not hanging", () =>
    Effect.gen(function* () {
      const run = yield* Kernels.run()
      const { value } = yield* run.cell(
        `k.out("x"); const fs = await import("node:fs"); fs.closeSync(3); await k.forever()`
      )
      assert.deepInclude(value, { status: "died", state_reason: "it closed the descriptors that it speaks through." })
      assert.isFalse((yield* run.cell(`1`)).answer.isFailure)
    })
  )

  it.live("reset begins a new one first: of an idle, a busy, a dead one, and where there was none", () =>
    Effect.gen(function* () {
      const run = yield* Kernels.run()
      assert.notInclude((yield* run.cell(`1`, { reset: true })).answer.text, "Note:")
      yield* run.cell(`state.x = 1`)
      const fresh = yield* run.cell(`k.out(String(state.x))`, { reset: true })
      assert.strictEqual(Kernels.textOf(fresh.value, "stdout"), "undefined")
      assert.include(fresh.answer.text, "a new python interpreter was begun, as asked.")
      const busy = yield* running(run, `await k.forever()`)
      const queued = yield* Effect.forkChild(run.cell(`k.out("queued " + state.z)`), { startImmediately: true })
      const reset = yield* run.cell(`state.z = 5; k.out("reset")`, { reset: true })
      assert.strictEqual(Kernels.textOf(reset.value, "stdout"), "reset")
      const ended = yield* Fiber.join(busy)
      assert.deepInclude(ended.value, { status: "died", state_reason: "a later call asked for a new one." })
      assert.strictEqual(Kernels.textOf((yield* Fiber.join(queued)).value, "stdout"), "queued 5")
      yield* run.cell(`k.exit(1); await k.forever()`)
      assert.isFalse((yield* run.cell(`1`, { reset: true })).answer.isFailure)
    })
  )

  it.live(
    "what cannot be started is passed over with a note; when nothing can, the answer names all that was tried",
    () =>
      Effect.gen(function* () {
        const missing = { name: "/no/python", command: "/no/python", args: [], env: {} }
        const falls = yield* Kernels.run({ candidates: { python: [missing, Kernels.fake("crash"), Kernels.fake()] } })
        const { answer } = yield* falls.cell(`1`)
        assert.isFalse(answer.isFailure)
        assert.match(answer.text, /Note: \/no\/python: .*no file \/no\/python; cells run on/)
        assert.match(answer.text, /Note: fake crash: exited with code 4, saying: cannot begin; cells run on/)
        const none = yield* Kernels.run({
          candidates: { python: [missing], javascript: [missing, Kernels.fake("crash")] }
        })
        const nothing = yield* none.cell(`1`)
        assert.strictEqual(nothing.answer.isFailure && nothing.answer.code, "not_covered")
        assert.include(nothing.answer.text, "/no/python")
        assert.include(nothing.answer.text, "Install Python 3.9 or later")
        // A crash loop is an error each time, not a loop.
        for (let i = 0; i < 2; i++) {
          const crashed = yield* none.cell(`1`, { language: "javascript" })
          assert.strictEqual(crashed.answer.isFailure && crashed.answer.code, "kernel_died")
          assert.include(crashed.answer.text, "cannot begin")
        }
        assert.lengthOf(Leftovers.marked(none.runId), 0)
      })
  )

  it.effect("one that does not come to be ready is given up when its budget is spent", () =>
    Effect.gen(function* () {
      const run = yield* Kernels.run({ candidates: { python: [Kernels.fake("silent")] } })
      const fiber = yield* Effect.forkChild(run.cell(`1`), { startImmediately: true })
      yield* Kernels.eventually(() => (Leftovers.marked(run.runId).length > 0 ? true : undefined))
      yield* TestClock.adjust("60 seconds")
      const { answer } = yield* Fiber.join(fiber)
      assert.include(answer.text, "did not become ready in time")
    })
  )

  it.live("with the run ends all that it started, in any state, and no file stays", () =>
    Effect.gen(function* () {
      const before = yield* Leftovers.held
      const scope = yield* Scope.make()
      const run = yield* Scope.provide(Kernels.run(), scope)
      const { value } = yield* run.cell(`
        k.out(String(k.spawn("setsid", ["sleep", "777"]))); k.out(" " + k.spawn("sleep", ["778"]))
        for (let i = 0; i < 30000; i++) k.out("line\\n")
      `)
      assert.isTrue(Fs.existsSync(value.spilled_to!))
      yield* running(run, `process.on("SIGTERM", () => {}); await k.forever()`)
      yield* running(run, `await k.forever()`, { language: "javascript" })
      const pids = Leftovers.marked(run.runId)
      assert.isAtLeast(pids.length, 4)
      yield* Scope.close(scope, Exit.void)
      yield* Leftovers.expectNone(run.runId, { before, pids, within: "3 seconds" })
      assert.isFalse(Fs.existsSync(value.spilled_to!))
    })
  )

  it.live("what a killed host left a day ago is removed by the next run, what another one keeps is not", () =>
    Effect.gen(function* () {
      const folder = (owner: number, age: number) => {
        const path = Fs.mkdtempSync(`${Os.tmpdir()}/livetools-cells-${owner}-`)
        const then = Date.now() / 1000 - age
        Fs.utimesSync(path, then, then)
        return path
      }
      const dead = 4_000_000
      const [old, young, own] = [folder(dead, 90_000), folder(dead, 60), folder(process.pid, 90_000)]
      const run = yield* Kernels.run()
      yield* run.cell(`for (let i = 0; i < 30000; i++) k.out("line\\n")`)
      assert.deepStrictEqual(
        [old, young, own].map((path) => Fs.existsSync(path)),
        [false, true, true]
      )
      for (const path of [young, own]) Fs.rmdirSync(path)
    })
  )

  it.live("the folder of the harness keeps the whole texts", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const run = yield* Scope.provide(Kernels.run({ spillFolder: "/tmp/livetools-spill-test" }), scope)
      const { value } = yield* run.cell(`for (let i = 0; i < 30000; i++) k.out("line\\n")`)
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual(Fs.readFileSync(value.spilled_to!, "utf8").length, 150_000)
      Fs.rmSync("/tmp/livetools-spill-test", { recursive: true })
    })
  )

  it.live("a process above its memory limit is ended, and that is what is said", () =>
    Effect.gen(function* () {
      const run = yield* Kernels.run({ memoryLimit: 300 * 1024 * 1024 })
      const { value } = yield* run.cell(`state.x = Buffer.alloc(400 * 1024 * 1024, 1); await k.forever()`)
      assert.deepInclude(value, { status: "died", state_reason: "it exceeded its memory limit and was ended." })
    })
  )
})

describe("a cell that is to stop", () => {
  it.effect("is interrupted when nothing happened for 5 minutes, and its state is kept", () =>
    Effect.gen(function* () {
      const run = yield* Kernels.run()
      const fiber = yield* running(run, `state.x = 1; k.out("before"); await k.forever()`)
      yield* TestClock.adjust("299 seconds")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("2 seconds")
      const { answer, value } = yield* Fiber.join(fiber)
      assert.strictEqual(answer.isFailure && answer.code, "timed_out")
      assert.deepInclude(value, { ok: false, status: "interrupted", state: "kept" })
      assert.strictEqual(Kernels.textOf(value, "stdout"), "before")
      assert.match(answer.text, /interrupted after 30[01]\.\d s: it printed nothing and called nothing/)
      assert.strictEqual(Kernels.textOf((yield* run.cell(`k.out(String(state.x))`)).value, "stdout"), "1")
    })
  )

  it.effect("output begins its time anew; the outer budget does not care", () =>
    Effect.gen(function* () {
      const run = yield* Kernels.run({ outer: Budget.after("20 minutes") })
      const flag = `${run.root}/go`
      const fiber = yield* running(
        run,
        `const fs = await import("node:fs"); for (;;) { if (fs.existsSync(${JSON.stringify(flag)})) { fs.rmSync(${JSON.stringify(flag)}); k.out("tick\\n") } await k.sleep(5) }`
      )
      for (let i = 0; i < 4; i++) {
        yield* TestClock.adjust("4 minutes")
        Fs.writeFileSync(flag, "")
        yield* Kernels.eventually(() => (Fs.existsSync(flag) ? undefined : true))
        yield* Kernels.eventually(() => true).pipe(
          Effect.andThen(Effect.promise(() => new Promise((r) => setTimeout(r, 150))))
        )
        assert.isUndefined(fiber.pollUnsafe())
      }
      yield* TestClock.adjust("4 minutes")
      const { answer, value } = yield* Fiber.join(fiber)
      assert.strictEqual(answer.isFailure && answer.code, "timed_out")
      assert.include(answer.text, "the time that a cell may take in all is over")
      assert.strictEqual(Kernels.textOf(value, "stdout"), "tick\n".repeat(4))
    })
  )

  it.effect("its time stands still while it waits for a tool, and begins anew afterwards", () =>
    Effect.gen(function* () {
      const run = yield* Kernels.run()
      const fiber = yield* running(
        run,
        `await Promise.all([k.call("desk", { op: "wait" }), k.call("note", {})]); await k.forever()`
      )
      yield* Kernels.eventually(() => (run.log.length > 0 ? true : undefined))
      yield* TestClock.adjust("3 hours")
      assert.isUndefined(fiber.pollUnsafe())
      yield* Deferred.succeed(run.open, undefined)
      yield* Kernels.eventually(() => (run.log.includes("end ") ? true : undefined))
      yield* Effect.promise(() => new Promise((r) => setTimeout(r, 100)))
      yield* TestClock.adjust("299 seconds")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("2 seconds")
      assert.deepInclude((yield* Fiber.join(fiber)).value, { status: "interrupted", calls_total: 2 })
    })
  )

  it.live(
    "is asked by a frame and SIGINT, then with its children, then killed; what is said follows from what happened",
    () =>
      Effect.gen(function* () {
        const run = yield* Kernels.run({ inactivity: Budget.after("100 millis") })
        const second = yield* run.cell(
          `let n = 0; k.onInterrupt(() => { if (++n === 2) k.done("interrupted") }); await k.forever()`
        )
        assert.deepInclude(second.value, { status: "interrupted", state: "kept" })
        assert.isAbove(second.value.milliseconds, 1000)
        const { value } = yield* run.cell(`k.out(k.seen.join(" "))`)
        assert.strictEqual(Kernels.textOf(value, "stdout"), "interrupt SIGINT SIGINT")
        const finished = yield* run.cell(`await new Promise((done) => k.onInterrupt(() => done())); k.out("by itself")`)
        assert.isFalse(finished.answer.isFailure)
        assert.include(finished.answer.text, "was interrupted, and ended by itself")
        const stubborn = yield* run.cell(`k.out("so far"); k.onInterrupt(() => {}); await k.forever()`)
        assert.strictEqual(stubborn.answer.isFailure && stubborn.answer.code, "timed_out")
        assert.deepInclude(stubborn.value, { status: "died", state: "lost" })
        assert.isAbove(stubborn.value.milliseconds, 5000)
        assert.include(stubborn.answer.text, "It did not react to the interrupt and was killed. State lost")
        assert.strictEqual(Kernels.textOf(stubborn.value, "stdout"), "so far")
      })
  )

  it.live("a child of an earlier cell survives an interrupt that the cell honours", () =>
    Effect.gen(function* () {
      const run = yield* Kernels.run({ inactivity: Budget.after("50 millis") })
      const pid = pidOf((yield* run.cell(`k.out(String(k.spawn("sleep", ["779"])))`)).value)
      assert.deepInclude((yield* run.cell(`await k.forever()`)).value, { status: "interrupted" })
      assert.isTrue(Leftovers.isRunning(pid))
    })
  )

  it.live("when its call is cancelled it is interrupted, its state kept; one that waits its turn never runs", () =>
    Effect.gen(function* () {
      const run = yield* Kernels.run()
      const file = `${run.root}/ran`
      const fiber = yield* running(run, `state.x = 2; await k.forever()`)
      const queued = yield* Effect.forkChild(
        run.cell(`(await import("node:fs")).writeFileSync(${JSON.stringify(file)}, "x")`),
        { startImmediately: true }
      )
      yield* Fiber.interrupt(queued)
      assert.isUndefined(fiber.pollUnsafe())
      yield* Fiber.interrupt(fiber)
      const { value } = yield* run.cell(`k.out(state.x + " " + k.seen.join(" "))`)
      assert.strictEqual(Kernels.textOf(value, "stdout"), "2 interrupt SIGINT")
      assert.isFalse(Fs.existsSync(file))
    })
  )

  it.live("an interrupt belongs to its cell: a hundred cells that follow one at once are not hit", () =>
    Effect.gen(function* () {
      const run = yield* Kernels.run()
      for (let i = 0; i < 30; i++) {
        const fiber = yield* running(run, `await k.forever()`)
        yield* Fiber.interrupt(fiber)
        const { answer } = yield* run.cell(`await k.sleep(2)`)
        assert.isFalse(answer.isFailure, answer.text)
      }
    })
  )
})
