/** `require` of the cells: from the present working directory, and a local file that has changed is read again. */
import { createRequire, isBuiltin } from "node:module"
import { join, relative } from "node:path"
import { types } from "node:util"
import * as Hooks from "./Hooks.ts"
import * as TypeScript from "./TypeScript.ts"
import * as Versions from "./Versions.ts"

const require = createRequire(import.meta.url)

/** The name under which the cells would lie in the working directory. */
export const cellFile = () => join(process.cwd(), "cell.mjs")

const stamps = new Map<string, string>()

/** What is still to be forgotten: a cell may be stopped in between. */
const stale = new Set<string>()

/** Forgets the local CommonJS modules whose files have changed, and those that loaded them. */
export const forgetChanged = (): void => {
  const { cache } = require
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
  stale.clear()
}

/** Forgets what was being loaded when its code was stopped: Node takes it for what it will be. */
export const forgetBegun = (): void => {
  const { cache } = require
  for (const [path, module] of Object.entries(cache)) if (module?.loaded === false) delete cache[path]
}

/** `require` from the working directory. `notice` is told what cannot be as it should. */
export const make = (notice: (text: string) => void) => {
  const modules = new Map<string, string>()
  /** Node keeps an ECMAScript module, whatever becomes of its file. */
  const tellKept = (path: string) => {
    const { url } = Versions.of(path)
    if (!modules.has(path)) modules.set(path, url)
    if (modules.get(path) === url) return
    const name = relative(process.cwd(), path)
    notice(
      `${name} changed after it was required, and Node keeps the old one: \`await import()\` it, which reads it again`
    )
  }
  const real = () => createRequire(cellFile())
  const base = real()
  const require = (id: string): unknown => {
    if (isBuiltin(id)) return base(id)
    Hooks.prepareRequire(import.meta.url)
    forgetChanged()
    const file = TypeScript.fileOf(id, join(process.cwd(), "cell.ts")) ?? id
    const module: unknown = real()(file)
    if (types.isModuleNamespaceObject(module)) tellKept(real().resolve(file))
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
