/** Diagnostics on write with real servers, each answer against the project's own checker (SPEC §3a). */
import { execFileSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as WriteTools from "../../../layers/WriteTools.ts"
import * as DiagnosticsOnWrite from "../../../src/lsp/DiagnosticsOnWrite.ts"
import * as Surface from "../../../src/Surface.ts"
import { folder, resources, suite, time } from "./Writing.ts"

/** The messages of a checker, a multiset without positions. */
const checked = (
  root: string,
  command: string,
  args: ReadonlyArray<string>,
  pattern: RegExp
): ReadonlyArray<string> => {
  let output: string
  try {
    output = execFileSync(command, args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })
  } catch (error) {
    const part = (name: "stdout" | "stderr") =>
      error instanceof Error && name in error ? String(Object.entries(error).find(([key]) => key === name)?.[1]) : ""
    output = `${part("stdout")}${part("stderr")}`
  }
  return [...output.matchAll(pattern)].map(({ groups }) => `${groups!["path"]} ${groups!["code"]}`).toSorted()
}

const less = (after: ReadonlyArray<string>, before: ReadonlyArray<string>): ReadonlyArray<string> => {
  const left = [...before]
  return after.filter((one) => {
    const at = left.indexOf(one)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}

type Step = readonly [path: string, text: string]

const session = (options: {
  readonly server: string
  readonly files: Readonly<Record<string, string>>
  readonly steps: ReadonlyArray<Step>
  readonly check: (root: string) => ReadonlyArray<string>
  readonly hasCodes?: boolean
}) =>
  Effect.gen(function* () {
    const root = yield* folder(options.files)
    const context = yield* Layer.build(
      DiagnosticsOnWrite.layer({ warm: "5 seconds", cold: "40 seconds" }).pipe(
        Layer.provideMerge(resources(root, options.server))
      )
    )
    const surface = yield* Effect.provideContext(
      Effect.orDie(Surface.make([...WriteTools.files, ...WriteTools.edits])),
      context
    )
    let before = options.check(root)
    let told = 0
    for (const [index, [path, text]] of options.steps.entries()) {
      const answer = yield* surface.call("write", { path, content: text })
      if (answer.isFailure) return assert.fail(answer.text)
      const after = options.check(root)
      const { diagnostics_outcome, introduced } = answer.value
      const what = `step ${index + 1}, ${path}: ${JSON.stringify(text)}\n${answer.text}`
      assert.deepStrictEqual(
        introduced.map((one) => `${one.path} ${options.hasCodes === false ? "" : one.code}`).toSorted(),
        less(after, before),
        what
      )
      assert.strictEqual(diagnostics_outcome, less(after, before).length > 0 ? "introduced" : "nothing_new", what)
      told += introduced.length
      before = after
      if (index % 3 !== 2 || answer.value.edit_id === undefined) continue
      // Taken back, and made again: what is undone reports nothing.
      const was = Fs.readFileSync(Path.join(root, path), "utf8")
      const undone = yield* surface.call("resolve", { edit_id: answer.value.edit_id, action: "undo" })
      if (undone.isFailure) return assert.fail(undone.text)
      assert.deepStrictEqual(undone.value.introduced, [], what)
      assert.notStrictEqual(
        Fs.existsSync(Path.join(root, path)) ? Fs.readFileSync(Path.join(root, path), "utf8") : "",
        was
      )
      before = options.check(root)
    }
    assert.isAbove(told, 0)
  })

const lib = (body: string) => `export interface User {\n  readonly name: string\n${body}}\n`

suite("diagnostics on write by the native TypeScript server", ["tsc"], () => {
  it.live(
    "each answer is the difference that tsc makes",
    () =>
      session({
        server: "typescript",
        files: {
          "package.json": '{ "type": "module" }\n',
          "tsconfig.json":
            '{ "compilerOptions": { "strict": true, "module": "esnext", "moduleResolution": "bundler", "target": "es2022", "noEmit": ' +
            'true, "types": [] }, "include": ["src"] }\n',
          "src/user.ts": lib(""),
          "src/use.ts":
            'import type { User } from "./user"\nexport const name = (user: User) => user.name\nexport const old: string = 1\n',
          "src/more.ts": 'import { name } from "./use"\nexport const length: number = name({ name: "x" }).length\n'
        },
        steps: [
          ["src/user.ts", lib("  readonly age: number\n")],
          ["src/user.ts", lib("  readonly age?: number\n")],
          ["src/user.ts", lib("").replace("name", "title")],
          [
            "src/use.ts",
            'import type { User } from "./user"\nexport const name = (user: User) => user.nam\nexport const old: string = 1\n'
          ],
          [
            "src/use.ts",
            '\n\nimport type { User } from "./user"\nexport const name = (user: User) => user.name\nexport const old: string = 1\n'
          ],
          ["src/new.ts", 'export const x: number = "y"\n'],
          ["src/new.ts", 'import { gone } from "./user"\nexport const x: number = "y"\nexport const z: number = "y"\n'],
          [
            "src/use.ts",
            'import type { User } from "./user"\nexport const name = (user: User) => user.name.length\nexport const old = 1\n'
          ],
          ["src/use.ts", "export const other = 1\n"],
          ["src/use.ts", 'import type { User } from "./user"\nexport const name = (user: User) => user.name\n'],
          ["src/more.ts", 'import { name } from "./use"\nexport const length: number = name({ name: "x" })\n']
        ],
        check: (root) => checked(root, "tsc", ["-p", "."], /^(?<path>[^(\n]+)\(\d+,\d+\): error TS(?<code>\d+)/gm)
      }),
    time
  )
})

for (const server of ["typescript", "vtsls", "typescript-language-server"]) {
  suite(
    `diagnostics on write of what is declared for all files by ${server}`,
    server === "typescript" ? ["tsc"] : [server, "tsc"],
    () => {
      it.live(
        "the first write makes a file; then a name that nobody imports changes",
        () =>
          session({
            server,
            files: {
              "package.json": '{ "type": "module" }\n',
              "tsconfig.json":
                '{ "compilerOptions": { "strict": true, "module": "esnext", "moduleResolution": "bundler", "target": "es2022", "noEmit": ' +
                'true, "types": [] }, "include": ["src"] }\n',
              "src/globals.d.ts": "declare const VERSION: string\n",
              "src/use.ts": "export const version: string = VERSION\nexport const old: string = 1\n",
              "src/other.ts": "export const x = 1\n"
            },
            steps: [
              ["src/more.d.ts", "declare const VERSION: number\n"],
              ["src/more.d.ts", "declare const BUILD: number\n"],
              ["src/globals.d.ts", "declare const VERSION: number\n"],
              ["src/globals.d.ts", "declare const VERSION: string\n"],
              ["src/globals.d.ts", "export declare const VERSION: string\n"],
              ["src/globals.d.ts", "declare global {\n  const VERSION: string\n}\nexport {}\n"]
            ],
            check: (root) => checked(root, "tsc", ["-p", "."], /^(?<path>[^(\n]+)\(\d+,\d+\): error TS(?<code>\d+)/gm)
          }),
        time
      )
    }
  )
}

suite("diagnostics on write by pyright", ["pyright-langserver", "pyright"], () => {
  it.live(
    "each answer is the difference that pyright makes",
    () =>
      session({
        server: "pyright",
        files: {
          "pyproject.toml": '[tool.pyright]\ninclude = ["app"]\n',
          "app/__init__.py": "",
          "app/lib.py": "def double(value: int) -> int:\n    return value * 2\n",
          "app/use.py": "from app.lib import double\n\nfour: int = double(2)\nold: str = 1\n"
        },
        steps: [
          ["app/lib.py", "def double(value: str) -> str:\n    return value * 2\n"],
          ["app/lib.py", "def double(value: int) -> int:\n    return value * 2\n"],
          ["app/lib.py", "def triple(value: int) -> int:\n    return value * 3\n"],
          ["app/use.py", "from app.lib import double\n\n\nfour: int = double(2)\nold: str = 1\nold2: str = 1\n"],
          ["app/new.py", "x: int = 'y'\n"]
        ],
        check: (root) =>
          checked(
            root,
            "pyright",
            ["-p", "."],
            /^\s+\/\S*?real-writes-\w+\/(?<path>\S+?):\d+:\d+ - (?:error|warning): [^(]*(?:\n\s+[^/\n][^\n]*?)*?\((?<code>report\w+)\)/gm
          )
      }),
    time
  )
})

for (const server of ["typescript-language-server", "vtsls"]) {
  suite(`diagnostics on write by ${server}, which pushes`, [server], () => {
    it.live(
      "E17 each answer is the difference that tsc makes, also where it publishes nothing because nothing changes",
      () =>
        session({
          server,
          files: {
            "package.json": '{ "type": "module" }\n',
            "tsconfig.json":
              '{ "compilerOptions": { "strict": true, "module": "esnext", "moduleResolution": "bundler", "target": "es2022", "noEmit": ' +
              'true, "types": [] }, "include": ["src"] }\n',
            "src/user.ts": lib(""),
            "src/use.ts":
              'import type { User } from "./user"\nexport const name = (user: User) => user.name\nexport const old: string = 1\n'
          },
          steps: [
            ["src/user.ts", lib("").replace("name", "title")],
            ["src/user.ts", lib("")],
            [
              "src/use.ts",
              'import type { User } from "./user"\nexport const name = (user: User) => user.nam\nexport const old: string = 1\n'
            ],
            ["src/clean.ts", "export const x = 1\n"],
            ["src/clean.ts", "export const x = 2\n"],
            ["src/clean.ts", "export const x: number = ''\n"],
            ["src/clean.ts", "export const x = 3\n"]
          ],
          check: (root) => checked(root, "tsc", ["-p", "."], /^(?<path>[^(\n]+)\(\d+,\d+\): error TS(?<code>\d+)/gm)
        }),
      time
    )
  })
}

suite("diagnostics on write by gopls", ["gopls", "go"], () => {
  it.live(
    "what a write breaks in another package is told, once",
    () =>
      session({
        server: "gopls",
        files: {
          "go.mod": "module example.com/x\n\ngo 1.21\n",
          "lib/lib.go": "package lib\n\nfunc F() int { return 1 }\n",
          "main.go":
            'package main\n\nimport (\n\t"fmt"\n\n\t"example.com/x/lib"\n)\n\nfunc main() {\n\tfmt.Println(lib.F() + 1)\n}\n'
        },
        steps: [
          ["lib/lib.go", 'package lib\n\nfunc F() string { return "x" }\n'],
          ["lib/lib.go", "package lib\n\nfunc F() int { return 2 }\n"],
          ["lib/lib.go", "package lib\n\nfunc F() int { return y }\n"]
        ],
        hasCodes: false,
        // The compiler has no codes: one a file is enough to tell these apart.
        check: (root) =>
          checked(
            root,
            "go",
            ["build", "-gcflags=-e", "-o", "/dev/null", "./..."],
            /^(?:\.\/)?(?<path>[^:#\s]+\.go):(?<code>)/gm
          )
      }),
    time
  )
})

const dependants = 90

for (const { broken, count, files, good, path, server } of [
  {
    server: "typescript",
    path: "src/lib.ts",
    good: "export const x: number = 1\n",
    broken: 'export const x: string = ""\n',
    files: {
      "tsconfig.json":
        '{ "compilerOptions": { "strict": true, "module": "esnext", "moduleResolution": "bundler", "noEmit": true, "types": [] } }\n',
      ...Object.fromEntries(
        Array.from({ length: dependants }, (_, i) => [
          `src/use${i}.ts`,
          `import { x } from "./lib"\nexport const y${i}: ${i % 3 === 0 ? "number" : "unknown"} = x\nexport const old: string = 1\n`
        ])
      )
    },
    count: Math.ceil(dependants / 3)
  },
  {
    server: "pyright",
    path: "lib.py",
    good: "x: int = 1\n",
    broken: "x: str = ''\n",
    files: {
      "pyproject.toml": "[tool.pyright]\n",
      ...Object.fromEntries(
        Array.from({ length: dependants }, (_, i) => [
          `use${i}.py`,
          `from lib import x\n\ny: ${i % 3 === 0 ? "int" : "object"} = x\nold: str = 1\n`
        ])
      )
    },
    count: Math.ceil(dependants / 3)
  }
]) {
  suite(
    `diagnostics on write of what many files use by ${server}`,
    [server === "typescript" ? "tsc" : server === "pyright" ? "pyright-langserver" : server],
    () => {
      it.live(
        "all that it breaks is told, with the answer or later, once; what is mended and broken again too",
        () =>
          Effect.gen(function* () {
            const root = yield* folder({ ...files, [path]: good })
            const context = yield* Layer.build(
              DiagnosticsOnWrite.layer({ warm: "20 seconds", cold: "60 seconds" }).pipe(
                Layer.provideMerge(resources(root, server))
              )
            )
            const surface = yield* Effect.provideContext(
              Effect.orDie(Surface.make([...WriteTools.files, ...WriteTools.edits])),
              context
            )
            const told: Array<string> = []
            const hear = (answer: Effect.Effect<{ readonly text: string }>) =>
              Effect.map(answer, ({ text }) => {
                told.push(...[...text.matchAll(/^(\S*use\d+\.\w+):\d+ error/gm)].map(([, name]) => name!))
              })
            const all = new Set<string>()
            for (const content of [broken, good, broken]) {
              told.length = 0
              yield* hear(surface.dispatch("write", { path, content }))
              const most = content === broken ? 100 : 5
              for (let i = 0; i < most && told.length < count; i++) {
                yield* Effect.sleep("500 millis")
                yield* hear(surface.dispatch("resolve", { edit_id: "edit_99", action: "undo" }))
              }
              assert.strictEqual(told.length, content === broken ? count : 0, told.join(", "))
              assert.strictEqual(new Set(told).size, told.length)
              for (const one of told) all.add(one)
            }
            assert.strictEqual(all.size, count)
          }),
        time
      )
    }
  )
}
