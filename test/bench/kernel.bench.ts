/**
 * `eval` in Python through the whole stack beside ipykernel through jupyter_client, on the same Python in the same minutes, and
 * beside the floor: the interpreter's own start, a loop of three lines over pipes. Times are printed, nothing is asserted.
 */
import { execFile, spawn } from "node:child_process"
import * as Fs from "node:fs"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { OutputSink } from "../../src/Call.ts"
import * as Kernels from "../support/kernels.ts"
import { libraries } from "../real/support/kernels.ts"

interface Times {
  readonly start: number
  readonly trip: number
  readonly prints: number
  readonly child: number
  readonly interrupt: number
  readonly rss: number
}

const python = libraries()

const p50 = (list: ReadonlyArray<number>) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]!

const timed = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const since = performance.now()
    yield* self
    return performance.now() - since
  })

const median = <A, E, R>(times: number, self: Effect.Effect<A, E, R>) =>
  Effect.map(
    Effect.forEach(Array.from({ length: times }), () => timed(self)),
    p50
  )

const options = { candidates: {}, python }

const ours = Effect.gen(function* () {
  const starts: Array<number> = []
  for (let i = 0; i < 5; i++) {
    starts.push(yield* Effect.scoped(Effect.flatMap(Kernels.run(options), (run) => timed(run.cell(`1+1`)))))
  }
  const run = yield* Kernels.run(options)
  const { value } = yield* run.cell(`import os\nprint(os.getpid())`)
  const pid = Number(Kernels.textOf(value, "stdout"))
  const rss = Number(/VmRSS:\s*(\d+)/.exec(Fs.readFileSync(`/proc/${pid}/status`, "utf8"))![1]) / 1024
  yield* median(200, run.cell(`1+1`))
  const trip = yield* median(500, run.cell(`1+1`))
  const prints = yield* median(5, run.cell(`for i in range(100000): print('x' * 99)`))
  const child = yield* median(5, run.cell(`!yes | head -c 10000000`))
  const interrupts: Array<number> = []
  for (let i = 0; i < 30; i++) {
    const began = { at: false }
    const fiber = yield* Effect.forkChild(
      Effect.provideService(run.cell(`print("go")\nwhile True: pass`), OutputSink, () =>
        Effect.sync(() => {
          began.at = true
        })
      ),
      { startImmediately: true }
    )
    yield* Kernels.eventually(() => (began.at ? true : undefined))
    yield* Effect.sleep("200 millis")
    // Until the next cell has run, whose own time is taken off: the call itself is over before the cell is.
    const since = performance.now()
    yield* Fiber.interrupt(fiber)
    yield* run.cell(`1`)
    interrupts.push(performance.now() - since - trip)
  }
  const one = Effect.map(
    run.cell(
      `import time\nts = []\nfor _ in range(300):\n    t = time.perf_counter(); tool("note"); ts.append(time.perf_counter() - t)\nprint(sorted(ts)[150] * 1000)`
    ),
    ({ value }) => Number(Kernels.textOf(value, "stdout"))
  )
  const javascript = Effect.map(
    run.cell(
      `{ const ts = []; for (let i = 0; i < 300; i++) { const t = performance.now(); await tool("note"); ts.push(performance.now() - t) }\nconsole.log(ts.sort((a, b) => a - b)[150]) }`,
      { language: "javascript" }
    ),
    ({ value }) => Number(Kernels.textOf(value, "stdout"))
  )
  const harness = median(300, run.surface.dispatch("note", {}))
  // Before what counts, each once: the code of all three is new to their processes.
  yield* Effect.all([harness, one, javascript])
  const calls = {
    direct: yield* harness,
    one: yield* one,
    javascript: yield* javascript,
    many: yield* Effect.map(
      run.cell(
        `from concurrent.futures import ThreadPoolExecutor\nt = time.perf_counter()\nwith ThreadPoolExecutor(16) as pool: list(pool.map(lambda _: tool("note"), range(400)))\nprint((time.perf_counter() - t) * 1000)`
      ),
      ({ value }) => Number(Kernels.textOf(value, "stdout"))
    ),
    large: yield* Effect.map(
      run.cell(
        `x = "x" * 5_000_000\nt = time.perf_counter(); tool("desk", op="echo", text=x); print((time.perf_counter() - t) * 1000)`
      ),
      ({ value }) => Number(Kernels.textOf(value, "stdout"))
    )
  }
  return { times: { start: p50(starts), trip, prints, child, interrupt: p50(interrupts), rss }, calls }
}).pipe(Effect.scoped)

