/** The JavaScript kernel as a process: streams, displays, interrupts, exits, the bridge, its end (SPEC §8). */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { folder } from "../../support/Cli.ts"
import * as Runner from "../../support/JavaScriptRunner.ts"
import * as Leftovers from "../../support/Leftovers.ts"

const files = folder({})
const given: Array<Runner.Frame> = []
const cancelled: Array<string> = []
let kernel: Runner.Runner
const start = () =>
  Runner.start({
    cwd: files.root,
    tools: async (call, signal) => {
      given.push(call)
      if (call["name"] === "") return { ok: true, value: [{ name: "read", description: "", inputSchema: {} }] }
      if (call["name"] === "fail") return { ok: false, code: "not_found", message: "there is no file x" }
      if (call["name"] === "hang") {
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()))
        cancelled.push("hang")
        return { ok: false, code: "cancelled", message: "cancelled" }
      }
      return { ok: true, value: call["params"] }
    }
  })
beforeAll(() => {
  kernel = start()
})
afterAll(async () => {
  await kernel.end()
  files.remove()
})

const png = "Buffer.from('89504e470d0a1a0a0000000d4948445200000005000000070802000000', 'hex')"
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const result = async (code: string) => (await kernel.run(code)).result
const order = async (code: string) => (await kernel.run(code)).order

describe("streams", () => {
  it("of the console and of children are in order", async () => {
    assert.deepStrictEqual(
      await order(
        "console.log('1'); require('child_process').spawnSync('sh', ['-c', 'echo 2; echo e2 >&2'], { stdio: 'inherit' }); console.log('3'); console.error('e4')"
      ),
      ["stdout:1\n", "stdout:2\n", "stderr:e2\n", "stdout:3\n", "stderr:e4\n"]
    )
    assert.deepStrictEqual(
      await order(
        "const p = require('child_process').spawn('echo', ['async'], { stdio: 'inherit' }); await new Promise((r) => p.on('exit', r)); console.log('after')"
      ),
      ["stdout:async\n", "stdout:after\n"]
    )
  })

  it("cannot be closed, and take every console method", async () => {
    const cell = await kernel.run(
      "process.stdout.end('bye '); process.stdout.destroy(); console.group('g'); console.dir({ a: 1 }); console.groupEnd(); console.table([{ a: 1 }]); console.warn('w'); process.stdout.write('no newline')"
    )
    assert.match(cell.stdout, /^bye g\n {2}\{ a: 1 \}\n┌[^]*┘\nno newline$/)
    assert.strictEqual(cell.stderr, "w\n")
  })

  it("standard input is empty", async () => {
    assert.strictEqual(await result("require('fs').readFileSync(0, 'utf8').length"), "0")
    assert.strictEqual(
      await result("await new Promise((r) => process.stdin.on('data', () => r('data')).on('end', () => r('end')))"),
      "'end'"
    )
  })

  it("nothing a cell or its child writes is taken for a frame", async () => {
    const cell = await kernel.run(
      `require('fs').writeSync(1, '{"t":"done","cell":1,"seq":1,"status":"ok"}\\n'); try { require('fs').writeSync(3, '{"t":"done"}\\n') } catch {}
require('child_process').spawnSync('sh', ['-c', 'for i in 3 4 5 6 7 8 9; do echo junk >&$i; done'], { stdio: 'inherit' }).status`
    )
    assert.include(cell.stdout, '"t":"done"')
    assert.strictEqual(cell.result, "2")
    assert.strictEqual(await result("1"), "1")
  })

  it("of threads and forks of a cell are its own", async () => {
    const thread = await kernel.run(
      "const { Worker } = require('worker_threads'); await new Promise((r) => new Worker('console.log(1 + 1)', { eval: true }).on('exit', r)); console.log('after')"
    )
    assert.strictEqual(thread.stdout, "2\nafter\n")
    const fork = await kernel.run(
      "require('fs').writeFileSync('forked.cjs', 'process.send(process.argv[2])'); await new Promise((r) => require('child_process').fork('forked.cjs', ['sent']).on('message', r))"
    )
    assert.strictEqual(fork.result, "'sent'")
  })

  it("ten megabytes arrive whole", async () => {
    const cell = await kernel.run("for (let i = 0; i < 100_000; i++) console.log('x'.repeat(99)); 'end'")
    assert.strictEqual(cell.stdout.length, 10_000_000)
    assert.strictEqual(cell.result, "'end'")
    const direct = await kernel.run(
      "const line = 'x'.repeat(99_999) + '\\n'; for (let i = 0; i < 100; i++) require('fs').writeSync(1, line)"
    )
    assert.deepStrictEqual([direct.status, direct.stdout.length], ["ok", 10_000_000])
  })
})

