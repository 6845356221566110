import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Find from "../../../../layers/debug/adapters/Find.ts"
import * as NodeProcesses from "../../../../layers/process/NodeProcesses.ts"
import type { Found } from "../../../../src/debug/adapters/Adapter.ts"
import type { Row } from "../../../../src/debug/adapters/Row.ts"
import { shipped } from "../../../../src/debug/adapters/Rows.ts"

const script = (body: string) => `#!/bin/sh\n${body}\n`
const works = script("echo tool version 1.2.3")
const withDebugpy = script('case "$2" in *debugpy*) echo 1.8.22;; esac')
const withoutDebugpy = script(
  'case "$2" in *debugpy*) echo "Traceback (most recent call last):" >&2; echo "ModuleNotFoundError: No module named \'debugpy\'" >&2; exit 1;; esac'
)

/** Files below `project` are data; others are scripts. A text that begins with `->` is a link. */
const tree = (files: Readonly<Record<string, string>>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const base = Fs.realpathSync(Fs.mkdtempSync(Path.join(Os.tmpdir(), "find-adapters-")))
      Fs.mkdirSync(Path.join(base, "project"))
      for (const [name, text] of Object.entries(files)) {
        const file = Path.join(base, name)
        Fs.mkdirSync(Path.dirname(file), { recursive: true })
        if (text.startsWith("->")) Fs.symlinkSync(text.slice(2).replace("BASE", base), file)
        else Fs.writeFileSync(file, text, { mode: text.startsWith("#!") ? 0o755 : 0o644 })
      }
      return base
    }),
    (base) => Effect.sync(() => Fs.rmSync(base, { recursive: true, force: true }))
  )

const rowsOf = (...ids: ReadonlyArray<string>): ReadonlyArray<Row> => shipped.filter(({ id }) => ids.includes(id))

const optionsOf = (base: string, rows: ReadonlyArray<Row>): Find.Options => ({
  root: Path.join(base, "project"),
  isTrusted: true,
  rows,
  env: { PATH: `${base}/path:${base}/path2` },
  home: Path.join(base, "home")
})

/** One adapter, in a folder of the project or anywhere in it. */
const look = (base: string, id: string, folder?: string, more: Partial<Find.Options> = {}) =>
  Effect.gen(function* () {
    const find = yield* Find.make({ ...optionsOf(base, rowsOf(id)), ...more })
    const all = yield* find(folder === undefined ? undefined : Path.join(base, "project", folder))
    assert.deepStrictEqual(
      all.map(({ adapter }) => adapter.id),
      [id]
    )
    const { adapter: _, ...found } = all[0]!
    const told: Omit<Found, "adapter"> = JSON.parse(JSON.stringify(found).replaceAll(base, "BASE"))
    return told
  }).pipe(Effect.provide(NodeProcesses.layer()))

