import type { Grammar } from "../src/syntax/Grammar.ts"

export const hcl: Grammar = {
  id: "hcl",
  aliases: ["terraform", "tf", "opentofu", "packer"],
  extensions: ["hcl", "tf", "tfvars", "tofu"],
  wasm: { package: "@cursorless/tree-sitter-wasms", path: "out/tree-sitter-hcl.wasm", file: "hcl.wasm" },
  contexts: [
    { name: "declaration", prefix: "", suffix: "" },
    { name: "declaration", prefix: "", suffix: "\n" },
    { name: "expression", prefix: "w = ", suffix: "\n", single: true },
    { name: "pair", prefix: "w = { ", suffix: " }\n", single: true }
  ],
  spellings: ["@", '"@"'],
  runSpellings: ["@ = 0", "@ {}"],
  strings: ["string_lit", "template_literal", "quoted_template", "heredoc_template"],
  tokens: [
    ["block_start", "{"],
    ["block_end", "}"],
    ["object_start", "{"],
    ["object_end", "}"],
    ["tuple_start", "["],
    ["tuple_end", "]"]
  ],
  transparent: ["body"],
  sequences: ["body", "function_arguments"],
  lineEndsStatement: true
}
