import type { Grammar } from "../src/syntax/Grammar.ts"

export const r: Grammar = {
  id: "r",
  aliases: ["rlang"],
  extensions: ["r"],
  filenames: [".Rprofile"],
  wasm: { package: "@cursorless/tree-sitter-wasms", path: "out/tree-sitter-r.wasm", file: "r.wasm" },
  contexts: [
    { name: "statement", prefix: "", suffix: "" },
    { name: "expression", prefix: "(", suffix: ")", single: true },
    { name: "declaration", prefix: "", suffix: "" },
    { name: "argument", prefix: "w(", suffix: ")", single: true },
    { name: "parameter", prefix: "function(", suffix: ") w", single: true }
  ],
  spellings: ["@"],
  strings: ["string", "string_content"],
  tokens: [["comma", ","]],
  varied: ["special"],
  lineEndsStatement: true,
  comments: { line: ["#"] }
}
