import { type Expected, type Spec, suite } from "./Suite.ts"

const files = {
  "pyproject.toml": '[project]\nname = "real"\nversion = "0"\n\n[tool.ruff.lint]\nselect = ["F"]\n',
  "shapes.py": [
    '"""Shapes."""',
    "",
    "",
    "class Shape:",
    '    """Something with an area."""',
    "",
    "    def area(self) -> int:",
    "        raise NotImplementedError",
    "",
    "",
    "class Square(Shape):",
    "    def __init__(self, side: int) -> None:",
    "        self.side = side",
    "",
    "    def area(self) -> int:",
    "        return square(self.side)",
    "",
    "",
    "def square(value: int) -> int:",
    '    """Multiplies a number with itself."""',
    "    return value * value",
    ""
  ].join("\n"),
  "main.py": [
    "from shapes import Shape, Square, square",
    "",
    "unit: Shape = Square(1)",
    'smile, four = "😀😀", square(2)',
    "wrong: str = square(3)",
    ""
  ].join("\n"),
  "linted.py": "import os\n\nprint(undefined)\nimport re  # noqa: F401\n"
}

const use = { file: "main.py", line: 4, symbol: "square" } as const
const declared = { file: "shapes.py", line: 19, symbol: "square" } as const

const checker = {
  diagnostics: { file: "main.py", found: ["main.py:5 error reportAssignmentType"] },
  declaration: { ...use, at: ["shapes.py:19"] },
  definition: { ...use, at: ["shapes.py:19"] },
  type_definition: { file: "main.py", line: 3, symbol: "unit", at: ["shapes.py:11"] },
  references: { ...declared, at: ["main.py:1", "main.py:4", "main.py:5", "shapes.py:16", "shapes.py:19"] },
  hover: { ...use, says: ["square", "int", "Multiplies a number with itself."] },
  symbols: {
    file: "shapes.py",
    some: ["class Shape shapes.py:4", "class Square shapes.py:11", "function square shapes.py:19"]
  },
  "symbols query": { query: "Square", some: ["class Square shapes.py:11"] },
  outgoing_calls: { file: "shapes.py", line: 15, symbol: "area", nodes: ["square shapes.py:19 < 16"] },
  supertypes: "not provided",
  subtypes: "not provided"
} satisfies Spec["expected"]

const python = (server: string, programs: ReadonlyArray<string>, expected: { readonly [action: string]: Expected }) =>
  suite({ server, programs, project: { files }, anything: use, moved: ["shapes.py", "main.py", "linted.py"], expected })

const module = (name: string): Expected => ({
  ...declared,
  nodes: ["area shapes.py:15 < 16", `${name} main.py:!1 < 4,5`]
})

python("pyright", ["pyright-langserver"], {
  ...checker,
  implementation: "not provided",
  code_actions: { file: "main.py", line: 5, symbol: "square", titles: [] },
  incoming_calls: module("(module) main.py")
})
python("basedpyright", ["basedpyright-langserver"], {
  ...checker,
  code_actions: {
    file: "main.py",
    line: 5,
    symbol: "square(3)",
    titles: ["Add `# pyright: ignore[reportAssignmentType]`"]
  },
  implementation: { file: "shapes.py", line: 7, symbol: "area", at: ["shapes.py:7", "shapes.py:15"] },
  incoming_calls: module("(module) main.py")
})
python("ty", ["ty"], {
  ...checker,
  diagnostics: { file: "main.py", found: ["main.py:5 error invalid-assignment"] },
  implementation: { file: "shapes.py", line: 7, symbol: "area", at: ["shapes.py:7", "shapes.py:15"] },
  code_actions: {
    file: "main.py",
    line: 5,
    symbol: "square(3)",
    titles: ["Ignore 'invalid-assignment' for this line"]
  },
  incoming_calls: module("main"),
  supertypes: { file: "shapes.py", line: 11, symbol: "Square", nodes: ["Shape shapes.py:4"] },
  subtypes: { file: "shapes.py", line: 4, symbol: "Shape", nodes: ["Square shapes.py:11"] }
})
python("ruff", ["ruff"], {
  diagnostics: { file: "linted.py", found: ["linted.py:1 warning F401", "linted.py:3 error F821"] },
  code_actions: { file: "linted.py", line: 1, symbol: "os", titles: ["Ruff (F401): Remove unused import: `os`"] },
  hover: { file: "linted.py", line: 4, symbol: "F401", says: ["unused-import"] },
  definition: "not provided",
  references: "not provided"
})
