import { suite } from "./Suite.ts"

suite({
  server: "bash-language-server",
  programs: ["bash-language-server", "shellcheck"],
  project: {
    files: {
      "package.json": "{}\n",
      "lib.bash": '# Says hello.\ngreet() {\n  echo "hello $1"\n}\n',
      "main.bash": "source ./lib.bash\ngreet world\ngreet again\nunused=1\necho $HOME\n"
    }
  },
  anything: { file: "main.bash", line: 2, symbol: "greet" },
  moved: ["lib.bash", "main.bash"],
  expected: {
    diagnostics: { file: "main.bash", found: ["main.bash:4 warning SC2034"] },
    definition: { file: "main.bash", line: 2, symbol: "greet", at: ["lib.bash:2"] },
    references: { file: "lib.bash", line: 2, symbol: "greet", at: ["lib.bash:2", "main.bash:2", "main.bash:3"] },
    code_actions: { file: "main.bash", line: 5, symbol: "$HOME", titles: ["Apply fix for SC2086"] },
    hover: { file: "main.bash", line: 2, symbol: "greet", says: ["Says hello."] },
    symbols: { file: "lib.bash", some: ["function greet lib.bash:2"] },
    "symbols query": { query: "greet", some: ["function greet lib.bash:2"] }
  }
})

suite({
  server: "yaml-language-server",
  programs: ["yaml-language-server"],
  project: {
    files: {
      "package.json": "{}\n",
      "schema.json":
        '{ "properties": { "size": { "type": "number", "description": "How large it is." }, "name": { "type": "string", "description": "What it is called." } } }\n',
      "a.yaml":
        "# yaml-language-server: $schema=./schema.json\nbase: &base\n  one: 1\nsize: large\nderived: *base\nname: it\n"
    }
  },
  anything: { file: "a.yaml", line: 4, symbol: "size" },
  moved: ["a.yaml"],
  expected: {
    diagnostics: { file: "a.yaml", found: ["a.yaml:4 error"] },
    definition: { file: "a.yaml", line: 5, symbol: "*base", at: ["a.yaml:3"] },
    code_actions: { file: "a.yaml", line: 4, symbol: "large", titles: [] },
    hover: { file: "a.yaml", line: 6, symbol: "name", says: ["What it is called."] },
    symbols: { file: "a.yaml", some: ["module base a.yaml:2", "string size a.yaml:4"] }
  }
})
