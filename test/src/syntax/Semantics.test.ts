/** The decisions of SPEC §5.5, each by itself. */
import { describe, expect, it } from "@effect/vitest"
import { compile, count, readings, search, texts } from "../../support/languages.ts"

const captures = (name: string, source: string, pattern: string, context?: string) =>
  search(name, source, pattern, context).map((match) => match.captures)

describe("one node and runs", () => {
  it("`$NAME` takes exactly one node", () => {
    expect(texts("javascript", "f(); f(1); f(1, 2)", "f($A)")).toEqual(["f(1)"])
  })
  it("`$$$NAME` takes zero or more", () => {
    expect(captures("javascript", "f(); f(1); f(1, 2)", "f($$$A)")).toEqual([
      { A: [] },
      { A: ["1"] },
      { A: ["1", "2"] }
    ])
  })
  it("`$_` and `$$$` bind nothing and need not be equal", () => {
    expect(captures("javascript", "f(1, 2, 3)", "f($_, $_, $$$)")).toEqual([{}])
  })
  it("`$NAME` takes an operator that stands in a slot of its own", () => {
    expect(captures("rust", "fn f() { m!(a + b); m!(a - b); }", "m!(a $OP b)")).toEqual([{ OP: "+" }, { OP: "-" }])
  })
  it("`$NAME` takes no separator, bracket or line end", () => {
    expect(texts("javascript", "function f() { return; return 1; }", "return $A")).toEqual(["return 1;"])
    expect(texts("javascript", "f(1,)", "f(1, $A)")).toEqual([])
  })
  it("`$A` alone matches every node", () => {
    expect(texts("javascript", "a + b", "$A")).toEqual(["a + b", "a + b", "a + b", "a", "b"])
  })
  it("captures of a run are its nodes without separators, comments among them", () => {
    expect(captures("javascript", "f(a, /* c */ b,)", "f($$$A)")).toEqual([{ A: ["a", "/* c */", "b"] }])
  })
})

describe("literal text that looks like a metavariable", () => {
  it("`$_NAME` is PHP's own variable", () => {
    const source = '<?php $_GET["x"]; $_POST["x"]; $foo["x"];'
    expect(texts("php", source, '$_GET["x"]')).toEqual(['$_GET["x"]'])
  })
  it("a backslash makes a name literal", () => {
    expect(texts("bash", "echo $HOME\necho $PATH\n", "echo \\$HOME")).toEqual(["echo $HOME"])
  })
  it("a part of a token is literal, and the reading says so", () => {
    expect(texts("javascript", 'f("pre $A"); f("pre x")', '"pre $A"')).toEqual(['"pre $A"'])
    const pattern = compile("javascript", '"pre $A"')
    expect("readings" in pattern && pattern.readings[0]!.literal).toEqual(["$A"])
  })
  it("`$$NAME` is an error", () => {
    expect(compile("javascript", "f($$X)")).toHaveProperty(
      "reason",
      expect.stringContaining("`$$X` is not a metavariable")
    )
  })
})

describe("a repeated metavariable", () => {
  it("must capture the same text", () => {
    const source = "void f() { if (a != null) a.dispose(); if (a != null) b.dispose(); }"
    expect(texts("dart", source, "if ($X != null) $X.dispose()")).toEqual(["if (a != null) a.dispose();"])
  })
  it("is compared by text, not by shape", () => {
    expect(texts("javascript", "g(a, b) == g(a,b); g(a, b) == g(a, b)", "$A == $A")).toEqual(["g(a, b) == g(a, b)"])
  })
  it("compares runs node by node", () => {
    const source = "if (c) { x(); y(); } else { x();\n y() ; }\nif (c) { x(); } else { y(); }"
    expect(texts("javascript", source, "if (c) { $$$A } else { $$$A }")).toEqual([])
    expect(texts("javascript", source.replace("y() ;", "y();"), "if (c) { $$$A } else { $$$A }")).toHaveLength(1)
  })
  it("makes runs try again", () => {
    expect(captures("javascript", "f(a, b, c, b)", "f($$$P, $X, $$$Q, $X)")).toEqual([{ P: ["a"], X: "b", Q: ["c"] }])
  })
})