describe("the root marker (76)", () => {
  it.live("is at or above the program, inside the working directory, the nearest", () =>
    Effect.gen(function* () {
      const base = yield* tree({
        "path/dlv": works,
        "project/go.mod": "",
        "project/cmd/inner/go.mod": "",
        "project/cmd/inner/deep/main.go": "",
        "project/cmd/other/main.go": ""
      })
      const at = (folder: string) => Effect.map(look(base, "delve", folder), ({ marker }) => marker)
      assert.strictEqual(yield* at("cmd/inner/deep"), "BASE/project/cmd/inner/go.mod")
      assert.strictEqual(yield* at("cmd/other"), "BASE/project/go.mod")
      assert.strictEqual(yield* at("."), "BASE/project/go.mod")
    })
  )

  it.live("above the working directory does not count, and what is missing is named: the markers and where", () =>
    Effect.gen(function* () {
      const base = yield* tree({ "path/dlv": works, "go.mod": "", "project/a/main.go": "" })
      assert.deepStrictEqual(yield* look(base, "delve", "a"), {
        binary: "BASE/path/dlv",
        version: "1.2.3",
        usable: false,
        reason: "no root marker: none of `go.mod`, `go.work` is in BASE/project/a or above it, up to BASE/project",
        command: []
      })
    })
  )

  it.live(
    "is looked for below the working directory where there is no program, but not in what is installed or built",
    () =>
      Effect.gen(function* () {
        const base = yield* tree({
          "path/dlv": works,
          "project/node_modules/x/go.mod": "",
          "project/.hidden/go.mod": "",
          "project/vendor/go.mod": "",
          "project/services/api/go.mod": ""
        })
        assert.strictEqual((yield* look(base, "delve")).marker, "BASE/project/services/api/go.mod")
        Fs.rmSync(Path.join(base, "project/services"), { recursive: true })
        const none = yield* look(base, "delve")
        assert.isFalse(none.usable)
        assert.include(none.reason, "is in BASE/project or its upper folders")
      })
  )

  it.live("may have any part of its name open", () =>
    Effect.gen(function* () {
      const base = yield* tree({ "path/netcoredbg": works, "project/App/App.csproj": "" })
      assert.strictEqual((yield* look(base, "netcoredbg", "App")).marker, "BASE/project/App/App.csproj")
    })
  )
})