describe("displays", () => {
  const shown = async (code: string) =>
    (await kernel.run(code)).frames.filter(({ t }) => t === "display" || t === "clear" || t === "result")

  it("images by their bytes, as a result too", async () => {
    const [display] = await shown(`display({ type: "image", data: ${png} })`)
    const data = display!["data"] as Record<string, string>
    assert.strictEqual(data["text/plain"], "[image/png, 5×7, 29 bytes]")
    assert.strictEqual(Buffer.from(data["image/png"]!, "base64").length, 29)
    const [echoed] = await shown(png)
    assert.hasAllKeys(echoed!["data"], ["text/plain", "image/png"])
  })

  it("an image that is text stays text, however it is given", async () => {
    const svg = '<svg width="100%"/>'
    const base64 = Buffer.from(svg).toString("base64")
    for (const data of [
      JSON.stringify(svg),
      `Buffer.from(${JSON.stringify(svg)})`,
      `"${base64}"`,
      `"data:image/svg+xml;base64,${base64}"`,
      `"data:image/svg+xml,${encodeURIComponent(svg)}"`,
      JSON.stringify(`data:image/svg+xml;utf8,${svg}`)
    ]) {
      const frames = await shown(
        `display({ type: "image", data: ${data}, mimeType: "image/svg+xml" }); display.image(${data}, "image/svg+xml")`
      )
      const expected = { "text/plain": "[image/svg+xml, 19 bytes]", "image/svg+xml": svg }
      assert.deepStrictEqual(
        frames.map((frame) => frame["data"]),
        [expected, expected]
      )
    }
  })

  it("text, markup, JSON, and what an object says of itself", async () => {
    const frames = await shown(
      "display('text', { a: 1 }); display.html('<b>x</b>'); display.markdown('# h'); display.json({ a: [1] }); ({ [Symbol.for('Jupyter.display')]: () => ({ 'text/plain': 'me', 'text/html': '<p>' }) })"
    )
    assert.deepStrictEqual(
      frames.map((frame) => frame["data"]),
      [
        { "text/plain": "text" },
        { "text/plain": "{ a: 1 }" },
        { "text/html": "<b>x</b>", "text/plain": "<b>x</b>" },
        { "text/markdown": "# h", "text/plain": "# h" },
        { "application/json": { a: [1] }, "text/plain": "{ a: [ 1 ] }" },
        { "text/plain": "me", "text/html": "<p>" }
      ]
    )
  })

  it("are updated and cleared", async () => {
    const frames = await shown("const shown = display('one'); shown.update('two'); display.clear({ wait: true })")
    assert.deepStrictEqual(
      frames.map((frame) => [frame.t, frame["update"] ?? false, frame["wait"] ?? false]),
      [
        ["display", false, false],
        ["display", true, false],
        ["clear", false, true]
      ]
    )
    assert.strictEqual(frames[0]!["id"], frames[1]!["id"])
  })

  it("an image that is too large is left out, and says so", async () => {
    const [display] = await shown("display.raw({ 'text/html': '<i>', 'image/png': Buffer.alloc(6 * 1024 * 1024) })")
    const data = display!["data"] as Record<string, string>
    assert.include(data["text/plain"], "image/png of 8192 KiB left out")
    assert.notProperty(data, "image/png")
  })
})

