import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Option, Scope, Stream } from "effect"
import * as NodeProcesses from "../../../layers/process/NodeProcesses.ts"
import { describeExit, type Options, PipeClosed, Processes, run, SpawnError } from "../../../src/Processes.ts"
import * as Leftovers from "../../support/Leftovers.ts"

const cwd = os.tmpdir()
const encode = (text: string) => new TextEncoder().encode(text)
const spawn = (options: Pick<Options, "command"> & Partial<Options>) =>
  Effect.flatMap(Processes, (processes) => processes.spawn({ args: [], cwd, ...options }))
const sh = (script: string, options: Partial<Options> = {}) =>
  spawn({ command: "sh", args: ["-c", script], ...options })
const textOf = (stream: Stream.Stream<Uint8Array>) => Stream.mkString(Stream.decodeText(stream))

/** Runs a test in a run of its own, and checks that it left nothing. */
const inRun = <A, E>(test: Effect.Effect<A, E, Processes | Scope.Scope>) =>
  Effect.gen(function* () {
    const before = yield* Leftovers.held
    const runId = yield* Effect.gen(function* () {
      yield* Effect.scoped(test)
      return (yield* Processes).runId
    }).pipe(Effect.provide(NodeProcesses.layer()))
    yield* Leftovers.expectNone(runId, { before })
  })

const directory = Effect.acquireRelease(
  Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "processes-"))),
  (dir) => Effect.sync(() => fs.rmSync(dir, { recursive: true, force: true }))
)

describe("a child that is started", () => {
  it.live("gives its output and exit code", () =>
    inRun(
      Effect.gen(function* () {
        const child = yield* sh("echo out; echo err >&2; exit 3")
        assert.strictEqual(yield* textOf(child.stdout), "out\n")
        assert.deepStrictEqual(yield* child.exit, { code: 3 })
        assert.strictEqual(yield* child.stderrTail, "err\n")
      })
    )
  )

  it.live("keeps unread output after its exit until somebody reads it", () =>
    inRun(
      Effect.gen(function* () {
        const child = yield* sh("echo out")
        yield* child.exit
        yield* Effect.sleep(50)
        assert.strictEqual(yield* textOf(child.stdout), "out\n")
      })
    )
  )

  it.live("has all of its last words in the tail when its exit is known", () =>
    inRun(
      Effect.gen(function* () {
        for (let i = 0; i < 10; i++) {
          // The background process holds the pipe open, so its end cannot be waited for.
          const child = yield* sh("sleep 60 & head -c 30000 /dev/zero | tr '\\0' x >&2; echo last >&2; exit 1")
          yield* child.exit
          const tail = yield* child.stderrTail
          assert.strictEqual(tail.length, 30_005)
          assert.isTrue(tail.endsWith("xlast\n"))
        }
      })
    )
  )

  it.live("tells the signal that ended it, and whether it was ours", () =>
    inRun(
      Effect.gen(function* () {
        const own = yield* sh("kill -SEGV $$")
        assert.deepStrictEqual(yield* own.exit, { signal: "SIGSEGV" })
        assert.strictEqual(describeExit(yield* own.exit), "was killed by SIGSEGV")
        const ended = yield* spawn({ command: "sleep", args: ["60"] })
        assert.deepStrictEqual(yield* ended.end, { signal: "SIGTERM", ended: "end" })
        const stubborn = yield* sh("trap '' TERM; echo ready; while :; do sleep 60; done", { grace: 100 })
        yield* Stream.runHead(stubborn.stdout)
        assert.deepStrictEqual(yield* stubborn.end, { signal: "SIGKILL", ended: "end" })
        const signalled = yield* sh("trap 'exit 7' INT; echo ready; sleep 60 & wait")
        yield* Stream.runHead(signalled.stdout)
        yield* signalled.signal("SIGINT")
        assert.deepStrictEqual(yield* signalled.exit, { code: 7 })
      })
    )
  )

  it.live("gives its exit to everybody who asks, before and after", () =>
    inRun(
      Effect.gen(function* () {
        const child = yield* sh("sleep 0.05; exit 4")
        const early = yield* Effect.forkChild(Effect.all([child.exit, child.exit], { concurrency: 2 }))
        const impatient = yield* Effect.timeoutOption(child.exit, 5)
        assert.isTrue(Option.isNone(impatient))
        assert.deepStrictEqual(yield* Fiber.join(early), [{ code: 4 }, { code: 4 }])
        assert.deepStrictEqual(yield* child.exit, { code: 4 })
        yield* child.signal("SIGKILL")
        assert.deepStrictEqual(yield* child.end, { code: 4 })
      })
    )
  )

  it.live("sees its directory, its arguments as they are, and the environment it was given", () =>
    inRun(
      Effect.gen(function* () {
        const { runId } = yield* Processes
        const dir = fs.realpathSync(yield* directory)
        const args = ["$HOME", "a b", "*", "'\"", ""]
        const printed = yield* run({ command: "printf", args: ["%s|", ...args], cwd: dir })
        assert.strictEqual(printed.stdout, "$HOME|a b|*|'\"||")
        const where = yield* run({ command: "pwd", args: ["-P"], cwd: dir })
        assert.strictEqual(where.stdout.trim(), dir)

        const only = yield* run({
          command: "/usr/bin/env",
          args: [],
          cwd,
          env: { A: "1", B: undefined },
          extendEnv: false
        })
        const names = only.stdout.split("\n").filter((line) => line !== "")
        assert.sameMembers(
          names.map((line) => line.split("=")[0]!),
          ["A", "LIVETOOLS_RUN", "LIVETOOLS_PROCESS"]
        )
        assert.include(names, `LIVETOOLS_RUN=${runId}`)
        const more = yield* run({ command: "env", args: [], cwd, env: { A: "1", HOME: undefined, ["__proto__"]: "2" } })
        const lines = more.stdout.split("\n")
        assert.include(lines, "A=1")
        assert.include(lines, "__proto__=2")
        assert.include(lines, `PATH=${process.env["PATH"]}`)
        assert.isFalse(lines.some((line) => line.startsWith("HOME=")))
      })
    )
  )

  it.live("reads nothing from an empty standard input, and writes nowhere when discarded", () =>
    inRun(
      Effect.gen(function* () {
        const child = yield* spawn({ command: "cat", stdin: "empty", stdout: "discard" })
        assert.deepStrictEqual(yield* child.exit, { code: 0 })
        assert.strictEqual(yield* textOf(child.stdout), "")
        const error = yield* Effect.flip(child.stdin.write(encode("x")))
        assert.instanceOf(error, PipeClosed)
      })
    )
  )

  it.live("is alone in its process group", () =>
    inRun(
      Effect.gen(function* () {
        const child = yield* spawn({ command: "sleep", args: ["60"] })
        const group = fs.readFileSync(`/proc/${child.pid}/stat`, "utf8").split(" ")[4]
        assert.strictEqual(group, String(child.pid))
      })
    )
  )

  it.live("is cut at the limit by run, which does not wait for what it left in the background", () =>
    inRun(
      Effect.gen(function* () {
        const output = yield* run({ command: "sh", args: ["-c", "sleep 60 & printf 0123456789"], cwd, maxBytes: 4 })
        assert.deepStrictEqual(output, { exit: { code: 0 }, stdout: "0123", stderr: "", truncated: true })
      })
    )
  )
})

