/** What one cell does and the next one sees of it. */
import * as Fs from "node:fs"
import * as Path from "node:path"
import { expect, it } from "vitest"
import * as Folders from "../../support/Folders.ts"
import { cells, echo, errorOf, notices, stderr, stdout } from "../../support/PythonRunner.ts"

it("variables of the context that a cell with await sets are set in the next ones, also after an error", async () => {
  const results = await cells([
    "import asyncio, contextvars, decimal\nv = contextvars.ContextVar('v'); v.set(1)\nawait asyncio.sleep(0)\ndecimal.getcontext().prec = 5",
    "decimal.Decimal(1) / 3, v.get()",
    "await asyncio.sleep(0)\nv.set(2)\n1 / 0",
    "v.get()",
    "async def inner(): v.set(3)\nawait asyncio.create_task(inner())\nawait asyncio.sleep(0, v.get())"
  ])
  expect([1, 3, 4].map((at) => echo(results[at]!))).toEqual(["(Decimal('0.33333'), 1)", "2", "2"])
})

it("a warning that an earlier cell has shown on the same line is shown for this one", async () => {
  const warn = "import warnings\nfor _ in range(3): warnings.warn('careful')"
  const results = await cells([warn, warn])
  for (const [at, result] of results.entries()) {
    expect(stderr(result)).toBe(
      `<cell ${at + 1}>:2: UserWarning: careful\n  for _ in range(3): warnings.warn('careful')\n`
    )
  }
})

it("descriptors that a cell has led elsewhere are the output again, which is told", async () => {
  const folder = Folders.make("livetools-led-")
  const results = await cells(
    [
      "import os\nopened = os.open('out.txt', os.O_WRONLY | os.O_CREAT)\nos.dup2(opened, 1); os.system('echo in the file');",
      "print('here'); os.system('echo there');",
      "kept = os.dup(1); os.dup2(opened, 1); os.dup2(kept, 1); os.close(2)",
      "import sys; print('error', file=sys.stderr)"
    ],
    { cwd: folder }
  )
  expect(Fs.readFileSync(Path.join(folder, "out.txt"), "utf8")).toBe("in the file\n")
  expect(notices(results[1]!)).toEqual([
    "an earlier cell led descriptor 1 elsewhere; it is the output of the cells again"
  ])
  expect(stdout(results[1]!)).toBe("here\nthere\n")
  expect([stderr(results[3]!), ...notices(results[2]!), ...notices(results[3]!)]).toEqual(["error\n"])
})

it("a module that was told as changed is reloaded when %autoreload comes, and is not told again when a cell reloads it", async () => {
  const cwd = Folders.make("livetools-changed-")
  const write = (text: string) => `open("changed.py", "w").write(${JSON.stringify(text)});`
  const results = await cells(
    [
      write("v = 1"),
      "import changed, importlib; changed.v",
      write("v = 22"),
      "changed.v",
      "changed.v",
      "%autoreload 2",
      "changed.v",
      write("v = 3 +"),
      "changed.v",
      "changed.v",
      write("v = 4444"),
      "changed.v",
      "%autoreload 0",
      write("v = 55555"),
      "importlib.reload(changed).v",
      "changed.v"
    ],
    { cwd }
  )
  const seen = results.flatMap((result) => {
    const value = echo(result)
    return value === undefined ? [] : [[value, notices(result).length]]
  })
  expect(seen).toEqual([
    ["1", 0],
    ["1", 1],
    ["1", 0],
    ["22", 0],
    ["22", 1],
    ["22", 0],
    ["4444", 0],
    ["55555", 1],
    ["55555", 0]
  ])
})

it("a stream that a cell replaces by a buffer keeps what is printed, which is told once", async () => {
  const results = await cells([
    "import io, sys\nclass Tee:\n    def write(self, text): return sys.__stdout__.write(text.upper())\n    def flush(self): pass\nsys.stdout = Tee(); print('teed')",
    "sys.stdout = io.StringIO(); print('kept')",
    "print('kept too')",
    "held = sys.stdout; sys.stdout = sys.__stdout__; held.getvalue()",
    "import contextlib\nwith contextlib.redirect_stdout(io.StringIO()) as other: print('hidden')\nsys.stdout = held"
  ])
  expect(stdout(results[0]!)).toBe("TEED\n")
  expect(results.map((result) => notices(result).length)).toEqual([0, 1, 0, 0, 1])
  expect(notices(results[1]!)[0]).toMatch(/^sys\.stdout is <_io\.StringIO .*> now: what is printed goes there/)
  expect(echo(results[3]!)).toBe(String.raw`'kept\nkept too\n'`)
})

it("pdb.set_trace is passed over as breakpoint() is", async () => {
  const [result] = await cells(["import pdb\ndef f():\n    pdb.set_trace()\n    return 4\nf()"])
  expect(echo(result!)).toBe("4")
  expect(stderr(result!)).toContain("the breakpoint is passed over: nobody is at the keyboard")
})

it("what a cell awaits under a library's own loop begins at the cell in its traceback", async () => {
  const folder = Folders.make("livetools-loop-")
  // As nest_asyncio does it.
  Fs.writeFileSync(
    Path.join(folder, "nest.py"),
    "import asyncio\nask = asyncio.BaseEventLoop.run_until_complete\ndef run_until_complete(self, future): return ask(self, future)\nasyncio.BaseEventLoop.run_until_complete = run_until_complete"
  )
  const results = await cells(["import nest", "async def f(): 1 / 0\nawait f()"], { cwd: folder })
  expect(errorOf(results[1]!)?.["traceback"]).toMatch(
    /^Traceback \(most recent call last\):\n {2}File "<cell 2>", line 2/
  )
})

it("the echo of a cell stands ahead of what is printed after it, by a wrapper or by a hook", async () => {
  const results = await cells([
    "%%time\n'timed'",
    "get_ipython().events.register('post_run_cell', lambda *_: print('hook'))",
    "'echoed'"
  ])
  const order = (at: number) =>
    results[at]!.outputs.map((output) =>
      output.kind === "frame"
        ? (output.frame["data"] as Record<string, string>)["text/plain"]
        : output.text.split("\n")[0]!.split(":")[0]
    )
  expect(order(0)).toEqual(["'timed'", "CPU times"])
  expect(order(2)).toEqual(["'echoed'", "hook"])
})
