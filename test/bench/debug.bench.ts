/**
 * What `debug` costs over a bare client of the same adapter: of one request, and from the launch to the first stop. Times are
 * printed, nothing is asserted. Adapters as `.ci/debug-adapters` installs them; one that is not there is left out.
 */
import { spawn } from "node:child_process"
import * as Fs from "node:fs"
import * as Net from "node:net"
import * as Path from "node:path"
import type { Duplex, Readable, Writable } from "node:stream"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Find from "../../layers/debug/adapters/Find.ts"
import * as NodeProcesses from "../../layers/process/NodeProcesses.ts"
import * as Exceptions from "../../src/debug/Exceptions.ts"
import type { Found } from "../../src/debug/adapters/Adapter.ts"
import * as Rows from "../../src/debug/adapters/Rows.ts"
import * as Checkout from "../real/debug/Checkout.ts"

const requests = 200
const sessions = 8
/** Before each request: nothing; or the adapter at rest, and its timers at any point between two ticks. */
const pauses = {
  "back to back": Effect.void,
  "at rest": Effect.suspend(() => Effect.sleep(5 + Math.random() * 10))
}
const modes = ["back to back", "at rest"] as const

interface Subject {
  readonly adapter: string
  readonly programs: ReadonlyArray<string>
  readonly program: Checkout.Program
}
const subjects: ReadonlyArray<Subject> = [
  {
    adapter: "debugpy",
    programs: ["python3", "debugpy-adapter"],
    program: { folder: "python", source: "main.py", target: "main.py", files: { "pyproject.toml": "" } }
  },
  {
    adapter: "delve",
    programs: ["dlv", "go"],
    program: { folder: "go", source: "main.go", target: "." }
  },
  {
    adapter: "lldb",
    programs: ["lldb-dap-19", "g++"],
    program: {
      folder: "cpp",
      source: "main.cpp",
      target: "program",
      build: ["g++", "-g", "-O0", "-pthread", "-o", "program", "main.cpp"],
      files: { "CMakeLists.txt": "" }
    }
  }
]

const median = (list: ReadonlyArray<number>) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]!

/** The least that a client can be: no limits, no checks, no end but the kill. */
const bare = (input: Readable, output: Writable) => {
  let seq = 0
  let pending = Buffer.alloc(0)
  const answers = new Map<number, (body: unknown) => void>()
  const events = new Map<string, Array<(body: unknown) => void>>()
  input.on("data", (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk])
    for (;;) {
      const end = pending.indexOf("\r\n\r\n")
      if (end < 0) return
      const length = Number(/content-length: (\d+)/i.exec(pending.toString("latin1", 0, end))![1])
      if (pending.length < end + 4 + length) return
      const message = JSON.parse(pending.toString("utf8", end + 4, end + 4 + length)) as {
        type: string
        event: string
        request_seq: number
        success: boolean
        body: unknown
      }
      if (message.type === "response" && !message.success) throw new Error(JSON.stringify(message))
      pending = pending.subarray(end + 4 + length)
      if (message.type === "response") answers.get(message.request_seq)?.(message.body)
      else for (const take of events.get(message.event)?.splice(0) ?? []) take(message.body)
    }
  })
  const event = (name: string) =>
    new Promise<unknown>((resolve) => events.set(name, [...(events.get(name) ?? []), resolve]))
  const request = (command: string, args: unknown): Promise<unknown> =>
    new Promise((resolve) => {
      const body = JSON.stringify({ seq: ++seq, type: "request", command, arguments: args })
      answers.set(seq, (answer) => resolve(answer))
      output.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
    })
  return { event, request }
}

const connect = async (found: Found, cwd: string) => {
  const start = (args: ReadonlyArray<string>) =>
    spawn(found.command[0]!, args, { cwd, detached: true, stdio: ["pipe", "pipe", "ignore"] })
  const args = found.command.slice(1)
  if (found.adapter.transport === "stdio") {
    const child = start(args)
    return { child, client: bare(child.stdout, child.stdin) }
  }
  const server = Net.createServer({ noDelay: true })
  const dialled = new Promise<Duplex>((resolve) => server.once("connection", resolve))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as Net.AddressInfo
  const child = start(args.map((arg) => arg.replaceAll("${address}", `127.0.0.1:${port}`)))
  child.stdout.resume()
  const socket = await dialled
  server.close()
  return { child, client: bare(socket, socket) }
}

