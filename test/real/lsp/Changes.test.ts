/** Real servers side by side, and files that are made, changed and deleted behind their back. */
import { execFileSync } from "node:child_process"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Checkout, isInstalled, isRequired, layer as checkoutLayer, type Params } from "./Checkout.ts"

/** The text of a call that must succeed. */
const ask = (params: Params) =>
  Effect.gen(function* () {
    const { call } = yield* Checkout
    const answer = yield* call({ timeout_seconds: 60, ...params })
    return answer.isFailure ? assert.fail(`${answer.code}: ${answer.text}`) : answer
  })

const errors = (file: string, server?: string) =>
  Effect.map(ask({ action: "diagnostics", file, ...(server === undefined ? {} : { server }) }), ({ value }) =>
    "diagnostics" in value ? value.diagnostics.map(({ code, line, path }) => `${path}:${line} ${code}`) : []
  )

const together = (name: string, programs: ReadonlyArray<string>, project: Parameters<typeof checkoutLayer>[0]) => {
  const missing = programs.filter((program) => !isInstalled(program))
  if (missing.length === 0) return layer(checkoutLayer(project), { excludeTestServices: true, timeout: "60 seconds" })
  const why = `${missing.join(", ")} is not installed: run .ci/real-servers`
  return (_: string, __: unknown) => {
    if (isRequired) it(`${name} is there`, () => assert.fail(why))
    else describe.skip(`${name} (skipped: ${why})`, () => it("answers", () => {}))
  }
}

const time = 120_000

together("typescript", ["tsc", "vscode-eslint-language-server"], {
  files: {
    "package.json": '{ "type": "module" }\n',
    "eslint.config.js": 'export default [{ rules: { "no-debugger": "error" } }]\n',
    "tsconfig.json":
      '{ "compilerOptions": { "strict": true, "module": "esnext", "moduleResolution": "bundler", "noEmit": true, "types": [], ' +
      '"allowJs": true, "checkJs": true }, "include": ["src", "app"] }\n',
    "src/a.ts": "export const one = 1\nexport const two = 2\n",
    "src/b.ts": 'import { one, two } from "./a"\nexport const sum: number = one + two\n',
    "src/c.js": "debugger\nconst wrong = zzz\n",
    "app/(group)/[slug]/page.ts": 'import { one } from "../../../src/a"\nexport const page: string = one\n'
  },
  links: { "node_modules/eslint": "npm/node_modules/eslint" }
})("typescript and eslint together", (it) => {
  it.effect(
    "both speak of a file, and of the type checkers the first that is usable",
    () =>
      Effect.gen(function* () {
        const { text, value } = yield* ask({ action: "diagnostics", file: "src/c.js" })
        assert.deepStrictEqual(
          "servers" in value && value.servers.map((one) => `${one.id} ${"outcome" in one ? one.outcome : ""}`),
          ["biome not_covered", "typescript found", "eslint found"]
        )
        assert.include(text, "src/c.js:1  error no-debugger")
        assert.include(text, "src/c.js:2  error 2304: Cannot find name 'zzz'.")
      }),
    time
  )

  it.effect(
    "an export that goes is an error where it is used, and one that comes back is none (B3, B30, B41)",
    () =>
      Effect.gen(function* () {
        const { read, write } = yield* Checkout
        assert.deepStrictEqual(yield* errors("src/b.ts", "typescript"), [])
        const before = read("src/a.ts")
        write("src/a.ts", "export const one = 1\n")
        assert.deepStrictEqual(yield* errors("src/b.ts", "typescript"), ["src/b.ts:1 2305"])
        write("src/a.ts", before)
        assert.deepStrictEqual(yield* errors("src/b.ts", "typescript"), [])
      }),
    time
  )

  it.effect(
    "a file that is made, moved and deleted is seen (B40, E15)",
    () =>
      Effect.gen(function* () {
        const { remove, write } = yield* Checkout
        write("src/user.ts", 'import { late } from "./late"\nexport const use: string = late\n')
        assert.deepStrictEqual(yield* errors("src/user.ts", "typescript"), ["src/user.ts:1 2307"])
        write("src/late.ts", 'export const late = "late"\n')
        assert.deepStrictEqual(yield* errors("src/user.ts", "typescript"), [])
        const { value } = yield* ask({ action: "references", file: "src/late.ts", line: 1, symbol: "late#1" })
        assert.strictEqual("total" in value && value.total, 3)
        remove("src/late.ts")
        assert.deepStrictEqual(yield* errors("src/user.ts", "typescript"), ["src/user.ts:1 2307"])
        remove("src/user.ts")
        const { call } = yield* Checkout
        const gone = yield* call({ action: "diagnostics", file: "src/user.ts" })
        assert.strictEqual(gone.isFailure && gone.code, "not_found")
      }),
    time
  )

  it.effect(
    "a folder with brackets is one file, however the server spells it (B67, E11)",
    () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* errors("app/(group)/[slug]/page.ts", "typescript"), [
          "app/(group)/[slug]/page.ts:2 2322"
        ])
        const { value } = yield* ask({ action: "references", file: "src/a.ts", line: 1, symbol: "one" })
        assert.deepStrictEqual("locations" in value && value.locations.map(({ line, path }) => `${path}:${line}`), [
          "app/(group)/[slug]/page.ts:1",
          "app/(group)/[slug]/page.ts:2",
          "src/a.ts:1",
          "src/b.ts:1",
          "src/b.ts:2"
        ])
      }),
    time
  )

  it.effect(
    "a glob is checked in one question",
    () =>
      Effect.gen(function* () {
        const { value } = yield* ask({ action: "diagnostics", file: "{src,app}/**/*.{ts,js}" })
        if (!("diagnostics" in value)) return assert.fail("no diagnostics")
        assert.deepStrictEqual(
          value.diagnostics.map(({ code, line, path }) => `${path}:${line} ${code}`),
          ["app/(group)/[slug]/page.ts:2 2322", "src/c.js:1 no-debugger", "src/c.js:2 2304"]
        )
        assert.strictEqual(value.files, 4)
        assert.deepStrictEqual(value.unchecked, [])
      }),
    time
  )

  it.effect(
    "status says which run and for which root, and why others do not",
    () =>
      Effect.gen(function* () {
        const { text, value } = yield* ask({ action: "status" })
        if (!("servers" in value)) return assert.fail("no servers")
        const of = (id: string) => value.servers.find((one) => one.id === id)
        assert.deepInclude(of("typescript"), { state: "running", root: ".", marker: "package.json" })
        assert.deepInclude(of("eslint"), { state: "running", root: ".", marker: "eslint.config.js" })
        assert.deepInclude(of("gopls"), { state: "unavailable" })
        assert.match(text, /typescript: running; root \.; marker package\.json; binary .*tsc; pid \d+/)
        assert.match(text, /No root marker here \(or disabled\): .*gopls/)
        const one = yield* ask({ action: "status", server: "gopls" })
        assert.include(one.text, "gopls: unavailable; ")
        assert.include(one.text, "no root marker (go.mod, go.work) in the working directory")
      }),
    time
  )
})

