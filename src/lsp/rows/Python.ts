/** Servers for Python: of the type checkers one serves a file, the linter beside it. */
import type { Binary, Language, Row } from "./Row.ts"

const languages: readonly [Language] = [{ id: "python", extensions: [".py", ".pyi", ".pyw"] }]
const markers = [
  "pyproject.toml",
  "setup.py",
  "setup.cfg",
  "requirements.txt",
  "Pipfile",
  "uv.lock",
  "pyrightconfig.json",
  "tox.ini"
] as const

const binary = (name: string, more?: Partial<Binary>): Binary => ({
  name,
  project: [".venv/bin", "venv/bin", "node_modules/.bin"],
  home: [".local/bin"],
  ...more
})

/** The project's own interpreter knows the project's packages. */
const tools = { python: { name: "python", project: [".venv/bin", "venv/bin"] } }
const pythonPath = "${tool:python}"
const analysis = { autoSearchPaths: true, useLibraryCodeForTypes: true, diagnosticMode: "openFilesOnly" }

export const rows: ReadonlyArray<Row> = [
  {
    id: "basedpyright",
    languages,
    markers,
    binary: binary("basedpyright-langserver"),
    args: ["--stdio"],
    role: "python",
    tools,
    settings: { basedpyright: { analysis }, python: { analysis, pythonPath } }
  },
  {
    id: "pyright",
    languages,
    markers,
    // The package of basedpyright has a `pyright-langserver` as well.
    binary: binary("pyright-langserver", { npm: { package: "pyright", major: 1 } }),
    args: ["--stdio"],
    role: "python",
    tools,
    settings: { python: { analysis, pythonPath }, pyright: {} }
  },
  {
    id: "ty",
    languages,
    markers: [...markers, "ty.toml"],
    binary: binary("ty", { probe: ["--version"] }),
    args: ["server"],
    role: "python"
  },
  {
    id: "pyrefly",
    languages,
    markers: [...markers, "pyrefly.toml"],
    binary: binary("pyrefly", { probe: ["--version"] }),
    args: ["lsp"],
    role: "python",
    tools,
    settings: { python: { pythonPath } }
  },
  {
    id: "pylsp",
    languages,
    markers,
    binary: binary("pylsp", { probe: ["--version"] }),
    role: "python",
    tools,
    settings: { pylsp: { plugins: { jedi: { environment: pythonPath } } } }
  },
  {
    id: "ruff",
    languages,
    markers: [...markers, "ruff.toml", ".ruff.toml"],
    binary: binary("ruff", { probe: ["--version"] }),
    args: ["server"]
  }
]
