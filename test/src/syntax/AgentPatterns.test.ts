/** Patterns as agents write them: what each must find, by value. */
import { describe, expect, it } from "@effect/vitest"
import * as Pattern from "../../../src/syntax/Pattern.ts"
import * as Report from "../../../src/syntax/Report.ts"
import * as Scan from "../../../src/syntax/Scan.ts"
import { compile, language, rewrite, search, texts } from "../../support/languages.ts"

const captures = (name: string, source: string, pattern: string) =>
  search(name, source, pattern).map((match) => match.captures)

const nearOf = (name: string, source: string, pattern: string) => {
  const compiled = Pattern.compile(language(name), pattern)
  if (!compiled.ok) throw new Error(compiled.unparseable.reason)
  const tree = language(name).parse(source)!
  const { near } = Scan.scan(Scan.prepare(compiled.pattern), "file", tree.rootNode, source, { limit: 1, near: true })
  tree.delete()
  return near.map(({ missing }) => missing.map(({ text }) => text))
}

describe("go", () => {
  const source =
    'package p\ntype A struct {\n\tX int `json:"x"`\n\tmu sync.Mutex\n}\ntype I interface {\n\tFoo(a int) error\n\tBar()\n}\n'
  it("fields, with their tags", () => {
    expect(captures("go", source, "$F $T `$TAG`")).toEqual([{ F: "X", T: "int", TAG: 'json:"x"' }])
    expect(texts("go", source, "mu sync.Mutex")).toEqual(["mu sync.Mutex"])
  })
  it("methods of an interface", () => {
    expect(captures("go", source, "$M($$$A) error")).toEqual([{ M: "Foo", A: ["a int"] }])
    expect(texts("go", source, "Bar()")).toEqual(["Bar()"])
  })
  it("what a select waits for", () => {
    const select = "package p\nfunc f() {\n\tselect {\n\tcase v := <-ch:\n\t\ta(v)\n\tcase <-done:\n\t}\n}\n"
    expect(captures("go", select, "case $V := <-$C: $$$B")).toEqual([{ V: "v", C: "ch", B: ["a(v)"] }])
    expect(captures("go", select, "case <-$C: $$$B")).toEqual([{ C: "done", B: [] }])
  })
})

describe("rust", () => {
  const body = (code: string) => `fn f() { ${code} }`
  it("an argument of a macro is an expression, not a token", () => {
    const source = body('assert_eq!(a.b(), &c[1]); assert_eq!(x, y, "z {}", w);')
    expect(captures("rust", source, "assert_eq!($A, $B)")).toEqual([{ A: "a.b()", B: "&c[1]" }])
    expect(captures("rust", source, "assert_eq!($A, $B, $$$)")).toHaveLength(2)
    expect(captures("rust", body("assert!(x.y() == z);"), "assert!($A == $B)")).toEqual([{ A: "x.y()", B: "z" }])
    expect(captures("rust", body("vec![0u8; n + 1];"), "vec![$A; $N]")).toEqual([{ A: "0u8", N: "n + 1" }])
  })
  it("a repeated one must be the same", () => {
    const source = body("assert_eq!(a.b(), a.b()); assert_eq!(a.b(), a.c());")
    expect(texts("rust", source, "assert_eq!($A, $A)")).toEqual(["assert_eq!(a.b(), a.b())"])
  })
  it("is put whole into a template", () => {
    expect(rewrite("rust", body("assert!(a.b() == &c);"), "assert!($A == $B)", "assert_eq!($A, $B)")).toHaveProperty(
      "output",
      body("assert_eq!(a.b(), &c);")
    )
  })
  it("rules of macros", () => {
    const source = "macro_rules! m { ($x:expr) => { $x }; () => {} }"
    expect(captures("rust", source, "macro_rules! $N { $$$ }")).toEqual([{ N: "m" }])
  })
})

describe("python", () => {
  const source = "from a import (\n    b,\n    c,\n)\nfrom a import d\n"
  it("a run takes the names of an import with their parentheses", () => {
    expect(captures("python", source, "from a import $$$N")).toEqual([{ N: ["b", "c"] }, { N: ["d"] }])
    expect(captures("python", source, "from a import $$$N, c")).toEqual([{ N: ["b"] }])
    expect(rewrite("python", source, "from a import $$$N", "from z import $$$N")).toHaveProperty(
      "output",
      source.replaceAll("from a", "from z")
    )
  })
  it("says where parentheses are all that is missing", () => {
    expect(nearOf("python", source, "from a import b, c")).toEqual([["(", ")"]])
  })
  it("a part of a slice that is not there is not its colon", () => {
    expect(captures("python", "a[1:2]; b[::2]; c[:3]", "$X[$A:$B]")).toEqual([{ X: "a", A: "1", B: "2" }])
  })
})

