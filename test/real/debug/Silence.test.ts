/** What these adapters pass over in silence, the tool says; and an expression that never returns leaves the session usable. */
import * as Fs from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import * as Checkout from "./Checkout.ts"

const needed = ["debugpy-adapter", "dlv", "go", "lldb-dap-22", "gdb", "g++"]
const missing = needed.filter((program) => !Checkout.isInstalled(program))

const { cpp, go, openCopy: open, python } = Checkout

/** The reference of the locals at the present stop. */
const locals = Effect.fnUntraced(function* ({ ok }: Checkout.Checkout) {
  const { stop } = yield* ok({ op: "status" })
  const { scopes = [] } = yield* ok({ op: "scopes", frame_id: stop!.frame!.id })
  return scopes.find(({ name }) => name === "Locals")!.reference
})

const suite = () => {
  const live = (name: string, body: Effect.Effect<void, never, Scope.Scope>) => it.live(name, () => body, 180_000)

  describe("debugpy", () => {
    live(
      "stops where a condition has a name that is not there, and says so",
      Effect.gen(function* () {
        const checkout = yield* open(python)
        const { line, ok } = checkout
        yield* ok({
          op: "breakpoints",
          file: "main.py",
          lines: [line("loop"), line("add")],
          conditions: ["i > 3 and nosuch", null],
          hit_conditions: [null, "often"]
        })
        const value = yield* ok({ op: "launch", program: "main.py", args: ["work"] })
        assert.strictEqual(value.stop?.line, line("loop"), JSON.stringify(value))
        assert.include(value.important, "NameError: name 'nosuch' is not defined")
        assert.strictEqual((yield* ok({ op: "evaluate", expression: "i" })).result, "4")
        const { breakpoints = [] } = yield* ok({ op: "status" })
        assert.match(breakpoints[1]?.message ?? "", /^not set: .*hit condition/)
        yield* checkout.clear
      })
    )

    live(
      "sets nothing where the value cannot be evaluated, and evaluates it once",
      Effect.gen(function* () {
        const checkout = yield* open(python)
        const { fails, line, ok } = checkout
        yield* ok({ op: "breakpoints", file: "main.py", lines: [line("loop")] })
        yield* ok({ op: "launch", program: "main.py", args: ["work"] })
        const set = { op: "set_variable", reference: yield* locals(checkout), name: "total" } as const
        assert.match(yield* fails("adapter_failed", { ...set, value: "nosuch" }), /nothing was set: .*NameError/s)
        assert.notInclude(yield* fails("adapter_failed", { ...set, value: "1 +" }), "pydevd")
        yield* ok({ op: "evaluate", expression: "counts = iter([10, 20, 30])" })
        assert.strictEqual((yield* ok({ ...set, value: "next(counts)" })).result, "10")
        assert.strictEqual((yield* ok({ op: "evaluate", expression: "total, next(counts)" })).result, "(10, 20)")
        yield* checkout.clear
      })
    )

    live(
      "gives up an expression that never returns, and goes on",
      Effect.gen(function* () {
        const checkout = yield* open(python)
        const { line, ok } = checkout
        yield* ok({ op: "breakpoints", file: "main.py", lines: [line("loop")] })
        yield* ok({ op: "launch", program: "main.py", args: ["work"] })
        const answer = yield* ok({ op: "evaluate", expression: "[None for _ in iter(int, 1)]" })
        assert.isTrue(answer.is_error)
        assert.include(answer.result, "KeyboardInterrupt")
        assert.strictEqual((yield* ok({ op: "evaluate", expression: "total" })).result, "0")
        assert.strictEqual((yield* ok({ op: "continue" })).stop?.line, line("loop"))
        yield* checkout.clear
      })
    )
  })

  describe("processes", () => {
    live(
      "says which one has stopped, and whose threads they are",
      Effect.gen(function* () {
        const checkout = yield* open(python)
        const { ok, root } = checkout
        const text =
          "import os\nif os.fork() == 0:\n    print('child')\n    os._exit(0)\nprint('reaped', os.wait()[1])\n"
        Fs.writeFileSync(Path.join(root, "fork.py"), text)
        yield* ok({ op: "breakpoints", file: "fork.py", lines: [3] })
        const { stop } = yield* ok({ op: "launch", program: "fork.py" })
        assert.strictEqual(stop?.line, 3)
        assert.isAbove(stop?.process_id ?? 0, 0)
        const { threads = [] } = yield* ok({ op: "threads" })
        assert.lengthOf(threads, 2)
        assert.strictEqual(
          threads.find(({ id }) => id === stop?.thread_id)?.name,
          `MainThread (process ${stop?.process_id})`
        )
        assert.deepInclude(yield* ok({ op: "continue" }), { state: "ended", exit_code: 0 })
        yield* checkout.clear
      })
    )
  })

  describe("gdb", () => {
    live(
      "says that a condition is wrong, also where it learns of it before the program",
      Effect.gen(function* () {
        const checkout = yield* open(cpp)
        const { line, ok } = checkout
        yield* ok({
          op: "breakpoints",
          file: "main.cpp",
          lines: [line("add"), line("loop")],
          conditions: ["nosuch > 1", "i >"]
        })
        const value = yield* ok({ op: "launch", program: "program", args: ["work"], adapter: "gdb" })
        assert.deepInclude(value, { state: "ended", exit_code: 0 })
        assert.deepStrictEqual(
          value.unbound?.map(({ message }) => message),
          ['No symbol "nosuch" in current context.', "A syntax error in expression, near the end of `i >'."]
        )
        assert.notInclude(value.output?.map(({ text }) => text).join(""), "Breakpoint")
        yield* checkout.clear
      })
    )

    live(
      "gives up an expression that never returns, and goes on",
      Effect.gen(function* () {
        const checkout = yield* open(cpp, { policy: { request: "3 seconds" } })
        const { fails, line, ok } = checkout
        yield* ok({ op: "breakpoints", file: "main.cpp", lines: [line("add")] })
        yield* ok({ op: "launch", program: "program", args: ["work"], adapter: "gdb" })
        yield* ok({ op: "breakpoints", file: "main.cpp", lines: [] })
        const text = yield* fails("timed_out", { op: "evaluate", expression: "spin(0)" })
        assert.include(text, "made to give it up")
        assert.strictEqual((yield* ok({ op: "status" })).state, "stopped")
        const { frames = [] } = yield* ok({ op: "stack" })
        assert.include(
          frames.map(({ name }) => name),
          "spin"
        )
        const add = frames.find(({ name }) => name === "add")!
        assert.strictEqual((yield* ok({ op: "evaluate", expression: "b", frame_id: add.id })).result, "1")
        yield* checkout.clear
      })
    )
  })

  describe("lldb and delve", () => {
    live(
      "lldb: a hit condition that is no number is not set, and says so; sources newer than the program are told",
      Effect.gen(function* () {
        const checkout = yield* open(cpp, { overrides: { lldb: { binary: "lldb-dap-22" } } })
        const { line, ok, root } = checkout
        const later = new Date(Date.now() + 60_000)
        Fs.utimesSync(Path.join(root, "main.cpp"), later, later)
        yield* ok({
          op: "breakpoints",
          file: "main.cpp",
          lines: [line("add"), line("return")],
          hit_conditions: [">= 3", "3"]
        })
        const { stop } = yield* ok({ op: "launch", program: "program", args: ["work"], adapter: "lldb" })
        assert.deepInclude(stop ?? {}, { line: line("return"), source_changed: true })
        assert.strictEqual((yield* ok({ op: "evaluate", expression: "a" })).result, "2")
        const { breakpoints = [] } = yield* ok({ op: "status" })
        assert.match(breakpoints[0]?.message ?? "", /^not set: .*hit condition/)
        yield* checkout.clear
      })
    )

    live(
      "delve: the answer to a set variable is its value, and a stop is not told with the old one",
      Effect.gen(function* () {
        const checkout = yield* open(go)
        const { line, ok } = checkout
        yield* ok({ op: "breakpoints", file: "main.go", lines: [line("return")] })
        yield* ok({ op: "launch", program: ".", args: ["work"] })
        const set = { op: "set_variable", reference: yield* locals(checkout), name: "total" } as const
        assert.deepInclude(yield* ok({ ...set, value: "b*7" }), { result: "7", type: "int" })
        assert.notProperty((yield* ok({ op: "status" })).stop, "locals")
        yield* checkout.clear
      })
    )
  })
}

if (missing.length > 0) {
  const why = `${missing.join(", ")} is not installed: run .ci/debug-adapters`
  if (Checkout.isRequired) it("adapters are there", () => assert.fail(why))
  else describe.skip(`silence (skipped: ${why})`, () => it("is broken", () => {}))
} else suite()
