import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as NodeEdits from "../../../layers/edits/NodeEdits.ts"
import * as NodeWorkspace from "../../../layers/workspace/NodeWorkspace.ts"
import { Edits } from "../../../src/Edits.ts"
import * as Dependants from "../../../src/lsp/Dependants.ts"
import * as Course from "../../../src/lsp/DiagnosticsOnWriteCourse.ts"
import * as Rows from "../../../src/lsp/rows/Rows.ts"
import { Workspace } from "../../../src/Workspace.ts"

const project = Effect.acquireRelease(
  Effect.sync(() => {
    const root = Fs.realpathSync(Fs.mkdtempSync(Path.join(Os.tmpdir(), "dependants-")))
    for (const name of ["a", "b", "c", "d"]) Fs.writeFileSync(Path.join(root, `${name}.ts`), 'import "./z"\n')
    Fs.writeFileSync(Path.join(root, "e.py"), "import z\n")
    return root
  }),
  (root) => Effect.sync(() => Fs.rmSync(root, { recursive: true, force: true }))
)

const looked = (root: string, most: number) =>
  Effect.gen(function* () {
    const groupOf = (path: string) => Path.extname(path)
    const services = { edits: yield* Edits, workspace: yield* Workspace, rows: Rows.shipped, groupOf, most }
    const dependants = Dependants.make(services)
    yield* dependants.refresh
    return dependants
  }).pipe(Effect.provide(NodeEdits.layer().pipe(Layer.provideMerge(NodeWorkspace.layer({ root })))), Effect.scoped)

describe("the files that depend on others", () => {
  it.live("say how many were not looked into, of those that the same servers serve", () =>
    Effect.gen(function* () {
      const root = yield* project
      const [z, other] = [Path.join(root, "z.ts"), Path.join(root, "z.rs")]
      const some = yield* looked(root, 3)
      assert.strictEqual(some.direct([z]).length, 3)
      assert.strictEqual(some.unread([z]), 1)
      assert.strictEqual(some.unread([other]), 0)
      const all = yield* looked(root, 10)
      assert.strictEqual(all.unread([z]), 0)
    })
  )

  it("that were not looked into leave the outcome of a write unknown", () => {
    const course = (unread: number): Course.Course => ({
      introduced: [],
      answers: new Map([["/z.ts", new Map([["server", { id: "server", root: "/", outcome: "empty" }]])]]),
      unfounded: new Map(),
      unasked: 0,
      unread,
      isAskedLater: false,
      isWhole: true,
      isTold: false
    })
    const report = (unread: number) => Course.reportOf(course(unread), new Map(), 2000, (path) => path)
    assert.deepInclude(report(2), {
      outcome: "unknown",
      reasons: ["2 more files were not looked into for what depends on it: the project has too many"]
    })
    assert.deepInclude(report(0), { outcome: "nothing_new", reasons: [] })
  })
})
