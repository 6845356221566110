/** Languages inside files of another: scripts and styles of html, vue and svelte (SPEC §5). */
import { NodeServices } from "@effect/platform-node"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Fs from "node:fs"
import { markdown } from "../../../grammars/markdown.ts"
import * as NodeEdits from "../../../layers/edits/NodeEdits.ts"
import * as NodeParsers from "../../../layers/syntax/NodeParsers.ts"
import * as NodeWorkspace from "../../../layers/workspace/NodeWorkspace.ts"
import type * as Answer from "../../../src/Answer.ts"
import { resolve } from "../../../src/edits/Resolve.ts"
import type * as LiveTool from "../../../src/LiveTool.ts"
import * as Surface from "../../../src/Surface.ts"
import { astEdit } from "../../../src/syntax/AstEdit.ts"
import { astGrep } from "../../../src/syntax/AstGrep.ts"
import { Parsers } from "../../../src/syntax/Parsers.ts"
import * as Cli from "../../support/Cli.ts"

type Files = Parameters<typeof Cli.folder>[0]

const success = <A>(answer: Answer.Answer<A>): Answer.Success<A> =>
  answer.isFailure ? assert.fail(`${answer.code}: ${answer.text}`) : answer

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
        answer.isFailure
          ? [answer.code]
          : answer.value.matches.map(({ column, line, path, text }) => `${path}:${line}:${column} ${text}`)
      )
    const rewrite = (params: LiveTool.ParamsOf<typeof astEdit>) =>
      Effect.gen(function* () {
        const { value } = success(yield* surface.call("ast_edit", params))
        if (value.edit_id !== undefined) {
          success(yield* surface.call("resolve", { edit_id: value.edit_id, action: "accept" }))
        }
        return value
      })
    const read = (path: string) => Fs.readFileSync(folder.path(path), "utf8")
    return { grep, found, rewrite, read }
  })

const page = `<!doctype html>
<html>
  <head>
    <style>
      .a { color: red; }
    </style>
    <script>console.log("é", 1)</script>
  </head>
  <body onload="console.log(0)">
    console.log(9)
    <script type="module">
      // console.log(8)
      console.log(2); console.log(3)
    </script>
    <script type="application/json">{ "a": [1] }</script>
    <script type="text/x-template"><p>console.log(7)</p></script>
  </body>
</html>
`

const vue = `<template>
  <p>{{ console.log(0) }}</p>
</template>

<script setup lang="ts">
import { ref } from "vue"
const x = ref<number>(1)
console.log(x as number)
</script>

<script>
export default { name: "plain" }
console.log(1)
</script>

<style scoped lang="scss">
.a { .b { color: red; } }
</style>

<style>
.c { color: red; }
</style>
`

const svelte = `<script lang='ts'>
  let count: number = $state(0)
  console.log(count)
</script>
<button on:click={() => console.log(5)}>{count}</button>
<style>
  p { color: red; }
</style>
`

const files = { "work/a.html": page, "work/b.vue": vue, "work/c.svelte": svelte, "work/d.ts": "console.log(4)\n" }

