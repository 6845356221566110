import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Result } from "effect"
import * as Fs from "node:fs"
import * as Path from "node:path"
import type { Edits } from "../../../src/Edits.ts"
import type { Operation, Plan } from "../../../src/edits/Plan.ts"
import type { ToolError } from "../../../src/ToolError.ts"
import { engine, engines, type Files, fill, journals, snapshot, tree } from "./support.ts"

type Engine = Edits["Service"]

const plan = (...operations: ReadonlyArray<Operation>): Plan => ({ operations })
const failing = <A>(self: Effect.Effect<A, ToolError>) => Effect.flip(self)

/** An edit that replaces the first occurrence of `old` in a file by `now`. */
const replace = Effect.fnUntraced(function* (edits: Engine, path: string, old: string, now: string) {
  const { hash, text } = yield* edits.read(path)
  const start = text.indexOf(old)
  assert.isAtLeast(start, 0)
  return { kind: "edit", path, hash, edits: [{ start, end: start + old.length, newText: now }] } satisfies Operation
})

const withTree = <E>(
  files: Files,
  use: (place: { readonly root: string; readonly state: string; readonly edits: Engine }) => Effect.Effect<void, E>
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const place = yield* tree(files)
      yield* use({ ...place, edits: yield* engine(place) })
      assert.deepStrictEqual(journals(place), [])
    })
  )

describe("the life of an edit", () => {
  it.live("is staged, accepted, undone: each time the answer tells the files and what changes in them", () =>
    withTree({ "src/a.ts": "one\ntwo\n", "src/b.ts": "two\n" }, ({ edits, root }) =>
      Effect.gen(function* () {
        const before = snapshot(root)
        const staged = yield* edits.stage({
          label: "two to 2",
          operations: [yield* replace(edits, "src/a.ts", "two", "2"), yield* replace(edits, "src/b.ts", "two", "2")]
        })
        const files = [
          {
            path: "src/a.ts",
            change: "changed",
            edits: 1,
            changes: [{ line: 2, before: ["two"], after: ["2"] }],
            left_out: 0
          },
          {
            path: "src/b.ts",
            change: "changed",
            edits: 1,
            changes: [{ line: 1, before: ["two"], after: ["2"] }],
            left_out: 0
          }
        ] as const
        const told = { edit_id: "edit_1", label: "two to 2", files, warnings: [] }
        assert.deepStrictEqual(staged, { ...told, state: "staged" })
        assert.deepStrictEqual(snapshot(root), before)

        const events = ["src/a.ts", "src/b.ts"].map((path) => ({
          path: Path.join(root, path),
          event: "changed" as const
        }))
        assert.deepStrictEqual(yield* edits.accept("edit_1"), { ...told, state: "accepted", events })
        assert.strictEqual(Fs.readFileSync(Path.join(root, "src/a.ts"), "utf8"), "one\n2\n")
        assert.strictEqual(Fs.readFileSync(Path.join(root, "src/b.ts"), "utf8"), "2\n")

        assert.deepStrictEqual(yield* edits.undo("edit_1"), { ...told, state: "undone", events })
        assert.deepStrictEqual(snapshot(root), before)
        assert.deepStrictEqual(yield* edits.list, [{ ...told, state: "undone" }])
        assert.deepStrictEqual(yield* edits.describe("edit_1"), { ...told, state: "undone" })
      })
    )
  )
  it.live("refuses what does not fit its state, and says the state", () =>
    withTree({ "a.txt": "a" }, ({ edits }) =>
      Effect.gen(function* () {
        const unknown = yield* failing(edits.accept("edit_7"))
        assert.strictEqual(unknown.code, "unknown_edit")
        assert.include(unknown.message, "edit_7")
        for (const act of [edits.discard, edits.undo, edits.describe]) {
          assert.strictEqual((yield* Effect.flip(act("edit_7"))).code, "unknown_edit")
        }
        const says = (self: Effect.Effect<unknown, ToolError>) =>
          Effect.map(Effect.flip(self), ({ code, message }) => `${code} ${message}`)
        yield* edits.stage(plan(yield* replace(edits, "a.txt", "a", "b")))
        assert.include((yield* failing(edits.accept("edit_7"))).message, "Staged: edit_1")
        assert.match(yield* says(edits.undo("edit_1")), /^refused_edit edit_1 is staged/)
        yield* edits.accept("edit_1")
        assert.match(yield* says(edits.accept("edit_1")), /^refused_edit edit_1 was accepted already/)
        assert.match(yield* says(edits.discard("edit_1")), /^refused_edit edit_1 was accepted already/)
        yield* edits.undo("edit_1")
        assert.match(yield* says(edits.undo("edit_1")), /^refused_edit edit_1 was undone/)
        assert.match(yield* says(edits.accept("edit_1")), /^refused_edit edit_1 was undone/)
        yield* edits.stage(plan(yield* replace(edits, "a.txt", "a", "b")))
        yield* edits.discard("edit_2")
        assert.strictEqual((yield* edits.discard("edit_2")).state, "discarded")
        assert.match(yield* says(edits.accept("edit_2")), /^refused_edit edit_2 was discarded/)
        assert.match(yield* says(edits.undo("edit_2")), /^refused_edit edit_2 was discarded/)
      })
    )
  )
  it.live("keeps any number of edits; accepting one makes another of the same file stale (A2)", () =>
    withTree({ "a.txt": "x x" }, ({ edits, root }) =>
      Effect.gen(function* () {
        const one = yield* edits.stage(plan(yield* replace(edits, "a.txt", "x", "y")))
        const two = yield* edits.stage(plan(yield* replace(edits, "a.txt", "x x", "z")))
        yield* edits.accept(one.edit_id)
        const error = yield* failing(edits.accept(two.edit_id))
        assert.strictEqual(error.code, "stale_edit")
        assert.include(error.message, "a.txt was changed")
        assert.strictEqual((yield* edits.describe(two.edit_id)).state, "staged")
        yield* edits.undo(one.edit_id)
        yield* edits.accept(two.edit_id)
        assert.strictEqual(Fs.readFileSync(Path.join(root, "a.txt"), "utf8"), "z")
      })
    )
  )
  it.live("writes the text that was staged, never one made anew", () =>
    withTree({ "a.txt": "x", "b.txt": "b" }, ({ edits, root }) =>
      Effect.gen(function* () {
        const operation = yield* replace(edits, "a.txt", "x", "y")
        yield* edits.stage(plan(operation))
        operation.edits[0]!.newText = "something else"
        yield* edits.accept("edit_1")
        assert.strictEqual(Fs.readFileSync(Path.join(root, "a.txt"), "utf8"), "y")
      })
    )
  )
  it.live("applies in one, recorded for undo; one that fails leaves no id", () =>
    withTree({ "a.txt": "x" }, ({ edits, root }) =>
      Effect.gen(function* () {
        const before = snapshot(root)
        yield* failing(edits.apply(plan({ kind: "create", path: "a.txt" })))
        assert.deepStrictEqual(yield* edits.list, [])
        const applied = yield* edits.apply(plan({ kind: "write", path: "new/b.txt", text: "b\n" }))
        assert.deepStrictEqual(applied.files, [
          {
            path: "new/b.txt",
            change: "created",
            edits: 1,
            changes: [{ line: 1, before: [], after: ["b"] }],
            left_out: 0
          }
        ])
        assert.strictEqual(applied.state, "accepted")
        yield* edits.undo(applied.edit_id)
        assert.deepStrictEqual(snapshot(root), before)
      })
    )
  )
  it.live("takes a plan that changes nothing", () =>
    withTree({ "a.txt": "x" }, ({ edits, root }) =>
      Effect.gen(function* () {
        const inode = Fs.statSync(Path.join(root, "a.txt")).ino
        const applied = yield* edits.apply(plan(yield* replace(edits, "a.txt", "x", "x")))
        assert.deepStrictEqual([applied.files, applied.events], [[], []])
        assert.strictEqual(Fs.statSync(Path.join(root, "a.txt")).ino, inode)
        assert.strictEqual((yield* edits.undo(applied.edit_id)).state, "undone")
      })
    )
  )
})

