import type { Grammar } from "../src/syntax/Grammar.ts"

export const lua: Grammar = {
  id: "lua",
  extensions: ["lua"],
  wasm: { package: "@cursorless/tree-sitter-wasms", path: "out/tree-sitter-lua.wasm", file: "lua.wasm" },
  contexts: [
    { name: "statement", prefix: "", suffix: "" },
    { name: "expression", prefix: "w = ", suffix: "" },
    { name: "member", prefix: "w = { ", suffix: " }", single: true },
    { name: "declaration", prefix: "", suffix: "" }
  ],
  spellings: ["@", "@()"],
  strings: ["string", "string_content"],
  transparent: ["block"],
  comments: { line: ["--"], block: [["--[[", "]]"]] }
}