describe("a child that cannot be started", () => {
  const fails = (options: Pick<Options, "command"> & Partial<Options>) =>
    Effect.map(Effect.flip(spawn(options)), (error) => {
      assert.instanceOf(error, SpawnError)
      return `${error.reason}: ${error.message}`
    })

  it.live("says why, and leaves nothing", () =>
    inRun(
      Effect.gen(function* () {
        const dir = yield* directory
        const file = (name: string, content: string, mode: number) => {
          fs.writeFileSync(path.join(dir, name), content, { mode })
          return path.join(dir, name)
        }
        assert.match(
          yield* fails({ command: "no-such-command" }),
          /^not_found: cannot start "no-such-command": no such command in the \d+ directories of PATH; install it, or give the path of its file$/
        )
        assert.include(
          yield* fails({ command: "x", env: { PATH: ":.:/bin:bin" } }),
          "in the 1 directories of PATH (3 relative entries are not searched)"
        )
        assert.include(
          yield* fails({ command: "./x", cwd: dir }),
          `not_found: cannot start "./x": there is no file ${dir}/x`
        )
        const plain = file("plain", "echo hi\n", 0o644)
        assert.include(yield* fails({ command: plain }), `not_executable: cannot start "${plain}": permission denied`)
        assert.include(yield* fails({ command: "plain", env: { PATH: `/bin:${dir}` } }), "not_executable: ")
        assert.include(yield* fails({ command: dir }), `not_executable: cannot start "${dir}": ${dir} is not a file`)
        const noFormat = file("no-format", "echo a shell ran me\n", 0o755)
        assert.include(yield* fails({ command: noFormat }), `bad_format: cannot start "${noFormat}": `)
        assert.include(yield* fails({ command: file("empty", "", 0o755) }), "bad_format: ")
        const dangling = file("dangling", "#!/gone/python\n", 0o755)
        assert.include(
          yield* fails({ command: dangling }),
          `not_found: cannot start "${dangling}": the interpreter in the first line of ${dangling}, "/gone/python", does not exist`
        )
        assert.include(
          yield* fails({ command: file("crlf", "#!/bin/sh\r\n", 0o755) }),
          String.raw`"/bin/sh\r", does not exist`
        )
        assert.include(yield* fails({ command: "true", cwd: path.join(dir, "gone") }), "bad_directory: ")
        assert.include(yield* fails({ command: "true", cwd: plain }), "is not a directory")
        assert.include(yield* fails({ command: "true", cwd: "relative" }), "is not absolute")
        assert.include(yield* fails({ command: "" }), "bad_argument: ")
        assert.include(yield* fails({ command: "true", args: ["a", "b\0"] }), "bad_argument: ")
        const secret = yield* fails({ command: "true", env: { TOKEN: "secret\0" } })
        assert.include(secret, '"TOKEN"')
        assert.notInclude(secret, "secret")
        assert.include(yield* fails({ command: "true", args: ["x".repeat(3_000_000)] }), "bad_argument: ")
        assert.include(yield* fails({ command: "true", cwd: dir, args: [], env: { "A=B": "" } }), "bad_argument: ")
      })
    )
  )

  it.live("passes over what cannot run for a later entry of PATH", () =>
    inRun(
      Effect.gen(function* () {
        const dir = yield* directory
        fs.mkdirSync(path.join(dir, "true"))
        const output = yield* run({ command: "true", args: [], cwd, env: { PATH: `${dir}:${process.env["PATH"]}` } })
        assert.deepStrictEqual(output.exit, { code: 0 })
      })
    )
  )

  it.live("is refused once the run has ended", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(NodeProcesses.layer(), scope)
      yield* Scope.close(scope, Exit.void)
      const error = yield* Effect.flip(Effect.provideContext(spawn({ command: "true" }), context))
      assert.strictEqual(error.reason, "run_ended")
    })
  )
})

