/** Attaching to a program that runs already, leaving it, and that it lives and runs on (checklist 67, 74). */
import { spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import * as Fs from "node:fs"
import * as Net from "node:net"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type * as Rows from "../../../src/debug/adapters/Rows.ts"
import * as Leftovers from "../../support/Leftovers.ts"
import { record } from "../support/table.ts"
import * as Checkout from "./Checkout.ts"

interface Target {
  readonly name: string
  readonly adapter: string
  readonly programs: ReadonlyArray<string>
  readonly program: Checkout.Program
  readonly overrides?: Rows.Overrides
  readonly command: (port: number, heartbeat: string) => ReadonlyArray<string>
  /** Whether it waits for a debugger before its first instruction. */
  readonly isHalted: boolean
}

const targets: ReadonlyArray<Target> = [
  {
    name: "debugpy",
    adapter: "debugpy",
    programs: ["debugpy-adapter"],
    program: Checkout.python,
    command: (port, heartbeat) => [
      Path.join(Checkout.adapters, "debugpy/bin/python3"),
      "-m",
      "debugpy",
      "--listen",
      `127.0.0.1:${port}`,
      "main.py",
      "spin",
      heartbeat
    ],
    isHalted: false
  },
  {
    name: "delve",
    adapter: "delve",
    programs: ["dlv", "go"],
    program: {
      folder: "go",
      source: "main.go",
      target: ".",
      build: ["go", "build", "-gcflags=all=-N -l", "-o", "program", "."]
    },
    command: (port, heartbeat) => [
      Path.join(Checkout.adapters, "bin/dlv"),
      "exec",
      "--headless",
      "--accept-multiclient",
      "--continue",
      "--listen",
      `127.0.0.1:${port}`,
      "./program",
      "--",
      "spin",
      heartbeat
    ],
    isHalted: false
  },
  ...[22, 19].map((version): Target => ({
    name: `lldb ${version} (C++)`,
    adapter: "lldb",
    programs: [`lldb-dap-${version}`, "g++"],
    program: Checkout.cpp,
    overrides: { lldb: { binary: `lldb-dap-${version}` } },
    command: (port, heartbeat) => [
      Path.join(Checkout.adapters, `bin/lldb-server-${version}`),
      "gdbserver",
      `127.0.0.1:${port}`,
      "--",
      "./program",
      "spin",
      heartbeat
    ],
    isHalted: true
  })),
  {
    name: "gdb (C++)",
    adapter: "gdb",
    programs: ["gdb", "g++"],
    program: Checkout.cpp,
    command: (port, heartbeat) => [
      Path.join(Checkout.adapters, "gdb/bin/gdbserver"),
      "--once",
      `127.0.0.1:${port}`,
      "./program",
      "spin",
      heartbeat
    ],
    isHalted: true
  }
]

const freePort = Effect.callback<number>((resume) => {
  const server = Net.createServer().listen(0, "127.0.0.1", () => {
    const address = server.address()
    server.close(() => resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0)))
  })
})

const kill = (pid: number): void => {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // It has ended meanwhile.
  }
}

/** Runs until the scope closes, with all that it starts, also what has left it. */
const start = (command: ReadonlyArray<string>, cwd: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const [file = "", ...args] = command
      const mark = randomUUID()
      const env = { ...process.env, LIVETOOLS_RUN: mark }
      const child = spawn(file, args, { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] })
      const said: Array<string> = []
      child.stdout.on("data", (chunk) => said.push(String(chunk)))
      child.stderr.on("data", (chunk) => said.push(String(chunk)))
      return { mark, said: () => said.join("") }
    }),
    ({ mark }) =>
      Effect.gen(function* () {
        for (const pid of Leftovers.marked(mark)) kill(pid)
        yield* Effect.orDie(Leftovers.expectNone(mark, { within: "5 seconds" }))
      })
  )

/** Looks in the table of the kernel: a connection would be taken for the debugger's. */
const isListening = (port: number): boolean =>
  new RegExp(`:${port.toString(16).toUpperCase().padStart(4, "0")} 00000000:0000 0A`).test(
    Fs.readFileSync("/proc/net/tcp", "utf8")
  )

