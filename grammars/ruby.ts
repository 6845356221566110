import type { Grammar } from "../src/syntax/Grammar.ts"

export const ruby: Grammar = {
  id: "ruby",
  aliases: ["rb"],
  extensions: ["rb", "rake", "gemspec", "ru"],
  filenames: ["Gemfile", "Rakefile", "Guardfile", "Podfile", "Fastfile", "Vagrantfile"],
  wasm: { package: "@vscode/tree-sitter-wasm", path: "wasm/tree-sitter-ruby.wasm", file: "ruby.wasm" },
  contexts: [
    { name: "statement", prefix: "", suffix: "" },
    { name: "expression", prefix: "(", suffix: ")" },
    { name: "member", prefix: "class W\n", suffix: "\nend" },
    { name: "declaration", prefix: "", suffix: "" },
    { name: "case", prefix: "case w\n", suffix: "\nend", single: true },
    { name: "rescue", prefix: "begin\n", suffix: "\nend", single: true },
    { name: "pair", prefix: "w = { ", suffix: " }", single: true }
  ],
  lineEndsStatement: true,
  runSpellings: ["when @", "@ => @"],
  strings: ["string", "string_content", "heredoc_body", "heredoc_content", "regex", "symbol_array", "string_array"],
  transparent: ["body_statement"]
}