describe("the pipes of a child", () => {
  it.live("carry 50 MB in bounded memory", () =>
    inRun(
      Effect.gen(function* () {
        const size = 50 * 1024 * 1024
        const child = yield* spawn({ command: "head", args: ["-c", String(size), "/dev/zero"] })
        const base = process.memoryUsage.rss()
        let [total, peak] = [0, 0]
        yield* Stream.runForEach(child.stdout, (chunk) =>
          Effect.sync(() => {
            total += chunk.length
            peak = Math.max(peak, process.memoryUsage.rss() - base)
          })
        )
        assert.strictEqual(total, size)
        assert.isBelow(peak, size)
      })
    )
  )

  it.live("pause a child that nobody reads, and one that is read slowly", () =>
    inRun(
      Effect.gen(function* () {
        const child = yield* spawn({ command: "cat", args: ["/dev/zero"] })
        const written = () => Number(/^wchar: (\d+)/m.exec(fs.readFileSync(`/proc/${child.pid}/io`, "utf8"))![1])
        let before = -1
        for (let i = 0; written() !== before && i < 50; i++) {
          before = written()
          yield* Effect.sleep(200)
        }
        assert.isBelow(before, 2 ** 20)
        assert.strictEqual(written(), before)
        let read = 0
        const slow = Stream.runForEach(Stream.take(child.stdout, 20), (chunk) => {
          read += chunk.length
          return Effect.sleep(5)
        })
        yield* slow
        assert.isBelow(written() - read, 2 ** 20)
      })
    )
  )

  it.live("continue with the next reader where the former stopped", () =>
    inRun(
      Effect.gen(function* () {
        const child = yield* spawn({ command: "cat" })
        const next = Stream.runHead(Stream.decodeText(child.stdout))
        for (const word of ["one", "two"]) {
          yield* child.stdin.write(encode(word))
          assert.deepStrictEqual(yield* next, Option.some(word))
        }
        const interrupted = yield* Effect.forkChild(next, { startImmediately: true })
        yield* Fiber.interrupt(interrupted)
        yield* child.stdin.write(encode("three"))
        yield* child.stdin.end
        assert.strictEqual(yield* textOf(child.stdout), "three")
      })
    )
  )

  it.live("write all, in order, from many writers at once", () =>
    inRun(
      Effect.gen(function* () {
        const child = yield* spawn({ command: "cat" })
        const reading = yield* Effect.forkChild(textOf(child.stdout))
        const words = Array.from({ length: 50 }, (_, i) => `${i}:${"x".repeat(20_000)}\n`)
        yield* Effect.forEach(words, (word) => child.stdin.write(encode(word)), { concurrency: "unbounded" })
        yield* child.stdin.end
        assert.strictEqual(yield* Fiber.join(reading), words.join(""))
      })
    )
  )

  it.live("let go of a writer when the child does not read, and end with the child", () =>
    inRun(
      Effect.gen(function* () {
        const child = yield* spawn({ command: "sleep", args: ["60"] })
        const big = new Uint8Array(2 ** 20)
        const first = yield* Effect.timeoutOption(child.stdin.write(big), 100)
        const second = yield* Effect.timeoutOption(child.stdin.write(encode("never")), 100)
        assert.isTrue(Option.isNone(first))
        assert.isTrue(Option.isNone(second))
        const waiting = yield* Effect.forkChild(Effect.flip(child.stdin.write(big)), { startImmediately: true })
        yield* child.end
        const error = yield* Fiber.join(waiting)
        assert.match(
          error.message,
          /^standard input of sleep is closed: the process (is being ended|was killed by SIGTERM \(ended on request\))$/
        )
      })
    )
  )

  it.live("deliver an interrupted write whole or not at all", () =>
    inRun(
      Effect.gen(function* () {
        const child = yield* sh("read go <&3; wc -c", { extraPipes: 1 })
        const big = new Uint8Array(2 ** 20)
        yield* Effect.timeoutOption(child.stdin.write(big), 50)
        yield* Effect.timeoutOption(child.stdin.write(encode("never sent")), 50)
        yield* child.pipes[0]!.write(encode("go\n"))
        yield* child.stdin.write(encode("end"))
        yield* child.stdin.end
        assert.strictEqual(Number(yield* textOf(child.stdout)), 2 ** 20 + 3)
      })
    )
  )

  it.live("refuse what is written after the child has closed them", () =>
    inRun(
      Effect.gen(function* () {
        const child = yield* sh("exec <&-; echo closed; sleep 60")
        yield* Stream.runHead(child.stdout)
        const error = yield* Effect.flip(child.stdin.write(encode("x")))
        assert.strictEqual(error.message, "standard input of sh is closed")
      })
    )
  )

  it.live("can be more than three, open in both directions", () =>
    inRun(
      Effect.gen(function* () {
        const child = yield* sh('read line <&3; echo "got $line" >&4; echo "3: $line" >&3', { extraPipes: 2 })
        const [three, four] = child.pipes
        assert.lengthOf(child.pipes, 2)
        yield* three!.write(encode("frame\n"))
        assert.strictEqual(yield* textOf(four!.bytes), "got frame\n")
        assert.strictEqual(yield* textOf(three!.bytes), "3: frame\n")
      })
    )
  )

  it.live("drain standard error without a reader, and keep its end", () =>
    inRun(
      Effect.gen(function* () {
        const child = yield* sh("head -c 10000000 /dev/zero | tr '\\0' x >&2; printf äöü >&2", {
          stderrTailBytes: 1000
        })
        assert.deepStrictEqual(yield* child.exit, { code: 0 })
        assert.strictEqual(yield* child.stderrTail, "x".repeat(994) + "äöü")
        assert.strictEqual(yield* textOf(child.stderr), "")
      })
    )
  )

  it.live("give standard error to a reader who asks for it, and keep its end all the same", () =>
    inRun(
      Effect.gen(function* () {
        const child = yield* sh("echo one >&2; echo two >&2", { stderr: "pipe" })
        assert.strictEqual(yield* textOf(child.stderr), "one\ntwo\n")
        assert.strictEqual(yield* child.stderrTail, "one\ntwo\n")
      })
    )
  )
})

