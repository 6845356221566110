/** An ECMAScript module as a CommonJS one, for `require`: the files behind it are read in their present state too, on any Node. */
import { pathToFileURL } from "node:url"
import * as Transpiler from "./Transpiler.ts"
import * as TypeScript from "./TypeScript.ts"
import { helper } from "./Messages.ts"

/** What the names of its functions begin with. */
export const prefix = "__vite_ssr_"

/** Vite's form of a module calls these for what it imports and exports. */
const calls = `
function __vite_ssr_import__(name) {
  ${helper}.mark(exports)
  return ${helper}.required(require(${helper}.fileOf(name, __filename) ?? name))
}
function __vite_ssr_dynamic_import__(name) {
  const file = ${helper}.fileOf(name, __filename)
  return file === undefined ? import(name) : ${helper}.load(file)
}
function __vite_ssr_exportAll__(from) { ${helper}.exportAll(exports, from) }
${helper}.mark(exports)`

export const of = (path: string, code: string): Transpiler.Transpiled => {
  const made = Transpiler.oxc().moduleRunnerTransformSync(path, code, { sourcemap: true })
  const written = made.code
    .replace(/^const (\w+) = await (?=__vite_ssr_import__\()/gm, "const $1 = ")
    .replaceAll("__vite_ssr_exports__", "exports")
    .replaceAll("__vite_ssr_import_meta__", `${helper}.metaOf(__filename)`)
  if (/\bawait\b/.test(written) && Transpiler.check(written, "x.cjs") !== undefined)
    throw new Error(`${path} has an \`await\` at its top, which \`require\` cannot wait for: use \`await import()\``)
  // An `import` of it learns its names from the text alone.
  const names = Array.from(written.matchAll(/^Object\.defineProperty\(exports, "([\w$]+)"/gm), ([, name]) => name!)
  const told = names.filter((name) => name !== "default").join(", ")
  return { code: `${written}${calls}\n0 && (module.exports = { ${told} })`, map: made.map! }
}

const isModule = (value: object) => "__esModule" in value || Reflect.get(value, Symbol.toStringTag) === "Module"

/** What the helper of the cells has for such a module. */
export const helpers = {
  fileOf: (name: string, file: string) => TypeScript.fileOf(name, file),
  /** Tells a module that was one of ECMAScript from others, before those that it requires ask for it. */
  mark: (exports: object) => Object.defineProperty(exports, "__esModule", { value: true }),
  /** What is required, as what an `import` gives. */
  required: (value: unknown): object => {
    if (typeof value === "object" && value !== null && isModule(value)) return value
    return {
      __proto__: null,
      ...(typeof value === "object" || typeof value === "function" ? value : {}),
      default: value
    }
  },
  exportAll: (exports: object, from: object): void => {
    for (const name of Object.keys(from)) {
      if (name === "default" || Object.hasOwn(exports, name)) continue
      Object.defineProperty(exports, name, { configurable: true, enumerable: true, get: () => Reflect.get(from, name) })
    }
  },
  metaOf: (file: string) => ({
    url: pathToFileURL(file).href,
    filename: file,
    dirname: file.replace(/[\\/][^\\/]*$/, "")
  })
}