describe("unnamed tokens", () => {
  it("may be extra in the code", () => {
    expect(texts("javascript", "let a = 1; let b = 1", "let $A = 1")).toEqual(["let a = 1;", "let b = 1"])
    expect(texts("javascript", "f(a, b,)", "f(a, b)")).toEqual(["f(a, b,)"])
    expect(texts("javascript", "async function f() {}", "function f() {}")).toEqual(["async function f() {}"])
    expect(texts("typescript", "class A { static m() {} async n() {} get o() {} }", "$M() { $$$B }")).toEqual([
      "static m() {}",
      "async n() {}",
      "get o() {}"
    ])
  })
  it("are never missing from it", () => {
    expect(texts("javascript", "f(a, b)", "f(a, b,)")).toEqual([])
    expect(texts("javascript", "function f() {}", "async function f() {}")).toEqual([])
    expect(texts("javascript", "foo()\nfoo();", "foo();")).toEqual(["foo();"])
  })
  it("that are operators are never extra", () => {
    expect(texts("javascript", "function* g() { yield 1; yield* h() }", "yield $A")).toEqual(["yield 1"])
    expect(texts("python", "from a import (b)\nfrom a import b\n", "from a import b")).toEqual(["from a import b"])
    expect(texts("typescript", "class A { private readonly a = 1; private b = 2 }", "private $F = $V")).toEqual([
      "private b = 2"
    ])
  })
  it("tell quotes apart", () => {
    expect(texts("javascript", `import a from "m"; import b from 'm'`, "import $A from 'm'")).toEqual([
      "import b from 'm'"
    ])
  })
})

describe("named siblings are never ignored", () => {
  for (const [name, source, pattern, expected] of [
    ["javascript", "if (a) { x() } else { y() }", "if ($C) { $$$B }", []],
    ["javascript", "const a = 1, b = 2; const c = 3", "const $A = $B", ["const c = 3"]],
    ["javascript", "new Foo; new Foo(1)", "new Foo", ["new Foo"]],
    ["javascript", "a?.b; a.b", "a.b", ["a.b"]],
    ["python", "import os\nimport os.path\nimport os, sys\n", "import os", ["import os"]],
    ["python", "if a:\n  b\nelse:\n  c\n", "if $A:\n  $$$B", []],
    ["typescript", "function f(): void {}", "function $F() { $$$B }", []],
    ["rust", "pub fn f() {}", "fn $F() { $$$B }", []],
    ["java", "class A { @Deprecated void f() {} }", "void $F() { $$$B }", []],
    ["ruby", "def f(x)\n  1\nend\ndef g\n  1\nend\n", "def $M\n  $$$B\nend", ["def g\n  1\nend"]],
    ["swift", "func a() -> Int { return 1 }\nfunc b() { x() }\n", "func $F($$$P) { $$$B }", ["func b() { x() }"]]
  ] as const) {
    it(`${name}: ${JSON.stringify(pattern)}`, () => {
      expect(texts(name, source, pattern)).toEqual(expected)
    })
  }
})

describe("a separator beside an empty run", () => {
  it("is optional behind it, before it, and between two", () => {
    expect(texts("javascript", "f(1)", "f($A, $$$R)")).toEqual(["f(1)"])
    expect(texts("javascript", "f(z)", "f($$$R, z)")).toEqual(["f(z)"])
    expect(texts("javascript", "f(); f(a, b)", "f($$$A, $$$B)")).toEqual(["f()", "f(a, b)"])
    expect(captures("typescript", 'import { b } from "m"', 'import { $$$A, b, $$$B } from "m"')).toEqual([
      { A: [], B: [] }
    ])
  })
  it("is needed beside a run that is not empty", () => {
    expect(captures("javascript", "f(1, 2)", "f($A, $$$R)")).toEqual([{ A: "1", R: ["2"] }])
  })
})

