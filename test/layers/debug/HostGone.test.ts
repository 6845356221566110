import { spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { buildSync } from "esbuild"
import { Effect } from "effect"
import * as Fake from "../../support/FakeDebugAdapter.ts"
import * as Leftovers from "../../support/Leftovers.ts"

const folder = Fs.realpathSync(Fs.mkdtempSync(Path.join(Os.tmpdir(), "livetools-debug-host-")))
const bundle = Path.join(folder, "host.mjs")

beforeAll(() => {
  buildSync({
    entryPoints: [fileURLToPath(new URL("../../support/debugHost.ts", import.meta.url))],
    outfile: bundle,
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "error",
    banner: { js: "import{createRequire as makeRequire}from'node:module';const require=makeRequire(import.meta.url);" }
  })
  return () => Fs.rmSync(folder, { recursive: true, force: true })
})

const start = (name: string, behaviour: Fake.Behaviour) => {
  const root = Path.join(folder, name)
  Fs.mkdirSync(root, { recursive: true })
  Fs.writeFileSync(Path.join(root, "a.t"), "1\n2\n3\n")
  const file = Path.join(folder, `${name}.mjs`)
  const log = Path.join(folder, `${name}.log`)
  Fs.writeFileSync(file, `export default ${behaviour.toString()}\n`)
  Fs.writeFileSync(log, "")
  const runId = randomUUID()
  const host = spawn(process.execPath, [bundle, runId, root, JSON.stringify(Fake.argv("stdio", file, log))], {
    stdio: ["ignore", "pipe", "inherit"]
  })
  let said = ""
  host.stdout.on("data", (chunk) => (said += String(chunk)))
  const pids = () =>
    Fs.readFileSync(log, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .flatMap((line) => {
        const { child, pid } = JSON.parse(line) as Fake.Logged
        return pid ?? child ?? []
      })
  return { runId, host, pids, said: () => said }
}

describe("when the host is killed", () => {
  it.live("72 4 29 66 no adapter and no program is left, however stubborn, stopped at a breakpoint", () =>
    Effect.gen(function* () {
      const { host, pids, runId, said } = start("stubborn", (adapter) => {
        adapter.on("$end", () => {})
        adapter.keepAlive()
        adapter.ignoreTermination()
        adapter.fork()
      })
      yield* Fake.eventually(() => (said().includes("ready\n") ? true : undefined))
      assert.include(said(), `"state":"stopped"`)
      assert.lengthOf(pids().filter(Leftovers.isRunning), 2)
      host.kill("SIGKILL")
      yield* Leftovers.expectNone(runId, { pids: pids(), within: "10 seconds" })
    })
  )

  it.live("72 25 also while it is being launched", () =>
    Effect.gen(function* () {
      const { host, pids, runId } = start("launching", (adapter) => {
        adapter.on("$end", () => {})
        adapter.keepAlive()
        adapter.fork()
        adapter.on("launch", () => adapter.noReply)
      })
      yield* Fake.eventually(() => (pids().length === 2 ? true : undefined))
      host.kill("SIGKILL")
      yield* Leftovers.expectNone(runId, { pids: pids(), within: "10 seconds" })
    })
  )
})
