import type { Grammar } from "../src/syntax/Grammar.ts"

export const objc: Grammar = {
  id: "objc",
  aliases: ["objective-c", "objectivec", "objc++", "objective-c++"],
  extensions: ["m", "mm"],
  wasm: { package: "tree-sitter-objc", path: "tree-sitter-objc.wasm", file: "objc.wasm" },
  contexts: [
    {
      name: "declaration",
      prefix: "",
      suffix: "\n",
      when: "^#|^@(?:interface|implementation|protocol|class|import)\\b"
    },
    { name: "statement", prefix: "void w(void) { ", suffix: " }" },
    { name: "statement", prefix: "void w(void) { ", suffix: "; }" },
    { name: "expression", prefix: "int w = (", suffix: ");", single: true },
    { name: "member", prefix: "@implementation W\n", suffix: "\n@end" },
    { name: "member", prefix: "@interface W\n", suffix: "\n@end" },
    { name: "member", prefix: "@interface W\n", suffix: ";\n@end" },
    { name: "declaration", prefix: "", suffix: "" },
    { name: "declaration", prefix: "", suffix: "\n" },
    { name: "field", prefix: "struct w { ", suffix: " };" },
    { name: "case", prefix: "void w(void) { switch (w) { ", suffix: " } }" },
    { name: "type", prefix: "int w = (", suffix: ")w;", single: true },
    { name: "parameter", prefix: "void w(", suffix: ");", single: true }
  ],
  spellings: ["@", "@;", "@ @", '"@"'],
  runSpellings: ["@ @;", "case @:", "- (void)@ {}", "- (void)@;", "@; ;"],
  strings: ["string_literal", "string_content", "char_literal", "system_lib_string"],
  comments: { line: ["//"], block: [["/*", "*/"]] }
}
