/** A built program in a folder of its own, and the tool `debug` on it with a real adapter. */
import { execFileSync } from "node:child_process"
import { randomUUID } from "node:crypto"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import { assert } from "@effect/vitest"
import { Effect, Layer, Result, type Scope } from "effect"
import * as Find from "../../../layers/debug/adapters/Find.ts"
import * as NodeDebuggers from "../../../layers/debug/NodeDebuggers.ts"
import * as NodeProcesses from "../../../layers/process/NodeProcesses.ts"
import * as NodeWorkspace from "../../../layers/workspace/NodeWorkspace.ts"
import * as Conversation from "../../../src/Conversation.ts"
import * as Rows from "../../../src/debug/adapters/Rows.ts"
import { debug } from "../../../src/debug/Debug.ts"
import type * as Policy from "../../../src/debug/Policy.ts"
import type * as Values from "../../../src/debug/Values.ts"
import type * as LiveTool from "../../../src/LiveTool.ts"
import * as Surface from "../../../src/Surface.ts"
import type { Code } from "../../../src/ToolError.ts"
import * as Leftovers from "../../support/Leftovers.ts"

/** Where `.ci/debug-adapters` puts them. */
export const adapters = Path.join(
  process.env["XDG_CACHE_HOME"] ?? Path.join(Os.homedir(), ".cache"),
  "livetools-ci/debug-adapters"
)

/** The `PATH` that adapters are looked for in. */
export const searchPath = [
  Path.join(adapters, "bin"),
  Path.join(adapters, "debugpy/bin"),
  process.env["PATH"] ?? ""
].join(Path.delimiter)

/** Whether a program is where the suite looks for it. */
export const isInstalled = (program: string): boolean =>
  searchPath.split(Path.delimiter).some((folder) => Fs.existsSync(Path.join(folder, program)))

/** In CI an adapter that is not there is a failure, elsewhere its tests are left out. */
export const isRequired = process.env["LIVETOOLS_REQUIRE_REAL"] === "1"

const programs = fileURLToPath(new URL("programs", import.meta.url))

/** What is debugged. */
export interface Program {
  /** A folder of `programs`. */
  readonly folder: string
  /** Its source with the marks (`@name` in a comment), relative. */
  readonly source: string
  /** What `launch` takes, relative. */
  readonly target: string
  /** Builds it, in its folder. */
  readonly build?: ReadonlyArray<string>
  /** Written beside it: the root marker, where the folder has none. */
  readonly files?: Readonly<Record<string, string>>
}

export const python: Program = {
  folder: "python",
  source: "main.py",
  target: "main.py",
  files: { "pyproject.toml": "" }
}
export const go: Program = { folder: "go", source: "main.go", target: "." }
export const cpp: Program = {
  folder: "cpp",
  source: "main.cpp",
  target: "program",
  build: ["g++", "-g", "-O0", "-std=c++17", "-pthread", "-o", "program", "main.cpp"],
  files: { "CMakeLists.txt": "project(program)\n" }
}

/** A copy of the program, built. */
export const copy = (program: Program): Effect.Effect<string, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const root = Fs.realpathSync(Fs.mkdtempSync(Path.join(Os.tmpdir(), "real-debug-")))
      Fs.cpSync(Path.join(programs, program.folder), root, { recursive: true })
      for (const [name, text] of Object.entries(program.files ?? {})) Fs.writeFileSync(Path.join(root, name), text)
      const [command, ...args] = program.build ?? []
      if (command !== undefined) execFileSync(command, args, { cwd: root, stdio: ["ignore", "inherit", "inherit"] })
      return root
    }),
    (root) => Effect.sync(() => Fs.rmSync(root, { recursive: true, force: true }))
  )

export type Params = LiveTool.ParamsOf<typeof debug>

export interface Checkout {
  readonly root: string
  readonly runId: string
  /** The value of a call that must succeed. */
  readonly ok: (params: Params) => Effect.Effect<Values.Value>
  /** The text of one that must fail with this code. */
  readonly fails: (code: Code, params: Params) => Effect.Effect<string>
  /** The line with this mark. */
  readonly line: (mark: string) => number
  readonly source: string
  readonly target: string
  /** Ends the session that is there, and looks that nothing is left of it. */
  readonly clear: Effect.Effect<void>
}

