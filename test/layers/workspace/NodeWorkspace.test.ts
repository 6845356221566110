import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, type Scope } from "effect"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import * as NodeWorkspace from "../../../layers/workspace/NodeWorkspace.ts"
import type { ToolError } from "../../../src/ToolError.ts"
import { Workspace } from "../../../src/Workspace.ts"

/** A directory `work` beside a directory `outside`, filled with `files` (paths ending in `/` are directories). */
const tree = (files: Readonly<Record<string, string>>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const base = Fs.realpathSync(Fs.mkdtempSync(Path.join(Os.tmpdir(), "workspace-")))
      for (const directory of ["work", "outside"]) Fs.mkdirSync(Path.join(base, directory))
      Fs.writeFileSync(Path.join(base, "outside/secret.txt"), "secret")
      const root = Path.join(base, "work")
      for (const [path, text] of Object.entries(files)) {
        const whole = Path.join(root, path)
        Fs.mkdirSync(path.endsWith("/") ? whole : Path.dirname(whole), { recursive: true })
        if (!path.endsWith("/")) Fs.writeFileSync(whole, text)
      }
      return { base, root }
    }),
    ({ base }) => Effect.sync(() => Fs.rmSync(base, { recursive: true, force: true }))
  )

const inTree = <A, E>(
  files: Readonly<Record<string, string>>,
  use: (place: {
    readonly base: string
    readonly root: string
    readonly workspace: Workspace["Service"]
  }) => Effect.Effect<A, E, Scope.Scope>
): Effect.Effect<A, E | ToolError, Scope.Scope> =>
  Effect.gen(function* () {
    const place = yield* tree(files)
    const workspace = yield* Effect.provide(Workspace, NodeWorkspace.layer({ root: place.root }))
    return yield* use({ ...place, workspace })
  })

const codeOf = <A>(self: Effect.Effect<A, ToolError>) => Effect.map(Effect.flip(self), (error) => error.code)

describe("layer", () => {
  it.effect("takes a root that is a symbolic link, and is at its target", () =>
    inTree({ "a.txt": "" }, ({ base, root }) =>
      Effect.gen(function* () {
        Fs.symlinkSync(root, Path.join(base, "link"))
        const workspace = yield* Effect.provide(Workspace, NodeWorkspace.layer({ root: Path.join(base, "link") }))
        assert.strictEqual(workspace.root, root)
        assert.strictEqual((yield* workspace.resolve(Path.join(base, "link/a.txt"))).path, Path.join(root, "a.txt"))
      })
    )
  )
  it.effect("refuses a root that does not exist or is a file", () =>
    inTree({ "a.txt": "" }, ({ root }) =>
      Effect.gen(function* () {
        for (const name of ["missing", "a.txt"]) {
          const exit = yield* Effect.exit(Layer.build(NodeWorkspace.layer({ root: Path.join(root, name) })))
          assert.isTrue(Exit.isFailure(exit), name)
        }
      })
    )
  )
})

