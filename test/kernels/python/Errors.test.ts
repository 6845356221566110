import { describe, expect, it } from "vitest"
import { cells, echo, errorOf, minor, type Result, stderr, stdout } from "../../support/PythonRunner.ts"

const traceback = (result: Result) => String(errorOf(result)?.["traceback"])

describe("tracebacks", () => {
  it("begin at the user's code and show its lines, of earlier cells too", async () => {
    const [, called, syntax] = await cells(["def f():\n    q = 3\n    return q/0", "x = 1\nf()", "x =\n"])
    expect(traceback(called!)).toMatch(
      /^Traceback \(most recent call last\):\n {2}File "<cell 2>", line 2, in <module>\n {4}f\(\)\n[^]*File "<cell 1>", line 3, in f\n {4}return q\/0\n/
    )
    expect(errorOf(called!)).toMatchObject({ name: "ZeroDivisionError", message: "division by zero" })
    expect(traceback(syntax!)).toMatch(/^ {2}File "<cell 3>", line 1\n {4}x =\n +\^\n/)
  })

  it("name no file of the runner, neither of magics nor of the event loop", async () => {
    const all = await cells([
      "import asyncio\nasync def f(): 1/0\nawait f()",
      "!kill -9 $$\n%cd /nowhere",
      "%run nowhere.py",
      "display(1, nonsense=1)\ntool('x')",
      "class R:\n    def __repr__(self): 1/0\ndisplay(R())",
      "import json; json.loads('{')"
    ])
    for (const result of all) expect(traceback(result)).not.toMatch(/livetools_kernel|asyncio/)
    expect(traceback(all[0]!)).toMatch(/line 3, in <module>[^]*line 2, in f/)
    expect(traceback(all[4]!)).toMatch(/line 3, in <module>[^]*line 2, in __repr__/)
    expect(traceback(all[5]!)).toContain("json/decoder.py")
  })

  it("show causes, contexts, notes and groups", async () => {
    const [cause, context, group] = await cells([
      "try: {}['k']\nexcept KeyError as e: raise ValueError('outer') from e",
      "try: {}['k']\nexcept KeyError: int('x')",
      minor >= 11 ? "e = ValueError('a'); e.add_note('a note')\nraise ExceptionGroup('grp', [e, KeyError('b')])" : "1/0"
    ])
    expect(traceback(cause!)).toMatch(/KeyError: 'k'[^]*direct cause[^]*ValueError: outer/)
    expect(traceback(context!)).toMatch(/KeyError: 'k'[^]*During handling[^]*invalid literal/)
    if (minor >= 11) expect(traceback(group!)).toMatch(/ExceptionGroup: grp[^]*ValueError: a[^]*a note[^]*KeyError/)
  })

  it("are bounded", async () => {
    const [recursion, long, wide] = await cells([
      "def r(n): return r(n + 1)\nr(0)",
      "raise ValueError('x' * 10_000_000)",
      `y = "${"z".repeat(200_000)}`
    ])
    expect(traceback(recursion!)).toContain("Previous line repeated")
    for (const result of [recursion!, long!, wide!]) {
      expect(traceback(result).length).toBeLessThan(20_000)
      expect(String(errorOf(result)?.["message"]).length).toBeLessThan(20_000)
    }
    expect(traceback(long!)).toContain("characters left out")
  })

  it("are told in time though they are hundreds of thousands of frames long", async () => {
    const [deep] = await cells([
      "import sys\nsys.setrecursionlimit(20_000)\ndef r(n): return 1 / (n and r(n - 1))\nr(15_000)"
    ])
    expect(errorOf(deep!)?.["name"]).toBe("ZeroDivisionError")
    expect(traceback(deep!)).toMatch(/^Traceback .*\n {2}File "<cell 1>", line 4, in <module>\n {4}r\(15_000\)\n/)
    expect(traceback(deep!)).toMatch(/ZeroDivisionError: .*\n\(140\d\d more frames between them are left out\)\n$/)
  })

  it("are made of errors that cannot be told", async () => {
    const [broken, nasty, after] = await cells([
      "class E(Exception):\n    def __str__(self): raise RuntimeError('no')\nraise E()",
      "class F(Exception):\n    def __str__(self): raise SystemExit\nraise F()",
      "1"
    ])
    expect(errorOf(broken!)?.["name"]).toBe("E")
    expect(traceback(broken!)).toContain("raise E()")
    expect(nasty!.status).toBe("error")
    expect(echo(after!)).toBe("1")
  })

  it("come from a task in the background by the end of the cell, while a name still holds the task (guide 73)", async () => {
    const [failed, quiet, awaited, later] = await cells([
      "import asyncio\nasync def bad(): raise ValueError('in task')\nt = asyncio.create_task(bad())\nawait asyncio.sleep(0.05)",
      "1",
      "u = asyncio.create_task(bad())\ntry:\n    await u\nexcept ValueError: pass",
      "try:\n    await t\nexcept ValueError as error: print('awaited', error)"
    ])
    expect(failed!.status).toBe("ok")
    expect(stderr(failed!)).toMatch(/Task Task-\d+ failed, and nothing has awaited it:[^]*ValueError: in task/)
    expect(stderr(quiet!)).toBe("")
    expect(stderr(awaited!)).toBe("")
    expect(stdout(later!)).toContain("awaited in task")
  })

  it("come from finalizers, tasks that nobody awaits and threads", async () => {
    const all = await cells([
      "class D:\n    def __del__(self): raise ValueError('in del')\nd = D(); del d",
      "import asyncio, gc\nasync def bad(): raise ValueError('in task')\nt = asyncio.create_task(bad())\nawait asyncio.sleep(0.05)\ndel t; gc.collect();",
      "async def never(): pass\nnever(); gc.collect();"
    ])
    expect(stderr(all[0]!)).toMatch(/in del/)
    expect(stderr(all[1]!)).toContain("in task")
    expect(stderr(all[2]!)).toContain("was never awaited")
  })
})

describe("leaving", () => {
  it("ends the cell with its status and keeps the kernel", async () => {
    const all = await cells([
      "x = 1; exit()",
      "quit(3)",
      "import sys; sys.exit(4)",
      "raise SystemExit",
      "sys.exit('a message')",
      "x"
    ])
    expect(all.slice(0, 5).map((result) => [result.status, result.exitCode])).toEqual([
      ["exit", 0],
      ["exit", 3],
      ["exit", 4],
      ["exit", 0],
      ["exit", 1]
    ])
    expect(stderr(all[4]!)).toBe("a message\n")
    expect(echo(all[5]!)).toBe("1")
  })

  it("keeps the kernel through MemoryError and a KeyboardInterrupt of the user's own", async () => {
    const all = await cells(["bytearray(10**15)", "raise KeyboardInterrupt('mine')", "5"])
    expect(errorOf(all[0]!)?.["name"]).toBe("MemoryError")
    expect(all[1]!.status).toBe("error")
    expect(traceback(all[1]!)).toContain("mine")
    expect(echo(all[2]!)).toBe("5")
  })

  it("loses no output of a kernel that dies", async () => {
    const [exited] = await cells(["import os\nfor i in range(50): print(i, end=' ')\nos._exit(7)"])
    expect(exited!.status).toBe("died")
    expect(stdout(exited!)).toContain("48 49 ")
    const [crashed] = await cells(["import ctypes\nprint('before')\nctypes.string_at(0)"])
    expect(crashed!.status).toBe("died")
    expect(stdout(crashed!)).toBe("before\n")
    expect(stderr(crashed!)).toMatch(/Segmentation fault[^]*<cell 1>/)
  })
})
