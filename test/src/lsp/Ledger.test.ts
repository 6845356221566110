import { assert, describe, it } from "@effect/vitest"
import * as Ledger from "../../../src/lsp/Ledger.ts"
import type { Diagnostic, Severity } from "../../../src/lsp/LanguageServers.ts"

const one = (message: string, line = 1, severity: Severity = 1, code?: string): Diagnostic => ({
  path: "/a",
  line,
  column: 1,
  endLine: line,
  endColumn: 2,
  severity,
  message,
  raw: undefined,
  ...(code === undefined ? {} : { code })
})

const beyond = (now: ReadonlyArray<Diagnostic>, before: ReadonlyArray<Diagnostic>) =>
  Ledger.beyond(now, Ledger.count(before)).map(({ line, message }) => `${line} ${message}`)

describe("the ledger", () => {
  it("C73 C74 counts, wherever they stand; of equal ones the moved are told", () => {
    assert.deepStrictEqual(beyond([one("x", 9)], [one("x", 1)]), [])
    assert.deepStrictEqual(beyond([one("x", 1), one("x", 5)], [one("x", 1)]), ["5 x"])
    assert.deepStrictEqual(beyond([one("x", 5), one("x", 1)], [one("x", 1)]), ["5 x"])
    assert.deepStrictEqual(beyond([one("x", 5), one("x", 6)], [one("x", 1)]), ["6 x"])
    assert.deepStrictEqual(beyond([one("x", 1)], [one("x", 1), one("x", 2)]), [])
  })

  it("severity and code tell them apart, and hints are not told", () => {
    assert.deepStrictEqual(beyond([one("x", 1, 2)], [one("x", 1, 1)]), ["1 x"])
    assert.deepStrictEqual(beyond([one("x", 1, 1, "2")], [one("x", 1, 1, "1")]), ["1 x"])
    assert.deepStrictEqual(beyond([one("x", 1, 3), one("y", 1, 4)], []), [])
  })

  it("a message cannot be taken for another, whatever is in it", () => {
    assert.deepStrictEqual(beyond([one("__proto__"), one('a","b')], [one("constructor")]), ["1 __proto__", '1 a","b'])
  })

  it("C81 files move and go; a new one begins with nothing", () => {
    const ledger = Ledger.make()
    ledger.set("/p/a/x", "s", Ledger.count([one("old")]))
    ledger.move("/p/a", "/p/b")
    assert.isUndefined(ledger.get("/p/a/x", "s"))
    assert.deepStrictEqual(Ledger.beyond([one("old")], ledger.get("/p/b/x", "s")!), [])
    ledger.drop("/p/b/x")
    assert.isUndefined(ledger.get("/p/b/x", "s"))
    ledger.absent("/p/new")
    assert.strictEqual(ledger.get("/p/new", "s"), Ledger.none)
    assert.isUndefined(ledger.get("/p/other", "s"))
  })

  it("C80 the larger of two, diagnostic by diagnostic", () => {
    const both = Ledger.most(Ledger.count([one("a"), one("b")]), Ledger.count([one("a"), one("a"), one("c")]))
    assert.deepStrictEqual(Ledger.beyond([one("a"), one("a"), one("b"), one("c")], both), [])
  })
})
