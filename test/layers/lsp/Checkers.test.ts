import { assert, describe, it } from "@effect/vitest"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { Effect, Layer } from "effect"
import * as Checkers from "../../../layers/lsp/Checkers.ts"
import * as NodeWorkspace from "../../../layers/workspace/NodeWorkspace.ts"
import * as NodeProcesses from "../../../layers/process/NodeProcesses.ts"
import type { Checker } from "../../../src/lsp/checkers/Checker.ts"
import * as Shipped from "../../../src/lsp/checkers/Checkers.ts"
import * as DiagnosticsOf from "../../../src/lsp/DiagnosticsOf.ts"
import { type FindBinary, LanguageServers } from "../../../src/lsp/LanguageServers.ts"
import * as Fake from "../../support/FakeLanguageServer.ts"

const node: FindBinary = () => Effect.succeed({ status: "found", command: process.execPath })

const fake = (id: string, program: string, more: Partial<Checker> = {}): Checker => ({
  id,
  binary: { name: "node" },
  args: ["-e", program],
  signs: [{ file: "sign" }],
  format: "mypy",
  finished: [0, 1],
  ...more
})

const found = 'console.log("a.py:3:1: error: wrong  [code]\\na.py:2: warning: odd\\na.py:1: note: so"); process.exit(1)'

const run = (
  checkers: ReadonlyArray<Checker>,
  options: {
    readonly files?: Record<string, string>
    readonly isTrusted?: boolean
    readonly bound?: number
    readonly timeout?: number
  } = {}
) =>
  Effect.gen(function* () {
    const root = Fs.realpathSync(Fs.mkdtempSync(Path.join(Os.tmpdir(), "livetools-checkers-")))
    yield* Effect.addFinalizer(() => Effect.sync(() => Fs.rmSync(root, { recursive: true, force: true })))
    for (const [name, text] of Object.entries({ sign: "", ...options.files })) {
      Fs.mkdirSync(Path.dirname(Path.join(root, name)), { recursive: true })
      Fs.writeFileSync(Path.join(root, name), text)
    }
    const check = yield* Checkers.make({
      root,
      isTrusted: options.isTrusted ?? true,
      findBinary: node,
      checkers,
      ...(options.bound === undefined ? {} : { bound: options.bound })
    }).pipe(Effect.provide(Layer.orDie(NodeWorkspace.layer({ root }))))
    const checked = yield* check(options.timeout === undefined ? {} : { timeout: options.timeout })
    return {
      checkers: checked.checkers.map(({ configurations, ...part }) => ({
        ...part,
        configurations: configurations.map((path) => Path.relative(root, path))
      })),
      fixtures: checked.fixtures.map((path) => Path.relative(root, path)),
      diagnostics: checked.diagnostics.map(
        ({ code, line, message, path, severity, source }) =>
          `${Path.relative(root, path)}:${line} ${severity} ${message} ${code ?? ""} ${source ?? ""}`
      ),
      left: Fs.readdirSync(root)
    }
  }).pipe(Effect.provide(Layer.fresh(NodeProcesses.layer())))

