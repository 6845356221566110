import { NodeServices } from "@effect/platform-node"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Fs from "node:fs"
import { monitorEventLoopDelay } from "node:perf_hooks"
import * as NodeEdits from "../../../layers/edits/NodeEdits.ts"
import * as NodeParsers from "../../../layers/syntax/NodeParsers.ts"
import * as NodeWorkspace from "../../../layers/workspace/NodeWorkspace.ts"
import type * as Answer from "../../../src/Answer.ts"
import { resolve } from "../../../src/edits/Resolve.ts"
import type * as LiveTool from "../../../src/LiveTool.ts"
import * as Surface from "../../../src/Surface.ts"
import { astEdit } from "../../../src/syntax/AstEdit.ts"
import { astGrep } from "../../../src/syntax/AstGrep.ts"
import * as Cli from "../../support/Cli.ts"

type Files = Parameters<typeof Cli.folder>[0]

const open = (files: Files) =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => Cli.folder({ "work/.keep": "", ...files })),
      ({ remove }) => Effect.sync(remove)
    )
    const workspace = NodeWorkspace.layer({ root: folder.path("work") })
    const edits = NodeEdits.layer({ stateFolder: folder.path("state") })
    const surface = yield* Surface.make([astGrep, astEdit, resolve]).pipe(
      Effect.provide(Layer.provideMerge(edits, Layer.merge(workspace, NodeServices.layer)))
    )
    const grep = (params: LiveTool.ParamsOf<typeof astGrep>) => surface.call("ast_grep", params)
    const found = (params: LiveTool.ParamsOf<typeof astGrep>) =>
      Effect.map(grep(params), (answer) =>
        answer.isFailure ? [answer.code] : answer.value.matches.map(({ line, path }) => `${path}:${line}`)
      )
    return { folder, surface, grep, found }
  })

const success = <A>(answer: Answer.Answer<A>): Answer.Success<A> =>
  answer.isFailure ? assert.fail(`${answer.code}: ${answer.text}`) : answer
const failure = (answer: Answer.Answer): Answer.Failure =>
  answer.isFailure ? answer : assert.fail(`succeeded: ${answer.text}`)

