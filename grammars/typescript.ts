import type { Context, Grammar } from "../src/syntax/Grammar.ts"

const contexts: ReadonlyArray<Context> = [
  { name: "statement", prefix: "", suffix: "" },
  { name: "expression", prefix: "(", suffix: ")" },
  { name: "member", prefix: "class __W { ", suffix: " }" },
  { name: "declaration", prefix: "declare namespace __w { ", suffix: " }" },
  { name: "type", prefix: "let __w: ", suffix: ";", single: true },
  { name: "signature", prefix: "interface __W { ", suffix: " }", single: true },
  { name: "case", prefix: "switch (__w) { ", suffix: " }" },
  { name: "pair", prefix: "({ ", suffix: " })", single: true },
  { name: "parameter", prefix: "function __w(", suffix: ") {}", single: true },
  { name: "decorator", prefix: "", suffix: " class __W {}", single: true },
  { name: "catch", prefix: "try {} ", suffix: "", single: true }
]

const shared = {
  contexts,
  spellings: ["@", '"@"'],
  runSpellings: ["case @:", "@; ;"],
  strings: ["string", "string_fragment", "template_string", "regex_pattern"],
  comments: { line: ["//"], block: [["/*", "*/"]] },
  accessors: ["."]
} as const

export const typescript: Grammar = {
  ...shared,
  id: "typescript",
  aliases: ["ts"],
  extensions: ["ts", "mts", "cts"],
  wasm: {
    package: "@vscode/tree-sitter-wasm",
    path: "wasm/tree-sitter-typescript.wasm",
    file: "typescript.wasm"
  }
}

export const tsx: Grammar = {
  ...shared,
  contexts: [...contexts, { name: "attribute", prefix: "<__w ", suffix: " />", single: true }],
  id: "tsx",
  aliases: ["typescriptreact"],
  extensions: ["tsx"],
  wasm: { package: "@vscode/tree-sitter-wasm", path: "wasm/tree-sitter-tsx.wasm", file: "tsx.wasm" }
}
