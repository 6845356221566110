/** Renames by real servers: afterwards the project's own checker is clean, and undo gives the old bytes (SPEC §4, C95). */
import * as Fs from "node:fs"
import * as Path from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { servers } from "./Checkout.ts"
import { clean, make, suite, time } from "./Writing.ts"

const typescript = {
  "package.json": '{ "name": "real", "type": "module" }\n',
  "tsconfig.json":
    '{ "compilerOptions": { "strict": true, "module": "esnext", "moduleResolution": "bundler", "target": "es2022", "noEmit": true, ' +
    '"skipLibCheck": true, "types": [] }, "include": ["src"] }\n',
  "src/lib.ts":
    "export const target = (value: number) => value * 2\nexport default function main() {\n  return target(1)\n}\n",
  "src/index.ts": 'export { target } from "./lib"\nexport { target as other } from "./lib"\n',
  "src/use.ts": 'import main from "./lib"\nimport { target } from "./index"\nexport const four = target(2) + main()\n',
  "src/alias.ts": 'import { target as renamed } from "./lib"\nexport const six = renamed(3)\n'
}

for (const server of ["typescript", "typescript-language-server", "vtsls"]) {
  const program = server === "typescript" ? "tsc" : server
  suite(`renames by ${server}`, [program, "tsc"], () => {
    it.live(
      "C95 E8 from a use behind a re-export: the declaration and every use",
      () =>
        Effect.gen(function* () {
          const { rename } = yield* make(typescript, server)
          yield* rename({ file: "src/use.ts", line: 3, symbol: "target" }, "double", clean("tsc", "-p", "."), [
            "src/alias.ts",
            "src/index.ts",
            "src/lib.ts",
            "src/use.ts"
          ])
        }),
      time
    )

    it.live(
      "an alias is renamed alone, a default export where it is declared; a name that is none is refused (E9)",
      () =>
        Effect.gen(function* () {
          const { rename, surface } = yield* make(typescript, server)
          const check = clean("tsc", "-p", ".")
          yield* rename({ file: "src/alias.ts", line: 2, symbol: "renamed" }, "again", check, ["src/alias.ts"])
          const bad = yield* surface.call("lsp_rename", {
            file: "src/lib.ts",
            line: 1,
            symbol: "target",
            new_name: "1 bad"
          })
          assert.strictEqual(bad.isFailure && bad.code, "invalid_params")
          const keyword = yield* surface.call("lsp_rename", {
            file: "src/lib.ts",
            line: 1,
            symbol: "const",
            new_name: "x"
          })
          assert.strictEqual(keyword.isFailure && keyword.code, "refused_edit", keyword.text)
        }),
      time
    )
  })
}

suite("files renamed with the native TypeScript server", ["tsc"], () => {
  it.live(
    "C98 the imports follow, of a file and of a folder",
    () =>
      Effect.gen(function* () {
        const { done, root, surface, tree } = yield* make(typescript, "typescript")
        const before = tree()
        const moved = yield* surface.call("lsp_rename_file", { from: "src/lib.ts", to: "src/deep/core.ts" })
        if (moved.isFailure) return assert.fail(moved.text)
        clean("tsc", "-p", ".")(root)
        const folder = yield* surface.call("lsp_rename_file", { from: "src/deep", to: "src/flat" })
        if (folder.isFailure) return assert.fail(folder.text)
        clean("tsc", "-p", ".")(root)
        assert.include(tree()["src/use.ts"]!, "./flat/core")
        for (const { value } of [folder, moved]) {
          done(yield* surface.call("resolve", { edit_id: value.edit_id, action: "undo" }))
        }
        assert.deepStrictEqual(tree(), before)
      }),
    time
  )

  it.live(
    "C98 of a file of another language that is imported",
    () =>
      Effect.gen(function* () {
        const { done, root, surface, tree } = yield* make({
          ...typescript,
          "src/data.json": '{ "one": 1 }\n',
          "src/data.ts": 'import data from "./data.json"\nexport const one: number = data.one\n'
        })
        const before = tree()
        const moved = yield* surface.call("lsp_rename_file", { from: "src/data.json", to: "src/deep/values.json" })
        if (moved.isFailure) return assert.fail(moved.text)
        clean("tsc", "-p", ".")(root)
        assert.include(tree()["src/data.ts"]!, "./deep/values.json")
        done(yield* surface.call("resolve", { edit_id: moved.value.edit_id, action: "undo" }))
        assert.deepStrictEqual(tree(), before)
      }),
    time
  )

  it.live(
    "C91 E13 a quick fix, by title and by index, and a kind for the whole file",
    () =>
      Effect.gen(function* () {
        const { root, surface, tree } = yield* make(
          {
            ...typescript,
            "src/loose.ts": "export const nine = target(3)\n",
            "src/messy.ts": 'import { target } from "./lib"\nimport main from "./lib"\nexport const x = target(1)\n'
          },
          "typescript"
        )
        const place = { file: "src/loose.ts", line: 1, symbol: "target" } as const
        const listed = yield* surface.call("lsp", { action: "code_actions", ...place })
        if (listed.isFailure || !("actions" in listed.value)) return assert.fail(listed.text)
        const index = listed.value.actions.find(({ title }) => title.includes("Add import"))!.index
        const answer = yield* surface.call("lsp_apply", { ...place, code_action: index })
        assert.isFalse(answer.isFailure, answer.text)
        clean("tsc", "-p", ".")(root)
        const organized = yield* surface.call("lsp_apply", { file: "src/messy.ts", kind: "source.organizeImports" })
        assert.isFalse(organized.isFailure, organized.text)
        assert.notInclude(tree()["src/messy.ts"]!, "import main")
      }),
    time
  )
})

