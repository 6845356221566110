import { assert, describe, it } from "@effect/vitest"
import * as TextPositions from "../../../src/lsp/TextPositions.ts"

const encodings = ["utf-8", "utf-16", "utf-32"] as const

const pieces = [
  "a",
  "é",
  "世",
  "😀",
  "👩‍👩‍👧",
  "e\u0301",
  "\t",
  "\u{FEFF}",
  "\n",
  "\r\n",
  "\r",
  "\u2028",
  "\u0085",
  "\f",
  "xyz"
]

/** A pseudo-random text; the seed makes it the same each time. */
const textOf = (seed: number) => {
  let state = seed
  const next = () => {
    state = (state * 1103515245 + 12345) % 2147483648
    return state
  }
  return Array.from({ length: (next() % 30) + 1 }, () => pieces[next() % pieces.length]!).join("")
}

/** The same by the letter of the protocol, slow. */
const reference = {
  lines: (text: string) => {
    const lines: Array<{ start: number; content: string }> = []
    let start = 0
    for (const match of text.matchAll(/\r\n|\n|\r/g)) {
      lines.push({ start, content: text.slice(start, match.index) })
      start = match.index + match[0].length
    }
    return [...lines, { start, content: text.slice(start) }]
  },
  units: (text: string, encoding: TextPositions.Encoding) =>
    encoding === "utf-8" ? Buffer.byteLength(text) : encoding === "utf-16" ? text.length : [...text].length
}

describe("TextPositions", () => {
  it("C45 every place goes there and back in each encoding", () => {
    for (let seed = 1; seed <= 300; seed++) {
      const text = textOf(seed)
      const indexed = TextPositions.index(text)
      for (const encoding of encodings) {
        reference.lines(text).forEach(({ content, start }, line) => {
          let before = ""
          for (const point of [...content, ""]) {
            const position = { line, character: reference.units(before, encoding) }
            const offset = start + before.length
            const where = `${JSON.stringify(text)} ${encoding} ${JSON.stringify(position)}`
            assert.deepStrictEqual(TextPositions.toPosition(indexed, offset, encoding), position, where)
            assert.strictEqual(TextPositions.toOffset(indexed, position, encoding), offset, where)
            before += point
          }
        })
      }
    }
  })

  it("C45 two emoji before a symbol", () => {
    const text = `const a = "😀😀"; const target = 1`
    const indexed = TextPositions.index(text)
    const at = text.indexOf("target")
    assert.deepStrictEqual(
      encodings.map((encoding) => TextPositions.toPosition(indexed, at, encoding).character),
      [at + 4, at, at - 2]
    )
  })

  it("C46 a character beyond the line is its end, a line beyond the text is the text's end", () => {
    const indexed = TextPositions.index("ab\r\ncd")
    for (const encoding of encodings) {
      assert.strictEqual(TextPositions.toOffset(indexed, { line: 0, character: 99 }, encoding), 2)
      assert.strictEqual(TextPositions.toOffset(indexed, { line: 9, character: 0 }, encoding), 6)
      assert.strictEqual(TextPositions.toOffset(indexed, { line: -1, character: 1.5 }, encoding), 0)
    }
  })

  it("C46 a position inside a character is its begin", () => {
    const indexed = TextPositions.index("a😀b")
    assert.strictEqual(TextPositions.toOffset(indexed, { line: 0, character: 2 }, "utf-16"), 1)
    for (const character of [2, 3, 4]) {
      assert.strictEqual(TextPositions.toOffset(indexed, { line: 0, character }, "utf-8"), 1)
    }
    assert.deepStrictEqual(TextPositions.toPosition(indexed, 2, "utf-8"), { line: 0, character: 1 })
  })

  it("C47 only \\n, \\r\\n and \\r end a line, and nothing lies inside \\r\\n", () => {
    const indexed = TextPositions.index("a\u2028\u0085\fb\r\nc\rd")
    assert.deepStrictEqual(indexed.starts, [0, 7, 9])
    assert.deepStrictEqual(TextPositions.toPosition(indexed, 6, "utf-16"), { line: 0, character: 5 })
    assert.strictEqual(TextPositions.lineText(indexed, 0), "a\u2028\u0085\fb")
    assert.strictEqual(TextPositions.lineText(indexed, 2), "d")
    assert.strictEqual(TextPositions.lineText(indexed, 3), undefined)
  })

  it("a span is 1-based, and without the text what the server counted", () => {
    const range = { start: { line: 0, character: 5 }, end: { line: 0, character: 6 } }
    assert.deepStrictEqual(TextPositions.toSpan(TextPositions.index("a😀b"), range, "utf-8"), {
      line: 1,
      column: 4,
      endLine: 1,
      endColumn: 5
    })
    assert.deepStrictEqual(TextPositions.toSpan(undefined, range, "utf-8"), {
      line: 1,
      column: 6,
      endLine: 1,
      endColumn: 7
    })
  })
})
