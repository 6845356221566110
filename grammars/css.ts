import type { Grammar } from "../src/syntax/Grammar.ts"

export const css: Grammar = {
  id: "css",
  extensions: ["css"],
  wasm: { package: "@vscode/tree-sitter-wasm", path: "wasm/tree-sitter-css.wasm", file: "css.wasm" },
  contexts: [
    { name: "rule", prefix: "", suffix: "" },
    { name: "declaration", prefix: "a { ", suffix: " }" },
    { name: "declaration", prefix: "a { ", suffix: "; }" },
    { name: "selector", prefix: "", suffix: " { }", single: true },
    { name: "value", prefix: "a { b: ", suffix: "; }", single: true }
  ],
  spellings: ["@"],
  runSpellings: ["@: @;", "@ {}", "1% { @: @ }"],
  strings: ["string_value", "string_content", "comment"],
  comments: { block: [["/*", "*/"]] }
}
