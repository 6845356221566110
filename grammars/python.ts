import type { Grammar } from "../src/syntax/Grammar.ts"

export const python: Grammar = {
  id: "python",
  aliases: ["py", "python3"],
  extensions: ["py", "pyi", "pyw"],
  wasm: { package: "@vscode/tree-sitter-wasm", path: "wasm/tree-sitter-python.wasm", file: "python.wasm" },
  contexts: [
    { name: "statement", prefix: "", suffix: "" },
    { name: "expression", prefix: "(", suffix: ")" },
    { name: "member", prefix: "", suffix: "" },
    { name: "declaration", prefix: "", suffix: "" },
    { name: "decorator", prefix: "", suffix: "\ndef __w(): pass" },
    { name: "except", prefix: "try: pass\n", suffix: "" },
    { name: "elif", prefix: "if __w: pass\n", suffix: "", single: true },
    { name: "case", prefix: "match __w:\n ", suffix: "" },
    { name: "argument", prefix: "__w(", suffix: ")", single: true },
    { name: "parameter", prefix: "def __w(", suffix: "): pass", single: true },
    { name: "pair", prefix: "{", suffix: "}", single: true },
    { name: "type", prefix: "__w: ", suffix: "", single: true }
  ],
  spellings: ["@"],
  runSpellings: ["case @: pass", "@: @"],
  lineEndsStatement: true,
  strings: ["string", "string_content", "concatenated_string"],
  comments: { line: ["#"] },
  filled: ["block"],
  parenthesized: ["import_from_statement", "future_import_statement", "with_clause"],
  accessors: ["."]
}
