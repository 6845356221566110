import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as Row from "../../../../src/lsp/rows/Row.ts"
import * as Rows from "../../../../src/lsp/rows/Rows.ts"

const decodeOverrides = Schema.decodeUnknownResult(Rows.Overrides, { errors: "all", onExcessProperty: "error" })
const configure = (overrides: unknown) =>
  Result.flatMap(
    Result.mapError(decodeOverrides(overrides), (error) => [error.message]),
    (decoded) => Rows.configure(Rows.shipped, decoded)
  )
const configured = (overrides: unknown) => Result.getOrThrow(configure(overrides))
const wrong = (overrides: unknown) => Result.getOrThrow(Result.flip(configure(overrides))).join("\n")
const serving = (file: string) =>
  Rows.shipped.flatMap((row) => {
    const language = Row.languageOf(row, file)
    return language === undefined ? [] : [`${row.id}: ${language}`]
  })

describe("the shipped rows", () => {
  it("are valid, and have ids of their own", () => {
    for (const row of Rows.shipped) {
      assert.deepStrictEqual(Schema.decodeSync(Row.Row, { onExcessProperty: "error" })(row), row)
    }
    const ids = Rows.shipped.map(({ id }) => id)
    assert.strictEqual(new Set(ids).size, ids.length)
  })

  it("have at least the servers of SPEC 3.9", () => {
    const ids = new Set(Rows.shipped.map(({ id }) => id))
    const wanted =
      "typescript typescript-language-server vtsls pyright basedpyright pylsp ruff ty pyrefly gopls rust-analyzer clangd dart jdtls " +
      "kotlin-lsp csharp-ls ruby-lsp intelephense phpactor lua-language-server zls sourcekit-lsp metals haskell-language-server " +
      "ocamllsp elixir-ls bash-language-server yaml-language-server json css html vue svelte astro tailwindcss eslint biome deno " +
      "docker-langserver terraform-ls nixd marksman taplo prisma graphql"
    assert.deepStrictEqual(
      wanted.split(" ").filter((id) => !ids.has(id)),
      []
    )
  })

  it("C39 give each file the language identifier that the protocol has for it", () => {
    const expected: Readonly<Record<string, string>> = {
      "a.ts": "typescript",
      "a.mts": "typescript",
      "a.tsx": "typescriptreact",
      "a.jsx": "javascriptreact",
      "a.cjs": "javascript",
      "a.py": "python",
      "a.sh": "shellscript",
      "a.c": "c",
      "a.hpp": "cpp",
      "A.RS": "rust",
      Dockerfile: "dockerfile",
      "Dockerfile.dev": "dockerfile",
      "a.json": "json",
      "tsconfig.json": "jsonc",
      "tsconfig.build.json": "jsonc",
      "go.mod": "go.mod",
      Gemfile: "ruby",
      "a.yml": "yaml"
    }
    for (const [file, language] of Object.entries(expected)) {
      const found = new Set(serving(file).map((each) => each.split(": ")[1]))
      assert.isTrue(found.has(language), `${file}: ${[...found]}`)
    }
    assert.deepStrictEqual(serving("a.unknown"), [])
    assert.deepStrictEqual(serving("ts"), [])
  })

  it("have a type checker and a linter for a file, and one server of a role", () => {
    const roles = Rows.shipped
      .filter((row) => Row.languageOf(row, "a.py") !== undefined)
      .map(({ id, role }) => [id, role])
    assert.deepStrictEqual(roles, [
      ["basedpyright", "python"],
      ["pyright", "python"],
      ["ty", "python"],
      ["pyrefly", "python"],
      ["pylsp", "python"],
      ["ruff", undefined]
    ])
  })

  it("have the settings that the experiments ask for", () => {
    const of = (id: string) => Rows.shipped.find((row) => row.id === id)!
    // E7: without it a definition is "nothing" while the project loads.
    assert.deepInclude(of("typescript-language-server").initializationOptions, {
      tsserver: { useSyntaxServer: "never" }
    })
    // E8: a rename at an import renames the declaration.
    assert.deepStrictEqual(of("typescript").settings?.["typescript"], { preferences: { useAliasesForRenames: false } })
    // E4: nothing that switches validation off is sent.
    for (const id of ["json", "css", "html"]) {
      assert.deepInclude(of(id).settings, {
        css: { validate: true, lint: {} },
        html: { validate: { scripts: true, styles: true } },
        json: { validate: { enable: true } }
      })
    }
    assert.deepStrictEqual(of("bash-language-server").args, ["start"])
  })
})