/** The least that a process can do: its start, a line back for a line, bytes through a pipe. */
const floor = Effect.promise(async () => {
  const starts: Array<number> = []
  for (let i = 0; i < 10; i++) {
    const since = performance.now()
    await promisify(execFile)(python!, ["-c", "pass"])
    starts.push(performance.now() - since)
  }
  const loop = spawn(python!, [
    "-c",
    "import sys, json\nfor line in sys.stdin:\n    print(json.dumps({'v': repr(eval(json.loads(line)))}), flush=True)"
  ])
  const trips: Array<number> = []
  for (let i = 0; i < 500; i++) {
    const since = performance.now()
    const answer = new Promise((resolve) => loop.stdout.once("data", resolve))
    loop.stdin.write('"1+1"\n')
    await answer
    trips.push(performance.now() - since)
  }
  loop.kill()
  const writes: Array<number> = []
  for (let i = 0; i < 3; i++) {
    const since = performance.now()
    const writer = spawn(python!, ["-c", "for i in range(100000): print('x' * 99)"])
    await new Promise((resolve) => writer.stdout.on("end", resolve).resume())
    writes.push(performance.now() - since)
  }
  return { start: p50(starts), trip: p50(trips), prints: p50(writes) }
})

const peer = Effect.promise(async () => {
  const script = fileURLToPath(new URL("./jupyter_peer.py", import.meta.url))
  const { stdout } = await promisify(execFile)(python!, [script], {
    maxBuffer: 1 << 20,
    timeout: 300_000,
    killSignal: "SIGKILL"
  })
  return JSON.parse(stdout.trim().split("\n").at(-1)!) as Times
})

it.live.skipIf(python === undefined)("eval beside ipykernel (skipped where .ci/kernels has not been run)", () =>
  Effect.gen(function* () {
    const least = yield* floor
    const { calls, times } = yield* ours
    const ipykernel = yield* peer
    const row = (name: string, key: keyof Times, unit: string) => {
      const bottom = key in least ? least[key as keyof typeof least].toFixed(2) : ""
      const theirs = ipykernel[key]
      const ratio = `${(times[key] / theirs).toFixed(3)} of it`
      return `${name.padEnd(34)} ${times[key].toFixed(2).padStart(9)} ${bottom.padStart(9)} ${theirs.toFixed(2).padStart(10)} ${unit}   ${ratio}`
    }
    process.stdout.write(
      [
        `${"".padEnd(34)} ${"eval".padStart(9)} ${"floor".padStart(9)} ${"ipykernel".padStart(10)}`,
        row("start to first result", "start", "ms"),
        row("1+1, round trip", "trip", "ms"),
        row("10 MB as 100,000 prints", "prints", "ms"),
        row("10 MB from a child", "child", "ms"),
        row("interrupt of a busy loop", "interrupt", "ms"),
        row("memory after the start", "rss", "MB"),
        `start over the interpreter's own: ${(times.start - least.start).toFixed(1)} ms (aim 60)`,
        `tool called from a cell: Python ${calls.one.toFixed(2)} ms, JavaScript ${calls.javascript.toFixed(2)} ms, by the harness ${calls.direct.toFixed(2)} ms (aim 0.3 ms between); 400 calls on 16 threads: ${calls.many.toFixed(0)} ms; with 5 MB both ways: ${calls.large.toFixed(0)} ms`,
        ""
      ].join("\n")
    )
  })
)
