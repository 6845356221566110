import type { Grammar } from "../src/syntax/Grammar.ts"

export const haskell: Grammar = {
  id: "haskell",
  aliases: ["hs"],
  extensions: ["hs"],
  wasm: { package: "@cursorless/tree-sitter-wasms", path: "out/tree-sitter-haskell.wasm", file: "haskell.wasm" },
  contexts: [
    {
      name: "declaration",
      prefix: "",
      suffix: "",
      spellings: ["Z@", "@"],
      when: "^(?:import|module|data|newtype|type|class|instance|deriving)\\b"
    },
    { name: "statement", prefix: "w = do { ", suffix: " }" },
    { name: "expression", prefix: "w = (", suffix: ")" },
    { name: "member", prefix: "class W w where { ", suffix: " }" },
    { name: "declaration", prefix: "", suffix: "" },
    { name: "type", prefix: "w :: ", suffix: "", single: true },
    { name: "case", prefix: "w = case w of { ", suffix: " }" }
  ],
  spellings: ["@", "Z@"],
  runSpellings: ["@ -> @", "@ = @"],
  strings: ["string", "char", "quasiquote"],
  transparent: ["declarations", "imports"],
  sequences: [
    "patterns",
    "alternatives",
    "data_constructors",
    "instance_declarations",
    "class_declarations",
    "local_binds"
  ],
  lineEndsStatement: true,
  comments: { line: ["--"], block: [["{-", "-}"]] }
}
