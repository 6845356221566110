import type { Grammar } from "../src/syntax/Grammar.ts"
import { embedded } from "./html.ts"

export const svelte: Grammar = {
  id: "svelte",
  extensions: ["svelte"],
  wasm: { package: "@tree-sitter-grammars/tree-sitter-svelte", path: "tree-sitter-svelte.wasm", file: "svelte.wasm" },
  contexts: [
    { name: "attribute", prefix: "<w ", suffix: "></w>", when: "^[\\w:|-]+=" },
    { name: "document", prefix: "", suffix: "" },
    { name: "attribute", prefix: "<w ", suffix: "></w>" }
  ],
  clauses: ["else_block", "else_if_block"],
  strings: ["text", "raw_text", "svelte_raw_text", "quoted_attribute_value", "attribute_value"],
  embedded,
  comments: { block: [["<!--", "-->"]] }
}
