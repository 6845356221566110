/** `import` of the cells: from the present working directory, and a local file that has changed is read again. */
import { createRequire, isBuiltin } from "node:module"
import { dirname, isAbsolute, join, resolve } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { constants, Script } from "node:vm"
import * as Compile from "./Compile.ts"
import * as Edits from "./Edits.ts"
import * as Hooks from "./Hooks.ts"
import * as Require from "./Require.ts"
import * as Transpiler from "./Transpiler.ts"
import * as TypeExports from "./TypeExports.ts"
import * as TypeScript from "./TypeScript.ts"
import * as Versions from "./Versions.ts"

type Import = (specifier: string, options?: ImportCallOptions) => Promise<object>

const { cellFile } = Require

/** Without the warning that Node 20 gives: to a cell, `import()` is nothing experimental. */
const quietly = <A>(run: () => A): A => {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return run()
  } finally {
    process.emitWarning = emitWarning
  }
}

/** By working directory: V8 resolves an `import()` from the place of its script. */
const importers = new Map<string, Import>()
const importer = (): Import => {
  const filename = cellFile()
  let found = importers.get(filename)
  if (found === undefined) {
    const script = new Script("(function (specifier, options) { return import(specifier, options) })", {
      filename,
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER
    })
    found = script.runInThisContext() as Import
    importers.set(filename, found)
  }
  return found
}

