import { describe, expect, it } from "vitest"
import { cells, echo, errorOf, Kernel, type Output, stderr, stdout } from "../../support/PythonRunner.ts"

const shape = (outputs: ReadonlyArray<Output>) =>
  outputs.map((output) => (output.kind === "frame" ? `<${output.frame.t}>` : `${output.kind}:${output.text}`))

describe("order", () => {
  it("is that in which Python, C, descriptors, children and displays wrote", async () => {
    const code = [
      "import os, subprocess, sys, ctypes",
      "c = ctypes.CDLL(None)",
      "print('1'); os.system('echo 2'); os.write(1, b'3\\n')",
      "c.printf(b'4 '); print('5'); c.printf(b'6\\n')",
      "print('7', end=' '); subprocess.run(['echo', '8']); display(9)",
      "sys.stdout.buffer.write(b'10\\n'); print('11')",
      "print('12', file=sys.stderr); print('13'); os.system('echo 14 >&2'); print('15')",
      "'end'"
    ].join("\n")
    const all = await cells(Array.from({ length: 10 }, () => code))
    for (const result of all) {
      expect(shape(result.outputs)).toEqual([
        "stdout:1\n2\n3\n4 5\n6\n7 8\n",
        "<display>",
        "stdout:10\n11\n",
        "stderr:12\n",
        "stdout:13\n",
        "stderr:14\n",
        "stdout:15\n",
        "<result>"
      ])
    }
  })

  it("holds with what C prints in a burst", async () => {
    const [result] = await cells([
      "import ctypes\nc = ctypes.CDLL(None)\nfor i in range(0, 600, 2):\n    print(i); c.printf(b'%d\\n', i + 1)"
    ])
    expect(stdout(result!)).toBe(Array.from({ length: 600 }, (_, at) => `${at}\n`).join(""))
  })

  it("holds where C begins to print in a burst", async () => {
    const [result] = await cells([
      "import sys\nfor i in range(300): print(i)\nimport ctypes; ctypes.CDLL(None).printf(b'300\\n')\nprint(301)"
    ])
    expect(stdout(result!)).toBe(Array.from({ length: 302 }, (_, at) => `${at}\n`).join(""))
  })

  it("holds between the streams in a burst", async () => {
    const [result] = await cells([
      "import sys\nfor i in range(600):\n    print(i, file=sys.stderr if i % 3 == 0 else sys.stdout)"
    ])
    const text = result!.outputs.map((output) => (output.kind === "frame" ? "" : output.text)).join("")
    expect(text).toBe(Array.from({ length: 600 }, (_, at) => `${at}\n`).join(""))
  })

  it("keeps the text of a cell ahead of its end, and out of the next", async () => {
    const all = await cells(Array.from({ length: 20 }, (_, at) => `for i in range(500): print(${at})`))
    expect(all.map((result, at) => stdout(result) === `${at}\n`.repeat(500))).not.toContain(false)
  })
})

describe("volume", () => {
  it("streams a burst without waiting for its end, and loses nothing of it", async () => {
    const [result] = await cells(["for i in range(100_000): print('x' * 99)"])
    expect(stdout(result!)).toBe(`${"x".repeat(99)}\n`.repeat(100_000))
    const [slow] = await cells(["import time\nfor i in range(300): print(i)\ntime.sleep(1.5)"])
    expect(slow!.first).toBeLessThan(slow!.millis - 1_000)
  })

  it("survives writes that hold the interpreter's lock, and children that flood one stream", async () => {
    const [held, flood, after] = await cells([
      "import ctypes\nctypes.PyDLL(None).printf(b'1' * 300_000)",
      "import os\nos.system('(yes e 2>/dev/null | head -c 2000000) >&2')",
      "1"
    ])
    expect(stdout(held!)).toHaveLength(300_000)
    expect(stderr(flood!)).toHaveLength(2_000_000)
    expect(echo(after!)).toBe("1")
  })

  it("waits where a child has made the pipe non-blocking", async () => {
    const [result] = await cells(["import os\nos.set_blocking(1, False)\nprint('x' * 3_000_000)"])
    expect(result!.status).toBe("ok")
    expect(stdout(result!)).toHaveLength(3_000_001)
  })
})

