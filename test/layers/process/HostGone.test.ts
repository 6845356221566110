import { type ChildProcess, spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { buildSync } from "esbuild"
import { Effect, Option } from "effect"
import * as Fifos from "../../support/fifos.ts"
import * as Leftovers from "../../support/Leftovers.ts"
import * as Trees from "../../support/trees.ts"

const directory = fs.mkdtempSync(path.join(os.tmpdir(), "host-gone-"))
const bundle = path.join(directory, "host.mjs")

/** Those that a failed test did not get to kill. */
const hosts = new Set<ChildProcess>()

beforeAll(() => {
  buildSync({
    entryPoints: [path.join(import.meta.dirname, "../../support/processHost.ts")],
    outfile: bundle,
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "error"
  })
  return () => {
    for (const host of hosts) host.kill("SIGKILL")
    fs.rmSync(directory, { recursive: true, force: true })
  }
})

interface Host {
  readonly runId: string
  readonly host: ChildProcess
  /** Its output; `ready` waits for that line. */
  readonly pids: () => ReadonlyArray<number>
  readonly ready: Promise<void>
  readonly exit: Promise<unknown>
}

/** Starts a host in a process group of its own. */
const startHost = (mode: string, script: string, stdio = "socket"): Host => {
  const runId = randomUUID()
  const host = spawn(process.execPath, [bundle, runId, mode, script, stdio], {
    cwd: directory,
    detached: true,
    stdio: ["ignore", "pipe", "inherit"]
  })
  hosts.add(host)
  host.once("exit", () => hosts.delete(host))
  let text = ""
  const ready = new Promise<void>((resolve) => {
    host.stdout.on("data", (chunk) => {
      text += String(chunk)
      if (text.includes("ready\n")) resolve()
    })
  })
  const pids = () => [...text.matchAll(/^\d+$/gm)].map(Number)
  return { runId, host, pids, ready, exit: once(host, "exit") }
}

const startedHost = (mode: string, script: string, stdio?: string) => {
  const host = startHost(mode, script, stdio)
  return Effect.as(
    Effect.promise(() => host.ready),
    host
  )
}

describe("when the host is killed", () => {
  for (const [name, script] of Object.entries(Trees.scripts)) {
    it.live(`nothing is left of ${name}`, () =>
      Effect.gen(function* () {
        const { runId, host, pids, exit } = yield* startedHost("wait", script)
        assert.isAbove(pids().length, 0)
        assert.deepStrictEqual(
          pids().filter((pid) => !Leftovers.isRunning(pid)),
          []
        )
        assert.lengthOf(Leftovers.guardians(runId), 1)
        host.kill("SIGKILL")
        yield* Effect.promise(() => exit)
        yield* Leftovers.expectNone(runId, { pids: pids() })
      })
    )
  }

  it.live("nothing is left of an orphan that only a FIFO leads to, nor of the FIFO", () =>
    Effect.gen(function* () {
      const before = Fifos.folders()
      const { runId, host, pids, exit } = yield* startedHost("wait", Trees.scripts[Trees.keptPipe]!, "fifo")
      assert.deepStrictEqual(
        pids().filter((pid) => !Leftovers.isRunning(pid)),
        []
      )
      host.kill("SIGKILL")
      yield* Effect.promise(() => exit)
      yield* Leftovers.expectNone(runId, { pids: pids() })
      assert.deepStrictEqual(Fifos.left(before), [])
    })
  )

  it.live("nothing is left of a tree that does not stop growing", () =>
    Effect.gen(function* () {
      for (let i = 0; i < 3; i++) {
        const tag = 100_000 + Math.floor(Math.random() * 1e9)
        const { runId, host, exit } = yield* startedHost("wait", Trees.growing(tag))
        host.kill("SIGKILL")
        yield* Effect.promise(() => exit)
        yield* Leftovers.expectNone(runId)
        const left = Leftovers.withArguments(String(tag))
        for (const pid of left) process.kill(pid, "SIGKILL")
        assert.deepStrictEqual(left, [])
      }
    })
  )

  it.live("with its whole process group, nothing is left", () =>
    Effect.gen(function* () {
      const { runId, host, pids, exit } = yield* startedHost("wait", Trees.scripts["another session"]!)
      process.kill(-host.pid!, "SIGKILL")
      yield* Effect.promise(() => exit)
      yield* Leftovers.expectNone(runId, { pids: pids() })
    })
  )

  it.live("after its guardian has seen the signals that end others, nothing is left", () =>
    Effect.gen(function* () {
      const { runId, host, pids, exit } = yield* startedHost("wait", Trees.scripts["another session"]!)
      const [guardian] = Leftovers.guardians(runId)
      for (const signal of ["SIGINT", "SIGHUP", "SIGTERM", "SIGQUIT"] as const) process.kill(guardian!, signal)
      yield* Effect.sleep(50)
      assert.deepStrictEqual(Leftovers.guardians(runId), [guardian!])
      host.kill("SIGTERM")
      yield* Effect.promise(() => exit)
      yield* Leftovers.expectNone(runId, { pids: pids() })
    })
  )

  it.live("after its guardian was killed and replaced, nothing is left", () =>
    Effect.gen(function* () {
      const { runId, host, pids, exit } = yield* startedHost(
        "wait",
        Trees.scripts["a child with a cleaned environment"]!
      )
      const [first] = Leftovers.guardians(runId)
      process.kill(first!, "SIGKILL")
      const replaced = () => Leftovers.guardians(runId).some((pid) => pid !== first)
      for (let i = 0; !replaced() && i < 500; i++) yield* Effect.sleep(10)
      assert.isTrue(replaced())
      host.kill("SIGKILL")
      yield* Effect.promise(() => exit)
      yield* Leftovers.expectNone(runId, { pids: pids() })
    })
  )

  it.live("while its guardian starts, nothing is left", () =>
    Effect.gen(function* () {
      for (let i = 0; i < 3; i++) {
        const { runId, exit, pids } = startHost("kill", "sleep 60 & setsid sleep 60 & wait")
        assert.deepStrictEqual(yield* Effect.promise(() => exit), [null, "SIGKILL"])
        yield* Leftovers.expectNone(runId, { pids: pids() })
        yield* Effect.sleep(100)
        yield* Leftovers.expectNone(runId, { within: 0 })
      }
    })
  )

  it.live("at any moment, nothing is left", () =>
    Effect.gen(function* () {
      for (let i = 0; i < 12; i++) {
        const { runId, exit, host, pids } = startHost("wait", "sleep 60 & echo $!; setsid sleep 60 & echo $!; wait")
        // Node needs some 40 ms before the host's own code runs, and 100 ms later all is up.
        yield* Effect.sleep(30 + i * 10)
        host.kill("SIGKILL")
        yield* Effect.promise(() => exit)
        yield* Leftovers.expectNone(runId, { pids: pids() })
      }
    })
  )

  for (const [state, last] of [
    ["runs on", "sleep 60"],
    ["is just ending by itself", ":"]
  ]) {
    it.live(`and has itself started a host that ${state}, nothing is left of either`, () =>
      Effect.gen(function* () {
        for (let i = 0; i < 3; i++) {
          const inner = randomUUID()
          const script = `setsid sh -c "sleep 60 >/dev/null 2>&1 & echo \\$!"; echo ready; ${last}`
          const nested = `exec '${process.execPath}' '${bundle}' ${inner} wait '${script}'`
          const { runId, host, pids, exit } = yield* startedHost("wait", nested)
          assert.lengthOf(pids(), 1)
          host.kill("SIGKILL")
          yield* Effect.promise(() => exit)
          yield* Leftovers.expectNone(runId, { pids: pids() })
          yield* Leftovers.expectNone(inner)
        }
      })
    )
  }

  it.live("the run of another host is not touched", () =>
    Effect.gen(function* () {
      const victim = yield* startedHost("wait", Trees.scripts["another session"]!)
      const other = yield* startedHost("wait", Trees.scripts["another session"]!)
      victim.host.kill("SIGKILL")
      yield* Effect.promise(() => victim.exit)
      yield* Leftovers.expectNone(victim.runId, { pids: victim.pids() })
      yield* Effect.sleep(200)
      assert.deepStrictEqual(other.pids().filter(Leftovers.isRunning), other.pids())
      assert.lengthOf(Leftovers.guardians(other.runId), 1)
      other.host.kill("SIGKILL")
      yield* Effect.promise(() => other.exit)
      yield* Leftovers.expectNone(other.runId, { pids: other.pids() })
    })
  )
})

describe("when the host ends", () => {
  it.live("without closing anything, nothing is left", () =>
    Effect.gen(function* () {
      const { runId, pids, exit } = yield* startedHost("exit", `setsid sleep 60 & echo "$!\nready"; wait`)
      assert.deepStrictEqual(yield* Effect.promise(() => exit), [0, null])
      yield* Leftovers.expectNone(runId, { pids: pids() })
    })
  )

  it.live("its guardian does not hold it up, nor outlives it", () =>
    Effect.gen(function* () {
      for (const mode of ["leave", "close"]) {
        const { runId, host, exit } = startHost(mode, "echo ready")
        const result = yield* Effect.timeoutOption(
          Effect.promise(() => exit),
          5000
        )
        host.kill("SIGKILL")
        assert.deepStrictEqual(result, Option.some([0, null]))
        yield* Leftovers.expectNone(runId)
      }
    })
  )
})
