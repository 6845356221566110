/** A reference for text edits that is slow and plain: every character is looked at on its own. */
import type { Encoding, Position, Range } from "../../../src/edits/Positions.ts"

const units: Readonly<Record<Encoding, (character: string) => number>> = {
  "utf-8": (character) => Buffer.byteLength(character),
  "utf-16": (character) => character.length,
  "utf-32": () => 1
}

/** The index in an array of characters, or `undefined` when the position is inside a character. */
const indexOf = (characters: ReadonlyArray<string>, position: Position, encoding: Encoding): number | undefined => {
  let line = 0
  let index = 0
  while (line < position.line) {
    if (index >= characters.length) return characters.length
    const isEnd = /[\n\r]/.test(characters[index]!)
    if (characters[index] === "\r" && characters[index + 1] === "\n") index++
    index++
    if (isEnd) line++
  }
  let character = 0
  while (character < position.character && index < characters.length && !/[\n\r]/.test(characters[index]!)) {
    character += units[encoding](characters[index]!)
    index++
  }
  return character > position.character ? undefined : index
}

/** The text after the edits, or `undefined` where they must be refused. */
export const naive = (
  text: string,
  edits: ReadonlyArray<{ readonly range: Range; readonly newText: string }>,
  encoding: Encoding
): string | undefined => {
  const characters = [...text]
  const lines = text.split(/\r\n|\n|\r/).length
  const found: Array<{ start: number; end: number; newText: string }> = []
  for (const { newText, range } of edits) {
    const start = indexOf(characters, range.start, encoding)
    const end = indexOf(characters, range.end, encoding)
    if (start === undefined || end === undefined || range.start.line > lines) return undefined
    const isTwice = found.some(
      (one) => start < end && one.start === start && one.end === end && one.newText === newText
    )
    if (!isTwice) found.push({ start, end, newText })
  }
  for (const [i, a] of found.entries()) {
    for (const b of found.slice(i + 1)) {
      const inserts = [a, b].filter(({ end, start }) => start === end).length
      if (inserts === 0 && a.start < b.end && b.start < a.end) return undefined
      if (
        inserts === 1 &&
        (a.start === a.end ? b.start < a.start && a.start < b.end : a.start < b.start && b.start < a.end)
      ) {
        return undefined
      }
    }
  }
  // Gap by gap: the inserts there in their order, then the replacement that begins there.
  let result = ""
  for (let index = 0; index <= characters.length;) {
    for (const one of found) if (one.start === index && one.end === index) result += one.newText
    const replacement = found.find((one) => one.start === index && one.end > index)
    if (replacement !== undefined) {
      result += replacement.newText
      index = replacement.end
    } else {
      result += characters[index] ?? ""
      index++
    }
  }
  return result
}
