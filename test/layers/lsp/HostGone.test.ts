import { type ChildProcess, spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { buildSync } from "esbuild"
import { Effect } from "effect"
import type { Behaviour, Logged } from "../../support/FakeLanguageServer.ts"
import * as Leftovers from "../../support/Leftovers.ts"

const folder = Fs.realpathSync(Fs.mkdtempSync(Path.join(Os.tmpdir(), "livetools-lsp-host-")))
// Inside the package: the host asks for its version.
const bundle = fileURLToPath(new URL("../../../dist/test/lspHost.mjs", import.meta.url))
const script = fileURLToPath(new URL("../../support/FakeLanguageServer.mjs", import.meta.url))

beforeAll(() => {
  buildSync({
    entryPoints: [fileURLToPath(new URL("../../support/lspHost.ts", import.meta.url))],
    outfile: bundle,
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "error",
    banner: { js: "import{createRequire as makeRequire}from'node:module';const require=makeRequire(import.meta.url);" }
  })
  return () => {
    Fs.rmSync(folder, { recursive: true, force: true })
    Fs.rmSync(Path.dirname(bundle), { recursive: true, force: true })
  }
})

const start = (name: string, behaviour: Behaviour) => {
  const root = Path.join(folder, name)
  Fs.mkdirSync(root, { recursive: true })
  for (const file of ["a.t", "root.marker"]) Fs.writeFileSync(Path.join(root, file), "")
  const file = Path.join(folder, `${name}.mjs`)
  const log = Path.join(folder, `${name}.log`)
  Fs.writeFileSync(file, `export default ${behaviour.toString()}\n`)
  Fs.writeFileSync(log, "")
  const runId = randomUUID()
  const host: ChildProcess = spawn(process.execPath, [bundle, runId, root, JSON.stringify([script, file, log])], {
    stdio: ["ignore", "pipe", "inherit"]
  })
  const pids = () =>
    Fs.readFileSync(log, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .flatMap((line) => {
        const { child, pid } = JSON.parse(line) as Logged
        return pid ?? child ?? []
      })
  const until = (isSo: (text: string) => boolean) =>
    Effect.callback<void>((resume) => {
      let text = ""
      host.stdout!.on("data", (chunk) => {
        text += String(chunk)
        if (isSo(text)) resume(Effect.void)
      })
    })
  return { runId, host, pids, until }
}

const stubborn: Behaviour = (server) => {
  server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, hoverProvider: true } }))
  server.on("textDocument/hover", () => ({ contents: "x" }))
  server.on("$stdin/end", () => {})
  server.keepAlive()
  server.ignoreTermination()
  server.fork()
}

describe("when the host is killed", () => {
  it.live("C31 B96 B103 no server and no child of one is left, however stubborn", () =>
    Effect.gen(function* () {
      const { host, pids, runId, until } = start("stubborn", stubborn)
      yield* until((text) => text.includes("ready\n"))
      assert.lengthOf(pids().filter(Leftovers.isRunning), 2)
      host.kill("SIGKILL")
      yield* Leftovers.expectNone(runId, { pids: pids(), within: "5 seconds" })
    })
  )

  it.live("C31 also while it is starting", () =>
    Effect.gen(function* () {
      const { host, pids, runId } = start("starting", (server) => {
        server.on("initialize", () => server.noReply)
        server.on("$stdin/end", () => {})
        server.keepAlive()
      })
      while (pids().length === 0) yield* Effect.sleep("20 millis")
      host.kill("SIGKILL")
      yield* Leftovers.expectNone(runId, { pids: pids(), within: "5 seconds" })
    })
  )
})
