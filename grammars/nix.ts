import type { Grammar } from "../src/syntax/Grammar.ts"

export const nix: Grammar = {
  id: "nix",
  extensions: ["nix"],
  wasm: { package: "@cursorless/tree-sitter-wasms", path: "out/tree-sitter-nix.wasm", file: "nix.wasm" },
  contexts: [
    { name: "expression", prefix: "", suffix: "" },
    { name: "binding", prefix: "{ ", suffix: " }" },
    { name: "binding", prefix: "{ ", suffix: "; }" },
    { name: "parameter", prefix: "{ ", suffix: " }: w", single: true },
    { name: "element", prefix: "[ ", suffix: " ]", single: true }
  ],
  spellings: ["@"],
  runSpellings: ["@ = @;"],
  strings: ["string_expression", "indented_string_expression", "string_fragment"],
  transparent: ["binding_set"],
  sequences: ["binding_set", "inherited_attrs"],
  comments: { line: ["#"], block: [["/*", "*/"]] }
}
