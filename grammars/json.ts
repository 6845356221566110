import type { Grammar } from "../src/syntax/Grammar.ts"

export const json: Grammar = {
  id: "json",
  aliases: ["jsonc", "json5"],
  extensions: ["json", "jsonc", "webmanifest", "geojson"],
  wasm: { package: "@kerebron/wasm", path: "assets/tree-sitter-json/tree-sitter-json.wasm", file: "json.wasm" },
  contexts: [
    { name: "value", prefix: "", suffix: "" },
    { name: "pair", prefix: "{ ", suffix: " }" }
  ],
  spellings: ['"@"', "@"],
  runSpellings: ['"@": 0'],
  strings: ["string", "string_content"],
  comments: { line: ["//"], block: [["/*", "*/"]] }
}
