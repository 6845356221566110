/** Rewriting (SPEC §6.2): the shared cases, and each promise by itself. */
import { describe, expect, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import * as Template from "../../../src/syntax/Template.ts"
import { grammars, rewrite } from "../../support/languages.ts"

const output = (name: string, source: string, pattern: string, template: string) => {
  const result = rewrite(name, source, pattern, template)
  return "output" in result ? result.output : result
}

interface Case {
  readonly id: string
  readonly language: string
  readonly source: string
  readonly pattern: string
  readonly rewrite?: string
  readonly expected_output?: string
  readonly spec_expected_output?: string
  readonly spec_error?: string
}

const cases = readFileSync(new URL("../../cases/structural-open.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Case)

describe("structural-open.jsonl", () => {
  for (const {
    expected_output,
    id,
    language,
    pattern,
    rewrite: template,
    source,
    spec_error,
    spec_expected_output
  } of cases) {
    if (template === undefined || grammars.named(language) === undefined) continue
    it(id, () => {
      // The engine is given texts without their byte order mark; the file keeps it.
      const mark = source.startsWith("\uFEFF") ? "\uFEFF" : ""
      const result = output(language, source.slice(mark.length), pattern, template)
      if (spec_error !== undefined) expect(result).toHaveProperty("error")
      else expect(`${mark}${result as string}`).toBe(spec_expected_output ?? expected_output)
    })
  }
})

describe("indentation", () => {
  it("is the code's own where it is tabs", () => {
    expect(
      output("javascript", "\tif (x) {\n\t\ta()\n\t\tb()\n\t}\n", "if ($C) { $$$B }", "while ($C) {\n  $$$B\n}")
    ).toBe("\twhile (x) {\n\t\ta()\n\t\tb()\n\t}\n")
    expect(
      output("go", "package m\nfunc f() {\n\tif a {\n\t\tb()\n\t}\n}\n", "if $C { $$$B }", "for $C {\n\t$$$B\n}")
    ).toBe("package m\nfunc f() {\n\tfor a {\n\t\tb()\n\t}\n}\n")
  })
  it("is spaces where the code has spaces and the template tabs", () => {
    expect(output("javascript", "  if (x) {\n    a()\n  }\n", "if ($C) { $$$B }", "while ($C) {\n\t$$$B\n}")).toBe(
      "  while (x) {\n    a()\n  }\n"
    )
  })
  it("keeps what is relative inside a capture", () => {
    expect(output("javascript", "f(() => {\n    a(\n      1)\n})\n", "f($X)", "g(\n  $X\n)")).toBe(
      "g(\n  () => {\n      a(\n        1)\n  }\n)\n"
    )
  })
  it("never moves the inside of strings, in the code", () => {
    const source = 'def f():\n    g("""a\n  b\n""")\n'
    expect(output("python", source, "g($A)", "if x:\n    h($A)")).toBe(
      'def f():\n    if x:\n        h("""a\n  b\n""")\n'
    )
  })
  it("nor in the template", () => {
    expect(output("javascript", "  f(1)\n", "f($A)", "g(`\nx\n`, $A)")).toBe("  g(`\nx\n`, 1)\n")
  })
})

describe("separators", () => {
  it("beside an empty run are not written", () => {
    expect(output("javascript", "f()", "f($$$A)", "g($$$A, 0)")).toBe("g(0)")
    expect(output("javascript", "f()", "f($$$A)", "g(0, $$$A)")).toBe("g(0)")
    expect(output("javascript", "f()", "f($$$A)", "g(0, $$$A, 1)")).toBe("g(0, 1)")
    expect(output("javascript", "f(1)", "f($X, $$$A)", "g($X, $$$A)")).toBe("g(1)")
    expect(output("javascript", "f()", "f($$$A)", "g(\n  0,\n  $$$A\n)")).toBe("g(\n  0\n)")
    expect(output("javascript", "if (x) {}", "if ($C) { $$$B }", "while ($C) {\n  $$$B\n}")).toBe("while (x) {\n}")
    expect(output("javascript", "if (x) {}", "if ($C) { $$$B }", "{ $$$B; return 1 }")).toBe("{ return 1 }")
  })
  it("are not doubled", () => {
    expect(output("javascript", "f(1, 2,)", "f($$$A)", "g($$$A, 3)")).toBe("g(1, 2, 3)")
    expect(output("javascript", "{ a(); b(); }", "{ $$$A }", "{ $$$A; c(); }")).toBe("{ a(); b(); c(); }")
  })
})

describe("semicolons", () => {
  it("that the pattern does not have stay", () => {
    expect(output("typescript", 'import a from "m";\n', 'import $A from "m"', 'import $A from "n"')).toBe(
      'import a from "n";\n'
    )
    expect(output("java", "class A { void f() { if (x) g(1); } }", "if ($C) g($A)", "if (!$C) h($A)")).toBe(
      "class A { void f() { if (!x) h(1); } }"
    )
    expect(output("dart", "void f() { dispose(a.b); }", "dispose($X)", "$X.dispose()")).toBe(
      "void f() { a.b.dispose(); }"
    )
  })
  it("that end the last member of a run are written with it", () => {
    expect(output("dart", "class A { int a = 1; int b = 2; }", "class A { $$$M }", "class B { $$$M }")).toBe(
      "class B { int a = 1; int b = 2; }"
    )
  })
})

describe("line ends and characters", () => {
  it("of a file with CRLF stay CRLF", () => {
    expect(output("javascript", "f(1)\r\nf(2)\r\n", "f($A)", "{\n  g($A)\n}")).toBe(
      "{\r\n  g(1)\r\n}\r\n{\r\n  g(2)\r\n}\r\n"
    )
  })
  it("beyond the basic plane are whole", () => {
    expect(output("javascript", 's = "😀"; f("😀")', "f($A)", "g($A)")).toBe('s = "😀"; g("😀")')
  })
})

describe("what is told", () => {
  it("nested matches that are left", () => {
    expect(rewrite("javascript", "f(f(f(1)))", "f($A)", "g($A)")).toMatchObject({ output: "g(f(f(1)))", nested: 2 })
  })
  it("comments and keywords that are dropped", () => {
    expect(rewrite("javascript", "x;\nf(/* why */ 1)", "f($A)", "g($A)")).toMatchObject({
      lost: [{ line: 2, text: "/* why */" }]
    })
    expect(
      rewrite("javascript", "async function f() { a() }", "function $F() { $$$B }", "$F = () => { $$$B }")
    ).toMatchObject({
      lost: [{ line: 1, text: "async" }]
    })
    expect(rewrite("javascript", "f(a, /* kept */ b)", "f($$$A)", "g($$$A)")).toMatchObject({ lost: [] })
  })
  it("syntax errors that the file did not have", () => {
    expect(rewrite("javascript", "f(1)", "f($A)", "g($A")).toMatchObject({ errors: { before: 0, after: 1 } })
    expect(rewrite("javascript", "f(1); (", "f($A)", "g($A)")).toMatchObject({ errors: { before: 1, after: 1 } })
  })
  it("a block that is left without a statement, where there must be one", () => {
    expect(rewrite("python", "def g():\n    f(1)\n", "f($A)", "")).toMatchObject({ errors: { before: 0, after: 1 } })
    expect(rewrite("python", "def g():\n    f(1)\n    h()\n", "f($A)", "")).toMatchObject({
      errors: { before: 0, after: 0 }
    })
    expect(rewrite("ruby", "def g\n  f(1)\nend\n", "f($A)", "")).toMatchObject({ errors: { before: 0, after: 0 } })
  })
  it("how many matches each reading has", () => {
    expect(rewrite("typescript", "l: foo(); x = { a: 1 }", "$K: $V", "$K: $V")).toMatchObject({ counts: [1] })
  })
})

describe("templates", () => {
  it("escape what is literal", () => {
    expect(output("bash", "echo a\n", "echo $X", "echo \\$HOME $X")).toBe("echo $HOME a\n")
  })
  it("leave `$a`, `$1` and `$_NAME` as they are", () => {
    expect(output("javascript", "f(1)", "f($A)", "$a.$1($_X, $A)")).toBe("$a.$1($_X, 1)")
  })
  for (const [template, message] of [
    ["g($B)", "`$B` is not bound: the pattern binds `$A`, `$$$R`"],
    ["g($_)", "`$_` captures nothing"],
    ["g($$$)", "`$$$` captures nothing"],
    ["g($R)", "`$R` is a run in the pattern"],
    ["g($$$A)", "`$$$A` is one node in the pattern"],
    ["g($$A)", "`$$A` is not a metavariable"]
  ] as const) {
    it(`refuse ${template}`, () => {
      expect(Template.fault(template, "f($A, $$$R)")).toContain(message)
    })
  }
  it("are refused where a metavariable is only a part of a token of the pattern", () => {
    expect(rewrite("javascript", 'f("pre x")', 'f("pre $A")', "g($A)")).toMatchObject({
      error: expect.stringContaining(
        "`A` captures nothing, because in the pattern (read as statement) it is only a part of a token"
      )
    })
  })
  it("that are empty remove the match", () => {
    expect(output("javascript", "a();\nf(1);\n", "f($A);", "")).toBe("a();\n\n")
  })
  it("that are empty leave no comma beside nothing", () => {
    for (const [source, expected] of [
      ["g(a, f(1), b)", "g(a, b)"],
      ["g(f(1), b)", "g(b)"],
      ["g(a, f(1))", "g(a)"],
      ["g(f(1))", "g()"],
      ["g(a, f(1), f(2))", "g(a)"],
      ["g(f(1), f(2), f(3))", "g()"],
      ["g(f(1), f(2), b)", "g(b)"],
      ["g(\n  a,\n  f(1),\n  b\n)", "g(\n  a,\n  b\n)"],
      ["g(\n  a,\n  f(1)\n)", "g(\n  a\n)"],
      ["[a, f(1), b]", "[a, b]"]
    ] as const) {
      expect(output("javascript", source, "f($A)", "")).toBe(expected)
    }
  })
})
