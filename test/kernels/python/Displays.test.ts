import { execFileSync } from "node:child_process"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import * as Folders from "../../support/Folders.ts"
import { allText, cells, displays, echo, errorOf, images, python, results, stderr } from "../../support/PythonRunner.ts"

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

describe("display", () => {
  it("shows several values, raw bundles, places to update and the clearing of it all", async () => {
    const [several, raw, updated, cleared] = await cells([
      "display(1, 'two', [3])",
      "display({'text/plain': 'p', 'text/html': '<p>'}, raw=True)",
      "h = display('first', display_id=True); h.update('second'); update_display('third', display_id=h.display_id)",
      "print('a'); display(1, clear=True); print('b')"
    ])
    expect(displays(several!).map((data) => data["text/plain"])).toEqual(["1", "'two'", "[3]"])
    expect(displays(raw!)).toEqual([{ "text/plain": "p", "text/html": "<p>" }])
    const frames = updated!.outputs.flatMap((output) => (output.kind === "frame" ? [output.frame] : []))
    expect(
      frames.map((frame) => [frame["update"] ?? false, (frame["data"] as { [mime: string]: string })["text/plain"]])
    ).toEqual([
      [false, "'first'"],
      [true, "'second'"],
      [true, "'third'"]
    ])
    expect(new Set(frames.map((frame) => frame["id"])).size).toBe(1)
    expect(cleared!.outputs.map((output) => (output.kind === "frame" ? output.frame.t : output.text))).toEqual([
      "a\n",
      "clear",
      "display",
      "b\n"
    ])
  })

  it("follows the protocol of notebooks", async () => {
    const all = await cells([
      "class A:\n    def _ipython_display_(self): print('itself')\nA()",
      "class B:\n    def _repr_mimebundle_(self, include=None, exclude=None): return {'text/html': 'h'}, {'meta': 1}\nB()",
      "class C:\n    def _repr_html_(self): return 'h'\n    def _repr_latex_(self): return '$x$'\n    def _repr_json_(self): return {'a': [1, (2,)]}\n    def __repr__(self): return 'c'\nC()",
      "display(C(), include=['text/latex'])",
      "class D:\n    def _repr_html_(self): return None\n    def _repr_markdown_(self): return ('# m', {})\n    def __repr__(self): return 'd'\nD()",
      `import base64\nclass P:\n    def _repr_png_(self): return base64.b64decode('${png}')\n    def __repr__(self): return 'p'\nP()`
    ])
    expect(allText(all[0]!)).toBe("itself\n")
    expect(results(all[1]!)[0]).toMatchObject({ "text/html": "h" })
    expect(results(all[1]!)[0]!["text/plain"]).toContain("B object")
    expect(results(all[2]!)).toEqual([
      { "text/html": "h", "text/latex": "$x$", "application/json": { a: [1, [2]] }, "text/plain": "c" }
    ])
    expect(displays(all[3]!)).toEqual([{ "text/latex": "$x$", "text/plain": "c" }])
    expect(results(all[4]!)).toEqual([{ "text/markdown": "# m", "text/plain": "d" }])
    expect(results(all[5]!)).toEqual([{ "image/png": png, "text/plain": "p" }])
  })

  it("leaves out what is over its limit, and says so", async () => {
    const all = await cells([
      "class H:\n    def _repr_html_(self): return 'h' * 1_000_000\n    def __repr__(self): return 'p' * 200_000\nH()",
      "class I:\n    def _repr_png_(self): return b'\\x89PNG' + b'0' * 6_000_000\n    def __repr__(self): return 'i'\nI()",
      "import struct\nclass W:\n    def _repr_png_(self): return b'\\x89PNG\\r\\n\\x1a\\n' + struct.pack('>I4sII', 13, b'IHDR', 60000, 10)\n    def __repr__(self): return 'w'\nW()",
      `import base64\nclass S:\n    def _repr_png_(self): return base64.b64decode('${png}')\nfor i in range(23): display(S())`
    ])
    const html = results(all[0]!)[0]!
    expect(Object.keys(html)).toEqual(["text/plain"])
    expect(html["text/plain"]).toMatch(/characters left out[^]*text\/html of 1000000 characters is over the limit/)
    expect(results(all[1]!)[0]!["text/plain"]).toMatch(/^i\nimage\/png of 5\.7 MiB is over the limit/)
    expect(results(all[2]!)[0]!["text/plain"]).toMatch(/^w\nimage of 60000×10 pixels left out/)
    expect(images(all[3]!)).toHaveLength(20)
    expect(displays(all[3]!)).toHaveLength(23)
  })

  it("leaves out an image whose bytes are none: a model's host refuses the whole request", async () => {
    const [fake] = await cells([
      "class F:\n    def _repr_png_(self): return b'not a picture'\n    def __repr__(self): return 'f'\nF()"
    ])
    expect(results(fake!)).toEqual([{ "text/plain": "f\nimage/png left out: its bytes are something else" }])
  })

  it("works from threads, and for a cell that is over", async () => {
    const all = await cells([
      "import threading, time\nt = threading.Thread(target=lambda: display('in thread')); t.start(); t.join()",
      "u = threading.Thread(target=lambda: (time.sleep(0.2), display('late'))); u.start()",
      "u.join()"
    ])
    expect(displays(all[0]!)).toEqual([{ "text/plain": "'in thread'" }])
    expect(all.slice(1).flatMap(displays)).toEqual([{ "text/plain": "'late'" }])
  })

  it("keeps nothing that was shown alive", async () => {
    const [result] = await cells([
      "import weakref, gc\nclass W:\n    def _repr_html_(self): return 'w'\nw = W(); r = weakref.ref(w); display(w); del w; gc.collect(); r() is None"
    ])
    expect(echo(result!)).toBe("True")
  })

  it("says what is wrong with a bundle", async () => {
    const [result] = await cells(["display('text', raw=True)"])
    expect(errorOf(result!)?.["message"]).toContain("dict of MIME types")
    expect(stderr(result!)).toBe("")
  })
})

describe("IPython's names, without IPython", () => {
  it("are there for cells and not for libraries", async () => {
    const bare = Folders.make("livetools-bare-")
    execFileSync(python, ["-m", "venv", "--without-pip", bare])
    const codes = [
      `import base64\nfrom IPython.display import display, HTML, Image, Markdown, JSON, SVG, clear_output\ndisplay(HTML('<b>'), Markdown('# m'), JSON({'a': 1}), SVG('<svg/>'), Image(data=base64.b64decode('${png}')))`,
      "open('looks.py', 'w').write('try:\\n    import IPython\\n    found = True\\nexcept ImportError: found = False')\nimport sys\nfor name in [m for m in sys.modules if m.startswith('IPython')]: del sys.modules[name]\nimport looks, os; os.remove('looks.py'); looks.found"
    ]
    const [shown, library] = await cells(codes, { python: Path.join(bare, "bin/python") })
    expect(displays(shown!).map((data) => Object.keys(data)[0])).toEqual([
      "text/html",
      "text/markdown",
      "application/json",
      "image/svg+xml",
      "image/png"
    ])
    expect(echo(library!)).toBe("False")
  })
})