/** Somebody else's where that can be given, else one's own. */
const owner = process.getuid?.() === 0 ? ([1234, 2345] as const) : ([process.getuid!(), process.getgid!()] as const)

describe("what a file keeps", () => {
  it.live("its mode, its owner, its byte order mark, its line ends, and no final newline (L39)", () =>
    withTree({ "a.sh": "\uFEFF#!/bin/sh\r\necho a" }, ({ edits, root }) =>
      Effect.gen(function* () {
        const path = Path.join(root, "a.sh")
        Fs.chownSync(path, ...owner)
        Fs.chmodSync(path, 0o4750)
        const source = yield* edits.read("a.sh")
        assert.strictEqual(source.text, "#!/bin/sh\r\necho a")
        assert.strictEqual(source.hash, edits.hash(source.text))
        const range = { start: { line: 1, character: 5 }, end: { line: 1, character: 99 } }
        yield* edits.apply(
          plan({
            kind: "edit",
            path: "a.sh",
            hash: source.hash,
            edits: [
              { range, newText: "b" },
              { start: 0, end: 0, newText: "X" }
            ]
          })
        )
        assert.strictEqual(Fs.readFileSync(path, "utf8"), "\uFEFFX#!/bin/sh\r\necho b")
        const stats = Fs.statSync(path)
        assert.deepStrictEqual([stats.mode & 0o7777, stats.uid, stats.gid], [0o4750, ...owner])
        yield* edits.apply(plan({ kind: "write", path: "a.sh", text: "whole\n" }))
        assert.strictEqual(Fs.readFileSync(path, "utf8"), "\uFEFFwhole\n")
      })
    )
  )
  it.live("its style of line ends, where the plan asks for it (C89, B72, B76)", () =>
    withTree({ "a.txt": "a\r\nb\r\nc\n", "b.txt": "a\nb" }, ({ edits, root }) =>
      Effect.gen(function* () {
        const edit = (path: string, adaptLineEnds: boolean) =>
          Effect.map(edits.read(path), ({ hash }): Operation => {
            const place = { line: 1, character: 0 }
            return {
              kind: "edit",
              path,
              hash,
              adaptLineEnds,
              edits: [{ range: { start: place, end: place }, newText: "1\n2\r\n" }]
            }
          })
        const now = (path: string) => Fs.readFileSync(Path.join(root, path), "utf8")
        yield* edits.apply(plan(yield* edit("a.txt", true), yield* edit("b.txt", true)))
        assert.deepStrictEqual([now("a.txt"), now("b.txt")], ["a\r\n1\r\n2\r\nb\r\nc\n", "a\n1\n2\nb"])
        yield* edits.undo("edit_1")
        yield* edits.apply(plan(yield* edit("a.txt", false)))
        assert.strictEqual(now("a.txt"), "a\r\n1\n2\r\nb\r\nc\n")
        yield* edits.apply(plan({ kind: "write", path: "a.txt", text: "x\ny\n", adaptLineEnds: true }))
        assert.strictEqual(now("a.txt"), "x\r\ny\r\n")
      })
    )
  )
  it.live("a mode that was changed after staging", () =>
    withTree({ "a.sh": "a" }, ({ edits, root }) =>
      Effect.gen(function* () {
        yield* edits.stage(plan(yield* replace(edits, "a.sh", "a", "b")))
        Fs.chmodSync(Path.join(root, "a.sh"), 0o755)
        yield* edits.accept("edit_1")
        assert.strictEqual(snapshot(root)["a.sh"], `file 755 "b"`)
        Fs.chmodSync(Path.join(root, "a.sh"), 0o700)
        yield* edits.undo("edit_1")
        assert.strictEqual(snapshot(root)["a.sh"], `file 700 "a"`)
      })
    )
  )
  it.live("a symbolic link to it: the text goes to the target", () =>
    withTree({ "real/a.txt": "a", link: { link: "real/a.txt" }, folder: { link: "real" } }, ({ edits, root }) =>
      Effect.gen(function* () {
        const applied = yield* edits.apply(plan(yield* replace(edits, "link", "a", "b")))
        assert.strictEqual(applied.files[0]!.path, "real/a.txt")
        assert.strictEqual(snapshot(root)["link"], "link real/a.txt")
        assert.strictEqual(Fs.readFileSync(Path.join(root, "real/a.txt"), "utf8"), "b")
        // Both names in one plan are one file.
        const hash = edits.hash("b")
        const insert = (path: string, at: number, newText: string): Operation => ({
          kind: "edit",
          path,
          hash,
          edits: [{ start: at, end: at, newText }]
        })
        yield* edits.apply(plan(insert("folder/a.txt", 0, "<"), insert("link", 1, ">")))
        assert.strictEqual(Fs.readFileSync(Path.join(root, "real/a.txt"), "utf8"), "<b>")
      })
    )
  )
  it.live("not its hard links: the answer says so", () =>
    withTree({ "a.txt": "a" }, ({ edits, root }) =>
      Effect.gen(function* () {
        Fs.linkSync(Path.join(root, "a.txt"), Path.join(root, "b.txt"))
        const applied = yield* edits.apply(plan(yield* replace(edits, "a.txt", "a", "x")))
        assert.deepStrictEqual(applied.warnings, ["a.txt has 2 hard links: its other names keep the old text."])
        assert.strictEqual(Fs.readFileSync(Path.join(root, "b.txt"), "utf8"), "a")
      })
    )
  )
})