layer(NodeParsers.layer(), { excludeTestServices: true })("embedded languages", (it) => {
  describe("searching", () => {
    it.effect("finds a script in its own language, at its place in the whole file", () =>
      Effect.gen(function* () {
        const { found } = yield* open(files)
        const javascript = [
          'a.html:7:13 console.log("é", 1)',
          "a.html:13:7 console.log(2)",
          "a.html:13:23 console.log(3)",
          "b.vue:13:1 console.log(1)"
        ]
        const typescript = ["b.vue:8:1 console.log(x as number)", "c.svelte:3:3 console.log(count)"]
        assert.deepStrictEqual(yield* found({ pattern: "console.log($$$A)", language: "javascript" }), javascript)
        assert.deepStrictEqual(yield* found({ pattern: "console.log($$$A)", language: "typescript" }), [
          ...typescript,
          "d.ts:1:1 console.log(4)"
        ])
        assert.deepStrictEqual(yield* found({ pattern: "console.log($$$A)" }), [
          ...javascript.slice(0, 3),
          typescript[0]!,
          javascript[3]!,
          typescript[1]!,
          "d.ts:1:1 console.log(4)"
        ])
      })
    )

    it.effect("takes one file, with its captures", () =>
      Effect.gen(function* () {
        const { found, grep } = yield* open(files)
        assert.deepStrictEqual(yield* found({ pattern: "$X as $T", path: "b.vue" }), ["b.vue:8:13 x as number"])
        assert.deepStrictEqual(yield* found({ pattern: "import $X from $M", path: "b.vue", language: "ts" }), [
          'b.vue:6:1 import { ref } from "vue"'
        ])
        assert.deepStrictEqual(yield* found({ pattern: "import $X from $M", path: "b.vue", language: "js" }), [])
        const { value } = success(yield* grep({ pattern: "console.log($A)", path: "b.vue", language: "js" }))
        assert.deepStrictEqual(
          value.matches.map(({ captures }) => captures),
          [{ A: "1" }]
        )
        assert.deepInclude(value, { total: 1, total_is_exact: true, files_searched: 1 })
      })
    )

    it.effect("finds styles, and the json of a page", () =>
      Effect.gen(function* () {
        const { found } = yield* open(files)
        assert.deepStrictEqual(yield* found({ pattern: "color: $C", language: "css" }), [
          "a.html:5:12 color: red;",
          "b.vue:21:6 color: red;",
          "c.svelte:7:7 color: red;"
        ])
        assert.deepStrictEqual(yield* found({ pattern: '"a": $V', language: "json" }), ['a.html:15:39 "a": [1]'])
      })
    )

    it.effect("does not mix the parts, nor what is around them", () =>
      Effect.gen(function* () {
        const { found } = yield* open({
          "work/a.html": "<script>a();</script>\n<script>b()</script>\n<script>\na();\nb()</script>\n"
        })
        assert.deepStrictEqual(yield* found({ pattern: "a(); b()" }), ["a.html:4:1 a();\nb()"])
      })
    )

    it.effect("still finds the markup in its own language", () =>
      Effect.gen(function* () {
        const { found } = yield* open(files)
        assert.deepStrictEqual(yield* found({ pattern: "<p>$$$A</p>", language: "vue" }), [
          "b.vue:2:3 <p>{{ console.log(0) }}</p>"
        ])
        assert.deepStrictEqual(yield* found({ pattern: "<button $$$A>$$$B</button>", path: "c.svelte" }), [
          "c.svelte:5:1 <button on:click={() => console.log(5)}>{count}</button>"
        ])
        assert.deepStrictEqual(yield* found({ pattern: "console.log($A)", language: "vue", path: "b.vue" }), [])
      })
    )

    it.effect("says what is not covered, and counts it", () =>
      Effect.gen(function* () {
        const { grep } = yield* open(files)
        const { text, value } = success(yield* grep({ pattern: ".b { $$$D }", language: "css" }))
        assert.deepStrictEqual([value.total, value.files_searched], [0, 3])
        assert.deepInclude(value.skipped, { reason: "embedded scss", count: 1 })
        assert.include(text, "1 embedded scss")
        const { value: script } = success(yield* grep({ pattern: "console.log(7)", language: "javascript" }))
        assert.deepStrictEqual([script.total, script.files_searched], [0, 3])
        assert.deepInclude(script.skipped, { reason: "embedded text/x-template", count: 1 })
      })
    )

    it.effect("is the same a second time, and after a change", () =>
      Effect.gen(function* () {
        const { found, grep, rewrite } = yield* open(files)
        const first = success(yield* grep({ pattern: "console.log($$$A)" })).value
        assert.deepStrictEqual(success(yield* grep({ pattern: "console.log($$$A)" })).value, first)
        yield* rewrite({ pattern: "console.log(1)", rewrite: "console.log(1, 1)", language: "javascript" })
        assert.include(yield* found({ pattern: "console.log($$$A)" }), "b.vue:13:1 console.log(1, 1)")
      })
    )

    it.effect("knows what a miss in a file with nothing inside means", () =>
      Effect.gen(function* () {
        const { grep } = yield* open({ "work/a.vue": "<template><p>a</p></template>\n" })
        const { value } = success(yield* grep({ pattern: "zzz($A)" }))
        assert.deepStrictEqual([value.total, value.files_searched], [0, 1])
        assert.deepStrictEqual(
          value.parsed.flatMap(({ context, language }) => (context === "statement" ? [language] : [])),
          ["javascript"]
        )
      })
    )
  })

  describe("rewriting", () => {
    it.effect("changes the inside only", () =>
      Effect.gen(function* () {
        const { read, rewrite } = yield* open(files)
        const value = yield* rewrite({ pattern: "console.log($$$A)", rewrite: "log.info($$$A)" })
        assert.deepStrictEqual([value.replacements, value.files.length], [7, 4])
        assert.deepStrictEqual(
          value.warnings.filter((warning) => warning.includes("syntax error")),
          []
        )
        assert.strictEqual(
          read("work/a.html"),
          page
            .replace('console.log("é", 1)', 'log.info("é", 1)')
            .replace("console.log(2); console.log(3)", "log.info(2); log.info(3)")
        )
        assert.strictEqual(
          read("work/b.vue"),
          vue.replace("console.log(x as number)", "log.info(x as number)").replace("console.log(1)", "log.info(1)")
        )
        assert.strictEqual(read("work/c.svelte"), svelte.replace("console.log(count)", "log.info(count)"))
      })
    )

    it.effect("keeps the indentation of the file, and warns of errors in the part", () =>
      Effect.gen(function* () {
        const { read, rewrite } = yield* open({
          "work/a.html": "<body>\n  <script>\n    if (x) {\n      a()\n    }\n  </script>\n</body>\n"
        })
        const good = yield* rewrite({ pattern: "if ($C) { $$$B }", rewrite: "while ($C) {\n  $$$B\n}" })
        assert.deepStrictEqual(good.warnings, [])
        assert.strictEqual(
          read("work/a.html"),
          "<body>\n  <script>\n    while (x) {\n      a()\n    }\n  </script>\n</body>\n"
        )
        const bad = yield* rewrite({ pattern: "a()", rewrite: "a(" })
        assert.match(bad.warnings.join(), /a\.html would have 1 syntax error that it has not now/)
      })
    )

    it.effect("of styles", () =>
      Effect.gen(function* () {
        const { read, rewrite } = yield* open(files)
        const value = yield* rewrite({ pattern: "color: red", rewrite: "color: blue", language: "css" })
        assert.strictEqual(value.replacements, 3)
        assert.strictEqual(read("work/b.vue"), vue.replace(".c { color: red; }", ".c { color: blue; }"))
      })
    )
  })

  it.effect("a harness declares what its own language has inside", () =>
    Effect.gen(function* () {
      const parsers = NodeParsers.layer({
        grammars: [
          {
            ...markdown,
            embedded: [
              {
                element: "fenced_code_block",
                text: "code_fence_content",
                sign: "```",
                label: "language",
                languages: [["python", "python"]]
              }
            ]
          }
        ]
      })
      const folder = Cli.folder({ "work/a.md": "# print(0)\n\n```python\nprint(1)\n```\n\n```js\nprint(2)\n```\n" })
      const outcome = yield* Effect.ensuring(
        Parsers.use(({ search }) =>
          search({
            where: { root: folder.path("work"), start: folder.path("work"), kind: "directory" },
            pattern: "print($A)",
            language: "python",
            limit: 10
          })
        ).pipe(Effect.provide(parsers)),
        Effect.sync(folder.remove)
      )
      assert.deepStrictEqual(
        outcome.matches.map(({ column, line, text }) => [line, column, text]),
        [[4, 1, "print(1)"]]
      )
      assert.deepStrictEqual([...outcome.skipped], [["embedded js", 1]])
    })
  )
})