describe("the binary (76, 78)", () => {
  it.live("is named with where it was looked for when it is not there, beside a missing marker", () =>
    Effect.gen(function* () {
      const base = yield* tree({ "project/go.mod": "" })
      assert.deepStrictEqual(yield* look(base, "delve", "."), {
        usable: false,
        reason: "`dlv` is not in PATH or ~/go/bin",
        command: [],
        marker: "BASE/project/go.mod"
      })
      const { reason } = yield* look(base, "debugpy", ".")
      assert.match(reason!, /^no root marker: none of `pyproject.toml`, .* is in BASE\/project or above it/)
      assert.match(reason!, /; `python3` is not in \.venv\/bin, venv\/bin or PATH, nor is `python`$/)
    })
  )

  it.live("is found with its version, and its command is whole", () =>
    Effect.gen(function* () {
      const base = yield* tree({
        "home/go/bin/dlv": script('[ "$1" = version ] && printf "Delve Debugger\\nVersion: 1.27.2\\n"'),
        "project/go.mod": ""
      })
      assert.deepStrictEqual(yield* look(base, "delve", "."), {
        binary: "BASE/home/go/bin/dlv",
        version: "1.27.2",
        marker: "BASE/project/go.mod",
        usable: true,
        command: ["BASE/home/go/bin/dlv", "dap", "--client-addr", "${address}"]
      })
    })
  )

  it.live("may have a version in its name: the plain name first, then the highest", () =>
    Effect.gen(function* () {
      const base = yield* tree({
        "path/lldb-dap-9": works,
        "path/lldb-dap-22": script("exit 0"),
        "path/lldb-dap-19": works,
        "path/lldb-dap-server": works,
        "project/Cargo.toml": ""
      })
      assert.deepStrictEqual(yield* look(base, "lldb", "."), {
        binary: "BASE/path/lldb-dap-22",
        version: "22",
        marker: "BASE/project/Cargo.toml",
        usable: true,
        command: ["BASE/path/lldb-dap-22"]
      })
      Fs.writeFileSync(Path.join(base, "path/lldb-dap"), works, { mode: 0o755 })
      assert.strictEqual((yield* look(base, "lldb", ".")).binary, "BASE/path/lldb-dap")
    })
  )

  it.live("that does not work says how, and the next one is taken", () =>
    Effect.gen(function* () {
      const base = yield* tree({
        "path/gdb": script("echo GNU gdb 13.1"),
        "project/Makefile": ""
      })
      const old = yield* look(base, "gdb", ".")
      assert.isFalse(old.usable)
      assert.strictEqual(old.binary, "BASE/path/gdb")
      assert.strictEqual(old.reason, "BASE/path/gdb is version 13.1; the first version with this protocol is 14")
      Fs.mkdirSync(Path.join(base, "path2"))
      Fs.writeFileSync(Path.join(base, "path2/gdb"), script("echo GNU gdb 18.1"), { mode: 0o755 })
      assert.deepInclude(yield* look(base, "gdb", "."), { usable: true, version: "18.1", binary: "BASE/path2/gdb" })
      Fs.writeFileSync(Path.join(base, "path2/gdb"), "no program", { mode: 0o755 })
      assert.include((yield* look(base, "gdb", ".")).reason, "neither a program for this system nor a script")
      Fs.writeFileSync(Path.join(base, "path2/gdb"), script("echo cannot load libx.so >&2; exit 127"), { mode: 0o755 })
      assert.include(
        (yield* look(base, "gdb", ".")).reason,
        "BASE/path2/gdb is there but does not work: `gdb --version` exited with code 127, saying: cannot load libx.so"
      )
    })
  )

  it.live("inside the project counts only where that is trusted, also by PATH or a link", () =>
    Effect.gen(function* () {
      const base = yield* tree({ "project/bin/dlv": works, "path/dlv": "->BASE/project/bin/dlv", "project/go.mod": "" })
      assert.isTrue((yield* look(base, "delve", ".")).usable)
      const { reason, usable } = yield* look(base, "delve", ".", { isTrusted: false })
      assert.isFalse(usable)
      assert.strictEqual(reason, "BASE/path/dlv counts as not found: it is inside the project, which is not trusted")
    })
  )

  it.live("that is disabled is not looked for", () =>
    Effect.gen(function* () {
      const base = yield* tree({ "path/dlv": works, "project/go.mod": "" })
      const rows = rowsOf("delve").map((row) => ({ ...row, disabled: true }))
      assert.deepStrictEqual(yield* look(base, "delve", ".", { rows }), {
        usable: false,
        reason: "it is disabled in the settings",
        command: []
      })
    })
  )

  it.live("is asked once while it works, and again when its file changes", () =>
    Effect.gen(function* () {
      const base = yield* tree({ "project/go.mod": "" })
      const log = Path.join(base, "log")
      const dlv = Path.join(base, "path/dlv")
      Fs.mkdirSync(Path.dirname(dlv))
      Fs.writeFileSync(dlv, script(`echo asked >>${log}; echo 1.2.3`), { mode: 0o755 })
      const find = yield* Find.make(optionsOf(base, rowsOf("delve")))
      const asked = () => Fs.readFileSync(log, "utf8").trim().split("\n").length
      yield* find()
      yield* find(Path.join(base, "project"))
      assert.strictEqual(asked(), 1)
      Fs.appendFileSync(dlv, "\n")
      yield* find()
      assert.strictEqual(asked(), 2)
    }).pipe(Effect.provide(NodeProcesses.layer()))
  )
})

