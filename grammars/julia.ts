import type { Grammar } from "../src/syntax/Grammar.ts"

export const julia: Grammar = {
  id: "julia",
  aliases: ["jl"],
  extensions: ["jl"],
  wasm: { package: "tree-sitter-julia", path: "tree-sitter-julia.wasm", file: "julia.wasm", isBaseline: true },
  contexts: [
    { name: "statement", prefix: "", suffix: "" },
    { name: "expression", prefix: "(", suffix: ")", single: true },
    { name: "member", prefix: "struct W\n", suffix: "\nend" },
    { name: "declaration", prefix: "", suffix: "" },
    { name: "argument", prefix: "w(", suffix: ")", single: true }
  ],
  spellings: ["@"],
  strings: ["string_literal", "prefixed_string_literal", "command_literal", "character_literal", "content"],
  clauses: ["elseif_clause", "else_clause", "catch_clause", "finally_clause"],
  lineEndsStatement: true,
  comments: { line: ["#"] }
}
