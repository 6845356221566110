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
const fails = async (code: string, name: string, ...parts: ReadonlyArray<string>) =>
  Runner.failure(await kernel.run(code), name, ...parts)

describe("declarations", () => {
  it("may be declared again as anything else", async () => {
    await gives("const a=1; let b=2; function f(){return 1}; class K{}; var v=1", undefined)
    await gives("let a=5; a=6; const b=3; const f=()=>7; const K=4; let v; [a,b,f(),K,v].join()", "'6,3,7,4,'")
    await gives(
      "function a(){return 'fn'}; var b = 9; class f {}; function K(){}; [typeof a,b,typeof f,typeof K].join()",
      "'function,9,function,function'"
    )
  })

  it("may be made twice in one cell where the language allows it, also after another cell's", async () => {
    await gives("let twice1 = 1, twice2 = 1, twice3 = 1", undefined)
    await gives("var twice1 = 2; var twice1 = 3; twice1", "3")
    await gives("var twice2 = 5; function twice2() {}; twice2", "5")
    await gives("function twice3() { return 1 }; var twice3; twice3()", "1")
    await fails(
      "let twice1 = 1; let twice1 = 2",
      "SyntaxError",
      "'twice1' has already been declared",
      "\n                    ^\n"
    )
  })

  it("some of which are lexical and some global", async () => {
    await gives("let lexical1 = 1; var global1 = 2", undefined)
    await gives(
      "const { lexical1, global1, fresh7 } = { lexical1: 5, global1: 6, fresh7: 7 }; [lexical1, global1, fresh7]",
      "[ 5, 6, 7 ]"
    )
    await gives("var lexical1 = 8, global1 = 9; [lexical1, global1]", "[ 8, 9 ]")
    await gives("let lexical1, global1; [lexical1, global1]", "[ undefined, undefined ]")
    await gives("import lexical1, { sep as global1 } from 'node:path'; [typeof lexical1, global1]", "[ 'object', '/' ]")
  })

  it("a failed initializer leaves the name reusable", async () => {
    await fails("const c = (() => { throw new Error('init') })()", "Error", "init")
    await gives("const c = 5; c", "5")
  })

  it("a constant is one in its own cell", async () => {
    await fails("const once = 1; once = 2", "TypeError", "Assignment to constant variable", "<cell-")
  })

  it.each([
    ["const n1 = 1; const f1 = () => { n1++ }; f1()", ":1:36"],
    ["const n1 = 1\n;[n1] = [2]", ":2:3"],
    ["const { n1 } = { n1: 1 }\n;({ n1 = 3 } = {})", ":2:5"],
    ["const n1 = 0; n1 ||= 2", ":1:18"],
    ["const n1 = 0; for (n1 of [1]) {}", ":1:20"]
  ])("a constant stays one for its cell only: %s", async (code, place) => {
    await gives("let n1 = 'earlier'", undefined)
    const traceback = await fails(code, "TypeError", "Assignment to constant variable.", place)
    assert.notMatch(traceback, /__cell/)
    await gives("let n1 = 5; n1++; n1", "6")
    await gives("const n1 = 7; [1].map((n1) => ++n1)[0] + (() => { { let n1 = 1; n1++ } return n1 })()", "9")
    await gives("n1 = 8; n1", "8")
    await gives("const n1 = 1; n1 ||= 2", "1")
  })

  it("a function is declared anew also where its name was never initialized, and leaves no other name behind", async () => {
    await fails("const never1 = (() => { throw new Error('init') })()", "Error")
    await gives("function never1() { return 1 }\nfunction never1() { return 2 }\nnever1()", "2")
    await gives("Object.getOwnPropertyNames(globalThis).filter((name) => /^__cell./.test(name))", "[]")
  })

  it.each(["const", "let"])("a function is there from the beginning of its cell, also after a `%s`", async (kind) => {
    await gives(`${kind} main_${kind} = () => 'old'`, undefined)
    const cell = await kernel.run(
      `'use strict'\nconsole.log(main_${kind}(2), main_${kind}.name, String(main_${kind}).slice(0, 14))\nfunction main_${kind}(n) {\n  return n ? main_${kind}(n - 1) : 'new'\n}\nmain_${kind}(1)`
    )
    assert.strictEqual(cell.stdout, `new main_${kind} function main_\n`, cell.all)
    assert.strictEqual(cell.result, "'new'")
    await gives(`main_${kind}(3)`, "'new'")
    await fails(
      `1\nfunction main_${kind}() {\n  null.x\n}\nmain_${kind}()`,
      "TypeError",
      `at main_${kind} (<cell-`,
      ":3:"
    )
  })

  it("several functions and a `var` of a cell are there from its beginning", async () => {
    await gives("let one1 = 1, two2 = 2, three3 = 3", undefined)
    await gives(
      "function one1() { return two2() }\nfunction two2() { return 'two' }\nif (true) { var three3 = one1(), four4 = 4 }\n[three3, four4]",
      "[ 'two', 4 ]"
    )
    await gives(
      "async function one1() { return 1 }; export function* two2() { yield await1 }; var await1 = 5; [await one1(), ...two2()]",
      "[ 1, 5 ]"
    )
  })

  it.each([
    ["try { var old1 = JSON.parse('\"new\"') } catch {}", "new,old,old"],
    ["if (true) var old1 = 'a', old2\nelse var old3 = 1", "a,old,old"],
    ["for (var old1 of ['x', 'y']);", "y,old,old"],
    ["for (var { old1, length: old2 } of [{ old1: 1, length: 2 }]) {}", "1,2,old"],
    ["for (var old1 in { key: 1 }) {}", "key,old,old"],
    ["for (var old1 = 0, old2 = ('a' in {}); old1 < 3; old1++) {}", "3,false,old"],
    ["switch (1) { case 1: var { old1, b: [old2] } = { old1: 5, b: [6] }; var old3 = await 7 }", "5,6,7"],
    ["{ console.log\nvar [old1] = [8]\nvar old2\n;[1].at(0) }", "8,old,old"]
  ])("a `var` in a block is the name that an earlier cell declared: %s", async (code, expected) => {
    await gives("let old1 = 'old', old2 = 'old'; let old3 = 'old'", undefined)
    const { all, status } = await kernel.run(code)
    assert.strictEqual(status, "ok", all)
    await gives("[old1, old2, old3].join()", `'${expected}'`)
  })

  it("a `var` in a block beside such a name is one of the cells", async () => {
    await gives("let kept1 = 1", undefined)
    await gives("if (true) { var kept1 = 2, fresh1 = 3 }", undefined)
    await gives("[kept1, fresh1].join()", "'2,3'")
    await gives("if (true) { var kept1 = 4, fresh1 }; [kept1, fresh1].join()", "'4,3'")
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

  it.each([
    ["import process from 'node:process'; typeof process.pid", "'number'"],
    ["import * as process from 'node:process'; typeof process.default.pid", "'number'"],
    ["const process = { env: {} }; await 1; process", "{ env: {} }"],
    [
      "import { Map, Set, Object, Promise, Error, URL } from './named.mjs'; [Map, Set, Object, Promise, Error, URL].join()",
      "'map,set,object,promise,error,url'"
    ],
    ["import { Buffer } from 'node:buffer'; Buffer.from('a').length", "1"]
  ])("a name of the global objects may be declared: %s", async (code, expected) => {
    Fs.writeFileSync(
      files.path("named.mjs"),
      "export const Map = 'map', Set = 'set', Object = 'object', Promise = 'promise', Error = 'error', URL = 'url'\n"
    )
    Fs.writeFileSync(files.path("later.mjs"), "export const later = 1\n")
    const other = Runner.start({ cwd: files.root })
    try {
      const cell = await other.run(code)
      assert.deepStrictEqual([cell.status, cell.result], ["ok", expected], cell.all)
      const next = await other.run("import { later } from './later.mjs'; display({ later }); [later, [1n]]")
      assert.deepStrictEqual([next.status, next.result], ["ok", "[ 1, [ 1n ] ]"], next.all)
      const thrown = await other.run("null.x")
      assert.deepStrictEqual([thrown.status, thrown.error?.["name"]], ["error", "TypeError"], thrown.all)
    } finally {
      await other.end()
    }
  })

  it("what is imported is loaded before a name that it uses itself is declared", async () => {
    Fs.writeFileSync(files.path("uses.mjs"), "export const size = new Map([[1, process.pid]]).size\n")
    Fs.writeFileSync(files.path("maps.mjs"), "import './uses.mjs'; export class Map { size = 'mine' }\n")
    Fs.writeFileSync(files.path("exits.mjs"), "process.exit(3)\n")
    const other = Runner.start({ cwd: files.root })
    try {
      const code =
        "import { size } from './uses.mjs'; import process from 'node:process'; import { Map } from './maps.mjs'"
      const cell = await other.run(`${code}\n;[size, new Map().size, typeof process.pid].join()`)
      assert.deepStrictEqual([cell.status, cell.result], ["ok", "'1,mine,number'"], cell.all)
      const thrown = await other.run("\nimport { Set } from './maps.mjs'")
      assert.deepStrictEqual([thrown.status, thrown.error?.["name"]], ["error", "SyntaxError"], thrown.all)
      assert.include(thrown.error?.["traceback"], "exports no `Set`")
      for (const loop of ["while (true) {}", "await new Promise(() => {})"]) {
        const endless = other.begin(
          `import { Map as URL } from './maps.mjs'; require('fs').writeFileSync('begun', ''); ${loop}`
        )
        while (!Fs.existsSync(files.path("begun"))) await new Promise((resolve) => setTimeout(resolve, 20))
        Fs.rmSync(files.path("begun"))
        endless.interrupt()
        assert.strictEqual((await endless.done).status, "interrupted")
        assert.strictEqual((await other.run("size")).result, "1")
      }
      const exited = await other.run("import Set from './exits.mjs'; console.log('on')")
      assert.deepStrictEqual([exited.status, exited.exitCode, exited.stdout], ["exit", 3, ""])
      assert.strictEqual((await other.run("size")).result, "1")
    } finally {
      await other.end()
    }
  })

  it("a cell ends also where it has taken away what its end is told with", async () => {
    const other = Runner.start({ cwd: files.root })
    try {
      const { result, status } = await other.run("process.memoryUsage = undefined; 5")
      assert.deepStrictEqual([status, result], ["ok", "5"])
    } finally {
      await other.end()
    }
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

  it("have the columns of the source, behind what was rewritten and in functions that were moved", async () => {
    await fails("const x1 = await Promise.resolve({}); const y1 = [await 1]; x1.a.b", "TypeError", `${" ".repeat(65)}^`)
    await fails(
      "import os from 'node:os'; import {\n  sep\n} from 'node:path'; null.x",
      "TypeError",
      "\n} from 'node:path'; null.x\n                         ^\n"
    )
    await gives("let moved1 = 1", undefined)
    const traceback = await fails("1\n2; function moved1() {\n  return null.x\n}; moved1(); 5", "TypeError")
    assert.match(
      traceback,
      /^<cell-(\d+)>:3\n {2}return null\.x\n {14}\^\n[^]*at moved1 \(<cell-\1>:3:15\)\n +at <cell-\1>:4:4$/
    )
    await fails("{ a: null.x }", "TypeError", `\n${" ".repeat(10)}^`)
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
