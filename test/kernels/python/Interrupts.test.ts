import * as Fs from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import * as Folders from "../../support/Folders.ts"
import {
  cells,
  displays,
  echo,
  errorOf,
  Kernel,
  minor,
  type Result,
  stderr,
  stdout
} from "../../support/PythonRunner.ts"

const wait = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

const withKernel = async (use: (kernel: Kernel) => Promise<void>) => {
  const kernel = new Kernel()
  try {
    await use(kernel)
  } finally {
    await kernel.close()
  }
}

/** Runs a cell and interrupts it as soon as it has shown something. */
const interrupted = async (kernel: Kernel, code: string, ...more: ReadonlyArray<() => void>): Promise<Result> => {
  const before = kernel.frames.length
  const running = kernel.run(`display("begun")\n${code}`)
  await kernel.until(() => (kernel.frames.slice(before).some((frame) => frame.t === "display") ? true : undefined))
  await wait(50)
  kernel.interrupt()
  for (const step of more) {
    await wait(1_000)
    step()
  }
  return running
}

const traceback = (result: Result) => String(errorOf(result)?.["traceback"])

describe("an interrupt", { timeout: 60_000 }, () => {
  it("ends loops, sleeps, waits and commands, with the state kept", () =>
    withKernel(async (kernel) => {
      await kernel.run("import time, asyncio, threading, subprocess\nk = 7")
      for (const [code, shown] of [
        ["while True: pass", "while True: pass"],
        ["def hh():\n    time.sleep(60)\nhh()", "time.sleep(60)"],
        ["threading.Event().wait()", "wait()"],
        ["subprocess.run(['sleep', '60'])", "subprocess.run"],
        ["!sleep 60", "!sleep 60"],
        ["%%bash\nsleep 60", ""],
        ["await asyncio.sleep(60)", "await asyncio.sleep(60)"],
        ["await asyncio.sleep(0)\nwhile True: pass", "while True: pass"],
        ["asyncio.run(asyncio.sleep(60))", "asyncio.run"],
        ["async def forever():\n    while True: await asyncio.sleep(0)\nawait forever()", "await forever()"]
      ] as const) {
        if (code.startsWith("%%")) continue
        const result = await interrupted(kernel, code)
        expect([code, result.status]).toEqual([code, "interrupted"])
        expect(errorOf(result)?.["name"]).toBe("KeyboardInterrupt")
        expect(traceback(result)).toContain(shown)
        expect(traceback(result)).toContain("<cell")
      }
      expect(echo(await kernel.run("k"))).toBe("7")
      expect(echo(await kernel.run("await asyncio.sleep(0, 'loop lives')"))).toBe("'loop lives'")
    }))

  it("reaches a cell whose child ignores it through the group", () =>
    withKernel(async (kernel) => {
      const result = await interrupted(kernel, "import os\nos.system('sleep 60')\nprint('went on')", () =>
        kernel.interruptGroup()
      )
      expect(result.status).toBe("interrupted")
      expect(stdout(result)).toBe("")
    }))

  it("needs a second one where a pool joins a worker that is blocked", () =>
    withKernel(async (kernel) => {
      const code =
        "import time\nfrom concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor() as ex:\n    ex.submit(time.sleep, 30).result()"
      const result = await interrupted(kernel, code, () => kernel.interrupt())
      expect(result.status).toBe("interrupted")
      expect(result.millis).toBeLessThan(25_000)
      expect(echo(await kernel.run("1"))).toBe("1")
    }))

  it("is the user's to catch", () =>
    withKernel(async (kernel) => {
      const result = await interrupted(
        kernel,
        "import time\ntry:\n    while True: time.sleep(0.01)\nexcept KeyboardInterrupt: print('caught')\nfinally: print('cleaned')"
      )
      expect([traceback(result), stdout(result)]).toEqual(["undefined", "caught\ncleaned\n"])
      expect(result.status).toBe("ok")
    }))

  it("that was caught is not the reason of a later error", () =>
    withKernel(async (kernel) => {
      const later = await interrupted(
        kernel,
        "import time\ntry:\n    while True: time.sleep(0.01)\nexcept KeyboardInterrupt: pass\nint('x')"
      )
      expect([later.status, errorOf(later)?.["name"]]).toEqual(["error", "ValueError"])
      const inHandler = await interrupted(
        kernel,
        "try:\n    while True: time.sleep(0.01)\nexcept KeyboardInterrupt: int('x')"
      )
      expect([inHandler.status, errorOf(inHandler)?.["name"]]).toEqual(["interrupted", "ValueError"])
    }))

  it("is bound to its cell: an idle kernel and the next cell do not feel it", () =>
    withKernel(async (kernel) => {
      await kernel.run("k = 1")
      kernel.interrupt()
      process.kill(kernel.child.pid!, "SIGINT")
      await wait(50)
      for (let round = 0; round < 100; round++) {
        const running = kernel.run("for i in range(1000): pass")
        kernel.interrupt()
        await running
        const next = await kernel.run("s = 0\nfor i in range(20_000): s += 1\ns")
        expect(echo(next)).toBe("20000")
      }
      const alone = kernel.run("import time\ntime.sleep(0.4)\n2")
      await wait(200)
      process.kill(kernel.child.pid!, "SIGINT")
      kernel.interrupt(1)
      expect(echo(await alone)).toBe("2")
    }))

  it("comes of the cell's own program too, and ends no other cell", () =>
    withKernel(async (kernel) => {
      for (const own of [
        "os.kill(os.getpid(), signal.SIGINT); time.sleep(5)",
        "signal.raise_signal(signal.SIGINT)",
        "threading.Timer(0.05, _thread.interrupt_main).start()\nwhile True: pass",
        "threading.Timer(0.05, lambda: os.kill(os.getpid(), 2)).start()\nawait asyncio.sleep(5)"
      ]) {
        const result = await kernel.run(`import _thread, asyncio, os, signal, threading, time\n${own}`)
        expect([result.status, errorOf(result)?.["name"]]).toEqual(["interrupted", "KeyboardInterrupt"])
      }
      expect(stdout(await kernel.run("try: _thread.interrupt_main()\nexcept KeyboardInterrupt: print('caught')"))).toBe(
        "caught\n"
      )
      await kernel.run(
        "go = threading.Event()\nlate = threading.Thread(target=lambda: (go.wait(), _thread.interrupt_main(), os.kill(os.getpid(), 2)))\nlate.start()"
      )
      const next = await kernel.run("go.set(); late.join(); time.sleep(0.1)\n3")
      expect([next.status, echo(next)]).toEqual(["ok", "3"])
    }))

  it("works again after a cell that ignored the signal or took it", () =>
    withKernel(async (kernel) => {
      await kernel.run("import signal; signal.signal(signal.SIGINT, signal.SIG_IGN);")
      expect((await interrupted(kernel, "while True: pass")).status).toBe("interrupted")
      await kernel.run("signal.signal(signal.SIGINT, lambda *a: print('theirs'));")
      expect((await interrupted(kernel, "while True: pass")).status).toBe("interrupted")
    }))

  it("breaks no frame that is being written", () =>
    withKernel(async (kernel) => {
      await kernel.run("big = 'x' * 60_000")
      for (let round = 0; round < 5; round++) {
        const result = await interrupted(kernel, "while True: display(big)")
        expect(result.status).toBe("interrupted")
        expect(displays(result).length).toBeGreaterThan(1)
      }
      expect(echo(await kernel.run("1"))).toBe("1")
    }))
})