describe("an interrupt", () => {
  it.each([
    "while (true) {}",
    "await 0; while (true) {}",
    "await new Promise((r) => setTimeout(r, 10)); while (true) {}",
    "await new Promise(() => {})",
    "(function f() { Promise.resolve().then(f) })(); await new Promise(() => {})",
    "setInterval(() => { while (true) {} }, 5); await new Promise(() => {})",
    "setImmediate(() => { while (true) {} }); await new Promise(() => {})",
    "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)",
    "/(a+)+b/.test('a'.repeat(40))",
    'require("child_process").execSync("sleep 30; echo x; sleep 30")',
    `require("child_process").execSync("trap '' INT; sleep 30; sleep 20")`
  ])("ends %s and keeps the state", async (code) => {
    await kernel.run("globalThis.kept = 41")
    const cell = kernel.begin(`console.log('started'); ${code}`)
    const before = kernel.texts.stdout.length
    await kernel.until(() => kernel.texts.stdout.slice(before).includes("started"))
    await pause(50)
    cell.interrupt()
    assert.strictEqual((await cell.done).status, "interrupted")
    assert.strictEqual(await result("kept + 1"), "42")
  })

  it("ends a cell that waits for a child, whatever it would make of the child's end", async () => {
    // All of these are signalled after the one that the cell waits for.
    const many = "for i in $(seq 600); do sleep 2 & done; echo on; exec sleep 30"
    const before = kernel.texts.stdout.length
    const cell = kernel.begin(
      `require('child_process').spawnSync('sh', ['-c', '${many}'], { stdio: 'inherit' }).status`
    )
    await kernel.until(() => kernel.texts.stdout.slice(before).includes("on"))
    cell.interrupt()
    const { result: last, status } = await cell.done
    assert.deepStrictEqual([status, last], ["interrupted", undefined])
  })

  it("ends an asynchronous loop too, and leaves the timers of earlier cells", async () => {
    await kernel.run("globalThis.n = 0; globalThis.m = 0; globalThis.earlier = setInterval(() => m++, 5); 0")
    const cell = kernel.begin("for (;;) { await new Promise((r) => setTimeout(r, 1)); n++ }")
    await pause(200)
    cell.interrupt()
    assert.strictEqual((await cell.done).status, "interrupted")
    assert.strictEqual(
      await result("const [n1, m1] = [n, m]; await new Promise((r) => setTimeout(r, 100)); [n === n1, m > m1].join()"),
      "'true,true'"
    )
    await kernel.run("clearInterval(earlier)")
  })

  it("belongs to its cell: what comes after is not hit", async () => {
    for (let i = 0; i < 30; i++) {
      const cell = kernel.begin(
        i % 2 === 0
          ? "for (const end = Date.now() + 16; Date.now() < end;);"
          : "await new Promise((r) => setTimeout(r, 16))"
      )
      await pause(i % 25)
      cell.interrupt()
      await cell.done
      const next = kernel.begin(`for (const end = Date.now() + 5; Date.now() < end;); ${i} + 1`)
      cell.interrupt()
      assert.strictEqual((await next.done).result, String(i + 1))
    }
  })

  it("of a cell that waits for what never comes leaves nothing that garbage collection could trip over", async () => {
    await kernel.run("globalThis.churn = () => { for (let i = 0; i < 300; i++) new Array(100_000).fill({}) }")
    for (const wait of [
      "setInterval(churn, 50); await new Promise(() => {})",
      "setInterval(churn, 50); for await (const _ of (async function* () { yield 1; await new Promise(() => {}) })());",
      "setInterval(churn, 50); await (async () => { await new Promise(() => {}) })()"
    ]) {
      const cell = kernel.begin(wait)
      await pause(250)
      cell.interrupt()
      assert.strictEqual((await cell.done).status, "interrupted")
      assert.strictEqual(await result("churn(); churn(); 1"), "1")
    }
  })

  it.each([
    ["setInterval(() => { busy(); while (true) {} }, 1); 1", "a callback of setInterval that cell"],
    [
      "setInterval(() => { busy(); require('child_process').execSync('sleep 30') }, 1); 1",
      "a callback of setInterval that cell"
    ],
    [
      "(async () => { await new Promise((r) => setTimeout(r, 1)); busy(); while (true) {} })(); 1",
      "code that an earlier cell"
    ],
    ["require('fs').stat('/', () => { busy(); while (true) {} }); 1", "code that an earlier cell"]
  ])("comes by itself to what runs without an end in the background: %s", async (code, told) => {
    await kernel.run("globalThis.kept = 41; globalThis.busy = () => require('fs').writeSync(1, 'busy')")
    const before = kernel.texts.stdout.length
    assert.strictEqual(await result(code), "1")
    await kernel.until(() => kernel.texts.stdout.slice(before).includes("busy"))
    const cell = await kernel.run("kept + 1")
    assert.deepStrictEqual([cell.status, cell.result], ["ok", "42"])
    assert.include(cell.notices.join(), told)
    assert.deepStrictEqual((await kernel.run("await new Promise((r) => setTimeout(r, 30))")).notices, [])
  })

  it("is not needed for the end of a cell that its own timers are in the way of, and else brings it", async () => {
    const own =
      "const timed = new Promise((r) => setTimeout(r, 20)); setTimeout(() => { while (true) {} }, 20); await timed; 1"
    assert.strictEqual(await result(own), "1")
    assert.include((await kernel.run("2")).notices.join(), "a callback of setTimeout that cell")
    const before = kernel.texts.stdout.length
    const cell = kernel.begin(
      "process.nextTick(function f(at) { if (at === 9) require('fs').writeSync(1, 'ticks'); process.nextTick(f, at + 1) }, 0); 3"
    )
    await kernel.until(() => kernel.texts.stdout.slice(before).includes("ticks"))
    cell.interrupt()
    const { result: last, status } = await cell.done
    // V8 decides whether its value or the interrupt is told first.
    assert.deepInclude(
      [
        ["ok", "3"],
        ["interrupted", undefined]
      ],
      [status, last]
    )
    assert.strictEqual(await result("4"), "4")
  })

  it("of a cell that waits for its turn ends it before it begins", async () => {
    await kernel.run("globalThis.begun = 0; setInterval(() => { while (true) {} }, 1); 0")
    await pause(50)
    const cell = kernel.begin("begun = 1")
    cell.interrupt()
    assert.strictEqual((await cell.done).status, "interrupted")
    assert.strictEqual(await result("begun"), "0")
  })

  it("of an idle kernel does nothing", async () => {
    kernel.send({ t: "interrupt", cell: 999_999 })
    kernel.child.kill("SIGINT")
    assert.strictEqual(await result("'here'"), "'here'")
  })
})

