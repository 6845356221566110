import type { Grammar } from "../src/syntax/Grammar.ts"

export const swift: Grammar = {
  id: "swift",
  extensions: ["swift"],
  wasm: {
    package: "@repomix/tree-sitter-wasms",
    path: "out/tree-sitter-swift.wasm",
    file: "swift.wasm",
    isBaseline: true
  },
  contexts: [
    { name: "catch", prefix: "func w() {\ndo {} ", suffix: "\n}", single: true, when: "^catch\\b" },
    { name: "statement", prefix: "func w() {\n", suffix: "\n}" },
    { name: "expression", prefix: "let w = (", suffix: ")", single: true },
    { name: "member", prefix: "class W {\n", suffix: "\n}" },
    { name: "declaration", prefix: "", suffix: "" },
    { name: "type", prefix: "let w: ", suffix: "", single: true },
    { name: "case", prefix: "switch w {\n", suffix: "\n}", single: true },
    { name: "attribute", prefix: "", suffix: "\nvar w: W", single: true },
    { name: "parameter", prefix: "func w(", suffix: ") {}", single: true }
  ],
  spellings: ["@", "Z@", "@: @"],
  runSpellings: ["case @: @", "var @ = @\n", "func @()"],
  strings: ["line_string_literal", "multi_line_string_literal", "raw_string_literal"],
  transparent: ["statements"],
  lineEndsStatement: true,
  comments: { line: ["//"], block: [["/*", "*/"]] },
  accessors: ["."]
}
