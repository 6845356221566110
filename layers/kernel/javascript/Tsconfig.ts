/** What the `tsconfig.json` of a project says of how its code runs. */
import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import type * as GetTsconfig from "get-tsconfig"
import type { JsxOptions } from "oxc-transform"

const require = createRequire(import.meta.url)

export interface Settings {
  /** Decorators as they were before the standard. */
  readonly hasDecorators: boolean
  readonly hasMetadata: boolean
  /** Fields are assigned in the constructor, after its parameter properties. */
  readonly assignsFields: boolean
  readonly jsx: JsxOptions
  /** The files that a specifier may mean, without extension, absolute. */
  readonly paths: (specifier: string) => ReadonlyArray<string>
}

export const none: Settings = {
  hasDecorators: false,
  hasMetadata: false,
  assignsFields: false,
  jsx: {},
  paths: () => []
}

/** For how long it is not looked at again. */
const freshMs = 2000

const known = new Map<string, Settings>()
let since = -freshMs

/** Those for a file. Without a configuration, or with one that cannot be read: none. */
export const of = (file: string): Settings => {
  if (performance.now() - since > freshMs) known.clear()
  const folder = dirname(file)
  let found = known.get(folder)
  if (found === undefined) {
    found = read(file)
    since = performance.now()
    known.set(folder, found)
  }
  return found
}

/** Whether a folder or one above it has a configuration: most cells do without what reads them. */
const isThere = (folder: string): boolean => {
  const above = dirname(folder)
  return existsSync(join(folder, "tsconfig.json")) || (above !== folder && isThere(above))
}

const read = (file: string): Settings => {
  if (!isThere(dirname(file))) return none
  try {
    // By a name that the bundler cannot follow.
    const { createPathsMatcher, getTsconfig } = require("get-tsconfig".toString()) as typeof GetTsconfig
    const found = getTsconfig(file)
    if (found === null) return none
    const options = found.config.compilerOptions ?? {}
    const { emitDecoratorMetadata, experimentalDecorators, target, useDefineForClassFields } = options
    const isOld = /^es(?:[356]|20(?:1\d|2[01]))$/i.test(target ?? "")
    const paths = createPathsMatcher(found)
    return {
      hasDecorators: experimentalDecorators === true,
      hasMetadata: emitDecoratorMetadata === true,
      assignsFields: !(useDefineForClassFields ?? !isOld),
      jsx:
        options.jsx?.toLowerCase() === "react"
          ? {
              runtime: "classic",
              ...(options.jsxFactory === undefined ? {} : { pragma: options.jsxFactory }),
              ...(options.jsxFragmentFactory === undefined ? {} : { pragmaFrag: options.jsxFragmentFactory })
            }
          : options.jsxImportSource === undefined
            ? {}
            : { importSource: options.jsxImportSource },
      paths: (specifier) => paths?.(specifier) ?? []
    }
  } catch {
    return none
  }
}
