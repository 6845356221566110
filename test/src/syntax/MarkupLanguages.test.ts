/** As `Languages.test.ts`, for languages of data, markup and configuration. */
import { describe } from "@effect/vitest"
import { table } from "../../support/languageTable.ts"

describe("toml", () => {
  table(
    "toml",
    `# settings
edition = "2021"

[package]
name = "demo"
version = "1.0.0"

[dependencies]
serde = { version = "1.0", features = ["derive"] }
tokio = "1"

[[bin]]
name = "a"
path = "src/a.rs"
`,
    {
      searches: [
        {
          pattern: "name = $V",
          as: "document",
          found: [
            [5, { V: '"demo"' }],
            [13, { V: '"a"' }]
          ]
        },
        { pattern: "[package]\n$$$P", as: "document", found: [[4, { P: ['name = "demo"', 'version = "1.0.0"'] }]] },
        { pattern: "[[bin]]\n$$$B", as: "document", found: [[12, { B: ['name = "a"', 'path = "src/a.rs"'] }]] },
        {
          pattern: "serde = { version = $V, $$$R }",
          as: "document",
          found: [[9, { V: '"1.0"', R: ['features = ["derive"]'] }]]
        },
        {
          pattern: "$K = { $$$R }",
          as: "document",
          found: [[9, { K: "serde", R: ['version = "1.0"', 'features = ["derive"]'] }]]
        },
        { pattern: 'tokio = "$V"', as: "document", found: [[10, { V: "1" }]] },
        { pattern: "name = $N\nversion = $V", as: "document", found: [[5, { N: '"demo"', V: '"1.0.0"' }]] },
        { pattern: '"2021"', as: "value", found: [[2, {}]] },
        { pattern: "serde = { version = $V }", none: "the table has features" },
        { pattern: "[package]\nname = $N", none: "the table has a version" }
      ],
      rewrites: [
        { pattern: "edition = $V", template: 'edition = "2024"', lines: [[2, 'edition = "2024"']] },
        {
          pattern: "serde = { version = $V, $$$R }",
          template: "serde = { workspace = true, $$$R }",
          lines: [[9, 'serde = { workspace = true, features = ["derive"] }']]
        }
      ]
    }
  )
})

describe("markdown", () => {
  table(
    "markdown",
    `# Title

Some *text*.

- one
- two

\`\`\`js
foo(1)
\`\`\`

## Sub

| a | b |
|---|---|
| 1 | 2 |

## Other

> quote
`,
    {
      searches: [
        { pattern: "# $T", as: "block", found: [[1, { T: "Title" }]] },
        {
          pattern: "## $T",
          as: "block",
          found: [
            [12, { T: "Sub" }],
            [18, { T: "Other" }]
          ]
        },
        { pattern: "## Sub", as: "block", found: [[12, {}]] },
        {
          pattern: "- $X",
          as: "block",
          found: [
            [5, { X: "one" }],
            [6, { X: "two" }]
          ]
        },
        { pattern: "- $X\n- $Y", as: "block", found: [[5, { X: "one", Y: "two" }]] },
        { pattern: "```js\n$$$B\n```", as: "block", found: [[8, { B: "foo(1)" }]] },
        { pattern: "| $A | $B |", as: "row", found: [[16, { A: "1", B: "2" }]] },
        { pattern: "> $Q", as: "block", found: [[20, { Q: "quote" }]] },
        { pattern: "## Sub\n\n$$$B", as: "block", found: [[12, { B: ["| a | b |\n|---|---|\n| 1 | 2 |"] }]] },
        { pattern: "```\n$$$B\n```", none: "the block has a language" },
        { pattern: "| $A |", none: "the rows have two cells" }
      ],
      rewrites: [
        {
          pattern: "## $T",
          template: "### $T",
          lines: [
            [12, "### Sub"],
            [18, "### Other"]
          ]
        },
        { pattern: "```js\n$$$B\n```", template: "```ts\n$$$B\n```", lines: [[8, "```ts"]] }
      ]
    }
  )
})