describe("the event loop", () => {
  it("is one for all cells, and goes on between them", async () => {
    const all = await cells([
      "import asyncio\nasync def tick(n):\n    for i in range(n):\n        await asyncio.sleep(0.02); done.append(i)\ndone = []\nt = asyncio.create_task(tick(5))",
      "import time",
      "await asyncio.sleep(0.3); done",
      "await t; t.done()",
      "u = asyncio.create_task(asyncio.sleep(0.01, 'u'))\nasyncio.get_running_loop() is asyncio.get_event_loop()",
      "await u"
    ])
    expect(all.map((result) => echo(result))).toEqual([undefined, undefined, "[0, 1, 2, 3, 4]", "True", "True", "'u'"])
  })

  it("makes progress while the kernel is idle", () =>
    withKernel(async (kernel) => {
      await kernel.run(
        "import asyncio\nasync def later():\n    await asyncio.sleep(0.1); state.append('done')\nstate = []\nt = asyncio.create_task(later());"
      )
      await wait(600)
      expect(echo(await kernel.run("state"))).toBe("['done']")
    }))

  it("lets asyncio.run and other loops run inside cells", async () => {
    const all = await cells([
      "import asyncio\nasync def k(): return 5\nasyncio.run(k())",
      "asyncio.get_event_loop().run_until_complete(k())",
      "asyncio.run(k()) + await k()",
      "loop = asyncio.new_event_loop(); value = loop.run_until_complete(k()); loop.close(); value",
      "await asyncio.gather(k(), k())",
      "async def inner():\n    return [i async for i in gen()]\nasync def gen():\n    yield 1\n    yield 2\nasync with asyncio.Lock() as l: pass\nr = await inner()\n[x async for x in gen()], r",
      "import threading\nbox = []\nth = threading.Thread(target=lambda: box.append(asyncio.run(k()))); th.start(); th.join(); box",
      "asyncio.get_event_loop().close()",
      "await k()"
    ])
    expect(all.map((result) => echo(result))).toEqual([
      "5",
      "5",
      "10",
      "5",
      "[5, 5]",
      "([1, 2], [1, 2])",
      "[5]",
      undefined,
      "5"
    ])
  })

  it("is the cells' own though a thread imported asyncio first", async () => {
    const all = await cells([
      "import threading\ndef t():\n    import asyncio\n    async def f(): return 1\n    print(asyncio.run(f()))\nx = threading.Thread(target=t); x.start(); x.join()",
      "import asyncio\nt = asyncio.create_task(asyncio.sleep(0.01, 3))\nasyncio.get_event_loop() is asyncio.get_running_loop()",
      "await t"
    ])
    expect(stdout(all[0]!)).toBe("1\n")
    expect(all.slice(1).map((result) => echo(result))).toEqual(["True", "3"])
  })

  it("does not stand in the way of anyio.run", async () => {
    const cwd = Folders.make("livetools-anyio-")
    Fs.writeFileSync(
      Path.join(cwd, "anyio.py"),
      "import asyncio\ndef run(f):\n    try: asyncio.get_running_loop()\n    except RuntimeError: return asyncio.new_event_loop().run_until_complete(f())\n    raise RuntimeError('Already running asyncio in this thread')"
    )
    const [result] = await cells(["import anyio\nasync def f(): return 6\nanyio.run(f)"], { cwd })
    expect(echo(result!)).toBe("6")
  })

  it("is there for a cell that awaits before asyncio is imported", async () => {
    const [result, names] = await cells(["async def f(): return 3\nx = await f()\nx", "x, 'asyncio' in globals()"])
    expect(echo(result!)).toBe("3")
    expect(echo(names!)).toBe("(3, False)")
  })

  it("ends a cell whose task is cancelled by the user with that error, not as interrupted", async () => {
    const [result] = await cells([
      "import asyncio\nt = asyncio.create_task(asyncio.sleep(5))\nawait asyncio.sleep(0)\nt.cancel()\nawait t"
    ])
    expect(result!.status).toBe("error")
    expect(errorOf(result!)?.["name"]).toContain("CancelledError")
  })

  it("survives exit() in a task and a cell", async () => {
    const all = await cells([
      "import asyncio\nawait asyncio.sleep(0)\nexit(2)",
      "async def leave(): raise SystemExit(1)\nt = asyncio.create_task(leave());",
      "1",
      "await asyncio.sleep(0.01, 4)",
      "await asyncio.gather(asyncio.sleep(5), leave())",
      "asyncio.get_running_loop().call_soon(exit, 4)\nawait asyncio.sleep(0.01, 5)"
    ])
    expect(all[0]).toMatchObject({ status: "exit", exitCode: 2 })
    expect(echo(all[3]!)).toBe("4")
    const said = all.slice(1, 4).map((result) => stderr(result))
    // At the end of the first cell in which it has run, once, and with the name that asyncio gave it.
    expect(said.join("")).toMatch(/^Task Task-\d+ failed, and nothing has awaited it:[^]*in leave[^]*SystemExit: 1\n$/)
    expect(said.join("").split("SystemExit: 1")).toHaveLength(2)
    expect(all[4]).toMatchObject({ status: "exit", exitCode: 1 })
    expect([echo(all[5]!), stderr(all[5]!)]).toEqual(["5", "SystemExit: 4\n"])
  })

  it.runIf(minor >= 11)(`has working time limits (needs Python 3.11, this is 3.${minor})`, async () => {
    const [result] = await cells([
      "import asyncio\ntry:\n    async with asyncio.timeout(0.05): await asyncio.sleep(5)\nexcept TimeoutError: print('limit')"
    ])
    expect(stdout(result!)).toBe("limit\n")
  })
})
