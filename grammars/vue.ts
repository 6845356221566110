import type { Grammar } from "../src/syntax/Grammar.ts"
import { embedded } from "./html.ts"

export const vue: Grammar = {
  id: "vue",
  extensions: ["vue"],
  wasm: { package: "@repomix/tree-sitter-wasms", path: "out/tree-sitter-vue.wasm", file: "vue.wasm" },
  contexts: [
    { name: "attribute", prefix: "<template><w ", suffix: "></w></template>", when: "^[@:#\\w][\\w:.@-]*=" },
    { name: "document", prefix: "", suffix: "" },
    { name: "element", prefix: "<template>", suffix: "</template>" },
    { name: "attribute", prefix: "<template><w ", suffix: "></w></template>" }
  ],
  strings: ["text", "raw_text", "quoted_attribute_value", "attribute_value"],
  embedded,
  comments: { block: [["<!--", "-->"]] }
}
