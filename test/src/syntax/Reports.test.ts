/** Public reports of users of comparable engines, each as a test (the guide's list of reports). */
import { describe, expect, it } from "@effect/vitest"
import { compile, count, readings, rewrite, search, texts } from "../../support/languages.ts"

const captures = (name: string, source: string, pattern: string) =>
  search(name, source, pattern).map((match) => match.captures)

describe("searching", () => {
  it("ast-grep #2234: an ellipsis behind an argument may be empty", () => {
    expect(captures("typescript", 'console.log("S")', "console.log($A, $$$E)")).toEqual([{ A: '"S"', E: [] }])
  })
  it("ast-grep #714: two ifs in a row with one condition, among others", () => {
    const source = "fn f() { if x { a(); } if y { b(); } if y { c(); } }"
    expect(captures("rust", source, "{ $$$E if $A { $$$B } if $A { $$$C } $$$F }")).toEqual([
      { E: ["if x { a(); }"], A: "y", B: ["b();"], C: ["c();"], F: [] }
    ])
  })
  it("ast-grep #2856: a body with more statements does not match", () => {
    const source = "if a:\n    yield\nelse:\n    yield\nif a:\n    yield 2\nelse:\n    b()\n    yield\n"
    expect(texts("python", source, "if $A:\n    yield\nelse:\n    yield")).toEqual([
      "if a:\n    yield\nelse:\n    yield"
    ])
  })
  it("ast-grep #2212, #2122, #2216: comments around arguments change nothing", () => {
    const source = "f(/* a */ x /* b */, // c\n y /* d */)"
    expect(captures("javascript", source, "f($A, $B)")).toEqual([{ A: "x", B: "y" }])
  })
  it("ast-grep #2361: a trailing comma in the code is extra", () => {
    expect(texts("javascript", "foo(bar,)", "foo(bar)")).toEqual(["foo(bar,)"])
  })
  it("ast-grep #646, #1479: calls are found in Go, C and C++", () => {
    expect(texts("go", 'package m\nfunc f() { fmt.Println("x") }\n', "fmt.Println($A)")).toEqual(['fmt.Println("x")'])
    expect(texts("c", "int f(void) { return foo(1); }", "foo($A)")).toEqual(["foo(1)"])
    expect(texts("cpp", "void f() { a.foo(1); foo(2); }", "foo($A)")).toEqual(["foo(2)"])
  })
  it("ast-grep #575: a condition without its body, a call without its end are unparseable", () => {
    expect(compile("swift", "if let $A = $A")).toHaveProperty("reason")
    expect(compile("typescript", "foo(")).toHaveProperty("reason")
  })
  it("oh-my-openagent #5: an incomplete declaration is shown complete", () => {
    expect(compile("typescript", "export async function $METHOD")).toMatchObject({
      completion: "export async function $METHOD($$$PARAMETERS) { $$$BODY }"
    })
  })
  it("ast-grep #2086: `_A()` is literal in C++", () => {
    expect(texts("cpp", "void f() { _A(); b(); }", "_A()")).toEqual(["_A()"])
  })
  it("ast-grep #1583: arguments without commas are malformed", () => {
    expect(compile("python", "Field($$$PRE title=$T $$$POS)")).toHaveProperty("reason")
  })
  it("ast-grep #275: `$A` over a large tree", () => {
    const source = "a + b;\n".repeat(5000)
    expect(count("javascript", source, "$A")).toEqual({ matches: 4 * 5000 + 1, givenUp: 0 })
  })
  it("pi-lens #156: the kinds of a pattern can be shown", () => {
    expect(readings("javascript", "", "foo($A)")[0]).toMatchObject({ context: "statement" })
  })
  it("semgrep #2111, codemod #1495: offsets behind Cyrillic, emoji and CRLF", () => {
    expect(search("typescript", 'const s = "дом😀";\r\nfoo("ü😀");\r\n', "foo($A)")).toEqual([
      { text: 'foo("ü😀")', start_line: 2, captures: { A: '"ü😀"' } }
    ])
  })
  it("semgrep #2820: a superglobal of PHP is only itself", () => {
    expect(texts("php", '<?php $_GET["x"]; $_POST["x"];', '$_GET["x"]')).toEqual(['$_GET["x"]'])
  })
  it("semgrep #3786, #7040: the whole of a template string or f-string may be a metavariable", () => {
    expect(captures("javascript", "f(`abc`)", "f(`$A`)")).toEqual([{ A: "abc" }])
    expect(captures("python", 'f(f"abc")', 'f(f"$A")')).toEqual([{ A: "abc" }])
  })
  it("semgrep #9109: a named ellipsis matches where an anonymous one does", () => {
    for (const source of ["f()", "f(1)", "f(1, 2)"]) {
      expect(texts("javascript", source, "f($$$A)")).toEqual(texts("javascript", source, "f($$$)"))
    }
  })
  it("semgrep #4745: an operator without its left side is unparseable, with a reason", () => {
    expect(compile("python", "!= any_")).toHaveProperty("reason", expect.stringContaining("syntax error"))
  })
  it("semgrep #8884, #3600: macros of Rust", () => {
    const source = 'fn f() { println!("hello"); println!("bye"); matches!(x, Some(_)); }'
    expect(texts("rust", source, 'println!("hello")')).toEqual(['println!("hello")'])
    expect(captures("rust", source, "matches!($X, $$$P)")).toEqual([{ X: "x", P: ["Some", "(_)"] }])
  })
  it("comby #383: an apostrophe in a comment hides nothing", () => {
    expect(texts("javascript", "// it's\nfoo(1); // isn't\nfoo(2)", "foo($A)")).toEqual(["foo(1)", "foo(2)"])
  })
  it("comby #294: a run takes the whole block inside a loop", () => {
    const source = "for i in x:\n    if a:\n        b()\n        c()\n"
    expect(captures("python", source, "if $C:\n    $$$B")).toEqual([{ C: "a", B: ["b()\n        c()"] }])
  })
  it("comby #324: blanks between arguments do not matter", () => {
    expect(texts("javascript", "foo( 1 ,\n  2 )", "foo(1, 2)")).toEqual(["foo( 1 ,\n  2 )"])
  })
  it("gritql #659: `$A as $B` leaves import specifiers alone", () => {
    expect(texts("tsx", 'import { type X, P as Q } from "m"; y = z as W', "$A as $B")).toEqual(["z as W"])
  })
})

