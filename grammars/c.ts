import type { Grammar } from "../src/syntax/Grammar.ts"

export const c: Grammar = {
  id: "c",
  extensions: ["c", "h"],
  wasm: { package: "@repomix/tree-sitter-wasms", path: "out/tree-sitter-c.wasm", file: "c.wasm" },
  contexts: [
    { name: "statement", prefix: "void __w(void) { ", suffix: " }" },
    { name: "statement", prefix: "void __w(void) { ", suffix: "; }" },
    { name: "expression", prefix: "int __w = (", suffix: ");", single: true },
    { name: "member", prefix: "struct __w { ", suffix: " };" },
    { name: "member", prefix: "struct __w { ", suffix: "; };" },
    { name: "declaration", prefix: "", suffix: "" },
    { name: "declaration", prefix: "", suffix: "\n" },
    { name: "case", prefix: "void __w(void) { switch (__w) { ", suffix: " } }" },
    { name: "type", prefix: "int __w = (", suffix: ")__w;", single: true },
    { name: "parameter", prefix: "void __w(", suffix: ");", single: true }
  ],
  spellings: ["@", "@;", "@ @", '"@"'],
  runSpellings: ["@ @;", "case @:", "@; ;"],
  strings: ["string_literal", "string_content", "char_literal"],
  comments: { line: ["//"], block: [["/*", "*/"]] },
  accessors: [".", "->"]
}
