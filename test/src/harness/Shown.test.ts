import { assert, describe, it } from "@effect/vitest"
import * as Shown from "../../../src/harness/Shown.ts"

describe("what a cancelled call had shown", () => {
  it("is its end, with how much came before", () => {
    const shown = Shown.tail()
    shown.push("one\n")
    assert.strictEqual(shown.text(), "one\n")
    shown.push("x".repeat(Shown.maxShown - 1))
    shown.push("end")
    assert.strictEqual(shown.text(), `[… 6 characters before this …]\n${"x".repeat(Shown.maxShown - 3)}end`)
  })

  it("has a last line, whole where it came in parts, and what stands there where it was written over", () => {
    const shown = Shown.tail()
    assert.strictEqual(shown.lastLine(), "")
    for (const part of ["row", " ", "2", "\n"]) shown.push(part)
    assert.strictEqual(shown.lastLine(), "row 2")
    shown.push(" 10%\r 20%\r")
    assert.strictEqual(shown.lastLine(), " 20%")
  })

  it("is said for a person, if there is any", () => {
    assert.strictEqual(Shown.cancelled("eval", "1\n2\n"), "eval was cancelled. It had shown:\n1\n2")
    assert.strictEqual(Shown.cancelled("eval", " \n"), "eval was cancelled.")
  })
})