describe("process.exit", () => {
  it.each([
    ["process.exit(3); console.log('not')", 3],
    ["try { process.exit(4) } catch { console.log('not') }", 4],
    ["await undefined; process.exit(5)", 5],
    ["setTimeout(() => process.exit(6), 20); await new Promise((r) => setTimeout(r, 60_000))", 6],
    ["(async () => { throw new Error('m') })().catch(() => process.exit(1))", 1]
  ])("%s ends the cell only", async (code, exitCode) => {
    await kernel.run("globalThis.kept = 41")
    const cell = await kernel.run(code)
    assert.deepStrictEqual([cell.status, cell.exitCode, cell.stdout], ["exit", exitCode, ""])
    assert.strictEqual(await result("kept"), "41")
  })

  it("of a timer whose cell is over ends no other cell", async () => {
    await kernel.run("setTimeout(() => process.exit(9), 30); 0")
    const cell = await kernel.run("await new Promise((r) => setTimeout(r, 200)); 'whole'")
    assert.strictEqual(cell.result, "'whole'")
    await kernel.until(() => kernel.frames.some((frame) => String(frame["text"]).includes("process.exit(9)")))
  })
})

describe("tools", () => {
  it("are called with what the cell gives, by name and by property", async () => {
    assert.strictEqual(
      await result("await tool('read', { path: 'x', n: null, u: undefined })"),
      "{ path: 'x', n: null }"
    )
    assert.strictEqual(await result("(await tool.read({ path: 'y' })).path"), "'y'")
    assert.strictEqual(await result("(await tools())[0].name"), "'read'")
    assert.strictEqual(given.at(-1)!["params"], null)
    assert.strictEqual(await result("(await tool('echo', { s: 'é\\ud800'.repeat(2e5) })).s.length"), "400000")
  })

  it("concurrently", async () => {
    assert.strictEqual(
      await result(
        "(await Promise.all(Array.from({ length: 50 }, (_, i) => tool('echo', { i })))).reduce((sum, { i }) => sum + i, 0)"
      ),
      "1225"
    )
  })

  it("fail with the tool's message, where they were called", async () => {
    const { error } = await kernel.run("\nawait tool('fail')")
    assert.strictEqual(error?.["name"], "ToolError")
    assert.strictEqual(error?.["message"], "there is no file x")
    assert.match(String(error?.["traceback"]), /^<cell-\d+>:2\n[^]*code: 'not_found'/)
    assert.include(
      (await kernel.run("await tool('a', { f() {} })")).error?.["message"],
      "a function cannot be given to a tool"
    )
  })

  it("are given up with their cell, with a signal, and when nobody waits for them", async () => {
    const cell = kernel.begin("await tool('hang')")
    await kernel.until(() => given.some((call) => call["name"] === "hang"))
    cell.interrupt()
    assert.strictEqual((await cell.done).status, "interrupted")
    const signalled = await kernel.run("await tool('hang', {}, { signal: AbortSignal.timeout(20) })")
    assert.strictEqual(signalled.error?.["name"], "TimeoutError")
    const left = await kernel.run("tool('hang'); 1")
    assert.strictEqual(left.result, "1")
    assert.include(left.notices.join(), "still called hang")
    await kernel.until(() => cancelled.length === 3)
  })

  it("the list of them is called `tools()` where it was not waited for", async () => {
    const cell = await kernel.run("tools().catch((error) => console.log(error.tool)); 1")
    assert.include(cell.notices.join(), "still called tools():")
    await kernel.until(() => kernel.texts.stdout.includes("tools()"))
  })

  it("of a cell that is over cannot be called", async () => {
    await kernel.run("setTimeout(() => tool('late').catch((e) => console.log(e.message)), 30); 0")
    await kernel.until(() => kernel.texts.stdout.includes("The cell that calls late has ended"))
  })
})

