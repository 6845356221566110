import * as fs from "node:fs"
import * as os from "node:os"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Result, Scope, Stream } from "effect"
import * as NodeProcesses from "../../../layers/process/NodeProcesses.ts"
import { type Options, Processes } from "../../../src/Processes.ts"
import * as Fifos from "../../support/fifos.ts"
import * as Leftovers from "../../support/Leftovers.ts"
import * as Trees from "../../support/trees.ts"

const cwd = os.tmpdir()

const sh = (script: string, options: Partial<Options> = {}) =>
  Effect.flatMap(Processes, (processes) =>
    processes.spawn({ command: "sh", args: ["-c", script], cwd, stderr: "pipe", stdio: "fifo", ...options })
  )

const text = (bytes: Stream.Stream<Uint8Array>) => Stream.mkString(Stream.decodeText(bytes))

const descriptors = () => fs.readdirSync("/proc/self/fd").length

describe("a child whose output is FIFOs", () => {
  it.live("opens them by name, and their ends come", () =>
    Effect.gen(function* () {
      const before = Fifos.folders()
      const child = yield* sh("echo out > /dev/stdout; echo err > /dev/stderr; echo both | tee /dev/stderr")
      const [out, err] = yield* Effect.all([text(child.stdout), text(child.stderr)], { concurrency: 2 })
      assert.strictEqual(out, "out\nboth\n")
      assert.strictEqual(err, "err\nboth\n")
      assert.deepStrictEqual(yield* child.exit, { code: 0 })
      assert.strictEqual(yield* child.stderrTail, "err\nboth\n")
      assert.deepStrictEqual(Fifos.left(before), [])
    }).pipe(Effect.provide(NodeProcesses.layer()))
  )

  it.live("keeps the end of standard error, with standard output thrown away", () =>
    Effect.gen(function* () {
      const child = yield* sh("echo gone; echo kept > /dev/stderr", { stdout: "discard", stderr: "tail" })
      yield* child.exit
      assert.strictEqual(yield* child.stderrTail, "kept\n")
      assert.strictEqual(yield* text(child.stdout), "")
    }).pipe(Effect.provide(NodeProcesses.layer()))
  )

  it.live("is paused while nobody reads, and loses nothing", () =>
    Effect.gen(function* () {
      const child = yield* sh("head -c 3000000 /dev/zero; echo done >&2")
      const ended = yield* Effect.forkScoped(text(child.stderr))
      yield* Effect.sleep(200)
      assert.isUndefined(ended.pollUnsafe())
      const bytes = yield* Stream.runFold(
        child.stdout,
        () => 0,
        (sum, chunk) => sum + chunk.length
      )
      assert.strictEqual(bytes, 3_000_000)
      assert.strictEqual(yield* Fiber.join(ended), "done\n")
    }).pipe(Effect.provide(NodeProcesses.layer()))
  )

  it.live("leaves nothing of an orphan that only they lead to, and no descriptor", () =>
    Effect.gen(function* () {
      const before = yield* Leftovers.held
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(NodeProcesses.layer(), scope)
      const { runId } = yield* Effect.provideContext(Processes, context)
      const child = yield* sh(Trees.scripts[Trees.keptPipe]!, { grace: 200 }).pipe(
        Effect.provideContext(context),
        Scope.provide(scope)
      )
      const lines = yield* child.stdout.pipe(
        Stream.decodeText,
        Stream.splitLines,
        Stream.takeUntil((line) => line === "ready"),
        Stream.runCollect
      )
      const pids = [child.pid, ...lines.slice(0, -1).map(Number)]
      assert.deepStrictEqual(pids.filter(Leftovers.isRunning), pids)
      yield* Scope.close(scope, Exit.void)
      yield* Leftovers.expectNone(runId, { before, pids, within: 0 })
    })
  )

  it.live("that cannot be started leaves no descriptor", () =>
    Effect.gen(function* () {
      const processes = yield* Processes
      // The first starts the guardian.
      yield* Effect.scoped(Effect.flatMap(sh("exit 0"), ({ exit }) => exit))
      const open = descriptors()
      const file = `${fs.mkdtempSync(`${cwd}/livetools-broken-`)}/program`
      // A folder is no interpreter, which the system says only when it is to start.
      fs.writeFileSync(file, `#!${cwd}\n`, { mode: 0o755 })
      const spawned = processes.spawn({ command: file, args: [], cwd, stdio: "fifo" })
      const failed = yield* Effect.result(Effect.scoped(spawned))
      fs.rmSync(file.replace("/program", ""), { recursive: true })
      assert.isTrue(Result.isFailure(failed))
      for (let i = 0; descriptors() !== open && i < 500; i++) yield* Effect.sleep(10)
      assert.strictEqual(descriptors(), open)
    }).pipe(Effect.provide(NodeProcesses.layer()))
  )

  it.live("has sockets where no FIFO can be made", () =>
    Effect.gen(function* () {
      const before = process.env["TMPDIR"]
      process.env["TMPDIR"] = "/nowhere"
      const child = yield* sh("echo out").pipe(
        Effect.ensuring(
          Effect.sync(() => {
            if (before === undefined) delete process.env["TMPDIR"]
            else process.env["TMPDIR"] = before
          })
        )
      )
      assert.strictEqual(yield* text(child.stdout), "out\n")
    }).pipe(Effect.provide(NodeProcesses.layer()))
  )
})
