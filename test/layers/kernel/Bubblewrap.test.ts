import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import * as Fs from "node:fs"
import * as Net from "node:net"
import * as Path from "node:path"
import * as Bubblewrap from "../../../layers/kernel/Bubblewrap.ts"
import * as NodeKernels from "../../../layers/kernel/NodeKernels.ts"
import * as NodeProcesses from "../../../layers/process/NodeProcesses.ts"
import * as NodeWorkspace from "../../../layers/workspace/NodeWorkspace.ts"
import * as Enclosure from "../../../src/kernel/Enclosure.ts"
import { evalTool } from "../../../src/kernel/Eval.ts"
import type { Value } from "../../../src/kernel/Value.ts"
import * as Surface from "../../../src/Surface.ts"
import * as Bwrap from "../../support/Bwrap.ts"
import { folder } from "../../support/Cli.ts"
import * as Runner from "../../support/JavaScriptRunner.ts"
import * as Leftovers from "../../support/Leftovers.ts"

const missing = Bwrap.isUsable ? "" : ` (skipped: ${Bwrap.reason})`

const port = (options: Bubblewrap.Options) =>
  Layer.build(Bubblewrap.layer(options).pipe(Layer.provide(NodeProcesses.layer()))).pipe(
    Effect.andThen((context) => Effect.provideContext(Enclosure.Enclosure, context))
  )

/** A run whose cells are enclosed. */
const kernels = (root: string, options: Bubblewrap.Options) =>
  Layer.build(
    NodeKernels.layer({ isTrusted: true }).pipe(
      Layer.provide(Bubblewrap.layer(options)),
      Layer.provide(Layer.mergeAll(NodeProcesses.layer(), NodeWorkspace.layer({ root })))
    )
  ).pipe(Effect.andThen((context) => Effect.provideContext(Surface.make([evalTool]), context)))

const scratch = Effect.acquireRelease(
  Effect.sync(() => folder({ "in.txt": "here" })),
  ({ remove }) => Effect.sync(remove)
)

describe("without bubblewrap", () => {
  const cell = { code: "1 + 1", description: "add two numbers to see", language: "javascript" } as const

  it.live("no cell runs, and the answer says why", () =>
    Effect.gen(function* () {
      const { root } = yield* scratch
      const surface = yield* kernels(root, { command: "no-such-bwrap" })
      const answer = yield* surface.call("eval", cell)
      assert.deepInclude(answer, { isFailure: true, code: "not_covered" })
      assert.include(
        answer.text,
        "may run in its enclosure only, and no enclosure is running: bubblewrap cannot be started"
      )
    })
  )

  it.live("cells run on the host where that is allowed", () =>
    Effect.gen(function* () {
      const { root } = yield* scratch
      const surface = yield* kernels(root, { command: "no-such-bwrap", isHostAllowed: true })
      assert.include((yield* surface.call("eval", cell)).text, "2")
    })
  )
})

