import type { Grammar } from "../src/syntax/Grammar.ts"

export const javascript: Grammar = {
  id: "javascript",
  aliases: ["js", "jsx", "node", "javascriptreact"],
  extensions: ["js", "mjs", "cjs", "jsx"],
  wasm: { package: "@vscode/tree-sitter-wasm", path: "wasm/tree-sitter-javascript.wasm", file: "javascript.wasm" },
  contexts: [
    { name: "statement", prefix: "", suffix: "" },
    { name: "expression", prefix: "(", suffix: ")" },
    { name: "member", prefix: "class __W { ", suffix: " }" },
    { name: "declaration", prefix: "", suffix: "" },
    { name: "case", prefix: "switch (__w) { ", suffix: " }" },
    { name: "pair", prefix: "({ ", suffix: " })", single: true },
    { name: "parameter", prefix: "function __w(", suffix: ") {}", single: true },
    { name: "decorator", prefix: "", suffix: " class __W {}", single: true },
    { name: "catch", prefix: "try {} ", suffix: "", single: true },
    { name: "attribute", prefix: "<__w ", suffix: " />", single: true }
  ],
  spellings: ["@", '"@"'],
  runSpellings: ["case @:", "@; ;"],
  strings: ["string", "string_fragment", "template_string", "regex_pattern"],
  comments: { line: ["//"], block: [["/*", "*/"]] },
  accessors: ["."]
}