describe("rewriting", () => {
  const output = (name: string, source: string, pattern: string, template: string) => {
    const result = rewrite(name, source, pattern, template)
    return "output" in result ? result.output : result
  }
  it("ast-grep #2856: nothing that the pattern did not match is deleted", () => {
    const source = "if a:\n    yield\nelse:\n    yield 2\n"
    expect(output("python", source, "if $A:\n    yield\nelse:\n    yield", "yield")).toBe(source)
  })
  it("ast-grep #1405: a line before the body of a class keeps the body's indentation", () => {
    const source = "if x:\n    class A:\n        a = 1\n\n        def f(self):\n            pass\n"
    expect(output("python", source, "class $C:\n    $$$B", "class $C:\n    doc = 1\n    $$$B")).toBe(
      "if x:\n    class A:\n        doc = 1\n        a = 1\n\n        def f(self):\n            pass\n"
    )
  })
  it("ast-grep #1935: blank lines in a capture stay empty", () => {
    const source = "function f() {\n  later(() => {\n    a();\n\n    b();\n  });\n}\n"
    expect(output("javascript", source, "later(() => { $$$B })", "if (x) {\n  $$$B\n}")).toBe(
      "function f() {\n  if (x) {\n    a();\n\n    b();\n  };\n}\n"
    )
  })
  it("ast-grep #647: rewriting to itself is the identity", () => {
    const source = "  x = [\n    1,\n      2,\n  ];\n"
    expect(output("javascript", source, "$X = $Y", "$X = $Y")).toBe(source)
  })
  it("ast-grep #602, #747: an import specifier is removed with its comma, and the `;` stays", () => {
    const remove = (source: string) =>
      output("typescript", source, 'import { $$$A, a, $$$B } from "m"', 'import { $$$A, $$$B } from "m"')
    expect(remove('import { x, a, b } from "m";')).toBe('import { x, b } from "m";')
    expect(remove('import { a, b } from "m";')).toBe('import { b } from "m";')
    expect(remove('import { x, a } from "m";')).toBe('import { x } from "m";')
  })
  it("zephyr-packages #438: exactly one comma behind a run with a trailing comma", () => {
    const source = "defineConfig({\n  a: 1,\n  b: 2,\n})"
    expect(output("javascript", source, "defineConfig({ $$$P })", "defineConfig({ $$$P, c: 3 })")).toBe(
      "defineConfig({ a: 1,\n  b: 2, c: 3 })"
    )
  })
  it("semgrep #3767: a class is rewritten with its whole body", () => {
    expect(output("python", "class A:\n    a = 1\n    b = 2\n", "class A:\n    $$$B", "class B:\n    $$$B")).toBe(
      "class B:\n    a = 1\n    b = 2\n"
    )
  })
})