describe("the streams", () => {
  it("are what programs expect of them", async () => {
    const [result] = await cells([
      "import sys\n(sys.stdout.encoding, sys.stdout.fileno(), sys.stdout.isatty(), sys.stdout.name, sys.stdout.errors, sys.__stdout__ is sys.stdout, sys.stderr.fileno())"
    ])
    expect(echo(result!)!.replaceAll(/\s+/g, " ")).toBe("('utf-8', 1, False, '<stdout>', 'backslashreplace', True, 2)")
    const used = await cells([
      "import subprocess, sys, io, contextlib\nsubprocess.run(['echo', 'child'], stdout=sys.stdout)",
      "with contextlib.redirect_stdout(io.StringIO()) as held: print('held')\nheld.getvalue()",
      "sys.stdout.reconfigure(line_buffering=True); print('still', flush=True)",
      "import faulthandler; faulthandler.enable(); 1"
    ])
    expect(stdout(used[0]!)).toBe("child\n")
    expect(echo(used[1]!)).toBe(String.raw`'held\n'`)
    expect(stdout(used[2]!)).toBe("still\n")
    expect(echo(used[3]!)).toBe("1")
  })

  it("are there again after a cell that closed, dropped or redirected them", async () => {
    const all = await cells([
      "import sys, os\nkept = sys.stdout\nsys.stdout.close()",
      "print('a')",
      "sys.stdout = None",
      "print('b')",
      "os.close(1); os.close(2)",
      "print('c')",
      "saved = os.dup(1); null = os.open(os.devnull, os.O_WRONLY); os.dup2(null, 1); print('into nothing')",
      "os.dup2(saved, 1); print('d')"
    ])
    expect(all.map((result) => result.status)).toEqual(Array.from({ length: 8 }, () => "ok"))
    expect([1, 3, 5, 7].map((at) => stdout(all[at]!))).toEqual(["a\n", "b\n", "c\n", "d\n"])
  })

  it("can be wrapped anew, and are there again without the wrapper", async () => {
    const all = await cells([
      "import io, sys\nsys.stdout = io.TextIOWrapper(sys.stdout.detach(), encoding='utf-8', line_buffering=True)\nprint('wrapped é')",
      "print('still'); print('e', file=sys.stderr); print('ordered')",
      "sys.stdout = sys.__stdout__",
      "print('fresh')",
      "del sys.stdout, sys.stderr",
      "print('given back')"
    ])
    expect(all.map((result) => stdout(result))).toEqual([
      "wrapped é\n",
      "still\nordered\n",
      "",
      "fresh\n",
      "",
      "given back\n"
    ])
    expect(shape(all[1]!.outputs)).toEqual(["stdout:still\n", "stderr:e\n", "stdout:ordered\n"])
  })

  it("take text that UTF-8 has no form for, and bytes that are no text", async () => {
    const all = await cells([
      "print('é\\ud800ü')",
      "import os\nos.write(1, bytes(range(256)) * 20)",
      "'\\ud800'",
      "raise ValueError('\\ud800')",
      "1"
    ])
    expect(stdout(all[0]!)).toBe("é\\ud800ü\n")
    expect(echo(all[2]!)).toBe(String.raw`'\ud800'`)
    expect(errorOf(all[3]!)?.["message"]).toBe("\ud800")
    expect(echo(all[4]!)).toBe("1")
  })

  it("carry what handlers, threads and warnings of earlier cells write", async () => {
    const all = await cells([
      "import logging, sys, threading, time\nlogging.basicConfig(level='INFO'); out = sys.stdout; logging.info('l1')",
      "logging.info('l2'); print('kept', file=out); import warnings; warnings.warn('careful')",
      "from concurrent.futures import ThreadPoolExecutor\npool = ThreadPoolExecutor(2)\npool.submit(lambda: (time.sleep(0.3), print('late')));",
      "time.sleep(0.6)",
      "def bad(): 1/0\nt = threading.Thread(target=bad, name='worker'); t.start(); t.join()"
    ])
    expect(stderr(all[1]!)).toMatch(/INFO:root:l2\n.*UserWarning: careful/s)
    expect(stdout(all[1]!)).toBe("kept\n")
    expect(stdout(all[3]!)).toBe("late\n")
    expect(stderr(all[4]!)).toMatch(
      /^Exception in thread worker:\nTraceback[^]*def bad\(\): 1\/0\n[^]*ZeroDivisionError/
    )
  })
})

