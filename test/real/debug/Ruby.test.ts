/** An adapter that is the program's own process, and is given the program on its command line. */
import * as Fs from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import * as Leftovers from "../../support/Leftovers.ts"
import { record } from "../support/table.ts"
import * as Checkout from "./Checkout.ts"

const program: Checkout.Program = { folder: "ruby", source: "main.rb", target: "main.rb", files: { Gemfile: "" } }
const open = (policy: Checkout.Options["policy"] = {}) =>
  Effect.flatMap(Checkout.copy(program), (root) => Checkout.open({ root, program, policy }))
const launch = (...args: ReadonlyArray<string>): Checkout.Params => ({ op: "launch", program: "main.rb", args })

/** Version 1.4 fails by itself when it is connected to before it has come to make its session. */
const started = Effect.fnUntraced(function* (checkout: Checkout.Checkout, params: Checkout.Params) {
  for (let i = 0; i < 3; i++) {
    const exit = yield* Effect.exit(checkout.ok(params))
    if (Exit.isSuccess(exit) || !Cause.pretty(exit.cause).includes("DEBUGGER__::Session")) return yield* exit
  }
  return yield* checkout.ok(params)
})

const why = "rdbg is not installed: run .ci/debug-adapters"
if (!Checkout.isInstalled("rdbg")) {
  if (Checkout.isRequired) it("rdbg is there", () => assert.fail(why))
  else describe.skip(`rdbg (skipped: ${why})`, () => it("debugs", () => {}))
} else {
  describe("rdbg", () => {
    it.live(
      "stops at a breakpoint, shows stack and variables, evaluates, steps, and ends with the program's exit code",
      () =>
        Effect.gen(function* () {
          const checkout = yield* open()
          const { line, ok, source } = checkout
          yield* ok({ op: "breakpoints", file: source, lines: [line("base")] })
          const { stop } = yield* started(checkout, launch("work"))
          assert.deepInclude(stop ?? {}, { reason: "breakpoint", path: source, line: line("base") })
          assert.strictEqual(stop?.locals?.find(({ name }) => name === "n")?.value, "1")
          const { frames = [] } = yield* ok({ op: "stack" })
          assert.deepStrictEqual(
            frames.slice(0, 6).map((one) => one.line),
            [line("base"), ...Array.from({ length: 4 }, () => line("recur")), line("fact")]
          )
          const n = yield* ok({ op: "evaluate", expression: "n * 10", frame_id: frames[4]!.id })
          assert.strictEqual(n.result, "50")
          yield* ok({ op: "breakpoints", file: source, lines: [] })
          const out = yield* ok({ op: "step_out" })
          assert.strictEqual(out.state, "stopped")
          assert.deepInclude(yield* ok({ op: "continue" }), { state: "ended", exit_code: 0 })
          assert.include((yield* Checkout.output(checkout)).text, "total 55 fact 120\n")
          const end = yield* started(checkout, launch("quick"))
          assert.deepInclude(end, { state: "ended", exit_code: 3 })
          yield* checkout.clear
          const ops = ["breakpoints", "launch", "continue", "stack", "evaluate", "step_out", "output"]
          for (const op of ops) record(op, "rdbg", "yes", "Operation × adapter")
        }),
      120_000
    )

    it.live(
      "stops where a condition holds, shows scopes and variables, steps over and into, and refuses what is stale",
      () =>
        Effect.gen(function* () {
          const checkout = yield* open()
          const { fails, line, ok, source } = checkout
          const { adapters = [] } = yield* ok({ op: "adapters" })
          assert.deepInclude(adapters.find(({ id }) => id === "rdbg") ?? {}, { usable: true, marker: "Gemfile" })
          yield* ok({ op: "breakpoints", file: source, lines: [line("loop")], conditions: ["i == 7"] })
          const { stop } = yield* started(checkout, launch("work"))
          assert.strictEqual((yield* ok({ op: "evaluate", expression: "i" })).result, "7")
          const { scopes = [] } = yield* ok({ op: "scopes", frame_id: stop!.frame!.id })
          const { variables = [] } = yield* ok({ op: "variables", reference: scopes[0]!.reference })
          assert.strictEqual(variables.find(({ name }) => name === "total")?.value, "28")
          yield* ok({ op: "breakpoints", file: source, lines: [] })
          assert.strictEqual((yield* ok({ op: "step_in" })).stop?.line, line("add"))
          assert.strictEqual((yield* ok({ op: "step_over" })).stop?.line, line("return"))
          assert.strictEqual((yield* ok({ op: "evaluate", expression: "total" })).result, "8")
          yield* fails("stale_reference", { op: "scopes", frame_id: stop!.frame!.id })
          assert.strictEqual((yield* ok({ op: "status" })).state, "stopped")
          assert.strictEqual((yield* ok({ op: "terminate" })).state, "ended")
          yield* checkout.clear
          const ops = ["adapters", "conditions", "scopes", "variables", "step_in", "step_over", "status", "terminate"]
          for (const op of ops) record(op, "rdbg", "yes", "Operation × adapter")
        }),
      120_000
    )

    it.live(
      "runs where it is told, with the arguments and variables it is given",
      () =>
        Effect.gen(function* () {
          const checkout = yield* open()
          Fs.mkdirSync(Path.join(checkout.root, "below"))
          const params = { ...launch("environment", "a b", "${program}"), cwd: "below", env: { PROBE: "x=y z" } }
          const value = yield* started(checkout, params)
          assert.strictEqual(value.state, "ended")
          const { text } = yield* Checkout.output(checkout)
          assert.include(text, 'variable x=y z in below with ["a b", "${program}"]\n')
          record("args, env, cwd", "rdbg", "yes", "Operation × adapter")
        }),
      120_000
    )

    it.live(
      "is ended with its child",
      () =>
        Effect.gen(function* () {
          const checkout = yield* open({ wait: "3 seconds" })
          const value = yield* started(checkout, launch("fork"))
          assert.strictEqual(value.state, "running")
          assert.strictEqual((yield* checkout.ok({ op: "terminate" })).state, "ended")
          yield* Checkout.until("nothing lives", () => Leftovers.marked(checkout.runId).length === 0)
        }),
      120_000
    )
  })
}
