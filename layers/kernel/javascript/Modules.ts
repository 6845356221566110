/** `import` and `require` of the cells: from the present working directory, and a local file that has changed is read again. */
import NodeModule, { createRequire, isBuiltin } from "node:module"
import { dirname, isAbsolute, join, relative, resolve } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { constants, Script } from "node:vm"
import * as TypeScript from "./TypeScript.ts"
import * as Versions from "./Versions.ts"

const require = createRequire(import.meta.url)

type Import = (specifier: string, options?: ImportCallOptions) => Promise<object>

/** The name under which the cells would lie in the working directory. */
const cellFile = () => join(process.cwd(), "cell.mjs")

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

// Where Node can do that (from 22.15 on), what a local module itself imports is in its present state too.
const hasHooks = typeof NodeModule.registerHooks === "function"
let isHooked = false
const hook = (): void => {
  if (isHooked || !hasHooks) return
  isHooked = true
  NodeModule.registerHooks({
    resolve: (specifier, context, next) => {
      const resolved = next(TypeScript.meant(specifier, context.parentURL), context)
      return context.conditions.includes("import") ? { ...resolved, url: Versions.ofUrl(resolved.url) } : resolved
    }
  })
}

const told = new Set<string>()

/** The specifier of a local file in its present state. */
const versioned = (specifier: string, notice: (text: string) => void): string => {
  const named = localFile(specifier)
  if (named === undefined || specifier.includes("?") || Versions.isInstalled(named)) return specifier
  hook()
  forgetChanged(require.cache)
  const path = TypeScript.present(named)
  const { changed, files, url } = Versions.of(path)
  if (files.some(TypeScript.isTypeScript)) TypeScript.allowImport(import.meta.url)
  const stale = hasHooks ? [] : changed.filter((each) => !told.has(each))
  if (stale.length > 0) {
    for (const each of stale) told.add(each)
    const names = stale.map((each) => relative(process.cwd(), each)).join(", ")
    notice(
      `${names} changed after it was imported, and Node ${process.version} keeps the old one inside of ${specifier}: reset to use it`
    )
  }
  return url
}

export interface Modules {
  /** `import(specifier, options)`. */
  readonly load: (specifier: unknown, options?: { readonly with?: object }) => Promise<object>
  /** A static import: the module, with the names that are imported from it. */
  readonly importNames: (specifier: string, names: ReadonlyArray<string>, attributes: object) => Promise<object>
}

/** `notice` is told what cannot be as it should. */
export const make = (notice: (text: string) => void): Modules => {
  const load: Modules["load"] = async (specifier, options) => {
    const name = String(specifier)
    return quietly(() => importer()(versioned(name, notice), optionsFor(name, options?.with)))
  }
  return {
    load,
    importNames: async (specifier, names, attributes) =>
      withNames(specifier, await load(specifier, { with: attributes }), names)
  }
}

/** The module with these names, or an error that says what it has. */
const withNames = (specifier: string, module: object, names: ReadonlyArray<string>): object => {
  const missing = names.filter((name) => !(name in module))
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
        : `${has.slice(0, 30).join(", ")}${has.length > 30 ? `, and ${has.length - 30} more` : ""}`)
  )
}

const stamps = new Map<string, string>()

/** Forgets the local CommonJS modules whose files have changed, and those that loaded them. */
const forgetChanged = (cache: NodeJS.Dict<NodeJS.Module>): void => {
  const stale = new Set<string>()
  for (const path of Object.keys(cache)) {
    if (Versions.isInstalled(path)) continue
    const now = Versions.stamp(path)
    const before = stamps.get(path)
    if (before !== undefined && now !== before) stale.add(path)
    if (now !== undefined) stamps.set(path, now)
  }
  for (let size = 0; size !== stale.size;) {
    size = stale.size
    for (const [path, module] of Object.entries(cache)) {
      if (module?.children?.some((child) => stale.has(child.filename)) && !Versions.isInstalled(path)) stale.add(path)
    }
  }
  for (const path of stale) delete cache[path]
}

/** `require` from the working directory. */
export const cellRequire = () => {
  TypeScript.allowRequire()
  const real = () => createRequire(cellFile())
  const base = real()
  const require = (id: string): unknown => {
    if (isBuiltin(id)) return base(id)
    forgetChanged(base.cache)
    const module: unknown = real()(id)
    // What was just read is in its present state.
    for (const path of Object.keys(base.cache))
      if (!stamps.has(path) && !Versions.isInstalled(path)) stamps.set(path, Versions.stamp(path) ?? "")
    return module
  }
  const resolveFrom = Object.assign((id: string, options?: { paths?: Array<string> }) => real().resolve(id, options), {
    paths: (request: string) => real().resolve.paths(request)
  })
  return Object.assign(require, {
    cache: base.cache,
    // oxlint-disable-next-line typescript/no-deprecated -- a part of every `require`
    extensions: base.extensions,
    main: undefined,
    resolve: resolveFrom
  })
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
