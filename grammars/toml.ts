import type { Grammar } from "../src/syntax/Grammar.ts"

export const toml: Grammar = {
  id: "toml",
  extensions: ["toml"],
  filenames: ["Cargo.lock", "poetry.lock", "uv.lock", "Pipfile"],
  wasm: { package: "@kerebron/wasm", path: "assets/tree-sitter-toml/tree-sitter-toml.wasm", file: "toml.wasm" },
  contexts: [
    { name: "document", prefix: "", suffix: "" },
    { name: "document", prefix: "", suffix: "\n" },
    { name: "value", prefix: "w = ", suffix: "\n", single: true },
    { name: "pair", prefix: "w = { ", suffix: " }\n" }
  ],
  spellings: ["@", '"@"'],
  runSpellings: ["@ = 0"],
  strings: ["string"],
  lineEndsStatement: true,
  comments: { line: ["#"] }
}