layer(NodeParsers.layer(), { excludeTestServices: true })("ast_grep", (it) => {
  it.effect("gives value and text: places, captures, totals, the reading", () =>
    Effect.gen(function* () {
      const { grep } = yield* open({ "work/a.ts": "f(1)\nif (x) {\n  f(2, g(f(3)))\n}\n", "work/b.py": "f('p')\n" })
      const { text, value } = success(yield* grep({ pattern: "f($$$A)" }))
      assert.deepStrictEqual(value.matches, [
        { path: "a.ts", line: 1, column: 1, end_line: 1, text: "f(1)", captures: { A: ["1"] } },
        { path: "a.ts", line: 3, column: 3, end_line: 3, text: "f(2, g(f(3)))", captures: { A: ["2", "g(f(3))"] } },
        { path: "a.ts", line: 3, column: 10, end_line: 3, text: "f(3)", captures: { A: ["3"] } },
        { path: "b.py", line: 1, column: 1, end_line: 1, text: "f('p')", captures: { A: ["'p'"] } }
      ])
      assert.deepInclude(value, { total: 4, total_is_exact: true, files_searched: 2, context: "statement" })
      assert.deepInclude(value.readings, {
        language: "python",
        context: "statement",
        total: 1,
        is_exact: true,
        shown: true
      })
      assert.strictEqual(
        text.split("\n")[0],
        "4 matches (2 files searched; left out: 1 language unknown; read as python statement, typescript statement)"
      )
      assert.include(text, "a.ts:3: f(2, g(f(3)))")
    })
  )

  it.effect("shows control characters of a name as escapes in the text, as they are in the value", () =>
    Effect.gen(function* () {
      const { grep } = yield* open({ "work/a\nb\u001b.ts": "f(1)\n" })
      const { text, value } = success(yield* grep({ pattern: "f(1)" }))
      assert.include(text, "a\\nb\\x1b.ts:1: f(1)")
      assert.strictEqual(value.matches[0]!.path, "a\nb\u001b.ts")
    })
  )

  it.effect("takes what exists literally, a glob only where nothing of that name exists", () =>
    Effect.gen(function* () {
      const { found } = yield* open({
        "work/app/[id]/page.ts": "f(1)\n",
        "work/app/i/page.ts": "f(2)\n",
        "work/app/i/page.js": "f(3)\n"
      })
      assert.deepStrictEqual(yield* found({ pattern: "f($A)", path: "app/[id]" }), ["app/[id]/page.ts:1"])
      assert.deepStrictEqual(yield* found({ pattern: "f($A)", path: "app/[id]/page.ts" }), ["app/[id]/page.ts:1"])
      assert.deepStrictEqual(yield* found({ pattern: "f($A)", path: "app/i/*.ts" }), ["app/i/page.ts:1"])
      assert.deepStrictEqual(yield* found({ pattern: "f($A)", path: "**/*.js" }), ["app/i/page.js:1"])
      assert.deepStrictEqual(yield* found({ pattern: "f($A)", path: "app/{i,j}/page.*" }), [
        "app/i/page.js:1",
        "app/i/page.ts:1"
      ])
      assert.deepStrictEqual(yield* found({ pattern: "f($A)", path: "gone/*.ts" }), ["not_found"])
    })
  )

  it.effect("states the cap with the full count, exact or at least", () =>
    Effect.gen(function* () {
      const lines = "f(1)\n".repeat(60)
      const { grep } = yield* open({ "work/a.ts": lines, "work/b.ts": lines })
      const capped = success(yield* grep({ pattern: "f($A)" }))
      assert.strictEqual(capped.value.matches.length, 50)
      assert.isAtLeast(capped.value.total, 51)
      assert.match(capped.text, capped.value.total_is_exact ? /^50 of 120 matches/ : /^50 of at least \d+ matches/)
      const all = success(yield* grep({ pattern: "f($A)", max_results: 120 }))
      assert.deepInclude(all.value, { total: 120, total_is_exact: true })
      assert.match(
        all.text,
        /^120 matches \(2 files searched; left out: 1 language unknown; read as typescript statement\)/
      )
    })
  )

  it.effect("honours ignore files, skips binary, large and unknown files, and counts what it left out by reason", () =>
    Effect.gen(function* () {
      const { found, grep } = yield* open({
        "work/.gitignore": "out/\n*.gen.ts\n!keep.gen.ts\n",
        "work/lib/.ignore": "old.ts\n",
        "work/a.ts": "f(1)\n",
        "work/a.gen.ts": "f(2)\n",
        "work/keep.gen.ts": "f(3)\n",
        "work/out/b.ts": "f(4)\n",
        "work/lib/old.ts": "f(5)\n",
        "work/node_modules/m/i.ts": "f(6)\n",
        "work/bin.ts": new Uint8Array([102, 40, 0, 41]),
        "work/latin.ts": new Uint8Array([102, 40, 34, 233, 34, 41]),
        "work/big.ts": "f(7)\n".repeat(900_000),
        "work/notes.txt": "f(8)\n"
      })
      assert.deepStrictEqual(yield* found({ pattern: "f($A)" }), ["a.ts:1", "keep.gen.ts:1"])
      const { skipped } = success(yield* grep({ pattern: "f($A)" })).value
      const reasons = skipped.map(({ reason }) => reason).join("; ")
      for (const reason of [/ignored/, /binary/, /large/, /UTF-8/, /language unknown/]) assert.match(reasons, reason)
      assert.deepStrictEqual(yield* found({ pattern: "f($A)", path: "node_modules" }), ["node_modules/m/i.ts:1"])
      assert.deepStrictEqual(yield* found({ pattern: "f($A)", path: "out/b.ts" }), ["out/b.ts:1"])
    })
  )

  it.effect("walks a tree with a cycle of symbolic links once, and follows no link out of the directory", () =>
    Effect.gen(function* () {
      const { folder, found } = yield* open({ "work/d/a.ts": "f(1)\n", "outside/b.ts": "f(2)\n" })
      Fs.symlinkSync("..", folder.path("work/d/up"))
      Fs.symlinkSync("../outside", folder.path("work/out"))
      Fs.symlinkSync("../outside/b.ts", folder.path("work/b.ts"))
      assert.deepStrictEqual(yield* found({ pattern: "f($A)" }), ["d/a.ts:1"])
      assert.deepStrictEqual(yield* found({ pattern: "f($A)", path: "out" }), ["outside_directory"])
      assert.deepStrictEqual(yield* found({ pattern: "f($A)", path: "b.ts" }), ["outside_directory"])
      assert.deepStrictEqual(yield* found({ pattern: "f($A)", path: "../outside" }), ["outside_directory"])
      assert.deepStrictEqual(yield* found({ pattern: "f($A)", path: "../outside/*.ts" }), ["outside_directory"])
    })
  )

  it.effect("says what is wrong with a call: language, pattern, path", () =>
    Effect.gen(function* () {
      const { grep } = yield* open({ "work/a.ts": "f(1)\n", "work/notes.txt": "x" })
      const language = failure(yield* grep({ pattern: "f($A)", language: "pyton" }))
      assert.strictEqual(language.code, "unknown_language")
      assert.match(language.text, /no grammar for `pyton`\. Did you mean `python`/)
      const unknownFile = failure(yield* grep({ pattern: "f($A)", path: "notes.txt" }))
      assert.strictEqual(unknownFile.code, "unknown_language")
      const unparseable = failure(yield* grep({ pattern: "f(", path: "a.ts" }))
      assert.strictEqual(unparseable.code, "unparseable_pattern")
      assert.match(unparseable.text, /no context accepts it/)
      assert.strictEqual(failure(yield* grep({ pattern: "f($$A)", language: "ts" })).code, "unparseable_pattern")
      const missing = failure(yield* grep({ pattern: "f($A)", path: "b.ts" }))
      assert.strictEqual(missing.code, "not_found")
      assert.match(missing.text, /b\.ts does not exist\. Near it: a\.ts/)
    })
  )

  it.effect("never says that there is no match where nothing was searched", () =>
    Effect.gen(function* () {
      const { grep } = yield* open({ "work/notes.txt": "f(1)" })
      const { text, value } = success(yield* grep({ pattern: "f($A)" }))
      assert.strictEqual(value.files_searched, 0)
      assert.match(text, /^Nothing was searched, so nothing is known/)
      assert.notMatch(text, /No match/)
    })
  )

  it.effect("on a miss says what was searched, how the pattern was parsed, and what the code has more", () =>
    Effect.gen(function* () {
      const { grep } = yield* open({ "work/a.ts": "function f(x: number): string { return x }\n" })
      const { text, value } = success(yield* grep({ pattern: "function f($A) { $$$B }" }))
      assert.deepInclude(value, { total: 0, total_is_exact: true, files_searched: 1 })
      assert.match(text, /^No match \(1 file searched/)
      assert.match(text, /Near: a\.ts:1 would match if the pattern also had return_type/)
      assert.match(text, /It was parsed, as a typescript statement, into \(function_declaration/)
      const regex = success(yield* grep({ pattern: "'\\w+'", language: "ts" }))
      assert.match(regex.text, /looks like a regular expression/)
    })
  )

  it.effect("shows the next context's matches under its name where the first finds none; context picks one", () =>
    Effect.gen(function* () {
      const { grep } = yield* open({ "work/a.dart": "class A {\n  void go() { run(); }\n}\n" })
      const { text, value } = success(yield* grep({ pattern: "void $M() { $$$B }", language: "dart" }))
      assert.deepStrictEqual(
        value.matches.map(({ captures }) => captures["M"]),
        ["go"]
      )
      assert.strictEqual(value.context, "member")
      assert.match(text, /read as statement it has no match; shown is how it reads as member/)
      const picked = success(yield* grep({ pattern: "void $M() { $$$B }", language: "dart", context: "statement" }))
      assert.strictEqual(picked.value.total, 0)
    })
  )

  it.effect("does not hold up the host: no stretch above 10 ms of its own while a large tree is parsed", () =>
    Effect.gen(function* () {
      const source = Array.from(
        { length: 2000 },
        (_, i) => `if (a${i}) { b${i}(c, [d, { e: ${i} }]) } else { f() }`
      ).join("\n")
      const { grep } = yield* open(Object.fromEntries(Array.from({ length: 6 }, (_, i) => [`work/${i}.ts`, source])))
      yield* grep({ pattern: "warm($UP)" })
      const delay = monitorEventLoopDelay({ resolution: 1 })
      delay.enable()
      const before = process.cpuUsage()
      const { value } = success(yield* grep({ pattern: "if ($C) { $$$B }", max_results: 10 }))
      delay.disable()
      assert.isAbove(value.files_searched, 0)
      assert.isAbove(process.cpuUsage(before).user, 50_000)
      // The median tells the work of this thread; the tail tells what else the machine does.
      assert.isBelow(delay.percentile(90) / 1e6, 10)
    })
  )

  it.effect("reads preprocessor lines in C and in C++", () =>
    Effect.gen(function* () {
      const source = "#include <x.h>\n#define A 1\n"
      const { found } = yield* open({ "work/a.c": source, "work/b.cpp": source })
      assert.deepStrictEqual(yield* found({ pattern: "#include $X" }), ["a.c:1", "b.cpp:1"])
      assert.deepStrictEqual(yield* found({ pattern: "#define $X $Y" }), ["a.c:2", "b.cpp:2"])
    })
  )

  it.effect("runs several searches at once", () =>
    Effect.gen(function* () {
      const { found } = yield* open({ "work/a.ts": "f(1)\ng(2)\nh(3)\n" })
      const all = yield* Effect.forEach(["f", "g", "h"], (name) => found({ pattern: `${name}($A)` }), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(all, [["a.ts:1"], ["a.ts:2"], ["a.ts:3"]])
    })
  )
})

layer(NodeParsers.layer(), { excludeTestServices: true })("ast_edit and resolve", (it) => {
  it.effect("propose, accept, take back: nothing is written before, everything is as before after", () =>
    Effect.gen(function* () {
      const a = "class A {\r\n\tclose(x) {\r\n\t\tdispose(x);\r\n\t}\r\n}"
      const { folder, surface } = yield* open({ "work/a.js": a, "work/b.py": "\uFEFFdispose(1)\n" })
      const proposed = success(yield* surface.call("ast_edit", { pattern: "dispose($X)", rewrite: "$X.dispose()" }))
      assert.deepInclude(proposed.value, { edit_id: "edit_1", replacements: 2 })
      assert.deepStrictEqual(
        proposed.value.files.map(({ changes, edits, path }) => ({ path, edits, changes })),
        [
          { path: "a.js", edits: 1, changes: [{ line: 3, before: ["\t\tdispose(x);"], after: ["\t\tx.dispose();"] }] },
          { path: "b.py", edits: 1, changes: [{ line: 1, before: ["dispose(1)"], after: ["1.dispose()"] }] }
        ]
      )
      assert.match(proposed.text, /^\(proposed\) 2 replacements in 2 files .* edit_id "edit_1"/)
      assert.strictEqual(folder.read("work/a.js"), a)
      const accepted = success(yield* surface.call("resolve", { edit_id: "edit_1", action: "accept" }))
      assert.deepStrictEqual(accepted.value, { edit_id: "edit_1", state: "accepted", files: ["a.js", "b.py"] })
      assert.strictEqual(folder.read("work/a.js"), a.replace("dispose(x)", "x.dispose()"))
      assert.strictEqual(folder.read("work/b.py"), "\uFEFF1.dispose()\n")
      success(yield* surface.call("resolve", { edit_id: "edit_1", action: "undo" }))
      assert.strictEqual(folder.read("work/a.js"), a)
      assert.strictEqual(folder.read("work/b.py"), "\uFEFFdispose(1)\n")
    })
  )

  it.effect(
    "a file that changed since rejects the whole, with the same number of matches too (A2); it stays staged",
    () =>
      Effect.gen(function* () {
        const { folder, surface } = yield* open({ "work/a.js": "f(1)\n", "work/b.js": "f(2)\n" })
        yield* surface.call("ast_edit", { pattern: "f($X)", rewrite: "g($X)" })
        Fs.writeFileSync(folder.path("work/b.js"), "f(3)\n")
        const stale = failure(yield* surface.call("resolve", { edit_id: "edit_1", action: "accept" }))
        assert.strictEqual(stale.code, "stale_edit")
        assert.match(stale.text, /b\.js/)
        assert.deepStrictEqual([folder.read("work/a.js"), folder.read("work/b.js")], ["f(1)\n", "f(3)\n"])
        Fs.writeFileSync(folder.path("work/b.js"), "f(2)\n")
        success(yield* surface.call("resolve", { edit_id: "edit_1", action: "accept" }))
        assert.deepStrictEqual([folder.read("work/a.js"), folder.read("work/b.js")], ["g(1)\n", "g(2)\n"])
      })
  )

  it.effect("a template's unbound, anonymous and mistaken metavariables are errors", () =>
    Effect.gen(function* () {
      const { surface } = yield* open({ "work/a.js": "f(1)\n" })
      const text = (rewrite: string) =>
        Effect.map(surface.call("ast_edit", { pattern: "f($X, $$$R)", rewrite }), (answer) => {
          assert.strictEqual(failure(answer).code, "invalid_params")
          return answer.text
        })
      assert.match(yield* text("g($Y)"), /`\$Y` is not bound: the pattern binds `\$X`, `\$\$\$R`/)
      assert.match(yield* text("g($$$)"), /captures nothing/)
      assert.match(yield* text("g($$$X)"), /one node in the pattern/)
    })
  )

  it.effect("no match is a success without an id; wrong ids and repeated decisions are told apart (R1)", () =>
    Effect.gen(function* () {
      const { surface } = yield* open({ "work/a.js": "f(1)\n" })
      const none = success(yield* surface.call("ast_edit", { pattern: "h($X)", rewrite: "$X" }))
      assert.deepInclude(none.value, { replacements: 0, files: [] })
      assert.notProperty(none.value, "edit_id")
      assert.match(none.text, /^No match, so no change is proposed/)
      const decide = (action: "accept" | "discard" | "undo", edit_id = "edit_1") =>
        Effect.map(surface.call("resolve", { edit_id, action }), (answer) =>
          answer.isFailure ? answer.code : answer.value.state
        )
      assert.strictEqual(yield* decide("accept"), "unknown_edit")
      success(yield* surface.call("ast_edit", { pattern: "f($X)", rewrite: "g($X)" }))
      assert.strictEqual(yield* decide("undo"), "refused_edit")
      assert.strictEqual(yield* decide("discard"), "discarded")
      assert.strictEqual(yield* decide("discard"), "discarded")
      assert.strictEqual(yield* decide("accept"), "refused_edit")
    })
  )

  it.effect("warns of syntax errors to come, of inner matches left, of comments dropped", () =>
    Effect.gen(function* () {
      const { surface } = yield* open({ "work/a.js": "f(f(1));\nf(/* why */ 2);\n" })
      const { text, value } = success(yield* surface.call("ast_edit", { pattern: "f($X)", rewrite: "g($X" }))
      assert.match(value.warnings.join("\n"), /a\.js would have \d+ syntax error/)
      assert.match(value.warnings.join("\n"), /1 match inside others is left/)
      assert.match(value.warnings.join("\n"), /a\.js:2: the rewrite drops `\/\* why \*\/`/)
      assert.match(text, /^Warning: /m)
    })
  )

  it.effect("leaves the inside and the end of a heredoc where they are, and says when a match is left for one", () =>
    Effect.gen(function* () {
      const { folder, surface } = yield* open({
        "work/a.sh": "if true; then\n  cat <<EOF\nx\nEOF\nfi\n",
        "work/a.rb": "if a\n  x(1)\n  z(<<-E)\n    raw\n    E\nend\n"
      })
      const nest = { pattern: "if true; then $$$B; fi", rewrite: "if q; then\n  if true; then\n    $$$B\n  fi\nfi" }
      const { value } = success(yield* surface.call("ast_edit", { ...nest, language: "bash" }))
      assert.deepStrictEqual(value.warnings, [])
      success(yield* surface.call("resolve", { edit_id: "edit_1", action: "accept" }))
      assert.strictEqual(folder.read("work/a.sh"), "if q; then\n  if true; then\n    cat <<EOF\nx\nEOF\n  fi\nfi\n")
      const ruby = { pattern: "if $C\n  $$$B\nend", rewrite: "while $C\n  $$$B\nend", language: "ruby" }
      const left = success(yield* surface.call("ast_edit", ruby))
      assert.strictEqual(left.value.replacements, 0)
      assert.match(left.text, /^No change is proposed, though there are matches/)
      assert.match(left.text, /Warning: a\.rb:1: this match is left/)
    })
  )

  it.effect("never goes on to another context by itself", () =>
    Effect.gen(function* () {
      const { surface } = yield* open({ "work/a.dart": "class A {\n  void go() { run(); }\n}\n" })
      const params = { pattern: "void $M() { $$$B }", rewrite: "int $M() { $$$B }", language: "dart" }
      const first = success(yield* surface.call("ast_edit", params))
      assert.strictEqual(first.value.replacements, 0)
      assert.match(first.text, /read as member it has 1 match; context: "member" picks that/)
      const member = success(yield* surface.call("ast_edit", { ...params, context: "member" }))
      assert.strictEqual(member.value.replacements, 1)
    })
  )
})

describe("ast_grep without its worker", () => {
  it.live("ends its worker threads with the scope", () =>
    Effect.gen(function* () {
      const before = process.getActiveResourcesInfo().filter((name) => /Worker|MessagePort/.test(name)).length
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { grep } = yield* open({ "work/a.ts": "f(1)\n" })
          success(yield* grep({ pattern: "f($A)" }))
        })
      ).pipe(Effect.provide(NodeParsers.layer(), { local: true }))
      const after = process.getActiveResourcesInfo().filter((name) => /Worker|MessagePort/.test(name)).length
      assert.strictEqual(after, before)
    })
  )
})
