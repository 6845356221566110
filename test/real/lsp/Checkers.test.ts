/** `diagnostics "*"` by the projects' own checkers, which write nothing into them (SPEC §3.10). */
import * as Fs from "node:fs"
import * as Path from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { checking, folder, suite, time } from "./Writing.ts"

/** What the tool says of a project without any language server, before and after a break. */
const check = (options: {
  readonly files: Readonly<Record<string, string>>
  readonly broken: Readonly<Record<string, string>>
  readonly clean: ReadonlyArray<readonly [id: string, outcome: string]>
  readonly found: ReadonlyArray<string>
}) =>
  Effect.gen(function* () {
    const root = yield* folder(options.files)
    const surface = yield* checking(root)
    const names = () => Fs.readdirSync(root, { recursive: true, encoding: "utf8" }).toSorted()
    const ask = Effect.map(surface.call("lsp", { action: "diagnostics", file: "*" }), (answer) => {
      if (answer.isFailure || !("diagnostics" in answer.value)) return assert.fail(answer.text)
      return { text: answer.text, value: answer.value }
    })
    const before = names()
    const clean = yield* ask
    assert.deepStrictEqual(
      clean.value.checkers?.map(({ id, outcome }) => [id, outcome]),
      options.clean.map((one) => [...one]),
      clean.text
    )
    assert.include(clean.text, "No errors or warnings in the project.")
    assert.deepStrictEqual(names(), before)
    for (const [path, text] of Object.entries(options.broken)) Fs.writeFileSync(Path.join(root, path), text)
    const broken = yield* ask
    assert.deepStrictEqual(
      broken.value.diagnostics.map(({ code, line, path, severity }) => `${path}:${line} ${severity} ${code ?? "-"}`),
      options.found,
      broken.text
    )
    assert.deepStrictEqual(names(), before)
  })

suite("tsc, with state of its own", ["tsc"], () => {
  it.live(
    "is clean, then not; a solution is checked part by part",
    () =>
      check({
        files: {
          "tsconfig.json": '{ "files": [], "references": [{ "path": "./a" }, { "path": "b/tsconfig.json" }] }\n',
          "a/tsconfig.json":
            '{ "compilerOptions": { "strict": true, "composite": true, "types": [], "outDir": "out" } }\n',
          "a/x.ts": "export const x: number = 1\n",
          "b/tsconfig.json": '{ "compilerOptions": { "strict": true, "incremental": true, "types": [] } }\n',
          "b/y.ts": "export const y: number = 1\n"
        },
        broken: { "a/x.ts": "export const x: number = ''\n", "b/y.ts": "\nexport const y: number = z\n" },
        clean: [["tsc", "empty"]],
        found: ["a/x.ts:1 error 2322", "b/y.ts:2 error 2304"]
      }),
    time
  )
})

suite("configurations below the working directory", ["tsc", "pyright"], () => {
  it.live(
    "each is checked; those of fixtures are not",
    () =>
      check({
        files: {
          "web/tsconfig.json": '{ "compilerOptions": { "strict": true, "types": [] } }\n',
          "web/x.ts": "export const x: number = 1\n",
          "test/fixtures/tsconfig.json": "{}",
          "test/fixtures/bad.ts": "export const x: number = ''\n",
          "tools/tsconfig.json": '{ "extends": "../web/tsconfig.json" }\n',
          "tools/x.ts": "export const x: number = 1\n",
          "py/pyproject.toml": "[tool.pyright]\n",
          "py/a.py": "x: int = 1\n",
          "py/deep/pyproject.toml": "[tool.pyright]\n"
        },
        broken: {
          "test/fixtures/bad.ts": "export {}\n",
          "tools/x.ts": "export const x: number = ''\n",
          "py/a.py": "x: int = ''\n"
        },
        clean: ["tsc", "tsc", "pyright"].map((id) => [id, "empty"] as const),
        found: ["py/a.py:1 error reportAssignmentType", "tools/x.ts:1 error 2322"]
      }),
    time
  )
})

suite("pyright as a checker", ["pyright"], () => {
  it.live(
    "is clean, then not",
    () =>
      check({
        files: { "pyproject.toml": "[tool.pyright]\n", "a.py": "x: int = 1\n" },
        broken: { "a.py": "x: int = ''\n" },
        clean: [["pyright", "empty"]],
        found: ["a.py:1 error reportAssignmentType"]
      }),
    time
  )
})

