/** The language of JavaScript cells: declarations, modules, echo, errors (SPEC §8.10). */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { folder } from "../../support/Cli.ts"
import * as Runner from "../../support/JavaScriptRunner.ts"

const files = folder({
  "m.mjs": 'export const V = 1; export default "d"\n',
  "a.cjs": "exports.x = 1\n",
  "b.cjs": 'exports.x = require("./a.cjs").x\n',
  "d.json": '{"k":5}\n',
  "node_modules/pkg/package.json": '{"name":"pkg","main":"index.js"}',
  "node_modules/pkg/index.js": "module.exports = { fromPackage: 7 }\n"
})
let kernel: Runner.Runner
beforeAll(() => {
  kernel = Runner.start({ cwd: files.root })
})
afterAll(async () => {
  await kernel.end()
  files.remove()
})

const gives = async (code: string, expected: string | undefined) => {
  const cell = await kernel.run(code)
  assert.deepStrictEqual([cell.status, cell.result], ["ok", expected], cell.all)
}
const fails = async (code: string, name: string, ...parts: ReadonlyArray<string>) => {
  const { error, status } = await kernel.run(code)
  assert.strictEqual(status, "error")
  assert.strictEqual(error?.["name"], name)
  for (const part of parts) assert.include(String(error?.["traceback"]), part)
  return String(error?.["traceback"])
}

describe("declarations", () => {
  it("may be declared again as anything else", async () => {
    await gives("const a=1; let b=2; function f(){return 1}; class K{}; var v=1", undefined)
    await gives("let a=5; a=6; const b=3; const f=()=>7; const K=4; let v; [a,b,f(),K,v].join()", "'6,3,7,4,'")
    await gives(
      "function a(){return 'fn'}; var b = 9; class f {}; function K(){}; [typeof a,b,typeof f,typeof K].join()",
      "'function,9,function,function'"
    )
  })

  it("a failed initializer leaves the name reusable", async () => {
    await fails("const c = (() => { throw new Error('init') })()", "Error", "init")
    await gives("const c = 5; c", "5")
  })

  it("a constant is one in its own cell", async () => {
    await fails("const once = 1; once = 2", "TypeError", "Assignment to constant variable", "<cell-")
  })

  it("bindings are live across cells and an await", async () => {
    await gives("let n=0; const get=()=>n; await undefined", undefined)
    await gives("n=5; get()", "5")
  })
})

describe("the echo", () => {
  it.each([
    ["1; undefined", undefined],
    ["if (true) { 5 }", undefined],
    ["for (const x of [1,2]) x", undefined],
    ["1\n;", "1"],
    ["(1, 2) // c", "2"],
    ["'use strict'", "'use strict'"],
    ["{}", "{}"],
    ["", undefined],
    ["// nothing", undefined],
    ["for (let i=0;i<3;i++) { if (i===1) return i*10 }", "10"],
    ["try { return 5 } catch { 'no' }", "5"],
    ["try { return 6 } catch (e) { 'no' }", "6"],
    ["return", undefined],
    ["[1].map((x) => { return x + 1 })[0]", "2"],
    ["new Promise(() => {})", "Promise { <pending> }"]
  ])("of %j", (code, expected) => gives(code, expected))

  it("is kept in `_` until a cell binds it", async () => {
    await gives("20 + 1", "21")
    await gives("_ * 2", "42")
    await gives("_ = 'mine'", "'mine'")
    await gives("7", "7")
    await gives("_", "'mine'")
  })

  it("waits a little for a promise, and says so where it is still pending", async () => {
    const soon = await kernel.run(
      "(async () => { await new Promise(r => setTimeout(r, 50)); console.log('said'); return 7 })()"
    )
    assert.deepStrictEqual(soon.order, ["stdout:said\n", "result:Promise { 7 }"])
    const never = await kernel.run("new Promise(() => {})")
    assert.include(never.notices.join(), "pending")
  })

  it("is bounded in size and time", async () => {
    const long = await kernel.run("'x'.repeat(50_000_000)")
    assert.isBelow(long.result!.length, 70_000)
    assert.include(long.result!, "50000000 characters")
    const many = await kernel.run("const big = {}; for (let i = 0; i < 300_000; i++) big['k' + i] = i; big")
    assert.isBelow(many.result!.length, 70_000)
    await gives(
      "({ [Symbol.for('nodejs.util.inspect.custom')]() { for (;;); } })",
      "[Object, 0 keys: ; too large or too slow to show]"
    )
    await gives(
      "let top = {}; let at = top; for (let i = 0; i < 1e5; i++) { at.n = {}; at = at.n } typeof top",
      "'object'"
    )
  })

  it("shows exotic values", async () => {
    await gives(
      "[10n, Symbol('s'), new Map([[1, 2]]), new Uint8Array(2), class A {}, -0, new (class P { x = 1 })()]",
      "[ 10n, Symbol(s), Map(1) { 1 => 2 }, Uint8Array(2) [ 0, 0 ], [class A], -0, P { x: 1 } ]"
    )
    await gives("'\\ud800é'", "'\\ud800é'")
  })
})

