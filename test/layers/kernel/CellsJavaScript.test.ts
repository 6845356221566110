/** The JavaScript cells of `test/cases/kernel-open.json`, by id, through the whole of `eval`. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Budget from "../../../src/Budget.ts"
import * as NodeKernels from "../../../layers/kernel/NodeKernels.ts"
import * as NodeProcesses from "../../../layers/process/NodeProcesses.ts"
import * as NodeWorkspace from "../../../layers/workspace/NodeWorkspace.ts"
import { evalTool } from "../../../src/kernel/Eval.ts"
import type { Value } from "../../../src/kernel/Value.ts"
import * as Surface from "../../../src/Surface.ts"
import { folder } from "../../support/Cli.ts"
import { cases, check, isInterrupted, type Seen } from "../../support/JavaScriptCells.ts"

const seen = ({ outputs }: Value): Seen => {
  const text = (kind: "stdout" | "stderr") =>
    outputs.map((output) => (output.kind === kind ? output.text : "")).join("")
  const data = (output: Value["outputs"][number]) =>
    output.kind === "result" || output.kind === "display" ? String(output.data["text/plain"]) : undefined
  const result = outputs.findLast(({ kind }) => kind === "result")
  return {
    stdout: text("stdout"),
    stderr: text("stderr"),
    order: outputs.map((output) => `${output.kind}:${"text" in output ? output.text : (data(output) ?? "")}`),
    result: result && data(result),
    error: outputs.find((output) => output.kind === "error")
  }
}

describe("cells of JavaScript through eval", () => {
  it.live.each(cases)("$id $what", ({ cells, id }) =>
    Effect.gen(function* () {
      const { root } = yield* Effect.acquireRelease(
        Effect.sync(() => folder({})),
        ({ remove }) => Effect.sync(remove)
      )
      const context = yield* Layer.build(
        NodeKernels.layer({
          isTrusted: true,
          ...(isInterrupted.has(id) ? { outer: Budget.after("2 seconds") } : {})
        }).pipe(Layer.provide(Layer.mergeAll(NodeProcesses.layer(), NodeWorkspace.layer({ root }))))
      )
      const surface = yield* Effect.provideContext(Surface.make([evalTool]), context)
      const done: Array<Seen> = []
      for (const [index, code] of cells.entries()) {
        const answer = yield* surface.call("eval", {
          code,
          description: "a case of the collection, by id",
          language: "javascript"
        })
        const value = answer.value as Value
        if (isInterrupted.has(id) && index === 1) assert.strictEqual(value.status, "interrupted", answer.text)
        assert.strictEqual(value.state, "kept")
        done.push(seen(value))
      }
      check(id, done)
    })
  )

  it.live("one that runs on in the background, or kills its process, is told of as it is", () =>
    Effect.gen(function* () {
      const { root } = yield* Effect.acquireRelease(
        Effect.sync(() => folder({})),
        ({ remove }) => Effect.sync(remove)
      )
      const context = yield* Layer.build(
        NodeKernels.layer({ isTrusted: true }).pipe(
          Layer.provide(Layer.mergeAll(NodeProcesses.layer(), NodeWorkspace.layer({ root })))
        )
      )
      const surface = yield* Effect.provideContext(Surface.make([evalTool]), context)
      const answer = (code: string) =>
        surface.call("eval", { code, description: "a case that is told of", language: "javascript" })
      yield* answer("const kept = 41; setInterval(() => { while (true) {} }, 1); 1")
      const next = yield* answer("kept + 1")
      assert.match(next.text, /^42\nNote: a callback of setInterval that cell 1 started ran on in the background/)
      assert.include(next.text, "State kept")
      const killed = yield* answer("console.log('printed'); process.kill(process.pid, 'SIGKILL')")
      assert.match(killed.text, /^printed\nThe interpreter is gone/)
    })
  )
})
