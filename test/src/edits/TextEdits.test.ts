import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { Encoding, Position } from "../../../src/edits/Positions.ts"
import * as TextEdits from "../../../src/edits/TextEdits.ts"
import { naive } from "./naive.ts"

const at = (line: number, character: number): Position => ({ line, character })
const edit = (from: readonly [number, number], to: readonly [number, number], newText: string): TextEdits.TextEdit => ({
  range: { start: at(...from), end: at(...to) },
  newText
})
const insert = (place: readonly [number, number], newText: string) => edit(place, place, newText)
const apply = (text: string, edits: ReadonlyArray<TextEdits.TextEdit>, encoding: Encoding = "utf-16") =>
  Result.getOrThrowWith(TextEdits.apply(text, edits, encoding), (reason) => new Error(reason))
const reason = (text: string, edits: ReadonlyArray<TextEdits.TextEdit>, encoding: Encoding = "utf-16") =>
  Result.getOrThrow(Result.flip(TextEdits.apply(text, edits, encoding)))

describe("apply", () => {
  it("takes all edits as made for the text before any", () => {
    assert.strictEqual(
      apply("abc\ndef\n", [edit([1, 0], [1, 3], "X"), edit([0, 0], [0, 3], "long text")]),
      "long text\nX\n"
    )
  })
  it("keeps the order of inserts at one place (L27), identical ones too", () => {
    assert.strictEqual(apply("ab", [insert([0, 1], "1"), insert([0, 1], "2"), insert([0, 1], "3")]), "a123b")
    assert.strictEqual(apply("ab", [insert([0, 1], ")"), insert([0, 1], ")")]), "a))b")
  })
  it("puts a replacement after the inserts at its start, wherever it stands (C82)", () => {
    const edits = [edit([0, 1], [0, 2], "X"), insert([0, 1], "1"), insert([0, 1], "2")]
    assert.strictEqual(apply("abc", edits), "a12Xc")
  })
  it("drops a replacement that is given twice (L26)", () => {
    assert.strictEqual(apply("a old b", [edit([0, 2], [0, 5], "new"), edit([0, 2], [0, 5], "new")]), "a new b")
  })
  it("takes edits that touch, and refuses those that overlap, naming the line", () => {
    assert.strictEqual(
      apply("abcd", [edit([0, 0], [0, 2], "1"), edit([0, 2], [0, 4], "2"), insert([0, 2], "-")]),
      "1-2"
    )
    for (const edits of [
      [edit([1, 0], [1, 2], "x"), edit([1, 1], [1, 3], "y")],
      [edit([1, 0], [1, 2], "x"), edit([1, 0], [1, 2], "y")],
      [edit([1, 0], [1, 3], "x"), insert([1, 1], "y")]
    ]) {
      assert.include(reason("\nabc", edits), "overlap in line 2")
    }
  })
  it("clamps a character past the end of its line, before the line's end", () => {
    assert.strictEqual(apply("ab\r\ncd", [insert([0, 99], "!")]), "ab!\r\ncd")
    assert.strictEqual(apply("ab\ncd", [insert([0, 99], "!"), insert([1, 99], "?")]), "ab!\ncd?")
    assert.strictEqual(apply("ab\rcd", [insert([0, 3], "!")]), "ab!\rcd")
  })
  it("takes the end of the text one line past the last, and any end past it", () => {
    assert.strictEqual(apply("a\nb", [edit([0, 0], [2, 0], "x")]), "x")
    assert.strictEqual(apply("a\nb", [edit([0, 0], [Number.MAX_SAFE_INTEGER, 0], "x")]), "x")
    assert.strictEqual(apply("a\n", [insert([1, 0], "b\n")]), "a\nb\n")
    assert.strictEqual(apply("", [insert([0, 0], "a")]), "a")
  })
  it("refuses a range that begins past the end, that is reversed, or that is no range", () => {
    assert.include(reason("a\nb", [insert([3, 0], "x")]), "past the end of the text, which has 2 lines")
    assert.include(reason("abc", [edit([0, 2], [0, 1], "x")]), "ends before it begins")
    assert.include(reason("a\nb", [edit([1, 0], [0, 1], "x")]), "ends before it begins")
    for (const bad of [-1, 0.5, Number.NaN]) assert.include(reason("abc", [insert([0, bad], "x")]), "not a position")
    assert.include(reason("abc", [{ start: 2, end: 1, newText: "" }]), "ends before it begins")
    assert.include(reason("abc", [{ start: 0, end: 4, newText: "" }]), "not inside the text")
  })
  it("counts in the encoding that was agreed (B64)", () => {
    const text = "ä🎉x = 🎉\n"
    const x: Readonly<Record<Encoding, number>> = { "utf-8": 6, "utf-16": 3, "utf-32": 2 }
    for (const encoding of ["utf-8", "utf-16", "utf-32"] as const) {
      assert.strictEqual(
        apply(text, [edit([0, x[encoding]], [0, x[encoding] + 1], "name")], encoding),
        "ä🎉name = 🎉\n"
      )
    }
  })
  it("refuses to cut a character in two", () => {
    assert.include(reason("🎉", [insert([0, 1], "x")]), "inside a character")
    assert.include(reason("🎉", [{ start: 1, end: 2, newText: "x" }]), "inside a character")
    for (const character of [1, 2, 3])
      assert.include(reason("🎉", [insert([0, character], "x")], "utf-8"), "inside a character")
    assert.include(reason("abc", [insert([0, 1], "\ud83c")]), "surrogate")
  })
  it("takes offsets of UTF-16 units, whatever the encoding of positions", () => {
    assert.strictEqual(apply("ä🎉x", [{ start: 3, end: 4, newText: "y" }, insert([0, 2], "-")], "utf-8"), "ä-🎉y")
  })
})

