import type { Grammar } from "../src/syntax/Grammar.ts"

export const elixir: Grammar = {
  id: "elixir",
  aliases: ["ex", "exs"],
  extensions: ["ex", "exs"],
  wasm: { package: "@cursorless/tree-sitter-wasms", path: "out/tree-sitter-elixir.wasm", file: "elixir.wasm" },
  contexts: [
    { name: "statement", prefix: "", suffix: "" },
    { name: "expression", prefix: "(", suffix: ")" },
    { name: "member", prefix: "", suffix: "" },
    { name: "declaration", prefix: "", suffix: "" },
    { name: "case", prefix: "case w do\n", suffix: "\nend" },
    { name: "pair", prefix: "%{ ", suffix: " }", single: true }
  ],
  spellings: ["@", "Z@"],
  runSpellings: ["@ -> @"],
  strings: ["string", "charlist", "sigil", "quoted_content", "quoted_atom"],
  lineEndsStatement: true,
  comments: { line: ["#"] }
}
