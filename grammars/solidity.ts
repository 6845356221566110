import type { Grammar } from "../src/syntax/Grammar.ts"

export const solidity: Grammar = {
  id: "solidity",
  aliases: ["sol"],
  extensions: ["sol"],
  wasm: { package: "@repomix/tree-sitter-wasms", path: "out/tree-sitter-solidity.wasm", file: "solidity.wasm" },
  contexts: [
    { name: "declaration", prefix: "", suffix: "", when: "^(?:import|pragma)\\b", spellings: ['"@"', "@"] },
    { name: "statement", prefix: "contract W { function w() public { ", suffix: " } }" },
    { name: "statement", prefix: "contract W { function w() public { ", suffix: "; } }" },
    { name: "expression", prefix: "contract W { uint w = ", suffix: "; }", single: true },
    { name: "member", prefix: "contract W { ", suffix: " }" },
    { name: "member", prefix: "contract W { ", suffix: "; }" },
    { name: "declaration", prefix: "", suffix: "" },
    { name: "declaration", prefix: "", suffix: ";" },
    { name: "type", prefix: "contract W { ", suffix: " w; }", single: true },
    { name: "parameter", prefix: "contract W { function w(", suffix: ") public {} }", single: true }
  ],
  spellings: ["@", "@;", "@ @", '"@"'],
  runSpellings: ["@ @;", "function @() {}"],
  strings: ["string", "string_literal", "hex_string_literal", "unicode_string_literal"],
  comments: { line: ["//"], block: [["/*", "*/"]] }
}