describe.skipIf(missing !== "")(`a bubblewrap sandbox${missing}`, () => {
  /** A kernel inside of it. */
  const inside = (options: Bubblewrap.Options, use: (kernel: Runner.Runner, cwd: string) => Promise<void>) =>
    Effect.gen(function* () {
      const answer = yield* (yield* port(options)).running
      if (Result.isFailure(answer)) return assert.fail(answer.failure)
      const { enter } = answer.success
      const files = folder({ "in.txt": "here" })
      const kernel = Runner.start({
        cwd: files.root,
        enter,
        tools: async ({ params }) => ({ ok: true, value: params })
      })
      yield* Effect.promise(() => use(kernel, files.root)).pipe(
        Effect.ensuring(Effect.promise(() => kernel.end())),
        Effect.ensuring(Effect.sync(files.remove))
      )
    })

  it.live("lets a cell write the working directory and nothing else", () =>
    inside({}, async (kernel, cwd) => {
      const write = (path: string) =>
        `(() => { try { require('fs').writeFileSync(${path}, 'x'); return 'written' } catch (e) { return e.code } })()`
      assert.strictEqual((await kernel.run(write("'out.txt'"))).result, "'written'")
      assert.strictEqual(Fs.readFileSync(`${cwd}/out.txt`, "utf8"), "x")
      assert.strictEqual((await kernel.run("require('fs').readFileSync('in.txt', 'utf8')")).result, "'here'")
      assert.strictEqual((await kernel.run(write("process.execPath + '.x'"))).result, "'EROFS'")
      assert.strictEqual((await kernel.run(write("'/etc/x'"))).result, "'EROFS'")
    })
  )

  it.live("hides other processes, other temporary files, and what is to be absent", () => {
    const secret = folder({ key: "secret" })
    return inside({ absent: [secret.root] }, async (kernel) => {
      assert.strictEqual(
        (await kernel.run("require('fs').readdirSync('/proc').filter((name) => /^\\d+$/.test(name)).length < 10"))
          .result,
        "true"
      )
      const look = `require('fs').existsSync(${JSON.stringify(secret.path("key"))})`
      assert.strictEqual((await kernel.run(look)).result, "false")
      assert.strictEqual(
        (
          await kernel.run(
            `(() => { try { process.kill(${process.pid}, 0); return 'seen' } catch (e) { return e.code } })()`
          )
        ).result,
        "'ESRCH'"
      )
    }).pipe(Effect.ensuring(Effect.sync(secret.remove)))
  })

  it.live("hides what a link leads to, by both names", () => {
    const outside = Fs.mkdtempSync(Path.join(process.cwd(), "node_modules", ".test-"))
    const at = (name: string) => Path.join(outside, name)
    Fs.mkdirSync(at("dotfiles/ssh"), { recursive: true })
    for (const file of ["dotfiles/ssh/key", "dotfiles/npmrc"]) Fs.writeFileSync(at(file), "secret")
    Fs.symlinkSync("dotfiles/ssh", at(".ssh"))
    Fs.symlinkSync("dotfiles/npmrc", at(".npmrc"))
    return inside({ absent: [at(".ssh"), at(".npmrc"), at(".none")] }, async (kernel) => {
      const read = (name: string) =>
        kernel.run(
          `(() => { try { return require('fs').readFileSync(${JSON.stringify(at(name))}, 'utf8') } catch (e) { return e.code } })()`
        )
      assert.strictEqual((await read(".ssh/key")).result, "'ENOENT'")
      assert.strictEqual((await read("dotfiles/ssh/key")).result, "'ENOENT'")
      // Empty, or a device that cannot be opened; the link itself is not there where the checkout is in a folder that is emptied.
      assert.match((await read(".npmrc")).result!, outside.startsWith("/tmp/") ? /^'ENOENT'$/ : /^'(EACCES)?'$/)
      assert.match((await read("dotfiles/npmrc")).result!, /^'(EACCES)?'$/)
    }).pipe(Effect.ensuring(Effect.sync(() => Fs.rmSync(outside, { recursive: true }))))
  })

  it("has the whole of a virtual environment that lies in a folder it empties", () => {
    const { path, remove } = folder({ "venv/pyvenv.cfg": "", "venv/bin/python": "", "tool/bin/other": "" })
    const bound = (command: string) => {
      const all = Bubblewrap.args({ command, args: [], cwd: "/", env: {} })
      return all[all.indexOf("/run") + 2]
    }
    assert.strictEqual(bound(path("venv/bin/python")), path("venv"))
    assert.strictEqual(bound(path("tool/bin/other")), path("tool/bin"))
    remove()
  })

  const reaches = async (kernel: Runner.Runner) => {
    const server = Net.createServer((socket) => socket.end()).listen(0, "127.0.0.1")
    await new Promise((resolve) => server.once("listening", resolve))
    const { port: number } = server.address() as Net.AddressInfo
    const { result } = await kernel.run(
      `await new Promise((r) => require('net').connect(${number}, '127.0.0.1').on('connect', () => r('reached')).on('error', (e) => r(e.code)))`
    )
    server.close()
    return result
  }

  it.live("has no network unless it is allowed", () =>
    Effect.andThen(
      inside({}, async (kernel) => assert.strictEqual(await reaches(kernel), "'ECONNREFUSED'")),
      inside({ network: true }, async (kernel) => assert.strictEqual(await reaches(kernel), "'reached'"))
    )
  )

  it.live("carries frames, tools and interrupts", () =>
    inside({}, async (kernel) => {
      assert.strictEqual((await kernel.run("await tool('echo', { a: 1 })")).result, "{ a: 1 }")
      const loop = kernel.begin("globalThis.kept = 1; console.log('on'); while (true) {}")
      await kernel.until(() => kernel.texts.stdout.includes("on"))
      // What a host sends to the group when the interrupt frame is not enough must not end it.
      process.kill(-kernel.child.pid!, "SIGINT")
      loop.interrupt()
      assert.strictEqual((await loop.done).status, "interrupted")
      assert.strictEqual((await kernel.run("kept")).result, "1")
    })
  )

  it.live("ends with what stands for it, and with the host", () =>
    inside({}, async (kernel) => {
      void kernel
        .begin("require('child_process').spawn('sleep', ['60']); console.log('on'); while (true) {}")
        .done.catch(() => {})
      await kernel.until(() => kernel.texts.stdout.includes("on"))
      const tree = Leftovers.tree(kernel.child.pid!)
      assert.isAbove(tree.length, 2)
      kernel.child.kill("SIGKILL")
      await kernel.exited
      await Effect.runPromise(Leftovers.expectNone("none", { pids: tree, within: "5 seconds" }))
    })
  )

  const code = {
    javascript: [
      "globalThis.kept = 1; require('fs').writeFileSync('out.txt', 'x'); try { require('fs').writeFileSync('/etc/x', 'x') } catch (e) { console.log(e.code) }",
      "while (true) {}",
      "kept",
      "process.kill(process.pid, 'SIGSEGV')"
    ],
    python: [
      "kept = 1\nopen('out.txt', 'w').write('x')\ntry:\n    open('/etc/x', 'w')\nexcept OSError as e:\n    print('EROFS' if e.errno == 30 else e)",
      "while True: pass",
      "kept",
      "import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)"
    ]
  }
  it.live.each(["javascript", "python"] as const)("holds the cells of a run: %s", (language) =>
    Effect.gen(function* () {
      const { read, root } = yield* scratch
      const surface = yield* kernels(root, {})
      const [write, loop, look, die] = code[language]
      const call = (cell: string | undefined) =>
        surface.call("eval", { code: cell ?? "", description: "a cell inside of an enclosure", language })
      const written = yield* call(write)
      assert.include(written.text, "EROFS")
      assert.strictEqual(read("out.txt"), "x")
      // Cancelled, it is interrupted inside, and its state is kept.
      yield* Effect.timeoutOption(call(loop), "1 second")
      const looked = yield* call(look)
      assert.isFalse(looked.isFailure, looked.text)
      assert.match(looked.text, /^1\n/)
      const died = yield* call(die)
      assert.deepInclude(died, { isFailure: true, code: "kernel_died" })
      assert.include(died.text, "SIGSEGV")
    })
  )

  const long = {
    javascript: [
      "for (let i = 0; i < 30_000; i++) console.log('line', i)",
      (file: string) => `require('fs').readFileSync(${file}, 'utf8').length`
    ],
    python: ["for i in range(30_000): print('line', i)", (file: string) => `len(open(${file}).read())`]
  } as const
  it.live.each(["javascript", "python"] as const)("lets cells read the whole of a long output: %s", (language) =>
    Effect.gen(function* () {
      const { root } = yield* scratch
      const surface = yield* kernels(root, {})
      const [print, look] = long[language]
      const call = (code: string) =>
        surface.call("eval", { code, description: "a cell inside of an enclosure", language })
      const { spilled_to: file } = (yield* call(print)).value as Value
      const { size } = Fs.statSync(file!)
      assert.isAbove(size, 300_000)
      const looked = yield* call(look(JSON.stringify(file)))
      assert.match(looked.text, new RegExp(`^${size}\\n`))
    })
  )
})
