/** Servers for configuration and prose. */
import type { Language, Row } from "./Row.ts"
import { anyProject, npm } from "./Web.ts"

const language = (id: string, ...extensions: ReadonlyArray<string>): Language => ({ id, extensions })

const dockerfile: readonly [Language] = [
  {
    id: "dockerfile",
    extensions: [".dockerfile"],
    names: ["Dockerfile", "Dockerfile.*", "Containerfile", "Containerfile.*"]
  }
]
const toml: readonly [Language] = [language("toml", ".toml")]
const nix: readonly [Language] = [language("nix", ".nix")]

export const rows: ReadonlyArray<Row> = [
  {
    id: "yaml-language-server",
    languages: [{ id: "yaml", extensions: [".yaml", ".yml"], names: [".clang-format", ".clangd"] }],
    markers: anyProject,
    binary: npm("yaml-language-server"),
    args: ["--stdio"],
    settings: {
      redhat: { telemetry: { enabled: false } },
      yaml: { validate: true, hover: true, completion: true, schemaStore: { enable: true } }
    }
  },
  {
    id: "docker-langserver",
    languages: dockerfile,
    markers: [...anyProject, "Dockerfile", "Containerfile", "compose.yaml", "docker-compose.yml"],
    binary: npm("docker-langserver"),
    args: ["--stdio"]
  },
  {
    id: "terraform-ls",
    languages: [language("terraform", ".tf"), language("terraform-vars", ".tfvars")],
    markers: [".terraform", ".terraform.lock.hcl", "*.tf"],
    binary: { name: "terraform-ls", probe: ["version"] },
    args: ["serve"]
  },
  {
    id: "nixd",
    languages: nix,
    markers: ["flake.nix", "default.nix", "shell.nix"],
    binary: { name: "nixd" },
    role: "nix"
  },
  {
    id: "nil",
    languages: nix,
    markers: ["flake.nix", "default.nix", "shell.nix"],
    binary: { name: "nil", probe: ["--version"] },
    role: "nix"
  },
  {
    id: "marksman",
    languages: [language("markdown", ".md", ".markdown")],
    markers: [...anyProject, ".marksman.toml"],
    binary: { name: "marksman", probe: ["--version"] },
    args: ["server"]
  },
  {
    id: "taplo",
    languages: toml,
    markers: [...anyProject, ".taplo.toml", "taplo.toml"],
    binary: npm("taplo", { home: [".cargo/bin"], probe: ["--version"] }),
    args: ["lsp", "stdio"],
    role: "toml"
  },
  {
    id: "tombi",
    languages: toml,
    markers: [...anyProject, "tombi.toml"],
    binary: npm("tombi", { home: [".local/bin"], probe: ["--version"] }),
    args: ["lsp"],
    role: "toml"
  }
]