describe("a plan", () => {
  const text = (root: string, path: string) => Fs.readFileSync(Path.join(root, path), "utf8")

  it.live("takes several edits of one file made for one text as one array, and later ones made for the result", () =>
    withTree({ "a.txt": "one two" }, ({ edits, root }) =>
      Effect.gen(function* () {
        const hash = edits.hash("one two")
        const edit = (hash: string, start: number, end: number, newText: string): Operation => ({
          kind: "edit",
          path: "a.txt",
          hash,
          edits: [{ start, end, newText }]
        })
        yield* edits.apply(
          plan(edit(hash, 4, 7, "2"), edit(hash, 0, 3, "first"), edit(edits.hash("first 2"), 6, 7, "second"))
        )
        assert.strictEqual(text(root, "a.txt"), "first second")
        yield* edits.undo("edit_1")
        const overlap = yield* failing(edits.apply(plan(edit(hash, 4, 7, "2"), edit(hash, 5, 6, "x"))))
        assert.strictEqual(overlap.code, "refused_edit")
        assert.include(overlap.message, "a.txt: two edits overlap in line 1")
        const stale = yield* failing(edits.apply(plan(edit(hash, 4, 7, "2"), edit(edits.hash("other"), 0, 1, "x"))))
        assert.strictEqual(stale.code, "stale_edit")
      })
    )
  )
  it.live("edits after a rename, of a file and of a folder, address the new path", () =>
    withTree({ "old/a.txt": "a", "old/sub/b.txt": "b", "c.txt": "c" }, ({ edits, root }) =>
      Effect.gen(function* () {
        const before = snapshot(root)
        const edit = (path: string, old: string): Operation => ({
          kind: "edit",
          path,
          hash: edits.hash(old),
          edits: [{ start: 0, end: 0, newText: "new " }]
        })
        const applied = yield* edits.apply(
          plan(
            edit("old/a.txt", "a"),
            { kind: "rename", from: "old", to: "x/new" },
            edit("x/new/sub/b.txt", "b"),
            edit("x/new/a.txt", "a"),
            { kind: "rename", from: "c.txt", to: "x/new/c.txt" },
            edit("x/new/c.txt", "c")
          )
        )
        assert.deepStrictEqual(Object.keys(snapshot(root)), [
          "x",
          "x/new",
          "x/new/a.txt",
          "x/new/c.txt",
          "x/new/sub",
          "x/new/sub/b.txt"
        ])
        assert.deepStrictEqual(
          ["x/new/a.txt", "x/new/sub/b.txt", "x/new/c.txt"].map((path) => text(root, path)),
          ["new new a", "new b", "new c"]
        )
        assert.deepStrictEqual(
          applied.files.map(({ change, edits, moved_to, path }) => [path, change, edits, moved_to]),
          [
            ["old/a.txt", "moved", 2, "x/new/a.txt"],
            ["old/sub/b.txt", "moved", 1, "x/new/sub/b.txt"],
            ["c.txt", "moved", 1, "x/new/c.txt"],
            ["old", "moved", 0, "x/new"]
          ]
        )
        const missing = yield* failing(
          edits.stage(plan({ kind: "rename", from: "x", to: "y" }, edit("x/new/a.txt", "new a")))
        )
        assert.strictEqual(missing.code, "not_found")
        yield* edits.undo("edit_1")
        assert.deepStrictEqual(snapshot(root), before)
      })
    )
  )
  it.live("creates as LSP says (C85): overwrite before ignoreIfExists, neither is refused; parents are made", () =>
    withTree({ "a.txt": "a", d: null }, ({ edits, root }) =>
      Effect.gen(function* () {
        const create = (path: string, options: object = {}) => edits.apply(plan({ kind: "create", path, ...options }))
        assert.strictEqual((yield* Effect.flip(create("a.txt"))).code, "refused_edit")
        yield* create("a.txt", { ignoreIfExists: true })
        assert.strictEqual(text(root, "a.txt"), "a")
        yield* create("a.txt", { ignoreIfExists: true, overwrite: true })
        assert.strictEqual(text(root, "a.txt"), "")
        yield* create("x/y/z.txt")
        assert.strictEqual(text(root, "x/y/z.txt"), "")
        for (const path of ["d", "a.txt/b"]) {
          const error = yield* Effect.flip(create(path, { overwrite: true }))
          assert.include(["refused_edit", "not_found"], error.code)
        }
        yield* edits.apply(
          plan(
            { kind: "create", path: "n.txt" },
            { kind: "edit", path: "n.txt", hash: edits.hash(""), edits: [{ start: 0, end: 0, newText: "hello\n" }] }
          )
        )
        assert.strictEqual(text(root, "n.txt"), "hello\n")
      })
    )
  )
  it.live("renames as LSP says", () =>
    withTree({ "a.txt": "a", "b.txt": "b", "d/x": "x", e: null, l: { link: "a.txt" } }, ({ edits, root }) =>
      Effect.gen(function* () {
        const before = snapshot(root)
        const rename = (from: string, to: string, options: object = {}) =>
          edits.apply(plan({ kind: "rename", from, to, ...options }))
        const code = (self: Effect.Effect<unknown, ToolError>) => Effect.map(Effect.flip(self), ({ code }) => code)
        assert.strictEqual(yield* code(rename("a.txt", "b.txt")), "refused_edit")
        assert.strictEqual(yield* code(rename("nothing", "c")), "not_found")
        assert.strictEqual(yield* code(rename("d", "d/inside")), "refused_edit")
        assert.strictEqual(yield* code(rename("a.txt", "e", { overwrite: true })), "refused_edit")
        assert.strictEqual(yield* code(rename("a.txt", "b.txt/c")), "not_found")
        assert.strictEqual(yield* code(rename(".", "c")), "refused_edit")
        assert.strictEqual((yield* rename("a.txt", "b.txt", { ignoreIfExists: true })).events.length, 0)
        yield* rename("a.txt", "a.txt")
        assert.deepStrictEqual(snapshot(root), before)
        yield* rename("a.txt", "b.txt", { ignoreIfExists: true, overwrite: true })
        assert.strictEqual(text(root, "b.txt"), "a")
        yield* rename("l", "deep/er/l")
        assert.strictEqual(snapshot(root)["deep/er/l"], "link a.txt")
        for (const { edit_id } of (yield* edits.list).toReversed()) yield* edits.undo(edit_id)
        assert.deepStrictEqual(snapshot(root), before)
      })
    )
  )
  it.live("deletes as LSP says, and what is deleted comes back with its mode", () =>
    withTree(
      {
        "d/a.sh": { text: "a", mode: 0o750 },
        "d/bin": new Uint8Array([0, 255, 254, 13]),
        "d/l": { link: "nowhere" },
        "d/e": null,
        x: ""
      },
      ({ edits, root }) =>
        Effect.gen(function* () {
          Fs.chmodSync(Path.join(root, "d"), 0o711)
          Fs.chownSync(Path.join(root, "d/a.sh"), ...owner)
          const before = snapshot(root)
          const remove = (path: string, options: object = {}) => edits.apply(plan({ kind: "delete", path, ...options }))
          const error = yield* Effect.flip(remove("d"))
          assert.strictEqual(error.code, "refused_edit")
          assert.include(error.message, "d is not empty (a.sh, bin, e, l)")
          assert.strictEqual((yield* Effect.flip(remove("nothing"))).code, "not_found")
          assert.strictEqual((yield* Effect.flip(remove(".", { recursive: true }))).code, "refused_edit")
          yield* remove("nothing", { ignoreIfNotExists: true })
          const done = yield* remove("d", { recursive: true })
          assert.deepStrictEqual(Object.keys(snapshot(root)), ["x"])
          assert.deepStrictEqual(
            done.events.map(({ event }) => event),
            ["deleted", "deleted", "deleted", "deleted", "deleted"]
          )
          yield* edits.undo(done.edit_id)
          assert.deepStrictEqual(snapshot(root), before)
          assert.strictEqual(Fs.statSync(Path.join(root, "d/a.sh")).uid, owner[0])
        })
    )
  )
  it.live("can put something else where it deleted: a folder where a file was, a file where a folder was", () =>
    withTree({ a: "file", "d/x": "x" }, ({ edits, root }) =>
      Effect.gen(function* () {
        const before = snapshot(root)
        yield* edits.apply(
          plan(
            { kind: "delete", path: "a" },
            { kind: "create", path: "a/b/c.txt", text: "c" },
            { kind: "delete", path: "d", recursive: true },
            { kind: "rename", from: "a/b/c.txt", to: "d" }
          )
        )
        assert.deepStrictEqual(Object.keys(snapshot(root)), ["a", "a/b", "d"])
        yield* edits.undo("edit_1")
        assert.deepStrictEqual(snapshot(root), before)
      })
    )
  )
  it.live("can swap two files", () =>
    withTree({ a: "A", b: "B" }, ({ edits, root }) =>
      Effect.gen(function* () {
        const before = snapshot(root)
        const rename = (from: string, to: string): Operation => ({ kind: "rename", from, to })
        yield* edits.apply(plan(rename("a", "t"), rename("b", "a"), rename("t", "b")))
        assert.deepStrictEqual([text(root, "a"), text(root, "b")], ["B", "A"])
        yield* edits.undo("edit_1")
        assert.deepStrictEqual(snapshot(root), before)
      })
    )
  )
  it.live("is bounded in what it shows and in what it holds", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const place = yield* tree({
          "a.txt": "x\n".repeat(50),
          "b.txt": "x\n".repeat(50),
          "big.bin": new Uint8Array(5000)
        })
        const edits = yield* engine(place, { bounds: { perFile: 30, total: 40 }, maxBytes: 2000 })
        const spans = Array.from({ length: 50 }, (_, i) => ({ start: i * 2, end: i * 2 + 1, newText: "y" }))
        const edit = (path: string): Operation => ({
          kind: "edit",
          path,
          hash: edits.hash("x\n".repeat(50)),
          edits: spans
        })
        const { files } = yield* edits.stage(plan(edit("a.txt"), edit("b.txt")))
        assert.deepStrictEqual(
          files.map(({ changes, edits, left_out }) => [edits, changes.length, left_out]),
          [
            [50, 30, 20],
            [50, 10, 40]
          ]
        )
        for (const operation of [
          { kind: "delete", path: "big.bin" },
          { kind: "write", path: "new.txt", text: "x".repeat(2001) }
        ] as const) {
          assert.strictEqual((yield* Effect.flip(edits.stage(plan(operation)))).code, "too_large")
        }
        yield* edits.apply(plan({ kind: "rename", from: "big.bin", to: "moved.bin" }))
      })
    )
  )
})

