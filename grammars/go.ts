import type { Grammar } from "../src/syntax/Grammar.ts"

export const go: Grammar = {
  id: "go",
  aliases: ["golang"],
  extensions: ["go"],
  wasm: { package: "@vscode/tree-sitter-wasm", path: "wasm/tree-sitter-go.wasm", file: "go.wasm" },
  contexts: [
    { name: "statement", prefix: "package p\nfunc __w() { ", suffix: "\n}" },
    { name: "expression", prefix: "package p\nvar __w = ", suffix: "\n", single: true },
    { name: "member", prefix: "package p\ntype __w interface { ", suffix: "\n}\n" },
    { name: "declaration", prefix: "package p\n", suffix: "\n" },
    { name: "type", prefix: "package p\nvar __w ", suffix: "\n", single: true },
    { name: "field", prefix: "package p\ntype __w struct { ", suffix: "\n}\n" },
    { name: "case", prefix: "package p\nfunc __w() { switch __w { ", suffix: "\n} }" },
    { name: "communication", prefix: "package p\nfunc __w() { select { ", suffix: "\n} }", single: true },
    { name: "pair", prefix: "package p\nvar __w = __w{ ", suffix: " }\n", single: true },
    { name: "parameter", prefix: "package p\nfunc __w(", suffix: ") {}\n", single: true }
  ],
  spellings: ["@", '"@"', "@ @"],
  runSpellings: ["case @:"],
  lineEndsStatement: true,
  strings: ["interpreted_string_literal", "raw_string_literal", "rune_literal"],
  transparent: ["statement_list"],
  comments: { line: ["//"], block: [["/*", "*/"]] },
  accessors: ["."]
}
