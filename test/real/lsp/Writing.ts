/** A small project on disk, and the tools that write on it with real servers. */
import { execFileSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, type Scope } from "effect"
import * as NodeEdits from "../../../layers/edits/NodeEdits.ts"
import * as Binaries from "../../../layers/lsp/Binaries.ts"
import * as Checkers from "../../../layers/lsp/Checkers.ts"
import * as NodeLanguageServers from "../../../layers/lsp/NodeLanguageServers.ts"
import * as NodeProcesses from "../../../layers/process/NodeProcesses.ts"
import * as NodeWorkspace from "../../../layers/workspace/NodeWorkspace.ts"
import type * as Answer from "../../../src/Answer.ts"
import { resolve } from "../../../src/edits/Resolve.ts"
import { lspApply } from "../../../src/lsp/Apply.ts"
import { lsp } from "../../../src/lsp/Lsp.ts"
import { lspRename } from "../../../src/lsp/Rename.ts"
import { lspRenameFile } from "../../../src/lsp/RenameFile.ts"
import type { Row } from "../../../src/lsp/rows/Row.ts"
import * as Rows from "../../../src/lsp/rows/Rows.ts"
import * as Surface from "../../../src/Surface.ts"
import { isInstalled, isRequired } from "./Checkout.ts"

/** A project that is gone with the scope. */
export const folder = (files: Readonly<Record<string, string>>): Effect.Effect<string, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const root = Fs.realpathSync(Fs.mkdtempSync(Path.join(Os.tmpdir(), "real-writes-")))
      for (const [path, text] of Object.entries(files)) {
        Fs.mkdirSync(Path.dirname(Path.join(root, path)), { recursive: true })
        Fs.writeFileSync(Path.join(root, path), text)
      }
      return root
    }),
    (root) => Effect.sync(() => Fs.rmSync(root, { recursive: true, force: true }))
  )

/** `lsp` in a trusted folder that has checkers and no language server. */
export const checking = Effect.fnUntraced(function* (root: string) {
  const port = Layer.unwrap(
    Effect.gen(function* () {
      const findBinary = yield* Binaries.make({ workspace: root, isTrusted: true })
      const check = yield* Checkers.make({ root, isTrusted: true, findBinary })
      return NodeLanguageServers.layer({ rows: [], findBinary, check })
    })
  ).pipe(Layer.provideMerge(Layer.mergeAll(NodeWorkspace.layer({ root }), NodeProcesses.layer())), Layer.orDie)
  const context = yield* Layer.build(port)
  return yield* Effect.provideContext(Effect.orDie(Surface.make([lsp])), context)
})

/** What a run stands on, in a folder; a row that is named alone serves its languages, with what is different of it here. */
export const resources = (root: string, only?: string, different: Partial<Row> = {}) =>
  Layer.unwrap(
    Effect.map(Binaries.make({ workspace: root, isTrusted: true }), (findBinary) =>
      NodeLanguageServers.layer({
        rows:
          only === undefined
            ? Rows.shipped
            : Rows.shipped.filter(({ id }) => id === only).map((row) => ({ ...row, ...different })),
        findBinary
      })
    )
  ).pipe(
    Layer.provideMerge(NodeEdits.layer({ stateFolder: Path.join(root, ".git/state") })),
    Layer.provideMerge(Layer.mergeAll(NodeWorkspace.layer({ root }), NodeProcesses.layer())),
    Layer.orDie
  )

export const make = Effect.fnUntraced(function* (
  files: Readonly<Record<string, string>>,
  only?: string,
  different?: Partial<Row>
) {
  const root = yield* folder(files)
  const context = yield* Layer.build(resources(root, only, different))
  const surface = yield* Effect.provideContext(
    Effect.orDie(Surface.make([lsp, lspRename, lspApply, lspRenameFile, resolve])),
    context
  )
  const tree = () =>
    Object.fromEntries(
      Fs.readdirSync(root, { recursive: true, encoding: "utf8" })
        .filter((name) => !name.startsWith(".git") && Fs.statSync(Path.join(root, name)).isFile())
        .sort()
        .map((name) => [name, Fs.readFileSync(Path.join(root, name), "utf8")])
    )
  const done = (answer: Answer.Answer) => {
    if (answer.isFailure) assert.fail(answer.text)
  }
  /** Renames, has the project checked, and takes it back. */
  const rename = Effect.fnUntraced(function* (
    place: { readonly file: string; readonly line: number; readonly symbol: string },
    new_name: string,
    check: (root: string) => void,
    changed: ReadonlyArray<string>
  ) {
    const before = tree()
    const answer = yield* surface.call("lsp_rename", { ...place, new_name })
    if (answer.isFailure) return assert.fail(answer.text)
    assert.deepStrictEqual(answer.value.files.map(({ path }) => path).toSorted(), changed)
    check(root)
    done(yield* surface.call("resolve", { edit_id: answer.value.edit_id, action: "undo" }))
    assert.deepStrictEqual(tree(), before)
  })
  return { root, surface, tree, rename, done }
})

/** The tests of a language, where its programs are there. */
export const suite = (name: string, programs: ReadonlyArray<string>, tests: () => void) => {
  const missing = programs.filter((program) => !isInstalled(program))
  const why = `${missing.join(", ")} is not installed: run .ci/real-servers`
  if (missing.length === 0) describe(name, tests)
  else if (isRequired) it(`${name} is there`, () => assert.fail(why))
  else describe.skip(`${name} (skipped: ${why})`, () => it("writes", () => {}))
}

/** Runs a checker, which must have nothing to say. */
export const clean =
  (command: string, ...args: ReadonlyArray<string>) =>
  (root: string): void => {
    try {
      execFileSync(command, args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })
    } catch (error) {
      const said = error instanceof Error && "stdout" in error ? String(error.stdout) : ""
      assert.fail(`${command}: ${said}${String(error)}`)
    }
  }

export const time = 180_000
