import type { Grammar } from "../src/syntax/Grammar.ts"

export const scala: Grammar = {
  id: "scala",
  aliases: ["sc"],
  extensions: ["scala", "sc", "sbt"],
  wasm: { package: "@cursorless/tree-sitter-wasms", path: "out/tree-sitter-scala.wasm", file: "scala.wasm" },
  contexts: [
    { name: "catch", prefix: "object W { def w = try w ", suffix: " }", single: true, when: "^(?:catch|finally)\\b" },
    { name: "statement", prefix: "object W { def w = {\n", suffix: "\n} }" },
    { name: "expression", prefix: "object W { val w = (", suffix: ") }", single: true },
    { name: "member", prefix: "class W {\n", suffix: "\n}" },
    { name: "declaration", prefix: "", suffix: "" },
    { name: "type", prefix: "object W { val w: ", suffix: " = w }", single: true },
    { name: "case", prefix: "object W { w match {\n", suffix: "\n} }" },
    { name: "annotation", prefix: "", suffix: " class W", single: true },
    { name: "parameter", prefix: "object W { def w(", suffix: ") = w }", single: true }
  ],
  spellings: ["@", "Z@", "@: @"],
  runSpellings: ["case @ => @", "@ <- @"],
  sequences: ["enumerators"],
  strings: ["string", "interpolated_string", "interpolated_string_expression", "character_literal"],
  transparent: ["indented_block"],
  lineEndsStatement: true,
  comments: { line: ["//"], block: [["/*", "*/"]] },
  accessors: ["."]
}
