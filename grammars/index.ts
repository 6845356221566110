/** The grammars that the library ships. */
import type { Grammar } from "../src/syntax/Grammar.ts"
import { bash } from "./bash.ts"
import { c } from "./c.ts"
import { clojure } from "./clojure.ts"
import { cpp } from "./cpp.ts"
import { csharp } from "./csharp.ts"
import { css } from "./css.ts"
import { dart } from "./dart.ts"
import { elixir } from "./elixir.ts"
import { go } from "./go.ts"
import { haskell } from "./haskell.ts"
import { hcl } from "./hcl.ts"
import { html } from "./html.ts"
import { java } from "./java.ts"
import { javascript } from "./javascript.ts"
import { json } from "./json.ts"
import { julia } from "./julia.ts"
import { kotlin } from "./kotlin.ts"
import { lua } from "./lua.ts"
import { make } from "./make.ts"
import { markdown } from "./markdown.ts"
import { nix } from "./nix.ts"
import { objc } from "./objc.ts"
import { ocaml } from "./ocaml.ts"
import { php } from "./php.ts"
import { powershell } from "./powershell.ts"
import { python } from "./python.ts"
import { r } from "./r.ts"
import { ruby } from "./ruby.ts"
import { rust } from "./rust.ts"
import { scala } from "./scala.ts"
import { solidity } from "./solidity.ts"
import { svelte } from "./svelte.ts"
import { swift } from "./swift.ts"
import { toml } from "./toml.ts"
import { tsx, typescript } from "./typescript.ts"
import { vue } from "./vue.ts"
import { yaml } from "./yaml.ts"
import { zig } from "./zig.ts"

export const all: ReadonlyArray<Grammar> = [
  typescript,
  tsx,
  javascript,
  python,
  rust,
  go,
  c,
  cpp,
  java,
  dart,
  csharp,
  php,
  ruby,
  bash,
  css,
  html,
  json,
  yaml,
  kotlin,
  swift,
  scala,
  lua,
  elixir,
  toml,
  markdown,
  zig,
  haskell,
  ocaml,
  vue,
  svelte,
  solidity,
  objc,
  julia,
  r,
  hcl,
  clojure,
  nix,
  powershell,
  make
]
