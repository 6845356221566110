import type { Grammar } from "../src/syntax/Grammar.ts"

export const php: Grammar = {
  id: "php",
  extensions: ["php", "phtml", "php5", "phps"],
  wasm: { package: "@vscode/tree-sitter-wasm", path: "wasm/tree-sitter-php.wasm", file: "php.wasm" },
  contexts: [
    { name: "catch", prefix: "<?php try {} ", suffix: "", single: true, when: "^(?:catch|finally)\\b" },
    { name: "statement", prefix: "<?php ", suffix: "" },
    { name: "statement", prefix: "<?php ", suffix: ";" },
    { name: "expression", prefix: "<?php __w(", suffix: ");", single: true },
    { name: "member", prefix: "<?php class __W { ", suffix: " }" },
    { name: "member", prefix: "<?php class __W { ", suffix: "; }" },
    { name: "declaration", prefix: "<?php ", suffix: "" },
    { name: "case", prefix: "<?php switch ($__w) { ", suffix: " }" },
    { name: "pair", prefix: "<?php [", suffix: "];", single: true },
    { name: "attribute", prefix: "<?php ", suffix: "\nclass W {}", single: true },
    { name: "parameter", prefix: "<?php function __w(", suffix: ") {}", single: true }
  ],
  spellings: ["@", "$@", "@;", "'@'"],
  runSpellings: ["public $@;", "case @:", "@ => @", "@; ;"],
  strings: ["string", "encapsed_string", "string_content", "heredoc", "heredoc_body", "nowdoc", "nowdoc_body", "text"],
  caseInsensitive: true
}