describe("vue", () => {
  table(
    "vue",
    `<template>
  <div :class="a" @click="go(1)"><span v-if="x">{{ msg }}</span></div>
  <Foo :a="b" />
</template>
<script setup lang="ts">
const x = 1
</script>
`,
    {
      searches: [
        { pattern: "<Foo $$$A />", as: "document", found: [[3, { A: [':a="b"'] }]] },
        { pattern: '<span v-if="$X">$$$C</span>', as: "document", found: [[2, { X: "x", C: ["{{ msg }}"] }]] },
        {
          pattern: "<div $$$A>$$$B</div>",
          as: "document",
          found: [[2, { A: [':class="a"', '@click="go(1)"'], B: ['<span v-if="x">{{ msg }}</span>'] }]]
        },
        { pattern: "{{ $X }}", as: "document", found: [[2, { X: "msg" }]] },
        { pattern: ':class="$V"', as: "attribute", found: [[2, { V: "a" }]] },
        { pattern: '@click="$V"', as: "attribute", found: [[2, { V: "go(1)" }]] },
        {
          pattern: "<div $$$A>$$$B</div>\n<Foo $$$C />",
          as: "document",
          found: [[2, { A: [':class="a"', '@click="go(1)"'], B: ['<span v-if="x">{{ msg }}</span>'], C: [':a="b"'] }]]
        },
        {
          pattern: '<script setup lang="$L">$$$B</script>',
          as: "document",
          found: [[5, { L: "ts", B: ["\nconst x = 1\n"] }]]
        },
        { pattern: "<span>$$$C</span>", none: "the span has a directive" }
      ],
      rewrites: [
        {
          pattern: ':class="$V"',
          template: ':class="[$V]"',
          lines: [[2, '  <div :class="[a]" @click="go(1)"><span v-if="x">{{ msg }}</span></div>']]
        },
        {
          pattern: "{{ $X }}",
          template: "{{ t($X) }}",
          lines: [[2, '  <div :class="a" @click="go(1)"><span v-if="x">{{ t(msg) }}</span></div>']]
        }
      ]
    }
  )
})

describe("svelte", () => {
  table(
    "svelte",
    `<script lang="ts">
  let count: number = $state(0)
</script>
<button on:click={inc} class="a">{count}</button>
{#if x}<p>a</p>{:else}<p>b</p>{/if}
{#if y}<i>c</i>{/if}
{#each items as item}<li>{item}</li>{/each}
`,
    {
      searches: [
        {
          pattern: "<button $$$A>$$$C</button>",
          as: "document",
          found: [[4, { A: ["on:click={inc}", 'class="a"'], C: ["{count}"] }]]
        },
        {
          pattern: "<p>$T</p>",
          as: "document",
          found: [
            [5, { T: "a" }],
            [5, { T: "b" }]
          ]
        },
        { pattern: "on:click={$F}", as: "attribute", found: [[4, { F: "inc" }]] },
        { pattern: 'class="$C"', as: "attribute", found: [[4, { C: "a" }]] },
        {
          pattern: "{$X}",
          as: "document",
          found: [
            [4, { X: "inc" }],
            [4, { X: "count" }],
            [7, { X: "item" }]
          ]
        },
        { pattern: "{#if $X}$$$B{/if}", as: "document", found: [[6, { X: "y", B: ["<i>c</i>"] }]] },
        {
          pattern: "{#if $X}$$$B{:else}$$$C{/if}",
          as: "document",
          found: [[5, { X: "x", B: ["<p>a</p>"], C: ["<p>b</p>"] }]]
        },
        {
          pattern: "{#each $X as $Y}$$$B{/each}",
          as: "document",
          found: [[7, { X: "items", Y: "item", B: ["<li>{item}</li>"] }]]
        },
        {
          pattern: "{#if y}$$$A{/if}{#each $X as $Y}$$$B{/each}",
          as: "document",
          found: [[6, { A: ["<i>c</i>"], X: "items", Y: "item", B: ["<li>{item}</li>"] }]]
        },
        { pattern: "<button>$$$C</button>", none: "the button has attributes" },
        { pattern: "{#each $X as $Y, $I}$$$B{/each}", none: "no index" }
      ],
      rewrites: [
        {
          pattern: "on:click={$F}",
          template: "onclick={$F}",
          lines: [[4, '<button onclick={inc} class="a">{count}</button>']]
        },
        { pattern: "<p>$T</p>", template: "<b>$T</b>", lines: [[5, "{#if x}<b>a</b>{:else}<b>b</b>{/if}"]] }
      ]
    }
  )
})

