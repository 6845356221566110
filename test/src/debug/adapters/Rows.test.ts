import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import type { LaunchInput } from "../../../../src/debug/adapters/Adapter.ts"
import * as Row from "../../../../src/debug/adapters/Row.ts"
import * as Rows from "../../../../src/debug/adapters/Rows.ts"

const decodeOverrides = Schema.decodeUnknownResult(Rows.Overrides, { errors: "all", onExcessProperty: "error" })
const configure = (overrides: unknown) =>
  Result.flatMap(
    Result.mapError(decodeOverrides(overrides), (error) => [error.message]),
    (decoded) => Rows.configure(Rows.shipped, decoded)
  )
const configured = (overrides: unknown) => Result.getOrThrow(configure(overrides))
const wrong = (overrides: unknown) => Result.getOrThrow(Result.flip(configure(overrides))).join("\n")
const shipped = (id: string) => Rows.shipped.find((row) => row.id === id)!
const input = (more: Partial<LaunchInput>): LaunchInput => ({
  args: [],
  cwd: "/w",
  env: {},
  temporary: "/tmp/t",
  ...more
})
const launch = (id: string, more: Partial<LaunchInput>) => Row.adapter(shipped(id)).launchArguments(input(more))

describe("the shipped adapters", () => {
  it("are valid, have ids of their own, and are those of SPEC 7.2", () => {
    for (const row of Rows.shipped) {
      assert.deepStrictEqual(Schema.decodeSync(Row.Row, { onExcessProperty: "error" })(row), row)
    }
    assert.deepStrictEqual(
      Rows.shipped.map(({ id }) => id),
      ["dart", "debugpy", "lldb", "delve", "js-debug", "codelldb", "gdb", "netcoredbg", "rdbg"]
    )
  })

  it("have the commands and markers of SPEC 7.2", () => {
    const of = (id: string) => {
      const { args = [], binaries, markers } = shipped(id)
      return { command: [binaries[0].name, ...args].join(" "), markers }
    }
    assert.strictEqual(of("dart").command, "dart debug_adapter")
    assert.deepStrictEqual(of("dart").markers, ["pubspec.yaml"])
    assert.strictEqual(of("debugpy").command, "python3 -m debugpy.adapter")
    assert.includeMembers([...of("debugpy").markers], ["pyproject.toml", "setup.py", "requirements.txt"])
    assert.strictEqual(of("lldb").command, "lldb-dap")
    assert.includeMembers([...of("lldb").markers], ["Cargo.toml", "CMakeLists.txt"])
    assert.match(of("delve").command, /^dlv dap /)
    assert.include(of("delve").markers, "go.mod")
    assert.match(of("gdb").command, /^gdb .*--interpreter=dap \$\{program\}$/)
  })
})

describe("what is asked to be launched", () => {
  it("debugpy: a program or a module, on the project's python where the adapter runs on another", () => {
    const common = {
      args: ["a b"],
      cwd: "/w",
      env: { A: "1" },
      console: "internalConsole",
      redirectOutput: true,
      justMyCode: true,
      subProcess: true,
      breakOnSystemExit: []
    }
    const given = { args: ["a b"], env: { A: "1" } }
    assert.deepStrictEqual(launch("debugpy", { program: "/w/main.py", ...given }), { program: "/w/main.py", ...common })
    assert.deepStrictEqual(launch("debugpy", { module: "pkg.main", python: "/w/.venv/bin/python3", ...given }), {
      module: "pkg.main",
      python: ["/w/.venv/bin/python3"],
      ...common
    })
  })

  it("delve: the package of a file, the file itself where it is built, and nothing left in the project", () => {
    const of = (more: Partial<LaunchInput>) => launch("delve", more)
    assert.deepInclude(of({ program: "/w/cmd/main.go" }), {
      program: "/w/cmd",
      mode: "debug",
      output: "/tmp/t/program"
    })
    assert.deepInclude(of({ program: "/w/cmd" }), { program: "/w/cmd", mode: "debug" })
    assert.deepInclude(of({ program: "/w/bin/x", mode: "exec" }), { program: "/w/bin/x", mode: "exec" })
    assert.deepInclude(of({ program: "/w/pkg/a_test.go", mode: "test" }), { program: "/w/pkg", mode: "test" })
  })

  it("lldb: the environment as a list, which all versions take", () => {
    assert.deepStrictEqual(launch("lldb", { program: "/w/x", env: { A: "1", B: "x=y" } }), {
      program: "/w/x",
      args: [],
      cwd: "/w",
      env: ["A=1", "B=x=y"],
      initCommands: ["settings set target.input-path /dev/null"]
    })
  })

  it("is the port for an attachment: a number, or inside of a text", () => {
    const attach = (id: string) => Row.adapter(shipped(id)).attach.arguments({ port: 5678, cwd: "/w" })
    assert.deepInclude(attach("lldb"), { "gdb-remote-port": 5678 })
    assert.deepInclude(attach("gdb"), { target: "127.0.0.1:5678" })
    assert.deepInclude(attach("dart"), { vmServiceUri: "http://127.0.0.1:5678/" })
    assert.isNotEmpty(Object.keys(attach("debugpy")))
  })

  it("rdbg: the program and its arguments on the command line, one each, as they are", () => {
    const { launchCommand, transport } = Row.adapter(shipped("rdbg"))
    const command = ["/bin/rdbg", ...(shipped("rdbg").args ?? [])]
    assert.deepStrictEqual(
      launchCommand?.(command, input({ program: "/w/a.rb", args: ["x y", "${args}", "$& ${program}"] })),
      [
        "/bin/rdbg",
        "--open",
        "--host",
        "127.0.0.1",
        "--port",
        "0",
        "--command",
        "--",
        "ruby",
        "/w/a.rb",
        "x y",
        "${args}",
        "$& ${program}"
      ]
    )
    const line = "DEBUGGER: Debugger can attach via TCP/IP (127.0.0.1:34159)"
    assert.deepInclude(transport, { tcp: "listen-line", on: "stderr" })
    assert.strictEqual(
      typeof transport === "object" && "line" in transport ? transport.line.exec(line)?.[1] : "",
      "34159"
    )
    assert.isUndefined(Row.adapter(shipped("delve")).launchCommand)
  })

  it("keeps what a value contains as it is", () => {
    const odd = "${args} $& ${program}"
    assert.deepInclude(launch("js-debug", { program: "/w/x", args: [odd], env: { A: odd } }), {
      args: [odd],
      env: { A: odd }
    })
  })
})

