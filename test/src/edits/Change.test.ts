import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as Change from "../../../src/edits/Change.ts"
import * as TextEdits from "../../../src/edits/TextEdits.ts"

const ofEdits = (before: string, given: ReadonlyArray<TextEdits.Span>, bounds: Partial<Change.Bounds> = {}) => {
  const spans = Result.getOrThrow(TextEdits.order(before, given))
  return Change.changes(
    { before, after: TextEdits.splice(before, spans), spans },
    { ...Change.defaultBounds, ...bounds }
  )
}
const ofTexts = (before: string, after: string, bounds: Partial<Change.Bounds> = {}) =>
  Change.changes({ before, after }, { ...Change.defaultBounds, ...bounds })

describe("changes of edits", () => {
  it("are whole lines before and after, 1-based in the old text", () => {
    const text = "one\ntwo\nthree\nfour\n"
    const { changes } = ofEdits(text, [
      { start: 14, end: 18, newText: "FOUR\nfive" },
      { start: 1, end: 2, newText: "N" }
    ])
    assert.deepStrictEqual(changes, [
      { line: 1, before: ["one"], after: ["oNe"] },
      { line: 4, before: ["four"], after: ["FOUR", "five"] }
    ])
  })
  it("join edits of one line, and of lines that an edit joins", () => {
    assert.deepStrictEqual(
      ofEdits("a b\nc d\n", [
        { start: 0, end: 1, newText: "A" },
        { start: 2, end: 5, newText: "-" },
        { start: 6, end: 7, newText: "D" }
      ]).changes,
      [{ line: 1, before: ["a b", "c d"], after: ["A - D"] }]
    )
  })
  it("leave out lines that stay: an inserted or deleted line stands alone", () => {
    assert.deepStrictEqual(ofEdits("a\nb\n", [{ start: 2, end: 2, newText: "new\n" }]).changes, [
      { line: 2, before: [], after: ["new"] }
    ])
    assert.deepStrictEqual(ofEdits("a\nb\nc\n", [{ start: 2, end: 4, newText: "" }]).changes, [
      { line: 2, before: ["b"], after: [] }
    ])
    assert.deepStrictEqual(ofEdits("a\n", [{ start: 2, end: 2, newText: "b\n" }]).changes, [
      { line: 2, before: [], after: ["b"] }
    ])
    assert.deepStrictEqual(ofEdits("a\nb\n", [{ start: 0, end: 1, newText: "a" }]).changes, [])
  })
  it("show a change of nothing but line ends", () => {
    assert.deepStrictEqual(ofTexts("a\r\nb", "a\nb\n").changes, [
      { line: 1, before: ["a\r\n", "b"], after: ["a\n", "b\n"] }
    ])
  })
  it("are bounded, and say what they leave out", () => {
    const text = Array.from({ length: 10 }, (_, i) => `${i}\n`).join("")
    const spans = Array.from({ length: 10 }, (_, i) => ({ start: i * 2, end: i * 2 + 1, newText: "x" }))
    const few = ofEdits(text, spans, { perFile: 3 })
    assert.strictEqual(few.changes.length, 3)
    assert.strictEqual(few.left_out, 7)
    assert.deepStrictEqual(ofTexts("", text, { lines: 2 }).changes, [
      { line: 1, before: [], after: ["0", "1"], left_out: 8 }
    ])
    assert.deepStrictEqual(ofTexts("abcdef", "x", { characters: 4 }).changes, [
      { line: 1, before: ["abcd… (2 more characters)"], after: ["x"] }
    ])
  })
})

describe("changes between texts", () => {
  it("are those of a comparison by lines", () => {
    assert.deepStrictEqual(ofTexts("a\nb\nc\nd\n", "a\nB\nc\nd\ne\n").changes, [
      { line: 2, before: ["b"], after: ["B"] },
      { line: 5, before: [], after: ["e"] }
    ])
    assert.deepStrictEqual(ofTexts("same\n", "same\n"), { changes: [], left_out: 0 })
  })
  it("are one change where the texts have nothing in common", () => {
    const lines = (prefix: string) => Array.from({ length: 3000 }, (_, i) => `${prefix}${i}\n`).join("")
    const { changes } = ofTexts(`top\n${lines("a")}end\n`, `top\n${lines("b")}end\n`)
    assert.strictEqual(changes.length, 1)
    assert.strictEqual(changes[0]!.line, 2)
    assert.strictEqual(changes[0]!.left_out, 2 * (3000 - Change.defaultBounds.lines))
  })
})
