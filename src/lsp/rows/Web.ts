/** Servers for what runs in browsers and on Node. */
import type { Binary, Language, Row } from "./Row.ts"

export const javascript: Language = { id: "javascript", extensions: [".js", ".mjs", ".cjs"] }
export const javascriptreact: Language = { id: "javascriptreact", extensions: [".jsx"] }
export const typescript: Language = { id: "typescript", extensions: [".ts", ".mts", ".cts"] }
export const typescriptreact: Language = { id: "typescriptreact", extensions: [".tsx"] }
const scripts = [typescript, typescriptreact, javascript, javascriptreact] as const
const vue: Language = { id: "vue", extensions: [".vue"] }
const svelte: Language = { id: "svelte", extensions: [".svelte"] }
const astro: Language = { id: "astro", extensions: [".astro"] }
const html: Language = { id: "html", extensions: [".html", ".htm", ".xhtml"] }
const css: Language = { id: "css", extensions: [".css"] }
const scss: Language = { id: "scss", extensions: [".scss"] }
const less: Language = { id: "less", extensions: [".less"] }
export const jsonc: Language = {
  id: "jsonc",
  extensions: [".jsonc", ".json5"],
  names: ["tsconfig.json", "tsconfig.*.json", "jsconfig.json", ".eslintrc.json", "devcontainer.json", ".swcrc"]
}
export const json: Language = { id: "json", extensions: [".json", ".webmanifest", ".importmap"] }
export const graphql: Language = { id: "graphql", extensions: [".graphql", ".gql", ".graphqls"] }
const prisma: Language = { id: "prisma", extensions: [".prisma"] }

/** A program of npm: the project's own first, then the global ones on `PATH`. */
export const npm = (name: string, more?: Partial<Binary>): Binary => ({ name, project: ["node_modules/.bin"], ...more })

/** Where a project has nothing of its own to tell its root by. */
export const anyProject = [
  ".git",
  ".hg",
  ".jj",
  "package.json",
  "pyproject.toml",
  "go.mod",
  "Cargo.toml",
  "composer.json",
  "pom.xml",
  "build.gradle",
  "build.gradle.kts"
] as const

/** Whole, as the servers of VS Code want them: a missing part fails inside of them, and they answer that all is well. */
const styles = { validate: true, lint: {} }
const validation = {
  css: styles,
  scss: styles,
  less: styles,
  html: { validate: { scripts: true, styles: true } },
  json: { validate: { enable: true } }
}

const packages = ["package.json", "tsconfig.json", "jsconfig.json"] as const

/** Both servers that stand on `tsserver` say nothing of a file that stays clean. */
const proof = {
  command: "typescript.tsserverRequest",
  arguments: [
    ["syntacticDiagnosticsSync", { file: "${path}" }],
    ["semanticDiagnosticsSync", { file: "${path}" }]
  ]
} as const

// A rename at an import changes the declaration too, not only the alias (guide E8).
const renamesTheDeclaration = { preferences: { useAliasesForRenames: false } }