// pyright does not follow renamed modules, basedpyright does.
for (const server of ["pyright", "basedpyright"])
  suite(`renames by ${server}`, [`${server}-langserver`, "pyright"], () => {
    it.live(
      "C95 from a use; the imports of a moved module follow",
      () =>
        Effect.gen(function* () {
          const { rename, root, surface, tree } = yield* make(
            {
              "pyproject.toml": '[tool.pyright]\ninclude = ["app"]\n',
              "app/__init__.py": "",
              "app/other.py": "from .lib import target\n\ntwo = target(1)\n",
              "app/lib.py": "def target(value: int) -> int:\n    return value * 2\n",
              "app/use.py":
                "from app.lib import target\nfrom app.lib import target as renamed\n\nfour = target(2) + renamed(1)\n"
            },
            server
          )
          const check = clean("pyright", "-p", ".")
          yield* rename({ file: "app/use.py", line: 4, symbol: "target" }, "double", check, [
            "app/lib.py",
            "app/other.py",
            "app/use.py"
          ])
          if (server === "pyright") return
          const moved = yield* surface.call("lsp_rename_file", { from: "app/lib.py", to: "app/core.py" })
          assert.isFalse(moved.isFailure, moved.text)
          check(root)
          assert.include(tree()["app/other.py"]!, ".core")
        }),
      time
    )
  })

suite("renames by gopls", ["gopls", "go"], () => {
  it.live(
    "from a use in another package",
    () =>
      Effect.gen(function* () {
        const { rename } = yield* make(
          {
            "go.mod": "module example.com/real\n\ngo 1.21\n",
            "lib/lib.go": "package lib\n\nfunc Target(value int) int {\n\treturn value * 2\n}\n",
            "main.go":
              'package main\n\nimport (\n\t"fmt"\n\n\t"example.com/real/lib"\n)\n\nfunc main() {\n\tfmt.Println(lib.Target(2))\n}\n'
          },
          "gopls"
        )
        yield* rename({ file: "main.go", line: 10, symbol: "Target" }, "Double", clean("go", "vet", "./..."), [
          "lib/lib.go",
          "main.go"
        ])
      }),
    time
  )
})

suite("renames by clangd", ["clangd"], () => {
  it.live(
    "from a use, in the header and in both files",
    () =>
      Effect.gen(function* () {
        const files = {
          "compile_commands.json": JSON.stringify(
            ["lib.cpp", "main.cpp"].map((file) => ({ directory: ".", file, arguments: ["c++", "-c", file] }))
          ),
          "lib.h": "#pragma once\nint target(int value);\n",
          "lib.cpp": '#include "lib.h"\nint target(int value) { return value * 2; }\n',
          "main.cpp": '#include "lib.h"\nint main() { return target(2); }\n'
        }
        const { rename } = yield* make(files, "clangd")
        yield* rename({ file: "main.cpp", line: 2, symbol: "target" }, "twice", () => {}, [
          "lib.cpp",
          "lib.h",
          "main.cpp"
        ])
      }),
    time
  )
})

// What rustup has on the path may be a shim for one that is not installed.
const analyzer = "bin/rust-analyzer"
suite(
  "renames by rust-analyzer",
  ["cargo", Fs.existsSync(Path.join(servers, analyzer)) ? "rust-analyzer" : `${servers}/${analyzer}`],
  () => {
    it.live(
      "C95 from a use in another crate, and a method",
      () =>
        Effect.gen(function* () {
          const crate = (name: string, more = "") =>
            `[package]\nname = "${name}"\nversion = "0.1.0"\nedition = "2021"\n${more}`
          const { rename } = yield* make(
            {
              "Cargo.toml": '[workspace]\nmembers = ["core", "tool"]\nresolver = "2"\n',
              "Cargo.lock":
                "# This file is automatically @generated by Cargo.\n# It is not intended for manual editing.\nversion = 4\n\n" +
                '[[package]]\nname = "core-lib"\nversion = "0.1.0"\n\n[[package]]\nname = "tool"\nversion = "0.1.0"\ndependencies = [\n "core-lib",\n]\n',
              "core/Cargo.toml": crate("core-lib"),
              "core/src/lib.rs":
                "pub struct Unit(pub i32);\n\nimpl Unit {\n    pub fn target(&self) -> i32 {\n        self.0 * 2\n    }\n}\n\npub fn twice(unit: &Unit) -> i32 {\n    unit.target() * 2\n}\n",
              "tool/Cargo.toml": crate("tool", '\n[dependencies]\ncore-lib = { path = "../core" }\n'),
              "tool/src/main.rs":
                "use core_lib::{twice, Unit};\n\nfn main() {\n    let _ = (twice(&Unit(1)), Unit(2).target());\n}\n"
            },
            "rust-analyzer",
            // It was built without optimisation: the standard library would take it minutes.
            {
              initializationOptions: {
                cargo: { sysroot: null, buildScripts: { enable: false } },
                cachePriming: { enable: false },
                checkOnSave: false
              },
              settings: {},
              // It asks the compiler, which keeps state.
              env: { CARGO_TARGET_DIR: ".git/target" }
            }
          )
          const check = clean("cargo", "check", "--quiet", "--offline", "--workspace", "--target-dir", ".git/target")
          const use = { file: "tool/src/main.rs", line: 4 }
          yield* rename({ ...use, symbol: "target" }, "double", check, ["core/src/lib.rs", "tool/src/main.rs"])
          yield* rename({ ...use, symbol: "Unit#2" }, "Meter", check, ["core/src/lib.rs", "tool/src/main.rs"])
        }),
      time
    )
  }
)
