/**
 * Three real projects made of sources that package registries have: kept in the user's cache folder under their pins, copied for
 * each use, and driven through `livetools serve`.
 */
import { execFileSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import * as Cli from "../../support/Cli.ts"
import { isInstalled, servers } from "../lsp/Checkout.ts"

export interface Project {
  readonly name: string
  /** What must be installed for it. */
  readonly programs: ReadonlyArray<string>
  /** Fills an empty folder. */
  readonly fill: (root: string) => void
  /** The server that answers; the others of its role are off. */
  readonly server: string
  readonly off: ReadonlyArray<string>
  /** One of its files, and all of them. */
  readonly sample: string
  readonly glob: string
}

const run = (command: string, args: ReadonlyArray<string>, cwd = Os.tmpdir()): string =>
  execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })

const words = (text: string): ReadonlyArray<string> => text.split(" ")

/** Made once for its name, which has the pins in it; whoever makes it at the same time makes the same. */
const kept = (name: string, make: (folder: string) => void): string => {
  const folder = Path.join(servers, "..", "projects", name)
  if (Fs.existsSync(folder)) return folder
  Fs.mkdirSync(Path.dirname(folder), { recursive: true })
  const draft = Fs.mkdtempSync(`${folder}-`)
  try {
    make(draft)
    if (!Fs.existsSync(folder)) Fs.renameSync(draft, folder)
  } finally {
    Fs.rmSync(draft, { recursive: true, force: true })
  }
  return folder
}

const copy = (from: string, to: string) => {
  Fs.cpSync(from, to, { recursive: true })
  // What the module cache of Go has is read-only.
  for (const name of ["", ...Fs.readdirSync(to, { recursive: true, encoding: "utf8" })]) {
    const path = Path.join(to, name)
    Fs.chmodSync(path, Fs.statSync(path).isDirectory() ? 0o755 : 0o644)
  }
}

/** Three packages of ProseMirror that import each other: 28 files, 6,800 lines. A fourth is not there: two old errors. */
export const typescript: Project = {
  name: "TypeScript: ProseMirror",
  programs: ["tsc"],
  server: "typescript",
  off: ["typescript-language-server", "vtsls"],
  sample: "src/model/index.ts",
  glob: "src/**/*.ts",
  fill: (root) => {
    const pins = ["prosemirror-model@1.25.11", "prosemirror-transform@1.12.7", "prosemirror-state@1.4.4"]
    const from = kept(`${pins.join("+")}+orderedmap@2.1.1`, (folder) =>
      run("npm", [
        ...words("install --no-save --no-audit --no-fund --ignore-scripts --loglevel=error --prefix"),
        folder,
        ...pins,
        "orderedmap@2.1.1"
      ])
    )
    const names = ["model", "transform", "state"]
    for (const name of names)
      copy(Path.join(from, "node_modules", `prosemirror-${name}`, "src"), Path.join(root, "src", name))
    copy(Path.join(from, "node_modules/orderedmap"), Path.join(root, "node_modules/orderedmap"))
    const paths = Object.fromEntries(names.map((name) => [`prosemirror-${name}`, [`./src/${name}/index.ts`]]))
    const language = { strict: true, target: "es2022", lib: ["es2022", "dom"], types: [] }
    const compilerOptions = { ...language, module: "esnext", moduleResolution: "bundler", noEmit: true, paths }
    Fs.writeFileSync(Path.join(root, "package.json"), '{ "type": "module" }\n')
    Fs.writeFileSync(Path.join(root, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["src"] }))
  }
}

/** `packaging`: 16 files that import each other, 25 old errors. */
export const python: Project = {
  name: "Python: packaging",
  programs: ["pyright-langserver", "pyright"],
  server: "pyright",
  off: ["basedpyright", "ty", "ruff"],
  sample: "packaging/__init__.py",
  glob: "packaging/*.py",
  fill: (root) => {
    const pip = Path.join(servers, "venv/bin/pip")
    const from = kept("packaging==25.0", (folder) =>
      run(Fs.existsSync(pip) ? pip : "pip3", [
        ...words("install --quiet --disable-pip-version-check --no-deps --only-binary :all: --target"),
        folder,
        "packaging==25.0"
      ])
    )
    copy(Path.join(from, "packaging"), Path.join(root, "packaging"))
    Fs.rmSync(Path.join(root, "packaging/__pycache__"), { recursive: true, force: true })
    Fs.writeFileSync(Path.join(root, "pyproject.toml"), '[tool.pyright]\ninclude = ["packaging"]\n')
  }
}