describe("the memory of a tree", () => {
  const hungry = `sh -c 'x=$(head -c 100000000 /dev/zero | tr "\\0" x); echo full; sleep 60'`

  it.live("is the sum of its processes", () =>
    inRun(
      Effect.gen(function* () {
        const child = yield* sh(`${hungry}; :`)
        yield* Stream.runHead(child.stdout)
        assert.isAbove(yield* child.memory, 100_000_000)
        yield* child.end
        assert.strictEqual(yield* child.memory, 0)
      })
    )
  )

  it.live("ends it with that reason when it exceeds its limit", () =>
    inRun(
      Effect.gen(function* () {
        const child = yield* sh(`${hungry}; :`, { memoryLimit: 50_000_000 })
        const exit = yield* child.exit
        assert.deepStrictEqual(exit, { signal: "SIGKILL", ended: "memory_limit" })
        assert.strictEqual(describeExit(exit), "was ended because it exceeded its memory limit")
        const small = yield* sh("sleep 1.2; exit 5", { memoryLimit: 50_000_000 })
        assert.deepStrictEqual(yield* small.exit, { code: 5 })
      })
    )
  )
})

describe("200 children in a row", () => {
  it.live("leave no descriptor", () =>
    inRun(
      Effect.forEach(
        Array.from({ length: 200 }),
        () => Effect.scoped(Effect.flatMap(spawn({ command: "true", extraPipes: 2 }), (child) => child.exit)),
        { discard: true }
      )
    )
  )
})
