import { assert, describe, it } from "@effect/vitest"
import * as Splice from "../../../src/kernel/Splice.ts"

const encoder = new TextEncoder()
const bytes = (text: string) => encoder.encode(text)
const mark = (seq: number, end = "") => `\0M:${seq}${end}\0`

const make = () => {
  const splice = Splice.make<{ readonly seq: number }>("M")
  return {
    ...splice,
    out: (text: string) => splice.read("stdout", bytes(text)),
    err: (text: string) => splice.read("stderr", bytes(text)),
    shown: () =>
      splice
        .take()
        .map((item) =>
          item.pipe === undefined ? `#${item.frame.seq}` : `${item.pipe[3] === "o" ? "o" : "e"}${item.text}`
        )
  }
}

describe("Splice", () => {
  it("gives every order of arrival the order of production", () => {
    // What the runner wrote, in its order: a, frame 1, b, switch 2, c (stderr), frame 3, d.
    const channels: ReadonlyArray<ReadonlyArray<readonly ["out" | "err" | "frame", string | number]>> = [
      [
        ["out", "a"],
        ["out", mark(1)],
        ["out", "b"],
        ["out", mark(2, "~")],
        ["out", mark(3)],
        ["out", "d"]
      ],
      [
        ["err", mark(1)],
        ["err", mark(2, "~")],
        ["err", "c"],
        ["err", mark(3)]
      ],
      [
        ["frame", 1],
        ["frame", 3]
      ]
    ]
    let seed = 1
    const random = (below: number) => (seed = (seed * 48271) % 2147483647) % below
    for (let round = 0; round < 500; round++) {
      const splice = make()
      const left = channels.map((channel) => [...channel])
      const shown: Array<string> = []
      while (left.some((channel) => channel.length > 0)) {
        const channel = left[random(3)]!
        const next = channel.shift()
        if (next === undefined) continue
        if (next[0] === "frame") splice.frame({ seq: Number(next[1]) })
        else splice[next[0]](String(next[1]))
        shown.push(...splice.shown())
      }
      assert.deepStrictEqual(shown, ["oa", "#1", "ob", "ec", "#3", "od"])
      assert.isUndefined(splice.waitsFor())
    }
  })

  it("finds a mark however it is cut, and takes nothing else for one", () => {
    const text = `x${mark(7)}\0M\0M:\0M:1x${mark(8, "~")}y\0`
    for (let size = 1; size <= text.length; size++) {
      const splice = make()
      splice.err(mark(7) + mark(8, "~"))
      splice.frame({ seq: 7 })
      for (let at = 0; at < text.length; at += size) splice.out(text.slice(at, at + size))
      splice.end("stdout")
      const shown = splice.take().map((item) => (item.pipe === undefined ? `#${item.frame.seq}` : item.text))
      assert.strictEqual(shown.join(""), "x#7\0M\0M:\0M:1xy\0")
    }
  })

  it("holds a frame until both pipes have come to it, and goes on without a pipe that is given up", () => {
    const splice = make()
    splice.out(`a${mark(1)}`)
    splice.frame({ seq: 1 })
    assert.deepStrictEqual(splice.shown(), ["oa"])
    assert.strictEqual(splice.waitsFor(), "mark")
    splice.giveUp()
    assert.deepStrictEqual(splice.shown(), ["#1"])
    splice.out(`b${mark(2)}`)
    splice.frame({ seq: 2 })
    assert.deepStrictEqual(splice.shown(), ["ob", "#2"])
    splice.err(`c${mark(3)}`)
    splice.frame({ seq: 3 })
    splice.out("d")
    assert.deepStrictEqual(splice.shown(), ["ec", "od"])
    assert.strictEqual(splice.waitsFor(), "mark")
    splice.out(mark(3))
    assert.deepStrictEqual(splice.shown(), ["#3"])
  })

  it("keeps frames of one number in their order, and what is behind their mark behind them", () => {
    const splice = make()
    splice.out(`a${mark(1)}b`)
    assert.deepStrictEqual(splice.shown(), ["oa"])
    splice.frame({ seq: 1 })
    splice.frame({ seq: 1 })
    assert.deepStrictEqual(splice.shown(), [])
    splice.err(`e${mark(1)}`)
    assert.deepStrictEqual(splice.shown(), ["ee", "#1", "#1", "ob"])
  })

  it("text behind a mark waits for its frame", () => {
    const splice = make()
    splice.out(`a${mark(1)}b`)
    splice.err(mark(1))
    assert.deepStrictEqual(splice.shown(), ["oa"])
    assert.strictEqual(splice.waitsFor(), "frame")
    splice.frame({ seq: 1 })
    assert.deepStrictEqual(splice.shown(), ["#1", "ob"])
  })
})
