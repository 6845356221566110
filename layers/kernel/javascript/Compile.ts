/** What TypeScript files are to Node. */
import { readFileSync } from "node:fs"
import * as CommonJs from "./CommonJs.ts"
import * as Edits from "./Edits.ts"
import { helper } from "./Messages.ts"
import * as Transpiler from "./Transpiler.ts"
import * as TypeExports from "./TypeExports.ts"

type Format = "module" | "commonjs"

/** What it is by its text. */
const formatOf = (source: string): Format => {
  if (/^\s*(?:import|export)\b(?!\s+\w+\s*=\s*require)(?!\s*[=(])/m.test(source)) return "module"
  return /\brequire\s*\(|\bmodule\.exports\b|\bexports\.|^\s*export\s*=/m.test(source) ? "commonjs" : "module"
}

/** An error of syntax with its place, as Node writes them. */
export const unreadable = (file: string, text: string, { message, ...place }: Transpiler.Unreadable): SyntaxError => {
  const error = new SyntaxError(message)
  const at = `${file}:${place.line + 1}:${place.column + 1}`
  error.stack = `${Edits.excerpt(file, text, place)}\nSyntaxError: ${message}\n    at ${at}`
  return error
}

export interface Compiled {
  readonly format: Format
  readonly code: string
  /** How it came to be, the last step first. */
  readonly maps: ReadonlyArray<Transpiler.SourceMap>
}

/** A file as JavaScript, for `import` or for `require`. Throws what is wrong with its syntax, and where. */
export const file = (path: string, isRequired: boolean): Compiled => {
  const source = readFileSync(path, "utf8")
  const format = formatOf(source)
  const isModule = format === "module" && !isRequired && !path.endsWith(".cts")
  // Many modules are written to become CommonJS.
  const isMixed = isModule && /\b(?:require|__dirname|__filename)\b/.test(source)
  const transpiled = Transpiler.transpile(source, path, isMixed ? { define: ofCommonJs } : {})
  if ("message" in transpiled) throw unreadable(path, source, transpiled)
  const { map } = transpiled
  const code = format === "module" ? TypeExports.drop(transpiled.code, path) : transpiled.code
  if (format === "commonjs" || isModule) return { format, code, maps: [map] }
  const { code: made, map: last } = CommonJs.of(path, code)
  return { format: "commonjs", code: made, maps: [last, map] }
}

const ofCommonJs = {
  __dirname: "import.meta.dirname",
  __filename: "import.meta.filename",
  require: `${helper}.requireOf(import.meta.url)`
}
