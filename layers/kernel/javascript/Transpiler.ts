/**
 * TypeScript to JavaScript, by Oxc: enums, namespaces, parameter properties, the decorators of `experimentalDecorators`. An import
 * that is used as a type only is dropped. Lines move; a source map says where to.
 */
import NodeModule, { createRequire } from "node:module"
import type * as Oxc from "oxc-transform"
import * as Edits from "./Edits.ts"
import * as Tsconfig from "./Tsconfig.ts"

const require = createRequire(import.meta.url)

/** Oxc cannot be loaded: it is not installed, or not for this platform. */
export class Unavailable extends Error {
  constructor(cause: unknown) {
    const [why] = (cause instanceof Error ? cause.message : String(cause)).split("\n")
    super(
      `the package oxc-transform, which reads TypeScript, cannot be loaded: ${why}. Install livetools anew on this machine, ` +
        "with its optional dependencies (`npm install --include=optional`)"
    )
  }
}

/** By a name that the bundler cannot follow: megabytes that most cells do not need. */
export const oxc = () => {
  try {
    return require("oxc-transform".toString()) as typeof Oxc
  } catch (cause) {
    throw new Unavailable(cause)
  }
}

/** Of the source-map standard, as `node:module` takes it. */
export type SourceMap = NonNullable<Oxc.TransformResult["map"]>

export interface Transpiled {
  readonly code: string
  readonly map: SourceMap
}

/** Why a text cannot be read, and where. */
export interface Unreadable extends Edits.Position {
  readonly message: string
}

/** Said where a decorator stands and no configuration allows it. */
const decorators =
  "Decorators are not supported without `experimentalDecorators` in tsconfig.json: Node has none of its own, and those of the standard are not translated"

const namespaces = "Namespaces exporting non-const"

const explained = (source: string, { helpMessage, labels, message }: Oxc.OxcError): Unreadable => {
  // The offset is one of bytes.
  const before = Buffer.from(source).subarray(0, labels[0]?.start ?? 0)
  return {
    message: message.startsWith(namespaces)
      ? "A namespace that exports a `let` or a `var` is not supported: export a `const` or a function from it"
      : `${message}${helpMessage === null ? "" : ` (${helpMessage})`}`,
    ...Edits.positionOf(source, before.toString().length)
  }
}

export interface Options {
  /** Its imports are kept for later cells, and it may `return`. */
  readonly isCell?: boolean
  /** What stands for names that it does not declare. */
  readonly define?: Record<string, string>
}

export const transpile = (source: string, file: string, options: Options = {}): Transpiled | Unreadable => {
  const { define, isCell = false } = options
  const isMarkup = file.endsWith("x")
  const { assignsFields, hasDecorators, hasMetadata, jsx } =
    isCell && !isMarkup && !source.includes("@") ? Tsconfig.none : Tsconfig.of(file)
  const { code, errors, map } = oxc().transformSync(file, source, {
    lang: isMarkup ? "tsx" : "ts",
    sourceType: isCell ? "unambiguous" : "module",
    sourcemap: true,
    typescript: { onlyRemoveTypeImports: isCell, removeClassFieldsWithoutInitializer: assignsFields },
    assumptions: { setPublicClassFields: assignsFields },
    decorator: { legacy: hasDecorators, emitDecoratorMetadata: hasMetadata },
    helpers: { mode: external },
    jsx,
    // With it, Oxc drops what has no effect: the value of a cell.
    ...(define === undefined ? {} : { define })
  })
  // What V8 will say better, where there is code for it to read.
  const isForgiven = ({ message, severity }: Oxc.OxcError) =>
    severity !== "Error" || (isCell && (code !== "" || message.startsWith("A 'return' statement can only")))
  const failed =
    errors.find(({ message }) => message.startsWith(namespaces)) ?? errors.find((error) => !isForgiven(error))
  if (failed !== undefined) return explained(source, failed)
  if (!hasDecorators && source.includes("@") && isDecorated(source, file)) {
    const at = /(?:^|[\s;({}])(@[\w$([])/m.exec(
      source.replace(/\/\*[^]*?\*\/|\/\/.*/g, (comment) => " ".repeat(comment.length))
    )
    return {
      message: decorators,
      ...Edits.positionOf(source, at === null ? 0 : at.index + at[0].length - at[1]!.length)
    }
  }
  const { sourcesContent: _, ...rest } = map!
  return { code, map: rest }
}

/** What is wrong with the syntax of a JavaScript file; `undefined` where nothing is, or nothing can say so. */
export const check = (source: string, file: string): Unreadable | undefined => {
  const sourceType = file.endsWith(".mjs") ? "module" : file.endsWith(".cjs") ? "commonjs" : "unambiguous"
  try {
    const [failed] = oxc().transformSync(file, source, { lang: "js", sourceType }).errors
    return failed && explained(source, failed)
  } catch (error) {
    if (error instanceof Unavailable) return undefined
    throw error
  }
}

/** Where in the source a place of its JavaScript was. */
export const placeOf = (map: SourceMap, { column, line }: Edits.Position): Edits.Position => {
  const { mappings, names, sources, version } = map
  const payload = { file: "", version, sources, sourcesContent: [], names, mappings, sourceRoot: "" }
  const found = new NodeModule.SourceMap(payload).findEntry(line, column)
  return "originalLine" in found ? { line: found.originalLine, column: found.originalColumn } : { line, column }
}

const isDecorated = (source: string, file: string): boolean => {
  const { helpersUsed } = oxc().transformSync(file, source, { decorator: { legacy: true } })
  return Object.keys(helpersUsed).some((name) => name.startsWith("decorate"))
}

// The enumerations of its types have no value at run time.
const external = "External" as Oxc.HelperMode

type Decorator = (target: unknown, key?: unknown, descriptor?: unknown) => unknown

/** What decorated code calls, under the name `babelHelpers`. */
export const helpers = {
  decorate: (list: ReadonlyArray<Decorator | undefined>, target: object, key?: PropertyKey, given?: unknown) => {
    const isClass = key === undefined
    const descriptor = given === null ? Object.getOwnPropertyDescriptor(target, key!) : given
    let result: unknown = isClass ? target : descriptor
    for (const decorate of list.toReversed()) {
      if (decorate === undefined) continue
      const next = isClass
        ? decorate(result)
        : descriptor === undefined
          ? decorate(target, key)
          : decorate(target, key, result)
      result = next || result
    }
    if (!isClass && result !== undefined) Object.defineProperty(target, key, result as PropertyDescriptor)
    return result
  },
  decorateParam:
    (index: number, decorate: Decorator): Decorator =>
    (target, key) =>
      decorate(target, key, index),
  decorateMetadata: (key: string, value: unknown): Decorator | undefined => {
    const metadata: unknown = Reflect.get(Reflect, "metadata")
    return typeof metadata === "function" ? (metadata(key, value) as Decorator) : undefined
  }
}
