import { assert, describe, it } from "@effect/vitest"
import * as Outputs from "../../../src/kernel/Outputs.ts"
import * as Terminal from "../../../src/kernel/Terminal.ts"

const clean = (...chunks: ReadonlyArray<string>) => {
  const lines = Terminal.lines(100)
  return chunks.map(lines.push).join("") + lines.flush()
}

describe("text for a terminal", () => {
  it("is what the terminal would show in the end", () => {
    assert.strictEqual(clean("a\r\nb\r\n"), "a\nb\n")
    assert.strictEqual(clean("10%\r", "20%\r", "30%", "\ndone\n"), "30%\ndone\n")
    assert.strictEqual(clean("working\r"), "working")
    assert.strictEqual(clean("\u001b[1;31mred\u001b[0m \u001b]0;title\u0007x\u001b[2K\n"), "red x\n")
    assert.strictEqual(clean("\u001b[1;3", "1mred\u001b", "[0m\n"), "red\n")
    assert.strictEqual(clean("ab\b\bxy\n"), "xy\n")
    assert.strictEqual(clean("one", " two", "\nthree"), "one two\nthree")
  })

  it("cuts long lines in their middle and says by how much, also when they come in pieces without end", () => {
    assert.strictEqual(
      clean(`<${"x".repeat(198)}>\nshort\n`),
      `<${"x".repeat(74)} […105 more characters in this line…] ${"x".repeat(19)}>\nshort\n`
    )
    const pieces = clean("<", ...Array.from({ length: 1000 }, () => "y".repeat(1000)), ">\n")
    assert.match(pieces, /^<y{74} \[…999907 more characters in this line…\] y{19}>\n$/)
    assert.strictEqual(clean("100 characters".padEnd(100, "."), "\n"), `${"100 characters".padEnd(100, ".")}\n`)
  })

  it("a progress bar of any length stays small", () => {
    const states = Array.from({ length: 100_000 }, (_, i) => `\r${String(i).padStart(60)}`)
    assert.strictEqual(clean(...states, "\n"), `${"99999".padStart(60)}\n`)
  })
})

const collect = (limits: Partial<Outputs.Limits>, fill: (collector: Outputs.Collector) => void) => {
  const collector = Outputs.make({ ...Outputs.defaultLimits, ...limits })
  fill(collector)
  return collector.finish()
}

describe("Outputs", () => {
  it("keeps head and tail inside the bound, in bytes, whatever the characters are", () => {
    for (const line of ["plain ascii text\n", "ünïcödé 🎉 text\n", "漢字\n"]) {
      const { cut, isWhole, outputs } = collect({ inlineBytes: 2000 }, (collector) => {
        for (let i = 0; i < 1000; i++) collector.text("stdout", line, 1)
      })
      const texts = outputs.map((output) => (output.kind === "stdout" ? output.text : ""))
      assert.isAtMost(new TextEncoder().encode(texts.join("")).length, 2000)
      assert.isAbove(new TextEncoder().encode(texts.join("")).length, 1500)
      for (const text of texts) for (const each of text.split("\n").slice(0, -1)) assert.strictEqual(`${each}\n`, line)
      assert.deepStrictEqual(cut, { totalBytes: 1000, totalLines: 1000 })
      assert.isFalse(isWhole)
      assert.deepStrictEqual(
        outputs.map((output) => "after_gap" in output),
        [false, true]
      )
    }
  })

  it("what fits is whole, in one piece for each change of stream", () => {
    const { cut, isWhole, outputs } = collect({ inlineBytes: 100 }, (collector) => {
      for (const [kind, text] of [
        ["stdout", "a"],
        ["stdout", "b\n"],
        ["stderr", "c\n"],
        ["stdout", "d"]
      ] as const) {
        collector.text(kind, text, text.length)
      }
    })
    assert.deepStrictEqual(outputs, [
      { kind: "stdout", text: "ab\n" },
      { kind: "stderr", text: "c\n" },
      { kind: "stdout", text: "d" }
    ])
    assert.isUndefined(cut)
    assert.isTrue(isWhole)
  })

  it("exactly the bound is whole, also when it is in both halves", () => {
    const { isWhole, outputs } = collect({ inlineBytes: 100 }, (collector) => {
      for (let i = 0; i < 10; i++) collector.text("stdout", "123456789\n", 10)
    })
    assert.isTrue(isWhole)
    assert.deepStrictEqual(outputs, [{ kind: "stdout", text: "123456789\n".repeat(10) }])
  })

  it("bounds errors, results and displays", () => {
    const { isWhole, notices, outputs } = collect({ inlineBytes: 1000, displays: 2 }, (collector) => {
      collector.show({ kind: "error", name: "E", message: "m".repeat(10_000), traceback: "t".repeat(10_000) })
      collector.show({ kind: "result", data: { "text/plain": "r".repeat(10_000), "text/html": "h".repeat(20_000) } })
      for (let i = 0; i < 5; i++) collector.show({ kind: "display", data: { "text/plain": String(i) } })
    })
    assert.isFalse(isWhole)
    assert.isBelow(JSON.stringify(outputs).length, 1800)
    assert.deepStrictEqual(notices, [
      "3 displays were left out: of a cell at most 2 are shown, with 1000 bytes of text in all.",
      "1 large parts of displays were left out."
    ])
  })

  it("bounds what many displays say together, and keeps the result", () => {
    const { isWhole, notices, outputs } = collect({ inlineBytes: 1000 }, (collector) => {
      for (let i = 0; i < 100; i++) collector.show({ kind: "display", data: { "text/plain": "d".repeat(84) } })
      collector.show({ kind: "result", data: { "text/plain": "the result" } })
    })
    assert.isFalse(isWhole)
    assert.strictEqual(outputs.length, 11)
    assert.deepStrictEqual(outputs.at(-1), { kind: "result", data: { "text/plain": "the result" } })
    assert.deepStrictEqual(notices, [
      "90 displays were left out: of a cell at most 200 are shown, with 1000 bytes of text in all."
    ])
  })

  it("counts what the change between streams costs in the answer", () => {
    const { cut, outputs } = collect({ inlineBytes: 1000 }, (collector) => {
      for (let i = 0; i < 1000; i++) {
        collector.text("stdout", "o\n", 2)
        collector.text("stderr", "e\n", 2)
      }
    })
    assert.deepStrictEqual(cut, { totalBytes: 4000, totalLines: 2000 })
    assert.isBelow(outputs.length, 60)
    assert.isAbove(outputs.length, 40)
    assert.strictEqual(outputs.filter((output) => "after_gap" in output).length, 1)
  })
})
