/** What was thrown, told from the cell's code on: the line, a caret, and the stack without the kernel's own frames. */
import { fileURLToPath } from "node:url"
import { types } from "node:util"
import * as Hooks from "./Hooks.ts"
import * as Show from "./Show.ts"
import * as Versions from "./Versions.ts"
import * as CommonJs from "./CommonJs.ts"
import * as Edits from "./Edits.ts"
import * as Rewritten from "./Rewritten.ts"

/** The source of a cell, for the lines of its stack frames. */
export interface CellSource {
  readonly name: string
  readonly source: string
  readonly rewritten: Rewritten.Rewritten
}

export interface Told {
  readonly name: string
  readonly message: string
  readonly traceback: string
}

/** How many more frames are kept than are shown: most of those of an import are Node's. */
const hiddenFrames = 20
const keptChars = 4 * 1024 * 1024
const { apply, get } = Reflect
const errorText = Error.prototype.toString

/**
 * Stacks without the frames of the kernel and of Node's insides, with places of the source, wherever a program looks at one.
 * `placeOf` gives the place in the source of a script, `undefined` where the script is its own source.
 */
const cleanStacks = (
  kernel: string,
  placeOf: (script: string, place: Edits.Position) => Edits.Position | undefined
): void => {
  const path = fileURLToPath(kernel)
  const isOwn = (file: string) =>
    file === kernel ||
    file === path ||
    file.startsWith("node:internal/") ||
    file === "node:inspector" ||
    file === "node:vm" ||
    file === "node:diagnostics_channel" ||
    // What an import of a cell goes through.
    file.endsWith("/cell.mjs") ||
    file === Show.scriptName
  const describe = (site: NodeJS.CallSite): string => {
    const text = Versions.withoutVersion(site.toString())
    const [line, column] = [site.getLineNumber(), site.getColumnNumber()]
    if (line === null || column === null) return text
    const place = placeOf(site.getScriptNameOrSourceURL() ?? "", { line: line - 1, column: column - 1 })
    return place === undefined ? text : text.replace(`:${line}:${column}`, `:${place.line + 1}:${place.column + 1}`)
  }
  Error.stackTraceLimit += hiddenFrames
  Error.prepareStackTrace = (error, sites) => {
    const text = String(apply(errorText, error, []))
    const code: unknown = get(error, "code")
    // As Node writes its own errors.
    const isNodes = typeof code === "string" && code.startsWith("ERR_") && !text.includes(`[${code}]`)
    let stack = isNodes ? text.replace(error.name, `${error.name} [${code}]`) : text
    const { stackTraceLimit: limit } = Error
    let left = limit > hiddenFrames ? limit - hiddenFrames : limit
    for (const site of sites) {
      if (isOwn(site.getFileName() ?? "") || site.getFunctionName()?.startsWith(CommonJs.prefix) === true) continue
      if (left-- <= 0) break
      stack += `\n    at ${describe(site)}`
    }
    return stack
  }
}

export interface Tracebacks {
  readonly learn: (cell: CellSource) => void
  readonly tell: (thrown: unknown) => Told
  /** V8 could not read a cell, from this place of its rewritten code on. */
  readonly tellUnreadable: (cell: CellSource, message: string, place: Edits.Position) => Told
}

/** `kernel` is the URL of the kernel itself. */
export const make = (kernel: string): Tracebacks => {
  const cells: Array<CellSource> = []
  let chars = 0

  const named = (name: string) => cells.findLast((cell) => cell.name === name)

  cleanStacks(kernel, (script, place) => {
    const cell = named(script)
    return cell === undefined ? Hooks.placeOf(script, place) : Rewritten.placeOf(cell.source, cell.rewritten, place)
  })

  /** The line of the first frame that is in a cell. */
  const firstPlace = (text: string): string => {
    for (const [, name, line, column] of text.matchAll(/^\s+at (?:.* \()?(?:async )?(.+?):(\d+):(\d+)\)?(?: \{)?$/gm)) {
      const cell = named(name!)
      if (cell !== undefined)
        return Edits.excerpt(cell.name, cell.source, { line: Number(line) - 1, column: Number(column) - 1 })
    }
    return ""
  }

  const field = (error: object, name: string) => {
    const value: unknown = Show.within(250, () => Reflect.get(error, name))
    return typeof value === "string" ? value : undefined
  }

  const tell = (thrown: unknown): Told => {
    const isError = types.isNativeError(thrown) || Show.within(250, () => thrown instanceof Error) === true
    if (!isError) {
      const shown = Show.text(thrown)
      return { name: "Uncaught", message: shown, traceback: `Uncaught ${shown}` }
    }
    const error = thrown as object
    const shown = Show.text(error)
    return {
      name: field(error, "name") ?? "Error",
      message: Show.bounded(field(error, "message") ?? ""),
      traceback: Show.bounded(firstPlace(shown) + shown)
    }
  }

  return {
    learn: (cell) => {
      cells[cells.length] = cell
      chars += sizeOf(cell)
      while (chars > keptChars && cells.length > 1) chars -= sizeOf(cells.shift()!)
    },
    tell,
    tellUnreadable: ({ name, rewritten, source }, message, place) => {
      const found = { message, ...Rewritten.placeOf(source, rewritten, place) }
      const { unreadable } = rewritten
      // The one that comes further understands more of it.
      const isFurther =
        unreadable !== undefined &&
        (unreadable.line > found.line || (unreadable.line === found.line && unreadable.column > found.column))
      const told = isFurther ? unreadable : found
      const more = rewritten.untried === undefined ? "" : `. If it is TypeScript: ${rewritten.untried}`
      const text = told.message + more
      return {
        name: "SyntaxError",
        message: text,
        traceback: `${Edits.excerpt(name, source, told)}SyntaxError: ${text}`
      }
    }
  }
}

const sizeOf = ({ rewritten, source }: CellSource) =>
  source.length + rewritten.code.length + (rewritten.transpiled?.code.length ?? 0)