describe("placeholders", () => {
  const values = new Map<string, Schema.Json | undefined>([
    ["a", "x"],
    ["list", [1, 2]],
    ["none", undefined]
  ])
  const fill = (json: Schema.Json) => Row.fill(json, values)

  it("are what they stand for when alone, text inside of a text, and left out with their key when not given", () => {
    assert.deepStrictEqual(
      fill({
        whole: "${list}",
        inside: "-${a}-${list}",
        none: "${none}",
        or: "${none|b}",
        in: ["${none}"],
        other: "${z}"
      }),
      { whole: [1, 2], inside: "-x-[1,2]", or: "b", other: "${z}" }
    )
    assert.deepStrictEqual(fill([]), [])
    assert.deepStrictEqual(fill({ deep: { none: "${none}", a: [true, null, 1] } }), { deep: { a: [true, null, 1] } })
  })
})

describe("adapters by a setting", () => {
  it("are disabled, changed key by key, and added before the shipped ones", () => {
    const rows = configured({
      gdb: { disabled: true },
      debugpy: { launch: { justMyCode: false, subProcess: null } },
      lldb: { binary: "/opt/lldb-dap", args: ["--x"] },
      mine: { binary: "my-adapter", markers: ["x.json"], extensions: [".x"] }
    })
    assert.strictEqual(rows.length, Rows.shipped.length + 1)
    assert.deepStrictEqual(rows[0], {
      id: "mine",
      binaries: [{ name: "my-adapter" }],
      markers: ["x.json"],
      extensions: [".x"],
      launch: { program: "${program}", args: "${args}", cwd: "${cwd}", env: "${env}" },
      attach: { how: "connect", arguments: { cwd: "${cwd}" } }
    })
    const of = (id: string) => rows.find((row) => row.id === id)!
    assert.isTrue(of("gdb").disabled)
    assert.deepInclude(of("debugpy").launch, { justMyCode: false, program: "${program}" })
    assert.notProperty(of("debugpy").launch, "subProcess")
    assert.deepStrictEqual(of("lldb").binaries, [{ name: "/opt/lldb-dap" }])
    assert.deepStrictEqual(of("lldb").args, ["--x"])
    assert.deepStrictEqual(of("lldb").markers, shipped("lldb").markers)
  })

  it("say what is wrong with them", () => {
    assert.strictEqual(
      wrong({ debugpi: { args: [] } }),
      "The debug adapter `debugpi`: `binary` is missing; `markers` is missing; `extensions` is missing. Did you mean `debugpy`?"
    )
    assert.include(wrong({ gdb: { marker: ["x"] } }), "marker")
    assert.include(wrong({ gdb: { markers: [] } }), "markers")
    assert.include(wrong({ gdb: { transport: { tcp: "listen-line", line: "(" } } }), "`transport.line`")
    assert.include(wrong({ gdb: { quirks: { noise: "[" } } }), "`quirks.noise`")
  })

  it("do not touch a prototype", () => {
    const rows = configured(JSON.parse('{"gdb":{"launch":{"__proto__":{"a":1}}}}'))
    assert.strictEqual(rows.length, Rows.shipped.length)
    assert.isUndefined(Object.getOwnPropertyDescriptor(Object.prototype, "a"))
  })
})