const pieces = ["a", "b", "ä", "漢", "🎉", " ", "\n", "\r\n", "\r", "\t", "\u2028"]

describe("any edits of any text", () => {
  // A small generator of its own, since ranges must fit the text that was generated.
  const random = (seed: number) => () => (seed = (seed * 1664525 + 1013904223) >>> 0) / 2 ** 32
  for (const encoding of ["utf-8", "utf-16", "utf-32"] as const) {
    it(`gives what a naive reference gives, in ${encoding}`, () => {
      let applied = 0
      for (let seed = 1; seed <= 3000; seed++) {
        const next = random(seed)
        const int = (below: number) => Math.floor(next() * below)
        const text = Array.from({ length: int(30) }, () => pieces[int(pieces.length)]!).join("")
        const edits = Array.from({ length: 1 + int(4) }, () => {
          const [a, b] = [at(int(6), int(8)), at(int(6), int(8))]
          const [start, end] = a.line < b.line || (a.line === b.line && a.character <= b.character) ? [a, b] : [b, a]
          return {
            range: int(3) === 0 ? { start, end: start } : { start, end },
            newText: Array.from({ length: int(3) }, () => pieces[int(pieces.length)]!).join("")
          }
        })
        const expected = naive(text, edits, encoding)
        const found = TextEdits.apply(text, edits, encoding)
        assert.strictEqual(
          Result.isSuccess(found),
          expected !== undefined,
          JSON.stringify({ text, edits, found, expected })
        )
        if (Result.isSuccess(found)) {
          assert.strictEqual(found.success, expected, JSON.stringify({ text, edits }))
          applied++
        }
      }
      assert.isAbove(applied, 500)
    })
  }
})

describe("many edits", () => {
  const replacements = (count: number, perLine: number) => {
    const text = Array.from(
      { length: count },
      (_, i) => `${"x".repeat(98)}é${i % perLine === perLine - 1 ? "\n" : " "}`
    ).join("")
    const edits = Array.from({ length: count }, (_, i) => {
      const [line, character] = [Math.floor(i / perLine), (i % perLine) * 100 + 10]
      return edit([line, character], [line, character + 5], "renamed")
    })
    return { text, edits }
  }
  /** The best of some runs, in milliseconds. */
  const time = (run: () => void) => {
    const once = () => {
      const start = performance.now()
      run()
      return performance.now() - start
    }
    return Math.min(once(), once(), once(), once())
  }
  for (const [what, perLine] of [
    ["of short lines", 1],
    ["in one line", Number.MAX_SAFE_INTEGER]
  ] as const) {
    it(`take time linear in their number, in a text ${what}`, () => {
      const [small, large] = [replacements(10_000, perLine), replacements(80_000, perLine)]
      assert.isAtLeast(small.text.length, 1_000_000)
      assert.strictEqual(apply(small.text, small.edits, "utf-32").length, small.text.length + 20_000)
      const [less, more] = [small, large].map(({ edits, text }) => time(() => apply(text, edits, "utf-32")))
      // Eight times as many: 8 when linear, 64 when quadratic.
      assert.isBelow(more! / less!, 25)
    })
  }
})
