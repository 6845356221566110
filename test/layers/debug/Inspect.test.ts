import * as Fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as Fake from "../../support/FakeDebugAdapter.ts"

const launch = { op: "launch", program: "a.t" } as const

/** A run that is stopped at line 3. */
const stopped = (behaviour: Fake.Behaviour = () => {}, options?: Fake.Options) =>
  Effect.tap(Fake.run(behaviour, options), (run) =>
    Effect.gen(function* () {
      yield* run.ok({ op: "breakpoints", file: "a.t", lines: [3, 10] })
      assert.strictEqual((yield* run.ok(launch)).state, "stopped")
    })
  )

describe("inspection", () => {
  it.live("51 52 58 one request an op: stack, scopes, variables, evaluate, threads, set_variable", () =>
    Effect.gen(function* () {
      const run = yield* stopped((adapter) => {
        adapter.on("stackTrace", ({ levels }) => ({
          stackFrames: [
            { id: 1, name: "memcpy", line: 0, source: { name: "x.s", sourceReference: 12, path: "/x.s" } },
            { id: 2, name: "main", line: 3, source: { path: adapter.program.path } },
            ...Array.from({ length: 58 }, (_, i) => ({ id: 10 + i, name: `f${i}`, line: 0 }))
          ],
          totalFrames: 80 + (levels ?? 0)
        }))
      })
      const counted = <A>(self: Effect.Effect<A>) =>
        Effect.suspend(() => {
          const before = run.commands().length
          return Effect.map(self, (value) => ({ value, sent: run.commands().slice(before) }))
        })
      const stack = yield* counted(run.ok({ op: "stack" }))
      assert.deepStrictEqual(stack.sent, ["stackTrace"])
      assert.deepInclude(run.received("stackTrace").at(-1)!.arguments, { threadId: 1, startFrame: 0, levels: 30 })
      const { frames = [], total } = stack.value
      assert.lengthOf(frames, 30)
      assert.strictEqual(total, 110)
      assert.deepStrictEqual(frames[0], { id: frames[0]!.id, name: "memcpy" })
      assert.deepStrictEqual(frames[1], { id: 1, name: "main", path: "a.t", line: 3 })
      assert.match(stack.value.words, /#0 memcpy {2}\(no source\) {2}\[frame \d+\]\n {2}#1 main {2}a\.t:3/)

      const scopes = yield* counted(run.ok({ op: "scopes", frame_id: 1 }))
      assert.deepStrictEqual(scopes.sent, ["scopes"])
      assert.deepInclude(run.received("scopes").at(-1)!.arguments, { frameId: 2 })
      const [scope] = scopes.value.scopes ?? []
      assert.strictEqual(scope?.name, "Locals")
      const variables = yield* counted(run.ok({ op: "variables", reference: scope!.reference }))
      assert.deepStrictEqual(variables.sent, ["variables"])
      assert.deepStrictEqual(
        variables.value.variables?.map(({ name, type, value }) => [name, value, type]),
        [
          ["x", "3", "int"],
          ["list", "[…]", "list"]
        ]
      )
      const evaluate = yield* counted(run.ok({ op: "evaluate", expression: "x" }))
      assert.deepStrictEqual(evaluate.sent, ["evaluate"])
      assert.deepInclude(evaluate.value, { state: "stopped", result: "3", type: "int" })
      assert.deepStrictEqual(run.received("evaluate")[0]!.arguments, { expression: "x", frameId: 2, context: "repl" })
      assert.deepStrictEqual((yield* counted(run.ok({ op: "threads" }))).sent, ["threads"])
      const set = yield* counted(run.ok({ op: "set_variable", reference: scope!.reference, name: "x", value: "5" }))
      assert.deepStrictEqual(set.sent, ["setVariable"])
      assert.deepInclude(set.value, { result: "5" })
      for (const op of ["status", "output", "adapters"] as const) {
        assert.deepStrictEqual((yield* counted(run.ok({ op }))).sent, [])
      }
    })
  )

  it.live("53 54 47 a frame or reference of an earlier stop is refused before the adapter can answer for another", () =>
    Effect.gen(function* () {
      const run = yield* stopped()
      const { frames } = yield* run.ok({ op: "stack" })
      const { scopes } = yield* run.ok({ op: "scopes", frame_id: frames![0]!.id })
      const { reference } = yield* run.ok({ op: "evaluate", expression: "list" })
      const [frame_id, scope] = [frames![0]!.id, scopes![0]!.reference]
      yield* run.ok({ op: "variables", reference: reference! })
      yield* run.ok({ op: "step_over" })
      const before = run.commands().length
      const earlier = /is from an earlier stop: the program has gone on since\. Ask for `stack` again\./
      assert.match(yield* run.refused({ op: "scopes", frame_id }, "stale_reference"), earlier)
      assert.match(yield* run.refused({ op: "evaluate", expression: "x", frame_id }, "stale_reference"), earlier)
      assert.match(yield* run.refused({ op: "variables", reference: scope }, "stale_reference"), earlier)
      assert.match(yield* run.refused({ op: "variables", reference: reference! }, "stale_reference"), earlier)
      yield* run.refused({ op: "set_variable", reference: scope, name: "x", value: "1" }, "stale_reference")
      assert.match(yield* run.refused({ op: "scopes", frame_id: 4711 }, "invalid_params"), /There is no frame 4711/)
      yield* run.refused({ op: "variables", reference: -5 }, "invalid_params")
      assert.strictEqual(run.commands().length, before)
      // The adapter gives the same numbers again, and they are other ones.
      const again = yield* run.ok({ op: "stack" })
      assert.isAbove(again.frames![0]!.id, frame_id)
      assert.match(
        yield* run.refused({ op: "variables", reference: again.frames![0]!.id }, "invalid_params"),
        /that number is of a frame/
      )
      // Nor does one of an ended session mean anything in the next.
      yield* run.ok({ op: "terminate" })
      yield* run.ok(launch)
      yield* run.refused({ op: "scopes", frame_id: again.frames![0]!.id }, "stale_reference")
    })
  )

  it.live("57 55 56 no request for no children; paging, cuts, counts", () =>
    Effect.gen(function* () {
      const run = yield* stopped(
        (adapter) => {
          const item = (i: number) => ({ name: `[${i}]`, value: String(i), variablesReference: 0 })
          const items = (from: number, count: number) => Array.from({ length: count }, (_, i) => item(from + i))
          adapter.on("evaluate", ({ expression }) => ({
            result: expression,
            variablesReference: { paged: 10, mixed: 11, whole: 12, long: 13, none: 0 }[expression as string],
            ...{ paged: { indexedVariables: 100_000 }, mixed: { indexedVariables: 70, namedVariables: 2 } }[
              expression as "paged"
            ]
          }))
          adapter.on("variables", ({ count, filter, start, variablesReference }) => {
            if (variablesReference === 10) return { variables: items(start, count) }
            if (variablesReference === 11) {
              return {
                variables:
                  filter === "named"
                    ? [
                        { name: "size", value: "70", variablesReference: 0 },
                        { name: "type", value: "t", variablesReference: 0 }
                      ]
                    : items(start, count)
              }
            }
            if (variablesReference === 13) {
              return {
                variables: [
                  { name: "s", value: `a\nb${"😀".repeat(1000)}`, type: "str", variablesReference: 0 },
                  { name: "n".repeat(5000), value: "1", variablesReference: 0 }
                ]
              }
            }
            // All of it, whatever is asked for.
            return { variables: items(0, 120) }
          })
        },
        { adapter: { quirks: { evaluateContext: "watch" } } }
      )
      const referenceOf = (expression: string) =>
        Effect.map(run.ok({ op: "evaluate", expression }), ({ reference }) => reference ?? 0)
      const names = (value: { variables?: ReadonlyArray<{ name: string }>; total?: number }) => [
        value.variables?.length,
        value.variables?.[0]?.name,
        value.total
      ]
      const paged = yield* referenceOf("paged")
      assert.deepStrictEqual(names(yield* run.ok({ op: "variables", reference: paged })), [50, "[0]", 100_000])
      const page = yield* run.ok({ op: "variables", reference: paged, start: 150 })
      assert.deepStrictEqual(names(page), [50, "[150]", 100_000])
      assert.match(page.words, /^50 of 100000, the next with `start`:\n\[150\] = 150/)
      assert.deepStrictEqual(run.received("variables").at(-1)!.arguments, {
        variablesReference: 10,
        start: 150,
        count: 50
      })
      assert.strictEqual(run.received("evaluate").at(-1)!.arguments.context, "watch")

      const mixed = yield* referenceOf("mixed")
      assert.deepStrictEqual(names(yield* run.ok({ op: "variables", reference: mixed })), [50, "size", 72])
      assert.deepStrictEqual(names(yield* run.ok({ op: "variables", reference: mixed, start: 50 })), [22, "[48]", 72])

      const whole = yield* referenceOf("whole")
      assert.deepStrictEqual(names(yield* run.ok({ op: "variables", reference: whole })), [50, "[0]", 120])
      assert.deepStrictEqual(names(yield* run.ok({ op: "variables", reference: whole, start: 100 })), [
        20,
        "[100]",
        120
      ])
      assert.match(
        (yield* run.ok({ op: "variables", reference: whole, start: 500 })).words,
        /^No more: there are 120\./
      )

      const long = yield* run.ok({ op: "variables", reference: yield* referenceOf("long") })
      const [text, name] = long.variables ?? []
      assert.match(text!.value, /^a\\nb(😀)+… \(2003 characters\)$/u)
      assert.isAtMost(text!.value.length, 425)
      assert.match(name!.name, /^n{200}… \(5000 characters\)$/)

      const sent = run.commands().length
      const none = yield* run.ok({ op: "variables", reference: 0 })
      assert.deepStrictEqual(none.variables, [])
      assert.match(none.words, /has no children/)
      assert.strictEqual(run.commands().length, sent)
    })
  )

  it.live("threads are at most 200, with their count", () =>
    Effect.gen(function* () {
      const run = yield* stopped((adapter) => {
        adapter.on("threads", () => ({
          threads: Array.from({ length: 3000 }, (_, id) => ({ id: id + 1, name: `t${id}` }))
        }))
      })
      const value = yield* run.ok({ op: "threads" })
      assert.deepStrictEqual([value.threads?.length, value.total], [200, 3000])
      assert.match(value.words, /^200 of 3000 threads:\n {2}1 {2}t0\n/)
    })
  )

  it.live("58 87 an expression that fails is an answer; it says so", () =>
    Effect.gen(function* () {
      const run = yield* stopped()
      const value = yield* run.ok({ op: "evaluate", expression: "nosuch" })
      assert.deepInclude(value, { state: "stopped", is_error: true, result: "NameError: name 'nosuch' is not defined" })
      assert.strictEqual(value.words, "It could not be evaluated: NameError: name 'nosuch' is not defined")
    })
  )

  it.effect("11 59 an evaluation that never returns has its limit; others say who is busy; terminate works", () =>
    Effect.gen(function* () {
      const run = yield* stopped((adapter) => {
        let isBusy = false
        adapter.on("evaluate", () => {
          isBusy = true
          return adapter.noReply
        })
        for (const command of ["threads", "disconnect"]) {
          adapter.on(command, (args, request) => (isBusy ? adapter.noReply : adapter.base(command, args, request)))
        }
      })
      const slow = yield* Effect.forkChild(run.refused({ op: "evaluate", expression: "while True" }, "timed_out"), {
        startImmediately: true
      })
      yield* Fake.eventually(() => (run.commands().includes("evaluate") ? true : undefined))
      yield* TestClock.adjust("15 seconds")
      assert.match(yield* Fiber.join(slow), /has not answered `evaluate` in time.*The session goes on/)
      const other = yield* Effect.forkChild(run.refused({ op: "threads" }, "timed_out"), { startImmediately: true })
      yield* Fake.eventually(() => (run.commands().includes("threads") ? true : undefined))
      yield* TestClock.adjust("15 seconds")
      assert.match(yield* Fiber.join(other), /It has not answered `evaluate` either: it is busy with that\./)
      assert.strictEqual((yield* run.ok({ op: "stack" })).frames?.length, 1)
      assert.strictEqual((yield* run.ok({ op: "terminate" })).state, "ended")
      yield* run.gone
    })
  )

  it.live("60 a stop in the middle of an evaluation is told, and what was known before is not valid any more", () =>
    Effect.gen(function* () {
      const run = yield* stopped((adapter) => {
        adapter.on("evaluate", async () => {
          adapter.program.line = 9
          await adapter.stop("breakpoint")
          throw new Error("call stopped")
        })
      })
      const before = (yield* run.ok({ op: "stack" })).frames![0]!.id
      const value = yield* run.ok({ op: "evaluate", expression: "call f()" })
      assert.deepInclude(value, { is_error: true, result: "call stopped" })
      assert.match(value.notes?.[0] ?? "", /The evaluation has moved the program/)
      yield* run.refused({ op: "scopes", frame_id: before }, "stale_reference")
      assert.deepInclude((yield* run.ok({ op: "status" })).stop, { line: 9 })
    })
  )

  it.live(
    "shows no text of files outside of the working directory, nor of what is no file, at the adapter's word",
    () =>
      Effect.gen(function* () {
        const run = yield* stopped((adapter) => {
          let count = 0
          adapter.on("stackTrace", () => ({
            stackFrames: [
              {
                id: 1,
                name: "f",
                line: 1,
                source: { path: ++count === 1 ? "/etc/passwd" : `${adapter.program.path}/../link.t` }
              }
            ]
          }))
        })
        const first = (yield* run.ok({ op: "status" })).stop
        assert.deepInclude(first, { path: "/etc/passwd", line: 1 })
        assert.notProperty(first, "source")
        Fs.symlinkSync("/etc/passwd", run.path("link.t"))
        const second = (yield* run.ok({ op: "step_over" })).stop
        assert.notProperty(second, "source")
      })
  )
})

describe("what is not there", () => {
  it.live("75 without a session: status, output and adapters answer, the others say how to begin", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run(() => {})
      assert.deepInclude(yield* run.ok({ op: "status" }), { state: "none", exceptions: "uncaught", breakpoints: [] })
      assert.deepInclude(yield* run.ok({ op: "output" }), { state: "none", output: [] })
      const { adapters } = yield* run.ok({ op: "adapters" })
      assert.deepStrictEqual(adapters, [{ id: "fake", usable: true, marker: "root.marker", binary: process.execPath }])
      for (const op of ["continue", "pause", "step_over", "threads", "stack", "restart", "terminate"] as const) {
        assert.match(yield* run.refused({ op }, "no_session"), /There is no debug session.*`launch`/)
      }
      yield* run.refused({ op: "evaluate", expression: "x" }, "no_session")
      assert.lengthOf(run.log(), 0)
    })
  )

  it.live("76 78 no usable adapter, an unknown one, a program that no adapter is for", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run(() => {}, {
        found: {
          usable: false,
          reason: "no root marker: none of `x.marker` is here; `fake` is not in PATH",
          command: []
        },
        files: { "b.xyz": "" }
      })
      const text = yield* run.refused(launch, "not_covered")
      assert.match(
        text,
        /No adapter for a\.t can be used here:\nfake: no root marker: none of `x\.marker` is here; `fake` is not in PATH/
      )
      yield* run.refused({ ...launch, adapter: "fake" }, "not_covered")
      assert.match(yield* run.refused({ ...launch, adapter: "fak" }, "invalid_params"), /Did you mean `fake`\?/)
      yield* run.refused({ op: "launch", program: "b.xyz" }, "not_covered")
      yield* run.refused({ op: "launch", program: "missing.t" }, "not_found")
      yield* run.refused({ op: "launch", program: "../../x.t" }, "outside_directory")
      yield* run.refused({ op: "launch" }, "invalid_params")
      yield* run.refused({ ...launch, cwd: "a.t" }, "invalid_params")
      yield* run.refused({ op: "breakpoints", file: "../x.t", lines: [1] }, "outside_directory")
      yield* run.refused({ op: "breakpoints", file: "missing.t", lines: [1] }, "not_found")
      yield* run.ok({ op: "breakpoints", file: "missing.t", lines: [] })
    })
  )

  it.live("a binary that is no adapter says what it said", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run(() => {}, {
        found: { command: [process.execPath, "-e", "console.error('unknown option --dap'); process.exit(2)"] }
      })
      assert.match(
        yield* run.refused(launch, "adapter_failed"),
        /exited with code 2; the end of its standard error:\nunknown option --dap/
      )
      const other = yield* Fake.run(() => {}, {
        found: {
          command: [process.execPath, "-e", "console.log('hello, I am no adapter'); setInterval(() => {}, 1000)"]
        },
        policy: { launch: "1 second" }
      })
      assert.match(yield* other.refused(launch, "timed_out"), /was not ready after 1 s/)
      yield* other.gone
    })
  )
})
