/** From the symbol that a model names on a line to a position (SPEC §3.2, C48). */
import { Result } from "effect"
import * as Suggest from "../Suggest.ts"
import * as ToolError from "../ToolError.ts"
import * as TextPositions from "./TextPositions.ts"

/** Where the server is asked, and what the model should know of the choice. */
export interface Place {
  /** In UTF-16 units from the start of the text. */
  readonly offset: number
  /** 1-based, in UTF-16 units. */
  readonly column: number
  /** The name at the offset. */
  readonly name: string
  readonly notes: ReadonlyArray<string>
}

export interface Question {
  /** How the file is shown. */
  readonly path: string
  readonly text: TextPositions.Indexed
  /** 1-based. */
  readonly line: number
  readonly symbol: string
  /** What several occurrences on the line mean: the first with a note (`lsp`), or an error (tools that write). */
  readonly several: "first" | "refuse"
}

const nearLines = 5
const longestShown = 200
const isWordCharacter = (character: string | undefined): boolean =>
  character !== undefined && /[\p{L}\p{N}\p{M}_$]/u.test(character)

/** The character that ends before, or begins at, an index, whole where it is a surrogate pair. */
const before = (text: string, index: number): string | undefined =>
  Array.from(text.slice(Math.max(0, index - 2), index)).at(-1)
const at = (text: string, index: number): string | undefined => Array.from(text.slice(index, index + 2)).at(0)

const isWhole = (line: string, index: number, wanted: string): boolean =>
  !(isWordCharacter(at(wanted, 0)) && isWordCharacter(before(line, index))) &&
  !(isWordCharacter(before(wanted, wanted.length)) && isWordCharacter(at(line, index + wanted.length)))

/** Where the text is on the line: its whole words where there are any, else also parts of words. */
export const occurrences = (line: string, wanted: string): ReadonlyArray<number> => {
  const all: Array<number> = []
  for (let index = line.indexOf(wanted); index >= 0; index = line.indexOf(wanted, index + wanted.length))
    all.push(index)
  const whole = all.filter((index) => isWhole(line, index, wanted))
  return whole.length > 0 ? whole : all
}

const words = /[\p{L}\p{N}\p{M}_$]+/gu
const qualified = /^[\p{L}\p{N}\p{M}_$]+(?:(?:\??\.#?|::|->|\\)[\p{L}\p{N}\p{M}_$]+)+$/u

/** Where in a symbol its name is: the last part of a qualified name, else the first word, else its start. */
const nameIn = (symbol: string): { readonly from: number; readonly name: string; readonly of: number } => {
  const found = [...symbol.matchAll(words)]
  const one = qualified.test(symbol) ? found.at(-1) : found[0]
  return one === undefined ? { from: 0, name: symbol, of: 0 } : { from: one.index, name: one[0], of: found.length }
}

const quote = (text: string): string => `\`${text.length > longestShown ? `${text.slice(0, longestShown)}…` : text}\``

/** Resolves the symbol, or says what to ask for instead. */
export const resolve = (question: Question): Result.Result<Place, ToolError.ToolError> => {
  const { line, path, several, symbol } = question
  if (symbol.trim() === "" || /[\r\n]/.test(symbol)) {
    return Result.fail(ToolError.make("invalid_params", "`symbol` must be a name as it stands on that one line."))
  }
  const text = TextPositions.lineText(question.text, line - 1)
  if (text === undefined) return Result.fail(beyond(question))

  const literal = occurrences(text, symbol)
  const numbered = literal.length > 0 ? null : /^(.+)#(\d+)$/su.exec(symbol)
  const wanted = numbered?.[1] ?? symbol
  const found = numbered === null ? literal : occurrences(text, wanted)
  if (found.length === 0) return Result.fail(miss(question, wanted))
  if (numbered === null && found.length > 1 && several === "refuse") {
    return Result.fail(
      ToolError.make(
        "ambiguous_symbol",
        `${quote(wanted)} is ${found.length} times on ${path}:${line}, which is ${quote(text.trim())}. ` +
          `Say which: ${found
            .map((_, index) => `\`${wanted}#${index + 1}\``)
            .slice(0, 5)
            .join(", ")}.`
      )
    )
  }
  const nth = numbered === null ? 1 : Number(numbered[2])
  const start = found[nth - 1]
  if (start === undefined) {
    return Result.fail(
      ToolError.make(
        "symbol_not_found",
        `${path}:${line} has ${quote(wanted)} ${found.length === 1 ? "once" : `${found.length} times`}, so there is no ` +
          `\`${symbol}\`. The line is ${quote(text.trim())}.`
      )
    )
  }
  const { from, name, of } = nameIn(wanted)
  const notes: Array<string> = []
  if (numbered === null && found.length > 1) {
    notes.push(
      `${quote(wanted)} is ${found.length} times on line ${line}; this is about the first. \`${wanted}#2\` means the second.`
    )
  }
  if (of > 1) notes.push(`${quote(wanted)} has several names in it; this is about ${quote(name)}.`)
  const index = start + from
  return Result.succeed({ offset: question.text.starts[line - 1]! + index, column: index + 1, name, notes })
}

/** The lines that have the text, the nearest, in order. */
const linesWith = ({ line, text }: Question, wanted: string): ReadonlyArray<number> => {
  const having: Array<{ readonly number: number; readonly isWhole: boolean }> = []
  for (let at = text.text.indexOf(wanted); at >= 0;) {
    const { line: zeroBased } = TextPositions.toPosition(text, at, "utf-16")
    const own = TextPositions.lineText(text, zeroBased)!
    const isWholeWord = occurrences(own, wanted).some((index) => isWhole(own, index, wanted))
    having.push({ number: zeroBased + 1, isWhole: isWholeWord })
    const next = text.starts[zeroBased + 1]
    at = next === undefined ? -1 : text.text.indexOf(wanted, next)
  }
  const whole = having.filter((one) => one.isWhole)
  return (whole.length > 0 ? whole : having)
    .map(({ number }) => number)
    .sort((a, b) => Math.abs(a - line) - Math.abs(b - line))
    .slice(0, nearLines)
    .sort((a, b) => a - b)
}

const lineOf = ({ text }: Question, line: number): string => (TextPositions.lineText(text, line - 1) ?? "").trim()

const elsewhere = (question: Question, wanted: string): string => {
  const near = linesWith(question, wanted)
  if (near.length === 0) return `No line of the file has ${quote(wanted)}.`
  const shown = near.map((number) => `${question.path}:${number} ${quote(lineOf(question, number))}`)
  return `${near.length === 1 ? "The line that has" : "Lines near it that have"} ${quote(wanted)}: ${shown.join("; ")}.`
}

const beyond = (question: Question): ToolError.ToolError => {
  const { starts, text } = question.text
  const count = starts.at(-1) === text.length ? starts.length - 1 : starts.length
  return ToolError.make(
    "invalid_params",
    `${question.path} has ${count === 1 ? "1 line" : `${count} lines`}: there is no line ${question.line}. ` +
      elsewhere(question, question.symbol)
  )
}

const miss = (question: Question, wanted: string): ToolError.ToolError => {
  const text = lineOf(question, question.line)
  const shown = text === "" ? "which is empty" : `which is ${quote(text)}`
  const names = new Set(Array.from(text.matchAll(words), ([word]) => word))
  return ToolError.make(
    "symbol_not_found",
    `${quote(wanted)} is not on ${question.path}:${question.line}, ${shown}.${Suggest.didYouMean(wanted, names)} ` +
      elsewhere(question, wanted)
  )
}