describe("built-in objects that cells replace", () => {
  it("do not reach the protocol", async () => {
    const own = start()
    await own.run("Object.prototype.toJSON = () => 'P'; Object.prototype.id = 'evil'; 1")
    assert.strictEqual((await own.run("({}).toJSON()")).result, "'P'")
    assert.strictEqual((await own.run("throw new Error('told')")).error?.["message"], "told")
    await own.run(
      "delete Object.prototype.toJSON; JSON.stringify = () => { throw 1 }; JSON.parse = Promise = undefined; String.prototype.split = Array.prototype.map = Array.prototype.push = RegExp.prototype.exec = Map.prototype.get = null; 1"
    )
    assert.deepStrictEqual((await own.run("console.log('é'); 2")).order, ["stdout:é\n", "result:2"])
    assert.strictEqual((await own.run("throw new Error('still')")).status, "error")
    const loop = own.begin("while (true) {}")
    await pause(100)
    loop.interrupt()
    assert.strictEqual((await loop.done).status, "interrupted")
    assert.strictEqual((await own.run("3")).result, "3")
    await own.end()
  })
})

describe("the end", () => {
  it.each(["while (true) {}", "require('child_process').execSync('sleep 60')", "await new Promise(() => {})"])(
    "comes with the host's, whatever a cell does: %s",
    async (code) => {
      const own = start()
      await own.run("1")
      void own.begin(code).done.catch(() => {})
      await pause(100)
      assert.strictEqual(await own.end(), "SIGKILL")
      assert.isFalse(Leftovers.isRunning(own.child.pid!))
    }
  )

  it("of the process itself is seen, with all that was printed", async () => {
    const own = start()
    const cell = own
      .begin("console.log('printed'); process.kill(process.pid, 'SIGKILL')")
      .done.catch((error: unknown) => String(error))
    assert.strictEqual(await own.exited, "SIGKILL")
    assert.include(await cell, "printed")
    assert.notInclude(await cell, "debugger")
  })
})
