/** Lines of a text, asked for in ascending order. */

export interface Position {
  /** 1-based. */
  readonly line: number
  /** 1-based, in UTF-16 units. */
  readonly column: number
}

/** Finds the positions of offsets; one scan serves any number of offsets that ascend. */
export const finder = (text: string): ((offset: number) => Position) => {
  let line = 1
  let start = 0
  return (offset) => {
    if (offset < start) {
      line = 1
      start = 0
    }
    for (let next = text.indexOf("\n", start); next >= 0 && next < offset; next = text.indexOf("\n", start)) {
      line++
      start = next + 1
    }
    return { line, column: offset - start + 1 }
  }
}
