/** What was thrown, told from the cell's code on: the line, a caret, and the stack without the kernel's own frames. */
import { fileURLToPath } from "node:url"
import { types } from "node:util"
import * as Show from "./Show.ts"
import type { Shift } from "./Source.ts"

/** The source of a cell, for the lines of its stack frames. */
export interface CellSource {
  readonly name: string
  readonly source: string
  readonly shifts: ReadonlyArray<Shift>
}

export interface Told {
  readonly name: string
  readonly message: string
  readonly traceback: string
}

const keptChars = 4 * 1024 * 1024
const { apply, get } = Reflect
const errorText = Error.prototype.toString

/**
 * Stacks without the frames of the kernel and of Node's insides, with columns of the source, wherever a program looks at one.
 * `columnOf` gives the column in the source of a cell, `undefined` for another script.
 */
const cleanStacks = (
  kernel: string,
  columnOf: (script: string, line: number, column: number) => number | undefined
): void => {
  const path = fileURLToPath(kernel)
  const isOwn = (file: string) =>
    file === kernel ||
    file === path ||
    file.startsWith("node:internal/") ||
    file === "node:inspector" ||
    file === "node:vm" ||
    file === Show.scriptName
  const describe = (site: NodeJS.CallSite): string => {
    const text = site.toString()
    const [line, column] = [site.getLineNumber(), site.getColumnNumber()]
    if (line === null || column === null) return text
    const at = columnOf(site.getScriptNameOrSourceURL() ?? "", line, column)
    return at === undefined || at === column ? text : text.replace(`:${line}:${column}`, `:${line}:${at}`)
  }
  Error.prepareStackTrace = (error, sites) => {
    const text = String(apply(errorText, error, []))
    const code: unknown = get(error, "code")
    // As Node writes its own errors.
    const isNodes = typeof code === "string" && code.startsWith("ERR_") && !text.includes(`[${code}]`)
    let stack = isNodes ? text.replace(error.name, `${error.name} [${code}]`) : text
    for (const site of sites) if (!isOwn(site.getFileName() ?? "")) stack += `\n    at ${describe(site)}`
    return stack
  }
}

export interface Tracebacks {
  readonly learn: (cell: CellSource) => void
  readonly tell: (thrown: unknown) => Told
  /** V8 could not read a cell: `line` and `column` are 0-based, in its rewritten code. */
  readonly tellUnreadable: (cell: CellSource, message: string, line: number, column: number) => Told
}

/** `kernel` is the URL of the kernel itself. */
export const make = (kernel: string): Tracebacks => {
  const cells: Array<CellSource> = []
  let chars = 0

  /** 1-based columns of the rewritten code in columns of the source. */
  const sourceColumn = (cell: CellSource, line: number, column: number): number => {
    let by = 0
    for (const shift of cell.shifts) if (shift.line === line - 1 && column - 1 >= shift.column) by += shift.by
    return Math.max(1, column - by)
  }

  const excerpt = (cell: CellSource, line: number, column: number): string => {
    const text = cell.source.split(/\r?\n/)[line - 1]
    if (text === undefined) return ""
    const from = Math.max(0, column - 100)
    const shown = text.slice(from, from + 160).replaceAll("\t", " ")
    return `${cell.name}:${line}\n${shown}\n${" ".repeat(Math.max(0, column - 1 - from))}^\n`
  }

  const named = (name: string) => cells.findLast((cell) => cell.name === name)

  cleanStacks(kernel, (script, line, column) => {
    const cell = named(script)
    return cell === undefined ? undefined : sourceColumn(cell, line, column)
  })

  /** The line of the first frame that is in a cell. */
  const firstPlace = (text: string): string => {
    for (const [, name, line, column] of text.matchAll(/^\s+at (?:.* \()?(?:async )?(.+?):(\d+):(\d+)\)?(?: \{)?$/gm)) {
      const cell = named(name!)
      if (cell !== undefined) return excerpt(cell, Number(line), Number(column))
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
      chars += cell.source.length
      while (chars > keptChars && cells.length > 1) chars -= cells.shift()!.source.length
    },
    tell,
    tellUnreadable: (cell, message, line, column) => ({
      name: "SyntaxError",
      message,
      traceback: `${excerpt(cell, line + 1, sourceColumn(cell, line + 1, column + 1))}SyntaxError: ${message}`
    })
  }
}
