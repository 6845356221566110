/**
 * Names that a module exports from another file and that are types there (`export { Shape } from "./shapes.ts"`). The module by
 * itself does not tell them from values, and Node refuses what has none.
 */
import * as TypeScript from "./TypeScript.ts"
import * as Versions from "./Versions.ts"

const listed = (names: string): ReadonlyArray<string> =>
  names
    .split(",")
    .map((each) => each.trim().replace(/^type\s+/, ""))
    .filter((each) => each !== "")

const before = (specifier: string): string => specifier.split(/\s+as\s+/)[0]!
const after = (specifier: string): string => specifier.split(/\s+as\s+/).at(-1)!

/** Whether a name that a file exports is a type only, as far as the texts of this file and those behind it tell. */
export const isType = (name: string, file: string | undefined, seen = new Set<string>()): boolean => {
  if (file === undefined || !TypeScript.isTypeScript(file) || seen.has(file)) return false
  seen.add(file)
  const text = Versions.textOf(file)
  const word = `${name.replaceAll("$", "\\$")}(?![\\w$])`
  if (new RegExp(`\\b(?:const|let|var|function\\*?|class|enum|namespace|module)\\s+${word}`).test(text)) return false
  const declaration = `(?:^|[;}])\\s*(?:export\\s+)?(?:declare\\s+)?(?:interface|type)\\s+${word}\\s*(?:[=<{]|extends\\b)`
  if (new RegExp(declaration, "m").test(text)) return true
  for (const [, kind, names, from] of text.matchAll(
    /\b(?:import|export)\s+(type\s+)?(?:[\w$]+\s*,\s*)?(?:\{([^{}]*)\}|\*)\s*from\s*["']([^"'\n]+)["']/g
  )) {
    const specifier = names === undefined ? name : listed(names).find((each) => after(each) === name)
    if (specifier === undefined) continue
    if (kind !== undefined && names !== undefined) return true
    if (isType(before(specifier), TypeScript.fileOf(from!, file), seen)) return true
  }
  return false
}

/** The JavaScript of a file without them. */
export const drop = (code: string, file: string): string => {
  const isTypeOf = (name: string, from: string) => isType(name, TypeScript.fileOf(from, file))
  const without = (names: string, isDropped: (specifier: string) => boolean) => {
    const all = listed(names)
    const kept = all.filter((each) => !isDropped(each))
    return kept.length === all.length ? names : ` ${kept.join(", ")} `
  }
  const dropped = new Set<string>()
  const importing = /^(import (?:[\w$]+, )?\{)([^{}]*)(\} from "([^"\n]+)")/gm
  const exporting = /^(export \{)([^{}]*)(\};)/gm
  const exported = new Set(Array.from(code.matchAll(exporting), ([, , names]) => listed(names!).map(before)).flat())
  return code
    .replace(
      /^(export \{)([^{}]*)(\} from "([^"\n]+)")/gm,
      (_, start: string, names: string, end: string, from: string) => {
        return start + without(names, (each) => isTypeOf(before(each), from)) + end
      }
    )
    .replace(importing, (_, start: string, names: string, end: string, from: string) => {
      const isDropped = (each: string) => exported.has(after(each)) && isTypeOf(before(each), from)
      for (const each of listed(names)) if (isDropped(each)) dropped.add(after(each))
      return start + without(names, isDropped) + end
    })
    .replace(exporting, (_, start: string, names: string, end: string) => {
      return start + without(names, (each) => dropped.has(before(each))) + end
    })
}
