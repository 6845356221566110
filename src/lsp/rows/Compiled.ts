/** Servers for languages that are compiled, the JVM's and .NET's included. */
import type { Language, Row } from "./Row.ts"

const language = (id: string, ...extensions: ReadonlyArray<string>): Language => ({ id, extensions })

const csharp: readonly [Language] = [language("csharp", ".cs", ".csx")]
const dotnet = ["*.sln", "*.slnx", "*.csproj", "global.json"] as const
const kotlin: readonly [Language] = [language("kotlin", ".kt", ".kts")]
const gradle = ["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts", "pom.xml"] as const
const dotnetTools = [".dotnet/tools"] as const

export const rows: ReadonlyArray<Row> = [
  {
    id: "gopls",
    languages: [
      language("go", ".go"),
      { id: "go.mod", names: ["go.mod"] },
      { id: "go.work", names: ["go.work"] },
      language("gotmpl", ".gotmpl")
    ],
    markers: ["go.mod", "go.work"],
    binary: { name: "gopls", home: ["go/bin"], probe: ["version"] },
    // Else it pushes twice: what it finds at first sight, and a second later all of it.
    initializationOptions: { pullDiagnostics: true, diagnosticsDelay: "0s" },
    settings: { gopls: { pullDiagnostics: true, diagnosticsDelay: "0s" } },
    pulledOnly: true
  },
  {
    id: "rust-analyzer",
    languages: [language("rust", ".rs")],
    markers: ["Cargo.toml", "rust-project.json"],
    binary: { name: "rust-analyzer", home: [".cargo/bin"], probe: ["--version"] },
    // It counts as loaded when it can answer, not when it has looked at everything.
    initializationOptions: { cachePriming: { enable: false } },
    settings: { "rust-analyzer": { cachePriming: { enable: false } } }
  },
  {
    id: "clangd",
    languages: [
      language("c", ".c"),
      language("cpp", ".cpp", ".cc", ".cxx", ".c++", ".h", ".hpp", ".hh", ".hxx", ".ipp", ".inl", ".ixx", ".cppm"),
      language("objective-c", ".m"),
      language("objective-cpp", ".mm"),
      language("cuda-cpp", ".cu", ".cuh")
    ],
    markers: [
      "compile_commands.json",
      "compile_flags.txt",
      ".clangd",
      "CMakeLists.txt",
      "Makefile",
      "meson.build",
      "configure.ac",
      "WORKSPACE",
      "MODULE.bazel",
      ".git"
    ],
    binary: { name: "clangd", probe: ["--version"] },
    args: ["--background-index", "--header-insertion=never"]
  },
  {
    id: "dart",
    languages: [language("dart", ".dart")],
    markers: ["pubspec.yaml", "analysis_options.yaml"],
    binary: { name: "dart", home: ["flutter/bin", "development/flutter/bin", "fvm/default/bin"], probe: ["--version"] },
    args: ["language-server", "--protocol=lsp", "--client-id=livetools"],
    initializationOptions: { onlyAnalyzeProjectsWithOpenFiles: false, closingLabels: false, outline: false },
    settings: { dart: { showTodos: false } }
  },
  {
    id: "jdtls",
    languages: [language("java", ".java")],
    markers: [...gradle, ".classpath"],
    binary: { name: "jdtls" },
    settings: { java: { autobuild: { enabled: true }, configuration: { updateBuildConfiguration: "automatic" } } }
  },
  {
    id: "kotlin-lsp",
    languages: kotlin,
    markers: gradle,
    binary: { name: "kotlin-lsp" },
    args: ["--stdio"],
    role: "kotlin"
  },
  {
    id: "kotlin-language-server",
    languages: kotlin,
    markers: gradle,
    binary: { name: "kotlin-language-server" },
    role: "kotlin"
  },
  {
    id: "csharp-ls",
    languages: csharp,
    markers: dotnet,
    binary: { name: "csharp-ls", home: dotnetTools, probe: ["--version"] },
    role: "csharp"
  },
  {
    id: "roslyn",
    languages: csharp,
    markers: dotnet,
    binary: { name: "roslyn-language-server", home: dotnetTools },
    args: ["--stdio", "--autoLoadProjects"],
    role: "csharp"
  },
  {
    id: "omnisharp",
    languages: csharp,
    markers: dotnet,
    binary: { name: "OmniSharp" },
    args: ["--languageserver"],
    role: "csharp"
  },
  {
    id: "zls",
    languages: [language("zig", ".zig", ".zon")],
    markers: ["build.zig", "build.zig.zon"],
    binary: { name: "zls", probe: ["--version"] }
  },
  {
    id: "sourcekit-lsp",
    languages: [language("swift", ".swift")],
    markers: ["Package.swift", "buildServer.json", "*.xcodeproj", "*.xcworkspace"],
    binary: { name: "sourcekit-lsp", probe: ["--help"] }
  },
  {
    id: "metals",
    languages: [language("scala", ".scala", ".sbt", ".sc", ".mill")],
    markers: ["build.sbt", "build.sc", "build.mill", ".scala-build", "project.scala", "pom.xml"],
    binary: { name: "metals", home: [".local/share/coursier/bin"] },
    initializationOptions: { statusBarProvider: "off", isHttpEnabled: false, doctorProvider: "json" }
  },
  {
    id: "haskell-language-server",
    languages: [language("haskell", ".hs"), language("literate haskell", ".lhs")],
    markers: ["hie.yaml", "stack.yaml", "cabal.project", "*.cabal", "package.yaml"],
    binary: { name: "haskell-language-server-wrapper", home: [".ghcup/bin"], probe: ["--version"] },
    args: ["--lsp"]
  },
  {
    id: "ocamllsp",
    languages: [
      language("ocaml", ".ml"),
      language("ocaml.interface", ".mli"),
      language("ocaml.menhir", ".mly"),
      language("ocaml.ocamllex", ".mll"),
      language("reason", ".re", ".rei"),
      { id: "dune", names: ["dune", "dune-project"] }
    ],
    markers: ["dune-project", "dune-workspace", "*.opam", "esy.json"],
    binary: { name: "ocamllsp", project: ["_opam/bin"], probe: ["--version"] }
  }
]
