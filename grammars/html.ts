import type { Grammar } from "../src/syntax/Grammar.ts"

export const html: Grammar = {
  id: "html",
  aliases: ["htm", "xhtml"],
  extensions: ["html", "htm", "xhtml"],
  wasm: { package: "@kerebron/wasm", path: "assets/tree-sitter-html/tree-sitter-html.wasm", file: "html.wasm" },
  contexts: [
    { name: "document", prefix: "", suffix: "" },
    { name: "attribute", prefix: "<w ", suffix: "></w>" }
  ],
  strings: ["text", "raw_text", "quoted_attribute_value", "attribute_value"],
  comments: { block: [["<!--", "-->"]] },
  caseInsensitive: true
}
