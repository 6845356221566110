import { assert, describe, it } from "@effect/vitest"
import * as Pipes from "../../../layers/process/Pipes.ts"

describe("the tail of a stream", () => {
  it("is what a slice of the whole would be, whatever the sizes of the chunks", () => {
    for (const capacity of [0, 1, 7, 64, 1000]) {
      for (let round = 0; round < 200; round++) {
        const tail = Pipes.tail(capacity)
        let whole = ""
        for (let i = 0; i < Math.random() * 20; i++) {
          const chunk = String.fromCharCode(97 + (i % 26)).repeat(Math.random() * capacity * 1.5)
          whole += chunk
          tail.push(new TextEncoder().encode(chunk))
          assert.strictEqual(tail.text(), whole.slice(Math.max(0, whole.length - capacity)))
        }
      }
    }
  })

  it("begins with a whole character", () => {
    const tail = Pipes.tail(10)
    tail.push(new TextEncoder().encode("😀😀😀"))
    assert.strictEqual(tail.text(), "😀😀")
    tail.push(new TextEncoder().encode("éx"))
    assert.strictEqual(tail.text(), "😀éx")
  })
})
