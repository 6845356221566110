/**
 * TypeScript files of a project, where this Node does not take them by itself (before 22.18): types are dropped as in the cells.
 * Node loads this module once more in a thread of its own, for the hooks `load` and `resolve`.
 */
import { readFileSync, statSync } from "node:fs"
import NodeModule, { createRequire, type LoadHook, type ResolveHook } from "node:module"
import { fileURLToPath, pathToFileURL } from "node:url"
import type * as Sucrase from "sucrase"

const require = createRequire(import.meta.url)
// By a name that the bundler cannot follow: half a megabyte that most cells do not need.
const typeStripper = "sucrase".toString()

const extension = /\.[cm]?ts$/

export const isTypeScript = (path: string): boolean => extension.test(path)

/** What ends the URL of the module that Node loads for its hooks. */
export const hooksMark = "?hooks"

type Format = "module" | "commonjs"

const withoutTypes = (source: string, filePath: string, format: Format): string => {
  const { transform } = require(typeStripper) as typeof Sucrase
  return transform(source, {
    transforms: format === "module" ? ["typescript"] : ["typescript", "imports"],
    disableESTransforms: true,
    filePath
  }).code
}

const formatOf = (path: string, source: string): Format => {
  if (path.endsWith(".cts")) return "commonjs"
  if (path.endsWith(".mts") || /^\s*(?:import|export)\b(?!\s+\w+\s*=\s*require)/m.test(source)) return "module"
  return /\brequire\s*\(|\bmodule\.exports\b|\bexports\./.test(source) ? "commonjs" : "module"
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true

/**
 * The file that a path means: itself, or, where there is none, the TypeScript that compiles to it or whose extension is left out;
 * the path itself where there is none of these either.
 */
export const present = (path: string): string => {
  if (isFile(path)) return path
  const compiled = /^(.*\.[cm]?)js$/.exec(path)?.[1]
  const candidates = compiled === undefined ? [`${path}.ts`, `${path}/index.ts`] : [`${compiled}ts`]
  return candidates.find(isFile) ?? path
}

/** `specifier` as the URL of the TypeScript file that it means, where it names none by itself. */
export const meant = (specifier: string, parent: string | undefined): string => {
  if (!/^\.\.?\//.test(specifier) || parent?.startsWith("file:") !== true || /[?#]/.test(specifier)) return specifier
  const path = fileURLToPath(new URL(specifier, parent))
  const found = present(path)
  return found === path ? specifier : pathToFileURL(found).href
}

export const resolve: ResolveHook = (specifier, context, next) => next(meant(specifier, context.parentURL), context)

export const load: LoadHook = (url, context, next) => {
  if (!url.startsWith("file:") || !isTypeScript(new URL(url).pathname)) return next(url, context)
  const path = fileURLToPath(url)
  const source = readFileSync(path, "utf8")
  const format = formatOf(path, source)
  return { format, shortCircuit: true, source: withoutTypes(source, path, format) }
}

const isNative = Boolean(process.features.typescript)

let isImportable = isNative
/** Makes it possible to import them. `script` is the URL of the kernel. */
export const allowImport = (script: string): void => {
  if (isImportable) return
  isImportable = true
  NodeModule.register(`${script}${hooksMark}`)
}

/** Makes it possible to `require` them. */
export const allowRequire = (): void => {
  if (isNative) return
  // oxlint-disable-next-line typescript/no-deprecated -- what Node 20 has for it
  const { extensions } = require
  const compile = (module: NodeModule, path: string) => {
    const compiled = withoutTypes(readFileSync(path, "utf8"), path, "commonjs")
    ;(module as NodeModule & { _compile(code: string, path: string): void })._compile(compiled, path)
  }
  extensions[".ts"] = extensions[".cts"] = compile
}