const open = Effect.fnUntraced(function* (target: Target, policy: Checkout.Options["policy"]) {
  const { overrides, program } = target
  const root = yield* Checkout.copy(program)
  const heartbeat = Path.join(root, "heartbeat")
  const port = yield* freePort
  const running = yield* start(target.command(port, heartbeat), root)
  const ticks = () => (Fs.existsSync(heartbeat) ? Number(Fs.readFileSync(heartbeat, "utf8")) : 0)
  if (target.isHalted) yield* Checkout.until("it listens", () => isListening(port))
  else yield* Checkout.until(`it runs: ${running.said()}`, () => ticks() > 3, 40)
  const checkout = yield* Checkout.open({
    root,
    program,
    ...(overrides === undefined ? {} : { overrides }),
    ...(policy === undefined ? {} : { policy })
  })
  const goesOn = Effect.gen(function* () {
    const before = ticks()
    yield* Checkout.until(`it lives and runs: ${running.said()}`, () => ticks() > before + 5, 20)
  })
  return { checkout, goesOn, port, root }
})

for (const target of targets) {
  const missing = target.programs.filter((program) => !Checkout.isInstalled(program))
  const why = `${missing.join(", ")} is not installed: run .ci/debug-adapters`
  if (missing.length > 0) {
    if (Checkout.isRequired) it(`${target.name} is there`, () => assert.fail(why))
    else describe.skip(`${target.name} (skipped: ${why})`, () => it("attaches", () => {}))
    continue
  }
  describe(`${target.name}: attached`, () => {
    it.live(
      "stops it, looks at it, steps, and leaves it alive and running (67 74)",
      () =>
        Effect.gen(function* () {
          const { checkout, goesOn, port } = yield* open(target, {})
          const { line, ok, source } = checkout
          const first = yield* ok({ op: "attach", port, adapter: target.adapter })
          assert.include(["running", "stopped"], first.state, JSON.stringify(first))
          if (first.state === "running") {
            const paused = yield* ok({ op: "pause" })
            assert.strictEqual(paused.state, "stopped", JSON.stringify(paused))
          }
          yield* ok({ op: "breakpoints", file: source, lines: [line("tick")] })
          const hit = yield* ok({ op: "continue" })
          assert.strictEqual(hit.stop?.line, line("tick"), JSON.stringify({ first, hit }))
          const { result } = yield* ok({ op: "evaluate", expression: "ticks" })
          assert.isTrue(Number.isInteger(Number(result)), result)
          const step = yield* ok({ op: "step_over" })
          assert.isAbove(step.stop?.line ?? 0, line("tick"))
          const after = yield* ok({ op: "evaluate", expression: "ticks" })
          assert.strictEqual(Number(after.result), Number(result) + 1)
          const end = yield* ok({ op: "terminate" })
          assert.strictEqual(end.state, "ended")
          assert.match(end.ended_because ?? "", /detached/)
          // Our breakpoint is gone with us.
          yield* goesOn
          yield* checkout.clear
          for (const op of ["attach", "detach"]) record(op, target.name, "yes", "Operation × adapter")
        }),
      180_000
    )

    it.live(
      "lives and runs on when the time is over, or the run ends (73 74)",
      () =>
        Effect.gen(function* () {
          const { checkout, goesOn, port } = yield* open(target, { ttl: "6 seconds" })
          const first = yield* checkout.ok({ op: "attach", port, adapter: target.adapter })
          if (first.state === "stopped") yield* checkout.ok({ op: "continue", wait_seconds: 0 })
          let status = yield* checkout.ok({ op: "status" })
          for (let i = 0; status.state !== "ended" && i < 300; i++) {
            yield* Effect.sleep("100 millis")
            status = yield* checkout.ok({ op: "status" })
          }
          assert.match(status.ended_because ?? "", /session ended: .* min limit/)
          yield* Checkout.until("nothing of ours lives", () => Leftovers.marked(checkout.runId).length === 0)
          yield* goesOn
        }),
      180_000
    )
  })
}
