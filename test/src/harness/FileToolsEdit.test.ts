import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { splice } from "../../../src/edits/TextEdits.ts"
import * as Passage from "../../../src/harness/Passage.ts"
import * as Replacement from "../../../src/harness/Replacement.ts"

const replace = (text: string, old: string, next: string, all = false): string => {
  const found = Replacement.find(text, { old, new: next, all })
  return Result.isSuccess(found) ? splice(text, found.success) : assert.fail(found.failure)
}

const refusal = (text: string, old: string, next = "new", all = false): string => {
  const found = Replacement.find(text, { old, new: next, all })
  return Result.isFailure(found)
    ? found.failure
    : assert.fail(`replaced: ${JSON.stringify(splice(text, found.success))}`)
}

describe("a replacement", () => {
  it("is of the one place where the text stands exactly", () => {
    assert.strictEqual(replace("a b c", "b", "x"), "a x c")
    assert.strictEqual(replace("one\ntwo\nthree\n", "two\n", ""), "one\nthree\n")
    assert.strictEqual(replace("$1 $& a", "a", "$&$1"), "$1 $& $&$1")
    assert.strictEqual(replace("aaa", "aa", "b", true), "ba")
    assert.strictEqual(replace("a b a", "a", "aa", true), "aa b aa")
  })

  it("of several places is refused with their lines, unless all are wanted", () => {
    assert.strictEqual(
      refusal("x\ny\nx\nx x\n", "x"),
      "`old_text` occurs 4 times, beginning at lines 1, 3, 4, 4. " +
        "Include lines around the one you mean, or set `replace_all` to change them all."
    )
    assert.match(refusal("aaa", "aa"), /occurs 2 times/)
    assert.match(refusal("x\n".repeat(30), "x"), /occurs 30 times, beginning at lines 1, .*, 20, …\./)
    assert.strictEqual(replace("x\ny\nx\n", "x", "z", true), "z\ny\nz\n")
  })

  it("has the line ends of the file, whatever those of the model", () => {
    const file = "one\r\ntwo\r\nthree\r\n"
    assert.strictEqual(replace(file, "one\ntwo", "1\n2\n2.5"), "1\r\n2\r\n2.5\r\nthree\r\n")
    assert.strictEqual(replace(file, "two", "2\n2.5"), "one\r\n2\r\n2.5\r\nthree\r\n")
    assert.strictEqual(replace(file, "\ntwo\n", "\n"), "one\r\nthree\r\n")
    assert.strictEqual(replace(file, "two\n", "2"), "one\r\n2three\r\n")
    assert.strictEqual(replace("one\r\ntwo", "two", "2\n3"), "one\r\n2\r\n3")
    assert.strictEqual(replace("one\ntwo\n", "one\r\ntwo", "1\r\n2"), "1\n2\n")
    assert.strictEqual(replace("one\ntwo\n", "two", "2\r\n3"), "one\n2\n3\n")
    assert.strictEqual(replace("a\nb\r\nc\n", "c", "d\ne"), "a\nb\r\nd\ne\n")
    assert.strictEqual(replace("a\nb\r\nc\n", "b", "d\ne"), "a\nd\r\ne\r\nc\n")
    assert.match(refusal("a\r\nb\na\nb\n", "a\nb"), /occurs 2 times, beginning at lines 1, 3/)
  })

  it("changes line ends where the old text has the file's own", () => {
    assert.strictEqual(replace("a\r\nb\na\nb\n", "a\r\nb", "a\nb"), "a\nb\na\nb\n")
  })

  it("is at the same place for any text with CRLF as for it with LF", () => {
    const parts = ["a", "b", "\n", "\n", "ab", "😀"]
    let state = 7
    const next = (below: number) => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0
      return Math.floor((state / 2 ** 32) * below)
    }
    const text = (length: number) => Array.from({ length: 1 + next(length) }, () => parts[next(parts.length)]).join("")
    let found = 0
    for (let round = 0; round < 5000; round++) {
      const [file, old, inserted, all] = [text(12), text(3), text(3), next(2) === 0]
      const crlf = (value: string) => value.replaceAll("\n", "\r\n")
      const plain = Replacement.find(file, { old, new: inserted, all })
      const mapped = Replacement.find(crlf(file), { old, new: inserted, all })
      assert.strictEqual(Result.isSuccess(mapped), Result.isSuccess(plain), JSON.stringify([file, old]))
      if (Result.isFailure(plain) || Result.isFailure(mapped)) continue
      found++
      const wanted = splice(file, plain.success)
      // With no line end in the file none is known to be its own.
      const expected = file.includes("\n") ? crlf(wanted) : wanted
      assert.strictEqual(splice(crlf(file), mapped.success), expected, JSON.stringify([file, old, inserted]))
    }
    assert.isAbove(found, 1000)
  })
})

