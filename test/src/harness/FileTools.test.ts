import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Layer, type Scope } from "effect"
import * as NodeEdits from "../../../layers/edits/NodeEdits.ts"
import * as NodeWorkspace from "../../../layers/workspace/NodeWorkspace.ts"
import type * as Answer from "../../../src/Answer.ts"
import { Edits } from "../../../src/Edits.ts"
import { edit } from "../../../src/harness/Edit.ts"
import * as FileTools from "../../../src/harness/FileTools.ts"
import type { Written } from "../../../src/harness/Written.ts"
import * as Surface from "../../../src/Surface.ts"

type Tree = Readonly<Record<string, string>>

/** Lets something outside of the run write, `times` times, between the reading of a file and the last check. */
const disturbed = (outside: Effect.Effect<void>, times: number) =>
  Layer.effect(
    Edits,
    Effect.map(Edits, (edits) => {
      let left = times
      const write = Effect.suspend(() => (left-- > 0 ? outside : Effect.void))
      return Edits.of({
        ...edits,
        applyWith: (paths, make) =>
          edits.applyWith(
            paths,
            Effect.tap(make, () => write)
          )
      })
    })
  )

/** One run on a directory: its own working directory, edit engine and surface. */
const run = (root: string, stateFolder: string) => {
  const workspace = NodeWorkspace.layer({ root })
  return Effect.gen(function* () {
    const surface = yield* Surface.make(FileTools.make())
    return { surface, edits: yield* Edits }
  }).pipe(
    Effect.provide(Layer.mergeAll(Layer.provideMerge(NodeEdits.layer({ stateFolder }), workspace), NodeServices.layer))
  )
}

interface Directory {
  readonly root: string
  readonly fs: FileSystem.FileSystem
  readonly edits: Edits["Service"]
  readonly write: (path: string, content: string) => Effect.Effect<Answer.Answer<Written>>
  readonly edit: (params: {
    readonly path: string
    readonly old_text: string
    readonly new_text: string
    readonly replace_all?: boolean
  }) => Effect.Effect<Answer.Answer<Written>>
  readonly patch: (patch: string) => Effect.Effect<Answer.Answer<Written>>
  readonly tree: Effect.Effect<Tree>
  /** Another run on the same directory. */
  readonly again: Effect.Effect<Directory, unknown, Scope.Scope>
}

const readTree = (fs: FileSystem.FileSystem, root: string): Effect.Effect<Tree> =>
  Effect.gen(function* () {
    const found: Record<string, string> = {}
    for (const path of (yield* fs.readDirectory(root, { recursive: true })).sort()) {
      const { type } = yield* fs.stat(`${root}/${path}`)
      if (type === "File")
        found[path] = new TextDecoder("utf-8", { ignoreBOM: true }).decode(yield* fs.readFile(`${root}/${path}`))
    }
    return found
  }).pipe(Effect.orDie)