suite("mypy", ["mypy"], () => {
  it.live(
    "is clean, then not, and keeps its cache elsewhere",
    () =>
      check({
        files: {
          "pyproject.toml": "[tool.mypy]\nstrict = true\n",
          "a.py": "x: int = 1\n",
          "b.py": "import a\n\ny: int = a.x\n"
        },
        broken: { "a.py": "x: str = ''\n" },
        clean: [["mypy", "empty"]],
        found: ["b.py:3 error assignment"]
      }),
    time
  )
})

suite("go build and go vet", ["go"], () => {
  it.live(
    "are clean, then not, tests included",
    () =>
      check({
        files: {
          "go.mod": "module example.com/x\n\ngo 1.21\n",
          "main.go": 'package main\n\nimport "fmt"\n\nfunc main() {\n\tfmt.Println("x")\n}\n',
          "lib/lib.go": "package lib\n\nfunc F() int { return 1 }\n"
        },
        broken: {
          "main.go": 'package main\n\nimport "fmt"\n\nfunc main() {\n\tfmt.Printf("%d", "x")\n}\n',
          "lib/lib.go": 'package lib\n\nfunc F() int { return "x" + y }\n'
        },
        clean: [
          ["go build", "empty"],
          ["go vet", "empty"]
        ],
        found: ["lib/lib.go:3 error -", "main.go:6 warning -"]
      }),
    time
  )
})

suite("several modules of go", ["go"], () => {
  for (const [what, work] of [
    ["of a workspace", { "go.work": "go 1.21\n\nuse (\n\t./a\n\t./b\n)\n" }],
    ["each for itself", {}]
  ] as const) {
    it.live(
      what,
      () =>
        check({
          files: {
            ...work,
            "a/go.mod": "module example.com/a\n\ngo 1.21\n",
            "a/a.go": "package a\n\nfunc F() int { return 1 }\n",
            "b/go.mod": "module example.com/b\n\ngo 1.21\n",
            "b/b.go":
              "go.work" in work
                ? 'package b\n\nimport "example.com/a"\n\nvar X int = a.F()\n'
                : "package b\n\nvar X int = 1\n"
          },
          broken: { "b/b.go": "package b\n\nvar X int = y\n" },
          clean: ["go build", "go build", "go vet", "go vet"].map((id) => [id, "empty"] as const),
          found: ["b/b.go:3 error -"]
        }),
      time
    )
  }
})

suite("several packages of cargo", ["cargo"], () => {
  it.live(
    "members are checked with their workspace, others for themselves",
    () =>
      check({
        files: {
          "Cargo.toml": '[workspace]\nresolver = "2"\nmembers = ["a", "b"]\nexclude = ["c"]\n',
          "Cargo.lock":
            'version = 3\n\n[[package]]\nname = "a"\nversion = "0.1.0"\n\n[[package]]\nname = "b"\nversion = "0.1.0"\ndependencies = [\n "a",\n]\n',
          "a/Cargo.toml": '[package]\nname = "a"\nversion = "0.1.0"\nedition = "2021"\n',
          "a/src/lib.rs": "pub fn f() -> u8 { 1 }\n",
          "b/Cargo.toml":
            '[package]\nname = "b"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\na = { path = "../a" }\n',
          "b/src/lib.rs": "pub fn g() -> u8 { a::f() }\n",
          "c/Cargo.toml": '[package]\nname = "c"\nversion = "0.1.0"\nedition = "2021"\n',
          "c/Cargo.lock": 'version = 3\n\n[[package]]\nname = "c"\nversion = "0.1.0"\n',
          "c/src/lib.rs": "pub fn h() -> u8 { 1 }\n"
        },
        broken: { "a/src/lib.rs": 'pub fn f() -> &\'static str { "" }\n', "c/src/lib.rs": "pub fn h() -> u8 { y }\n" },
        clean: [
          ["cargo check", "empty"],
          ["cargo check", "empty"]
        ],
        found: ["b/src/lib.rs:1 error E0308", "c/src/lib.rs:1 error E0425"]
      }),
    time
  )
})

suite("cargo check", ["cargo"], () => {
  it.live(
    "is clean, then not, and builds elsewhere",
    () =>
      check({
        files: {
          "Cargo.toml": '[package]\nname = "x"\nversion = "0.1.0"\nedition = "2021"\n',
          "Cargo.lock": 'version = 3\n\n[[package]]\nname = "x"\nversion = "0.1.0"\n',
          "src/main.rs": "fn main() {}\n"
        },
        broken: { "src/main.rs": 'fn main() {\n    let x: u8 = "";\n}\n' },
        clean: [["cargo check", "empty"]],
        found: ["src/main.rs:2 error E0308"]
      }),
    time
  )
})
