/** TypeScript in cells and in the files that they import (SPEC §8.10). */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Fs from "node:fs"
import { createRequire } from "node:module"
import * as Path from "node:path"
import { folder } from "../../support/Cli.ts"
import * as Runner from "../../support/JavaScriptRunner.ts"

describe.each(Runner.nodes)("TypeScript on $name", ({ path }) => {
  const files = folder({ "package.json": '{ "name": "whole", "imports": { "#own": "./ts/own.ts" } }' })
  let kernel: Runner.Runner
  beforeAll(() => {
    kernel = Runner.start({ cwd: files.root, node: path })
  })
  afterAll(async () => {
    await kernel.end()
    files.remove()
  })
  const write = (name: string, text: string) => {
    Fs.mkdirSync(Path.dirname(files.path(name)), { recursive: true })
    Fs.writeFileSync(files.path(name), text)
  }
  const gives = async (code: string, expected: string | undefined) => {
    const cell = await kernel.run(code)
    assert.deepStrictEqual([cell.status, cell.result, cell.stderr], ["ok", expected, ""], cell.all)
  }
  const fails = async (code: string, name: string, ...parts: ReadonlyArray<string>) =>
    Runner.failure(await kernel.run(code), name, ...parts)

  describe("in a cell", () => {
    it("becomes JavaScript, and places stay those of the source", async () => {
      await gives(
        "enum Color { Red, Green }\ninterface X { a: string }\nconst o: X = { a: 'q' }; [Color.Green, o.a].join()",
        "'1,q'"
      )
      await gives("import type { Foo } from './foo'; const z = 'a' satisfies string; z as string", "'a'")
      await gives("{ a: 1 as number }", "{ a: 1 }")
      await gives("for (const n of [1, 2] as number[]) { if (n === 2) return n as number }", "2")
      const traceback = await fails(
        "interface Y {\n  a: string\n}\nconst y: Y | null = null\nconst s: string = 'x'; [(y as Y).a, s]",
        "TypeError"
      )
      assert.match(
        traceback,
        /^<cell-(\d+)>:5\nconst s: string = 'x'; \[\(y as Y\)\.a, s\]\n {33}\^\n[^]*at <cell-\1>:5:34$/
      )
    })

    it("has namespaces, parameter properties and `import = require`", async () => {
      await gives(
        "namespace Geo { export const pi = 3; export const area = (r: number) => pi * r * r }; Geo.area(2)",
        "12"
      )
      await gives(
        "class P { constructor(private readonly a: number, public b = 2) {} sum() { return this.a + this.b } }; new P(1).sum()",
        "3"
      )
      await gives("import path = require('node:path'); path.posix.join('a', 'b')", "'a/b'")
      await fails(
        "namespace N { export let n = 1 }",
        "SyntaxError",
        "<cell-",
        "exports a `let` or a `var` is not supported"
      )
    })

    it("an enum that is declared again has the new members only", async () => {
      await gives("enum Level { Low, High }", undefined)
      await gives("enum Level { High = 5 }\nLevel", "{ '5': 'High', High: 5 }")
      await gives("export enum Level { Max = 'm' }\nLevel", "{ Max: 'm' }")
      await gives("enum Level { A }\nenum Level { B = 1 }\nObject.keys(Level).join()", "'0,1,A,B'")
      await gives("let Other = 1", undefined)
      await gives("enum Other { A }\nOther.A", "0")
    })

    it("what is wrong with its syntax is told where it is", async () => {
      const traceback = await fails("const a: number = 1\nlet é: string = = 3", "SyntaxError")
      assert.match(traceback, /^<cell-\d+>:2\nlet é: string = = 3\n {16}\^\nSyntaxError: Unexpected token$/)
      await fails("const a: number = 1\nlog({ a", "SyntaxError", ">:2\n", "Expected `}` but found `EOF`")
      await fails(
        "function d(t: unknown) {}\n/* @x */ @d class D {}",
        "SyntaxError",
        ">:2\n",
        `\n${" ".repeat(9)}^\n`,
        "experimentalDecorators"
      )
    })
  })

  describe("in files", () => {
    it("is imported, with what it imports, by its names, those it compiles to, and without extension", async () => {
      write("ts/types.ts", "export interface Row { readonly n: number }\n")
      write(
        "ts/rows.ts",
        "import { Row } from './types.ts'\nexport const rows: ReadonlyArray<Row> = [{ n: 1 }, { n: 2 }]\n"
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

    it("may have what is more than types", async () => {
      write(
        "ts/more.ts",
        `export enum Color { Red, Green }
export const enum Size { Small = 1 }
export namespace Geo { export const area = (r: number) => 3 * r * r }
export class Point { constructor(readonly x: number, private y = 2) {} sum() { return this.x + this.y } }
`
      )
      await gives(
        "import { Color, Geo, Point, Size } from './ts/more.ts'; [Color.Green, Size.Small, Geo.area(1), new Point(1).sum()]",
        "[ 1, 1, 3, 3 ]"
      )
    })

    it("a name that is only a type is imported by cells too, and any other that is not there is an error", async () => {
      write(
        "ts/shape.ts",
        "export interface Shape { kind: string }\nexport const make = (kind: string): Shape => ({ kind })\n"
      )
      write("ts/all.ts", "export * from './shape.ts'\n")
      await gives("import { Shape, make } from './ts/shape.ts'; make('a')", "{ kind: 'a' }")
      await gives("import { Shape, make } from './ts/all.ts'; const s: Shape = make('b'); s", "{ kind: 'b' }")
      await fails(
        "import { Shape } from './ts/shape.ts'; new Shape()",
        "SyntaxError",
        "exports no `Shape`; it exports make"
      )
      await fails("import { Shpae } from './ts/shape.ts'", "SyntaxError", "exports no `Shpae`", "`import type`")
    })

    it("runs as its configuration says: decorators, fields, paths", async () => {
      write(
        "old/tsconfig.json",
        `{ // as many projects have it
  "compilerOptions": { "target": "ES2020", "experimentalDecorators": true, "emitDecoratorMetadata": true, "paths": { "@lib/*": ["./lib/*"] } },
}`
      )
      write(
        "old/lib/tag.ts",
        "export const tags: string[] = []\nexport const tag = (name: string) => (t: any, key?: any, at?: any) => { tags.push(`${name} ${typeof t} ${key} ${typeof at}`) }\n"
      )
      write(
        "old/service.ts",
        `import { tag, tags } from "@lib/tag"
@tag("class") export class Service {
  doubled = this.n * 2
  declare left: string
  constructor(@tag("parameter") private n: number) {}
  @tag("method") run() { return [this.doubled, Object.keys(this).join()] }
}
export { tags }
`
      )
      await gives(
        "import { Service, tags } from './old/service.ts'; [...new Service(2).run(), ...tags].join(' | ')",
        "'4 | n,doubled | method object run object | parameter function undefined number | class function undefined undefined'"
      )
      write("new.ts", "const d = (t: unknown) => t\nexport const email = 'a@b.c'\n@d export class C {}\n")
      await gives("require('./old/service.ts').tags.length", "3")
      const decorated =
        "const d = (t: Function) => { Object.assign(t, { seen: true }) }; @d class D {}; Reflect.get(D, 'seen')"
      const other = Runner.start({ cwd: files.path("old"), node: path })
      try {
        assert.strictEqual((await other.run(decorated)).result, "true")
      } finally {
        await other.end()
      }
      const traceback = await fails("import './new.ts'", "SyntaxError", "experimentalDecorators")
      assert.include(traceback, `${files.path("new.ts")}:3\n@d export class C {}\n^\n`)
    })

    it("an error in one has its place, and one that has changed is read again", async () => {
      write(
        "ts/fails.ts",
        "interface A {\n  a: string\n}\nexport const f = (a?: A): string => {\n  return (a as A).a\n}\n"
      )
      await fails("(await import('./ts/fails.ts')).f()", "TypeError", "fails.ts:5:19)")
      write("ts/fails.ts", "export const f = (): string => 'mended'\n")
      await gives("(await import('./ts/fails.ts')).f()", "'mended'")
      write("ts/fails.ts", "export const f = (a?: { a: string }): string =>\n  a!.a\n")
      assert.notInclude(await fails("(await import('./ts/fails.ts')).f()", "TypeError", "fails.ts:2:6)"), "?version")
      write("ts/unread.ts", "export const ok: number = 1\nexport const f: = 1\n")
      write("ts/around.ts", "import './unread.ts'\n")
      const told = `${files.path("ts/unread.ts")}:2\nexport const f: = 1\n${" ".repeat(16)}^\n\nSyntaxError: Unexpected token\n`
      for (const code of ["import './ts/around.ts'", "await import('./ts/unread.ts')", "require('./ts/unread.ts')"])
        assert.include(await fails(code, "SyntaxError"), told)
      write("ts/names.ts", "interface A {\n  a: string\n}\nexport const a = 1; export { nothing } from './sum.ts'\n")
      const expected = `${files.path("ts/names.ts")}:4\nexport const a = 1; export { nothing } from './sum.ts'\n${" ".repeat(29)}^\n`
      assert.include(await fails("import './ts/names.ts'", "SyntaxError", "named 'nothing'"), expected)
      const caught = await kernel.run("try { await import('./ts/unread.ts') } catch (error) { console.log(error) }")
      assert.include(caught.stdout, told)
    })

    it("is imported from packages that lie in the project, and by the names that its own package gives", async () => {
      write("ts/own.ts", "export enum Own { Here = 5 }\n")
      write("packages/core/package.json", '{ "name": "@me/core", "type": "module", "exports": "./src/index.ts" }')
      write("packages/core/src/index.ts", "export { n } from './n'\nexport enum Kind { A, B }\n")
      write("packages/core/src/n.ts", "export const n: number = 1\n")
      Fs.mkdirSync(files.path("node_modules/@me"), { recursive: true })
      Fs.symlinkSync("../../packages/core", files.path("node_modules/@me/core"))
      await gives("import { Kind, n } from '@me/core'; [Kind.B, n]", "[ 1, 1 ]")
      await gives("import { Own } from '#own'; Own.Here", "5")
      write("packages/core/src/n.ts", "export const n: number = 22\n")
      await gives("(await import('@me/core')).n", "22")
    })

    it("may have markup, and imports JSON", async () => {
      write("node_modules/react/package.json", '{ "name": "react", "exports": { "./jsx-runtime": "./jsx.js" } }')
      write("node_modules/react/jsx.js", "exports.jsx = (type, props) => ({ type, props })\n")
      write("ts/view.tsx", "export const View = (p: { n: number }) => <b>{p.n}</b>\n")
      write("ts/data.json", '{ "k": 3 }')
      write("ts/data.ts", "import data from './data.json'\nexport const k: number = data.k\n")
      await gives("import { View } from './ts/view'; View({ n: 1 })", "{ type: 'b', props: { children: 1 } }")
      await gives("const markup = <i id='a'/>; markup", "{ type: 'i', props: { id: 'a' } }")
      await gives("import { k } from './ts/data.ts'; k", "3")
    })

    it("one that was written for CommonJS has its own folder and `require`", async () => {
      write("sub/own.cjs", "exports.own = __dirname\n")
      write(
        "sub/places.ts",
        "import 'node:fs'\nexport const places: string[] = [__dirname, __filename, require('./own.cjs').own]\n"
      )
      const expected = `'${files.path("sub")},${files.path("sub/places.ts")},${files.path("sub")}'`
      await gives("(await import('./sub/places.ts')).places.join()", expected)
      await gives("require('./sub/places.ts').places.join()", expected)
    })

    it("is required, with what it imports", async () => {
      write("ts/common.cts", "const n: number = 5\nmodule.exports = { n }\n")
      await gives("require('./ts/common.cts').n", "5")
      await gives("(await import('./ts/common.cts')).default.n", "5")
      write("ts/written.cts", "import { sum } from './sum'\nexport const twice: number = sum() * 2\n")
      await gives("require('./ts/written.cts').twice", "6")
      await gives("import { twice } from './ts/written.cts'; twice", "6")
      write(
        "ts/live.ts",
        `import { sum } from "./sum.js"
import fs, { existsSync } from "node:fs"
import common from "./common.cts"
export * from "./more.ts"
export let count: number = 0
export const up = () => ++count
export default [sum(), typeof fs.readFileSync, existsSync === fs.existsSync, common.n, import.meta.url.endsWith("live.ts")]
export const boom = (a: null | { b: string }): string => (a as { b: string }).b
`
      )
      await gives(
        "const live = require('./ts/live.ts'); live.up(); [...live.default, live.count, live.Color.Green]",
        "[ 3, 'function', true, 5, true, 1, 1 ]"
      )
      await fails("require('./ts/live').boom(null)", "TypeError", "live.ts:8:79)")
      write("ts/one.ts", "import { two } from './two.ts'\nexport const one: number = 1\nexport const get = () => two\n")
      write("ts/two.ts", "import { one } from './one.ts'\nexport const two: number = 2\nexport const get = () => one\n")
      await gives("[require('./ts/one.ts').get(), require('./ts/two.ts').get()]", "[ 2, 1 ]")
      write("ts/throws.ts", "import './throws2.ts'\n")
      write("ts/throws2.ts", "const a: number = 1\nthrow new Error('at load')\n")
      const thrown = await fails("require('./ts/throws.ts')", "Error", "throws2.ts:2:7)")
      assert.notMatch(thrown, /__vite|javascript-kernel/)
      write("ts/more.ts", "export enum Color { Blue, Green = 7 }\n")
      await gives("require('./ts/live.ts').Color.Green", "7")
      write("ts/waits.ts", "export const n: number = await 1\n")
      await fails("require('./ts/waits.ts')", "Error", "waits.ts has an `await` at its top", "<cell-")
      await gives("(await import('./ts/waits.ts')).n", "1")
    })
  })

  it("is the program of a thread", async () => {
    write("threads/two.ts", "export enum Two { Value = 2 }\n")
    write(
      "threads/one.ts",
      "import { parentPort, workerData } from 'node:worker_threads'\nimport { Two } from './two.ts'\n" +
        "export enum One { Value = 1 }\nparentPort!.postMessage([One.Value, Two.Value, workerData as number])\n"
    )
    write(
      "threads/common.cts",
      "const { parentPort } = require('node:worker_threads')\nenum Four { Value = 4 }\n" +
        "parentPort.postMessage([Four.Value, require('./five.cts').Five.Value])\n"
    )
    write("threads/five.cts", "enum Five { Value = 5 }\nmodule.exports = { Five }\n")
    await gives(
      "const { Worker } = await import('node:worker_threads'); const { once } = require('events');\n" +
        "const said = async (thread: Worker) => (await once(thread, 'message'))[0];\n" +
        "[...(await said(new Worker(new URL('./threads/one.ts', import.meta.url), { workerData: 3 }))), ...(await said(new Worker('./threads/common.cts'))),\n" +
        "...(await said(new (require('worker_threads').Worker)('require(`worker_threads`).parentPort.postMessage([6])', { eval: true }))), Worker.name]",
      "[ 1, 2, 3, 4, 5, 6, 'Worker' ]"
    )
  })

  it("says what is missing where its package cannot be loaded", async () => {
    const { resolve } = createRequire(import.meta.url)
    for (const name of ["javascript-kernel.cjs", "javascript-hooks.js"])
      Fs.copyFileSync(Path.join(Path.dirname(resolve("#javascript-kernel")), name), files.path(name))
    write("bare/typed.ts", "export const n: number = 1\n")
    const bare = Runner.start({ cwd: files.path("bare"), node: path, entry: files.path("javascript-kernel.cjs") })
    try {
      const missing = "the package oxc-transform, which reads TypeScript, cannot be loaded: Cannot find module"
      const install = "npm install --include=optional"
      Runner.failure(
        await bare.run("let n: number = 1"),
        "SyntaxError",
        "Unexpected",
        `If it is TypeScript: ${missing}`,
        install
      )
      Runner.failure(await bare.run("await import('./typed.ts')"), "Error", missing, install)
      Runner.failure(await bare.run("require('./typed.ts')"), "Error", missing, install)
      write("bare/wrong.js", "export const = 1\n")
      Runner.failure(await bare.run("await import('./wrong.js')"), "SyntaxError", "Unexpected token '='")
      assert.strictEqual((await bare.run("1 + 1")).result, "2")
    } finally {
      await bare.end()
    }
  })
})