const withFiles = <E>(files: Tree, use: (directory: Directory) => Effect.Effect<void, E, Scope.Scope>) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const root = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
    const stateFolder = yield* fs.makeTempDirectoryScoped()
    for (const [path, content] of Object.entries(files)) {
      yield* fs.makeDirectory(`${root}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true })
      yield* fs.writeFileString(`${root}/${path}`, content)
    }
    const open: Effect.Effect<Directory, unknown, Scope.Scope> = Effect.map(
      run(root, stateFolder),
      ({ edits, surface }): Directory => ({
        root,
        fs,
        edits,
        write: (path, content) => surface.call("write", { path, content }),
        edit: (params) => surface.call("edit", params),
        patch: (patch) => surface.call("apply_patch", { patch }),
        tree: readTree(fs, root),
        again: open
      })
    )
    yield* use(yield* open)
  }).pipe(Effect.provide(NodeServices.layer))

const success = (answer: Answer.Answer<Written>): Answer.Success<Written> =>
  answer.isFailure ? assert.fail(`${answer.code}: ${answer.text}`) : answer

const failure = (answer: Answer.Answer<Written>): Answer.Failure =>
  answer.isFailure ? answer : assert.fail(answer.text)

const filesOf = (answer: Answer.Answer<Written>) =>
  success(answer).value.files.map(({ change, moved_to, path }) => [
    change,
    path,
    ...(moved_to === undefined ? [] : [moved_to])
  ])

/** A failure that changed nothing. */
const refused = (directory: Directory, call: Effect.Effect<Answer.Answer<Written>>) =>
  Effect.gen(function* () {
    const before = yield* directory.tree
    const answer = failure(yield* call)
    assert.deepStrictEqual(yield* directory.tree, before, answer.text)
    return answer
  })

const envelope = (...lines: ReadonlyArray<string>) => ["*** Begin Patch", ...lines, "*** End Patch", ""].join("\n")

describe("write", () => {
  it.live("makes a file with its folders, and replaces one", () =>
    withFiles({ "a.txt": "one\ntwo\nthree\n" }, ({ tree, write }) =>
      Effect.gen(function* () {
        const made = yield* write("new/dir/b.txt", "x\ny\n")
        assert.deepStrictEqual(filesOf(made), [["created", "new/dir/b.txt"]])
        assert.strictEqual(made.text, "created new/dir/b.txt: 2 lines\n(edit_1: `resolve` can undo it)")
        const changed = yield* write("a.txt", "one\n2\nthree\n")
        assert.deepStrictEqual(filesOf(changed), [["changed", "a.txt"]])
        assert.strictEqual(changed.text, "changed a.txt: 1 line at 2\n(edit_2: `resolve` can undo it)")
        const same = yield* write("a.txt", "one\n2\nthree\n")
        assert.deepStrictEqual(success(same).value, { files: [], warnings: [] })
        assert.strictEqual(same.text, "unchanged a.txt: it has exactly this content already")
        assert.deepStrictEqual(yield* tree, { "a.txt": "one\n2\nthree\n", "new/dir/b.txt": "x\ny\n" })
      })
    )
  )

  it.live("keeps mode, link and byte order mark, and writes line ends as given, with a warning", () =>
    withFiles({ "script.sh": "a\r\nb\r\n", "mark.txt": "\uFEFFa\n" }, ({ fs, root, tree, write }) =>
      Effect.gen(function* () {
        yield* fs.chmod(`${root}/script.sh`, 0o755)
        yield* fs.symlink("script.sh", `${root}/link`)
        const answer = yield* write("link", "a\nb\n")
        assert.deepStrictEqual(filesOf(answer), [["changed", "script.sh"]])
        assert.match(answer.text, /note: the line ends of link are LF now, as in `content`; they were CRLF\./)
        assert.strictEqual((yield* fs.stat(`${root}/script.sh`)).mode & 0o777, 0o755)
        assert.strictEqual(yield* fs.readLink(`${root}/link`), "script.sh")
        yield* write("mark.txt", "b\n")
        assert.deepStrictEqual(yield* tree, { link: "a\nb\n", "script.sh": "a\nb\n", "mark.txt": "\uFEFFb\n" })
      })
    )
  )

  it.live("can be taken back", () =>
    withFiles({ "a.txt": "old\n" }, ({ edits, tree, write }) =>
      Effect.gen(function* () {
        const { value } = success(yield* write("a.txt", "new\n"))
        yield* edits.undo(value.edit_id!)
        assert.deepStrictEqual(yield* tree, { "a.txt": "old\n" })
      })
    )
  )

  it.live("writes ignored files, and nothing outside or over what is no text", () =>
    withFiles({ ".gitignore": "dist\n", "dir/x": "" }, (directory) =>
      Effect.gen(function* () {
        const { fs, root, write } = directory
        assert.deepStrictEqual(filesOf(yield* write("dist/out.js", "x")), [["created", "dist/out.js"]])
        assert.strictEqual((yield* refused(directory, write("../x", "x"))).code, "outside_directory")
        assert.strictEqual((yield* refused(directory, write("dir", "x"))).code, "refused_edit")
        assert.isTrue((yield* refused(directory, write("dir/x/y", "x"))).isFailure)
        yield* fs.writeFile(`${root}/latin1`, new Uint8Array([0xe9]))
        assert.strictEqual(failure(yield* write("latin1", "x")).code, "not_text")
        assert.deepStrictEqual(yield* fs.readFile(`${root}/latin1`), new Uint8Array([0xe9]))
      })
    )
  )
})

describe("edit", () => {
  it.live("replaces one place and shows it", () =>
    withFiles({ "src/a.ts": "const a = 1\nconst b = 2\nconst c = 3\n" }, ({ edit, tree }) =>
      Effect.gen(function* () {
        const answer = yield* edit({ path: "src/a.ts", old_text: "const b = 2", new_text: "const b = 3\nconst bb = 4" })
        assert.deepStrictEqual(success(answer).value.files, [
          {
            path: "src/a.ts",
            change: "changed",
            edits: 1,
            changes: [{ line: 2, before: ["const b = 2"], after: ["const b = 3", "const bb = 4"] }],
            left_out: 0
          }
        ])
        assert.strictEqual(
          answer.text,
          [
            "changed src/a.ts: 2 lines at 2",
            "src/a.ts:2",
            "- const b = 2",
            "+ const b = 3",
            "+ const bb = 4",
            "(edit_1: `resolve` can undo it)"
          ].join("\n")
        )
        assert.deepStrictEqual(yield* tree, { "src/a.ts": "const a = 1\nconst b = 3\nconst bb = 4\nconst c = 3\n" })
      })
    )
  )

  it.live("replaces all, tells where each is now, and is bounded in what it shows", () =>
    withFiles({ "a.txt": "x\n-\nx\n", "many.txt": "x\n-\n".repeat(100) }, ({ edit }) =>
      Effect.gen(function* () {
        const few = yield* edit({ path: "a.txt", old_text: "x", new_text: "y\nz", replace_all: true })
        assert.match(few.text, /^changed a\.txt: 4 lines at 1, 4\na\.txt:1\n- x\n\+ y\n\+ z\na\.txt:4\n- x/)
        const many = yield* edit({ path: "many.txt", old_text: "x", new_text: "y", replace_all: true })
        assert.match(many.text, /^changed many\.txt: more than 20 lines at 1, 3, .*, 19 and 90 more places\n/)
        assert.isBelow(many.text.split("\n").length, 30)
      })
    )
  )

  it.live("keeps CRLF, the byte order mark and a last line without a newline", () =>
    withFiles({ "a.txt": "\uFEFFone\r\ntwo\r\nthree" }, ({ edit, tree }) =>
      Effect.gen(function* () {
        yield* edit({ path: "a.txt", old_text: "one\ntwo", new_text: "1\n2\n2.5" })
        yield* edit({ path: "a.txt", old_text: "three", new_text: "3" })
        assert.deepStrictEqual(yield* tree, { "a.txt": "\uFEFF1\r\n2\r\n2.5\r\n3" })
      })
    )
  )

  it.live("refuses what it cannot do, and changes nothing", () =>
    withFiles({ "a.txt": "one\n  two\none\n" }, (directory) =>
      Effect.gen(function* () {
        const call = (old_text: string, new_text: string, path = "a.txt") =>
          refused(directory, directory.edit({ path, old_text, new_text }))
        const empty = yield* call("", "x")
        assert.strictEqual(empty.code, "invalid_params")
        assert.match(empty.text, /`write`/)
        assert.strictEqual((yield* call("one", "one")).code, "invalid_params")
        const twice = yield* call("one", "x")
        assert.strictEqual(twice.code, "refused_edit")
        assert.match(twice.text, /^a\.txt was not changed\. `old_text` occurs 2 times, beginning at lines 1, 3\./)
        const none = yield* call("two\none\ntwo", "x")
        assert.strictEqual(none.code, "refused_edit")
        assert.match((yield* call("\ttwo", "x")).text, /differs from it only in indentation/)
        assert.strictEqual((yield* call("a", "b", "b.txt")).code, "not_found")
        assert.strictEqual((yield* call("a", "b", "../b.txt")).code, "outside_directory")
        assert.isTrue((yield* call("a", "b", ".")).isFailure)
      })
    )
  )

  it.live("calls on one file at once all land, in the order in which they were made", () =>
    withFiles(
      { "a.txt": Array.from({ length: 30 }, (_, index) => `<${index}>`).join("\n"), "b.txt": "0" },
      ({ edit, tree }) =>
        Effect.gen(function* () {
          const answers = yield* Effect.forEach(
            Array.from({ length: 30 }, (_, index) => index),
            (index) => edit({ path: "a.txt", old_text: `<${index}>`, new_text: `[${index}]` }),
            { concurrency: "unbounded" }
          )
          answers.forEach(success)
          const chain = yield* Effect.forEach(
            Array.from({ length: 20 }, (_, index) => index),
            (index) => edit({ path: "b.txt", old_text: `${index}`, new_text: `${index + 1}` }),
            { concurrency: "unbounded" }
          )
          chain.forEach(success)
          assert.deepStrictEqual(yield* tree, {
            "a.txt": Array.from({ length: 30 }, (_, index) => `[${index}]`).join("\n"),
            "b.txt": "20"
          })
        })
    )
  )

  it.live("is made again on what something outside writes meanwhile, twice at most", () =>
    withFiles({ "a.txt": "a\nb\n" }, ({ edits, fs, root }) =>
      Effect.gen(function* () {
        const outside = Effect.orDie(
          Effect.flatMap(fs.readFileString(`${root}/a.txt`), (text) => fs.writeFileString(`${root}/a.txt`, `+${text}`))
        )
        const call = (times: number, old_text: string, new_text: string) =>
          Effect.flatMap(Surface.make([edit]), (surface) =>
            surface.call("edit", { path: "a.txt", old_text, new_text })
          ).pipe(Effect.provide(Layer.provide(disturbed(outside, times), Layer.succeed(Edits, edits))), Effect.scoped)
        assert.deepStrictEqual(filesOf(yield* call(2, "a\n", "A\n")), [["changed", "a.txt"]])
        assert.strictEqual(yield* fs.readFileString(`${root}/a.txt`), "++A\nb\n")
        assert.strictEqual(failure(yield* call(3, "b\n", "B\n")).code, "stale_edit")
        assert.strictEqual(yield* fs.readFileString(`${root}/a.txt`), "+++++A\nb\n")
      })
    )
  )

  it.live("lands beside what another run writes to the file, or says that it did not", () =>
    withFiles({ "a.txt": Array.from({ length: 40 }, (_, index) => `<${index}>`).join("\n") }, (first) =>
      Effect.gen(function* () {
        const second = yield* first.again
        for (let index = 0; index < 40; index += 2) {
          const answers = yield* Effect.forEach(
            [first, second],
            ({ edit }, offset) =>
              edit({ path: "a.txt", old_text: `<${index + offset}>`, new_text: `[${index + offset}]` }),
            { concurrency: 2 }
          )
          const text = (yield* first.tree)["a.txt"]!
          answers.forEach((answer, offset) => {
            if (answer.isFailure) assert.strictEqual(answer.code, "stale_edit")
            assert.strictEqual(text.includes(`[${index + offset}]`), !answer.isFailure, answer.text)
          })
        }
      })
    )
  )
})

describe("apply_patch", () => {
  const code = "function a() {\n  return 1\n}\n\nfunction b() {\n  return 1\n}\n"

  it.live("adds, changes, moves and deletes, and says where", () =>
    withFiles({ "a.js": code, "old.txt": "1\n2\n3\n", "gone.txt": "x\n", "plain.txt": "p\n" }, ({ patch, tree }) =>
      Effect.gen(function* () {
        const answer = yield* patch(
          envelope(
            "*** Add File: new/file.txt",
            "+hello",
            "*** Update File: a.js",
            "@@ function b() {",
            "-  return 1",
            "+  const x = 1",
            "+  return x",
            "*** Update File: old.txt",
            "*** Move to: moved/new.txt",
            "@@",
            " 1",
            "-2",
            "*** Update File: plain.txt",
            "*** Move to: plain2.txt",
            "*** Delete File: gone.txt"
          )
        )
        assert.deepStrictEqual(filesOf(answer), [
          ["created", "new/file.txt"],
          ["changed", "a.js"],
          ["moved", "old.txt", "moved/new.txt"],
          ["moved", "plain.txt", "plain2.txt"],
          ["deleted", "gone.txt"]
        ])
        assert.strictEqual(
          answer.text,
          [
            "created new/file.txt: 1 line",
            "changed a.js: 2 lines at 6",
            "moved old.txt to moved/new.txt: 1 line at 2",
            "moved plain.txt to plain2.txt",
            "deleted gone.txt",
            "(edit_1: `resolve` can undo it)"
          ].join("\n")
        )
        assert.deepStrictEqual(yield* tree, {
          "a.js": "function a() {\n  return 1\n}\n\nfunction b() {\n  const x = 1\n  return x\n}\n",
          "moved/new.txt": "1\n3\n",
          "new/file.txt": "hello\n",
          "plain2.txt": "p\n"
        })
      })
    )
  )

  it.live("takes a diff of git, with CRLF files, and tells where a hunk moved", () =>
    withFiles({ "a.txt": "0\r\n1\r\n2\r\n3\r\n", "gone.txt": "x\ny", "m.txt": "m\n" }, ({ patch, tree }) =>
      Effect.gen(function* () {
        const answer = yield* patch(
          [
            "diff --git a/a.txt b/a.txt",
            "--- a/a.txt",
            "+++ b/a.txt",
            "@@ -1,2 +1,3 @@",
            " 1",
            "+1.5",
            " 2",
            "diff --git a/gone.txt b/gone.txt",
            "deleted file mode 100644",
            "--- a/gone.txt",
            "+++ /dev/null",
            "@@ -1,2 +0,0 @@",
            "-x",
            "-y",
            "\\ No newline at end of file",
            "diff --git a/n.txt b/n.txt",
            "new file mode 100644",
            "--- /dev/null",
            "+++ b/n.txt",
            "@@ -0,0 +1 @@",
            "+n",
            "\\ No newline at end of file",
            "diff --git a/m.txt b/dir/m.txt",
            "similarity index 50%",
            "rename from m.txt",
            "rename to dir/m.txt",
            "--- a/m.txt",
            "+++ b/dir/m.txt",
            "@@ -1 +1 @@",
            "-m",
            "+M",
            ""
          ].join("\n")
        )
        assert.match(answer.text, /note: a\.txt: hunk 1 was for line 1 and fitted at line 2\./)
        assert.deepStrictEqual(yield* tree, {
          "a.txt": "0\r\n1\r\n1.5\r\n2\r\n3\r\n",
          "n.txt": "n",
          "dir/m.txt": "M\n"
        })
      })
    )
  )

  it.live("does several sections of one file in their order", () =>
    withFiles({ "a.txt": "1\n2\n3\n", "b.txt": "b\n", "c.txt": "c\n" }, ({ edits, patch, tree }) =>
      Effect.gen(function* () {
        const answer = yield* patch(
          envelope(
            "*** Update File: a.txt",
            "@@",
            "-1",
            "+one",
            "*** Update File: ./a.txt",
            "@@",
            " one",
            "-2",
            "+two",
            "*** Add File: d.txt",
            "+d",
            "*** Update File: d.txt",
            "@@",
            "-d",
            "+D",
            "*** Delete File: b.txt",
            "*** Update File: c.txt",
            "*** Move to: b.txt",
            "*** Update File: b.txt",
            "@@",
            "-c",
            "+C"
          )
        )
        assert.deepStrictEqual(yield* tree, { "a.txt": "one\ntwo\n3\n", "b.txt": "C\n", "d.txt": "D\n" }, answer.text)
        yield* edits.undo(success(answer).value.edit_id!)
        assert.deepStrictEqual(yield* tree, { "a.txt": "1\n2\n3\n", "b.txt": "b\n", "c.txt": "c\n" })
      })
    )
  )

  it.live("does nothing where a part of it does not fit, and says which", () =>
    withFiles({ "a.js": code, "b.txt": "b\n", "dir/x": "x\n" }, (directory) =>
      Effect.gen(function* () {
        const first = ["*** Update File: b.txt", "@@", "-b", "+B"]
        const call = (...rest: ReadonlyArray<string>) =>
          refused(directory, directory.patch(envelope(...first, ...rest)))
        const twice = yield* call("*** Update File: a.js", "@@", "-  return 1", "+  return 2")
        assert.strictEqual(twice.code, "refused_edit")
        assert.match(twice.text, /^a\.js: the hunk \(line 7 of the patch\) cannot be applied: it fits at lines 2, 6\./)
        const none = yield* call("*** Update File: a.js", "@@", "-}", " ", " function b() {", "@@", "-return 3")
        assert.match(
          none.text,
          /^a\.js: hunk 2 of 2 \(line 11 of the patch\) cannot be applied: its lines are not in the file/
        )
        assert.match(none.text, /Nothing was changed\.$/)
        const exists = yield* call("*** Add File: a.js", "+x")
        assert.strictEqual(exists.code, "refused_edit")
        assert.match(exists.text, /a\.js exists already.*`\*\*\* Update File: a\.js`/)
        assert.strictEqual((yield* call("*** Update File: c.js", "@@", "-x")).code, "not_found")
        assert.strictEqual((yield* call("*** Delete File: c.js")).code, "not_found")
        assert.strictEqual((yield* call("*** Delete File: dir")).code, "refused_edit")
        assert.strictEqual((yield* call("*** Delete File: b.txt", "*** Delete File: b.txt")).code, "not_found")
        assert.strictEqual((yield* call("*** Update File: a.js", "*** Move to: dir/x")).code, "refused_edit")
        assert.strictEqual((yield* call("*** Update File: a.js", "*** Move to: ../a.js")).code, "outside_directory")
        assert.strictEqual((yield* call("*** Add File: ../x", "+x")).code, "outside_directory")
        assert.strictEqual((yield* call("*** Add File: b.txt/x", "+x")).isFailure, true)
        assert.strictEqual((yield* call("words")).code, "invalid_params")
        const gone = yield* refused(directory, directory.patch("--- a/b.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-c\n"))
        assert.strictEqual(gone.code, "refused_edit")
        assert.match(gone.text, /b\.txt is not what the patch deletes: at line 1 the patch has "c", the file has "b"/)
      })
    )
  )

  it.live("moves a file that is no text, and a link itself", () =>
    withFiles({ "a.txt": "a\n" }, ({ fs, patch, root }) =>
      Effect.gen(function* () {
        yield* fs.writeFile(`${root}/a.png`, new Uint8Array([0x89, 0]))
        yield* fs.symlink("a.txt", `${root}/link`)
        success(yield* patch(envelope("*** Update File: a.png", "*** Move to: dir/b.png")))
        success(yield* patch(envelope("*** Update File: link", "*** Move to: link2")))
        success(yield* patch(envelope("*** Delete File: link2")))
        assert.deepStrictEqual([...(yield* fs.readDirectory(root))].sort(), ["a.txt", "dir"])
        assert.deepStrictEqual(yield* fs.readFile(`${root}/dir/b.png`), new Uint8Array([0x89, 0]))
      })
    )
  )

  it.live("says so where everything is already so", () =>
    withFiles({ "a.txt": "a\n" }, ({ patch }) =>
      Effect.gen(function* () {
        const answer = yield* patch(envelope("*** Update File: a.txt", "@@", "-a", "+a"))
        assert.strictEqual(answer.text, "unchanged: the files are already as the patch leaves them")
        assert.deepStrictEqual(success(answer).value, { files: [], warnings: [] })
      })
    )
  )

  it.live("lands beside edits that are made at the same time", () =>
    withFiles({ "a.txt": "1\n2\n3\n4\n5\n6\n7\n8\n", "b.txt": "b\n" }, ({ edit, patch, tree }) =>
      Effect.gen(function* () {
        const answers = yield* Effect.all(
          [
            edit({ path: "a.txt", old_text: "1\n", new_text: "one\n" }),
            patch(envelope("*** Update File: a.txt", "@@", "-3", "+three", "*** Update File: b.txt", "@@", "-b", "+B")),
            edit({ path: "./a.txt", old_text: "5\n", new_text: "five\n" }),
            patch(
              envelope("*** Update File: b.txt", "@@", "+end", "*** End of File", "*** Update File: a.txt", "@@", "-8")
            )
          ],
          { concurrency: "unbounded" }
        )
        answers.forEach(success)
        assert.deepStrictEqual(yield* tree, { "a.txt": "one\n2\nthree\n4\nfive\n6\n7\n", "b.txt": "B\nend\n" })
      })
    )
  )

  it.live("and edits of different places, any number at once, all land", () =>
    Effect.forEach(
      Array.from({ length: 15 }, (_, seed) => seed),
      (seed) => {
        let state = seed + 1
        const next = (below: number) => {
          state = (Math.imul(state, 1664525) + 1013904223) >>> 0
          return Math.floor((state / 2 ** 32) * below)
        }
        const names = ["a.txt", "b.txt", "c.txt"]
        const lines = 12
        const text = (marked: (line: number) => boolean) =>
          Array.from({ length: lines }, (_, line) => `${marked(line) ? "done" : "line"} ${line}\n`).join("")
        const places = names.flatMap((name) => Array.from({ length: lines }, (_, line) => ({ name, line })))
        const chosen = places.filter(() => next(2) === 0)
        const section = ({ line, name }: (typeof places)[number]) => [
          `*** Update File: ${name}`,
          "@@",
          `-line ${line}`,
          `+done ${line}`
        ]
        return withFiles(Object.fromEntries(names.map((name) => [name, text(() => false)])), ({ edit, patch, tree }) =>
          Effect.gen(function* () {
            const calls: Array<Effect.Effect<Answer.Answer<Written>>> = []
            for (let index = 0; index < chosen.length;) {
              const some = chosen.slice(index, index + 1 + next(3))
              index += some.length
              const { line, name } = some[0]!
              calls.push(
                some.length === 1
                  ? edit({ path: name, old_text: `line ${line}\n`, new_text: `done ${line}\n` })
                  : patch(envelope(...some.flatMap(section)))
              )
            }
            const answers = yield* Effect.all(calls, { concurrency: "unbounded" })
            answers.forEach(success)
            assert.deepStrictEqual(
              yield* tree,
              Object.fromEntries(
                names.map((name) => [
                  name,
                  text((line) => chosen.some((place) => place.name === name && place.line === line))
                ])
              ),
              `seed ${seed}`
            )
          })
        )
      },
      { discard: true }
    )
  )
})
