import { execFileSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import * as Folders from "../../support/Folders.ts"
import {
  allText,
  cells,
  displays,
  echo,
  errorOf,
  minor,
  notices,
  python,
  runnerFolder,
  stderr,
  stdout
} from "../../support/PythonRunner.ts"

const one = async (code: string) => (await cells([code]))[0]!
const folder = () => Folders.make("livetools-idioms-")

describe("where an idiom begins", () => {
  it("leaves strings, brackets and continued lines alone", async () => {
    const result = await one(
      [
        's = """',
        "%foo",
        "!bar",
        "%%baz",
        "what?",
        '"""',
        "t = '''a \\",
        "!x'''",
        "m = (10",
        "% 3)",
        "n = 7 \\",
        "% 4",
        "d = {",
        "'k': 1 if 1",
        "!= 2 else 0}",
        "f = f'{n!r:>4}' # !no",
        "g = f'{n = !r}'",
        "s, t, m, n, d, f, g"
      ].join("\n")
    )
    expect(echo(result)).toContain(String.raw`('\n%foo\n!bar\n%%baz\nwhat?\n',`)
    expect(echo(result)).toContain("'a !x',")
    expect(echo(result)).toContain("{'k': 1},")
    expect(echo(result)).toContain("'   3',")
    expect(echo(result)).toContain("'n = 3')")
  })

  it.runIf(minor >= 12)(
    `leaves f-strings alone that hold quotes of their own (needs Python 3.12, this is 3.${minor})`,
    async () => {
      const result = await one(
        `n = {"a": 1}\nx = f"{n["a"]:'>4} {"\\n!ls"}"\ny = f"""{n["a"]}\n!ls\n{ {"b": 2}["b"]:{3}}"""\n!echo one\nx, y`
      )
      expect(stdout(result)).toBe("one\n")
      expect(echo(result)).toBe(String.raw`("'''1 \n!ls", '1\n!ls\n  2')`)
    }
  )

  it("leaves Python's own library as it stands", { timeout: 120_000 }, () => {
    const script = [
      "import glob, os, sys",
      "sys.path.insert(0, sys.argv[1])",
      "from livetools_kernel import idioms",
      "for name in sorted(glob.glob(os.path.dirname(os.__file__) + '/*.py'))[::2]:",
      "    with open(name, encoding='utf-8') as file: text = file.read()",
      "    if idioms.rewrite(text).text != text: print(name)",
      "print('done')"
    ].join("\n")
    expect(execFileSync(python, ["-B", "-c", script, runnerFolder], { encoding: "utf8" })).toBe("done\n")
  })

  it("keeps line numbers, and shows the user's line", async () => {
    const result = await one("!true\n%cd .\n!echo \\\n  joined\n1/0")
    expect(errorOf(result)?.["traceback"]).toContain("line 5, in <module>\n    1/0")
    const inMagic = await one("x = 1\n%cd /nowhere-at-all\n")
    expect(errorOf(inMagic)?.["traceback"]).toContain("/nowhere-at-all")
    const syntax = await one("!true\nx = = 2")
    expect(errorOf(syntax)?.["traceback"]).toMatch(/line 2\n {4}x = = 2\n +\^/)
  })

  it("strips prompts, indentation, carriage returns and a byte order mark", async () => {
    const all = await cells([
      ">>> x = 1\n>>> if x:\n...     print('p')\n>>> x + 1",
      "In [3]: y = 5\n   ...: y",
      "    a = 1\n    if a:\n        print('in')\n    a",
      "b = 1\r\nif b:\r\n    b = 2\r\nb",
      "\ufeffc = 3\nc"
    ])
    expect(all.map((result) => echo(result))).toEqual(["2", "5", "1", "2", "3"])
    expect(all.map((result) => stdout(result))).toEqual(["p\n", "", "in\n", "", ""])
  })
})

describe("commands", () => {
  it("stream their output in order, set _exit_code and do not echo", async () => {
    const result = await one("print('a')\n!echo b; echo c >&2\nprint('d')\n!false")
    expect(result.outputs.map((output) => (output.kind === "frame" ? output.frame.t : output.text))).toEqual([
      "a\nb\n",
      "c\n",
      "d\n"
    ])
    expect((await cells(["!exit 3", "_exit_code"])).map((each) => echo(each))).toEqual([undefined, "3"])
  })

  it("give their lines when assigned", async () => {
    const result = await one("x = !printf 'a\\nb c\\n'\n(list(x), x.n, x.s, x.l, [len(f) for f in x.fields()])")
    expect(stdout(result)).toBe("")
    expect(echo(result)).toBe(String.raw`(['a', 'b c'], 'a\nb c', 'a b c', ['a', 'b c'], [1, 2])`)
    expect(echo(await one("!!echo two"))).toBe("['two']")
  })

  it("fill in names and expressions of the caller, and nothing else", async () => {
    const result = await one(
      [
        "v = 1",
        "def f(w):",
        "    for i in range(2):",
        "        !echo {w}-$i-{i + v}",
        "f('in')",
        "!echo {1,2} ${HOME} {{x}} '{print $1}' $HOME_NOT_SET",
        "!awk 'BEGIN { print \"awk\" }'"
      ].join("\n")
    )
    const home = process.env["HOME"] ?? ""
    expect(stdout(result)).toBe(`in-0-1\nin-1-2\n1 2 ${home} {x} {print $1}\nawk\n`)
  })

  it("have an empty standard input", async () => {
    const all = await cells(["!cat; echo done", "!read foo; echo got:$foo", "%%bash\ncat; read x; echo end"])
    expect(all.map((result) => stdout(result))).toEqual(["done\n", "got:\n", "end\n"])
  })
})

describe("cell magics", () => {
  it("run scripts verbatim, and fail with their status behind the output", async () => {
    const result = await one(
      "\n# a note\n%%bash\nprintf 'a\\tb %s\\n' '{x} $HOME' \"it's\"\ncat <<'END'\n$here\nEND\nexit 4"
    )
    expect(stdout(result)).toBe("a\tb {x} $HOME\na\tb it's\n$here\n")
    expect(result.status).toBe("error")
    expect(errorOf(result)?.["message"]).toContain("exit status 4")
    expect(result.outputs.at(-1)).toMatchObject({ kind: "frame", frame: { t: "error" } })
  })

  it("take what IPython takes for scripts", async () => {
    const all = await cells(["%%bash --no-raise-error\nexit 3", "_exit_code", "%%bash --out got\necho hi", "got"])
    expect(all.map((result) => result.status)).toEqual(["ok", "ok", "ok", "ok"])
    expect([echo(all[1]!), echo(all[3]!)]).toEqual(["3", String.raw`'hi\n'`])
    expect(stdout(all[2]!)).toBe("")
  })

  it("give scripts to any program", async () => {
    const all = await cells(["%%script python3\nprint('py', 1 + 1)", "%%python3\nprint('own')", "%%script cat\nbody"])
    expect(all.map((result) => stdout(result))).toEqual(["py 2\n", "own\n", "body"])
  })

  it("time statements and cells without hiding their names or their echo", async () => {
    const all = await cells([
      "%time y = 5",
      "y",
      "%time y + 1",
      "%%time\nz = 6\nz",
      "z",
      "def f():\n    %time w = 1\n    return w\nf()",
      "import asyncio\n%time await asyncio.sleep(0, 3)",
      "%%time\nawait asyncio.sleep(0, 4)",
      "%time sum(\\\n  range(4))"
    ])
    expect(all.map((result) => echo(result))).toEqual([undefined, "5", "6", "6", "6", "1", "3", "4", "6"])
    expect(stdout(all[0]!)).toContain("Wall time")
    expect(stdout(all[3]!)).toContain("Wall time")
  })

  it("take the documents of the shell's lines with them", async () => {
    const results = await cells([
      "y = 1\n!cat <<EOT\nhi {y} it's\nEOT\n1 / 0",
      "def f():\n    got = !cat <<-'X' | tr a-z A-Z\n\tone\n\n\ttwo\n\tX\n    return got\nf()",
      "!cat <<A\n1\nA\n!cat <<A\n2\nA\nx = 1 << 3\nprint(x)",
      "!echo $((1<<4)) '<<B'"
    ])
    expect(stdout(results[0]!)).toBe("hi 1 it's\n")
    expect(errorOf(results[0]!)?.["traceback"]).toContain('File "<cell 1>", line 5')
    expect(echo(results[1]!)).toBe("['ONE', '', 'TWO']")
    expect(stdout(results[2]!)).toBe("1\n2\n8\n")
    expect(stdout(results[3]!)).toBe("16 <<B\n")
  })

  it("measure loops and other statements with %time, where they stand", async () => {
    const results = await cells([
      "%time for n in range(3): print(n)",
      "def f(n):\n    %time for i in range(n): last = i\n    return last\nf(4), n",
      "import asyncio\n%time async with asyncio.Lock(): x = await asyncio.sleep(0, 5)\nx",
      "%time a = 1; b = 2\na + b",
      "x = 1\n%time for n in",
      "%time if True: 1 / 0",
      "%%time x = 1\n2",
      "%%time\ny = 0\nfor n in range(3): y += n\nif y: y += 1\ny",
      "%prun -l 1 -s cumtime sum([1])"
    ])
    expect(stdout(results[0]!)).toMatch(/^0\n1\n2\nCPU times: .*\nWall time: .*\n$/)
    expect(results.slice(1, 4).map((result) => echo(result))).toEqual(["(3, 2)", "5", "3"])
    for (const result of results.slice(1, 4)) expect(stdout(result)).toMatch(/^CPU times: .*\nWall time: .*\n$/)
    expect(errorOf(results[4]!)?.["traceback"]).toContain('File "<cell 5>", line 2\n    %time for n in\n')
    expect(errorOf(results[5]!)?.["traceback"]).toContain("    %time if True: 1 / 0\n")
    expect(errorOf(results[6]!)?.["message"]).toContain("%%time has nothing behind it")
    expect(echo(results[7]!)).toBe("4")
    expect(stdout(results[8]!)).toContain("due to restriction <1>")
  })

  it("measure with %timeit", async () => {
    const all = await cells([
      "%timeit -n 10 -r 2 1+1",
      "%%timeit -n5 -r 1 x = 1\nx + 1",
      "r = %timeit -n 2 -r 1 -q -o pass\nr.loops"
    ])
    expect(stdout(all[0]!)).toMatch(/per loop \(mean ± std\. dev\. of 2 runs, 10 loops each\)/)
    expect(stdout(all[1]!)).toMatch(/of 1 run, 5 loops each/)
    expect(stdout(all[2]!)).toBe("")
    expect(echo(all[2]!)).toBe("2")
  })

  it("write files, capture output, run scripts", async () => {
    const cwd = folder()
    const all = await cells(
      [
        "%%writefile a.py\nimport sys\nv = 5\nprint(__name__, sys.argv[1:])",
        "%%writefile -a a.py\nw = 6",
        "%run a.py one two",
        "v + w, '__file__' in globals()",
        "%%capture held --no-stderr\nimport sys\nprint('out'); print('err', file=sys.stderr); display(1)\n2",
        "held.stdout, held.stderr, len(held.outputs)",
        "%%capture\n!echo child; echo error >&2\n1/0",
        "print('shown again')"
      ],
      { cwd }
    )
    expect(Fs.readFileSync(Path.join(cwd, "a.py"), "utf8")).toBe(
      "import sys\nv = 5\nprint(__name__, sys.argv[1:])\nw = 6\n"
    )
    expect(stdout(all[2]!)).toBe("__main__ ['one', 'two']\n")
    expect(echo(all[3]!)).toBe("(11, False)")
    expect(all[4]!.outputs).toEqual([{ kind: "stderr", text: "err\n" }])
    expect(echo(all[5]!)).toBe(String.raw`('out\n', '', 2)`)
    expect(all[6]!.status).toBe("error")
    expect(stdout(all[7]!)).toBe("shown again\n")
  })

  it("show text of a MIME type", async () => {
    const all = await cells(["%%html\n<b>q</b>", "%%markdown\n# t", "%%latex\n$x$", "%%svg\n<svg/>"])
    expect(all.map((result) => Object.keys(displays(result)[0]!)[0])).toEqual([
      "text/html",
      "text/markdown",
      "text/latex",
      "image/svg+xml"
    ])
  })
})

describe("line magics", () => {
  it("change the folder for cells and commands alike", async () => {
    const cwd = Fs.realpathSync(folder())
    Fs.mkdirSync(Path.join(cwd, "a b"))
    const all = await cells(['%cd "a b"', "!pwd", "import os; os.getcwd()", "%cd -", "%pwd"], { cwd })
    expect(stdout(all[1]!)).toBe(`${cwd}/a b\n`)
    expect(echo(all[2]!)).toBe(`'${cwd}/a b'`)
    expect(echo(all[4]!)).toBe(`'${cwd}'`)
  })

  it("set the environment", async () => {
    const all = await cells(["%env FOO=a b", "%set_env BAR c", "!echo $FOO $BAR", "%env FOO"])
    expect(stdout(all[2]!)).toBe("a b c\n")
    expect(echo(all[3]!)).toBe("'a b'")
  })

  it("accept what has no effect here, and say what they do not know", async () => {
    const quiet = await cells([
      "%matplotlib inline\n%matplotlib agg\n%config InlineBackend.figure_format = 'retina'\n%load_ext autoreload\n%autoreload 1\n%precision 3\n%xmode Plain\n%colors NoColor\n3"
    ])
    expect(echo(quiet[0]!)).toBe("3")
    expect(quiet[0]!.outputs).toHaveLength(1)
    const [unknown, cell, misplaced, after] = await cells(["%whoo", "%%bsh\nls", "x = 1\n%%bash\nls", "1"])
    expect(errorOf(unknown!)?.["traceback"]).toMatch(/^UsageError: unknown magic %whoo \(did you mean %who/)
    expect(errorOf(unknown!)?.["traceback"]).toContain("%timeit")
    expect(errorOf(cell!)?.["traceback"]).toContain("%%bash")
    expect(errorOf(misplaced!)?.["traceback"]).toBe(
      "UsageError: %%bash is a cell magic: it stands on the first line of a cell, not on line 2. Nothing of the cell has run\n"
    )
    expect(echo(after!)).toBe("1")
  })

  it("list, tell and forget names", async () => {
    const all = await cells([
      "alpha = 1; beta = 'x'",
      "%who",
      "%whos",
      "names = %who_ls\nnames",
      "len?",
      "def documented(a):\n    'says what'\n    return a",
      "documented??",
      "?documented",
      "nothing_here?",
      "%reset -f",
      "'alpha' in globals()",
      "%history",
      "alpha = 2",
      "%who"
    ])
    expect(stdout(all[1]!)).toBe("alpha  beta\n")
    expect(stdout(all[2]!)).toMatch(/alpha +int +1\n/)
    expect(echo(all[3]!)).toBe("['alpha', 'beta']")
    expect(stdout(all[4]!)).toContain("number of items")
    expect(stdout(all[6]!)).toContain("return a")
    expect(stdout(all[7]!)).toContain("says what")
    expect(stdout(all[8]!)).toContain("not found")
    expect(echo(all[10]!)).toBe("False")
    expect(stdout(all[11]!)).toContain("5: len?")
    expect(stdout(all[13]!)).toBe("alpha\n")
  })

  it("tell that a module changed on disk, or reload it", async () => {
    const cwd = folder()
    const write = (text: string) => `open("own.py", "w").write(${JSON.stringify(text)});`
    const all = await cells(
      [
        write("def f(): return 1"),
        "from own import f; import own; f()",
        write("def f(): return 'second'"),
        "f()",
        "%autoreload 2",
        write("def f(): return 'the third'"),
        "f(), own.f()"
      ],
      { cwd }
    )
    expect(notices(all[3]!).join()).toContain("own")
    expect(echo(all[3]!)).toBe("1")
    expect(echo(all[6]!)).toBe("('the third', 'the third')")
  })

  it("offer get_ipython() to pasted code", async () => {
    const all = await cells([
      "get_ipython().run_line_magic('pwd', '') == get_ipython().user_ns['In'] or get_ipython() is not None",
      "get_ipython().run_cell_magic('bash', '', 'echo cell')",
      "get_ipython().system('echo sys'); get_ipython().getoutput('echo got')",
      "from IPython import get_ipython as g; g() is get_ipython()",
      "called = []\nget_ipython().events.register('post_run_cell', lambda: called.append(1))",
      "len(called)"
    ])
    expect(all.map((result) => echo(result))).toEqual(["True", undefined, "['got']", "True", undefined, "1"])
    expect(allText(all[1]!)).toBe("cell\n")
    expect(stderr(all[1]!)).toBe("")
  })
})