describe("resolve", () => {
  it.effect("takes relative and absolute paths, `.`, `..`, doubled and trailing separators", () =>
    inTree({ "a/b.txt": "" }, ({ root, workspace }) =>
      Effect.gen(function* () {
        const file = Path.join(root, "a/b.txt")
        for (const path of [
          "a/b.txt",
          "./a//b.txt",
          "a/../a/b.txt",
          "missing/../a/b.txt",
          file,
          `${root}/../work/a/b.txt`
        ]) {
          assert.deepStrictEqual(yield* workspace.resolve(path), { path: file, entry: file, kind: "file" }, path)
        }
        for (const path of [".", root, "a/..", `${root}/`]) {
          assert.deepStrictEqual(yield* workspace.resolve(path), { path: root, entry: root, kind: "directory" }, path)
        }
      })
    )
  )
  it.effect("gives a missing tail below an existing real parent", () =>
    inTree({ "real/": "" }, ({ root, workspace }) =>
      Effect.gen(function* () {
        Fs.symlinkSync("real", Path.join(root, "link"))
        const resolved = yield* workspace.resolve("link/new/deep.txt")
        const path = Path.join(root, "real/new/deep.txt")
        assert.deepStrictEqual(resolved, { path, entry: path, kind: "missing" })
      })
    )
  )
  it.effect(
    "refuses what leaves the root: `..`, absolute paths, links, links of links, a missing tail below a link",
    () =>
      inTree({ "a.txt": "", "sub/": "" }, ({ base, root, workspace }) =>
        Effect.gen(function* () {
          Fs.symlinkSync("../outside", Path.join(root, "out"))
          Fs.symlinkSync(Path.join(base, "outside/secret.txt"), Path.join(root, "secret"))
          Fs.symlinkSync("secret", Path.join(root, "second"))
          Fs.symlinkSync("../outside/none", Path.join(root, "dangling"))
          Fs.symlinkSync(Path.join(root, "a.txt"), Path.join(base, "outside/back"))
          for (const path of [
            "..",
            "../outside/secret.txt",
            "sub/../../outside",
            "/etc/passwd",
            "/etc/passwd/x",
            "/none/such",
            `${root}2/a`,
            "out",
            "out/secret.txt",
            "out/new/file.txt",
            "out/..",
            "secret",
            "second",
            "dangling",
            "out/back",
            "missing/../../outside/secret.txt"
          ]) {
            assert.strictEqual(yield* codeOf(workspace.resolve(path)), "outside_directory", path)
          }
        })
      )
  )
  it.effect("does not take a name that begins with two dots, or a root's name as a prefix, for the outside", () =>
    inTree({ "..a/b": "" }, ({ root, workspace }) =>
      Effect.gen(function* () {
        assert.strictEqual((yield* workspace.resolve("..a/b")).path, Path.join(root, "..a/b"))
        assert.strictEqual((yield* workspace.resolve("~/x")).path, Path.join(root, "~/x"))
      })
    )
  )
  it.effect("follows `..` after a link as the system does: from the link's target", () =>
    inTree({ "deep/down/": "", "deep/x.txt": "" }, ({ root, workspace }) =>
      Effect.gen(function* () {
        Fs.symlinkSync("deep/down", Path.join(root, "link"))
        assert.strictEqual((yield* workspace.resolve("link/../x.txt")).path, Path.join(root, "deep/x.txt"))
      })
    )
  )
  it.effect("refuses a loop of links and says so", () =>
    inTree({}, ({ root, workspace }) =>
      Effect.gen(function* () {
        Fs.symlinkSync("b", Path.join(root, "a"))
        Fs.symlinkSync("a", Path.join(root, "b"))
        Fs.symlinkSync("self", Path.join(root, "self"))
        for (const path of ["a", "b/c", "self"]) {
          const error = yield* Effect.flip(workspace.resolve(path))
          assert.strictEqual(error.code, "outside_directory")
          assert.include(error.message, "loop of symbolic links")
        }
      })
    )
  )
  it.effect("tells a link from its target", () =>
    inTree({ "a.txt": "" }, ({ root, workspace }) =>
      Effect.gen(function* () {
        Fs.symlinkSync("a.txt", Path.join(root, "one"))
        Fs.symlinkSync("one", Path.join(root, "two"))
        Fs.symlinkSync("new.txt", Path.join(root, "dangling"))
        const at = (name: string) => Path.join(root, name)
        assert.deepStrictEqual(yield* workspace.resolve("two"), { path: at("a.txt"), entry: at("two"), kind: "file" })
        assert.deepStrictEqual(yield* workspace.resolve("dangling"), {
          path: at("new.txt"),
          entry: at("dangling"),
          kind: "missing"
        })
      })
    )
  )
  it.effect("says which part of a path is a file", () =>
    inTree({ "a.txt": "" }, ({ workspace }) =>
      Effect.gen(function* () {
        for (const path of ["a.txt/b", "a.txt/../a.txt"]) {
          const error = yield* Effect.flip(workspace.resolve(path))
          assert.strictEqual(error.code, "not_found")
          assert.include(error.message, "a.txt is a file")
        }
      })
    )
  )
  it.effect("refuses an empty path, a null byte and a name that is too long", () =>
    inTree({}, ({ workspace }) =>
      Effect.gen(function* () {
        assert.strictEqual(yield* codeOf(workspace.resolve("")), "invalid_params")
        assert.strictEqual(yield* codeOf(workspace.resolve("a\0b")), "invalid_params")
        assert.strictEqual(yield* codeOf(workspace.resolve("x".repeat(300))), "not_found")
      })
    )
  )
})

describe("existing", () => {
  it.effect("names near paths: other case, a slip, another extension, another directory", () =>
    inTree({ "src/Parser.ts": "", "src/deep/Lexer.ts": "", "node_modules/p/Lexer.ts": "" }, ({ workspace }) =>
      Effect.gen(function* () {
        const near = (path: string) => Effect.map(Effect.flip(workspace.existing(path)), (error) => error.message)
        assert.include(yield* near("src/parser.ts"), "Near it: src/Parser.ts")
        assert.include(yield* near("src/Parsr.ts"), "Near it: src/Parser.ts")
        assert.include(yield* near("src/Parser.js"), "Near it: src/Parser.ts")
        assert.include(yield* near("scr/Parser.ts"), "Near it: src/Parser.ts")
        assert.include(yield* near("Lexer.ts"), "Near it: src/deep/Lexer.ts.")
        assert.include(yield* near("zzzzzz.qq"), "Nothing of a like name")
        assert.strictEqual((yield* workspace.existing("src")).kind, "directory")
      })
    )
  )
})

describe("show", () => {
  it.effect("is relative inside and absolute outside", () =>
    inTree({}, ({ base, root, workspace }) =>
      Effect.sync(() => {
        assert.strictEqual(workspace.show(Path.join(root, "a/b")), "a/b")
        assert.strictEqual(workspace.show(root), ".")
        assert.strictEqual(workspace.show(Path.join(base, "outside")), Path.join(base, "outside"))
      })
    )
  )
})

