import type { Grammar } from "../src/syntax/Grammar.ts"

export const powershell: Grammar = {
  id: "powershell",
  aliases: ["ps1", "ps", "pwsh", "posh"],
  extensions: ["ps1", "psm1", "psd1"],
  wasm: {
    package: "@vscode/tree-sitter-wasm",
    path: "wasm/tree-sitter-powershell.wasm",
    file: "powershell.wasm",
    isBaseline: true
  },
  contexts: [
    { name: "parameters", prefix: "function w {\n", suffix: "\n}", single: true, when: "^param\\b" },
    { name: "statement", prefix: "", suffix: "" },
    { name: "expression", prefix: "$w = (", suffix: ")", single: true },
    { name: "member", prefix: "class W {\n", suffix: "\n}" },
    { name: "declaration", prefix: "", suffix: "" },
    { name: "case", prefix: "switch ($w) {\n", suffix: "\n}", single: true },
    { name: "parameter", prefix: "function w {\nparam(", suffix: ")\n}", single: true },
    { name: "type", prefix: "[", suffix: "]$w", single: true }
  ],
  spellings: ["$@", "@"],
  strings: [
    "expandable_string_literal",
    "verbatim_string_characters",
    "expandable_here_string_literal",
    "verbatim_here_string_characters"
  ],
  tokens: [
    ["command_argument_sep", " "],
    ["empty_statement", ";"]
  ],
  transparent: ["statement_list"],
  sequences: ["statement_list", "argument_expression_list", "parameter_list", "script_block", "script_block_body"],
  lineEndsStatement: true,
  comments: { line: ["#"] },
  caseInsensitive: true
}
