/** Lines of a text as the Language Server Protocol counts them: `\r\n`, `\n` and a lone `\r` end one. */

/** The offset at which each line begins; a text that ends with a line end has an empty last line. */
export const starts = (text: string): ReadonlyArray<number> => {
  const found = [0]
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit === 10 || (unit === 13 && text.charCodeAt(i + 1) !== 10)) found.push(i + 1)
  }
  return found
}

/** The lines with their ends; an empty last line is left out. Joined they are the text. */
export const split = (text: string): ReadonlyArray<string> => {
  const at = starts(text)
  const lines = at.map((start, i) => text.slice(start, at[i + 1]))
  if (lines.at(-1) === "") lines.pop()
  return lines
}

/** A line without its end. */
export const withoutEnd = (line: string): string => line.replace(/\r?\n$|\r$/, "")

export type End = "\r\n" | "\n" | "\r"

/** The line end that a text uses most (the first of equals in the order of `End`), `undefined` where it has none. */
export const endOf = (text: string): End | undefined => {
  let [both, feed, carriage] = [0, 0, 0]
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit === 10) feed++
    else if (unit === 13 && text.charCodeAt(i + 1) === 10) {
      both++
      i++
    } else if (unit === 13) carriage++
  }
  const most = Math.max(both, feed, carriage)
  return most === 0 ? undefined : both === most ? "\r\n" : feed === most ? "\n" : "\r"
}

/** The text with every line end replaced by `end`. */
export const withEnds = (text: string, end: End): string => text.replaceAll(/\r\n|\n|\r/g, end)