export const rows: ReadonlyArray<Row> = [
  {
    id: "deno",
    languages: scripts,
    markers: ["deno.json", "deno.jsonc"],
    binary: npm("deno", { home: [".deno/bin"] }),
    args: ["lsp"],
    role: "typescript",
    initializationOptions: { enable: true, lint: true },
    settings: { deno: { enable: true, lint: true } }
  },
  {
    id: "typescript",
    languages: scripts,
    markers: packages,
    binary: npm("tsc", { npm: { package: "typescript", major: 7 } }),
    args: ["--lsp", "--stdio"],
    role: "typescript",
    settings: { typescript: renamesTheDeclaration, javascript: renamesTheDeclaration }
  },
  {
    id: "typescript-language-server",
    languages: scripts,
    markers: packages,
    binary: npm("typescript-language-server"),
    args: ["--stdio"],
    role: "typescript",
    // The syntax server answers "nothing" while the real one loads (guide E7).
    initializationOptions: {
      tsserver: { useSyntaxServer: "never" },
      preferences: { providePrefixAndSuffixTextForRename: false, includePackageJsonAutoImports: "off" }
    },
    proof
  },
  {
    id: "vtsls",
    languages: scripts,
    markers: packages,
    binary: npm("vtsls"),
    args: ["--stdio"],
    role: "typescript",
    settings: {
      typescript: { ...renamesTheDeclaration, tsserver: { useSyntaxServer: "never" } },
      javascript: renamesTheDeclaration,
      vtsls: { autoUseWorkspaceTsdk: false }
    },
    proof
  },
  {
    id: "eslint",
    languages: [...scripts, vue, svelte, astro],
    markers: ["eslint.config.*", ".eslintrc.*", ".eslintrc"],
    binary: npm("vscode-eslint-language-server"),
    args: ["--stdio"],
    settings: {
      validate: "on",
      packageManager: null,
      useESLintClass: false,
      experimental: { useFlatConfig: false },
      codeActionOnSave: { mode: "all" },
      format: false,
      quiet: false,
      onIgnoredFiles: "off",
      options: {},
      rulesCustomizations: [],
      run: "onType",
      problems: { shortenToSingleLine: false },
      nodePath: null,
      workingDirectory: { mode: "location" },
      workspaceFolder: { name: "${rootName}", uri: "${rootUri}" },
      codeAction: {
        disableRuleComment: { enable: true, location: "separateLine" },
        showDocumentation: { enable: true }
      }
    },
    // 4: the project's ESLint may run; who trusts the server's row trusts what it loads.
    answers: {
      "eslint/confirmESLintExecution": 4,
      "eslint/noLibrary": {},
      "eslint/noConfig": {},
      "eslint/probeFailed": {}
    }
  },
  {
    id: "biome",
    languages: [...scripts, jsonc, json, css, graphql, vue, svelte, astro],
    markers: ["biome.json", "biome.jsonc"],
    binary: npm("biome"),
    args: ["lsp-proxy"]
  },
  {
    id: "vue",
    languages: [vue],
    markers: ["package.json"],
    binary: npm("vue-language-server"),
    args: ["--stdio"],
    // Templates and styles; its script part wants a tsserver bridge in the client.
    initializationOptions: { typescript: { tsdk: "${root}/node_modules/typescript/lib" } }
  },
  { id: "svelte", languages: [svelte], markers: ["package.json"], binary: npm("svelteserver"), args: ["--stdio"] },
  {
    id: "astro",
    languages: [astro],
    markers: ["package.json"],
    binary: npm("astro-ls"),
    args: ["--stdio"],
    initializationOptions: { typescript: { tsdk: "${root}/node_modules/typescript/lib" } }
  },
  {
    id: "tailwindcss",
    languages: [html, css, scss, less, javascriptreact, typescriptreact, vue, svelte, astro],
    markers: ["tailwind.config.*", "tailwind.css"],
    binary: npm("tailwindcss-language-server"),
    args: ["--stdio"],
    settings: { tailwindCSS: { validate: true } }
  },
  {
    id: "html",
    languages: [html],
    markers: anyProject,
    binary: npm("vscode-html-language-server"),
    args: ["--stdio"],
    settings: validation
  },
  {
    id: "css",
    languages: [css, scss, less],
    markers: anyProject,
    binary: npm("vscode-css-language-server"),
    args: ["--stdio"],
    settings: validation
  },
  {
    id: "json",
    languages: [jsonc, json],
    markers: anyProject,
    binary: npm("vscode-json-language-server"),
    args: ["--stdio"],
    initializationOptions: { provideFormatter: true, handledSchemaProtocols: ["file"] },
    settings: validation
  },
  {
    id: "graphql",
    languages: [graphql],
    markers: [".graphqlrc*", "graphql.config.*"],
    binary: npm("graphql-lsp"),
    args: ["server", "-m", "stream"]
  },
  {
    id: "prisma",
    languages: [prisma],
    markers: ["schema.prisma", "package.json"],
    binary: npm("prisma-language-server"),
    args: ["--stdio"]
  }
]
