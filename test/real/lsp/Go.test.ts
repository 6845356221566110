import { suite } from "./Suite.ts"

const use = { file: "main.go", line: 10, symbol: "Area" } as const
const declared = { file: "shapes/shapes.go", line: 18, symbol: "Area" } as const

suite({
  server: "gopls",
  programs: ["gopls", "go"],
  project: {
    files: {
      "go.mod": "module example.com/real\n\ngo 1.21\n",
      "shapes/shapes.go": [
        "// Package shapes has shapes.",
        "package shapes",
        "",
        "// Shape is something with an area.",
        "type Shape interface {",
        "\tSize() int",
        "}",
        "",
        "// Square has equal sides.",
        "type Square struct{ Side int }",
        "",
        "// Size is the area of the square.",
        "func (s Square) Size() int {",
        "\treturn Area(s.Side)",
        "}",
        "",
        "// Area multiplies a number with itself.",
        "func Area(value int) int {",
        "\treturn value * value",
        "}",
        ""
      ].join("\n"),
      "main.go": [
        "package main",
        "",
        'import "example.com/real/shapes"',
        "",
        "var unit shapes.Shape = shapes.Square{Side: 1}",
        "",
        "func main() {",
        "\tprintln(unit.Size())",
        '\tsmile := "😀😀"',
        "\tprintln(smile, shapes.Area(2))",
        "\tvar wrong string = shapes.Area(3)",
        "\tprintln(wrong)",
        "}",
        ""
      ].join("\n"),
      "unused/unused.go": 'package unused\n\nimport "fmt"\n'
    }
  },
  anything: use,
  moved: ["main.go", "shapes/shapes.go", "unused/unused.go"],
  expected: {
    diagnostics: { file: "main.go", found: ["main.go:11 error IncompatibleAssign"] },
    definition: { ...use, at: ["shapes/shapes.go:18"] },
    type_definition: { file: "main.go", line: 5, symbol: "unit", at: ["shapes/shapes.go:5"] },
    implementation: { file: "shapes/shapes.go", line: 5, symbol: "Shape", at: ["shapes/shapes.go:10"] },
    references: { ...declared, at: ["main.go:10", "main.go:11", "shapes/shapes.go:14", "shapes/shapes.go:18"] },
    hover: { ...use, says: ["func shapes.Area(value int) int", "Area multiplies a number with itself."] },
    symbols: {
      file: "shapes/shapes.go",
      some: [
        "interface Shape shapes/shapes.go:5",
        "struct Square shapes/shapes.go:10",
        "function Area shapes/shapes.go:18"
      ]
    },
    "symbols query": { query: "Square", some: ["struct Square shapes/shapes.go:10"] },
    code_actions: { file: "unused/unused.go", line: 3, symbol: '"fmt"', titles: ["Organize Imports"] },
    incoming_calls: { ...declared, nodes: ["main main.go:7 < 10,11", "Size shapes/shapes.go:13 < 14"] },
    outgoing_calls: { file: "shapes/shapes.go", line: 13, symbol: "Size", nodes: ["Area shapes/shapes.go:18 < 14"] },
    supertypes: { file: "shapes/shapes.go", line: 10, symbol: "Square", nodes: ["Shape shapes/shapes.go:5"] },
    subtypes: { file: "shapes/shapes.go", line: 5, symbol: "Shape", nodes: ["Square shapes/shapes.go:10"] }
  }
})