/** From the start of the adapter to the first stop, with the same that the tool tells of it. */
const bareStop = async (found: Found, root: string, program: Checkout.Program, line: number) => {
  const from = performance.now()
  const { child, client } = await connect(found, root)
  const initialized = client.event("initialized")
  const stopped = client.event("stopped")
  const capabilities = (await client.request("initialize", {
    adapterID: found.adapter.id,
    linesStartAt1: true,
    columnsStartAt1: true,
    pathFormat: "path"
  })) as { exceptionBreakpointFilters?: Array<{ filter: string; label: string; default?: boolean }> }
  const temporary = Fs.mkdtempSync(Path.join(root, ".temporary-"))
  const input = { program: Path.join(root, program.target), args: ["work"], cwd: root, env: {}, temporary }
  void client.request("launch", found.adapter.launchArguments(input))
  await initialized
  await client.request("setBreakpoints", { source: { path: Path.join(root, program.source) }, breakpoints: [{ line }] })
  const offered = (capabilities.exceptionBreakpointFilters ?? []).map(({ filter, label, ...more }) => ({
    id: filter,
    label,
    isDefault: more.default ?? false
  }))
  const filters = Exceptions.filters("uncaught", offered, found.adapter.quirks) ?? []
  await client.request("setExceptionBreakpoints", { filters })
  void client.request("configurationDone", {})
  const { threadId } = (await stopped) as { threadId: number }
  const { stackFrames } = (await client.request("stackTrace", { threadId, startFrame: 0, levels: 20 })) as {
    stackFrames: Array<{ id: number }>
  }
  const frameId = stackFrames[0]!.id
  const { scopes } = (await client.request("scopes", { frameId })) as { scopes: Array<{ variablesReference: number }> }
  await client.request("variables", { variablesReference: scopes[0]!.variablesReference })
  return { millis: performance.now() - from, child, client, frameId }
}

const main = (subject: Subject) =>
  Effect.gen(function* () {
    const { adapter, program } = subject
    const root = yield* Checkout.copy(program)
    const find = yield* Find.make({ root, isTrusted: true, rows: Rows.shipped, env: { PATH: Checkout.searchPath } })
    const found = (yield* find(root)).find((one) => one.adapter.id === adapter)!
    const checkout = yield* Checkout.open({ root, program })
    const line = checkout.line("add")
    const launch = Effect.gen(function* () {
      yield* checkout.ok({ op: "breakpoints", file: checkout.source, lines: [line] })
      const from = performance.now()
      const value = yield* checkout.ok({ op: "launch", program: checkout.target, adapter, args: ["work"] })
      assert.strictEqual(value.state, "stopped")
      return performance.now() - from
    })
    const expression = "1 + 1"
    const kill = (one: Awaited<ReturnType<typeof bareStop>>) =>
      Effect.promise(async () => {
        const gone = new Promise((resolve) => one.child.once("exit", resolve))
        await one.client.request("disconnect", { terminateDebuggee: true })
        one.child.kill("SIGKILL")
        await gone
      })

    const times = (): Record<"bare" | "tool", Array<number>> => ({ bare: [], tool: [] })
    const [launches, evaluates] = [times(), { "back to back": times(), "at rest": times() }]
    const evaluate = (side: "bare" | "tool", one: Effect.Effect<unknown>) =>
      Effect.gen(function* () {
        for (const mode of modes) {
          for (let k = 0; k < requests / sessions; k++) {
            yield* pauses[mode]
            const from = performance.now()
            yield* one
            evaluates[mode][side].push(performance.now() - from)
          }
        }
      })
    // The first is not counted: the build, the caches, the memory of which binary works, the code of both sides.
    for (let i = 0; i <= sessions; i++) {
      launches.tool.push(yield* launch)
      yield* evaluate("tool", checkout.ok({ op: "evaluate", expression }))
      yield* checkout.clear
      const one = yield* Effect.promise(() => bareStop(found, root, program, line))
      launches.bare.push(one.millis)
      const context = found.adapter.quirks?.evaluateContext ?? "repl"
      const input = { expression, frameId: one.frameId, context }
      yield* evaluate(
        "bare",
        Effect.promise(() => one.client.request("evaluate", input))
      )
      yield* kill(one)
      if (i > 0) continue
      for (const list of [launches, ...Object.values(evaluates)]) list.bare.length = list.tool.length = 0
    }
    for (const mode of modes) {
      const [bare, tool] = [median(evaluates[mode].bare), median(evaluates[mode].tool)]
      console.log(
        `${adapter.padEnd(8)} evaluate ${mode} p50: bare ${bare.toFixed(2)} ms, tool ${tool.toFixed(2)} ms, over it ${(tool - bare).toFixed(2)} ms`
      )
    }
    const [bare, tool] = [median(launches.bare), median(launches.tool)]
    console.log(
      `${adapter.padEnd(8)} launch to first stop p50: bare ${bare.toFixed(0)} ms, tool ${tool.toFixed(0)} ms, ${(tool / bare).toFixed(2)}×`
    )
  }).pipe(Effect.provide(NodeProcesses.layer()), Effect.scoped)

for (const subject of subjects) {
  const isThere = subject.programs.every(Checkout.isInstalled)
  if (isThere) it.live(`debug on ${subject.adapter}`, () => main(subject), 600_000)
  else it.skip(`debug on ${subject.adapter} (not installed: run .ci/debug-adapters)`, () => {})
}