describe("rows by a setting", () => {
  it("are disabled, changed key by key, and added before the shipped ones", () => {
    const rows = configured({
      pyright: { disabled: true },
      gopls: { settings: { gopls: { staticcheck: true } }, binary: "/opt/gopls" },
      mine: {
        languages: [{ id: "typescript", extensions: [".ts"] }],
        markers: ["x.json"],
        binary: "mine",
        role: "typescript"
      }
    })
    assert.strictEqual(rows.length, Rows.shipped.length + 1)
    assert.deepStrictEqual(rows[0], {
      id: "mine",
      languages: [{ id: "typescript", extensions: [".ts"] }],
      markers: ["x.json"],
      binary: { name: "mine" },
      role: "typescript"
    })
    assert.isTrue(rows.find(({ id }) => id === "pyright")!.disabled)
    const gopls = rows.find(({ id }) => id === "gopls")!
    assert.deepStrictEqual(gopls.binary, { name: "/opt/gopls" })
    assert.deepStrictEqual(gopls.settings, { gopls: { staticcheck: true } })
    assert.deepStrictEqual(gopls.markers, Rows.shipped.find(({ id }) => id === "gopls")!.markers)
  })

  it("say what is wrong with them", () => {
    assert.strictEqual(
      wrong({ gople: { args: [] } }),
      "The language server `gople`: `languages` is missing; `markers` is missing; `binary` is missing. Did you mean `gopls`?"
    )
    assert.include(wrong({ gopls: { marker: ["go.mod"] } }), "marker")
    assert.include(wrong({ gopls: { markers: [] } }), "markers")
    assert.include(wrong({ gopls: { settings: { a: undefined } } }), "settings")
  })

  it("do not touch a prototype", () => {
    const rows = configured(JSON.parse('{"gopls":{"settings":{"__proto__":{"a":1}}}}'))
    assert.strictEqual(rows.length, Rows.shipped.length)
    assert.isUndefined(Object.getOwnPropertyDescriptor(Object.prototype, "a"))
  })
})

describe("placeholders", () => {
  it("are filled in wherever a text has them", () => {
    const place = { root: "/w/my project", rootUri: "file:///w/my%20project" }
    const json = {
      a: ["${root}/x", 1, null, true],
      b: { uri: "${rootUri}", name: "${rootName}", no: "${other} $root" }
    }
    const filled = [json].map((one) => Row.fill(one, place))
    assert.deepStrictEqual(filled[0], {
      a: ["/w/my project/x", 1, null, true],
      b: { uri: "file:///w/my%20project", name: "my project", no: "${other} $root" }
    })
  })
})

describe("tools", () => {
  it("are filled in where they are, and left out with their key where not", () => {
    const place = { root: "/w", rootUri: "file:///w" }
    const json = { python: { pythonPath: "${tool:python}", other: "${root}" }, list: ["${tool:python}", "a"] }
    const fill = (tools: ReadonlyMap<string, string>) => [json].map((one) => Row.fill(one, { ...place, tools }))[0]
    assert.deepStrictEqual(fill(new Map([["python", "/w/.venv/bin/python"]])), {
      python: { pythonPath: "/w/.venv/bin/python", other: "/w" },
      list: ["/w/.venv/bin/python", "a"]
    })
    assert.deepStrictEqual(fill(new Map([["ruby", "/bin/ruby"]])), { python: { other: "/w" }, list: ["a"] })
  })
})

describe("markers", () => {
  it("are names, or patterns of names", () => {
    assert.isTrue(Row.fits("*.csproj", "App.csproj"))
    assert.isFalse(Row.fits("*.csproj", "App.csproj.user"))
    assert.isTrue(Row.fits("tsconfig.*.json", "tsconfig.build.json"))
    assert.isFalse(Row.fits("go.mod", "goxmod"))
    assert.isFalse(Row.fits("*.sln", "a+slnx"))
  })
})