describe("debugpy (77)", () => {
  const marker = { "project/pyproject.toml": "" }

  it.live("runs on the project's own python where that has it, .venv before venv before PATH", () =>
    Effect.gen(function* () {
      const base = yield* tree({
        ...marker,
        "project/.venv/bin/python3": withDebugpy,
        "project/venv/bin/python3": withDebugpy,
        "path/python3": withDebugpy
      })
      assert.deepStrictEqual(yield* look(base, "debugpy", "."), {
        binary: "BASE/project/.venv/bin/python3",
        version: "1.8.22",
        marker: "BASE/project/pyproject.toml",
        usable: true,
        command: ["BASE/project/.venv/bin/python3", "-m", "debugpy.adapter"]
      })
      Fs.rmSync(Path.join(base, "project/.venv"), { recursive: true })
      assert.strictEqual((yield* look(base, "debugpy", ".")).binary, "BASE/project/venv/bin/python3")
      Fs.rmSync(Path.join(base, "project/venv"), { recursive: true })
      const onPath = yield* look(base, "debugpy", ".")
      assert.strictEqual(onPath.binary, "BASE/path/python3")
      assert.notProperty(onPath, "debuggeePython")
    })
  )

  it.live("runs on another python that has it, the program on the project's own, and the answer says so", () =>
    Effect.gen(function* () {
      const base = yield* tree({
        ...marker,
        "project/.venv/bin/python3": withoutDebugpy,
        "path/python3": withoutDebugpy,
        "path2/python3": withDebugpy
      })
      assert.deepStrictEqual(yield* look(base, "debugpy", "."), {
        binary: "BASE/path2/python3",
        version: "1.8.22",
        marker: "BASE/project/pyproject.toml",
        usable: true,
        command: ["BASE/path2/python3", "-m", "debugpy.adapter"],
        reason:
          "the adapter runs on BASE/path2/python3, the program on the project's own BASE/project/.venv/bin/python3",
        debuggeePython: "BASE/project/.venv/bin/python3"
      })
    })
  )

  it.live("is found but not usable where no python has it: says which, and what to do", () =>
    Effect.gen(function* () {
      const base = yield* tree({ ...marker, "path/python3": withoutDebugpy })
      const { binary, reason, usable } = yield* look(base, "debugpy", ".")
      assert.isFalse(usable)
      assert.strictEqual(binary, "BASE/path/python3")
      assert.include(reason, "BASE/path/python3 is there but does not work: ")
      assert.include(reason, "saying: ModuleNotFoundError: No module named 'debugpy'; install debugpy for it")
    })
  )

  it.live("what many lack is said once, and a folder that is a link to another is not looked into again", () =>
    Effect.gen(function* () {
      const base = yield* tree({ ...marker, "path/python3": withoutDebugpy, path2: "->BASE/path" })
      const { reason } = yield* look(base, "debugpy", ".")
      assert.match(reason ?? "", /^BASE\/path\/python3 is there but does not work/)
      assert.notInclude(reason, "path2")
      Fs.rmSync(Path.join(base, "path2"))
      Fs.mkdirSync(Path.join(base, "path2"))
      Fs.copyFileSync(Path.join(base, "path/python3"), Path.join(base, "path2/python3"))
      const both = (yield* look(base, "debugpy", ".")).reason ?? ""
      assert.match(both, /^each of BASE\/path\/python3, BASE\/path2\/python3 is there but does not work/)
      assert.strictEqual(both.split("does not work").length, 2)
    })
  )

  it.live("falls back, with a note, from a project's python that is a link to nothing, or not trusted", () =>
    Effect.gen(function* () {
      const base = yield* tree({
        ...marker,
        "project/.venv/bin/python3": "->/nowhere/python3",
        "path/python3": withDebugpy
      })
      const dangling = yield* look(base, "debugpy", ".")
      assert.isTrue(dangling.usable)
      assert.strictEqual(
        dangling.reason,
        "BASE/project/.venv/bin/python3, the project's own, is a link to nothing: the program runs on BASE/path/python3"
      )
      Fs.rmSync(Path.join(base, "project/.venv/bin/python3"))
      Fs.writeFileSync(Path.join(base, "project/.venv/bin/python3"), withDebugpy, { mode: 0o755 })
      const untrusted = yield* look(base, "debugpy", ".", { isTrusted: false })
      assert.deepInclude(untrusted, {
        usable: true,
        binary: "BASE/path/python3",
        reason:
          "BASE/project/.venv/bin/python3 is inside the project, which is not trusted: the program runs on BASE/path/python3"
      })
      assert.notProperty(untrusted, "debuggeePython")
    })
  )

  it.live("is not taken from a module of that name in the project, which is not even run", () =>
    Effect.gen(function* () {
      const base = yield* tree({ ...marker, "project/debugpy.py": "open('ran', 'w')\n" })
      yield* look(base, "debugpy", ".", { env: process.env })
      assert.isFalse(Fs.existsSync(Path.join(base, "project/ran")))
    })
  )
})
