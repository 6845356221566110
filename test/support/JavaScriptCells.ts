/** The JavaScript cells of `test/cases/kernel-open.json`, with what must hold of each. */
import { assert } from "@effect/vitest"
import * as Fs from "node:fs"
import { fileURLToPath } from "node:url"

/** What a cell gave, as far as the cases look at it. */
export interface Seen {
  readonly stdout: string
  readonly stderr: string
  /** `stdout:a`, `result:2`, … in order. */
  readonly order: ReadonlyArray<string>
  /** The text of its last result. */
  readonly result: string | undefined
  readonly error: { readonly [field: string]: unknown } | undefined
}

export interface Case {
  readonly id: string
  readonly language: string
  readonly what: string
  readonly cells: ReadonlyArray<string>
}

const file = fileURLToPath(new URL("../cases/kernel-open.json", import.meta.url))
export const cases = (JSON.parse(Fs.readFileSync(file, "utf8")) as ReadonlyArray<Case>).filter(
  ({ language }) => language === "javascript"
)

const result = (expected: string) => (cells: ReadonlyArray<Seen>) => assert.strictEqual(cells.at(-1)!.result, expected)

/** What the case's own `check` says, in TypeScript. */
const checks: { readonly [id: string]: (cells: ReadonlyArray<Seen>) => void } = {
  J1: result("2"),
  J2: result("1"),
  J3: result("2"),
  J6: result("2"),
  J10: result("7"),
  J11: result("'3,4,function'"),
  J13: result("3"),
  J15: result("{ a: 1 }"),
  J15b: result("{ a: 1 }"),
  J16: result("'function'"),
  J16c: result("'/'"),
  J18: result("11"),
  J19: result("'b'"),
  J20: ([cell]) => assert.deepStrictEqual(cell!.order, ["stdout:a\n", "stderr:b\n", "stdout:c\n"]),
  J24: ([broken, next]) => {
    assert.strictEqual(broken!.error?.["name"], "SyntaxError")
    assert.strictEqual(next!.result, "1")
  },
  J25: ([thrown, next]) => {
    assert.include(String(thrown!.error?.["traceback"]), "str")
    assert.strictEqual(next!.result, "1")
  },
  J26: (cells) => {
    assert.include(cells[0]!.stderr, "floating")
    assert.strictEqual(cells[2]!.result, "1")
  },
  J27: (cells) => {
    assert.include(cells[1]!.stderr, "timer-err")
    assert.strictEqual(cells[2]!.result, "1")
  },
  J34: result("0"),
  J35: ([cell]) => assert.strictEqual(cell!.stdout, "inh\n"),
  J36: ([cell]) => assert.match(cell!.result!, /Circular/),
  J37: ([cell]) => assert.isBelow(cell!.result!.length, 200_000),
  J39: ([cell]) => assert.include(cell!.result!, "b: 1"),
  J40: ([cell]) => assert.strictEqual(cell!.result, "{}"),
  J43: result("5"),
  J44: result("2"),
  J45: result("2"),
  J46: result("Promise { 5 }"),
  J49: result("5"),
  J50: ([cell]) => assert.notInclude(cell!.result!, "undefined"),
  J51: result("'true,true,true,true'"),
  J53: result("2"),
  J55: (cells) =>
    assert.deepStrictEqual(
      cells.map((cell) => cell.result),
      ["0", "2"]
    ),
  J57: result("'shown'"),
  J58: result("5"),
  J59: result("1")
}

/** The second of their cells does not end by itself. */
export const isInterrupted = new Set(["J30", "J31", "J33"])

export const check = (id: string, cells: ReadonlyArray<Seen>): void => {
  const holds = checks[id]
  if (holds !== undefined) return holds(cells)
  assert.isTrue(isInterrupted.has(id), `no check for ${id}`)
  assert.strictEqual(cells[2]!.result, "1")
}