describe("checkers", () => {
  it.live("found, clean; nothing is written where it runs", () =>
    Effect.gen(function* () {
      const result = yield* run([
        fake("one", found),
        fake("two", 'require("fs").writeFileSync("${out}/state", "x")'),
        fake("three", "process.exit(1)", { signs: [{ file: "none" }] })
      ])
      assert.deepStrictEqual(result, {
        checkers: [
          { id: "one", outcome: "found", configurations: ["sign"] },
          { id: "two", outcome: "empty", configurations: ["sign"] }
        ],
        fixtures: [],
        diagnostics: ["a.py:3 1 wrong code one", "a.py:2 2 odd  one", "a.py:1 3 so  one"],
        left: ["sign"]
      })
    })
  )

  it.live("one that crashed is not clean, and what it had found is told", () =>
    Effect.gen(function* () {
      const { checkers, diagnostics } = yield* run([
        fake("mute", 'console.error("no configuration"); process.exit(1)'),
        fake("crash", 'console.error("internal error"); process.exit(3)'),
        fake("killed", 'process.kill(process.pid, "SIGKILL")'),
        fake("half", `${found.replace("process.exit(1)", "process.exit(2)")}`)
      ])
      assert.deepStrictEqual(
        checkers.map(({ id, outcome }) => [id, outcome]),
        [
          ["mute", "unknown"],
          ["crash", "unknown"],
          ["killed", "unknown"],
          ["half", "found"]
        ]
      )
      assert.include(checkers[0]!.reason, "no configuration")
      assert.include(checkers[1]!.reason, "exited with code 3")
      assert.include(checkers[3]!.reason, "exited with code 2")
      assert.strictEqual(diagnostics.length, 3)
    })
  )

  it.live("one that would write is not run, nor one that runs programs of a project that is not trusted", () =>
    Effect.gen(function* () {
      const { checkers } = yield* run(
        [fake("writes", "", { wouldWrite: ["x.lock"] }), fake("runs", "", { runsProject: true })],
        { isTrusted: false }
      )
      assert.deepStrictEqual(
        checkers.map(({ outcome }) => outcome),
        ["not_covered", "not_covered"]
      )
      assert.include(checkers[0]!.reason, "x.lock")
      assert.include(checkers[1]!.reason, "not trusted")
    })
  )

  it.live("the bound is that of all together, and what hangs is ended", () =>
    Effect.gen(function* () {
      const before = performance.now()
      const { checkers } = yield* run(
        ["a", "b", "c"].map((id) => fake(id, "setInterval(() => {}, 1000)")),
        { bound: 700 }
      )
      assert.isBelow(performance.now() - before, 3000)
      assert.deepStrictEqual(
        checkers.map(({ outcome }) => outcome),
        ["unknown", "unknown", "unknown"]
      )
    })
  )

  it.live("SPEC 3.3 the time that a call gives is the bound, where it is less", () =>
    Effect.gen(function* () {
      const { checkers } = yield* run([fake("a", "setInterval(() => {}, 1000)")], { bound: 60_000, timeout: 600 })
      assert.deepStrictEqual(checkers, [
        {
          id: "a",
          outcome: "unknown",
          reason: "it has not ended in 0.6 s, the time of all checkers together",
          configurations: ["sign"]
        }
      ])
      const less = yield* run([fake("a", "setInterval(() => {}, 1000)")], { bound: 500, timeout: 60_000 })
      assert.include(less.checkers[0]!.reason, "in 0.5 s")
    })
  )

  it.live("SPEC 3.3 `diagnostics` of the project hands on the time that the call gives", () =>
    Effect.gen(function* () {
      const fake = yield* Fake.run(() => {}, { files: { "a.t": "" } })
      const given: Array<unknown> = []
      const check: LanguageServers["Service"]["check"] = (options) =>
        Effect.sync(() => {
          given.push(options?.timeout)
          return { diagnostics: [], checkers: [{ id: "one", outcome: "empty", configurations: [] }], fixtures: [] }
        })
      const ask = (timeout?: number) =>
        DiagnosticsOf.ask("*", { timeout }).pipe(
          Effect.provideService(LanguageServers, { ...fake.servers, check }),
          Effect.provide(Layer.orDie(NodeWorkspace.layer({ root: fake.root })))
        )
      yield* ask(3000)
      yield* ask()
      assert.deepStrictEqual(given, [3000, undefined])
    })
  )

  for (const [what, id, files, args] of [
    [
      "go with vendored modules",
      "go build",
      { "go.mod": "", "vendor/modules.txt": "" },
      "build -gcflags=-e -o /dev/null ./..."
    ],
    ["go without", "go build", { "go.mod": "" }, "build -mod=readonly -gcflags=-e -o /dev/null ./..."],
    ["vet with vendored modules", "go vet", { "go.mod": "", "vendor/modules.txt": "" }, "vet ./..."],
    ["mypy of a project that says what is checked", "mypy", { "mypy.ini": "[mypy]\nstrict = True\nfiles = src\n" }, ""],
    ["the same in pyproject.toml", "mypy", { "pyproject.toml": '[tool.mypy]\nstrict = true\npackages = ["a"]\n' }, ""],
    ["mypy of another", "mypy", { "mypy.ini": "[mypy]\nstrict = True\n[mypy-a]\nfiles = src\n" }, "."],
    ["the same of another tool", "mypy", { "pyproject.toml": "[tool.mypy]\n[tool.a]\nfiles = []\n" }, "."]
  ] as const) {
    it.live(`how a shipped one is run: ${what}`, () =>
      Effect.gen(function* () {
        const shipped = Shipped.shipped.find((one) => one.id === id)!
        // Stands for the program: tells of what it was given.
        const echo = (given: ReadonlyArray<string>) => [
          "-e",
          'console.log(`a.py:1:1: error: ${process.argv.slice(1).join(" ")}  [x]`); process.exit(1)',
          "--",
          ...given
        ]
        const { args: own, argsWhere = [], ...rest } = shipped
        const spied: Checker = {
          ...rest,
          format: "mypy",
          args: echo(own),
          argsWhere: argsWhere.map((one) => ({ ...one, args: echo(one.args) }))
        }
        const { diagnostics } = yield* run([spied], { files })
        const said = diagnostics[0]!.replace(/^a\.py:1 1 /, "").replace(/ x \S+( \S+)?$/, "")
        assert.strictEqual(id === "mypy" ? said.split("--show-column-numbers")[1]!.trim() : said, args)
      })
    )
  }

  it.live(
    "SPEC 3.10 configurations below the working directory: which are checked, part of others, left out, of fixtures",
    () =>
      Effect.gen(function* () {
        const each = fake("each", "")
        const deep = fake("deep", "", { isDeep: true, signs: [{ file: "top" }] })
        const many = Object.fromEntries(
          Array.from({ length: 20 }, (_, i) => [`m${String(i).padStart(2, "0")}/sign`, ""])
        )
        const { checkers, fixtures } = yield* run([each, deep], {
          files: {
            ".gitignore": "out\n",
            "a/sign": "",
            "out/sign": "",
            "node_modules/x/sign": "",
            "test/fixtures/b/sign": "",
            "c/top": "",
            "c/d/top": "",
            ...many
          }
        })
        const said = (id: string) => checkers.filter((one) => one.id === id)
        assert.strictEqual(said("each").length, 17)
        assert.deepStrictEqual(
          said("each")
            .slice(0, 3)
            .map(({ configurations, outcome }) => [outcome, configurations]),
          [
            ["empty", ["sign"]],
            ["empty", ["a/sign"]],
            ["empty", ["m00/sign"]]
          ]
        )
        assert.deepStrictEqual(said("each").at(-1), {
          id: "each",
          outcome: "not_covered",
          reason: "left out: at most 16 are checked in a call; give lsp the files to be checked",
          configurations: ["m14", "m15", "m16", "m17", "m18", "m19"].map((folder) => `${folder}/sign`)
        })
        assert.deepStrictEqual(said("deep"), [{ id: "deep", outcome: "empty", configurations: ["c/top"] }])
        assert.deepStrictEqual(fixtures, ["test/fixtures/b/sign"])
      })
  )

  it.live("of a role the one that the configuration names; else the usual one", () =>
    Effect.gen(function* () {
      const two = [
        fake("named", "", { role: "r", signs: [{ file: "conf", having: "^\\[named" }] }),
        fake("usual", "", { role: "r", signs: [{ file: "none" }], usual: [{ file: "sign" }] })
      ]
      const ids = (files: Record<string, string>) =>
        Effect.map(run(two, { files }), ({ checkers }) => checkers.map(({ id }) => id))
      assert.deepStrictEqual(yield* ids({ conf: "x\n[named.part]\n" }), ["named"])
      assert.deepStrictEqual(yield* ids({ conf: "# [named]\n" }), ["usual"])
    })
  )
})
