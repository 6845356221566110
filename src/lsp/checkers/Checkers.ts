/** The checkers that are shipped (SPEC §3.10). */
import type { Checker } from "./Checker.ts"

const python = { project: [".venv/bin", "venv/bin", "node_modules/.bin"] }
const pythonProject = [
  { file: "pyproject.toml" },
  { file: "setup.py" },
  { file: "setup.cfg" },
  { file: "requirements.txt" }
] as const

const mypyArgs = [
  "--cache-dir",
  "${out}/mypy",
  "--no-color-output",
  "--no-error-summary",
  "--no-pretty",
  "--show-error-codes",
  "--show-column-numbers"
] as const

/** The section of mypy's own settings, up to one of those that say what is checked. */
const naming = (section: string): string =>
  `^\\[${section}\\][^\\n]*\\n(?:(?!\\[)[^\\n]*\\n)*?[ \\t]*(?:files|packages|modules)[ \\t]*[=:]`
const mypyTargets = [
  { file: "mypy.ini", having: naming("mypy") },
  { file: ".mypy.ini", having: naming("mypy") },
  { file: "pyproject.toml", having: naming("tool\\.mypy") },
  { file: "setup.cfg", having: naming("mypy") }
]

/** Where modules are vendored, go takes those by itself, and writes neither there nor to `go.mod`. */
const vendored = [{ file: "vendor/modules.txt" }]

export const shipped: ReadonlyArray<Checker> = [
  {
    id: "tsc",
    binary: { name: "tsc", project: ["node_modules/.bin"] },
    // Where the project keeps state of its compiler, that goes elsewhere too.
    args: [
      "-p",
      "tsconfig.json",
      "--noEmit",
      "--pretty",
      "false",
      "--incremental",
      "--tsBuildInfoFile",
      "${out}/tsc.json"
    ],
    // Of a project that it leaves out, only the verbose one tells.
    buildArgs: ["--build", "--force", "--verbose", "--pretty", "false"],
    signs: [{ file: "tsconfig.json" }],
    format: "tsc",
    finished: [0, 1, 2]
  },
  {
    id: "basedpyright",
    binary: { name: "basedpyright", ...python },
    args: ["--outputjson", "-p", "."],
    signs: [{ file: "pyproject.toml", having: "^\\[tool\\.basedpyright\\b" }],
    isDeep: true,
    role: "python",
    format: "pyright",
    finished: [0, 1]
  },
  {
    id: "pyright",
    binary: { name: "pyright", ...python },
    args: ["--outputjson", "-p", "."],
    signs: [{ file: "pyrightconfig.json" }, { file: "pyproject.toml", having: "^\\[tool\\.pyright\\b" }],
    isDeep: true,
    usual: pythonProject,
    role: "python",
    format: "pyright",
    finished: [0, 1]
  },
  {
    id: "mypy",
    binary: { name: "mypy", ...python },
    args: [...mypyArgs, "."],
    // What it checks is the project's to say.
    argsWhere: [{ signs: mypyTargets, args: mypyArgs }],
    env: { PYTHONDONTWRITEBYTECODE: "1" },
    signs: [
      { file: "mypy.ini" },
      { file: ".mypy.ini" },
      { file: "pyproject.toml", having: "^\\[tool\\.mypy\\b" },
      { file: "setup.cfg", having: "^\\[mypy\\b" }
    ],
    isDeep: true,
    role: "python",
    // Its plug-ins are programs that the configuration names.
    runsProject: true,
    format: "mypy",
    finished: [0, 1]
  },
  {
    id: "go build",
    binary: { name: "go", home: ["go/bin"] },
    args: ["build", "-mod=readonly", "-gcflags=-e", "-o", "/dev/null", "./..."],
    argsWhere: [{ signs: vendored, args: ["build", "-gcflags=-e", "-o", "/dev/null", "./..."] }],
    signs: [{ file: "go.mod" }],
    format: "go build",
    finished: [0, 1]
  },
  {
    id: "go vet",
    binary: { name: "go", home: ["go/bin"] },
    args: ["vet", "-mod=readonly", "./..."],
    argsWhere: [{ signs: vendored, args: ["vet", "./..."] }],
    signs: [{ file: "go.mod" }],
    format: "go vet",
    finished: [0, 1]
  },
  {
    id: "cargo check",
    binary: { name: "cargo", home: [".cargo/bin"] },
    args: ["check", "--workspace", "--all-targets", "--locked", "--message-format=json"],
    env: { CARGO_TARGET_DIR: "${out}/cargo" },
    signs: [{ file: "Cargo.toml" }],
    locate: ["locate-project", "--workspace", "--message-format=plain"],
    wouldWrite: ["Cargo.lock"],
    runsProject: true,
    format: "cargo",
    finished: [0, 101]
  },
  {
    id: "dart analyze",
    binary: { name: "dart" },
    args: ["analyze", "--format=machine", "."],
    signs: [{ file: "pubspec.yaml" }],
    isDeep: true,
    // Without it, it gets the packages first, and writes where they are.
    wouldWrite: [".dart_tool/package_config.json"],
    format: "dart",
    finished: [0, 1, 2, 3]
  }
]
