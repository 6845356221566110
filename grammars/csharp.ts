import type { Grammar } from "../src/syntax/Grammar.ts"

export const csharp: Grammar = {
  id: "csharp",
  aliases: ["cs", "c#", "c_sharp", "c-sharp"],
  extensions: ["cs", "csx"],
  wasm: { package: "@vscode/tree-sitter-wasm", path: "wasm/tree-sitter-c-sharp.wasm", file: "csharp.wasm" },
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
    { name: "expression", prefix: "class __W { object __w = ", suffix: "; }", single: true },
    { name: "member", prefix: "class __W { ", suffix: " }" },
    { name: "member", prefix: "class __W { ", suffix: "; }" },
    { name: "declaration", prefix: "", suffix: "" },
    { name: "type", prefix: "class __W { ", suffix: " __w; }", single: true },
    { name: "case", prefix: "class __W { void __w() { switch (__w) { ", suffix: " } } }" },
    { name: "attribute", prefix: "", suffix: " class __W {}", single: true },
    { name: "parameter", prefix: "class __W { void __w(", suffix: ") {} }", single: true }
  ],
  spellings: ["@", "@;", "@ @"],
  runSpellings: ["@ @;", "case @:", "@ => @", "@; ;"],
  strings: [
    "string_literal",
    "verbatim_string_literal",
    "raw_string_literal",
    "interpolated_string_expression",
    "string_literal_content",
    "string_content",
    "character_literal"
  ],
  comments: { line: ["//"], block: [["/*", "*/"]] },
  accessors: ["."]
}
