import type { Grammar } from "../src/syntax/Grammar.ts"

export const markdown: Grammar = {
  id: "markdown",
  aliases: ["md", "mdx"],
  extensions: ["md", "markdown", "mdx", "mkd"],
  wasm: {
    package: "@kerebron/wasm",
    path: "assets/tree-sitter-markdown/tree-sitter-markdown.wasm",
    file: "markdown.wasm"
  },
  contexts: [
    { name: "row", prefix: "| w | w |\n| - | - |\n", suffix: "\n", single: true, when: "^\\|.*\\|$" },
    { name: "block", prefix: "", suffix: "\n" }
  ],
  spellings: ["@"],
  tokens: [["block_continuation", " "]],
  transparent: ["section"],
  strings: ["inline", "code_fence_content", "indented_code_block", "html_block", "info_string", "pipe_table_cell"]
}
