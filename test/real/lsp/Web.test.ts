import { suite } from "./Suite.ts"

const anything = (file: string, line: number, symbol: string) => ({ file, line, symbol })

suite({
  server: "json",
  programs: ["vscode-json-language-server"],
  project: {
    files: {
      "package.json": "{}\n",
      "schema.json": '{ "properties": { "one": { "type": "number", "description": "How many." } } }\n',
      "a.json": '{\n  "one": 1,\n  "two": { "three": [1, 2,] },\n  "$schema": "./schema.json"\n}\n'
    }
  },
  anything: anything("a.json", 2, "one"),
  moved: ["a.json"],
  expected: {
    diagnostics: { file: "a.json", found: ["a.json:3 error 519"] },
    code_actions: { file: "a.json", line: 2, symbol: "one", titles: ["Sort JSON"] },
    hover: { file: "a.json", line: 2, symbol: "one", says: ["How many"] },
    symbols: {
      file: "a.json",
      names: [
        "string $schema a.json:4",
        "number one a.json:2",
        "module two a.json:3",
        "array three a.json:3",
        "number 0 a.json:3",
        "number 1 a.json:3"
      ]
    }
  }
})

suite({
  server: "css",
  programs: ["vscode-css-language-server"],
  project: {
    files: {
      "package.json": "{}\n",
      "a.css": ":root {\n  --main: #ff0000;\n}\n\n.box {\n  color: var(--main);\n  colour: red;\n}\n"
    }
  },
  anything: anything("a.css", 6, "color"),
  moved: ["a.css"],
  expected: {
    diagnostics: { file: "a.css", found: ["a.css:7 warning unknownProperties"] },
    definition: { file: "a.css", line: 6, symbol: "--main", at: ["a.css:2"] },
    references: { file: "a.css", line: 2, symbol: "--main", at: ["a.css:2", "a.css:6"] },
    hover: { file: "a.css", line: 6, symbol: "color", says: ["color of an element's text"] },
    symbols: { file: "a.css", names: ["class :root a.css:1", "class .box a.css:5"] },
    code_actions: { file: "a.css", line: 7, symbol: "colour", titles: ["Rename to 'color'"] }
  }
})

suite({
  server: "html",
  programs: ["vscode-html-language-server"],
  project: {
    files: {
      "package.json": "{}\n",
      "a.html":
        '<!doctype html>\n<body>\n  <p id="a">text</p>\n  <script>\n    let one = 1\n    one = oops(\n  </script>\n</body>\n'
    }
  },
  anything: anything("a.html", 3, "p"),
  moved: ["a.html"],
  expected: {
    diagnostics: { file: "a.html", found: ["a.html:9 error"] },
    definition: { file: "a.html", line: 6, symbol: "one", at: ["a.html:5"] },
    references: { file: "a.html", line: 5, symbol: "one", at: ["a.html:5", "a.html:6"] },
    hover: { file: "a.html", line: 3, symbol: "p", says: ["paragraph"] },
    symbols: { file: "a.html", some: ["field body a.html:2", "field p#a a.html:3"] }
  }
})

suite({
  server: "eslint",
  programs: ["vscode-eslint-language-server"],
  project: {
    files: {
      "package.json": '{ "type": "module" }\n',
      "eslint.config.js": 'export default [{ rules: { "no-debugger": "error", "prefer-const": "warn" } }]\n',
      "a.js": "let one = 1\ndebugger\nconsole.log(one)\n"
    },
    links: { "node_modules/eslint": "npm/node_modules/eslint" }
  },
  anything: anything("a.js", 1, "one"),
  moved: ["a.js"],
  expected: {
    diagnostics: { file: "a.js", found: ["a.js:1 warning prefer-const", "a.js:2 error no-debugger"] },
    code_actions: { file: "a.js", line: 1, symbol: "one", titles: ["Fix this prefer-const problem"] }
  }
})
