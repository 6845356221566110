/** The grammars that the library ships. */
import type { Grammar } from "../src/syntax/Grammar.ts"
import { bash } from "./bash.ts"
import { c } from "./c.ts"
import { cpp } from "./cpp.ts"
import { csharp } from "./csharp.ts"
import { css } from "./css.ts"
import { dart } from "./dart.ts"
import { elixir } from "./elixir.ts"
import { go } from "./go.ts"
import { html } from "./html.ts"
import { java } from "./java.ts"
import { javascript } from "./javascript.ts"
import { json } from "./json.ts"
import { kotlin } from "./kotlin.ts"
import { lua } from "./lua.ts"
import { php } from "./php.ts"
import { python } from "./python.ts"
import { ruby } from "./ruby.ts"
import { rust } from "./rust.ts"
import { scala } from "./scala.ts"
import { swift } from "./swift.ts"
import { tsx, typescript } from "./typescript.ts"
import { yaml } from "./yaml.ts"

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
  elixir
]