describe("await at the top", () => {
  it.each([
    ["await (1, Promise.resolve(7))", "7"],
    ["await await Promise.resolve(8)", "8"],
    ["await { then(done) { setTimeout(() => done(5), 10) } }", "5"],
    ["[await 1, await Promise.resolve(2)]", "[ 1, 2 ]"],
    ["let s = ''; for await (const x of [Promise.resolve(1), 2]) s += x; s", "'12'"],
    [
      "let g = ''; for await (const y of (async function* () { try { yield 3; yield 4 } finally { g += 'end' } })()) { g += y; break } g",
      "'3end'"
    ],
    ["const { a, b = await 2 } = await Promise.resolve({ a: 1 }); [a, b]", "[ 1, 2 ]"]
  ])("%s", (code, expected) => gives(code, expected))
})

describe("modules", () => {
  it("static imports of all forms, also in the middle of a cell", async () => {
    await gives(
      'import d, { V as W } from "./m.mjs"\nimport * as ns from "./m.mjs"; import "node:os"\n[d, W, ns.V].join()',
      "'d,1,1'"
    )
    const hoisted = await kernel.run('console.log(typeof late); import { V as late } from "./m.mjs"')
    assert.strictEqual(hoisted.stdout, "number\n")
    await gives('import data from "./d.json"; data.k', "5")
    await gives('import { x } from "./a.cjs"; import pkg from "pkg"; [x, pkg.fromPackage].join()', "'1,7'")
  })

  it("a name that a module does not export is an error that names those it does", async () => {
    await fails('import { nope } from "./m.mjs"', "SyntaxError", "exports no `nope`", "V, default")
  })

  it("a local file that has changed is read again, one that has not stays the same", async () => {
    await gives('const before = await import("./m.mjs"); before === await import("./m.mjs")', "true")
    Fs.writeFileSync(files.path("m.mjs"), "export const V = 22; export default 'other'\n")
    await gives('(await import("./m.mjs")).V', "22")
    await gives('require("./b.cjs").x', "1")
    Fs.writeFileSync(files.path("a.cjs"), "exports.x = 3333\n")
    await gives('require("./b.cjs").x', "3333")
  })

  it("a module behind it that has changed is read again too, where Node can; otherwise the cell is told", async () => {
    Fs.writeFileSync(files.path("inner.mjs"), "export const inner = 1\n")
    Fs.writeFileSync(files.path("outer.mjs"), 'import { inner } from "./inner.mjs"\nexport const outer = inner * 10\n')
    await gives('import { outer } from "./outer.mjs"; outer', "10")
    Fs.writeFileSync(files.path("inner.mjs"), "export const inner = 22\n")
    const again = await kernel.run('import { outer } from "./outer.mjs"; outer')
    const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
    if (major > 22 || (major === 22 && minor >= 15)) assert.strictEqual(again.result, "220")
    else assert.match(again.notices.join(), /^inner\.mjs changed after it was imported.*reset to use it$/)
  })

  it("paths follow the working directory", async () => {
    await gives(
      "[__dirname, import.meta.dirname, import.meta.url.startsWith('file://')].join()",
      `'${files.root},${files.root},true'`
    )
    Fs.mkdirSync(files.path("sub"))
    Fs.writeFileSync(files.path("sub/own.mjs"), "export const here = 'sub'\n")
    await gives("process.chdir('sub'); (await import('./own.mjs')).here", "'sub'")
    await gives("process.chdir('..'); require('node:path').basename(process.cwd())", `'${Path.basename(files.root)}'`)
  })

  it("an export is a declaration", () => gives("export const exported = 5; exported", "5"))
})

describe("TypeScript", () => {
  it("types are dropped and lines stay", async () => {
    await gives(
      "enum Color { Red, Green }\ninterface X { a: string }\nconst o: X = { a: 'q' }; [Color.Green, o.a].join()",
      "'1,q'"
    )
    await gives("import type { Foo } from './foo'; const z = 'a' satisfies string; z as string", "'a'")
    const traceback = await fails("interface Y {\n  a: string\n}\nconst y: Y | null = null\ny!.a", "TypeError", "y!.a")
    assert.match(traceback, /<cell-\d+>:5/)
  })
})