describe("what is refused, with the tree as it was", () => {
  const outcome = (
    files: Files,
    operations: ReadonlyArray<Operation> | ((edits: Engine) => ReadonlyArray<Operation>),
    options: Partial<Plan> = {},
    prepare: (root: string) => void = () => {}
  ) =>
    Effect.scoped(
      Effect.gen(function* () {
        const place = yield* tree(files)
        prepare(place.root)
        const edits = yield* engine(place)
        const before = snapshot(place.root)
        const given = typeof operations === "function" ? operations(edits) : operations
        const staged = yield* Effect.result(edits.stage({ ...options, operations: given }))
        const applied = yield* Effect.result(edits.apply({ ...options, operations: given }))
        assert.isTrue(Result.isFailure(staged) && Result.isFailure(applied), "it was taken")
        assert.deepStrictEqual(snapshot(place.root), before)
        assert.deepStrictEqual(journals(place), [])
        return Result.isFailure(staged) ? staged.failure : assert.fail()
      })
    )
  const good: Operation = { kind: "write", path: "good.txt", text: "good" }

  it.live("paths outside, also by a link, all of them named", () =>
    Effect.gen(function* () {
      const write = (path: string): Operation => ({ kind: "write", path, text: "x" })
      const error = yield* outcome({ out: { link: "/tmp" } }, [good, write("../x"), write("out/x"), write("/etc/x")])
      assert.strictEqual(error.code, "outside_directory")
      for (const path of ["../x", "out/x", "/etc/x"]) assert.include(error.message, path)
      const moved = yield* outcome({ a: "a" }, [{ kind: "rename", from: "a", to: "../a" }])
      assert.strictEqual(moved.code, "outside_directory")
    })
  )
  it.live("a link inside a folder that the plan moves, which may lead anywhere", () =>
    Effect.gen(function* () {
      const error = yield* outcome({ "d/out": { link: "/tmp" }, "d/l": { link: "../a.txt" }, "a.txt": "a" }, [
        { kind: "rename", from: "d", to: "e" },
        { kind: "write", path: "e/out/x.txt", text: "x" }
      ])
      assert.include(["refused_edit", "outside_directory", "not_found"], error.code)
      const file = yield* outcome({ "d/l": { link: "../a.txt" }, "a.txt": "a" }, [
        { kind: "rename", from: "d", to: "e" },
        { kind: "write", path: "e/l", text: "x" }
      ])
      assert.strictEqual(file.code, "refused_edit")
    })
  )
  it.live("ignored paths, all of them named, unless the plan allows them", () =>
    Effect.gen(function* () {
      const files = { ".gitignore": "dist/\n", "dist/a.js": "a", "node_modules/p/i.js": "i", "src.ts": "s" }
      const operations: ReadonlyArray<Operation> = [
        good,
        { kind: "write", path: "dist/a.js", text: "x" },
        { kind: "rename", from: "src.ts", to: "node_modules/s.ts" }
      ]
      const error = yield* outcome(files, operations)
      assert.strictEqual(error.code, "refused_edit")
      assert.include(error.message, "dist/a.js, node_modules/s.ts")
      yield* withTree(files, ({ edits }) => Effect.asVoid(edits.apply({ operations, ignored: "allow" })))
    })
  )
  it.live("files that are not UTF-8", () =>
    Effect.gen(function* () {
      for (const operation of [
        { kind: "write", path: "a", text: "x" },
        { kind: "edit", path: "a", hash: "", edits: [] }
      ] as const) {
        assert.strictEqual((yield* outcome({ a: new Uint8Array([97, 255]) }, [good, operation])).code, "not_text")
      }
    })
  )
  it.live("edits out of bounds, of another text, of nothing, of a folder, with half a character", () =>
    Effect.gen(function* () {
      const edit = (edits: Engine, path: string, start: number, newText = "x"): Operation => ({
        kind: "edit",
        path,
        hash: edits.hash("abc"),
        edits: [{ start, end: start, newText }]
      })
      const files = { "a.txt": "abc", "b.txt": "other", d: null }
      const code = (make: (edits: Engine) => Operation) =>
        Effect.map(
          outcome(files, (edits) => [good, make(edits)]),
          ({ code }) => code
        )
      assert.strictEqual(yield* code((edits) => edit(edits, "a.txt", 4)), "refused_edit")
      assert.strictEqual(yield* code((edits) => edit(edits, "b.txt", 0)), "stale_edit")
      assert.strictEqual(yield* code((edits) => edit(edits, "c.txt", 0)), "not_found")
      assert.strictEqual(yield* code((edits) => edit(edits, "d", 0)), "refused_edit")
      assert.strictEqual(yield* code((edits) => edit(edits, "a.txt", 0, "\ud800")), "refused_edit")
      assert.strictEqual(yield* code(() => ({ kind: "write", path: "w.txt", text: "\ud800" })), "refused_edit")
      assert.strictEqual(
        yield* code((edits) => ({ kind: "write", path: "n.txt", text: "", hash: edits.hash("") })),
        "not_found"
      )
    })
  )
  it.live("read-only files and folders, also for the superuser", () =>
    Effect.gen(function* () {
      const write = (path: string): Operation => ({ kind: "write", path, text: "x" })
      const readOnly = (path: string) => (root: string) =>
        Fs.chmodSync(Path.join(root, path), path === "d" ? 0o555 : 0o444)
      const files = { "a.txt": "a", "d/b.txt": "b" }
      for (const [path, operation] of [
        ["a.txt", write("a.txt")],
        ["a.txt", { kind: "delete", path: "a.txt" }],
        ["d", write("d/b.txt")],
        ["d", write("d/new.txt")]
      ] as const) {
        const error = yield* outcome(files, [good, operation], {}, readOnly(path))
        assert.strictEqual(error.code, "refused_edit")
        assert.match(error.message, /read-only \(mode (444|555)\)/)
      }
    })
  )
})

