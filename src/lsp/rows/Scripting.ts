/** Servers for other languages that are interpreted. */
import type { Language, Row } from "./Row.ts"
import { anyProject, npm } from "./Web.ts"

const language = (id: string, ...extensions: ReadonlyArray<string>): Language => ({ id, extensions })

const ruby: readonly [Language, ...Array<Language>] = [
  { id: "ruby", extensions: [".rb", ".rake", ".gemspec", ".ru"], names: ["Gemfile", "Rakefile"] },
  language("erb", ".erb")
]
const rubyMarkers = ["Gemfile", "*.gemspec", ".ruby-version", "Rakefile"] as const
const php: readonly [Language] = [language("php", ".php", ".phtml")]
const phpMarkers = ["composer.json", ".phpactor.json", ".phpactor.yml", "index.php", "artisan"] as const
const elixir: readonly [Language, ...Array<Language>] = [
  language("elixir", ".ex", ".exs"),
  language("phoenix-heex", ".heex"),
  language("eelixir", ".eex", ".leex")
]

export const rows: ReadonlyArray<Row> = [
  {
    id: "ruby-lsp",
    languages: ruby,
    markers: rubyMarkers,
    binary: { name: "ruby-lsp", project: ["bin", "vendor/bundle/bin"], probe: ["--version"] },
    role: "ruby"
  },
  {
    id: "solargraph",
    languages: ruby,
    markers: [...rubyMarkers, ".solargraph.yml"],
    binary: { name: "solargraph", project: ["bin"], probe: ["--version"] },
    args: ["stdio"],
    role: "ruby",
    settings: { solargraph: { diagnostics: true } }
  },
  {
    id: "intelephense",
    languages: php,
    markers: phpMarkers,
    binary: npm("intelephense"),
    args: ["--stdio"],
    role: "php",
    settings: { intelephense: { telemetry: { enabled: false } } }
  },
  {
    id: "phpactor",
    languages: php,
    markers: phpMarkers,
    binary: { name: "phpactor", project: ["vendor/bin"], home: [".composer/vendor/bin"], probe: ["--version"] },
    args: ["language-server"],
    role: "php"
  },
  {
    id: "lua-language-server",
    languages: [language("lua", ".lua")],
    markers: [".luarc.json", ".luarc.jsonc", ".luacheckrc", ".stylua.toml", "stylua.toml", "*.rockspec", ".git"],
    binary: { name: "lua-language-server", probe: ["--version"] },
    settings: { Lua: { telemetry: { enable: false }, workspace: { checkThirdParty: false } } }
  },
  {
    id: "elixir-ls",
    languages: elixir,
    markers: ["mix.exs"],
    binary: { name: "elixir-ls" },
    role: "elixir",
    settings: { elixirLS: { dialyzerEnabled: false, fetchDeps: false } }
  },
  {
    id: "expert",
    languages: elixir,
    markers: ["mix.exs"],
    binary: { name: "expert", probe: ["--version"] },
    args: ["--stdio"],
    role: "elixir"
  },
  {
    id: "bash-language-server",
    languages: [
      {
        id: "shellscript",
        extensions: [".sh", ".bash", ".ksh", ".bats"],
        names: [".bashrc", ".bash_profile", ".profile", ".bash_aliases"]
      }
    ],
    markers: [...anyProject, ".shellcheckrc"],
    binary: npm("bash-language-server"),
    args: ["start"],
    settings: { bashIde: { globPattern: "**/*@(.sh|.inc|.bash|.command)", backgroundAnalysisMaxFiles: 500 } }
  }
]
