import { assert, describe, it } from "@effect/vitest"
import * as OutputRing from "../../../src/debug/OutputRing.ts"

const texts = ({ entries }: OutputRing.Read) => entries.map(({ category, text }) => `${category}:${text}`)

describe("the ring", () => {
  it("reads on where the last reader stopped, also inside of what still grows", () => {
    const ring = OutputRing.make()
    ring.push("stdout", "abc")
    assert.strictEqual(ring.unread(), 3)
    assert.deepStrictEqual(texts(ring.read(2)), ["stdout:ab"])
    ring.push("stdout", "def")
    assert.deepStrictEqual(ring.read(100), { entries: [{ category: "stdout", text: "cdef" }], dropped: 0, left: 0 })
    ring.push("stdout", "g")
    ring.push("stderr", "h")
    ring.push("stdout", "i")
    assert.deepStrictEqual(texts(ring.read(100)), ["stdout:g", "stderr:h", "stdout:i"])
    assert.deepStrictEqual(ring.read(100), { entries: [], dropped: 0, left: 0 })
  })

  it("keeps what fits, newest last, and counts what was lost unread", () => {
    const ring = OutputRing.make(10_000)
    for (let i = 0; i < 50; i++) ring.push(i % 2 === 0 ? "stdout" : "stderr", String(i % 10).repeat(1000))
    const { dropped, entries, left } = ring.read(1_000_000)
    assert.strictEqual(dropped, 40_000)
    assert.strictEqual(left, 0)
    assert.strictEqual(entries.map(({ text }) => text[0]).join(""), "0123456789")
    ring.push("stdout", "x".repeat(9000))
    assert.strictEqual(ring.read(1_000_000).dropped, 0)
  })

  it("62 no half of a character comes out, whatever the pieces and cuts", () => {
    const ring = OutputRing.make()
    ring.push("stdout", "a\ud83d")
    ring.push("stderr", "between")
    ring.push("stdout", "\ude00b\udc00c")
    assert.deepStrictEqual(texts(ring.read(100)), ["stdout:a", "stderr:between", "stdout:😀b\ufffdc"])
    ring.push("stdout", "😀".repeat(5000))
    let whole = ""
    for (let size = 1; whole.length < 10_000; size = (size % 7) + 2)
      whole += texts(ring.read(size)).join("").replace("stdout:", "")
    assert.strictEqual(whole, "😀".repeat(5000))
  })

  it("66 without escape sequences, also those that came in pieces", () => {
    const ring = OutputRing.make()
    for (const piece of ["\u001b[", "1;31mred", "\u001b[0m \u001b]0;title\u0007x\u001b(B", "\r\n"])
      ring.push("stdout", piece)
    assert.deepStrictEqual(texts(ring.read(100)), ["stdout:red x\n"])
  })

  it("the tail is of some categories, bounded, and not counted as read", () => {
    const ring = OutputRing.make()
    ring.push("stdout", "one\n")
    ring.push("console", "noise\n")
    ring.push("stderr", "two\n")
    assert.deepStrictEqual(ring.tail(6, ["stdout", "stderr"]), [
      { category: "stdout", text: "e\n" },
      { category: "stderr", text: "two\n" }
    ])
    assert.strictEqual(ring.unread(), 14)
    ring.clear()
    assert.strictEqual(ring.unread(), 0)
    assert.deepStrictEqual(ring.tail(6, ["stdout"]), [])
  })

  it("63 many small pieces of changing category stay bounded in number too", () => {
    const ring = OutputRing.make()
    for (let i = 0; i < 100_000; i++) ring.push(i % 2 === 0 ? "stdout" : "stderr", "x")
    const { dropped, entries } = ring.read(1_000_000)
    assert.strictEqual(dropped + entries.length, 100_000)
    assert.isAtMost(entries.length, 8192)
  })
})
