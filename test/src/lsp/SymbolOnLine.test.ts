import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as SymbolOnLine from "../../../src/lsp/SymbolOnLine.ts"
import * as TextPositions from "../../../src/lsp/TextPositions.ts"

const ask = (
  lines: ReadonlyArray<string>,
  symbol: string,
  line = 1,
  several: SymbolOnLine.Question["several"] = "first"
) => SymbolOnLine.resolve({ path: "src/a.ts", text: TextPositions.index(lines.join("\n")), line, symbol, several })

const offset = (text: string, symbol: string) => Result.getOrThrow(ask([text], symbol)).offset
const failure = (result: Result.Result<unknown, { readonly code: string; readonly message: string }>) => {
  if (Result.isSuccess(result)) return assert.fail("resolved")
  return { code: result.failure.code, message: result.failure.message }
}

describe("C48 the column of a symbol on a line", () => {
  it("is its start", () => {
    assert.strictEqual(offset("  const total = add(1, 2)", "add"), 16)
    assert.strictEqual(offset("é世😀 add", "add"), 5)
  })

  it("takes whole words before parts of words", () => {
    assert.strictEqual(offset("address(add)", "add"), 8)
    assert.strictEqual(offset("añadd(add)", "add"), 6)
    assert.strictEqual(offset("$add = add", "add"), 7)
    const place = Result.getOrThrow(ask(["address(add)"], "add"))
    assert.deepStrictEqual(place.notes, [])
  })

  it("takes a part of a word where there is no whole one", () => {
    assert.strictEqual(offset("readdress()", "add"), 2)
    assert.strictEqual(offset("a 𝒜add", "add"), 4)
  })

  it("takes the first of several, with a note", () => {
    const place = Result.getOrThrow(ask(["add(add(1), add(2))"], "add"))
    assert.strictEqual(place.offset, 0)
    assert.deepStrictEqual(place.notes, [
      "`add` is 3 times on line 1; this is about the first. `add#2` means the second."
    ])
  })

  it("refuses several for a tool that writes", () => {
    assert.deepStrictEqual(failure(ask(["add(add(1))"], "add", 1, "refuse")), {
      code: "ambiguous_symbol",
      message: "`add` is 2 times on src/a.ts:1, which is `add(add(1))`. Say which: `add#1`, `add#2`."
    })
    assert.strictEqual(Result.getOrThrow(ask(["add(add(1))"], "add#2", 1, "refuse")).offset, 4)
  })

  it("counts whole words with symbol#n, and has no note then", () => {
    const place = Result.getOrThrow(ask(["address(add, add)"], "add#2"))
    assert.deepStrictEqual(place, { offset: 13, column: 14, name: "add", notes: [] })
    assert.strictEqual(failure(ask(["add(add)"], "add#3")).code, "symbol_not_found")
    assert.include(failure(ask(["add(add)"], "add#3")).message, "has `add` 2 times")
    assert.include(failure(ask(["add(x)"], "add#0")).message, "has `add` once")
  })

  it("lets a line that literally has symbol#n win", () => {
    assert.strictEqual(offset("issue; issue; see issue#2", "issue#2"), 18)
    assert.strictEqual(offset("issue; issue; see issue#3", "issue#2"), 7)
  })

  it("is at the name in a symbol that has more than a name", () => {
    assert.deepStrictEqual(Result.getOrThrow(ask(["@decorated class A {}"], "@decorated")).offset, 1)
    assert.deepStrictEqual(Result.getOrThrow(ask(["console.log(1)"], "console.log")), {
      offset: 8,
      column: 9,
      name: "log",
      notes: ["`console.log` has several names in it; this is about `log`."]
    })
    assert.strictEqual(Result.getOrThrow(ask(["  add(total)"], "add(total)")).name, "add")
    assert.deepInclude(Result.getOrThrow(ask(["first", "  add(total)"], "add", 2)), { offset: 8, column: 3 })
    assert.strictEqual(offset("a + b", "+"), 2)
  })

  it("names the lines near a miss, and shows the line", () => {
    const lines = ["import { add } from './b'", "", "const x = adder()", "add(1)", "x", "x", "x", "x", "x", "x"]
    assert.deepStrictEqual(failure(ask(lines, "add", 5)), {
      code: "symbol_not_found",
      message:
        "`add` is not on src/a.ts:5, which is `x`. Lines near it that have `add`: " +
        "src/a.ts:1 `import { add } from './b'`; src/a.ts:4 `add(1)`."
    })
    assert.include(failure(ask(lines, "add", 2)).message, "which is empty")
    assert.include(failure(ask(lines, "Adder", 3)).message, "Did you mean `adder`?")
    assert.include(failure(ask(lines, "nowhere", 3)).message, "No line of the file has `nowhere`.")
  })

  it("refuses a line beyond the file, and what is no name", () => {
    const past = failure(ask(["add", "b", ""], "add", 7))
    assert.strictEqual(past.code, "invalid_params")
    assert.include(past.message, "src/a.ts has 2 lines: there is no line 7. The line that has `add`: src/a.ts:1 `add`.")
    assert.strictEqual(failure(ask(["a  b"], " ")).code, "invalid_params")
    assert.strictEqual(failure(ask(["a", "b"], "a\nb")).code, "invalid_params")
  })

  it("is quick on a long line", () => {
    const line = `${"add ".repeat(200_000)}`
    const begin = performance.now()
    assert.include(Result.getOrThrow(ask([line], "add")).notes[0], "200000 times")
    assert.isBelow(performance.now() - begin, 1500)
  })
})