/** Four packages of the module of Go's own modules, with their tests: 14 files, 9,700 lines. */
export const go: Project = {
  name: "Go: golang.org/x/mod",
  programs: ["gopls", "go"],
  server: "gopls",
  off: [],
  sample: "go.mod",
  glob: "**/*.go",
  fill: (root) => {
    const said: unknown = JSON.parse(run("go", ["mod", "download", "-json", "golang.org/x/mod@v0.37.0"]))
    const { Dir } = said as { readonly Dir: string }
    for (const name of ["semver", "module", "modfile", "internal/lazyregexp"]) {
      copy(Path.join(Dir, name), Path.join(root, name))
      Fs.rmSync(Path.join(root, name, "testdata"), { recursive: true, force: true })
    }
    Fs.writeFileSync(Path.join(root, "go.mod"), "module golang.org/x/mod\n\ngo 1.25.0\n")
  }
}

// A home of its own has no caches of Go.
if (isInstalled("go")) {
  const names = ["GOPATH", "GOMODCACHE", "GOCACHE"]
  const values = run("go", ["env", ...names])
    .trim()
    .split("\n")
  for (const [index, name] of names.entries()) process.env[name] = values[index] ?? ""
}

export interface Answer {
  readonly isFailure: boolean
  readonly code?: string
  readonly text: string
  readonly value?: unknown
  readonly deferred?: ReadonlyArray<Deferred>
}

/** What an earlier write turned out to have caused. */
export interface Deferred {
  readonly edit_id?: string
  readonly introduced: ReadonlyArray<unknown>
  readonly text: string
}

/** A copy of a project, and a `livetools serve` in it with a home of its own. */
export const open = async (project: Project, options: { readonly isNotified?: boolean } = {}) => {
  const make = (name: string) => Fs.realpathSync(Fs.mkdtempSync(Path.join(Os.tmpdir(), name)))
  const [root, home] = [make("real-project-"), make("real-home-")]
  project.fill(root)
  const servers = Object.fromEntries(project.off.map((id) => [id, { disabled: true }]))
  Fs.mkdirSync(Path.join(home, ".config/livetools"), { recursive: true })
  Fs.writeFileSync(Path.join(home, ".config/livetools/livetools.json"), JSON.stringify({ servers }))
  const served = Cli.serve(["--cwd", root, "--yes"], home)
  const { result } = await served.request("initialize", { protocolVersion: 1, deferred: options.isNotified === true })
    .answer
  const { run: info } = result as { readonly run: { readonly id: string } }
  const call = async (tool: string, params: object): Promise<Answer> => served.call(tool, params)
  const notified: Array<Deferred> = []
  const listen = (): Promise<void> =>
    served
      .find(({ method }) => method === "diagnostics.deferred")
      .then(({ params }) => {
        notified.push(params as Deferred)
        return listen()
      })
  listen().catch(() => {})
  const read = (path: string) => Fs.readFileSync(Path.join(root, path), "utf8")
  return {
    root,
    served,
    runId: info.id,
    read,
    /** What is not of another package. */
    files: () =>
      Fs.readdirSync(root, { recursive: true, encoding: "utf8" })
        .filter((name) => !name.startsWith("node_modules") && Fs.statSync(Path.join(root, name)).isFile())
        .sort(),
    write: (path: string, text: string) => Fs.writeFileSync(Path.join(root, path), text),
    call,
    /** The number of the one line that has a text in it. */
    line: (path: string, text: string): number => {
      const all = read(path)
        .split("\n")
        .flatMap((line, index) => (line.includes(text) ? [index + 1] : []))
      if (all.length !== 1) throw new Error(`${path} has ${all.length} lines with ${text}`)
      return all[0]!
    },
    /** What has been told since, with a notification, or with the answer of the next call. */
    later: async (isNotified: boolean): Promise<ReadonlyArray<Deferred>> => {
      if (!isNotified) return (await call("read", { path: project.sample, line_count: 1 })).deferred ?? []
      await new Promise((resume) => setTimeout(resume, 50))
      return notified.splice(0)
    },
    /** All files are asked about, so that nothing is under way any more; with what this answer has told of earlier writes. */
    settled: async (): Promise<ReadonlyArray<Deferred>> => {
      const answer = await call("lsp", { action: "diagnostics", file: project.glob, timeout_seconds: 100 })
      return answer.deferred ?? []
    },
    close: async () => {
      served.end()
      await served.closed
      for (const folder of [root, home]) Fs.rmSync(folder, { recursive: true, force: true })
    },
    /** Without an end of `serve`. */
    remove: () => {
      for (const folder of [root, home]) Fs.rmSync(folder, { recursive: true, force: true })
    }
  }
}

export type Opened = Awaited<ReturnType<typeof open>>
