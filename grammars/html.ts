import type { Embedded, Grammar } from "../src/syntax/Grammar.ts"

/** Scripts and styles, as in pages of all kinds. */
export const embedded: ReadonlyArray<Embedded> = [
  {
    element: "script_element",
    text: "raw_text",
    sign: "<script",
    label: "attribute",
    attributes: ["lang", "type"],
    languages: [
      ["", "javascript"],
      ["js", "javascript"],
      ["jsx", "javascript"],
      ["javascript", "javascript"],
      ["module", "javascript"],
      ["text/javascript", "javascript"],
      ["application/javascript", "javascript"],
      ["text/babel", "javascript"],
      ["text/jsx", "javascript"],
      ["ts", "typescript"],
      ["typescript", "typescript"],
      ["text/typescript", "typescript"],
      ["tsx", "tsx"],
      ["json", "json"],
      ["importmap", "json"],
      ["speculationrules", "json"],
      ["application/json", "json"],
      ["application/ld+json", "json"]
    ]
  },
  {
    element: "style_element",
    text: "raw_text",
    sign: "<style",
    label: "attribute",
    attributes: ["lang", "type"],
    languages: [
      ["", "css"],
      ["css", "css"],
      ["text/css", "css"],
      ["postcss", "css"]
    ]
  }
]

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
  embedded,
  caseInsensitive: true
}
