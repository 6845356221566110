import { describe, expect, it } from "vitest"
import { cells, echo, errorOf, results, stderr } from "../../support/PythonRunner.ts"

const echoes = async (...codes: ReadonlyArray<string>) => (await cells(codes)).map((result) => echo(result))

describe("echo", () => {
  it("is the repr of the last expression, and of nothing else", async () => {
    expect(
      await echoes(
        "'a\\nb'",
        "1\n2",
        "x = 3",
        "x += 1",
        "def f(): 1",
        "import os",
        "for i in [1]: i",
        "None",
        "print",
        ""
      )
    ).toEqual([
      "'a\\nb'",
      "2",
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
      "<built-in function print>",
      undefined
    ])
  })

  it("is silenced by a semicolon that is the last token", async () => {
    expect(await echoes("1;", "1;  # c", "1;\n# c\n", "1  # c;", "'a;b'", "1; 2", "'''\n;'''", "x = 1; x;")).toEqual([
      undefined,
      undefined,
      undefined,
      "1",
      "'a;b'",
      "2",
      "'\\n;'",
      undefined
    ])
  })

  it("names earlier results, and leaves a `_` of the user's alone", async () => {
    expect(await echoes("7", "8", "_ + __", "_3", "Out[1]", "_ = str.upper", "9", "_('a')", "del _", "5", "_")).toEqual(
      ["7", "8", "15", "15", "7", undefined, "9", "'A'", undefined, "5", "5"]
    )
  })

  it("keeps no large result alive, and only the last twenty small ones", async () => {
    const [, , , freed] = await cells([
      "import weakref, gc\nclass Big(list): pass\nb = Big(range(10**6)); w = weakref.ref(b); del b\nw()",
      "1",
      "2",
      "gc.collect(); (w() is None, sorted(Out))"
    ])
    expect(echo(freed!)).toBe("(True, [2, 3])")
    const many = await cells([...Array.from({ length: 30 }, (_, at) => String(at)), "len(Out), '_5' in globals()"])
    expect(echo(many.at(-1)!)).toBe("(20, False)")
  })

  it("lays long containers out over lines", async () => {
    const [value] = await echoes("{'a': list(range(5)), 'b': {'text': 'x' * 60, 'more': (1,)}}")
    expect(value).toBe(`{'a': [0, 1, 2, 3, 4],\n 'b': {'text': '${"x".repeat(60)}',\n       'more': (1,)}}`)
  })

  it("stops in cycles and at a thousand items, and keeps head and tail of long texts", async () => {
    const [cycle, list, text, nested, bytes] = await echoes(
      "a = [1]; a.append(a); a",
      "list(range(10**6))",
      "'x' * 50_000_000 + 'END'",
      "{i: {j: [j] * 9 for j in range(100)} for i in range(10_000)}",
      "b'y' * 1_000_000"
    )
    expect(cycle).toBe("[1, [...]]")
    expect(list).toMatch(/^\[0,\n 1,\n 2,[^]* 999,\n \.\.\. \(1000000 items in all\)\]$/)
    expect(text!.length).toBeLessThan(66_000)
    expect(text).toMatch(/of 50000003 characters left out[^]*END'$/)
    expect(nested!.length).toBeLessThan(140_000)
    expect(bytes).toMatch(/of 1000000 bytes left out/)
  })

  it("tells the error of a repr and goes on", async () => {
    const [broken, after] = await cells(["class R:\n    def __repr__(self): raise ValueError('in repr')\nR()", "1"])
    expect(broken!.status).toBe("error")
    expect(errorOf(broken!)?.["traceback"]).toContain("in repr")
    expect(echo(after!)).toBe("1")
  })

  it("asks types for their display methods, not values that answer everything", async () => {
    const [mock, kind, wild, dropped] = await cells([
      "from unittest.mock import MagicMock\nMagicMock()",
      "class H:\n    def _repr_html_(self): return '<b>'\nH",
      "class Any:\n    def __getattr__(self, name): return lambda *a, **k: 5\n    def __repr__(self): return 'any'\nAny()",
      "class P:\n    def _repr_html_(self): raise ValueError('no html')\n    def __repr__(self): return 'p'\nP()"
    ])
    expect(echo(mock!)).toMatch(/^<MagicMock/)
    expect(results(kind!)).toEqual([{ "text/plain": "<class '__main__.H'>" }])
    expect(results(wild!)).toEqual([{ "text/plain": "any" }])
    expect(results(dropped!)).toEqual([{ "text/plain": "p" }])
    expect(stderr(dropped!)).toContain("no html")
  })
})

describe("namespace", () => {
  it("is the real __main__, without names of the runner", async () => {
    const all = await echoes(
      "import pickle\nclass Q: pass\ntype(pickle.loads(pickle.dumps(Q()))) is Q",
      "import __main__; __main__.Q is Q",
      "import sys; sys.argv, sys.path[0], '__file__' in globals()",
      "[n for n in globals() if not n.startswith('_')]",
      "def f(x: int): pass\nf.__annotations__['x'] is int",
      "from __future__ import annotations",
      "def g(x: int): pass\ng.__annotations__",
      "import inspect; inspect.getsource(g)"
    )
    expect(all).toEqual([
      "True",
      "True",
      "([''], '', False)",
      "['In', 'Out', 'pickle', 'Q', 'sys']",
      "True",
      undefined,
      "{'x': 'int'}",
      "'def g(x: int): pass\\n'"
    ])
  })

  it("survives a cell that clears it, or replaces all of it", async () => {
    const all = await cells([
      "a = 1\nglobals().clear()",
      "!echo shell",
      "print(len('abc')); __name__",
      "for name in list(globals()): globals()[name] = None",
      "import sys\nclass P: pass\nlen('ab'), __name__, P.__module__",
      "__builtins__ = {}",
      "%pwd;"
    ])
    expect(all.map((result) => result.status)).toEqual(Array(7).fill("ok"))
    expect(echo(all[2]!)).toBe("'__main__'")
    expect(echo(all[4]!)).toBe("(2, '__main__', '__main__')")
  })

  it("keeps what was bound before an error", async () => {
    expect(await echoes("a = 1; b = 2; 1/0; c = 3", "a + b, 'c' in globals()")).toEqual([undefined, "(3, False)"])
  })

  it("takes large, deep and broken sources", async () => {
    const [large, deep, nul, empty, comment, after] = await cells([
      `x = """${"a".repeat(1_000_000)}"""\nlen(x)`,
      `eval("("*2000 + ")"*2000)`,
      "x = 'a\0b'",
      "",
      "# only a comment",
      "2"
    ])
    expect(echo(large!)).toBe("1000000")
    expect([deep!.status, nul!.status, empty!.status, comment!.status]).toEqual(["error", "error", "ok", "ok"])
    expect(echo(after!)).toBe("2")
  })
})
