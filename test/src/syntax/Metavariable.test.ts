import { describe, expect, it } from "@effect/vitest"
import * as Metavariable from "../../../src/syntax/Metavariable.ts"

/** Variables as `run name`, literal text as it is. */
const lex = (source: string) =>
  Metavariable.lex(source).pieces.map((piece) =>
    piece.tag === "text" ? piece.text : { [piece.run ? "run" : "one"]: piece.name ?? null }
  )

describe("Metavariable", () => {
  it("reads one node, a run, and those that bind nothing", () => {
    expect(lex("f($A, $$$REST, $_, $$$)")).toEqual([
      "f(",
      { one: "A" },
      ", ",
      { run: "REST" },
      ", ",
      { one: null },
      ", ",
      { run: null },
      ")"
    ])
  })

  it("takes digits and underscores behind the first letter", () => {
    expect(lex("$A1 $A_2")).toEqual([{ one: "A1" }, " ", { one: "A_2" }])
  })

  for (const literal of ["$_GET", "$abc", "$1", "$Abc", "use$HOOK", "$$", "$(ls)", "${A}", "a$$$B", "$A$B"]) {
    it(`leaves ${literal} as it is`, () => {
      expect(lex(literal)).toEqual([literal])
      expect(Metavariable.lex(literal).error).toBeUndefined()
    })
  }

  it("takes the backslash off what would be a metavariable", () => {
    expect(lex("\\$HOME \\$$$ARGS \\n \\$x")).toEqual(["$HOME $$$ARGS \\n \\$x"])
  })

  it("refuses `$$NAME` and says what to write", () => {
    expect(Metavariable.lex("f($$X)").error).toBe(
      "`$$X` is not a metavariable: write `$X` for one node or `$$$X` for a run of nodes (`\\$$X` for the literal text)"
    )
  })

  it("refuses one name for a node and a run", () => {
    expect(Metavariable.lex("f($A, $$$A)").error).toContain("both as one node (`$A`) and as a run (`$$$A`)")
  })

  it("remembers where each piece stands", () => {
    expect(Metavariable.lex("ab $C").pieces.map(({ start }) => start)).toEqual([0, 3])
  })

  it("knows the words that a match must contain", () => {
    expect(Metavariable.words("console.log($A, 'x y')")).toEqual(["console", "log", "x", "y"])
  })
})
