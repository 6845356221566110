import type { Grammar } from "../src/syntax/Grammar.ts"

export const rust: Grammar = {
  id: "rust",
  aliases: ["rs"],
  extensions: ["rs"],
  wasm: { package: "@vscode/tree-sitter-wasm", path: "wasm/tree-sitter-rust.wasm", file: "rust.wasm" },
  contexts: [
    { name: "statement", prefix: "fn __w() { ", suffix: " }" },
    { name: "statement", prefix: "fn __w() { ", suffix: "; }" },
    { name: "expression", prefix: "fn __w() { __w(", suffix: "); }", single: true },
    { name: "member", prefix: "impl __W { ", suffix: " }" },
    { name: "member", prefix: "trait __W { ", suffix: " }" },
    { name: "declaration", prefix: "", suffix: "" },
    { name: "case", prefix: "fn __w() { match __w { ", suffix: " } }" },
    { name: "case", prefix: "fn __w() { match __w { ", suffix: ", } }" },
    { name: "field", prefix: "struct __W { ", suffix: " }" },
    { name: "type", prefix: "type __W = ", suffix: ";", single: true },
    { name: "pattern", prefix: "fn __w() { let ", suffix: " = __w else { return }; }", single: true },
    { name: "parameter", prefix: "fn __w(", suffix: ") {}", single: true }
  ],
  spellings: ["@", "@;"],
  runSpellings: ["@: @", "@ => @,", "fn @() {}", "(@) => {@}"],
  unparsed: ["token_tree"],
  strings: ["string_literal", "raw_string_literal", "string_content", "char_literal"],
  comments: { line: ["//"], block: [["/*", "*/"]] },
  accessors: [".", "::"]
}