export interface Options {
  readonly root: string
  readonly program: Program
  readonly overrides?: Rows.Overrides
  readonly policy?: Partial<Policy.Policy>
  readonly env?: Readonly<Record<string, string>>
  readonly isTrusted?: boolean
}

/** The tool on a folder. With the scope everything ends; that nothing is left is looked at. */
export const open = Effect.fnUntraced(function* (options: Options): Effect.fn.Return<Checkout, never, Scope.Scope> {
  const { program, root } = options
  const runId = randomUUID()
  // Before what the run acquires: this is looked at last.
  yield* Effect.addFinalizer(() => Effect.orDie(Leftovers.expectNone(runId, { within: "10 seconds" })))
  const rows = Result.getOrThrow(Rows.configure(Rows.shipped, options.overrides ?? {}))
  const debuggers = Layer.unwrap(
    Effect.map(
      Find.make({ root, isTrusted: options.isTrusted ?? true, rows, env: { PATH: searchPath, ...options.env } }),
      (find) => NodeDebuggers.layer({ find, policy: options.policy })
    )
  ).pipe(
    Layer.provideMerge(
      Layer.mergeAll(NodeWorkspace.layer({ root }), NodeProcesses.layer({ runId }), Conversation.layer("real"))
    ),
    Layer.orDie
  )
  const context = yield* Layer.build(debuggers)
  const surface = yield* Effect.provideContext(Effect.orDie(Surface.make([debug])), context)
  const ok = Effect.fnUntraced(function* (params: Params) {
    const answer = yield* surface.call("debug", params)
    if (answer.isFailure) return assert.fail(`${JSON.stringify(params)}: ${answer.code}: ${answer.text}`)
    return answer.value
  })
  const fails = Effect.fnUntraced(function* (code: Code, params: Params) {
    const answer = yield* surface.call("debug", params)
    assert.strictEqual(answer.isFailure ? answer.code : `success: ${answer.text}`, code, answer.text)
    return answer.text
  })
  const text = Fs.readFileSync(Path.join(root, program.source), "utf8").split("\n")
  return {
    root,
    runId,
    ok,
    fails,
    source: program.source,
    target: program.target,
    line: (mark) => {
      const at = text.findIndex((line) => new RegExp(`@${mark}\\b`).test(line))
      assert.isAtLeast(at, 0, `no mark @${mark}`)
      return at + 1
    },
    clear: Effect.gen(function* () {
      const status = yield* ok({ op: "status" })
      if (status.state !== "none" && status.state !== "ended") yield* ok({ op: "terminate" })
      for (const { path } of (yield* ok({ op: "breakpoints", exceptions: "uncaught" })).breakpoints ?? []) {
        yield* ok({ op: "breakpoints", file: path, lines: [] })
      }
      yield* ok({ op: "breakpoints", functions: [] })
      // The guardian of the run stays.
      const left = Leftovers.marked(runId)
      assert.deepStrictEqual(left.length, 0, `left of the session: ${left.join(", ")}`)
    })
  }
})

/** A program in a copy of its own. */
export const openCopy = (program: Program, more: Partial<Options> = {}) =>
  Effect.flatMap(copy(program), (root) => open({ root, program, ...more }))

/** Waits until something is so, in real time. */
export const until = (what: string, isSo: () => boolean, seconds = 20) =>
  Effect.gen(function* () {
    const end = Date.now() + seconds * 1000
    while (!isSo()) {
      if (Date.now() > end) return assert.fail(`it is not so after ${seconds} s: ${what}`)
      yield* Effect.sleep("20 millis")
    }
  })

/** What a program has written so far, of one category or all. */
export const output = Effect.fnUntraced(function* (checkout: Checkout) {
  let text = ""
  let dropped = 0
  for (;;) {
    const { output = [], output_dropped = 0, output_left = 0 } = yield* checkout.ok({ op: "output" })
    text += output
      .filter(({ category }) => category === "stdout" || category === "stderr")
      .map((one) => one.text)
      .join("")
    dropped += output_dropped
    if (output_left === 0) return { text: text.replaceAll("\r\n", "\n"), dropped }
  }
})