describe("accept, when the files have changed since", () => {
  const cases: ReadonlyArray<readonly [string, (path: string) => void, ToolError["code"], RegExp]> = [
    ["changed", (path) => Fs.writeFileSync(path, "x y"), "stale_edit", /b\.txt was changed/],
    ["deleted", (path) => Fs.rmSync(path), "stale_edit", /b\.txt was deleted/],
    ["made read-only", (path) => Fs.chmodSync(path, 0o444), "refused_edit", /b\.txt: it is read-only \(mode 444\)/],
    [
      "replaced by a directory",
      (path) => {
        Fs.rmSync(path)
        Fs.mkdirSync(path)
      },
      "stale_edit",
      /b\.txt is a directory now/
    ],
    [
      "replaced by a link, even to the same text",
      (path) => {
        Fs.renameSync(path, `${path}.old`)
        Fs.symlinkSync(`${path}.old`, path)
      },
      "stale_edit",
      /b\.txt is reached through a symbolic link/
    ]
  ]
  for (const [what, change, code, says] of cases) {
    it.live(`refuses the whole where one was ${what}, and the edit stays staged`, () =>
      withTree({ "a.txt": "x", "b.txt": "x x", "c.txt": "x" }, ({ edits, root }) =>
        Effect.gen(function* () {
          const operations = yield* Effect.forEach(["a.txt", "b.txt", "c.txt"], (path) =>
            replace(edits, path, "x", "y")
          )
          yield* edits.stage(plan(...operations))
          change(Path.join(root, "b.txt"))
          const before = snapshot(root)
          const error = yield* failing(edits.accept("edit_1"))
          assert.strictEqual(error.code, code)
          assert.match(error.message, says)
          assert.deepStrictEqual(snapshot(root), before)
          Fs.rmSync(Path.join(root, "b.txt"), { recursive: true, force: true })
          fill(root, { "b.txt": "x x" })
          yield* edits.accept("edit_1")
          assert.strictEqual(Fs.readFileSync(Path.join(root, "b.txt"), "utf8"), "y x")
        })
      )
    )
  }
  it.live("names every file that does not fit", () =>
    withTree({ "a.txt": "x", "b.txt": "x" }, ({ edits, root }) =>
      Effect.gen(function* () {
        yield* edits.stage(plan(yield* replace(edits, "a.txt", "x", "y"), yield* replace(edits, "b.txt", "x", "y")))
        fill(root, { "a.txt": "1", "b.txt": "2" })
        assert.match((yield* failing(edits.accept("edit_1"))).message, /a\.txt was changed; b\.txt was changed/)
      })
    )
  )
  it.live("refuses where something came to be: at a new path, in a folder to be deleted", () =>
    withTree({ "d/a.txt": "a" }, ({ edits, root }) =>
      Effect.gen(function* () {
        yield* edits.stage(plan({ kind: "create", path: "new.txt" }))
        yield* edits.stage(plan({ kind: "rename", from: "d/a.txt", to: "new.txt" }))
        yield* edits.stage(plan({ kind: "delete", path: "d", recursive: true }))
        fill(root, { "new.txt": "n", "d/b.txt": "b" })
        const before = snapshot(root)
        for (const id of ["edit_1", "edit_2", "edit_3"]) {
          assert.strictEqual((yield* failing(edits.accept(id))).code, "stale_edit", id)
        }
        assert.deepStrictEqual(snapshot(root), before)
      })
    )
  )
  it.live("refuses a folder that became a link to the outside", () =>
    withTree({ "d/a.txt": "x" }, ({ edits, root }) =>
      Effect.gen(function* () {
        yield* edits.stage(plan(yield* replace(edits, "d/a.txt", "x", "y")))
        const outside = Path.join(root, "../outside")
        Fs.renameSync(Path.join(root, "d"), outside)
        Fs.symlinkSync(outside, Path.join(root, "d"))
        assert.strictEqual((yield* failing(edits.accept("edit_1"))).code, "stale_edit")
        assert.strictEqual(Fs.readFileSync(Path.join(outside, "a.txt"), "utf8"), "x")
      })
    )
  )
})