describe("decorators and annotations by themselves", () => {
  it.each([
    ["typescript", "@A(1) class B { @C() d; @E('/') f() {} }", "@$N($$$A)", ["@A(1)", "@C()", "@E('/')"]],
    ["javascript", "@a.b(1) class C { @d e }", "@$X", ["@a.b(1)", "@d"]],
    ["kotlin", "@Test fun f() {}\n@Foo(1) class A\n", "@Foo($$$)", ["@Foo(1)"]],
    ["swift", "struct A { @State var x = 1 }\n", "@State", ["@State"]],
    ["scala", "@tailrec def f() = 1\n", "@tailrec", ["@tailrec"]]
  ])("%s", (name, source, pattern, expected) => {
    expect(texts(name, source, pattern)).toEqual(expected)
  })
})

describe("catch clauses by themselves", () => {
  it.each([
    ["java", "class A { void f() { try { a(); } catch (E e) { b(); } } }", "catch ($T $E) { $$$B }"],
    ["csharp", "class A { void F() { try { } catch (E e) when (e.X) { b(); } } }", "catch ($T $E) when ($C) { $$$B }"],
    ["cpp", "void f() { try { a(); } catch (const E& e) { b(); } }", "catch (const $T& $E) { $$$B }"],
    ["php", "<?php try { a(); } catch (E $e) { b(); }", "catch ($T $E) { $$$B }"],
    ["dart", "void f() { try { a(); } on E catch (e) { b(); } }", "on $T catch ($E) { $$$B }"],
    ["kotlin", "fun f() { try { a() } catch (e: E) { b() } }", "catch ($E: $T) { $$$B }"],
    ["swift", "do { try a() } catch { b() }", "catch { $$$B }"],
    ["scala", "class A { try a() catch { case e: E => b } }", "catch { case $E: $T => $B }"]
  ])("%s", (name, source, pattern) => {
    expect(texts(name, source, pattern)).toHaveLength(1)
  })
})

describe("swift", () => {
  it("a `;` that the tree does not have decides nothing", () => {
    const source = "protocol P { func f() -> Int; var x: Int { get } }\n"
    expect(captures("swift", source, "protocol $P { $$$B }")).toEqual([
      { P: "P", B: ["func f() -> Int", "var x: Int { get }"] }
    ])
  })
})

describe("typescript", () => {
  it("a metavariable far from the fault that its spelling causes", () => {
    expect(captures("typescript", "export { b } from 'c'", "export { $$$N } from $M")).toEqual([{ N: ["b"], M: "'c'" }])
    expect(captures("typescript", "import x = require('c')", "import $X = require($M)")).toEqual([{ X: "x", M: "'c'" }])
  })
  it("an incomplete pattern is completed into one construct only", () => {
    expect(compile("typescript", "let $X = = $Y")).toHaveProperty("completion", undefined)
  })
})

describe("scala", () => {
  it("a run of generators", () => {
    expect(captures("scala", "class A { for { a <- b; c <- d } yield e }", "for { $$$G } yield $E")).toEqual([
      { G: ["a <- b", "c <- d"], E: "e" }
    ])
  })
})

describe("a template with a block on the line of its head", () => {
  const block = "def f():\n    if a:\n        b()\n        if c:\n            d()\n    e()\n"
  it("puts statements of several lines below it", () => {
    const result = rewrite("python", block, "if $A: $$$B", "with $A: $$$B")
    expect(result).toHaveProperty("output", block.replace("if a", "with a"))
  })
  it("leaves what fits on the line", () => {
    expect(rewrite("python", "if a:\n    b()\n", "if $A: $$$B", "with $A: $$$B")).toHaveProperty(
      "output",
      "with a: b()\n"
    )
  })
  it("keeps the line ends and the tabs", () => {
    const source = "def f():\r\n\tif a:\r\n\t\tb()\r\n\t\tc()\r\n"
    expect(rewrite("python", source, "if $A: $$$B", "with $A: $$$B")).toHaveProperty(
      "output",
      source.replace("if a", "with a")
    )
  })
  it("swaps the branches of an if", () => {
    const source = "if a:\n    b()\n    c()\nelse:\n    d()\n    e()\n"
    expect(rewrite("python", source, "if $A: $$$B\nelse: $$$C", "if not $A: $$$C\nelse: $$$B")).toHaveProperty(
      "output",
      "if not a:\n    d()\n    e()\nelse:\n    b()\n    c()\n"
    )
  })
})

describe("a metavariable that is only a part of a token", () => {
  it("is told to be literal text", () => {
    const outcome = Scan.describe(Pattern.compile(language("javascript"), 'f("pre $A")'))
    const { parsed } = Report.searched({
      readings: [],
      languages: [outcome],
      filesSearched: 1,
      filesWithErrors: 0,
      givenUp: 0,
      skipped: new Map()
    })
    expect(parsed[0]?.literal).toEqual(["$A"])
    expect(Report.kinds({ parsed }).join(" ")).toContain("`$A` is only a part of a token there")
  })
})
