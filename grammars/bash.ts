import type { Grammar } from "../src/syntax/Grammar.ts"

export const bash: Grammar = {
  id: "bash",
  aliases: ["sh", "shell", "zsh", "shellscript"],
  extensions: ["sh", "bash", "zsh", "ksh", "bats"],
  filenames: [".bashrc", ".bash_profile", ".profile", ".zshrc"],
  wasm: {
    package: "@vscode/tree-sitter-wasm",
    path: "wasm/tree-sitter-bash.wasm",
    file: "bash.wasm",
    isBaseline: true
  },
  contexts: [
    { name: "statement", prefix: "", suffix: "" },
    { name: "statement", prefix: "", suffix: "\n" },
    { name: "expression", prefix: "[[ ", suffix: " ]]", single: true },
    { name: "declaration", prefix: "", suffix: "" },
    { name: "case", prefix: "case w in\n", suffix: "\nesac", single: true }
  ],
  spellings: ["@", "$@"],
  runSpellings: ["@\n", "@) @ ;;"],
  lineEndsStatement: true,
  strings: ["string", "string_content", "raw_string", "heredoc_redirect", "heredoc_body", "heredoc_content"]
}
