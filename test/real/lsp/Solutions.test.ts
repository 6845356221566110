/** `diagnostics "*"` of TypeScript projects that refer to others: what `tsc --build` says in a fresh copy (SPEC §3.10). */
import { spawnSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { servers } from "./Checkout.ts"
import { checking, folder, suite, time } from "./Writing.ts"

type Files = Readonly<Record<string, string>>

const put = (root: string, files: Files) => {
  for (const [path, text] of Object.entries(files)) {
    Fs.mkdirSync(Path.dirname(Path.join(root, path)), { recursive: true })
    Fs.writeFileSync(Path.join(root, path), text)
  }
}

/** What a compiler need not look at. */
const quick = { types: [], lib: ["es5"], skipLibCheck: true } as const

/** All that is there, with the time of its last change. */
const tree = (root: string): ReadonlyArray<string> =>
  Fs.readdirSync(root, { recursive: true, encoding: "utf8" })
    .map((name) => `${name} ${Fs.lstatSync(Path.join(root, name)).mtimeMs}`)
    .toSorted()

const build = (tsc: string, root: string) =>
  spawnSync(tsc, ["--build", "--pretty", "false"], { cwd: root, encoding: "utf8" }).stdout

/** `path:line code`, each once; a compiler repeats what is about a configuration. */
const said = (output: string): ReadonlyArray<string> =>
  [
    ...new Set(
      [...output.matchAll(/^(?:(.+?)\((\d+),\d+\): )?error TS(\d+): /gm)].map(
        ([, path = ".", line = "1", code]) => `${path}:${line} ${code}`
      )
    )
  ].toSorted()

/** What the tool says. */
const ask = Effect.fnUntraced(function* (root: string) {
  const surface = yield* checking(root)
  const answer = yield* surface.call("lsp", { action: "diagnostics", file: "*" })
  const found =
    !answer.isFailure && "diagnostics" in answer.value
      ? answer.value.diagnostics.map(({ code, line, path }) => `${path}:${line} ${code}`).toSorted()
      : []
  return { text: answer.text, found }
})

for (const [name, home] of [
  ["TypeScript 5", "npm/node_modules/typescript"],
  ["the native TypeScript", "typescript7/node_modules/typescript"]
] as const) {
  const tsc = Path.join(servers, Path.dirname(home), ".bin/tsc")

  /** What is said of a project in some state, against what is said of its sources alone. */
  const check = (sources: Files, options: { readonly links?: Files; readonly state?: (root: string) => void } = {}) =>
    Effect.gen(function* () {
      const make = Effect.fnUntraced(function* (files: Files) {
        const root = yield* folder(files)
        for (const [path, to] of Object.entries({ "node_modules/.bin/tsc": tsc, ...options.links })) {
          Fs.mkdirSync(Path.dirname(Path.join(root, path)), { recursive: true })
          Fs.symlinkSync(to, Path.join(root, path))
        }
        return root
      })
      const root = yield* make(sources)
      options.state?.(root)
      put(root, sources)
      const before = tree(root)
      const { found, text } = yield* ask(root)
      assert.deepStrictEqual(tree(root), before)
      const fresh = said(build(tsc, yield* make(sources)))
      assert.deepStrictEqual(found, fresh, text)
      return { text, fresh, root }
    })

  const project = (options: Readonly<Record<string, unknown>>, more: Readonly<Record<string, unknown>> = {}) =>
    JSON.stringify({
      compilerOptions: {
        ...quick,
        composite: true,
        strict: true,
        rootDir: "src",
        outDir: "dist",
        ...options
      },
      include: ["src"],
      ...more
    })

  /** `app` refers to `middle`, which refers to `core`. */
  const solution = (core: string, more: Files = {}): Files => ({
    "tsconfig.json":
      '{ "files": [], /* the last first */ "references": [{ "path": "./app/tsconfig.json" }, // { "path": "./none" }\n ], }\n',
    "core/tsconfig.json": project({}),
    "core/src/x.ts": core,
    "middle/tsconfig.json": project({}, { references: [{ path: "../core" }] }),
    "middle/src/y.ts": 'import { x } from "../../core/src/x"\nexport const y = x\n',
    "app/tsconfig.json": project({}, { references: [{ path: "../middle" }] }),
    "app/src/z.ts": 'import { y } from "../../middle/src/y"\nexport const z: number = y\n',
    ...more
  })
  const good = "export const x: number = 1\n"
  const bad = 'export const x: string = ""\n'

  suite(`solutions by ${name}`, ["tsc"], () => {
    it.live(
      "nothing is built: clean where it is, else all errors",
      () =>
        Effect.gen(function* () {
          const clean = yield* check(solution(good))
          assert.include(clean.text, "No errors or warnings in the project.")
          assert.include(
            clean.text,
            "tsc (tsconfig.json, app/tsconfig.json, middle/tsconfig.json, core/tsconfig.json): clean"
          )
          assert.deepStrictEqual((yield* check(solution(bad))).fresh, ["app/src/z.ts:2 2322"])
        }),
      time
    )

    it.live(
      "what is built is old, or of today, or of a file that is gone",
      () =>
        Effect.gen(function* () {
          const built = (core: string) => (root: string) => {
            put(root, { ...solution(core), "core/src/old.ts": "export const old = 1\n" })
            build(tsc, root)
            Fs.rmSync(Path.join(root, "core/src/old.ts"))
            assert.isTrue(Fs.existsSync(Path.join(root, "core/dist/old.d.ts")))
          }
          assert.deepStrictEqual((yield* check(solution(good), { state: built(good) })).fresh, [])
          assert.deepStrictEqual((yield* check(solution(bad), { state: built(good) })).fresh, ["app/src/z.ts:2 2322"])
          assert.deepStrictEqual((yield* check(solution(good), { state: built(bad) })).fresh, [])
          const gone = solution(good, {
            "middle/src/more.ts": 'import "../../core/dist/old.js"\nexport * from "../../core/dist/old"\n'
          })
          assert.isAbove((yield* check(gone, { state: built(good) })).fresh.length, 0)
        }),
      time
    )

    it.live(
      "packages that find each other by their names, with an option from a package, and state among the modules",
      () =>
        Effect.gen(function* () {
          const files = (core: string): Files => ({
            "package.json": "{}",
            "tsconfig.json":
              '{ "files": [], "references": [{ "path": "packages/app" }, { "path": "packages/core" }] }\n',
            "packages/config/package.json": '{ "name": "@x/config" }',
            "packages/config/base.json": JSON.stringify({
              compilerOptions: {
                ...quick,
                strict: true,
                composite: true,
                module: "esnext",
                moduleResolution: "bundler"
              }
            }),
            "packages/core/package.json":
              '{ "name": "@x/core", "exports": { ".": { "types": "./dist/index.d.ts", "default": "./dist/index.js" } } }',
            "packages/core/tsconfig.json":
              '{ "extends": "@x/config/base.json", "compilerOptions": { "rootDir": "src", "outDir": "dist" }, "include": ["src"] }',
            "packages/core/src/index.ts": core,
            "packages/app/tsconfig.json":
              '{ "extends": "@x/config/base.json", "compilerOptions": { "noEmit": true, "tsBuildInfoFile": "../../node_modules/.tmp/app.tsbuildinfo" }, "include": ["src"], "references": [{ "path": "../core" }] }',
            "packages/app/src/app.ts": 'import { x } from "@x/core"\nexport const z: number = x\n'
          })
          const links = {
            "node_modules/@x/core": "../../packages/core",
            "node_modules/@x/config": "../../packages/config"
          }
          const state = (root: string) => {
            put(root, files(good))
            build(tsc, root)
          }
          assert.deepStrictEqual((yield* check(files(bad), { links })).fresh, ["packages/app/src/app.ts:2 2322"])
          assert.deepStrictEqual((yield* check(files(bad), { links, state })).fresh, ["packages/app/src/app.ts:2 2322"])
        }),
      time
    )

    it.live(
      "a working directory below that of the repository, whose files are used from it",
      () =>
        Effect.gen(function* () {
          const up = yield* folder({
            ".git/HEAD": "",
            "package.json": "{}",
            "base.json": JSON.stringify({ compilerOptions: { ...quick, composite: true, strict: true } }),
            "config/more.json": '{ "extends": "../base.json" }',
            "shared/x.ts": "export const x: string = 1\n",
            "core/tsconfig.json": '{ "extends": "../base.json", "compilerOptions": { "outDir": "../out/core" } }',
            "core/y.ts": 'export const y: string = ""\n',
            "app/tsconfig.json":
              '{ "extends": "../config/more.json", "references": [{ "path": "../core" }], "files": ["z.ts", "../shared/x.ts"], "compilerOptions": { "rootDir": "..", "outDir": "../out/app" } }',
            "app/z.ts":
              'import { x } from "../shared/x"\nimport { y } from "../core/y"\nexport const z: number = x + y\n'
          })
          Fs.mkdirSync(Path.join(up, "app/node_modules/.bin"), { recursive: true })
          Fs.symlinkSync(tsc, Path.join(up, "app/node_modules/.bin/tsc"))
          const before = tree(up)
          const answer = yield* ask(Path.join(up, "app"))
          assert.deepStrictEqual(answer.found, [`${up}/shared/x.ts:1 2322`, "z.ts:3 2322"], answer.text)
          assert.deepStrictEqual(tree(up), before)
        }),
      time
    )

    it.live(
      "a folder that is missing, a circle, a project that is not composite",
      () =>
        Effect.gen(function* () {
          const missing = yield* check({
            ...solution(good),
            "core/tsconfig.json": project({}, { references: [{ path: "../none" }] })
          })
          assert.include(missing.text, `${missing.root}/none`)
          assert.isAbove(missing.fresh.length, 0)
          const circle = yield* check({
            ...solution(good),
            "core/tsconfig.json": project({}, { references: [{ path: "../app" }] })
          })
          assert.include(circle.text, "6202")
          const plain = yield* check({ ...solution(good), "middle/tsconfig.json": project({ composite: false }) })
          assert.isAbove(plain.fresh.length, 0)
        }),
      time
    )
  })
}
