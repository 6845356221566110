/**
 * Where `edit` replaces (SPEC §12): the old text as it stands in the file, but for its line ends, which are the file's. Never
 * a guess: what does not match is told, with what differs.
 */
import { Result } from "effect"
import type { Span } from "../edits/TextEdits.ts"
import * as Passage from "./Passage.ts"
import * as TextLines from "./TextLines.ts"

export interface Wanted {
  readonly old: string
  readonly new: string
  /** Each place instead of the only one. */
  readonly all: boolean
}

/** The spans that replace, in order; or why there are none, in words. */
export const find = (text: string, wanted: Wanted): Result.Result<ReadonlyArray<Span>, string> => {
  const found = search(text, wanted)
  if (found.length === 0) return Result.fail(notFound(text, wanted))
  if (!wanted.all && found.length > 1) {
    const lines = found.slice(0, 20).map(({ start }) => TextLines.lineAt(text, start))
    return Result.fail(
      `\`old_text\` occurs ${found.length} times, beginning at lines ${lines.join(", ")}${
        found.length > lines.length ? ", …" : ""
      }. Include lines around the one you mean, or set \`replace_all\` to change them all.`
    )
  }
  let end = 0
  return Result.succeed(
    found.filter((span) => {
      const isApart = span.start >= end
      if (isApart) end = span.end
      return isApart
    })
  )
}

/** All places, overlapping ones too. */
const search = (text: string, { new: inserted, old }: Wanted): ReadonlyArray<Span> => {
  if (old.includes("\r")) {
    const exact = occurrences(text, old).map((start) => ({ start, end: start + old.length, newText: inserted }))
    if (exact.length > 0) return exact
  }
  if (!text.includes("\r\n")) {
    const plain = withoutReturns(old)
    const newText = withoutReturns(inserted)
    return occurrences(text, plain).map((start) => ({ start, end: start + plain.length, newText }))
  }
  const { offset, text: plainText } = withoutReturnsMapped(text)
  const plain = withoutReturns(old)
  return occurrences(plainText, plain).map((at) => {
    const start = offset(at)
    // The end of what is replaced, not the start of what follows: a carriage return after it is not part of it.
    const end =
      offset(at + plain.length - 1) + (plain.endsWith("\n") && text[offset(at + plain.length - 1)] === "\r" ? 2 : 1)
    return { start, end, newText: withEnds(withoutReturns(inserted), lineEndAt(text, start, end)) }
  })
}

const withoutReturns = (text: string): string => text.replaceAll("\r\n", "\n")
const withEnds = (text: string, end: string): string => (end === "\n" ? text : text.replaceAll("\n", end))

const occurrences = (text: string, part: string): ReadonlyArray<number> => {
  const found: Array<number> = []
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) found.push(at)
  return found
}

/** The text with `\n` for `\r\n`, and the offset in the text of each of its units. */
const withoutReturnsMapped = (text: string) => {
  const returns: Array<number> = []
  for (let at = text.indexOf("\r\n"); at >= 0; at = text.indexOf("\r\n", at + 2)) returns.push(at - returns.length)
  return {
    text: withoutReturns(text),
    offset: (plain: number): number => {
      // How many line ends lie before: each took one unit more.
      let [low, high] = [0, returns.length]
      while (low < high) {
        const middle = (low + high) >> 1
        if (returns[middle]! < plain) low = middle + 1
        else high = middle
      }
      return plain + low
    }
  }
}

/** The line end in use at a place: of the lines in it, else of its own line, else of the line before. */
const lineEndAt = (text: string, start: number, end: number): string => {
  let newline = text.slice(start, end).includes("\n") ? text.indexOf("\n", start) : text.indexOf("\n", end)
  if (newline < 0) newline = text.lastIndexOf("\n", start)
  return newline > 0 && text[newline - 1] === "\r" ? "\r\n" : "\n"
}

const notFound = (text: string, { new: inserted, old }: Wanted): string => {
  const lines = TextLines.split(text).map((line) => line.text)
  const bareOld = withoutReturns(old).replace(/^\n+|\n+$/g, "")
  const wanted = bareOld.split("\n")
  const plainText = withoutReturns(text)
  if (lines.length === 0) return "`old_text` was not found: the file is empty."
  const bareAt = bareOld === "" ? -1 : plainText.indexOf(bareOld)
  if (bareAt >= 0) {
    return `\`old_text\` was not found: its text is at line ${TextLines.lineAt(plainText, bareAt)}, but not with the line breaks that \`old_text\` begins or ends with.`
  }
  const unescaped = old.replace(/\\(n|t|"|'|\\)/g, (_, character: string) => escapes.get(character) ?? character)
  if (unescaped !== old && plainText.includes(unescaped)) {
    return '`old_text` was not found as it is, but with its backslash escapes (\\n, \\t, \\") read as what they stand for: send the characters themselves.'
  }
  if (wanted.every((line) => line === "" || numberPrefix.test(line))) {
    const bare = wanted.map((line) => line.replace(numberPrefix, "")).join("\n")
    if (plainText.includes(bare)) {
      return "`old_text` was not found: its lines begin with line numbers, which are not in the file. Leave them out."
    }
  }
  const done = alreadyThere(plainText, withoutReturns(inserted))
  return `\`old_text\` was not found in the file.${done} ${Passage.tell(lines, wanted, "old_text")}`
}

const escapes = new Map([
  ["n", "\n"],
  ["t", "\t"]
])
const numberPrefix = /^ *\d+ *(?:[|:→\t] ?)/

const alreadyThere = (text: string, inserted: string): string => {
  const at = inserted.trim().length < 8 ? -1 : text.indexOf(inserted)
  return at < 0
    ? ""
    : ` But \`new_text\` is there already, at line ${TextLines.lineAt(text, at)}: was the edit made before?`
}
