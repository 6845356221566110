import type { Grammar } from "../src/syntax/Grammar.ts"

export const yaml: Grammar = {
  id: "yaml",
  aliases: ["yml"],
  extensions: ["yaml", "yml"],
  wasm: { package: "@kerebron/wasm", path: "assets/tree-sitter-yaml/tree-sitter-yaml.wasm", file: "yaml.wasm" },
  contexts: [{ name: "document", prefix: "", suffix: "" }],
  runSpellings: ["@: 0"],
  strings: ["single_quote_scalar", "double_quote_scalar", "block_scalar", "plain_scalar", "string_scalar"],
  transparent: ["stream", "document", "block_mapping", "block_sequence", "block_node", "flow_node"],
  comments: { line: ["#"] }
}