describe("hcl", () => {
  table(
    "hcl",
    `resource "aws_instance" "web" {
  ami   = "abc"
  count = var.n
  tags  = { Name = "x", Env = "p" }
}
resource "aws_s3_bucket" "b" {
  bucket = "b"
}
variable "x" {}
locals {
  a = length(var.list)
  b = merge(var.a, var.b)
}
module "net" {
  source = "./net"
}
`,
    {
      searches: [
        { pattern: "length($X)", as: "expression", found: [[11, { X: "var.list" }]] },
        { pattern: "merge($X, $$$R)", as: "expression", found: [[12, { X: "var.a", R: ["var.b"] }]] },
        {
          pattern: 'resource "aws_s3_bucket" $N { $$$B }',
          as: "declaration",
          found: [[6, { N: '"b"', B: ['bucket = "b"'] }]]
        },
        {
          pattern: "resource $T $N {\n  bucket = $V\n}",
          as: "declaration",
          found: [[6, { T: '"aws_s3_bucket"', N: '"b"', V: '"b"' }]]
        },
        { pattern: "ami = $V", as: "declaration", found: [[2, { V: '"abc"' }]] },
        { pattern: "module $N {\n  source = $S\n}", as: "declaration", found: [[14, { N: '"net"', S: '"./net"' }]] },
        { pattern: "ami = $V\ncount = $C", as: "declaration", found: [[2, { V: '"abc"', C: "var.n" }]] },
        { pattern: "$K = { $$$R }", as: "declaration", found: [[4, { K: "tags", R: ['Name = "x"', 'Env = "p"'] }]] },
        {
          pattern: "var.$N",
          as: "expression",
          found: [
            [3, { N: "n" }],
            [11, { N: "list" }],
            [12, { N: "a" }],
            [12, { N: "b" }]
          ]
        },
        { pattern: "variable $N {}", as: "declaration", found: [[9, { N: '"x"' }]] },
        { pattern: 'resource "aws_instance" $N {\n  ami = $V\n}', none: "the resource has more attributes" },
        { pattern: "merge($X)", none: "the call has a second argument" }
      ],
      rewrites: [
        { pattern: "length($X)", template: "size($X)", lines: [[11, "  a = size(var.list)"]] },
        {
          pattern: 'resource "aws_s3_bucket" $N {\n  $$$B\n}',
          template: 'resource "s3" $N {\n  $$$B\n}',
          lines: [[6, 'resource "s3" "b" {']]
        }
      ]
    }
  )
})

