import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { evalTool } from "../../../src/kernel/Eval.ts"
import { type Cell, Kernels, type Ran } from "../../../src/kernel/Kernels.ts"
import * as Surface from "../../../src/Surface.ts"

const ran: Ran = {
  cell: 1,
  ending: { status: "ok" },
  outputs: [],
  notices: [],
  nested: [],
  nestedTotal: 0,
  milliseconds: 3
}

const run = (result: Partial<Ran> = {}) =>
  Effect.gen(function* () {
    const cells: Array<Cell> = []
    const kernels = Layer.succeed(
      Kernels,
      Kernels.of({
        run: (cell) =>
          Effect.sync(() => {
            cells.push(cell)
            return { ...ran, ...result }
          })
      })
    )
    const surface = yield* Effect.provide(Surface.make([evalTool]), kernels)
    return { surface, cells }
  })

const words = "say what the cell does"

describe("eval", () => {
  it.effect("is a tool of tier exec, python by default", () =>
    Effect.gen(function* () {
      const { cells, surface } = yield* run()
      assert.strictEqual(surface.entries[0]!.tier, "exec")
      assert.deepStrictEqual(surface.entries[0]!.jsonSchema.required, ["code", "description"])
      assert.isFalse((yield* surface.dispatch("eval", { code: "1", description: words })).isFailure)
      assert.deepInclude(cells[0], { code: "1", language: "python", reset: false })
      yield* surface.dispatch("eval", { code: "1", description: words, language: "javascript", reset: true })
      assert.deepInclude(cells[1], { language: "javascript", reset: true })
    })
  )

  it.effect(
    "refuses a description that is empty or one word, and says what it is for; another length gets a note",
    () =>
      Effect.gen(function* () {
        const { cells, surface } = yield* run()
        for (const description of ["", "  ", "run", " run "]) {
          const answer = yield* surface.dispatch("eval", { code: "1", description })
          assert.strictEqual(answer.isFailure && answer.code, "invalid_params")
          assert.include(answer.text, "5 to 10 words")
        }
        const missing = yield* surface.dispatch("eval", { code: "1" })
        assert.include(missing.text, "`description` is missing")
        assert.lengthOf(cells, 0)
        const short = yield* surface.dispatch("eval", { code: "1", description: "two words" })
        assert.isFalse(short.isFailure)
        assert.include(short.text, "Note: the description has 2 words; 5 to 10")
        assert.notInclude((yield* surface.dispatch("eval", { code: "1", description: words })).text, "Note:")
      })
  )

  it.effect("refuses unknown parameters and languages by name", () =>
    Effect.gen(function* () {
      const { surface } = yield* run()
      const unknown = yield* surface.dispatch("eval", { code: "1", description: words, timeout: 5 })
      assert.include(unknown.text, "`timeout` is not a parameter")
      const ruby = yield* surface.dispatch("eval", { code: "1", description: words, language: "ruby" })
      assert.include(ruby.text, `"python" | "javascript"`)
    })
  )

  it.effect("takes a Markdown fence off the code, and says so; other code is verbatim", () =>
    Effect.gen(function* () {
      const { cells, surface } = yield* run()
      const answer = yield* surface.dispatch("eval", { code: "```python\nx = 1\n\ny\n```\n", description: words })
      assert.strictEqual(cells[0]!.code, "x = 1\n\ny")
      assert.include(answer.text, "Markdown fence")
      const code = 's = """\n```\n"""\r\n\tx\u2028'
      yield* surface.dispatch("eval", { code, description: words })
      assert.strictEqual(cells[1]!.code, code)
    })
  )

  it.effect("carries the value on a failure, with the code of its kind", () =>
    Effect.gen(function* () {
      const endings: ReadonlyArray<readonly [Ran["ending"], string | undefined, string]> = [
        [{ status: "exit", code: 0 }, undefined, "kept"],
        [{ status: "exit", code: 2 }, "cell_failed", "kept"],
        [{ status: "error" }, "cell_failed", "kept"],
        [{ status: "interrupted", why: "w.", isTimeout: false }, "cell_failed", "kept"],
        [{ status: "interrupted", why: "w.", isTimeout: true }, "timed_out", "kept"],
        [{ status: "died", why: "w.", isTimeout: true }, "timed_out", "lost"],
        [{ status: "died", why: "w.", isTimeout: false }, "kernel_died", "lost"]
      ]
      for (const [ending, code, state] of endings) {
        const { surface } = yield* run({ ending, outputs: [{ kind: "stdout", text: "said" }] })
        const answer = yield* surface.dispatch("eval", { code: "1", description: words })
        assert.strictEqual(answer.isFailure ? answer.code : undefined, code)
        const value = answer.value as { readonly outputs: unknown; readonly ok: boolean; readonly state: string }
        assert.deepStrictEqual(value.outputs, [{ kind: "stdout", text: "said" }])
        assert.strictEqual(value.ok, code === undefined)
        assert.strictEqual(value.state, state)
        assert.include(answer.text, state === "lost" ? "State lost" : "State kept")
      }
    })
  )

  it.effect("tells a model the best of each display", () =>
    Effect.gen(function* () {
      const { surface } = yield* run({
        outputs: [
          { kind: "stdout", text: "a" },
          { kind: "stderr", text: "b\n" },
          { kind: "display", data: { "text/html": "<table>", "text/markdown": "| x |", "text/plain": "x" } },
          { kind: "display", data: { "image/jpeg": "AAAA", "text/plain": "<Figure>" } },
          { kind: "display", data: { "application/json": { a: 1 } }, display_id: "p", update: true },
          { kind: "result", data: { "text/plain": "42" } }
        ]
      })
      const { text } = yield* surface.dispatch("eval", { code: "1", description: words })
      assert.strictEqual(
        text,
        'a\n[stderr]\nb\n[stdout]\n| x |\n[image/jpeg, 3 bytes]\n[display p is now] {\n "a": 1\n}\n42\nDone in 3 ms. State kept.'
      )
    })
  )
})
