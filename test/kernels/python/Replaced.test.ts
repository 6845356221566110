/** What a cell replaces in builtins and in modules is seen by cells, and breaks nothing of the kernel. */
import { describe, expect, it } from "vitest"
import { cells, displays, echo, errorOf, Kernel, notices, stderr, stdout } from "../../support/PythonRunner.ts"

const withKernel = async (use: (kernel: Kernel) => Promise<void>) => {
  const kernel = new Kernel({ tools: async (_name, params) => ({ value: params }) })
  try {
    await use(kernel)
  } finally {
    await kernel.close()
  }
}

const names =
  "print open isinstance hasattr getattr len type str repr list dict min max any all set sorted super iter next __import__ __build_class__ Exception BaseException KeyboardInterrupt int bytes tuple enumerate zip callable property object"

describe("replaced builtins", () => {
  it("are the cells' alone: the next cells run, echo, show, call tools and tell of their errors", () =>
    withKernel(async (kernel) => {
      await kernel.run(`import builtins\nfor name in "${names}".split(): setattr(builtins, name, None)`)
      expect(echo(await kernel.run("{'a': [1, 'b']}"))).toBe("{'a': [1, 'b']}")
      expect(displays(await kernel.run("display(3)"))).toEqual([{ "text/plain": "3" }])
      expect(echo(await kernel.run("tool('read', {'a': 1})"))).toBe("{'a': 1}")
      expect(echo(await kernel.run("x = 'a;b'; 5;  # c"))).toBeUndefined()
      expect(stdout(await kernel.run("__builtins__.display.__self__.kernel.streams.out.write('said\\n');"))).toBe(
        "said\n"
      )
      const failed = await kernel.run("def f():\n    [][1]\nf()")
      expect(errorOf(failed)?.["traceback"]).toContain('File "<cell 7>", line 2, in f\n    [][1]\n')
      expect(errorOf(failed)).toMatchObject({ name: "IndexError", message: "list index out of range" })
      expect(notices(failed).join()).toContain("builtins that cells have replaced: ")
      // Told once, not with each error.
      expect(notices(await kernel.run("[][2]"))).toEqual([])
      expect(errorOf(await kernel.run("len([])"))?.["message"]).toBe("'NoneType' object is not callable")
      expect(errorOf(await kernel.run("1 +"))?.["name"]).toBe("SyntaxError")
      expect(echo(await kernel.run("%pwd"))).toBe(`'${process.cwd()}'`)
    }))

  it("do not keep a cell from being interrupted", () =>
    withKernel(async (kernel) => {
      await kernel.run("import builtins\nfor name in 'len isinstance getattr'.split(): setattr(builtins, name, None)")
      const running = kernel.run("x = 1\ntool('begun')\nwhile True: pass")
      await kernel.until(() => kernel.frames.find((frame) => frame.t === "call"))
      kernel.interrupt()
      const result = await running
      expect(result.status).toBe("interrupted")
      expect(errorOf(result)?.["traceback"]).toContain('File "<cell 2>", line')
      expect(echo(await kernel.run("x"))).toBe("1")
    }))

  it("break an await with an error, and the cells after it are answered", () =>
    withKernel(async (kernel) => {
      await kernel.run("import asyncio, builtins\nkept = builtins.len, builtins.isinstance, builtins.bool")
      await kernel.run("builtins.len = builtins.isinstance = builtins.bool = None")
      expect((await kernel.run("await asyncio.sleep(0)")).status).toBe("error")
      expect(echo(await kernel.run("1 + 1"))).toBe("2")
      await kernel.run("builtins.len, builtins.isinstance, builtins.bool = kept")
      expect(echo(await kernel.run("await asyncio.sleep(0, 5)"))).toBe("5")
    }))

  it("are not those of the kernel's modules that are loaded later, though a cell clears the caches of imports", async () => {
    const results = await cells([
      "import builtins, sys\nsys.path_importer_cache.clear()\nbuiltins.sorted = builtins.isinstance = None",
      "%whos",
      "sys.modules['livetools_kernel.line_magics'].__builtins__ is builtins.__dict__"
    ])
    expect(stdout(results[1]!)).toMatch(/^Variable .*\nbuiltins .*\nsys /)
    expect(echo(results[2]!)).toBe("False")
  })

  it("may all be gone", async () => {
    const results = await cells(["import builtins\nbuiltins.__dict__.clear()", "2 + 2", "undefined"])
    expect(results.map(({ status }) => status)).toEqual(["ok", "ok", "error"])
    expect(echo(results[1]!)).toBe("4")
    expect(errorOf(results[2]!)?.["message"]).toBe("name 'undefined' is not defined")
  })
})

