import type { Grammar } from "../src/syntax/Grammar.ts"

export const zig: Grammar = {
  id: "zig",
  extensions: ["zig", "zon"],
  wasm: { package: "@cursorless/tree-sitter-wasms", path: "out/tree-sitter-zig.wasm", file: "zig.wasm" },
  contexts: [
    {
      name: "declaration",
      prefix: "",
      suffix: "",
      when: "^(?:(?:pub|export|extern|inline)\\s+)*fn\\b|^pub\\b|^test\\b"
    },
    { name: "statement", prefix: "fn __w() void { ", suffix: " }" },
    { name: "statement", prefix: "fn __w() void { ", suffix: "; }" },
    { name: "expression", prefix: "const __w = (", suffix: ");", single: true },
    { name: "member", prefix: "const __W = struct { ", suffix: " };" },
    { name: "declaration", prefix: "", suffix: "" },
    { name: "declaration", prefix: "", suffix: ";" },
    { name: "type", prefix: "const __w: ", suffix: " = __w;", single: true },
    { name: "case", prefix: "fn __w() void { switch (__w) { ", suffix: " } }" },
    { name: "parameter", prefix: "fn __w(", suffix: ") void {}", single: true }
  ],
  spellings: ["@", "@;", "@: @", '"@"'],
  runSpellings: ["@ => @", "@: @,"],
  strings: ["string", "string_content", "multiline_string", "character"],
  comments: { line: ["//"] }
}
