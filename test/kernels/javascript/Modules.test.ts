/** What becomes of a module whose file has changed, or whose loading failed or was stopped (SPEC §8.10). */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Fs from "node:fs"
import { folder } from "../../support/Cli.ts"
import * as Runner from "../../support/JavaScriptRunner.ts"

describe.each(Runner.nodes)("modules on $name", ({ path }) => {
  const files = folder({})
  let kernel: Runner.Runner
  beforeAll(() => {
    kernel = Runner.start({ cwd: files.root, node: path })
  })
  afterAll(async () => {
    await kernel.end()
    files.remove()
  })
  const write = (name: string, text: string) => Fs.writeFileSync(files.path(name), text)
  const gives = async (code: string, expected: string | undefined) => {
    const cell = await kernel.run(code)
    assert.deepStrictEqual([cell.status, cell.result, cell.notices], ["ok", expected, []], cell.all)
  }
  const stopped = async (code: string) => {
    const cell = kernel.begin(code)
    const before = kernel.texts.stdout.length
    await kernel.until(() => kernel.texts.stdout.slice(before).includes("begun"))
    cell.interrupt()
    const { notices, status } = await cell.done
    assert.strictEqual(status, "interrupted")
    return notices
  }

  it("a module behind one that has changed is read again, and only what it is a part of", async () => {
    write("single.mjs", "export const single = {}\n")
    write("inner.mjs", "export const inner = 1\n")
    write("outer.mjs", "export { inner } from './inner.mjs'\nexport { single } from './single.mjs'\n")
    await gives("import { inner, single } from './outer.mjs'; inner", "1")
    write("inner.mjs", "export const inner = 22\n")
    await gives("import * as again from './outer.mjs'; [again.inner, again.single === single]", "[ 22, true ]")
    write("inner.mjs", "export const inner = 333\n")
    await gives("(await import('./outer.mjs')).inner", "333")
    await gives("(await import('./inner.mjs')).inner", "333")
    Fs.utimesSync(files.path("single.mjs"), 1, 1)
    await gives("(await import('./single.mjs')).single === single", "true")
  })

  it.each([
    ["while (true) {}", ""],
    ["await new Promise((r) => setTimeout(r, 60_000))", ""],
    ["await new Promise(() => {})", "export const other = 1;"]
  ])("one that was stopped while it was loaded is loaded anew: %s", async (endless, more) => {
    await kernel.run("globalThis.isReady = false")
    write("kept.mjs", "export const kept = {}\n")
    write(
      "endless.mjs",
      `${more} import './kept.mjs'; console.log('begun'); if (!isReady) { ${endless} }\nexport const done = 1\n`
    )
    write("around.mjs", `${more} export { done } from './endless.mjs'; export { kept } from './kept.mjs'\n`)
    await gives("import { kept } from './kept.mjs'", undefined)
    await stopped("import { done } from './around.mjs'")
    await kernel.run("isReady = true")
    await gives("import * as around from './around.mjs'; [around.done, around.kept === kept]", "[ 1, true ]")
    await gives("(await import('./endless.mjs')).done", "1")
  })

  it("so is one that was stopped while it was required", async () => {
    await kernel.run("globalThis.isReady = false")
    write("half.cjs", "exports.a = 1; console.log('begun'); if (!isReady) while (true) {}\nexports.b = 2\n")
    write("whole.cjs", "module.exports = require('./half.cjs')\n")
    await stopped("require('./whole.cjs')")
    await kernel.run("isReady = true")
    await gives("require('./whole.cjs')", "{ a: 1, b: 2 }")
    await kernel.run("isReady = false")
    write("imported.cjs", "exports.a = 1; console.log('begun'); if (!isReady) while (true) {}\nexports.b = 2\n")
    await stopped("import './imported.cjs'")
    await kernel.run("isReady = true")
    await gives("(await import('./imported.cjs')).b", "2")
  })

  it("one that failed is tried again, and what it had loaded stays", async () => {
    await kernel.run("globalThis.isReady = false; globalThis.loads = 0")
    write("state.mjs", "globalThis.loads++; export const state = {}\n")
    write(
      "fails.mjs",
      "export { state } from './state.mjs'; if (!isReady) throw new Error('not ready'); export const ok = 1\n"
    )
    await gives("import { state } from './state.mjs'", undefined)
    assert.strictEqual((await kernel.run("import './fails.mjs'")).error?.["message"], "not ready")
    await kernel.run("isReady = true")
    await gives("import * as mended from './fails.mjs'; [mended.ok, mended.state === state, loads]", "[ 1, true, 1 ]")
    write("needs.mjs", "export { found } from './absent.mjs'\n")
    assert.strictEqual((await kernel.run("import './needs.mjs'")).status, "error")
    write("absent.mjs", "export const found = 1\n")
    await gives("import { found } from './needs.mjs'; found", "1")
  })

  it("an ECMAScript module that was required and has changed is told of: Node keeps it", async () => {
    write("required.mjs", "export const v = 1\n")
    await gives("require('./required.mjs').v", "1")
    write("required.mjs", "export const v = 22\n")
    const cell = await kernel.run("require('./required.mjs').v")
    assert.match(cell.notices.join(), /^required\.mjs changed after it was required, and Node keeps the old one/)
    await gives("(await import('./required.mjs')).v", "22")
  })

  it("`__dirname` is the cells' own", async () => {
    write("dirname.mjs", "export const type = typeof __dirname\n")
    await gives("(await import('./dirname.mjs')).type", "'undefined'")
    await gives(
      "[__dirname, { __dirname }.__dirname, ((__dirname) => __dirname)(5), { __dirname: 6 }.__dirname].join()",
      `'${files.root},${files.root},5,6'`
    )
    await gives("const __dirname = 'mine'; __dirname", "'mine'")
    await gives("__dirname", "'mine'")
  })

  it("one that ends the process ends the cell, each time", async () => {
    write("exits.mjs", "process.exit(3)\n")
    for (const _ of [1, 2])
      assert.deepInclude(await kernel.run("import './exits.mjs'"), { status: "exit", exitCode: 3 })
  })

  it("a package that was stopped while it was loaded is told of", async () => {
    Fs.mkdirSync(files.path("node_modules/slow"), { recursive: true })
    write("node_modules/slow/package.json", '{ "name": "slow", "type": "module", "exports": "./index.js" }')
    write("node_modules/slow/index.js", "console.log('begun'); await new Promise(() => {})\n")
    assert.include((await stopped("import 'slow'")).join(), "slow was still being loaded when the cell was stopped")
  })

  it("an error of loading has the cell's place, and no frames of the loader", async () => {
    for (const specifier of ["./missing.ts", "missing", "http://localhost/x.mjs"]) {
      const { error } = await kernel.run(`const load = async () => {\n  await import("${specifier}")\n}\nawait load()`)
      const traceback = String(error?.["traceback"])
      assert.match(traceback, /^<cell-(\d+)>:2\n[^]*\n {4}at load \(<cell-\1>:2:9\)\n {4}at <cell-\1>:4:7( |$)/)
      assert.notMatch(traceback, /node:internal|javascript-kernel/)
    }
  })

  it("an error of syntax in one names its file, line and column, wherever it is", async () => {
    write("unread.mjs", "export const fine = 1\nlet = = 3\n")
    write("loads.mjs", "import './unread.mjs'\n")
    write("unread.cjs", "const fine = 1\nlet = = 3\n")
    for (const [code, file] of [
      ["import './unread.mjs'", "unread.mjs"],
      ["await import('./loads.mjs')", "unread.mjs"],
      ["require('./unread.cjs')", "unread.cjs"],
      ["import './unread.cjs'", "unread.cjs"]
    ]) {
      const { error } = await kernel.run(code!)
      assert.strictEqual(error?.["name"], "SyntaxError")
      assert.include(error?.["traceback"], `${files.path(file!)}:2\nlet = = 3\n      ^\n`)
    }
    write("names.mjs", "import { nothing } from './state.mjs'\n")
    const { error } = await kernel.run("import './names.mjs'")
    assert.include(error?.["traceback"], "names.mjs:1\nimport { nothing } from './state.mjs'\n")
  })

  it("what a cell puts in place of functions of Node does not reach the kernel", async () => {
    write("plain.ts", "export const n: number = 5\n")
    write("later.ts", "export const n: number = 6\n")
    // With this, what Node itself has still to load is there.
    await gives("(await import('./plain.ts')).n", "5")
    const cell =
      "const mocked = () => { throw new Error('mocked') }, undo = [];\n" +
      "const names = ['writeSync', 'readFileSync', 'statSync', 'createRequire', 'isBuiltin', 'pathToFileURL', 'inspect', 'join'];\n" +
      "for (const of of ['fs', 'module', 'url', 'util', 'path'].map((name) => require(name)))\n" +
      "  for (const name of names.filter((name) => name in of)) { const own = of[name]; undo.push(() => (of[name] = own)); of[name] = mocked }\n" +
      "undo.length"
    await gives(cell, "8")
    await gives("import { n } from './later.ts'; ({ n })", "{ n: 6 }")
    await gives("for (const each of undo) each()", undefined)
  })

  it("the kernel is no module of the program", async () => {
    write("main.cjs", "module.exports = [require.main, require.main === module, process.mainModule]\n")
    await gives("require('./main.cjs')", "[ undefined, false, undefined ]")
    await gives("Object.keys(require.cache).filter((path) => path.includes('javascript-'))", "[]")
  })
})
