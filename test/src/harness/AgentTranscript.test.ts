import { assert, describe, it } from "@effect/vitest"
import * as AgentTranscript from "../../../src/harness/AgentTranscript.ts"

const call = (id: string, path: string) => ({ type: "call", id, tool: "read", params: { path } }) as const
const answer = (id: string, text: string) =>
  ({ type: "answer", id, tool: "read", answer: { isFailure: false, text, value: text } }) as const

describe("the transcript of an agent", () => {
  it("says of an answer that is not right below its call which call it belongs to", () => {
    const render = AgentTranscript.make()
    const shown = [
      render(call("1", "a")),
      render(answer("1", "A")),
      render(call("2", "b")),
      render(call("3", "c")),
      render(answer("3", "C")),
      render(answer("2", "B\nB")),
      render(call("4", "d")),
      render(call("4", "e"), "worker_1"),
      render(answer("4", "D")),
      render({ type: "said", text: "Hm" }, "worker_1"),
      render({ type: "note", text: "one\ntwo" }, "worker_1"),
      render({ ...answer("4", "gone"), answer: { isFailure: true, code: "not_found", text: "gone" } }, "worker_1")
    ]
    assert.deepStrictEqual(shown.join("").split("\n"), [
      '> read {"path":"a"}',
      "  A",
      '> read {"path":"b"}',
      '> read {"path":"c"}',
      "  C",
      '< read {"path":"b"}',
      "  B",
      "  B",
      '> read {"path":"d"}',
      '[worker_1] > read {"path":"e"}',
      '< read {"path":"d"}',
      "  D",
      "[worker_1] Hm",
      "[worker_1] (one",
      "[worker_1] two)",
      '[worker_1] < read {"path":"e"}',
      "[worker_1]   not_found: gone",
      ""
    ])
  })

  it("shows what a cancelled call had shown, its end", () => {
    const render = AgentTranscript.make()
    const cancelled = (shown: string) =>
      render({ type: "cancelled", id: "1", tool: "read", shown }, "worker_1").split("\n")
    assert.deepStrictEqual(
      [render(call("1", "a"), "worker_1"), ...cancelled("")],
      ['[worker_1] > read {"path":"a"}\n', "[worker_1]   cancelled.", ""]
    )
    assert.deepStrictEqual(cancelled(Array.from({ length: 30 }, (_, n) => `${n}\n`).join("")), [
      "[worker_1] < read",
      "[worker_1]   cancelled. It had shown:",
      "[worker_1]   … 10 lines before",
      ...Array.from({ length: 20 }, (_, n) => `[worker_1]   ${n + 10}`),
      ""
    ])
  })
})
