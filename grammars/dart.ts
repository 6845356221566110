import type { Grammar } from "../src/syntax/Grammar.ts"

export const dart: Grammar = {
  id: "dart",
  aliases: ["flutter"],
  extensions: ["dart"],
  wasm: { package: "@repomix/tree-sitter-wasms", path: "out/tree-sitter-dart.wasm", file: "dart.wasm" },
  contexts: [
    { name: "catch", prefix: "void __w() { try {} ", suffix: " }", when: "^(?:on|catch|finally)\\b" },
    { name: "statement", prefix: "void __w() { ", suffix: " }" },
    { name: "statement", prefix: "void __w() { ", suffix: "; }" },
    { name: "expression", prefix: "var __w = (", suffix: ");" },
    { name: "member", prefix: "class __W { ", suffix: " }" },
    { name: "member", prefix: "class __W { ", suffix: "; }" },
    { name: "declaration", prefix: "", suffix: "" },
    { name: "type", prefix: "typedef __W = ", suffix: ";", single: true },
    { name: "case", prefix: "void __w() { switch (__w) { ", suffix: " } }" },
    { name: "argument", prefix: "var __w = __w(", suffix: ");", single: true },
    { name: "directive", prefix: "", suffix: "", single: true, spellings: ["'@'"] },
    { name: "annotation", prefix: "", suffix: " class __W {}", single: true },
    { name: "parameter", prefix: "void __w(", suffix: ") {}", single: true }
  ],
  spellings: ["@", "'@'", "@;", "@ @"],
  runSpellings: ["@ @;", "case @:", "@; ;"],
  terminated: ["declaration", "method_signature"],
  strings: ["string_literal", "uri"],
  transparent: ["local_function_declaration", "lambda_expression"],
  links: ["selector", "cascade_section"],
  comments: { line: ["//"], block: [["/*", "*/"]] },
  accessors: ["."]
}
