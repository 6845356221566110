import { suite } from "./Suite.ts"

const use = { file: "main.cpp", line: 4, symbol: "square" } as const
const declared = { file: "shapes.h", line: 16, symbol: "square" } as const
const command = (file: string) => ({ directory: "${root}", file, arguments: ["clang++", "-std=c++20", "-c", file] })

suite({
  server: "clangd",
  programs: ["clangd"],
  project: {
    files: {
      "compile_commands.json": JSON.stringify([command("main.cpp"), command("shapes.cpp")]),
      "shapes.h": [
        "#pragma once",
        "/// Something with an area.",
        "class Shape {",
        "public:",
        "  virtual int area() const = 0;",
        "};",
        "",
        "class Square : public Shape {",
        "public:",
        "  int side = 0;",
        "  explicit Square(int side) : side(side) {}",
        "  int area() const override;",
        "};",
        "",
        "/// Multiplies a number with itself.",
        "int square(int value);",
        ""
      ].join("\n"),
      "shapes.cpp": [
        '#include "shapes.h"',
        "",
        "int square(int value) { return value * value; }",
        "",
        "int Square::area() const { return square(side); }",
        ""
      ].join("\n"),
      "main.cpp": [
        '#include "shapes.h"',
        "",
        "const Square unit(1);",
        'const char *smile = "😀😀"; const int four = square(2);',
        "const char *wrong = square(3);",
        "int main() { return unit.area() + square(four) }",
        ""
      ].join("\n")
    }
  },
  anything: use,
  moved: ["shapes.h", "shapes.cpp", "main.cpp"],
  expected: {
    diagnostics: {
      file: "main.cpp",
      found: ["main.cpp:5 error init_conversion_failed", "main.cpp:6 error expected_semi_after_stmt"]
    },
    declaration: { ...use, at: ["shapes.h:16"] },
    definition: { ...use, at: ["shapes.cpp:3"] },
    type_definition: { file: "main.cpp", line: 3, symbol: "unit", at: ["shapes.h:8"] },
    implementation: { file: "shapes.h", line: 3, symbol: "Shape", at: ["shapes.h:8"] },
    references: {
      ...declared,
      at: ["main.cpp:4", "main.cpp:5", "main.cpp:6", "shapes.cpp:3", "shapes.cpp:5", "shapes.h:16"]
    },
    hover: { ...use, says: ["square", "Multiplies a number with itself."] },
    symbols: {
      file: "shapes.h",
      some: ["class Shape shapes.h:3", "class Square shapes.h:8", "function square shapes.h:16"]
    },
    "symbols query": { query: "Square", some: ["class Square shapes.h:8"] },
    code_actions: { file: "main.cpp", line: 6, symbol: "}", titles: ["insert ';'"] },
    incoming_calls: {
      ...declared,
      nodes: ["four main.cpp:4 < 4", "main main.cpp:6 < 6", "wrong main.cpp:5 < 5", "area shapes.cpp:5 < 5"]
    },
    outgoing_calls: { file: "shapes.cpp", line: 5, symbol: "area", nodes: ["square shapes.cpp:3 < 5"] },
    supertypes: { file: "shapes.h", line: 8, symbol: "Square", nodes: ["Shape shapes.h:3"] },
    subtypes: { file: "shapes.h", line: 3, symbol: "Shape", nodes: ["Square shapes.h:8"] }
  }
})
