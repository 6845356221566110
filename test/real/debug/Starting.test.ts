/** How programs are started, and what cannot be: each with what to do about it. */
import { execFileSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Leftovers from "../../support/Leftovers.ts"
import { record } from "../support/table.ts"
import * as Checkout from "./Checkout.ts"

const needed = ["debugpy-adapter", "dlv", "go", "lldb-dap-22", "g++"]
const missing = needed.filter((program) => !Checkout.isInstalled(program))

const { cpp, go, openCopy: open, python } = Checkout

const script = (root: string, name: string, text: string) => {
  Fs.writeFileSync(Path.join(root, name), text, { mode: 0o755 })
}

/** A folder with nothing on it, for a `PATH`. */
const emptyPath = Effect.acquireRelease(
  Effect.sync(() => Fs.mkdtempSync(Path.join(Os.tmpdir(), "real-debug-path-"))),
  (folder) => Effect.sync(() => Fs.rmSync(folder, { recursive: true, force: true }))
)

const suite = () => {
  const live = (name: string, body: Effect.Effect<void, never, import("effect").Scope.Scope>) =>
    it.live(name, () => body, 180_000)

  describe("Python", () => {
    live(
      "a module, as `python -m`",
      Effect.gen(function* () {
        const checkout = yield* open(python)
        Fs.mkdirSync(Path.join(checkout.root, "package"))
        Fs.renameSync(Path.join(checkout.root, "main.py"), Path.join(checkout.root, "package/main.py"))
        Fs.writeFileSync(Path.join(checkout.root, "package/__init__.py"), "")
        yield* checkout.ok({ op: "breakpoints", file: "package/main.py", lines: [checkout.line("add")] })
        const value = yield* checkout.ok({ op: "launch", module: "package.main", args: ["work"] })
        assert.deepInclude(value.stop ?? {}, { path: "package/main.py", line: checkout.line("add") })
        yield* checkout.clear
        record("module", "debugpy", "yes", "Operation × adapter")
      })
    )

    live(
      "the project's own python runs the program, where another one has debugpy (77), and the answer says so",
      Effect.gen(function* () {
        const checkout = yield* open(python)
        const own = Path.join(checkout.root, ".venv/bin/python3")
        execFileSync("/usr/bin/env", ["python3", "-m", "venv", "--without-pip", Path.join(checkout.root, ".venv")])
        Fs.writeFileSync(Path.join(checkout.root, "which.py"), "import sys\nprint('on', sys.prefix)\n")
        const value = yield* checkout.ok({ op: "launch", program: "which.py" })
        assert.deepInclude(value, { state: "ended", exit_code: 0 })
        assert.include(value.notes?.join(""), `the program on the project's own ${own}`)
        assert.include((yield* Checkout.output(checkout)).text, `on ${Path.join(checkout.root, ".venv")}\n`)
      })
    )

    live(
      "a program that does not compile stops or ends with what is wrong with it",
      Effect.gen(function* () {
        const checkout = yield* open(python)
        Fs.writeFileSync(Path.join(checkout.root, "wrong.py"), "def f(:\n")
        const value = yield* checkout.ok({ op: "launch", program: "wrong.py" })
        const ended = value.state === "stopped" ? yield* checkout.ok({ op: "continue" }) : value
        assert.strictEqual(ended.state, "ended")
        assert.strictEqual(ended.exit_code, 1)
        assert.include((yield* Checkout.output(checkout)).text, "SyntaxError")
        yield* checkout.clear
      })
    )
  })

  describe("Go", () => {
    live(
      "a file stands for its package, `test` runs its tests, `exec` what is built (modes)",
      Effect.gen(function* () {
        const checkout = yield* open(go)
        const { line, ok, root } = checkout
        yield* ok({ op: "breakpoints", file: "main.go", lines: [line("add")] })
        assert.strictEqual((yield* ok({ op: "launch", program: "main.go", args: ["work"] })).stop?.line, line("add"))
        yield* ok({ op: "terminate" })
        const test = yield* ok({ op: "launch", program: "main_test.go", mode: "test" })
        // Of a test, the package has the name of its path.
        assert.strictEqual(test.stop?.frame?.name, "program.add")
        const { frames = [] } = yield* ok({ op: "stack" })
        assert.include(
          frames.map(({ name }) => name),
          "program.TestAdd"
        )
        yield* ok({ op: "terminate" })
        execFileSync("go", ["build", "-gcflags=all=-N -l", "-o", "built", "."], { cwd: root })
        const built = yield* ok({ op: "launch", program: "built", args: ["work"] })
        assert.strictEqual(built.stop?.line, line("add"), JSON.stringify(built))
        yield* checkout.clear
        assert.deepStrictEqual(
          Fs.readdirSync(root).filter((name) => name.includes("debug_bin")),
          []
        )
        for (const mode of ["test", "exec"]) record(`mode ${mode}`, "delve", "yes", "Operation × adapter")
      })
    )

    live(
      "a package that does not build fails with what the compiler says, and another launch works (24)",
      Effect.gen(function* () {
        const checkout = yield* open(go)
        Fs.writeFileSync(Path.join(checkout.root, "wrong.go"), "package main\n\nfunc g() { nowhere() }\n")
        const text = yield* checkout.fails("adapter_failed", { op: "launch", program: ".", args: ["quick"] })
        assert.include(text, "undefined: nowhere")
        assert.include(text, "wrong.go:3")
        Fs.rmSync(Path.join(checkout.root, "wrong.go"))
        const value = yield* checkout.ok({ op: "launch", program: ".", args: ["quick"] })
        assert.deepInclude(value, { state: "ended", exit_code: 3 })
      })
    )
  })

  describe("what cannot be", () => {
    live(
      "without a marker: which would do, and where they were looked for (76)",
      Effect.gen(function* () {
        const checkout = yield* open({ ...python, files: {} })
        const text = yield* checkout.fails("not_covered", { op: "launch", program: "main.py" })
        assert.include(text, "debugpy: no root marker: none of `pyproject.toml`, `setup.py`, `requirements.txt`")
        assert.include(text, checkout.root)
      })
    )

    live(
      "without a binary: its name, and where it was looked for (76 78)",
      Effect.gen(function* () {
        const PATH = yield* emptyPath
        const checkout = yield* open(go, { env: { PATH } })
        const text = yield* checkout.fails("not_covered", { op: "launch", program: "." })
        assert.include(text, "`dlv` is not in PATH or ~/go/bin")
        const { adapters = [] } = yield* checkout.ok({ op: "adapters" })
        const delve = adapters.find(({ id }) => id === "delve")
        assert.deepInclude(delve ?? {}, { usable: false, marker: "go.mod" })
      })
    )

    live(
      "with a binary that is no adapter: how it ended and what it said",
      Effect.gen(function* () {
        const root = yield* Checkout.copy(go)
        script(root, "fake", '#!/bin/sh\n[ "$1" = version ] && exit 0\necho no such command >&2\nexit 3\n')
        const checkout = yield* Checkout.open({
          root,
          program: go,
          overrides: { delve: { binary: Path.join(root, "fake") } }
        })
        const text = yield* checkout.fails("adapter_failed", { op: "launch", program: "." })
        assert.include(text, "exited with code 3")
        assert.include(text, "no such command")
        yield* checkout.clear
      })
    )

    live(
      "with one that never speaks: the limit, and nothing is left of it",
      Effect.gen(function* () {
        const root = yield* Checkout.copy(cpp)
        script(root, "fake", '#!/bin/sh\n[ "$1" = --help ] && exit 0\nsetsid sleep 1000 & sleep 1000\n')
        const checkout = yield* Checkout.open({
          root,
          program: cpp,
          overrides: { lldb: { binary: { name: Path.join(root, "fake"), check: ["--help"] } } },
          policy: { launch: "3 seconds" }
        })
        yield* checkout.fails("timed_out", { op: "launch", program: "program", adapter: "lldb" })
        yield* Checkout.until("nothing is left", () => Leftovers.marked(checkout.runId).length === 0)
      })
    )

    live(
      "a program that is not there, a source that must be built, a breakpoint elsewhere, an adapter that is none",
      Effect.gen(function* () {
        const checkout = yield* open(cpp)
        const { fails } = checkout
        assert.include(yield* fails("not_found", { op: "launch", program: "progam" }), "program")
        assert.include(yield* fails("invalid_params", { op: "launch", program: "main.cpp" }), "Build it")
        yield* fails("outside_directory", { op: "breakpoints", file: "../elsewhere.cpp", lines: [1] })
        yield* fails("outside_directory", { op: "launch", program: "/bin/true" })
        assert.include(yield* fails("invalid_params", { op: "launch", program: "program", adapter: "lldv" }), "lldb")
        yield* fails("no_session", { op: "continue" })
        yield* fails("invalid_params", { op: "launch", program: "program", wait_seconds: 1 })
        const port = yield* fails("adapter_failed", { op: "attach", port: 1, adapter: "debugpy" })
        assert.include(port, "nothing answers on port 1")
        yield* checkout.clear
      })
    )

    live(
      "a file that no debugger can run",
      Effect.gen(function* () {
        const checkout = yield* open(cpp)
        script(checkout.root, "text", "no program\n")
        const text = yield* checkout.fails("adapter_failed", { op: "launch", program: "text", adapter: "lldb" })
        assert.match(text, /not a valid executable|text/)
        yield* checkout.clear
      })
    )
  })
}

if (missing.length > 0) {
  const why = `${missing.join(", ")} is not installed: run .ci/debug-adapters`
  if (Checkout.isRequired) it("adapters are there", () => assert.fail(why))
  else describe.skip(`starting (skipped: ${why})`, () => it("starts", () => {}))
} else suite()
