/** The Python runner with the libraries that people load: `.ci/kernels` installs them. */
import { execFileSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import * as Folders from "../../support/Folders.ts"
import { cases, check, needsLibraries } from "../../support/PythonCells.ts"
import * as Runner from "../../support/PythonRunner.ts"
import {
  allText,
  displays,
  echo,
  errorOf,
  images,
  notices,
  results,
  stderr,
  stdout
} from "../../support/PythonRunner.ts"

const python = Path.join(
  process.env["XDG_CACHE_HOME"] ?? Path.join(Os.homedir(), ".cache"),
  "livetools-ci/kernels/venv/bin/python"
)

/** In CI an environment that is not there is a failure, elsewhere its tests are left out. */
const isThere = Fs.existsSync(python) || process.env["LIVETOOLS_REQUIRE_REAL"] === "1"

const folder = () => Folders.make("livetools-libraries-")

const cells = (codes: ReadonlyArray<string>) => Runner.cells(codes, { python, cwd: folder() })

const sides = (data: Runner.Bundle) => {
  const png = Buffer.from(String(data["image/png"]), "base64")
  return [png.readUInt32BE(16), png.readUInt32BE(20)] as const
}

describe.runIf(isThere)("cells of kernel-open.json on libraries", () => {
  for (const one of cases.filter((some) => needsLibraries.has(some.id) || some.id === "D15")) {
    it(`${one.id}: ${one.what}`, () => check(one, { python }))
  }
})

describe.runIf(isThere)("tables", () => {
  it("of pandas are text with their shape, as wide as they are, and bounded", async () => {
    const [small, wide, large, series, empty, changed] = await cells([
      "import pandas as pd, numpy as np\npd.DataFrame({'a': [1, 2], 'b': ['x', 'y']})",
      "pd.DataFrame({f'column_{i}': range(3) for i in range(15)})",
      "pd.DataFrame(np.zeros((100000, 200)))",
      "pd.Series([1, 2, 3], name='s')",
      "pd.DataFrame()",
      "pd.set_option('display.max_rows', 4)\ndisplay(pd.DataFrame({'a': range(100)})); pd.get_option('display.width')"
    ])
    expect(echo(small!)).toBe("   a  b\n0  1  x\n1  2  y\n\n[2 rows x 2 columns]")
    expect(results(small!)[0]!["text/html"]).toContain("<table")
    expect(echo(wide!)!.split("\n")).toHaveLength(6)
    expect(echo(large!)).toContain("[100000 rows x 200 columns]")
    expect(JSON.stringify(results(large!)).length).toBeLessThan(300_000)
    expect(echo(series!)).toContain("Name: s, Length: 3, dtype: int64")
    expect(echo(empty!)).toContain("[0 rows x 0 columns]")
    expect(displays(changed!)[0]!["text/plain"]).toBe(
      "     a\n0    0\n1    1\n..  ..\n98  98\n99  99\n\n[100 rows x 1 columns]"
    )
    expect(echo(changed!)).toBe("80")
  })

  it("of polars and arrays of numpy show as they do themselves", async () => {
    const [frame, array] = await cells([
      "import polars as pl\npl.DataFrame({'a': [1, 2]})",
      "import numpy as np\nnp.zeros((1000, 1000))"
    ])
    expect(echo(frame!)).toMatch(/^shape: \(2, 1\)\n/)
    expect(echo(array!)!.length).toBeLessThan(2_000)
  })
})

describe.runIf(isThere)("figures", () => {
  it("are shown once, in the order in which they were made, and closed", async () => {
    const all = await cells([
      "import matplotlib.pyplot as plt\na, ax = plt.subplots(figsize=(3, 2)); ax.plot([1]); b, bx = plt.subplots(figsize=(4, 2)); bx.plot([2])\nplt.figure(a.number);",
      "plt.get_fignums()",
      "fig, ax = plt.subplots(); ax.plot([1]); fig",
      "fig, ax = plt.subplots(); ax.plot([1]); display(fig);",
      "def make():\n    fig, ax = plt.subplots(); ax.plot([1]); return fig\nmake()",
      "fig, ax = plt.subplots(); ax.plot([1]); display(fig); ax.plot([3, 4]);",
      "plt.plot([1]); plt.savefig('f.png'); plt.close()",
      "plt.figure();",
      "plt.plot([1]); 1/0"
    ])
    expect(images(all[0]!).map((data) => sides(data)[0]! > 320)).toEqual([false, true])
    expect(echo(all[1]!)).toBe("[]")
    expect(all.slice(2).map((result) => images(result).length)).toEqual([1, 1, 1, 2, 0, 0, 1])
    expect(all[8]!.status).toBe("error")
  })

  it("come where plt.show() stands, a changed one anew", async () => {
    const all = await cells([
      "import matplotlib.pyplot as plt\nprint('A'); plt.plot([1]); plt.show(); print('B')",
      "plt.plot([1]); plt.show(); plt.plot([2]); plt.show()",
      "fig, ax = plt.subplots(); ax.plot([1]); plt.show(); ax.plot([2, 3]); plt.show()",
      "fig, ax = plt.subplots(); ax.plot([1]); fig.show()"
    ])
    expect(all[0]!.outputs.map((output) => (output.kind === "frame" ? output.frame.t : output.text))).toEqual([
      "A\n",
      "display",
      "B\n"
    ])
    expect(all.slice(1).map((result) => images(result).length)).toEqual([2, 2, 1])
    expect(stderr(all[3]!)).toBe("")
  })

  it("that an earlier cell made are shown by display(figure), as plt.show() says which has none", async () => {
    const all = await cells([
      "import matplotlib.pyplot as plt\nfig, ax = plt.subplots(); ax.plot([1]);",
      "ax.plot([2, 3]); plt.show()",
      "display(fig)",
      "plt.plot([1]); plt.show(); plt.show()"
    ])
    expect(all.map((result) => images(result).length)).toEqual([1, 0, 1, 1])
    expect(all.map((result) => notices(result).length)).toEqual([0, 1, 0, 0])
    expect(notices(all[1]!)[0]).toContain("display(figure) shows one again")
  })

  it("are of bounded size and number", async () => {
    const all = await cells([
      "import matplotlib.pyplot as plt\nplt.figure(figsize=(200, 200), dpi=300); plt.plot([1]);",
      "plt.rcParams['figure.max_open_warning'] = 0\nfor i in range(25): plt.figure(figsize=(1, 1)); plt.plot([1])"
    ])
    expect(Math.max(...sides(images(all[0]!)[0]!))).toBeLessThanOrEqual(2_000)
    expect(allText(all[0]!)).toContain("instead of 300 dots per inch")
    expect(images(all[1]!)).toHaveLength(20)
    expect(allText(all[1]!)).toContain("has shown 20 already")
  })

  it("have a backend without windows, but for one that the user chose", async () => {
    const all = await cells([
      "import matplotlib; matplotlib.use('TkAgg'); import matplotlib.pyplot as plt; plt.plot([1]); plt.show()",
      "import os, subprocess, sys; 'MPLBACKEND' in os.environ"
    ])
    expect(images(all[0]!)).toHaveLength(1)
    expect(echo(all[1]!)).toBe("False")
    const chosen = await cells([
      "import matplotlib; matplotlib.use('Agg'); import matplotlib.pyplot as plt\nplt.plot([1]);",
      "plt.get_backend().lower()"
    ])
    expect(images(chosen[0]!)).toHaveLength(1)
    expect(echo(chosen[1]!)).toBe("'agg'")
  })

  it("of Pillow are shown, large ones smaller", async () => {
    const [small, large] = await cells([
      "from PIL import Image\nImage.new('RGB', (10, 20))",
      "Image.new('CMYK', (5000, 3000))"
    ])
    expect(sides(results(small!)[0]!)).toEqual([10, 20])
    expect(sides(results(large!)[0]!)).toEqual([2000, 1200])
    expect(echo(large!)).toContain("<CMYK image of 5000×3000 pixels>")
  })
})

describe.runIf(isThere)("IPython, installed", () => {
  it("shows through the kernel, and finds its shell here", async () => {
    const all = await cells([
      "from IPython.display import display, HTML, Markdown, JSON, clear_output, update_display\ndisplay(HTML('<b>x</b>'), Markdown('# t'))",
      "h = display('a', display_id='k'); h.update('b'); update_display('c', display_id='k'); clear_output()",
      "from IPython import get_ipython\nget_ipython() is __builtins__.get_ipython(), get_ipython().run_line_magic('pwd', '') is not None",
      "import matplotlib.pyplot as plt\nplt.plot([1]);",
      "JSON({'a': 1})"
    ])
    expect(displays(all[0]!)).toEqual([
      { "text/html": "<b>x</b>", "text/plain": "<b>x</b>" },
      { "text/markdown": "# t", "text/plain": "# t" }
    ])
    expect(displays(all[1]!).map((data) => data["text/plain"])).toEqual(["'a'", "'b'", "'c'"])
    expect(echo(all[2]!)).toBe("(True, True)")
    expect(images(all[3]!)).toHaveLength(1)
    expect(results(all[4]!)[0]!["application/json"]).toEqual({ a: 1 })
    expect(all.map((result) => errorOf(result))).toEqual([undefined, undefined, undefined, undefined, undefined])
  })
})

describe("an environment without pip", { timeout: 120_000 }, () => {
  it("gets it from uv or from Python itself when %pip is used", async () => {
    const home = folder()
    execFileSync("python3", ["-m", "venv", "--without-pip", Path.join(home, "venv")])
    const [version] = await Runner.cells(["%pip --version"], { python: Path.join(home, "venv/bin/python"), cwd: home })
    expect(version!.status).toBe("ok")
    expect(stdout(version!)).toMatch(/pip \d|uv/)
  })
})
