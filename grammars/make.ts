import type { Grammar } from "../src/syntax/Grammar.ts"

export const make: Grammar = {
  id: "make",
  aliases: ["makefile", "mk", "gnumake"],
  extensions: ["mk", "mak"],
  filenames: ["Makefile", "makefile", "GNUmakefile"],
  wasm: { package: "tree-sitter-make", path: "tree-sitter-make.wasm", file: "make.wasm" },
  contexts: [
    { name: "declaration", prefix: "", suffix: "\n" },
    { name: "recipe", prefix: "w:\n\t", suffix: "\n", single: true },
    { name: "expression", prefix: "w = ", suffix: "\n", single: true }
  ],
  spellings: ["@"],
  runSpellings: ["@ = @"],
  strings: ["shell_text", "text", "raw_text"],
  clauses: ["recipe"],
  sequences: ["targets", "prerequisites", "list"],
  lineEndsStatement: true
}
