/** TypeScript files of a project, and what names them. */
import { statSync } from "node:fs"
import { dirname, isAbsolute, resolve } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import * as Tsconfig from "./Tsconfig.ts"

export const isTypeScript = (path: string): boolean => /\.[cm]?tsx?$/.test(path)

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true

/** What a path is completed to, of the extension that it compiles to, and of none. */
const extensions = [".ts", ".tsx", "/index.ts", "/index.tsx"]

/**
 * The file that a path means: itself, or, where there is none, the TypeScript that compiles to it or whose extension is left out;
 * the path itself where there is none of these either.
 */
export const present = (path: string): string => {
  if (isFile(path)) return path
  const compiled = /^(.*\.[cm]?)jsx?$/.exec(path)?.[1]
  const candidates =
    compiled === undefined ? extensions.map((each) => path + each) : [`${compiled}ts`, `${compiled}tsx`]
  return candidates.find(isFile) ?? path
}

/** The local file that a specifier names in a file: by its path, or, in TypeScript, by the `paths` of its configuration. */
export const fileOf = (specifier: string, parent: string): string | undefined => {
  if (/^\.\.?(?:\/|$)/.test(specifier)) return present(resolve(dirname(parent), specifier))
  if (isAbsolute(specifier)) return present(specifier)
  if (!isTypeScript(parent) || specifier.includes(":")) return undefined
  return Tsconfig.of(parent).paths(specifier).map(present).find(isFile)
}

/** `specifier` as the URL of the file that it means, where Node would not find it by itself. */
export const meant = (specifier: string, parent: string | undefined): string => {
  if (parent?.startsWith("file:") !== true || parent.includes("/node_modules/") || /[?#]/.test(specifier))
    return specifier
  const file = fileOf(specifier, fileURLToPath(parent.replace(/[?#].*$/, "")))
  if (file === undefined || !isFile(file)) return specifier
  const { href } = pathToFileURL(file)
  return specifier.startsWith(".") && new URL(specifier, parent).href === href ? specifier : href
}