describe("isIgnored", () => {
  const ignored = (workspace: Workspace["Service"], paths: ReadonlyArray<string>) =>
    Effect.map(
      Effect.filter(paths, (path) => workspace.isIgnored(Path.join(workspace.root, path))),
      (found) => found
    )

  it.effect("knows .git and node_modules at every depth, whatever the rules say", () =>
    inTree({ ".gitignore": "!node_modules\n!.git\n" }, ({ workspace }) =>
      Effect.gen(function* () {
        const paths = [".git/config", "a/.git", "node_modules/x.js", "a/node_modules/b/c.js"]
        assert.deepStrictEqual(yield* ignored(workspace, [...paths, "a.js", ".gitignore", "node_modules2/x"]), paths)
      })
    )
  )
  it.effect("reads nested rules: the deeper file wins, except below an excluded directory", () =>
    inTree(
      {
        ".gitignore": "*.log\nbuild/\n/only-top.txt\nsub/anchored\n",
        "keep/.gitignore": "!*.log\n!build/\n",
        "keep/a.log": "",
        "build/.gitignore": "!x.js\n",
        "build/x.js": "",
        "keep/build/x.js": "",
        "keep/build/x.log": "",
        "file/build": ""
      },
      ({ workspace }) =>
        Effect.gen(function* () {
          const excluded = ["a.log", "d/a.log", "build/x.js", "only-top.txt", "sub/anchored"]
          const kept = [
            "keep/a.log",
            "keep/build/x.js",
            "keep/build/x.log",
            "d/only-top.txt",
            "d/sub/anchored",
            "file/build",
            "."
          ]
          assert.deepStrictEqual(yield* ignored(workspace, [...excluded, ...kept]), excluded)
        })
    )
  )
  it.effect("puts .ignore above .gitignore, and info/exclude below both", () =>
    inTree(
      {
        ".git/info/exclude": "*.tmp\n*.bak\n",
        ".gitignore": "*.gen\n!a.tmp\n",
        ".ignore": "!b.gen\n*.big\n"
      },
      ({ workspace }) =>
        Effect.gen(function* () {
          const excluded = ["x.tmp", "x.bak", "x.gen", "x.big"]
          assert.deepStrictEqual(yield* ignored(workspace, [...excluded, "a.tmp", "b.gen", "x.ts"]), excluded)
        })
    )
  )
  it.effect("reads changed rules again", () =>
    inTree({ ".gitignore": "a.txt\n" }, ({ root, workspace }) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* ignored(workspace, ["a.txt", "bb.txt"]), ["a.txt"])
        Fs.writeFileSync(Path.join(root, ".gitignore"), "bb.txt\n")
        assert.deepStrictEqual(yield* ignored(workspace, ["a.txt", "bb.txt"]), ["bb.txt"])
        Fs.rmSync(Path.join(root, ".gitignore"))
        assert.deepStrictEqual(yield* ignored(workspace, ["a.txt", "bb.txt"]), [])
      })
    )
  )
  it.effect("reads the rules above the root up to its repository, unless they exclude the root itself", () =>
    Effect.gen(function* () {
      const { root } = yield* tree({
        ".git/HEAD": "",
        ".gitignore": "dist/\n/packages/one/gen.ts\nscratch/\n",
        "packages/one/dist/a.js": "",
        "scratch/play/a.js": ""
      })
      const one = yield* Effect.provide(Workspace, NodeWorkspace.layer({ root: Path.join(root, "packages/one") }))
      assert.deepStrictEqual(yield* ignored(one, ["dist/a.js", "gen.ts", "src.ts"]), ["dist/a.js", "gen.ts"])
      const play = yield* Effect.provide(Workspace, NodeWorkspace.layer({ root: Path.join(root, "scratch/play") }))
      assert.deepStrictEqual(yield* ignored(play, ["a.js"]), [])
    })
  )
  it.effect("finds info/exclude of a worktree", () =>
    Effect.gen(function* () {
      const { root } = yield* tree({
        "main/.git/info/exclude": "secret.txt\n",
        "main/.git/worktrees/w/commondir": "../..\n",
        "w/.git": "gitdir: ../main/.git/worktrees/w\n"
      })
      const workspace = yield* Effect.provide(Workspace, NodeWorkspace.layer({ root: Path.join(root, "w") }))
      assert.deepStrictEqual(yield* ignored(workspace, ["secret.txt", "a.txt"]), ["secret.txt"])
    })
  )
  it.effect("takes names with special characters literally", () =>
    inTree({ "[a]*/.gitignore": "x.txt\n/y.txt\n" }, ({ workspace }) =>
      Effect.gen(function* () {
        const excluded = ["[a]*/x.txt", "[a]*/d/x.txt", "[a]*/y.txt"]
        assert.deepStrictEqual(yield* ignored(workspace, [...excluded, "a/x.txt", "[a]*/d/y.txt"]), excluded)
      })
    )
  )
})
