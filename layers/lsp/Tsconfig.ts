/** The parts of TypeScript's configurations that say which projects belong together, and where their output goes. */
import * as Fs from "node:fs"
import { createRequire } from "node:module"
import * as Path from "node:path"
import { Schema } from "effect"
import * as Wire from "../../src/lsp/Wire.ts"

export interface Tsconfig {
  /** Absolute. */
  readonly file: string
  /** The configurations of the projects that it refers to, absolute, whether they are there or not. */
  readonly references: ReadonlyArray<string>
  /** Those that it extends, the nearest first. */
  readonly bases: ReadonlyArray<string>
  /** The folders and files that its output goes to, absolute. */
  readonly outputs: ReadonlyArray<string>
  /** Those of the outputs that are named by an absolute path, wherever the project is. */
  readonly fixed: ReadonlyArray<string>
}

const outputOptions = ["outDir", "declarationDir", "outFile", "tsBuildInfoFile"] as const
type OutputOption = (typeof outputOptions)[number]

const references = Wire.each(Schema.Struct({ path: Schema.String }))
const strings = (value: unknown): ReadonlyArray<string> =>
  [value].flat().filter((one): one is string => typeof one === "string")

const string = String.raw`"(?:\\.|[^"\\\n])*"`
const comments = new RegExp(String.raw`(${string})|//[^\n]*|/\*[\s\S]*?\*/`, "g")
const lastCommas = new RegExp(String.raw`(${string})|,(?=\s*[}\]])`, "g")

/** JSON with comments and last commas; `undefined` where it is none. */
const parse = (text: string): unknown => {
  const keep = (_: string, kept: string | undefined) => kept ?? " "
  try {
    return JSON.parse(
      text
        .replace(/^\uFEFF/, "")
        .replace(comments, keep)
        .replace(lastCommas, keep)
    )
  } catch {
    return undefined
  }
}

const contentOf = (file: string): unknown => {
  try {
    return parse(Fs.readFileSync(file, "utf8"))
  } catch {
    return undefined
  }
}

const isFile = (file: string): boolean => Fs.statSync(file, { throwIfNoEntry: false })?.isFile() === true

const baseOf = (file: string, name: string): string | undefined => {
  const isPath = /^\.{0,2}[\\/]/.test(name) || Path.isAbsolute(name)
  if (isPath) {
    const path = Path.resolve(Path.dirname(file), name)
    return path.endsWith(".json") || isFile(path) ? path : `${path}.json`
  }
  const { resolve } = createRequire(file)
  for (const one of [name, `${name}.json`, `${name}/tsconfig.json`]) {
    try {
      return resolve(one)
    } catch {
      // The next spelling may be there.
    }
  }
  return undefined
}

/** The file that a reference means. */
const referred = (folder: string, path: string): string => {
  const at = Path.resolve(folder, path)
  return at.endsWith(".json") ? at : Path.join(at, "tsconfig.json")
}

/** `undefined` where the file cannot be read as a configuration. */
export const read = (file: string): Tsconfig | undefined => {
  const folder = Path.dirname(file)
  const bases: Array<string> = []
  const options = new Map<OutputOption, { readonly path: string; readonly isFixed: boolean }>()
  const take = (at: string, content: unknown) => {
    for (const name of outputOptions) {
      const value = Wire.get(Wire.get(content, "compilerOptions"), name)
      if (typeof value !== "string" || options.has(name)) continue
      const path = value.replace(/^\$\{configDir\}/, ".")
      options.set(name, {
        path: Path.resolve(path === value ? Path.dirname(at) : folder, path),
        isFixed: Path.isAbsolute(path)
      })
    }
    // Of several bases the last one wins.
    for (const name of strings(Wire.get(content, "extends")).toReversed()) {
      const base = baseOf(at, name)
      if (base === undefined || base === file || bases.includes(base)) continue
      bases.push(base)
      take(base, contentOf(base))
    }
  }
  if (!isFile(file)) return undefined
  const content = contentOf(file)
  take(file, content)
  return {
    file,
    references: references(Wire.get(content, "references")).map(({ path }) => referred(folder, path)),
    bases,
    outputs: [...options.values()].map(({ path }) => path),
    fixed: [...options.values()].flatMap(({ isFixed, path }) => (isFixed ? [path] : []))
  }
}

/** A configuration and all those that it refers to, and these, each once. */
export const withReferences = (file: string): ReadonlyArray<Tsconfig> => {
  const found = new Map<string, Tsconfig | undefined>()
  const files = new Set([file])
  for (const one of files) {
    const config = read(one)
    found.set(one, config)
    for (const reference of config?.references ?? []) files.add(reference)
  }
  return [...found.values()].filter((config) => config !== undefined)
}
