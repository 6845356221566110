import { assert, describe, it } from "@effect/vitest"
import * as RenameName from "../../../src/lsp/RenameName.ts"

const isGood = (from: string, to: string, languageId = "typescript") =>
  RenameName.fault({ from, to, languageId }) === undefined

describe("new names", () => {
  it("C96 identifiers stay identifiers, in any script", () => {
    for (const to of ["b", "_b", "$b", "été", "名前", "b1"]) assert.isTrue(isGood("a", to), to)
    for (const to of ["", " ", "a", "1b", "b c", "b-c", "b.c", "b()", "\n", "@b", "class"])
      assert.isFalse(isGood("a", to), to)
  })

  it("a sign before a name stays; names that are no identifiers may be anything without white space", () => {
    assert.isTrue(isGood("@a", "@b", "ruby"))
    assert.isFalse(isGood("@a", "b", "ruby"))
    assert.isTrue(isGood("valid?", "good?", "ruby"))
    assert.isTrue(isGood("--color", "--text-color", "css"))
    assert.isTrue(isGood("My title", "Another title", "markdown"))
    assert.isFalse(isGood("my-name", "my name", "css"))
  })

  it("keywords are those of the language", () => {
    assert.isFalse(isGood("a", "lambda", "python"))
    assert.isTrue(isGood("a", "lambda", "go"))
    assert.isFalse(isGood("a", "func", "go"))
    assert.isTrue(isGood("a", "func", "unknown"))
  })
})
