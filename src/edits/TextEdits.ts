/** Text edits of one text, as the Language Server Protocol means them: all of them refer to the text before any. */
import { Result } from "effect"
import * as Lines from "./Lines.ts"
import * as Positions from "./Positions.ts"

/** Replaces a range of LSP positions, or of UTF-16 offsets, with `newText`. An empty range inserts. */
export type TextEdit =
  | { readonly range: Positions.Range; readonly newText: string }
  | { readonly start: number; readonly end: number; readonly newText: string }

/** An edit by UTF-16 offsets of the text it was made for. */
export interface Span {
  readonly start: number
  readonly end: number
  readonly newText: string
}

/**
 * The edits by offsets, in the order given. Fails with a reason where a range is reversed, begins past the end of the text,
 * or cuts a character in two, or where the new text is not Unicode. A range may end past the end of the text (the
 * idiom for "the whole document").
 */
export const spans = (
  text: string,
  edits: ReadonlyArray<TextEdit>,
  encoding: Positions.Encoding
): Result.Result<ReadonlyArray<Span>, string> =>
  Result.gen(function* () {
    const positions = edits.flatMap((edit) => ("range" in edit ? [edit.range.start, edit.range.end] : []))
    const lineCount = positions.length === 0 ? 0 : Lines.starts(text).length
    const offsets = yield* Positions.offsets(text, positions, encoding)
    const found: Array<Span> = []
    let next = 0
    for (const edit of edits) {
      let span: Span
      let where: string
      if ("range" in edit) {
        const { end, start } = edit.range
        where = `${Positions.show(start)}-${Positions.show(end)}`
        if (start.line > lineCount) {
          return yield* Result.fail(`the range ${where} begins past the end of the text, which has ${lineCount} lines`)
        }
        if (start.line > end.line || (start.line === end.line && start.character > end.character)) {
          return yield* Result.fail(`the range ${where} ends before it begins`)
        }
        span = { start: offsets[next]!, end: offsets[next + 1]!, newText: edit.newText }
        next += 2
      } else {
        where = `${edit.start}-${edit.end}`
        for (const offset of [edit.start, edit.end]) {
          if (!Number.isInteger(offset) || offset < 0 || offset > text.length) {
            return yield* Result.fail(
              `the offset ${offset} is not inside the text, which has ${text.length} UTF-16 units`
            )
          }
          if (offset > 0 && offset < text.length && text.codePointAt(offset - 1)! > 0xffff) {
            return yield* Result.fail(`the offset ${offset} is inside a character`)
          }
        }
        if (edit.start > edit.end) return yield* Result.fail(`the range ${where} ends before it begins`)
        span = { start: edit.start, end: edit.end, newText: edit.newText }
      }
      if (/\p{Surrogate}/u.test(edit.newText)) {
        return yield* Result.fail(`the new text for ${where} has half of a surrogate pair, which no file can hold`)
      }
      found.push(span)
    }
    return found
  })

/**
 * The spans in the order of the text. Inserts at one place keep the order given and come before a replacement that begins
 * there; the same replacement given twice is taken once. Fails with a reason where two overlap.
 */
export const order = (text: string, given: ReadonlyArray<Span>): Result.Result<ReadonlyArray<Span>, string> => {
  const isInsert = (span: Span) => span.start === span.end
  const sorted = given.toSorted((a, b) => a.start - b.start || Number(isInsert(b)) - Number(isInsert(a)))
  const kept: Array<Span> = []
  for (const span of sorted) {
    const last = kept.at(-1)
    if (last !== undefined && span.start < last.end) {
      if (span.start === last.start && span.end === last.end && span.newText === last.newText) continue
      const line = Lines.starts(text.slice(0, span.start)).length
      return Result.fail(
        `two edits overlap in line ${line} (offsets ${last.start}-${last.end} and ${span.start}-${span.end})`
      )
    }
    kept.push(span)
  }
  return Result.succeed(kept)
}

/** The text with spans applied that `order` gave. */
export const splice = (text: string, ordered: ReadonlyArray<Span>): string => {
  const parts: Array<string> = []
  let at = 0
  for (const { end, newText, start } of ordered) {
    parts.push(text.slice(at, start), newText)
    at = end
  }
  parts.push(text.slice(at))
  return parts.join("")
}

/** `spans`, `order` and `splice` in one: the text after the edits, or the reason why they do not fit it. */
export const apply = (
  text: string,
  edits: ReadonlyArray<TextEdit>,
  encoding: Positions.Encoding
): Result.Result<string, string> =>
  Result.gen(function* () {
    const given = yield* spans(text, edits, encoding)
    return splice(text, yield* order(text, given))
  })
