import { type Expected, type Spec, suite } from "./Suite.ts"

const files = {
  "package.json": '{ "name": "real", "type": "module" }\n',
  "tsconfig.json":
    '{ "compilerOptions": { "strict": true, "module": "esnext", "moduleResolution": "bundler", "target": "es2022", ' +
    '"noEmit": true, "allowImportingTsExtensions": true, "skipLibCheck": true, "types": [] }, "include": ["src"] }\n',
  "src/shapes.ts": [
    "/** Something with an area. */",
    "export interface Shape {",
    "  area(): number",
    "}",
    "",
    "export class Square implements Shape {",
    "  constructor(readonly side: number) {}",
    "  area(): number {",
    "    return square(this.side)",
    "  }",
    "}",
    "",
    "/** Multiplies a number with itself. */",
    "export function square(value: number): number {",
    "  return value * value",
    "}",
    ""
  ].join("\n"),
  "src/main.ts": [
    'import { type Shape, Square, square } from "./shapes.ts"',
    "",
    "export const unit: Shape = new Square(1)",
    "export const smile = '😀😀', four = square(2)",
    "export const wrong: string = square(3)",
    ""
  ].join("\n"),
  "src/loose.ts": "export const nine = square(3)\n"
}

const use = { file: "src/main.ts", line: 4, symbol: "square" } as const
const declared = { file: "src/shapes.ts", line: 14, symbol: "square" } as const

const common = {
  diagnostics: { file: "src/main.ts", found: ["src/main.ts:5 error 2322"] },
  definition: { ...use, at: ["src/shapes.ts:14"] },
  type_definition: { file: "src/main.ts", line: 3, symbol: "unit", at: ["src/shapes.ts:2"] },
  implementation: { file: "src/shapes.ts", line: 2, symbol: "Shape", at: ["src/shapes.ts:6"] },
  references: {
    ...declared,
    at: ["src/main.ts:1", "src/main.ts:4", "src/main.ts:5", "src/shapes.ts:9", "src/shapes.ts:14"]
  },
  hover: { ...use, says: ["square(value: number): number", "Multiplies a number with itself."] },
  symbols: {
    file: "src/shapes.ts",
    some: ["interface Shape src/shapes.ts:2", "class Square src/shapes.ts:6", "function square src/shapes.ts:14"]
  },
  "symbols query": { query: "Square", some: ["class Square src/shapes.ts:6"] },
  code_actions: { file: "src/loose.ts", line: 1, symbol: "square", titles: ['Add import from "./shapes"'] },
  outgoing_calls: { file: "src/shapes.ts", line: 8, symbol: "area", nodes: ["square src/shapes.ts:14 < 9"] },
  supertypes: "not provided",
  subtypes: "not provided"
} satisfies Spec["expected"]

const typescript = (
  server: string,
  programs: ReadonlyArray<string>,
  own: { readonly [action: string]: Expected } = {}
) =>
  suite({
    server,
    programs,
    project: { files },
    anything: use,
    moved: ["src/shapes.ts", "src/main.ts", "src/loose.ts"],
    expected: { ...common, ...own }
  })

/** The module that calls, as the server names it. */
const callers = (module: string) => ({
  incoming_calls: { ...declared, nodes: ["area src/shapes.ts:8 < 9", `${module} src/main.ts:!1 < 4,5`] }
})

typescript("typescript", ["tsc"], callers("src/main.ts"))
typescript("typescript-language-server", ["typescript-language-server"], callers("main.ts"))
typescript("vtsls", ["vtsls"], callers("main.ts"))
