import type { Grammar } from "../src/syntax/Grammar.ts"

export const ocaml: Grammar = {
  id: "ocaml",
  aliases: ["ml"],
  extensions: ["ml"],
  wasm: { package: "tree-sitter-ocaml", path: "tree-sitter-ocaml.wasm", file: "ocaml.wasm", isBaseline: true },
  contexts: [
    { name: "declaration", prefix: "", suffix: "", when: "^(?:open|include|type|module|exception|external)\\b" },
    { name: "statement", prefix: "let w = (", suffix: ")" },
    { name: "expression", prefix: "let w = w (", suffix: ")", single: true },
    { name: "member", prefix: "module W = struct ", suffix: " end" },
    { name: "declaration", prefix: "", suffix: "" },
    { name: "type", prefix: "let w : ", suffix: " = w", single: true },
    { name: "case", prefix: "let w = match w with ", suffix: "" },
    { name: "field", prefix: "type w = { ", suffix: " }" },
    { name: "signature", prefix: "module type W = sig ", suffix: " end" }
  ],
  spellings: ["@", "Z@"],
  runSpellings: ["@ -> @", "@ : @", "let @ = @"],
  strings: ["string", "string_content", "quoted_string", "character"],
  comments: { block: [["(*", "*)"]] }
}
