import type { Grammar } from "../src/syntax/Grammar.ts"

export const java: Grammar = {
  id: "java",
  extensions: ["java"],
  wasm: { package: "@vscode/tree-sitter-wasm", path: "wasm/tree-sitter-java.wasm", file: "java.wasm" },
  contexts: [
    {
      name: "catch",
      prefix: "class __W { void __w() { try {} ",
      suffix: " } }",
      single: true,
      when: "^(?:catch|finally)\\b"
    },
    { name: "statement", prefix: "class __W { void __w() { ", suffix: " } }" },
    { name: "statement", prefix: "class __W { void __w() { ", suffix: "; } }" },
    { name: "expression", prefix: "class __W { Object __w = ", suffix: "; }", single: true },
    { name: "member", prefix: "class __W { ", suffix: " }" },
    { name: "member", prefix: "class __W { ", suffix: "; }" },
    { name: "declaration", prefix: "", suffix: "" },
    { name: "type", prefix: "class __W { ", suffix: " __w; }", single: true },
    { name: "case", prefix: "class __W { void __w() { switch (__w) { ", suffix: " } } }" },
    { name: "annotation", prefix: "", suffix: " class __W {}", single: true },
    { name: "parameter", prefix: "class __W { void __w(", suffix: ") {} }", single: true }
  ],
  spellings: ["@", "@;", "@ @"],
  runSpellings: ["@ @;", "case @:", "@; ;"],
  strings: ["string_literal", "string_fragment", "multiline_string_fragment", "character_literal"],
  comments: { line: ["//"], block: [["/*", "*/"]] },
  accessors: ["."]
}