/** The file that a specifier names by its path, as written. */
const localFile = (specifier: string): string | undefined => {
  if (specifier.startsWith("file:")) return fileURLToPath(specifier.replace(/[?#].*$/, ""))
  if (/^\.\.?(\/|$)/.test(specifier)) return resolve(process.cwd(), specifier.replace(/[?#].*$/, ""))
  return isAbsolute(specifier) ? specifier : undefined
}

const optionsFor = (specifier: string, attributes: object | undefined): ImportCallOptions | undefined => {
  if (attributes !== undefined && Object.keys(attributes).length > 0) return { with: attributes as ImportAttributes }
  // Node wants it said; a cell means it.
  return specifier.endsWith(".json") && localFile(specifier) !== undefined ? { with: { type: "json" } } : undefined
}

/** The local file that a specifier names in a cell, by its path or by the `paths` of a configuration. */
const fileOf = (specifier: string): string | undefined => {
  const named = localFile(specifier)
  if (named !== undefined) return TypeScript.present(named)
  return isBuiltin(specifier) ? undefined : TypeScript.fileOf(specifier, join(process.cwd(), "cell.ts"))
}

/** The file of a package, which may lie in the project. */
const packageOf = (specifier: string): string | undefined => {
  if (isBuiltin(specifier) || specifier.includes(":")) return undefined
  try {
    return createRequire(cellFile()).resolve(specifier)
  } catch {
    // Node says why when it imports it.
    return undefined
  }
}

/** The specifier of a local file in its present state, and the local files behind it. */
const versioned = (specifier: string): Versions.Version => {
  const named = fileOf(specifier)
  const path = named ?? packageOf(specifier)
  if (path === undefined || specifier.includes("?") || Versions.isInstalled(path)) return { url: specifier, files: [] }
  Require.forgetChanged()
  const { files, url } = Versions.of(path)
  Hooks.prepare(import.meta.url, named, files)
  // A package says itself which of its files that is.
  return { url: named === undefined ? specifier : url, files }
}

export interface Modules {
  /** `import(specifier, options)`. */
  readonly load: (specifier: unknown, options?: { readonly with?: object }) => Promise<object>
  /** A static import: the module, with the names that are imported from it. */
  readonly importNames: (
    specifier: string,
    names: ReadonlyArray<string>,
    attributes: object,
    asTypes?: AsTypes
  ) => Promise<object>
  /** The cell was stopped: what it was still loading is begun anew when it is imported again. */
  readonly abandon: (cell: number) => void
}

/** Names that the cell does not use as values; a type has none. */
export interface AsTypes {
  readonly unused: ReadonlyArray<string>
  /** Its own types name them. */
  readonly typed: ReadonlyArray<string>
}

interface Loading extends Versions.Version {
  readonly cell: number
  readonly specifier: string
}

/** `running` is the cell that runs, or 0. `notice` is told what cannot be as it should. */
export const make = (running: () => number, notice: (text: string) => void): Modules => {
  const loading = new Set<Loading>()
  const load: Modules["load"] = async (specifier, options) => {
    const name = String(specifier)
    const { stack: here = "" } = new Error()
    const attributes = optionsFor(name, options?.with)
    const begun = { ...versioned(name), cell: running(), specifier: name }
    loading.add(begun)
    try {
      const module = await quietly(() => importer()(begun.url, attributes))
      Versions.loaded(begun.files)
      return module
    } catch (error) {
      if (loading.has(begun)) Versions.failed(begun.files)
      if (error instanceof SyntaxError) locate(error, begun)
      if (error instanceof Error) show(error, here)
      throw error
    } finally {
      loading.delete(begun)
    }
  }
  return {
    load,
    importNames: async (specifier, names, attributes, asTypes) =>
      withNames(specifier, await load(specifier, { with: attributes }), names, asTypes),
    abandon: (cell) => {
      Require.forgetBegun()
      for (const each of loading) {
        if (each.cell !== cell) continue
        loading.delete(each)
        if (each.files.length > 0) Versions.failed(each.files)
        else
          notice(
            `${each.specifier} was still being loaded when the cell was stopped: a later import of it may not end, or give a part of it. Reset if it does`
          )
      }
    }
  }
}

/** Puts the frames of the cell into the stack of an error that has none of them: Node loads modules without. */
const show = (error: Error, here: string): void => {
  const frames = here.split("\n").slice(1)
  const script = frames[0] && /^ +at (?:.* \()?(.+):\d+:\d+\)?$/.exec(frames[0])?.[1]
  if (script === undefined || String(error.stack).includes(`${script}:`)) return
  const kept = String(error.stack)
    .split("\n")
    .filter((line) => !/^ +at .*(?:\bnode:internal\/|\/javascript-hooks\.js:)/.test(line))
  error.stack = [...kept, ...frames].join("\n")
}

/** Puts the place into the stack of an error of syntax that Node tells without it, or with one in what it was given to read. */
const locate = (error: SyntaxError, { files, specifier }: Loading): void => {
  const stack = String(error.stack)
  const told = /^(\S+):(\d+)\n.*\n( *)\^+\n/.exec(stack)
  if (told !== null) {
    const [head, script, line, indent] = told
    const place = Hooks.placeOf(script!, { line: Number(line) - 1, column: indent!.length })
    if (place === undefined) return
    const file = fileURLToPath(Versions.withoutVersion(script!))
    error.stack = `${Edits.excerpt(file, Versions.textOf(file), place)}${stack.slice(head.length)}`
  } else if (stack.startsWith("SyntaxError")) {
    for (const file of files) {
      const text = Versions.textOf(file)
      const place = TypeScript.isTypeScript(file) ? Transpiler.transpile(text, file) : Transpiler.check(text, file)
      if (place === undefined || !("message" in place)) continue
      error.stack = Compile.unreadable(file, text, { ...place, message: error.message }).stack!
      return
    }
    error.stack += `\n    in what "${specifier}" loads`
  }
}

/** The module with these names, or an error that says what it has. */
const withNames = (
  specifier: string,
  module: object,
  names: ReadonlyArray<string>,
  { typed, unused }: AsTypes = { typed: [], unused: [] }
): object => {
  const missing = names.filter(
    (name) =>
      !(name in module) &&
      !typed.includes(name) &&
      !(unused.includes(name) && TypeExports.isType(name, fileOf(specifier) ?? packageOf(specifier)))
  )
  if (missing.length === 0) return module
  // Not all that a CommonJS module exports can be told before it runs.
  const exported: unknown = Reflect.get(module, "default")
  if ((typeof exported === "object" && exported !== null) || typeof exported === "function") {
    const absent = missing.filter((name) => !(name in exported))
    if (absent.length === 0) {
      const extended: Record<string, unknown> = Object.create(null)
      for (const name of names) extended[name] = Reflect.get(name in module ? module : exported, name)
      return extended
    }
  }
  const has = Object.keys(module)
  throw new SyntaxError(
    `"${specifier}" exports no ${missing.map((name) => `\`${name}\``).join(", ")}; it exports ` +
      (has.length === 0
        ? "nothing"
        : `${has.slice(0, 30).join(", ")}${has.length > 30 ? `, and ${has.length - 30} more` : ""}`) +
      (missing.every((name) => unused.includes(name)) ? "; a type is imported with `import type`" : "")
  )
}

/** `import.meta`. */
export const meta = () => {
  const filename = cellFile()
  return {
    url: pathToFileURL(filename).href,
    filename,
    dirname: dirname(filename),
    resolve: (specifier: string) => {
      if (isBuiltin(specifier)) return specifier.startsWith("node:") ? specifier : `node:${specifier}`
      const path = localFile(specifier)
      return path === undefined
        ? pathToFileURL(createRequire(filename).resolve(specifier)).href
        : pathToFileURL(path).href
    }
  }
}