describe("runs backtrack", () => {
  it("to the last argument", () => {
    expect(captures("javascript", "f(1, 2, 3)", "f($$$R, $LAST)")).toEqual([{ R: ["1", "2"], LAST: "3" }])
  })
  it("through nested lists", () => {
    expect(captures("javascript", "f(g(1), g(2, 3), 3)", "f($$$, g($$$A, $X), $X)")).toEqual([{ A: ["2"], X: "3" }])
  })
  it("in polynomial time, to a decision", () => {
    const source = `f(${Array.from({ length: 300 }, (_, index) => `a${index}`).join(", ")})`
    for (const pattern of ["f($$$A, x, $$$B, y, $$$C, z)", "f($$$A, $X, $$$B, $X, $$$C)"]) {
      expect(count("javascript", source, pattern)).toEqual({ matches: 0, givenUp: 0 })
    }
  })
})

describe("comments", () => {
  it("between siblings never decide a match", () => {
    const source = "function f() { /* a */ a(); // b\n b(/* c */ 1 /* d */, /* e */ 2); /* f */ }"
    expect(texts("javascript", source, "function f() { a(); b($A, $B); }")).toEqual([source])
    expect(captures("javascript", source, "b($A, $B)")).toEqual([{ A: "1", B: "2" }])
  })
  it("are not what `$NAME` takes", () => {
    expect(texts("javascript", "f(/* c */)", "f($A)")).toEqual([])
  })
  it("written in the pattern must be there", () => {
    const source = "f(/* c */ 1); f(1); f(/* d */ 1)"
    expect(texts("javascript", source, "f(/* c */ $A)")).toEqual(["f(/* c */ 1)"])
  })
})

describe("text that no child of a node covers", () => {
  it("is compared (Dart strings, CSS numbers, Kotlin's `?`)", () => {
    expect(texts("dart", "void f() { g('a'); g('b'); g(' a'); }", "g('a')")).toEqual(["g('a')"])
    expect(texts("css", "a { width: 1px; height: 2px }", "$P: 2px")).toEqual(["height: 2px"])
    expect(texts("kotlin", "val a: T? = x\nval b: T = x\n", "val $A: T = x")).toEqual(["val b: T = x"])
    expect(texts("yaml", "a: 'x'\nb: 'y'\n", "$K: 'y'")).toEqual(["b: 'y'"])
  })
  it("may be a metavariable", () => {
    expect(captures("dart", "import 'a.dart';\n", "import '$P';")).toEqual([{ P: "a.dart" }])
  })
})

describe("several siblings in a row", () => {
  it("match consecutive siblings", () => {
    expect(texts("javascript", "function f() { x(); a(); b(); y(); a(); c(); b() }", "a(); b()")).toEqual(["a(); b();"])
    expect(texts("python", "def f():\n    a()\n    b()\n    c()\n", "a()\nb()")).toEqual(["a()\n    b()"])
    expect(texts("python", "a(1)\nb(2)\n", "a($X); b($Y)")).toEqual(["a(1)\nb(2)"])
    expect(texts("go", "package m\nfunc f() {\n\tx := g()\n\tx.h()\n}\n", "$X := g()\n$X.h()")).toEqual([
      "x := g()\n\tx.h()"
    ])
  })
  it("are what a Dart call is", () => {
    const source = "void f() { a.b.c(1); x = print(print(2)); a..b(3); }"
    expect(texts("dart", source, "print($A)")).toEqual(["print(print(2))", "print(2)"])
    expect(captures("dart", source, "$X.c($A)")).toEqual([{ X: "a.b", A: "1" }])
  })
  it("end with a run that takes the rest", () => {
    expect(captures("javascript", "{ a(); b(); c() }", "a(); $$$REST")).toEqual([{ REST: ["b();", "c()"] }])
  })
})

