import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as NodeWorkspace from "../../../layers/workspace/NodeWorkspace.ts"
import * as Conversation from "../../../src/Conversation.ts"
import { debug } from "../../../src/debug/Debug.ts"
import { type Debugger, Debuggers } from "../../../src/debug/Debuggers.ts"
import * as Text from "../../../src/debug/Text.ts"
import * as Surface from "../../../src/Surface.ts"

const unasked = Effect.die(new Error("nothing is to be asked"))
const port: Debugger = {
  adapters: unasked,
  status: Effect.succeed({ state: "none" }),
  setBreakpoints: () => unasked,
  launch: () => unasked,
  attach: () => unasked,
  resume: () => unasked,
  pause: () => unasked,
  threads: unasked,
  stack: () => unasked,
  scopes: () => unasked,
  variables: () => unasked,
  setVariable: () => unasked,
  evaluate: () => unasked,
  output: unasked,
  restart: unasked,
  terminate: unasked
}

const dispatch = (params: object, of: Debugger = port) =>
  Effect.scoped(Effect.flatMap(Surface.make([debug]), (surface) => surface.dispatch("debug", params))).pipe(
    Effect.provide(
      Layer.mergeAll(
        NodeWorkspace.layer({ root: import.meta.dirname }),
        Conversation.layer("c"),
        Layer.succeed(Debuggers, { of: () => Effect.succeed(of) })
      )
    ),
    Effect.orDie
  )

describe("the parameters of debug", () => {
  const wrong: ReadonlyArray<readonly [object, RegExp]> = [
    [{}, /`op` is missing/],
    [{ op: "fly" }, /`op`/],
    [{ op: "status", file: "x" }, /`file` is not used by op `status`, which takes nothing else/],
    [
      { op: "continue", frame_id: 1 },
      /`frame_id` is not used by op `continue`, which takes `thread_id`, `until`, `wait_seconds`/
    ],
    [{ op: "scopes" }, /`frame_id` is missing: op `scopes` needs `frame_id`/],
    [{ op: "variables" }, /`reference` is missing/],
    [{ op: "evaluate" }, /`expression` is missing/],
    [{ op: "attach" }, /`port` is missing/],
    [{ op: "attach", port: 70_000 }, /`port`/],
    [{ op: "launch" }, /takes one of `program` and `module`; neither is given/],
    [{ op: "launch", program: "a", module: "b" }, /both are given/],
    [{ op: "launch", program: "Debug.test.ts", stop_on_entry: true }, /`stop_on_entry` is not a parameter/],
    [{ op: "breakpoints" }, /none is given/],
    [{ op: "breakpoints", file: "Debug.test.ts" }, /`file` without `lines`/],
    [{ op: "breakpoints", lines: [1] }, /`lines` without `file`/],
    [{ op: "breakpoints", file: "Debug.test.ts", lines: [0] }, /`lines\[0\]`|`lines.*0/],
    [{ op: "breakpoints", file: "Debug.test.ts", lines: [1.5] }, /`lines/],
    [{ op: "breakpoints", file: "Debug.test.ts", lines: [2, 2] }, /`lines` has 2 twice/],
    [
      { op: "breakpoints", file: "Debug.test.ts", lines: [1, 2], conditions: ["x"] },
      /`conditions` has 1 entries and `lines` 2/
    ],
    [{ op: "breakpoints", file: ".", lines: [1] }, /is not a file/],
    [{ op: "continue", until: "a.py" }, /`until` is `file:line`/],
    [{ op: "continue", wait_seconds: -1 }, /`wait_seconds`/]
  ]
  for (const [params, expected] of wrong) {
    it.effect(`${JSON.stringify(params)} is refused`, () =>
      Effect.gen(function* () {
        const answer = yield* dispatch(params)
        assert.isTrue(answer.isFailure)
        if (!answer.isFailure) return
        assert.strictEqual(answer.code, "invalid_params")
        assert.match(answer.text, expected)
      })
    )
  }

  it.effect("what is given is decoded, paths are resolved and shown again", () =>
    Effect.gen(function* () {
      const asked: Array<unknown> = []
      const of: Debugger = {
        ...port,
        setBreakpoints: (change) => {
          asked.push(change)
          return Effect.succeed({
            state: "none",
            breakpoints: (change.file?.wanted ?? []).map(({ line }) => ({
              path: change.file!.path,
              line,
              verified: line === 1,
              bound_line: 2,
              ...(line === 1 ? {} : { message: "no code there" })
            }))
          })
        }
      }
      const answer = yield* dispatch(
        { op: "breakpoints", file: "./Debug.test.ts", lines: [1, 2], conditions: ["x", " "] },
        of
      )
      assert.deepStrictEqual(asked, [
        {
          file: {
            path: `${import.meta.dirname}/Debug.test.ts`,
            wanted: [
              { line: 1, condition: "x", hitCondition: undefined, logMessage: undefined },
              { line: 2, condition: undefined, hitCondition: undefined, logMessage: undefined }
            ]
          },
          functions: undefined,
          exceptions: undefined
        }
      ])
      assert.strictEqual(
        answer.text,
        "Breakpoints:\n  Debug.test.ts:1  set, bound at line 2\n  Debug.test.ts:2  pending: no code there"
      )
    })
  )
})

describe("the texts of debug", () => {
  it("status and ended", () => {
    assert.strictEqual(
      Text.text(
        {
          state: "running",
          adapter: "debugpy",
          program: "a.py",
          seconds_left: 61,
          exceptions: "all",
          functions: [{ name: "f", verified: false, message: "pending" }],
          output_left: 12
        },
        { op: "status" }
      ),
      "Running.\nSession: debugpy, launched a.py, 2 min left.\nFunction breakpoints:\n  f  pending: pending\n" +
        "Exceptions that stop the program: all.\n12 bytes of new output: op `output`."
    )
    assert.strictEqual(
      Text.text(
        { state: "ended", exit_code: 1, output: [{ category: "stderr", text: "boom\n" }], notes: ["a", "b"] },
        { op: "continue" }
      ),
      "Ended: exit code 1.\nThe end of its output:\n[stderr] boom\nNote: a\nNote: b"
    )
  })
})
