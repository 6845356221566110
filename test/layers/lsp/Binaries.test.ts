import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Binaries from "../../../layers/lsp/Binaries.ts"
import * as NodeProcesses from "../../../layers/process/NodeProcesses.ts"
import type { Binary, Row } from "../../../src/lsp/rows/Row.ts"

const works = "#!/bin/sh\nexit 0\n"
const shim =
  "#!/bin/sh\necho \"error: Unknown binary 'rust-analyzer' in official toolchain\" >&2\necho trace >&2\nexit 1\n"

/** Files are scripts, but for `.json`. */
const tree = (files: Readonly<Record<string, string>>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const base = Fs.realpathSync(Fs.mkdtempSync(Path.join(Os.tmpdir(), "binaries-")))
      Fs.mkdirSync(Path.join(base, "project", "packages", "a"), { recursive: true })
      for (const [name, text] of Object.entries(files)) {
        const file = Path.join(base, name)
        Fs.mkdirSync(Path.dirname(file), { recursive: true })
        Fs.writeFileSync(file, text, { mode: name.endsWith(".json") ? 0o644 : 0o755 })
      }
      return base
    }),
    (base) => Effect.sync(() => Fs.rmSync(base, { recursive: true, force: true }))
  )

const row = (binary: Binary): Row => ({
  id: "server",
  languages: [{ id: "x", extensions: [".x"] }],
  markers: ["marker"],
  binary
})

const find = (base: string, binary: Binary, options: Partial<Binaries.Options> = {}, root = "project") =>
  Binaries.make({
    workspace: Path.join(base, "project"),
    isTrusted: true,
    env: { PATH: `${base}/path:relative:${base}/path:${base}/path2:${process.env["PATH"]}` },
    home: Path.join(base, "home"),
    ...options
  }).pipe(
    Effect.flatMap((binaries) => binaries(row(binary), Path.join(base, root))),
    Effect.provide(NodeProcesses.layer())
  )