describe("replaced names of modules", () => {
  const replaced = `
import contextlib, io, json, linecache, os, re, select, signal, sys, threading, time
json.JSONEncoder.encode = json.JSONEncoder.iterencode = json.JSONDecoder.decode = json.dumps = json.loads = None
for module, names in (
    (os, "write read getpid _exit getcwd stat dup2 set_blocking fspath close open fork register_at_fork"),
    (time, "time sleep monotonic perf_counter"),
    (signal, "signal getsignal pthread_kill"),
    (re, "compile match search sub"),
    (contextlib, "ExitStack suppress"),
    (io, "StringIO TextIOWrapper"),
    (threading, "Thread Lock"),
    (sys, "excepthook unraisablehook"),
):
    for name in names.split(): setattr(module, name, None)
threading.excepthook = None`

  it("break nothing that goes on around cells", () =>
    withKernel(async (kernel) => {
      expect((await kernel.run(replaced)).status).toBe("ok")
      expect(echo(await kernel.run("{'é': [1, 2.5]}"))).toBe("{'é': [1, 2.5]}")
      const printed = await kernel.run("print('out'); print('err', file=sys.stderr)")
      expect([stdout(printed), stderr(printed)]).toEqual(["out\n", "err\n"])
      expect(echo(await kernel.run("tool('read', {'a': 1})"))).toBe("{'a': 1}")
      const running = kernel.run("tool('begun')\nwhile True: pass")
      await kernel.until(() => kernel.frames.filter((frame) => frame.t === "call").at(1))
      kernel.interrupt()
      expect((await running).status).toBe("interrupted")
      expect(errorOf(await kernel.run("1 / 0"))?.["name"]).toBe("ZeroDivisionError")
    }))

  it("may make that errors cannot be told as usual: their name and message are", () =>
    withKernel(async (kernel) => {
      await kernel.run("import traceback\ntraceback.TracebackException = None")
      expect(errorOf(await kernel.run("1 / 0"))).toMatchObject({
        name: "ZeroDivisionError",
        message: "division by zero"
      })
      await kernel.run("import sys\nsys.modules.clear()")
      expect(errorOf(await kernel.run("[1].x"))).toMatchObject({
        name: "AttributeError",
        message: "'list' object has no attribute 'x'"
      })
      expect(echo(await kernel.run("1 + 1"))).toBe("2")
    }))

  it("streams that take no text lose no error and no word of an exit", async () => {
    const results = await cells([
      "import sys\nsys.stdout = sys.stderr = 7\n1 / 0",
      "sys.exit('bye')",
      "class Worse(Exception):\n    def __str__(self): raise ValueError('no text')\nsys.exit(Worse())",
      "import asyncio\nsys.excepthook = None\nasync def leaves(): raise SystemExit(3)\nt = asyncio.get_event_loop().create_task(leaves());",
      "sys.stdout = sys.stderr = None",
      "print('hello')"
    ])
    expect(results.map(({ status }) => status)).toEqual(["error", "exit", "error", "ok", "ok", "ok"])
    expect(stderr(results[1]!)).toBe("bye\n")
    expect(errorOf(results[2]!)?.["name"]).toBe("ValueError")
    expect(stdout(results[5]!)).toBe("hello\n")
  })
})

describe("a trace function", () => {
  it("sees cells, in the next one too, and nothing of the kernel", async () => {
    const [, traced, untraced] = await cells([
      "import sys\nseen = []\ndef trace(frame, event, _): seen.append((frame.f_code.co_filename, frame.f_lineno))\nsys.settrace(trace)",
      "def f():\n    return 5\nf()",
      "sys.settrace(None)\n[place for place in seen if place[1]], sorted({file for file, _ in seen})"
    ])
    expect(echo(traced!)).toBe("5")
    expect(echo(untraced!)).toContain("('<cell 2>', 1)")
    expect(echo(untraced!)).toMatch(/\['<cell 2>', '<cell 3>'\]\)$/)
  })

  it("that raises ends a cell, not the kernel", async () => {
    const results = await cells(["import sys\nsys.settrace(lambda *_: 1 / 0)", "1 + 1", "2 + 2"])
    expect(results.map(({ status }) => status)).toEqual(["ok", "error", "ok"])
    expect(echo(results[2]!)).toBe("4")
  })
})

it("what stands in for a module and answers nothing breaks no cell", async () => {
  const results = await cells([
    "import sys\nclass Odd:\n    def __getattr__(self, name): raise RuntimeError(name)\nsys.modules['odd'] = Odd();",
    "1 + 1"
  ])
  expect(echo(results[1]!)).toBe("2")
})

it("a signal that a cell blocks still interrupts the next ones", () =>
  withKernel(async (kernel) => {
    await kernel.run("import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT]);")
    const running = kernel.run("tool('begun')\nwhile True: pass")
    await kernel.until(() => kernel.frames.find((frame) => frame.t === "call"))
    kernel.interrupt()
    expect((await running).status).toBe("interrupted")
  }))