together("python", ["pyright-langserver", "ruff"], {
  files: {
    "pyproject.toml": "[project]\nname = 'real'\nversion = '0'\n[tool.ruff.lint]\nselect = ['F']\n",
    "a.py": "def one() -> int:\n    return 1\n",
    "b.py": "import os\nfrom a import one\n\nvalue: int = one()\n"
  }
})("pyright and ruff together", (it) => {
  it.effect(
    "an outside change of one file is seen in another (B38)",
    () =>
      Effect.gen(function* () {
        const { write } = yield* Checkout
        const { value } = yield* ask({ action: "diagnostics", file: "b.py" })
        if (!("servers" in value)) return assert.fail("no servers")
        assert.strictEqual(value.servers.length, 2)
        assert.include(
          value.servers.map(({ id }) => id),
          "ruff"
        )
        assert.deepStrictEqual(yield* errors("b.py", "ruff"), ["b.py:1 F401"])
        assert.deepStrictEqual(yield* errors("b.py", "pyright"), [])
        write("a.py", "def one() -> str:\n    return ''\n")
        assert.deepStrictEqual(yield* errors("b.py", "pyright"), ["b.py:4 reportAssignmentType"])
        write("a.py", "def one() -> int:\n    return 1\n")
        assert.deepStrictEqual(yield* errors("b.py", "pyright"), [])
      }),
    time
  )
})

together("python", ["pyright-langserver", "basedpyright-langserver", "ty", "python3"], {
  files: {
    "pyproject.toml": "[project]\nname = 'real'\nversion = '0'\n",
    "a.py": "import dep\n\nvalue: str = dep.one()\n"
  }
})("the project's own interpreter", (it) => {
  for (const server of ["pyright", "basedpyright", "ty"]) {
    it.effect(
      `is where ${server} finds packages`,
      () =>
        Effect.gen(function* () {
          const { root, write } = yield* Checkout
          execFileSync("python3", ["-m", "venv", "--without-pip", `${root}/.venv`])
          const version = execFileSync(`${root}/.venv/bin/python`, [
            "-c",
            "import sys; print('%d.%d' % sys.version_info[:2])"
          ])
          const packages = `.venv/lib/python${String(version).trim()}/site-packages`
          write(`${packages}/dep/__init__.py`, "def one() -> int:\n    return 1\n")
          write(`${packages}/dep/py.typed`, "")
          const found = yield* errors("a.py", server)
          assert.deepStrictEqual(found, [`a.py:3 ${server === "ty" ? "invalid-assignment" : "reportAssignmentType"}`])
        }),
      time
    )
  }
})

together("go", ["gopls", "go"], {
  files: {
    "go.mod": "module example.com/real\n\ngo 1.21\n",
    "main.go": "package main\n\nfunc main() { println(Generated()) }\n"
  }
})("gopls", (it) => {
  it.effect(
    "sees what a generator makes (B40)",
    () =>
      Effect.gen(function* () {
        const { remove, write } = yield* Checkout
        assert.deepStrictEqual(yield* errors("main.go"), ["main.go:3 UndeclaredName"])
        write("generated.go", "package main\n\nfunc Generated() int { return 1 }\n")
        assert.deepStrictEqual(yield* errors("main.go"), [])
        remove("generated.go")
        assert.deepStrictEqual(yield* errors("main.go"), ["main.go:3 UndeclaredName"])
      }),
    time
  )
})