describe("undo", () => {
  it.live("refuses the whole where one file no longer holds the text that the accept wrote", () =>
    withTree({ "a.txt": "x", "b.txt": "x", "c.txt": "c" }, ({ edits, root }) =>
      Effect.gen(function* () {
        yield* edits.apply(
          plan(yield* replace(edits, "a.txt", "x", "y"), yield* replace(edits, "b.txt", "x", "y"), {
            kind: "delete",
            path: "c.txt"
          })
        )
        const written = snapshot(root)
        for (const [path, text] of [
          ["b.txt", "y!"],
          ["c.txt", "again"]
        ] as const) {
          fill(root, { [path]: text })
          const before = snapshot(root)
          const error = yield* failing(edits.undo("edit_1"))
          assert.strictEqual(error.code, "stale_edit")
          assert.include(error.message, path)
          assert.deepStrictEqual(snapshot(root), before)
          if (path === "b.txt") fill(root, { "b.txt": "y" })
          else Fs.rmSync(Path.join(root, path))
        }
        assert.deepStrictEqual(snapshot(root), written)
        yield* edits.undo("edit_1")
        assert.deepStrictEqual(Object.keys(snapshot(root)), ["a.txt", "b.txt", "c.txt"])
      })
    )
  )
  it.live("leaves a folder that it made where somebody else put something into it", () =>
    withTree({}, ({ edits, root }) =>
      Effect.gen(function* () {
        yield* edits.apply(plan({ kind: "create", path: "new/deep/a.txt" }))
        fill(root, { "new/other.txt": "o" })
        yield* edits.undo("edit_1")
        assert.deepStrictEqual(Object.keys(snapshot(root)), ["new", "new/other.txt"])
      })
    )
  )
})

