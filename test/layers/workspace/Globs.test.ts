import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as NodeWorkspace from "../../../layers/workspace/NodeWorkspace.ts"
import { Workspace } from "../../../src/Workspace.ts"

const inTree = (files: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const root = Fs.realpathSync(Fs.mkdtempSync(Path.join(Os.tmpdir(), "globs-")))
      for (const file of files) {
        Fs.mkdirSync(Path.dirname(Path.join(root, file)), { recursive: true })
        Fs.writeFileSync(Path.join(root, file), file === ".gitignore" ? "dist/\n*.log\n" : "")
      }
      return root
    }),
    (root) => Effect.sync(() => Fs.rmSync(root, { recursive: true }))
  )

const files = (root: string, glob: string) =>
  Effect.gen(function* () {
    const workspace = yield* Workspace
    return (yield* workspace.files(glob)).map(workspace.show)
  }).pipe(Effect.provide(NodeWorkspace.layer({ root })))

describe("the files of a glob", () => {
  it.live("are those that match, in order, without what is ignored", () =>
    Effect.gen(function* () {
      const root = yield* inTree([
        ".gitignore",
        "b.ts",
        "a.ts",
        "src/x.ts",
        "src/deep/y.tsx",
        "src/deep/y.log",
        "dist/a.ts",
        "node_modules/p/a.ts",
        ".github/w.yml",
        "app/[slug]/(group)/page.ts"
      ])
      assert.deepStrictEqual(yield* files(root, "*.ts"), ["a.ts", "b.ts"])
      assert.deepStrictEqual(yield* files(root, "./*.ts"), ["a.ts", "b.ts"])
      assert.deepStrictEqual(yield* files(root, "**/*.{ts,tsx}"), [
        "a.ts",
        "app/[slug]/(group)/page.ts",
        "b.ts",
        "src/deep/y.tsx",
        "src/x.ts"
      ])
      assert.deepStrictEqual(yield* files(root, "src/**"), ["src/deep/y.tsx", "src/x.ts"])
      assert.deepStrictEqual(yield* files(root, `${root}/src/*.ts`), ["src/x.ts"])
      assert.deepStrictEqual(yield* files(root, "**/*.yml"), [".github/w.yml"])
      assert.deepStrictEqual(yield* files(root, "src/x.ts"), ["src/x.ts"])
      assert.deepStrictEqual(yield* files(root, "nowhere/*.ts"), [])
      assert.deepStrictEqual(yield* files(root, "!a.ts"), [])
    })
  )

  it.live("are never outside, and links to directories are not followed", () =>
    Effect.gen(function* () {
      const root = yield* inTree(["a.ts", "src/b.ts"])
      Fs.symlinkSync("/", Path.join(root, "all"))
      Fs.symlinkSync("..", Path.join(root, "src/up"))
      assert.deepStrictEqual(yield* files(root, "**/*.ts"), ["a.ts", "src/b.ts"])
      const error = yield* Effect.flip(files(root, "../*.ts"))
      assert.strictEqual(error.code, "outside_directory")
      assert.strictEqual((yield* Effect.flip(files(root, "/etc/*"))).code, "outside_directory")
      assert.strictEqual((yield* Effect.flip(files(root, "all/etc/*"))).code, "outside_directory")
    })
  )
})