describe("a text that is not there", () => {
  const file = [
    "export class Server {",
    "\tstart(port: number) {",
    "\t\tthis.port = port",
    "\t\tthis.listen()",
    "\t}",
    "",
    "\tstop() {",
    "\t\tthis.close(“now”)",
    "\t}",
    "}",
    ""
  ].join("\n")

  it("is told with the nearest passage and what differs", () => {
    assert.strictEqual(
      refusal(file, "  start(port: number) {\n    this.port = port\n"),
      [
        "`old_text` was not found in the file. The passage at lines 2-3 differs from it only in indentation or trailing whitespace:",
        "2 | \tstart(port: number) {",
        "3 | \t\tthis.port = port",
        "First difference, at line 2:",
        '  file: "\\tstart(port: number) {"',
        '  old_text: "  start(port: number) {"'
      ].join("\n")
    )
    assert.match(refusal(file, "\tstop() { \n"), /at line 7 differs from it only in trailing whitespace/)
    assert.match(refusal(file, "this.port=port"), /at line 3 differs from it only in whitespace/)
    assert.match(refusal(file, 'this.close("now")'), /at line 8 differs from it only in typographic characters/)
    assert.match(refusal(file, "EXPORT class server {"), /at line 1 differs from it only in letter case/)
    assert.match(refusal(file, "\t}\n\tstop() {"), /at lines 5-7 differs from it only in blank lines/)
  })

  it("is told with a similar passage and its first different line", () => {
    const message = refusal(file, "\tstart(port: number) {\n\t\tthis.port = port\n\t\tthis.listen(port)\n\t}")
    assert.match(message, /The nearest passage is at lines 2-5:/)
    assert.match(
      message,
      /First difference, at line 4:\n {2}file: "\\t\\tthis\.listen\(\)"\n {2}old_text: "\\t\\tthis\.listen\(port\)"/
    )
    assert.match(refusal(file, "\t\tthis.lissten();"), /The nearest passage is at line 4:/)
    assert.match(refusal(file, "something else altogether"), /Nothing in the file is similar\.$/)
    assert.match(refusal("", "x"), /the file is empty/)
    assert.match(refusal("a\nlast", "last\n"), /its text is at line 2, but not with the line breaks/)
  })

  it("is told with what models do to texts", () => {
    assert.match(refusal(file, "\\tstop() {\\n"), /but with its backslash escapes/)
    assert.match(refusal(file, "7 | \tstop() {\n8 | \t\tthis.close(“now”)"), /begin with line numbers/)
    assert.match(refusal(file, "     7\t\tstop() {"), /begin with line numbers/)
    assert.match(
      refusal(file, "\t\tthis.port = 0", "\t\tthis.port = port"),
      /But `new_text` is there already, at line 3: was the edit made before\?/
    )
  })

  it("is looked for in bounded time", () => {
    const long = Array.from({ length: 100_000 }, (_, index) => `const value${index} = compute(${index})`).join("\n")
    const wanted = Array.from({ length: 500 }, (_, index) => `const other${index} = compute(${index * 7})`).join("\n")
    assert.match(refusal(long, wanted), /not found in the file/)
    assert.match(refusal("x\n".repeat(100_000), "x\ny\n".repeat(500)), /not found in the file/)
  })
})

describe("the nearest passage", () => {
  it("shows the first difference of long lines around it", () => {
    const there = `${"a".repeat(500)}X${"b".repeat(500)}`
    const wanted = `${"a".repeat(500)}Y${"b".repeat(500)}`
    const told = Passage.tell([there], [wanted], "old_text")
    assert.match(told, /file: …"a{40}Xb+/)
    assert.match(told, /old_text: …"a{40}Yb+/)
    assert.isBelow(told.length, 1200)
  })

  it("shows no more than some lines", () => {
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index}`)
    assert.match(
      Passage.tell(
        lines.map((line) => ` ${line}`),
        lines,
        "old_text"
      ),
      /… and 85 more lines/
    )
  })
})
