import type { Grammar } from "../src/syntax/Grammar.ts"

export const cpp: Grammar = {
  id: "cpp",
  aliases: ["c++", "cc", "cxx", "cplusplus"],
  extensions: ["cpp", "cc", "cxx", "hpp", "hh", "hxx", "ipp", "tpp", "cppm", "ixx"],
  wasm: { package: "@vscode/tree-sitter-wasm", path: "wasm/tree-sitter-cpp.wasm", file: "cpp.wasm" },
  contexts: [
    { name: "catch", prefix: "void __w() { try {} ", suffix: " }", single: true, when: "^(?:catch|finally)\\b" },
    { name: "statement", prefix: "void __w() { ", suffix: " }" },
    { name: "statement", prefix: "void __w() { ", suffix: "; }" },
    { name: "expression", prefix: "int __w = (", suffix: ");", single: true },
    { name: "member", prefix: "class __W { ", suffix: " };" },
    { name: "member", prefix: "class __W { ", suffix: "; };" },
    { name: "declaration", prefix: "", suffix: "" },
    { name: "declaration", prefix: "", suffix: ";" },
    { name: "declaration", prefix: "", suffix: "\n" },
    { name: "case", prefix: "void __w() { switch (__w) { ", suffix: " } }" },
    { name: "type", prefix: "int __w = (", suffix: ")__w;", single: true },
    { name: "parameter", prefix: "void __w(", suffix: ");", single: true }
  ],
  spellings: ["@", "@;", "@ @", '"@"'],
  runSpellings: ["@ @;", "case @:", "@()", "@; ;"],
  strings: ["string_literal", "raw_string_literal", "string_content", "raw_string_content", "char_literal"],
  comments: { line: ["//"], block: [["/*", "*/"]] },
  accessors: [".", "->", "::"]
}