describe("at the same time", () => {
  it.live("read-modify-write of one file, and accepts and discards of one edit, come one after the other", () =>
    withTree({ "a.txt": "" }, ({ edits, root }) =>
      Effect.gen(function* () {
        const append = (line: string) =>
          edits.applyWith(
            ["a.txt"],
            Effect.gen(function* () {
              const { hash, text } = yield* edits.read("a.txt")
              yield* Effect.yieldNow
              return plan({ kind: "write", path: "a.txt", text: `${text}${line}\n`, hash })
            })
          )
        const lines = Array.from({ length: 30 }, (_, i) => `line ${i}`)
        yield* Effect.forEach(lines, append, { concurrency: "unbounded" })
        assert.deepStrictEqual(
          Fs.readFileSync(Path.join(root, "a.txt"), "utf8").split("\n").sort(),
          ["", ...lines].sort()
        )

        const { edit_id } = yield* edits.stage(plan({ kind: "write", path: "b.txt", text: "b" }))
        const results = yield* Effect.forEach(
          [edits.accept, edits.accept, edits.discard, edits.accept],
          (act) => Effect.result(act(edit_id)),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(results.map(Result.isSuccess), [true, false, false, false])
      })
    )
  )
  it.live("blind writes of one file all succeed, the last one stays", () =>
    withTree({ "a.txt": "" }, ({ edits, root }) =>
      Effect.gen(function* () {
        const texts = Array.from({ length: 20 }, (_, i) => `text ${i}`)
        yield* Effect.forEach(texts, (text) => edits.apply(plan({ kind: "write", path: "a.txt", text })), {
          concurrency: "unbounded"
        })
        assert.include(texts, Fs.readFileSync(Path.join(root, "a.txt"), "utf8"))
      })
    )
  )
  it.live(
    "a folder is moved while files in it are edited: each edit is there or refused, and nothing is left over",
    () =>
      withTree(Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`d/f${i}.txt`, "x"])), ({ edits, root }) =>
        Effect.gen(function* () {
          const operations = yield* Effect.forEach(
            Array.from({ length: 20 }, (_, i) => `d/f${i}.txt`),
            (path) => replace(edits, path, "x", "y")
          )
          const moves = [plan({ kind: "rename", from: "d", to: "e" }), plan({ kind: "rename", from: "e", to: "d" })]
          const run = (one: Plan) => Effect.result(edits.apply(one))
          const results = yield* Effect.forEach(
            operations.flatMap((operation, i) => [
              plan(operation),
              ...(i === 7 ? [moves[0]!] : []),
              ...(i === 14 ? [moves[1]!] : [])
            ]),
            run,
            { concurrency: "unbounded" }
          )
          const done = results
            .filter(Result.isSuccess)
            .filter(({ success }) => success.files[0]!.change === "changed").length
          const texts = Object.entries(snapshot(root)).filter(([, what]) => what.startsWith("file"))
          assert.strictEqual(texts.length, 20)
          assert.strictEqual(texts.filter(([, what]) => what.endsWith(`"y"`)).length, done)
        })
      )
  )
  it.live("two runs in one directory: one of two accepts of one file is told that it is stale", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const place = yield* tree(Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`f${i}.txt`, "0"])))
        const [one, two] = [yield* engine(place), yield* engine(place)]
        const paths = Array.from({ length: 40 }, (_, i) => `f${i}.txt`)
        const stageAll = (edits: Engine, text: string) =>
          Effect.flatMap(
            Effect.forEach(paths, (path) => replace(edits, path, "0", text)),
            (operations) => edits.stage(plan(...operations))
          )
        yield* stageAll(one, "1")
        yield* stageAll(two, "2")
        const results = yield* Effect.all([Effect.result(one.accept("edit_1")), Effect.result(two.accept("edit_1"))], {
          concurrency: "unbounded"
        })
        const texts = new Set(paths.map((path) => Fs.readFileSync(Path.join(place.root, path), "utf8")))
        assert.strictEqual(texts.size, 1, "half of each")
        const winners = results.filter(Result.isSuccess)
        assert.isAtMost(winners.length, 1)
        for (const result of results)
          if (Result.isFailure(result)) assert.strictEqual(result.failure.code, "stale_edit")
        assert.strictEqual([...texts][0], winners.length === 0 ? "0" : Result.isSuccess(results[0]) ? "1" : "2")
        assert.deepStrictEqual(journals(place), [])
      })
    )
  )
  it.live("an accept that is interrupted while it waits does nothing; one that has begun is finished", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const place = yield* tree(Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`f${i}.txt`, "x"])))
        const { edits, workspace } = yield* engines(place)
        const operations = yield* Effect.forEach(
          Array.from({ length: 50 }, (_, i) => `f${i}.txt`),
          (path) => replace(edits, path, "x", "y")
        )
        yield* edits.stage(plan(...operations))
        const before = snapshot(place.root)

        const gate = yield* Deferred.make<void>()
        const holder = yield* Effect.forkChild(
          workspace.withLocks([Path.join(place.root, "f7.txt")])(Deferred.await(gate)),
          {
            startImmediately: true
          }
        )
        const waiting = yield* Effect.forkChild(edits.accept("edit_1"), { startImmediately: true })
        yield* Effect.sleep("20 millis")
        yield* Fiber.interrupt(waiting)
        yield* Deferred.succeed(gate, undefined)
        yield* Fiber.join(holder)
        assert.deepStrictEqual(snapshot(place.root), before)
        assert.strictEqual((yield* edits.describe("edit_1")).state, "staged")

        for (let turns = 1; turns < 60; turns++) {
          const fiber = yield* Effect.forkChild(edits.accept("edit_1"), { startImmediately: true })
          for (let i = 0; i < turns; i++) yield* Effect.yieldNow
          yield* Fiber.interrupt(fiber)
          const { state } = yield* edits.describe("edit_1")
          const texts = new Set(Object.values(snapshot(place.root)))
          assert.deepStrictEqual([...texts], [state === "accepted" ? `file 644 "y"` : `file 644 "x"`])
          if (state === "accepted") break
        }
        assert.strictEqual((yield* edits.describe("edit_1")).state, "accepted")
        yield* edits.undo("edit_1")
        assert.deepStrictEqual(snapshot(place.root), before)
        assert.deepStrictEqual(journals(place), [])
      })
    )
  )
})