describe("contexts", () => {
  const tell = (name: string, source: string, pattern: string) =>
    readings(name, source, pattern)
      .filter(({ matches }) => matches.length > 0)
      .map(({ context, matches }) => [context, matches.map(({ text }) => text)])

  it("each that reads the pattern in its own way is a reading", () => {
    expect(tell("typescript", "l: foo(); x = { a: 1 }", "$K: $V")).toEqual([
      ["statement", ["l: foo();"]],
      ["pair", ["a: 1"]]
    ])
    expect(tell("java", "class A { private int a = 1; void f() { int b = 2; } }", "private $T $F = $V;")).toEqual([
      ["member", ["private int a = 1;"]]
    ])
    expect(tell("python", "f(a=1)\na=2\n", "$K=$V")).toEqual([
      ["statement", ["a=2"]],
      ["argument", ["a=1"]]
    ])
    expect(tell("typescript", "let p: Promise<string>", "Promise<$T>")).toEqual([["type", ["Promise<string>"]]])
  })
  it("can be picked", () => {
    expect(texts("typescript", "l: foo(); x = { a: 1 }", "$K: $V", "pair")).toEqual(["a: 1"])
    expect(compile("typescript", "$K: $V", "nowhere")).toHaveProperty(
      "reason",
      expect.stringContaining("typescript has no context `nowhere`; it has statement, expression, member")
    )
  })
  it("a keyword alone is the statement", () => {
    expect(texts("javascript", "for (;;) { break; } l: for (;;) { break l; }", "break")).toEqual(["break;"])
  })
  it("`$$$A;` is a run of statements", () => {
    expect(captures("javascript", "function f() { a(); b(); return 1; }", "function f() { $$$A; return $X }")).toEqual([
      { A: ["a();", "b();"], X: "1" }
    ])
  })
  it("`$$$A` is the whole head of a loop", () => {
    const loops = "for (int i = 0; i < 3; i++) f(i); for (;;) { g(); }"
    for (const [name, source] of [
      ["c", `void w() { ${loops} }`],
      ["cpp", `void w() { ${loops} for (auto x : y) z(); }`],
      ["java", `class A { void w() { ${loops} for (int x : y) z(); } }`],
      ["csharp", `void w() { ${loops} foreach (var x in y) z(); }`],
      ["dart", `void w() { ${loops} }`],
      ["javascript", loops.replace("int", "let")],
      ["typescript", loops.replace("int", "let")],
      ["php", "<?php for ($i = 0; $i < 3; $i++) f($i); for (;;) { g(); }"]
    ] as const) {
      const heads = captures(name, source, "for ($$$A) $B").map(({ A }) => [A].flat())
      expect(heads, name).toHaveLength(2)
      expect(heads[0], name).toHaveLength(3)
      expect(heads[1]!.length === 0 || heads[1]!.every((part) => part === ";"), name).toBe(true)
      expect(captures(name, source, "for ($$$A) { $$$B }"), name).toHaveLength(1)
    }
  })
  it("a fragment copied from the middle of a file may be indented", () => {
    expect(texts("python", "if a:\n    b()\n    c()\n", "    b()\n    c()\n")).toEqual(["b()\n    c()"])
  })
})

describe("what no context accepts", () => {
  for (const [name, pattern] of [
    ["typescript", "foo("],
    ["typescript", "as any"],
    ["typescript", ""],
    ["typescript", "$A $B $C"],
    ["javascript", "else { $$$A }"],
    ["javascript", "Field($$$PRE title=$T $$$POS)"],
    ["python", "!= any_"],
    ["swift", "if let $A = $A"],
    ["javascript", "$$$A"]
  ] as const) {
    it(`${name}: ${JSON.stringify(pattern)}`, () => {
      expect(compile(name, pattern)).toHaveProperty("reason")
    })
  }
  it("says where it breaks off, in the nearest context", () => {
    expect(compile("javascript", "a;\nfoo(b c)")).toHaveProperty("reason", expect.stringContaining("on line 2 at `"))
  })
  it("shows the complete form of an incomplete declaration", () => {
    expect(compile("typescript", "export async function $METHOD")).toHaveProperty(
      "completion",
      "export async function $METHOD($$$PARAMETERS) { $$$BODY }"
    )
    expect(compile("python", "def $F($A)")).toHaveProperty("completion", "def $F($A):\n    $$$BODY")
  })
})

describe("nesting and order", () => {
  it("reports nested matches in document order, the longer first", () => {
    expect(texts("javascript", "a + b + c; f(f(1))", "$A + $B")).toEqual(["a + b + c", "a + b"])
    expect(texts("javascript", "f(f(1))", "f($A)")).toEqual(["f(f(1))", "f(1)"])
  })
})
