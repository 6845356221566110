import type { Grammar } from "../src/syntax/Grammar.ts"

export const kotlin: Grammar = {
  id: "kotlin",
  aliases: ["kt", "kts"],
  extensions: ["kt", "kts"],
  wasm: {
    package: "@cursorless/tree-sitter-wasms",
    path: "out/tree-sitter-kotlin.wasm",
    file: "kotlin.wasm",
    isBaseline: true
  },
  contexts: [
    { name: "catch", prefix: "fun w() {\ntry {} ", suffix: "\n}", single: true, when: "^(?:catch|finally)\\b" },
    { name: "statement", prefix: "fun w() {\n", suffix: "\n}" },
    { name: "expression", prefix: "val w = (", suffix: ")", single: true },
    { name: "member", prefix: "class W {\n", suffix: "\n}" },
    { name: "declaration", prefix: "", suffix: "" },
    { name: "type", prefix: "val w: ", suffix: "", single: true },
    { name: "case", prefix: "val w = when (w) {\n", suffix: "\n}", single: true },
    { name: "argument", prefix: "val w = w(", suffix: ")", single: true },
    { name: "annotation", prefix: "", suffix: "\nfun w() {}", single: true },
    { name: "parameter", prefix: "fun w(", suffix: ") {}", single: true }
  ],
  spellings: ["@", "Z@", "@: @"],
  runSpellings: ["@ -> @", "val @ = @\n", "val @: @"],
  strings: ["string_literal", "character_literal"],
  transparent: ["statements"],
  lineEndsStatement: true,
  comments: { line: ["//"], block: [["/*", "*/"]] },
  accessors: ["."]
}
