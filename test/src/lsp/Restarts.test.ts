import { assert, describe, it } from "@effect/vitest"
import * as Policy from "../../../src/lsp/Policy.ts"
import * as Restarts from "../../../src/lsp/Restarts.ts"

const make = () => Restarts.make({ ...Policy.defaults, restarts: { times: 3, within: "1 minute", pause: "1 second" } })

describe("Restarts", () => {
  it("C29 pauses double, and after too many in a time there are no more for a while", () => {
    const restarts = make()
    assert.deepStrictEqual(restarts.verdict("k", 0), { _tag: "Now" })
    restarts.crashed("k", "it exited with code 1", 0)
    assert.deepStrictEqual(restarts.verdict("k", 0), { _tag: "Pause", millis: 1000 })
    assert.deepStrictEqual(restarts.verdict("k", 1000), { _tag: "Now" })
    restarts.crashed("k", "it exited with code 1", 2000)
    assert.deepStrictEqual(restarts.verdict("k", 2000), { _tag: "Pause", millis: 2000 })
    restarts.crashed("k", "it exited with code 1", 10_000)
    assert.deepStrictEqual(restarts.verdict("k", 20_000), {
      _tag: "No",
      reason:
        "it ended 3 times in 60 s, last: it exited with code 1; it is started again in 40 s, or at once with reload",
      isStart: false
    })
    assert.deepStrictEqual(restarts.verdict("other", 20_000), { _tag: "Now" })
    assert.deepStrictEqual(restarts.verdict("k", 60_000), { _tag: "Now" })
    assert.strictEqual(restarts.count("k", 60_000), 2)
  })

  it("C30 a start that failed is remembered for a short time, or until it is forgotten", () => {
    const restarts = make()
    restarts.failed("k", "there is no file x", 0)
    assert.deepStrictEqual(restarts.verdict("k", 10_000), {
      _tag: "No",
      reason: "there is no file x; it is tried again in 20 s, or at once with reload",
      isStart: true
    })
    assert.deepStrictEqual(restarts.verdict("k", 30_000), { _tag: "Now" })
    restarts.failed("k", "still none", 30_000)
    restarts.forget("k")
    assert.deepStrictEqual(restarts.verdict("k", 30_000), { _tag: "Now" })
  })
})