describe("where the binary of a server is", () => {
  it.live("is the project before PATH before the user's home", () =>
    Effect.gen(function* () {
      const binary = { name: "srv", project: ["node_modules/.bin"], home: ["go/bin"] }
      const base = yield* tree({
        "project/packages/a/node_modules/.bin/srv": works,
        "project/node_modules/.bin/srv": works,
        "path/srv": works,
        "home/go/bin/srv": works
      })
      const at = (file: string) => ({ status: "found" as const, command: Path.join(base, file) })
      assert.deepStrictEqual(
        yield* find(base, binary, {}, "project/packages/a"),
        at("project/packages/a/node_modules/.bin/srv")
      )
      assert.deepStrictEqual(yield* find(base, binary), at("project/node_modules/.bin/srv"))
      Fs.rmSync(Path.join(base, "project/node_modules"), { recursive: true })
      assert.deepStrictEqual(yield* find(base, binary), at("path/srv"))
      Fs.rmSync(Path.join(base, "path/srv"))
      assert.deepStrictEqual(yield* find(base, binary), at("home/go/bin/srv"))
      Fs.rmSync(Path.join(base, "home/go/bin/srv"))
      assert.deepStrictEqual(yield* find(base, binary), {
        status: "missing",
        reason: "`srv` is not in node_modules/.bin, PATH or ~/go/bin"
      })
    })
  )

  it.live("is never above the working directory", () =>
    Effect.gen(function* () {
      const base = yield* tree({ "node_modules/.bin/srv": works })
      const found = yield* find(base, { name: "srv", project: ["node_modules/.bin"] })
      assert.strictEqual(found.status, "missing")
    })
  )

  it.live("is not in a project that is not trusted, also by PATH or a link", () =>
    Effect.gen(function* () {
      const base = yield* tree({ "project/.venv/bin/srv": works, "path2/srv": works })
      const binary = { name: "srv", project: [".venv/bin"] }
      const env = { PATH: `${base}/project/.venv/bin:${base}/path` }
      const reason = `counts as not found: ${base}/project/.venv/bin/srv is inside the project, which is not trusted`
      const only = yield* find(base, binary, { isTrusted: false, env: { PATH: "" } })
      assert.deepStrictEqual(only, { status: "not_trusted", reason })
      const byPath = yield* find(base, { name: "srv" }, { isTrusted: false, env })
      assert.deepStrictEqual(byPath, { status: "not_trusted", reason })
      Fs.mkdirSync(Path.join(base, "path"))
      Fs.symlinkSync(Path.join(base, "project/.venv/bin/srv"), Path.join(base, "path/srv"))
      const byLink = yield* find(base, { name: "srv" }, { isTrusted: false, env: { PATH: `${base}/path` } })
      assert.strictEqual(byLink.status, "not_trusted")
      const other = yield* find(base, binary, { isTrusted: false })
      assert.deepStrictEqual(other, { status: "found", command: `${base}/path2/srv` })
    })
  )

  it.live("is not a shim for what is not installed, which says why", () =>
    Effect.gen(function* () {
      const base = yield* tree({ "path/srv": shim })
      const probed = { name: "srv", probe: ["--version"] }
      assert.deepStrictEqual(yield* find(base, probed), {
        status: "missing",
        reason:
          `${base}/path/srv is there but does not work: \`srv --version\` exited with code 1, ` +
          "saying: error: Unknown binary 'rust-analyzer' in official toolchain"
      })
      Fs.mkdirSync(Path.join(base, "path2"))
      Fs.writeFileSync(Path.join(base, "path2/srv"), works, { mode: 0o755 })
      assert.deepStrictEqual(yield* find(base, probed), { status: "found", command: `${base}/path2/srv` })
    })
  )

  it.live("is not a file that cannot be run", () =>
    Effect.gen(function* () {
      const base = yield* tree({ "path/srv": "no program", "path2/srv": "#!/nowhere/sh\n" })
      const found = yield* find(base, { name: "srv" })
      assert.strictEqual(found.status, "missing")
      assert.include(JSON.stringify(found), "neither a program for this system nor a script")
      assert.include(JSON.stringify(found), "/nowhere/sh")
    })
  )

  it.live("is of the npm package that is wanted, and the project's own older one settles it", () =>
    Effect.gen(function* () {
      const npm = { package: "typescript", major: 7 }
      const binary = { name: "tsc", project: ["node_modules/.bin"], npm }
      const base = yield* tree({
        "project/node_modules/typescript/package.json": '{"name":"typescript","version":"5.9.3"}',
        "project/node_modules/typescript/bin/tsc": works,
        "lib/typescript/package.json": '{"name":"typescript","version":"7.0.2"}',
        "lib/typescript/bin/tsc": works,
        "lib/other/package.json": '{"name":"other","version":"9.0.0"}',
        "lib/other/tsc": works,
        "path/unrelated": works,
        "path2/unrelated": works
      })
      Fs.mkdirSync(Path.join(base, "project/node_modules/.bin"))
      Fs.symlinkSync("../typescript/bin/tsc", Path.join(base, "project/node_modules/.bin/tsc"))
      Fs.symlinkSync(Path.join(base, "lib/other/tsc"), Path.join(base, "path/tsc"))
      Fs.symlinkSync(Path.join(base, "lib/typescript/bin/tsc"), Path.join(base, "path2/tsc"))
      assert.deepStrictEqual(yield* find(base, binary), {
        status: "missing",
        reason: `${base}/project/node_modules/.bin/tsc is of typescript 5.9.3; version 7 or later is needed`
      })
      Fs.rmSync(Path.join(base, "project/node_modules"), { recursive: true })
      assert.deepStrictEqual(yield* find(base, binary), { status: "found", command: `${base}/path2/tsc` })
    })
  )

  it.live("is a path where the row gives one", () =>
    Effect.gen(function* () {
      const base = yield* tree({ "project/tools/srv": works })
      const binary = { name: "tools/srv" }
      assert.deepStrictEqual(yield* find(base, binary), { status: "found", command: `${base}/project/tools/srv` })
      assert.strictEqual((yield* find(base, binary, { isTrusted: false })).status, "not_trusted")
      assert.deepStrictEqual(yield* find(base, { name: "/nowhere/srv" }), {
        status: "missing",
        reason: "there is no file /nowhere/srv"
      })
    })
  )
})
