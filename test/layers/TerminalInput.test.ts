import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Writable } from "node:stream"
import * as TerminalInput from "../../layers/TerminalInput.ts"

/** What a terminal of so many columns shows of what is written to it. */
const screen = (columns: number) => {
  const rows: Array<string> = [""]
  let row = 0
  let column = 0
  const down = () => {
    row++
    if (row === rows.length) rows.push("")
  }
  const put = (character: string) => {
    if (column === columns) {
      down()
      column = 0
    }
    rows[row] = rows[row]!.slice(0, column).padEnd(column) + character + rows[row]!.slice(column + 1)
    column++
  }
  const control = (code: string, n: number) => {
    if (code === "A") row = Math.max(0, row - n)
    if (code === "B") row = Math.min(rows.length - 1, row + n)
    if (code === "C") column = Math.min(columns - 1, column + n)
    if (code === "D") column = Math.max(0, column - n)
    if (code === "G") column = n - 1
    if (code === "J") {
      rows.length = row + 1
      rows[row] = rows[row]!.slice(0, column)
    }
  }
  const write = (text: string) => {
    // oxlint-disable-next-line no-control-regex
    for (const [one, n, code] of text.matchAll(/\u001b\[\??(\d*)[;\d]*([A-Za-z])|[^]/gu)) {
      if (code !== undefined) control(code, Number(n || 1))
      else if (one === "\r") column = 0
      else if (one === "\n") {
        down()
        column = 0
      } else put(one)
    }
  }
  const output = Object.assign(
    new Writable({
      decodeStrings: false,
      write: (chunk, _, done) => {
        write(String(chunk))
        done()
      }
    }),
    { columns }
  )
  return { output, shown: () => rows.map((each) => each.trimEnd()).filter((each) => each !== "") }
}

describe("what is printed above a line that is being typed", () => {
  it.effect("stays, where the line wraps, and the line stays whole", () =>
    Effect.gen(function* () {
      const { output, shown } = screen(20)
      const input = yield* TerminalInput.open({ output })
      input.prompt("go> ")
      input.putTyped("abcdefghijklmnopqrstuvwxyz0123456789")
      const line = ["go> abcdefghijklmnop", "qrstuvwxyz0123456789"]
      assert.deepStrictEqual(shown(), line)
      input.print("one\ntwo")
      assert.deepStrictEqual(shown(), ["one", "two", ...line])
      input.print("three")
      assert.deepStrictEqual(shown(), ["one", "two", "three", ...line])
      assert.strictEqual(input.takeTyped(), "abcdefghijklmnopqrstuvwxyz0123456789")
      input.print("four")
      assert.deepStrictEqual(shown(), ["one", "two", "three", "four", "go>"])
    })
  )

  it.effect("stays also where it goes to another stream of the terminal; what goes elsewhere does not touch it", () =>
    Effect.gen(function* () {
      const { output, shown } = screen(20)
      const elsewhere: Array<string> = []
      const file = new Writable({
        decodeStrings: false,
        write: (chunk, _, done) => {
          elsewhere.push(String(chunk))
          done()
        }
      })
      yield* Effect.scoped(
        Effect.gen(function* () {
          const input = yield* TerminalInput.open({ output })
          input.prompt("go> ")
          input.putTyped("abc")
          TerminalInput.write(Object.assign(output, { isTTY: true }), "one\n")
          TerminalInput.write(file, "two\n")
          assert.deepStrictEqual(shown(), ["one", "go> abc"])
        })
      )
      TerminalInput.write(output, "three\n")
      assert.deepStrictEqual(shown(), ["one", "three"])
      assert.deepStrictEqual(elsewhere, ["two\n"])
    })
  )

  it.effect("moves what is pinned out of sight only to bring it back", () =>
    Effect.gen(function* () {
      const { output, shown } = screen(20)
      const input = yield* TerminalInput.open({ output: Object.assign(output, { rows: 6 }) })
      input.pin("card\n  1 yes\n")
      input.prompt("> ")
      input.print("a")
      input.print("b")
      assert.deepStrictEqual(shown(), ["card", "  1 yes", "a", "b", ">"])
      input.print("c".repeat(25))
      assert.deepStrictEqual(shown().slice(2), ["a", "b", "c".repeat(20), "ccccc", "card", "  1 yes", ">"])
      input.pin(`${"long\n".repeat(9)}`)
      for (const text of ["d", "e", "f"]) input.print(text)
      assert.deepStrictEqual(shown().slice(-5), ["long", "d", "e", "f", ">"])
      input.pin(undefined)
      for (const text of ["d", "e", "f", "g", "h", "i"]) input.print(text)
      assert.deepStrictEqual(shown().slice(-7), ["d", "e", "f", "g", "h", "i", ">"])
    })
  )

  it.effect("keeps a line of several lines that is taken away and put back", () =>
    Effect.gen(function* () {
      const { output, shown } = screen(20)
      const input = yield* TerminalInput.open({ output })
      input.prompt("> ")
      input.putTyped("one\ntwo")
      input.print("said")
      const typed = input.takeTyped()
      assert.deepStrictEqual(typed.split(/[\n\r]/), ["one", "two"])
      assert.deepStrictEqual(shown(), ["said", ">"])
      input.putTyped(typed)
      assert.deepStrictEqual(input.takeTyped().split(/[\n\r]/), ["one", "two"])
    })
  )

  it.effect("stays under a prompt that is longer than the terminal is wide: the prompt is cut", () =>
    Effect.gen(function* () {
      const { output, shown } = screen(20)
      const input = yield* TerminalInput.open({ output })
      input.prompt("(eval 3 s a status that is long) ")
      assert.deepStrictEqual(shown(), ["(eval 3 s a status…".slice(0, 17) + "…"])
      input.print("one")
      input.prompt("(eval 4 s 漢漢漢漢漢漢漢漢) ")
      input.print("two")
      assert.deepStrictEqual(shown().slice(0, 2), ["one", "two"])
      assert.strictEqual(shown().length, 3)
    })
  )
})
