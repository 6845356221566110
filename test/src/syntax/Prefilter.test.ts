/** What the prefilter may hold back, and above all what it may not. */
import { describe, expect, it } from "@effect/vitest"
import * as Prefilter from "../../../src/syntax/Prefilter.ts"
import { compile } from "../../support/languages.ts"

/** Whether a text gets past the prefilter of the first reading. */
const passes = (name: string, pattern: string, text: string): boolean => {
  const compiled = compile(name, pattern)
  if ("reason" in compiled) throw new Error(compiled.reason)
  const { isLikely, literals } = Prefilter.make(compiled.readings[0]!, compiled.language)
  return literals.every((literal) => text.includes(literal)) && isLikely(text)
}

describe("Prefilter", () => {
  it("holds back texts without the words, or with them apart", () => {
    expect(passes("javascript", "console.log($A)", "foo(1)")).toBe(false)
    expect(passes("javascript", "console.log($A)", "console.warn(1); log(2)")).toBe(false)
    expect(passes("javascript", "console.log($A)", "myconsole.log(1)")).toBe(false)
  })

  it("lets through what may stand between two tokens", () => {
    for (const text of [
      "console.log(1)",
      "console\n  . /* here */ log // there\n (1)",
      "console.log(\n1)",
      "x = [console.log(1)]"
    ]) {
      expect(passes("javascript", "console.log($A)", text)).toBe(true)
    }
    expect(passes("javascript", "function f() { $$$B }", "async function f() {}")).toBe(true)
    expect(passes("javascript", "class A { b() {} }", "class A { static async b() {} }")).toBe(true)
    expect(passes("python", "a.b($X)", "a \\\n  .b(1)")).toBe(true)
    expect(passes("javascript", "f($A, $$$R)", "f(1)")).toBe(true)
    expect(passes("python", "a(); b()", "a()\nb()")).toBe(true)
    expect(passes("php", "FOREACH ($X as $Y) { $$$B }", "<?php foreach ($a as $b) {}")).toBe(true)
  })

  it("holds back a name that is only called as a member", () => {
    expect(passes("javascript", "pipe($$$A)", "a.pipe(1); b?.pipe(2)\n  .pipe(3)")).toBe(false)
    expect(passes("cpp", "count($A)", "void f() { a->count(1); A::count(2); }")).toBe(false)
    expect(passes("javascript", "pipe($$$A)", "a.pipe(1); pipe(2)")).toBe(true)
  })

  it("takes no other full stop for an accessor", () => {
    expect(passes("javascript", "pipe($$$A)", "// The end.\npipe(1)")).toBe(true)
    expect(passes("javascript", "pipe($$$A)", "f(...pipe(1))")).toBe(true)
    expect(passes("python", "f($A)", "x = 1.\nf(2)")).toBe(true)
    expect(passes("rust", "f($A)", "fn g() { 0..f(1); }")).toBe(true)
    expect(passes("javascript", "a.pipe($$$A)", "x.a.pipe(1)")).toBe(true)
  })

  it("holds back what is only in lines of comments", () => {
    expect(passes("javascript", "pipe($$$A)", "// pipe(1)\n/**\n * pipe(2)\n */\nfoo()")).toBe(false)
    expect(passes("python", "f($A)", "# f(1)\n")).toBe(false)
  })

  it("takes nothing else for a comment", () => {
    expect(passes("javascript", "pipe($$$A)", "x = 2\n  * pipe(3)")).toBe(true)
    expect(passes("javascript", "pipe($$$A)", "/* a */\nx = 2\n * pipe(3)")).toBe(true)
    expect(passes("javascript", "pipe($$$A)", "y = `\n// ${pipe(1)}\n`")).toBe(true)
    expect(passes("javascript", "pipe($$$A)", "foo() // pipe(1)\n")).toBe(true)
    expect(passes("javascript", "pipe($$$A)", "x = `\n// a` + pipe(1)")).toBe(true)
    expect(passes("javascript", "pipe($$$A)", "/* a\n// b */ pipe(1)")).toBe(true)
    expect(passes("javascript", "pipe($$$A)", "x = `\n/*\n * a`\n * pipe(1)")).toBe(true)
    expect(passes("javascript", "pipe($$$A)", "x = <p>\n// a</p> && pipe(1)")).toBe(true)
    expect(passes("python", "f($A)", 'x = """\n# a""" + f(1)')).toBe(true)
    expect(passes("swift", "f($A)", 'x = """\n// \\(f(1))\n"""')).toBe(true)
    expect(passes("rust", "f($A)", 'fn g() { h("\n// a", f(1)) }')).toBe(true)
    expect(passes("javascript", "// pipe($A)", "// pipe($A)")).toBe(true)
    expect(passes("javascript", "// x\npipe(1)", "// x\npipe(1)")).toBe(true)
  })

  it("stays quick on texts made to slow it down", () => {
    const text = `pipe ${"// if for while\n".repeat(3000)} ${"/* ".repeat(3000)}`.repeat(3)
    const started = performance.now()
    passes("javascript", "pipe($$$A)", text)
    expect(performance.now() - started).toBeLessThan(3000)
  })
})