describe("standard input", () => {
  it("is empty, and says so where somebody is asked", async () => {
    const all = await cells([
      "input('name? ')",
      "import sys; sys.stdin.read()",
      "import os; os.read(0, 10)",
      "import getpass; getpass.getpass()",
      "breakpoint(); 1",
      "import subprocess; subprocess.run(['cat']).returncode",
      "import pdb; pdb.set_trace()",
      "1"
    ])
    expect(stdout(all[0]!)).toContain("name? ")
    expect(errorOf(all[0]!)?.["message"]).toContain("nobody can answer")
    expect(all.slice(1, 3).map((result) => echo(result))).toEqual(["''", "b''"])
    expect(errorOf(all[3]!)?.["message"]).toContain("nobody can answer")
    expect(stderr(all[4]!)).toContain("the breakpoint is passed over: nobody is at the keyboard")
    expect(echo(all[4]!)).toBe("1")
    expect(echo(all[5]!)).toBe("0")
    expect(echo(all[7]!)).toBe("1")
  })
})

describe("the protocol", () => {
  it("is out of reach of what a cell prints and of its children", async () => {
    const forged = String.raw`{"t":"done","cell":1,"seq":1,"status":"ok"}`
    const all = await cells([
      `import os, sys, subprocess\nos.write(1, b'${forged}\\n'); sys.__stdout__.write('${forged}\\n'); print('after')`,
      `for fd in range(3, 100):\n    try: os.write(fd, b'junk')\n    except OSError: pass\nprint('after')`,
      "fds = subprocess.run(['ls', '/proc/self/fd'], close_fds=False, capture_output=True, text=True).stdout.split()\n[fd for fd in fds if 100 <= int(fd) < 110 or fd == '4']",
      "1"
    ])
    expect(stdout(all[0]!)).toBe(`${forged}\n${forged}\nafter\n`)
    expect(stdout(all[1]!)).toBe("after\n")
    expect(echo(all[2]!)).toBe("[]")
    expect(echo(all[3]!)).toBe("1")
  })

  it("is not told by its mark to the cell", async () => {
    const [result] = await cells([
      "import os, sys\n[len([1 for v in os.environ.values() if 'livetools' in v and 'marker' in v]), len(sys.argv), open('/proc/self/cmdline').read().count('\\0')]"
    ])
    expect(echo(result!)).toBe("[0, 1, 2]")
  })

  it("survives patched modules", async () => {
    const all = await cells([
      "import json, os\njson.dumps = json.loads = None\njson.JSONEncoder.default = lambda *a: 1/0\nos.write = os.read = None",
      "print('x'); 2"
    ])
    expect(echo(all[1]!)).toBe("2")
  })

  it("says that the descriptors were closed by ending, not by hanging", async () => {
    const kernel = new Kernel()
    try {
      const closed = await kernel.run("import os\nos.closerange(3, 200)")
      expect(closed.status).toBe("died")
      expect(stderr(closed)).toBe("a cell has closed the descriptors that this kernel speaks through: it ends\n")
    } finally {
      await kernel.close()
    }
  })
})