describe("TypeScript files of the project", () => {
  const write = (name: string, text: string) => {
    Fs.mkdirSync(Path.dirname(Path.join(files.root, name)), { recursive: true })
    Fs.writeFileSync(Path.join(files.root, name), text)
  }

  it("are imported, with what they import, by their names, those they compile to, and without extension", async () => {
    write("ts/types.ts", "export interface Row { readonly n: number }\n")
    write(
      "ts/rows.ts",
      "import type { Row } from './types.ts'\nexport const rows: ReadonlyArray<Row> = [{ n: 1 }, { n: 2 }]\n"
    )
    write(
      "ts/sum.ts",
      "import { rows } from './rows.js'\nexport const sum = (): number => rows.reduce((s, r) => s + r.n, 0)\n"
    )
    write(
      "ts/index.ts",
      "export { sum } from './sum'\nexport const here: string = import.meta.url.split('/').at(-1)!\n"
    )
    await gives("import { sum, here } from './ts/index.ts'; [sum(), here].join()", "'3,index.ts'")
    await gives("(await import('./ts/sum.js')).sum()", "3")
    await gives("(await import('./ts')).sum()", "3")
    await gives("(await import('./ts/rows')).rows.length", "2")
    write("imports.mjs", "export { sum } from './ts/sum.ts'\n")
    await gives("(await import('./imports.mjs')).sum()", "3")
  })

  it("an error in one has its line, and one that has changed is read again", async () => {
    write("ts/fails.ts", "interface A {\n  a: string\n}\nexport const f = (a?: A): string => {\n  return a!.a\n}\n")
    await fails("(await import('./ts/fails.ts')).f()", "TypeError", "fails.ts:5")
    write("ts/fails.ts", "export const f = (): string => 'mended'\n")
    await gives("(await import('./ts/fails.ts')).f()", "'mended'")
    write("ts/unread.ts", "export const f: = 1\n")
    const { all, status } = await kernel.run("await import('./ts/unread.ts')")
    assert.strictEqual(status, "error")
    assert.include(all, "unread.ts")
  })

  it("are required", async () => {
    write("ts/common.cts", "const n: number = 5\nmodule.exports = { n }\n")
    await gives("require('./ts/common.cts').n", "5")
    await gives("(await import('./ts/common.cts')).default.n", "5")
    await gives("require('./ts/rows.ts').rows.length", "2")
  })
})

describe("errors", () => {
  it("show the line and what called it, without frames of the kernel", async () => {
    await gives("function thrower(x) {\n  return x.y.z\n}", undefined)
    const traceback = await fails("\nthrower({})", "TypeError")
    assert.match(
      traceback,
      /^<cell-(\d+)>:2\n {2}return x\.y\.z\n {13}\^\nTypeError: Cannot read .*\n {4}at thrower \(<cell-\1>:2:14\)\n {4}at <cell-\d+>:2:1$/
    )
  })

  it("show causes and what else they carry", async () => {
    const traceback = await fails(
      "try { null.x } catch (e) { throw Object.assign(new Error('outer', { cause: e }), { code: 'E1' }) }",
      "Error",
      "[cause]: TypeError: Cannot read",
      "code: 'E1'"
    )
    assert.notMatch(traceback, /node:internal|javascript-kernel/)
  })

  it("a stack that the cell itself prints has no frames of the kernel either", async () => {
    const { stdout } = await kernel.run("console.log(new Error('seen').stack)")
    assert.match(stdout, /^Error: seen\n {4}at <cell-\d+>:1:13\n$/)
  })

  it("of syntax have a place", async () => {
    const traceback = await fails("const fine = 1\nlet = = 3", "SyntaxError")
    assert.match(traceback, /^<cell-\d+>:2\nlet = = 3\n {6}\^\nSyntaxError: Unexpected token '='$/)
  })

  it("may be any value", async () => {
    await fails("throw { a: 1 }", "Uncaught", "{ a: 1 }")
    await fails("throw null", "Uncaught", "null")
    await fails("await Promise.reject(new RangeError('rejected'))", "RangeError", "rejected")
    await fails("(function again() { again() })()", "RangeError", "Maximum call stack")
  })

  it("nobody waits for are told on standard error", async () => {
    const cell = await kernel.run(
      "const kept = 1; Promise.reject(new Error('floating')); process.nextTick(() => { throw new Error('ticked') }); 1"
    )
    assert.deepStrictEqual([cell.status, cell.result], ["ok", "1"])
    assert.include(cell.stderr, "Error: floating")
    assert.include(cell.stderr, "Error: ticked")
    const again = await kernel.run("process.removeAllListeners(); Promise.reject(new Error('still told')); kept")
    assert.include(again.stderr, "still told")
    assert.strictEqual(again.result, "1")
    await gives("new Promise((_, r) => r()).then(() => {}, () => {}); kept", "1")
  })
})