describe("nix", () => {
  table(
    "nix",
    `{ pkgs ? import <nixpkgs> {}, lib }:
let
  x = 1;
  g = lib.mkIf true x;
in
pkgs.mkShell {
  buildInputs = [ pkgs.git pkgs.hello ];
  name = "x";
  inherit x;
  shellHook = "a \${x}";
  f = a: b: a + b;
}
`,
    {
      searches: [
        { pattern: "lib.mkIf $C $V", as: "expression", found: [[4, { C: "true", V: "x" }]] },
        {
          pattern: "pkgs.mkShell { buildInputs = $B; $$$R }",
          as: "expression",
          found: [
            [
              6,
              {
                B: "[ pkgs.git pkgs.hello ]",
                R: ['name = "x";', "inherit x;", 'shellHook = "a ${x}";', "f = a: b: a + b;"]
              }
            ]
          ]
        },
        {
          pattern: "pkgs.mkShell { $$$B }",
          as: "expression",
          found: [
            [
              6,
              {
                B: [
                  "buildInputs = [ pkgs.git pkgs.hello ];",
                  'name = "x";',
                  "inherit x;",
                  'shellHook = "a ${x}";',
                  "f = a: b: a + b;"
                ]
              }
            ]
          ]
        },
        { pattern: "$A: $B: $C", as: "expression", found: [[11, { A: "a", B: "b", C: "a + b" }]] },
        { pattern: "buildInputs = $V;", as: "binding", found: [[7, { V: "[ pkgs.git pkgs.hello ]" }]] },
        { pattern: "import $P {}", as: "expression", found: [[1, { P: "<nixpkgs>" }]] },
        { pattern: 'name = "$N"; inherit x;', as: "binding", found: [[8, { N: "x" }]] },
        { pattern: "[ $$$X ]", as: "expression", found: [[7, { X: ["pkgs.git", "pkgs.hello"] }]] },
        {
          pattern: "let $$$B in pkgs.mkShell $E",
          as: "expression",
          found: [
            [
              2,
              {
                B: ["x = 1;", "g = lib.mkIf true x;"],
                E: '{\n  buildInputs = [ pkgs.git pkgs.hello ];\n  name = "x";\n  inherit x;\n  shellHook = "a ${x}";\n  f = a: b: a + b;\n}'
              }
            ]
          ]
        },
        { pattern: "inherit $X;", as: "binding", found: [[9, { X: "x" }]] },
        { pattern: "let x = $V; in $E", none: "the let has another binding" }
      ],
      rewrites: [
        {
          pattern: "buildInputs = [ $$$X ];",
          template: "nativeBuildInputs = [ $$$X ];",
          lines: [[7, "  nativeBuildInputs = [ pkgs.git pkgs.hello ];"]]
        },
        { pattern: "lib.mkIf $C $V", template: "lib.optional $C $V", lines: [[4, "  g = lib.optional true x;"]] }
      ]
    }
  )
})

describe("make", () => {
  table(
    "make",
    `CC := gcc
SRC = $(wildcard *.c)
include a.mk
ifeq ($(A),1)
B = 2
endif
.PHONY: all
all: main.o util.o
	$(CC) -o app $^
	echo done
install: all
`,
    {
      searches: [
        { pattern: "$(wildcard $P)", as: "declaration", found: [[2, { P: "*.c" }]] },
        {
          pattern: "all: $$$D\n\t$$$R",
          as: "declaration",
          found: [[8, { D: ["main.o", "util.o"], R: ["$(CC) -o app $^", "echo done"] }]]
        },
        { pattern: "CC := $V", as: "declaration", found: [[1, { V: "gcc" }]] },
        {
          pattern: "$N = $V",
          as: "declaration",
          found: [
            [2, { N: "SRC", V: "$(wildcard *.c)" }],
            [5, { N: "B", V: "2" }]
          ]
        },
        { pattern: "include $F", as: "declaration", found: [[3, { F: "a.mk" }]] },
        { pattern: "CC := $A\nSRC = $B", as: "declaration", found: [[1, { A: "gcc", B: "$(wildcard *.c)" }]] },
        { pattern: "install: $D", as: "declaration", found: [[11, { D: "all" }]] },
        { pattern: "ifeq ($A,1)\n$$$B\nendif", as: "declaration", found: [[4, { A: "$(A)", B: ["B = 2"] }]] },
        { pattern: "echo done", as: "recipe", found: [[10, {}]] },
        { pattern: "all: $$$D", none: "the rule has a recipe" }
      ],
      rewrites: [
        { pattern: "CC := $V", template: "CC ?= $V", lines: [[1, "CC ?= gcc"]] },
        { pattern: "include $F", template: "-include $F", lines: [[3, "-include a.mk"]] }
      ]
    }
  )
})
