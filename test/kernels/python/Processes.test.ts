import { execFileSync, spawnSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import * as Folders from "../../support/Folders.ts"
import {
  cells,
  echo,
  errorOf,
  Kernel,
  notices,
  python,
  runnerFolder,
  stderr,
  stdout
} from "../../support/PythonRunner.ts"

describe("processes of a cell", { timeout: 60_000 }, () => {
  it("that are forked are no second kernel, however they end", async () => {
    const all = await cells([
      "import os, sys\npid = os.fork()\n'child' if pid == 0 else (os.waitpid(pid, 0)[1], 'parent')",
      "pid = os.fork()\nif pid == 0: sys.exit(5)\nos.waitpid(pid, 0)[1] >> 8",
      "pid = os.fork()\nif pid == 0:\n    for i in range(500): print('kid')\n    1/0\nos.waitpid(pid, 0)[1] >> 8",
      "import asyncio\nawait asyncio.sleep(0)\npid = os.fork()\nif pid == 0: display('never')\nelse: os.waitpid(pid, 0)\npid > 0",
      "1"
    ])
    expect(all.map((result) => echo(result))).toEqual(["(0, 'parent')", "5", "1", "True", "1"])
    expect(stdout(all[2]!)).toBe("kid\n".repeat(500))
    expect(stderr(all[2]!)).toContain("ZeroDivisionError")
  })

  it("that print at the same time print whole lines", async () => {
    const [result] = await cells([
      "from multiprocessing import get_context\ndef f(x):\n    for i in range(50): print('line', x, i)\nwith get_context('fork').Pool(4) as p: p.map(f, range(16), chunksize=1)\n"
    ])
    const lines = stdout(result!).trimEnd().split("\n")
    expect(lines.filter((line) => !/^line \d+ \d+$/.test(line))).toEqual([])
    expect(lines.length).toBe(800)
  })

  it("that are pools call functions of cells by fork, and tell their errors", async () => {
    const all = await cells([
      "from multiprocessing import get_context\ndef f(x): return x * x\nwith get_context('fork').Pool(2) as p: r = p.map(f, [1, 2, 3])\nr",
      "import multiprocessing, warnings\nfrom concurrent.futures import ProcessPoolExecutor\nwith ProcessPoolExecutor(2, mp_context=get_context('fork')) as ex: r = list(ex.map(f, [4]))\nr",
      "def g(x): raise ValueError('in worker')\nwith get_context('fork').Pool(2) as p: p.map(g, [1])",
      "multiprocessing.active_children()"
    ])
    expect(echo(all[0]!)).toBe("[1, 4, 9]")
    expect(echo(all[1]!)).toBe("[16]")
    expect(stderr(all[0]!) + stderr(all[1]!)).toBe("")
    expect(errorOf(all[2]!)?.["message"]).toBe("in worker")
    expect(echo(all[3]!)).toBe("[]")
  })

  it("that are spawned say that they lack what cells define", async () => {
    const all = await cells([
      "import multiprocessing as mp\ndef f(x): return x\nclass K: pass",
      "with mp.get_context('spawn').Pool(1) as p: p.map(f, [1])",
      "with mp.get_context('spawn').Pool(1) as p: p.map(id, [K()])\n",
      "with mp.get_context('spawn').Pool(1) as p: r = p.map(abs, [-1])\nr"
    ])
    expect(errorOf(all[1]!)?.["message"]).toContain("f is defined in a cell")
    expect(all[2]!.status).not.toBe("died")
    expect(echo(all[3]!)).toBe("[1]")
  })

  it("that stay in the background delay nothing", async () => {
    const [begun, ended] = await cells([
      "import subprocess\np = subprocess.Popen(['sleep', '30'])\nprint('ok')",
      "p.terminate(); p.wait()"
    ])
    expect(stdout(begun!)).toBe("ok\n")
    expect(begun!.millis).toBeLessThan(20_000)
    expect(echo(ended!)).toBe("-15")
  })
})

describe("the kernel", { timeout: 60_000 }, () => {
  it("ends with the host, in a busy cell too", async () => {
    const kernel = new Kernel()
    await kernel.ready
    void kernel.run("display('busy')\nwhile True: pass").catch(() => undefined)
    await kernel.until(() => (kernel.frames.some((frame) => frame.t === "display") ? true : undefined))
    const began = performance.now()
    await kernel.close()
    expect(kernel.died).toMatchObject({ signal: null })
    expect(performance.now() - began).toBeLessThan(2_900)
  })

  it("says who it is", async () => {
    const kernel = new Kernel()
    try {
      expect(await kernel.ready).toMatchObject({
        t: "ready",
        language: "python",
        version: expect.stringMatching(/^3\.\d+\.\d+/),
        executable: expect.stringMatching(/^\//),
        pid: kernel.child.pid
      })
      expect((await kernel.run("1")).rss).toBeLessThan(25 * 1024 * 1024)
    } finally {
      await kernel.close()
    }
  })

  it("works whatever the environment says to Python, and writes no bytecode", async () => {
    const env = {
      PYTHONUNBUFFERED: "1",
      PYTHONSTARTUP: "/nowhere.py",
      PYTHONINSPECT: "1",
      PYTHONBREAKPOINT: "nowhere.at_all",
      PYTHONSAFEPATH: "1",
      PYTHONIOENCODING: "latin-1",
      PYTHONDONTWRITEBYTECODE: undefined,
      LC_ALL: "C"
    }
    const cwd = Folders.make("livetools-env-")
    const all = await cells(["print('é')", "breakpoint(); 2", "import os; os.getcwd()"], { env, cwd })
    expect(stdout(all[0]!)).toBe("é\n")
    expect(echo(all[1]!)).toBe("2")
    expect(echo(all[2]!)).toBe(`'${Fs.realpathSync(cwd)}'`)
    expect(Fs.readdirSync(cwd)).toEqual([])
    expect(Fs.readdirSync(Path.join(runnerFolder, "livetools_kernel"))).not.toContain("__pycache__")
  })

  it("does not take files of the project for Python's own", async () => {
    const cwd = Folders.make("livetools-names-")
    for (const name of ["traceback", "subprocess", "inspect", "json", "ast", "livetools_kernel", "statistics", "io"]) {
      Fs.writeFileSync(Path.join(cwd, `${name}.py`), "raise RuntimeError('not this one')")
    }
    const all = await cells(["1/0", "!echo a", "len?", "%timeit -n 1 -r 1 1", "import subprocess"], { cwd })
    expect(errorOf(all[0]!)?.["name"]).toBe("ZeroDivisionError")
    expect(stdout(all[1]!)).toBe("a\n")
    expect(stdout(all[2]!)).toContain("number of items")
    expect(stdout(all[3]!)).toContain("per loop")
  })

  it("goes on in a folder that is gone", async () => {
    const all = await cells([
      "import os, tempfile\nd = tempfile.mkdtemp(); os.chdir(d); os.rmdir(d)",
      "1 + 1",
      "%pwd",
      "%cd /",
      "%pwd"
    ])
    expect(echo(all[1]!)).toBe("2")
    expect(notices(all[1]!).join()).toContain("the working directory is gone")
    expect(notices(all[2]!)).toEqual([])
    expect(echo(all[4]!)).toBe("'/'")
  })

  it("needs no site packages", () => {
    const answer = spawnSync(
      python,
      [
        "-B",
        "-I",
        "-S",
        "-c",
        "import sys; sys.path.insert(0, sys.argv[1]); import livetools_kernel.kernel, livetools_kernel.shell, livetools_kernel.magics",
        runnerFolder
      ],
      { encoding: "utf8" }
    )
    expect(answer.stderr).toBe("")
  })

  it("reports a working directory that it cannot enter", async () => {
    const kernel = new Kernel()
    try {
      await kernel.ready
      kernel.send({ t: "init", marker: "other", cwd: "/nowhere/at/all", tools: false })
      await kernel.until(() => kernel.frames.find((frame) => frame.t === "notice"))
      expect(kernel.frames.find((frame) => frame.t === "notice")?.["text"]).toContain("/nowhere/at/all")
    } finally {
      await kernel.close()
    }
  })
})

describe("packages", { timeout: 60_000 }, () => {
  /** A stand-in for pip that puts version `v` of a distribution into a folder on the path. */
  const pip = [
    "import os, shutil, sys",
    "args = [a for a in sys.argv[1:] if not a.startswith('-')]",
    "if args[0] != 'install': print('pip 0 stand-in', args); sys.exit()",
    "name, version = args[1].split('==')",
    "if name == 'missing': print('ERROR: no such thing', file=sys.stderr); sys.exit(1)",
    "top = {'Spelled-Differently': 'spelled'}.get(name, name)",
    "site = os.environ['SITE']",
    "for old in os.listdir(site):",
    "    if old.startswith(name) or old.startswith(top): shutil.rmtree(os.path.join(site, old))",
    "os.makedirs(os.path.join(site, top))",
    "info = os.path.join(site, '%s-%s.dist-info' % (name, version)); os.makedirs(info)",
    "open(os.path.join(site, top, '__init__.py'), 'w').write('version = %r\\n' % version)",
    "open(os.path.join(site, top, 'part.py'), 'w').write('version = %r\\n' % version)",
    "open(os.path.join(info, 'METADATA'), 'w').write('Metadata-Version: 2.1\\nName: %s\\nVersion: %s\\n' % (name, version))",
    "open(os.path.join(info, 'RECORD'), 'w').write('%s/__init__.py,,\\n%s/part.py,,\\n%s-%s.dist-info/METADATA,,\\n' % (top, top, name, version))",
    "print('installed', name, version)"
  ].join("\n")

  const site = () => {
    const folder = Folders.make("livetools-site-")
    const tools = Folders.make("livetools-pip-")
    Fs.mkdirSync(Path.join(tools, "pip"))
    Fs.writeFileSync(Path.join(tools, "pip", "__init__.py"), "")
    Fs.writeFileSync(Path.join(tools, "pip", "__main__.py"), pip)
    return { SITE: folder, PYTHONPATH: `${folder}${Path.delimiter}${tools}` }
  }

  it("that %pip installs or upgrades are what the next import sees, by whatever name", async () => {
    const all = await cells(
      [
        "%pip install Spelled-Differently==1.0",
        "import spelled, spelled.part\nfrom spelled import version as v\nspelled.version, spelled.part.version",
        "%pip install Spelled-Differently==2.0",
        "import spelled, spelled.part; spelled.version, spelled.part.version, v",
        "%pip install missing==1",
        "%pip list"
      ],
      { env: site() }
    )
    expect(stdout(all[0]!)).toBe("installed Spelled-Differently 1.0\n")
    expect(echo(all[1]!)).toBe("('1.0', '1.0')")
    expect(notices(all[2]!).join()).toContain("spelled")
    expect(echo(all[3]!)).toBe("('2.0', '2.0', '1.0')")
    expect(all[4]!.status).toBe("error")
    expect(stderr(all[4]!)).toContain("no such thing")
    expect(stdout(all[5]!)).toContain("['list']")
  })

  it("are installed by a line of the shell: pipes, redirections, variables, comments", async () => {
    const all = await cells(
      [
        "%pip install piped==1.0 | sed s/installed/has/",
        "%pip install missing==1 2>&1 | tail -1",
        "_exit_code",
        "%pip list a>=1,<2 'b c' x[extra]>1 git+https://host/p#egg=p&subdirectory=q # of these",
        "name = 'piped'\n%pip show {name} $name $MISSING_HERE",
        "%pip list | grep nothing-of-it",
        "_exit_code",
        "%pip uninstall x\n%pip uninstall -y x"
      ],
      { env: site() }
    )
    expect(stdout(all[0]!)).toBe("has piped 1.0\n")
    expect(stdout(all[1]!)).toBe("ERROR: no such thing\n")
    expect(errorOf(all[1]!)?.["message"]).toBe("the installer exited with 1")
    expect(echo(all[2]!)).toBe("1")
    expect(stdout(all[3]!)).toContain(
      "['list', 'a>=1,<2', 'b c', 'x[extra]>1', 'git+https://host/p#egg=p&subdirectory=q']"
    )
    expect(stdout(all[4]!)).toContain("['show', 'piped', 'piped']")
    expect(all[5]!.status).toBe("ok")
    expect(echo(all[6]!)).toBe("1")
    expect(all[7]!.status).toBe("ok")
  })

  it("are installed by uv where the environment has no pip", async () => {
    const home = Folders.make("livetools-uv-")
    const bin = Path.join(home, "tools")
    Fs.mkdirSync(bin)
    Fs.writeFileSync(Path.join(bin, "uv"), '#!/bin/sh\necho "uv $*"\n', { mode: 0o755 })
    execFileSync(python, ["-m", "venv", "--without-pip", Path.join(home, "venv")])
    const own = Path.join(home, "venv/bin/python")
    const all = await cells(["%pip install x", "%uv pip list", "!which python"], {
      python: own,
      env: { PATH: `${bin}${Path.delimiter}${process.env["PATH"]}`, PYTHONPATH: undefined }
    })
    expect(stdout(all[0]!)).toBe(`uv pip install --python ${own} x\n`)
    expect(stdout(all[1]!)).toBe(`uv pip list --python ${own}\n`)
    expect(stdout(all[2]!)).toBe(`${own}\n`)
  })

  it("of which a compiled part is loaded stay, and that is said", async () => {
    const env = site()
    const all = await cells(
      [
        "%pip install comp==1",
        "import comp, sys, types\nc = types.ModuleType('comp._c'); c.__file__ = 'x.so'\nfrom importlib.machinery import EXTENSION_SUFFIXES\nc.__file__ = 'x' + EXTENSION_SUFFIXES[0]; sys.modules['comp._c'] = c",
        "%pip install comp==2",
        "import comp; comp.version"
      ],
      { env }
    )
    expect(notices(all[2]!).join()).toMatch(/comp was upgraded from 1 to 2 .* reset to use it/)
    expect(echo(all[3]!)).toBe("'1'")
  })
})
