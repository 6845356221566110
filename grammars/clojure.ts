import type { Grammar } from "../src/syntax/Grammar.ts"

export const clojure: Grammar = {
  id: "clojure",
  aliases: ["clj", "cljs", "cljc", "edn", "clojurescript"],
  extensions: ["clj", "cljs", "cljc", "edn", "bb"],
  wasm: { package: "@cursorless/tree-sitter-wasms", path: "out/tree-sitter-clojure.wasm", file: "clojure.wasm" },
  contexts: [
    { name: "statement", prefix: "", suffix: "" },
    { name: "expression", prefix: "(", suffix: ")" }
  ],
  spellings: ["@"],
  strings: ["str_lit", "regex_lit"]
}
