/** What every adapter must do, by value, on a program with the same marks in each language. */
import * as Fs from "node:fs"
import * as Path from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { record } from "../support/table.ts"
import * as Checkout from "./Checkout.ts"
import * as Spec from "./Spec.ts"

export const operations = (spec: Spec.Spec): void => {
  const { adapter, frame } = spec
  const launch = Spec.launch(spec)

  layer(Spec.here(spec), { excludeTestServices: true, timeout: "120 seconds" })(spec.name, (it) => {
    /** A test whose ops are in the table when it is through. */
    const tells = (
      name: string,
      ops: ReadonlyArray<string>,
      body: (checkout: Checkout.Checkout) => Effect.Effect<void>
    ) =>
      it.effect(
        name,
        () =>
          Effect.gen(function* () {
            const checkout = yield* Spec.Here
            const result = yield* Effect.exit(body(checkout))
            const cleared = yield* Effect.exit(checkout.clear)
            yield* result
            yield* cleared
            for (const op of ops) record(op, spec.name, "yes", "Operation × adapter")
          }),
        Spec.within
      )
    /** Launches with a breakpoint at a mark, to the stop there. */
    const toMark = Effect.fnUntraced(function* (checkout: Checkout.Checkout, mark: string, mode = "work") {
      yield* checkout.ok({ op: "breakpoints", file: checkout.source, lines: [checkout.line(mark)] })
      const value = yield* checkout.ok(launch(mode))
      assert.strictEqual(value.state, "stopped", JSON.stringify(value))
      assert.strictEqual(value.stop?.line, checkout.line(mark))
      return value.stop!
    })
    const locals = Effect.fnUntraced(function* (checkout: Checkout.Checkout, frameId: number) {
      const { scopes = [] } = yield* checkout.ok({ op: "scopes", frame_id: frameId })
      const all = yield* Effect.forEach(
        scopes.filter(({ name }) => /local|argument/i.test(name)),
        ({ reference }) =>
          Effect.map(checkout.ok({ op: "variables", reference }), ({ variables = [] }) =>
            variables.map((one) => ({ ...one, scope: reference }))
          )
      )
      return all.flat()
    })
    const evaluate = (checkout: Checkout.Checkout, expression: string, frameId?: number) =>
      Effect.map(
        checkout.ok({ op: "evaluate", expression, ...(frameId === undefined ? {} : { frame_id: frameId }) }),
        ({ result }) => result
      )

    tells("is usable, with its marker and its binary", ["adapters"], ({ ok, root }) =>
      Effect.gen(function* () {
        const { adapters = [] } = yield* ok({ op: "adapters" })
        const own = adapters.find(({ id }) => id === adapter)
        assert.isTrue(own?.usable, JSON.stringify(own))
        assert.isTrue(Fs.existsSync(Path.resolve(root, own?.marker ?? "/nowhere")))
        assert.isTrue(Path.isAbsolute(own?.binary ?? ""))
        assert.match(own?.version ?? "", /^\d+/)
        assert.isAtLeast(adapters.length, 8)
        for (const one of adapters) if (!one.usable) assert.isNotEmpty(one.reason)
      })
    )

    tells(
      "launches to a breakpoint that was set before, and goes on to the end",
      ["breakpoints", "launch", "continue", "output"],
      (checkout) =>
        Effect.gen(function* () {
          const { line, ok, source } = checkout
          const before = yield* ok({ op: "breakpoints", file: source, lines: [line("add")] })
          assert.deepInclude(before.breakpoints?.[0], { path: source, line: line("add"), verified: false })
          const { state, stop } = yield* ok(launch("work"))
          assert.strictEqual(state, "stopped")
          assert.deepInclude(stop, { reason: "breakpoint", path: source, line: line("add") })
          assert.strictEqual(stop?.frame?.name, frame("add"))
          assert.include(stop?.source?.find((one) => one.line === line("add"))?.text, "@add")
          const shown = new Map(stop?.locals?.map(({ name, value }) => [name, value]))
          assert.deepStrictEqual([shown.get("a"), shown.get("b")], ["0", "1"])
          const bound = yield* ok({ op: "breakpoints", exceptions: "uncaught" })
          assert.deepInclude(bound.breakpoints?.[0], { path: source, line: line("add"), verified: true })
          yield* ok({ op: "breakpoints", file: source, lines: [] })
          const end = yield* ok({ op: "continue" })
          assert.deepInclude(end, { state: "ended", exit_code: 0 })
          assert.match((yield* Checkout.output(checkout)).text, /total 55 fact 120 héllo 世界 1000 1\n/)
        })
    )

    tells(
      "shows the stack, scopes and variables of a recursion, and evaluates in each frame",
      ["stack", "scopes", "variables", "evaluate"],
      (checkout) =>
        Effect.gen(function* () {
          const { line, ok, source } = checkout
          yield* toMark(checkout, "base")
          const { frames = [] } = yield* ok({ op: "stack" })
          assert.deepStrictEqual(Spec.names(frames).slice(0, 6), [
            ...Array<string>(5).fill(frame("fact")),
            frame("work")
          ])
          assert.deepStrictEqual(
            frames.slice(0, 6).map((one) => [one.path, one.line]),
            [
              [source, line("base")],
              ...Array.from({ length: 4 }, () => [source, line("recur")]),
              [source, line("fact")]
            ]
          )
          for (const [index, n] of ["1", "2", "3", "4", "5"].entries()) {
            assert.strictEqual(yield* evaluate(checkout, "n", frames[index]!.id), n)
          }
          assert.strictEqual(yield* evaluate(checkout, "n * 10 + 1"), "11")
          const inWork = yield* locals(checkout, frames[5]!.id)
          const value = (name: string) => inWork.find((one) => one.name === name)
          assert.strictEqual(value("total")?.value, "55")
          if (spec.showsTexts !== false) assert.include(value("text")?.value, "héllo 世界")
          const numbers = value("numbers")!
          assert.isAbove(numbers.reference, 0)
          if (spec.elements !== undefined) {
            const { before = 0, name, total } = spec.elements
            const some = yield* ok({ op: "variables", reference: numbers.reference, start: before + 60 })
            assert.deepStrictEqual(
              some.variables?.slice(0, 3).map((one) => [one.name, one.value]),
              [60, 61, 62].map((index) => [name(index), String(index)])
            )
            assert.strictEqual(some.total, total)
            assert.isAtMost(some.variables?.length ?? 0, 50)
          }
          const wrong = yield* ok({ op: "evaluate", expression: "no_such_name" })
          assert.isTrue(wrong.is_error)
          assert.include(wrong.result, "no_such_name")
        })
    )

    tells("steps over, into and out of functions, by line", ["step_over", "step_in", "step_out"], (checkout) =>
      Effect.gen(function* () {
        const { line, ok } = checkout
        yield* toMark(checkout, "loop")
        yield* ok({ op: "breakpoints", file: checkout.source, lines: [] })
        const into = yield* ok({ op: "step_in" })
        assert.strictEqual(into.stop?.frame?.name, frame("add"))
        const at = into.stop?.line === line("add") ? into : yield* ok({ op: "step_over" })
        assert.strictEqual(at.stop?.line, line("add"))
        assert.strictEqual((yield* ok({ op: "step_over" })).stop?.line, line("return"))
        assert.strictEqual(yield* evaluate(checkout, "total"), "1")
        const out = yield* ok({ op: "step_out" })
        assert.strictEqual(out.stop?.frame?.name, frame("work"))
        assert.strictEqual(out.stop?.reason, "step")
      })
    )

    tells("refuses what was given at an earlier stop, and unknown numbers; starts again", ["restart"], (checkout) =>
      Effect.gen(function* () {
        const { fails, ok } = checkout
        const stop = yield* toMark(checkout, "add")
        const { frames = [] } = yield* ok({ op: "stack" })
        const { scopes = [] } = yield* ok({ op: "scopes", frame_id: frames[0]!.id })
        yield* ok({ op: "step_over" })
        const stale = yield* fails("stale_reference", { op: "scopes", frame_id: stop.frame!.id })
        assert.include(stale, "earlier stop")
        yield* fails("stale_reference", { op: "scopes", frame_id: frames[0]!.id })
        yield* fails("stale_reference", { op: "variables", reference: scopes[0]!.reference })
        yield* fails("stale_reference", { op: "evaluate", expression: "a", frame_id: frames[0]!.id })
        yield* fails("invalid_params", { op: "scopes", frame_id: 999_999 })
        assert.include(yield* fails("invalid_params", { op: "stack", thread_id: 424_242 }), "There is no thread 424242")
        yield* fails("session_exists", launch("work"))
        const again = yield* ok({ op: "restart" })
        assert.deepInclude(again.stop ?? {}, { reason: "breakpoint", line: checkout.line("add") })
        assert.strictEqual(yield* evaluate(checkout, "a"), "0")
      })
    )

    tells(
      "stops where a condition holds, at a hit, and logs without stopping",
      ["conditions", "hit counts", "log messages"],
      (checkout) =>
        Effect.gen(function* () {
          const { line, ok, source } = checkout
          const at = { op: "breakpoints", file: source, lines: [line("loop")] } as const
          yield* ok({ ...at, conditions: ["i == 7"] })
          assert.strictEqual((yield* ok(launch("work"))).state, "stopped")
          assert.strictEqual(yield* evaluate(checkout, "i"), "7")
          yield* ok({ op: "terminate" })
          yield* ok({ ...at, hit_conditions: ["3"] })
          assert.strictEqual((yield* ok(launch("work"))).state, "stopped")
          assert.strictEqual(yield* evaluate(checkout, "i"), "2")
          yield* ok({ op: "terminate" })
          yield* ok({ ...at, log_messages: ["i is {i}"] })
          assert.deepInclude(yield* ok(launch("work")), { state: "ended", exit_code: 0 })
          const { output = [] } = yield* ok({ op: "output" })
          const told = output.map(({ text }) => text).join("")
          for (let i = 0; i < 10; i++) assert.match(told, new RegExp(`i is ${i}\\b`))
        })
    )

    tells("stops at a function, and once at `until`", ["functions", "until"], (checkout) =>
      Effect.gen(function* () {
        const { line, ok, source } = checkout
        yield* ok({ op: "breakpoints", functions: [spec.function] })
        const stop = (yield* ok(launch("work"))).stop
        assert.strictEqual(stop?.frame?.name, frame("add"))
        yield* ok({ op: "breakpoints", functions: [] })
        const until = `${source}:${line("print")}`
        assert.strictEqual((yield* ok({ op: "continue", until })).stop?.line, line("print"))
        assert.strictEqual(yield* evaluate(checkout, "five"), "120")
        assert.strictEqual((yield* ok({ op: "continue" })).state, "ended")
      })
    )

    if (spec.setsVariables) {
      tells("sets a variable", ["set_variable"], (checkout) =>
        Effect.gen(function* () {
          const stop = yield* toMark(checkout, "loop")
          const own = (yield* locals(checkout, stop.frame!.id)).find(({ name }) => name === "total")!
          yield* checkout.ok({ op: "set_variable", reference: own.scope, name: "total", value: "1000" })
          yield* checkout.ok({ op: "breakpoints", file: checkout.source, lines: [] })
          assert.strictEqual((yield* checkout.ok({ op: "continue" })).state, "ended")
          assert.include((yield* Checkout.output(checkout)).text, "total 1055 ")
        })
      )
    }

    tells("stops at an exception that nobody catches, with its type and message", ["exceptions"], (checkout) =>
      Effect.gen(function* () {
        const { line, ok, source } = checkout
        const { state, stop } = yield* ok(launch("throw"))
        assert.strictEqual(state, "stopped")
        assert.match(stop?.description ?? "", spec.uncaught.description)
        assert.deepInclude(stop, { reason: "exception", path: source, line: line("throw") })
        const end = yield* ok({ op: "continue" })
        assert.strictEqual(end.state, "ended", JSON.stringify(end))
        assert.strictEqual(end.exit_code, spec.uncaught.exit)
      })
    )

    tells("stops at one that is caught only when asked for, and at none when asked for none", [], (checkout) =>
      Effect.gen(function* () {
        const { line, ok } = checkout
        if (spec.takesCaughtForUncaught !== true) {
          assert.deepInclude(yield* ok(launch("caught")), { state: "ended", exit_code: 0 })
        }
        yield* ok({ op: "breakpoints", exceptions: "all" })
        const all = yield* ok(launch("caught"))
        if (spec.stopsAtCaught) assert.strictEqual(all.stop?.line, line("throw"))
        else assert.strictEqual(all.state, "ended")
        if (spec.stopsAtCaught) yield* ok({ op: "terminate" })
        yield* ok({ op: "breakpoints", exceptions: "none" })
        assert.deepInclude(yield* ok(launch("caught")), { state: "ended", exit_code: 0 })
      })
    )

    tells("goes on while 2 MB are written, keeps the end of it, and says how much is lost", [], (checkout) =>
      Effect.gen(function* () {
        let value = yield* checkout.ok(launch("print"))
        for (let i = 0; value.state === "running" && i < 3; i++) {
          yield* Effect.sleep("2 seconds")
          value = yield* checkout.ok({ op: "status" })
        }
        assert.deepInclude(value, { state: "ended", exit_code: 0 })
        const { dropped, text } = yield* Checkout.output(checkout)
        assert.isAbove(dropped, 1_500_000)
        assert.isAtMost(text.length, 256 * 1024)
        assert.isTrue(text.trimEnd().endsWith(`line 019999 ${"x".repeat(98)}`), text.slice(-200))
      })
    )

    tells(
      "says the exit code and the output of a program that ends at once, and that a breakpoint was never bound",
      [],
      (checkout) =>
        Effect.gen(function* () {
          const { ok, source } = checkout
          const lines = Fs.readFileSync(Path.join(checkout.root, source), "utf8").split("\n").length
          const far = lines + 1000
          yield* ok({ op: "breakpoints", file: source, lines: [far] })
          const first = yield* ok(launch("quick"))
          if (!spec.leavesUnbound) {
            assert.isBelow(first.stop?.line ?? far, lines)
            const { breakpoints = [] } = yield* ok({ op: "breakpoints", exceptions: "uncaught" })
            assert.deepInclude(breakpoints[0] ?? {}, { line: far, verified: true, bound_line: first.stop?.line })
          }
          const value = spec.leavesUnbound ? first : yield* ok({ op: "continue" })
          if (spec.leavesUnbound)
            assert.deepInclude(value.unbound?.[0] ?? {}, { path: source, line: far, verified: false })
          assert.deepInclude(value, { state: "ended", exit_code: 3 })
          assert.include(value.output?.map(({ text }) => text).join(""), "bye")
          const { state } = yield* ok({ op: "status" })
          assert.strictEqual(state, "ended")
          yield* checkout.fails("no_session", { op: "stack" })
        })
    )

    tells("tells a crash", [], (checkout) =>
      Effect.gen(function* () {
        const value = yield* checkout.ok(launch("crash"))
        if ("description" in spec.crash) {
          assert.strictEqual(value.state, "stopped", JSON.stringify(value))
          assert.match(value.stop?.description ?? "", spec.crash.description)
          assert.strictEqual(value.stop?.line, checkout.line("crash"))
        } else assert.deepStrictEqual([value.state, value.exit_code], ["ended", spec.crash.exit])
      })
    )

    tells(
      "lets a program wait for a child of its own, gives it no input, its arguments, variables and folder",
      ["args, env, cwd"],
      (checkout) =>
        Effect.gen(function* () {
          const { ok, root } = checkout
          assert.deepInclude(yield* ok(launch("wait")), { state: "ended", exit_code: 0 })
          assert.include((yield* Checkout.output(checkout)).text, "child said 42\n")
          assert.deepInclude(yield* ok(launch("stdin")), { state: "ended", exit_code: 0 })
          assert.include((yield* Checkout.output(checkout)).text, "read ''\n")
          assert.deepInclude(yield* ok(launch("unended")), { state: "ended", exit_code: 0 })
          assert.match((yield* Checkout.output(checkout)).text, /the last line has no end$/)
          Fs.mkdirSync(Path.join(root, "below"), { recursive: true })
          yield* ok({ ...launch("environment", "a b"), cwd: "below", env: { PROBE: "x=y z" } })
          assert.include((yield* Checkout.output(checkout)).text, spec.environment("below"))
        })
    )

    tells("shows threads, and the stack of another one", ["threads"], (checkout) =>
      Effect.gen(function* () {
        const { line, ok } = checkout
        yield* ok({ op: "breakpoints", file: checkout.source, lines: [line("worker")], conditions: ["n == 1"] })
        const { stop } = yield* ok(launch("threads"))
        assert.strictEqual(stop?.line, line("worker"))
        assert.strictEqual(yield* evaluate(checkout, "n"), "1")
        const { threads = [] } = yield* ok({ op: "threads" })
        assert.isAtLeast(threads.length, spec.threadsAtLeast)
        assert.include(
          threads.map(({ id }) => id),
          stop?.thread_id
        )
        const other = threads.find(({ id }) => id !== stop?.thread_id)!
        const { frames = [] } = yield* ok({ op: "stack", thread_id: other.id })
        assert.isNotEmpty(frames)
        yield* ok({ op: "breakpoints", file: checkout.source, lines: [] })
        // lldb first tells of the other threads that had come to the breakpoint at the same time.
        const own = stop!.thread_id
        let step = yield* ok({ op: "step_over", thread_id: own })
        for (let i = 0; i < 3 && step.stop?.thread_id !== own; i++)
          step = yield* ok({ op: "step_over", thread_id: own })
        assert.strictEqual(step.stop?.thread_id, own, JSON.stringify({ step, threads }))
        assert.strictEqual(yield* evaluate(checkout, "own"), "10")
        assert.deepInclude(yield* ok({ op: "continue" }), { state: "ended", exit_code: 0 })
        assert.include((yield* Checkout.output(checkout)).text, "joined 3\n")
      })
    )
  })
}
