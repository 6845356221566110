/** The lines of a text as patches count them: `\n` ends one, and a carriage return before it belongs to the end. */

export interface Line {
  /** Without its line end; a carriage return that ends no line belongs to it. */
  readonly text: string
  readonly end: "" | "\n" | "\r\n"
  /** Where `text` begins, in UTF-16 units from the start of the text. */
  readonly start: number
}

/** The lines of a text. A text that ends in a newline has no empty line after it. */
export const split = (text: string): ReadonlyArray<Line> => {
  const lines: Array<Line> = []
  let start = 0
  while (start < text.length) {
    const newline = text.indexOf("\n", start)
    if (newline < 0) {
      lines.push({ text: text.slice(start), end: "", start })
      break
    }
    const isCrlf = newline > start && text.charCodeAt(newline - 1) === 13
    lines.push({ text: text.slice(start, isCrlf ? newline - 1 : newline), end: isCrlf ? "\r\n" : "\n", start })
    start = newline + 1
  }
  return lines
}

/** Where a line ends, its line end included. */
export const endOf = (line: Line): number => line.start + line.text.length + line.end.length

/** The 1-based line of an offset. */
export const lineAt = (text: string, offset: number): number => {
  let line = 1
  for (let at = text.indexOf("\n"); at >= 0 && at < offset; at = text.indexOf("\n", at + 1)) line++
  return line
}
