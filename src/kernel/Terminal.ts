/** Text that was meant for a terminal, as a model reads it: what a terminal would show in the end, without colours. */

const escapes = new RegExp(
  String.raw`\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-~])|[\x00\x07]`,
  "g"
)
// oxlint-disable-next-line no-control-regex
const special = /[\u0000\u0007\b\r\u001b]/

/** One line without its end: the last state that carriage returns left, no escape sequences. */
const cleanLine = (line: string): string => {
  if (!special.test(line)) return line
  let text = line.replaceAll(escapes, "")
  if (text.includes("\r")) {
    const states = text.split("\r")
    text = states.findLast((state) => state !== "") ?? ""
  }
  while (text.includes("\b")) {
    const shorter = text.replaceAll(/[^\b][\b]/g, "").replace(/^[\b]+/, "")
    if (shorter === text) break
    text = shorter
  }
  return text
}

/** `gone`: how many characters are missing in the middle already. */
const cut = (line: string, maxChars: number, gone: number): string => {
  const head = Math.floor(maxChars * 0.75)
  const tail = Math.floor(maxChars * 0.2)
  const left = line.length - head - tail + gone
  return `${line.slice(0, head)} […${left} more characters in this line…] ${line.slice(line.length - tail)}`
}

/** Whether a line of a text is longer; looks at few of its characters. */
const hasLine = (text: string, maxChars: number): boolean => {
  for (let start = 0; text.length - start > maxChars;) {
    const end = text.lastIndexOf("\n", start + maxChars)
    if (end < start) return true
    start = end + 1
  }
  return false
}

export interface Lines {
  /** The text of the lines that this completes. */
  readonly push: (text: string) => string
  /** The line that is not complete; the next begins anew. */
  readonly flush: () => string
  /** How many lines were cut. */
  readonly cut: () => number
}

/** Collects text into clean lines; a line above `maxChars` is cut in the middle, with a note. */
export const lines = (maxChars: number): Lines => {
  // What a progress bar or a line without end piles up is reduced when it is longer than this.
  const maxPending = Math.max(16 * maxChars, 65_536)
  let pending = ""
  /** Characters that were taken out of the pending line. */
  let gone = 0
  let wasCut = 0

  const finish = (line: string): string => {
    const clean = cleanLine(line)
    if (gone === 0 && clean.length <= maxChars) return clean
    wasCut++
    const text = cut(clean, maxChars, gone)
    gone = 0
    return text
  }

  const reduce = () => {
    const clean = cleanLine(pending)
    const end = pending.endsWith("\r") ? "\r" : ""
    if (pending.includes("\r")) gone = 0
    if (clean.length > 4 * maxChars) {
      gone += clean.length - 2 * maxChars
      pending = clean.slice(0, maxChars) + clean.slice(clean.length - maxChars) + end
    } else pending = clean + end
  }

  const clean = (text: string): string =>
    special.test(text) || hasLine(text, maxChars)
      ? text
          .split("\n")
          .map((line) => finish(line))
          .join("\n")
      : text

  return {
    push: (text) => {
      const last = text.lastIndexOf("\n")
      if (last < 0) {
        pending += text
        if (pending.length > maxPending) reduce()
        return ""
      }
      const first = text.indexOf("\n")
      // Only the first line continues what was pending.
      const head = pending === "" && gone === 0 ? clean(text.slice(0, first)) : finish(pending + text.slice(0, first))
      pending = text.slice(last + 1)
      return `${head}\n${first === last ? "" : `${clean(text.slice(first + 1, last))}\n`}`
    },
    flush: () => {
      const rest = pending === "" && gone === 0 ? "" : finish(pending)
      pending = ""
      gone = 0
      return rest
    },
    cut: () => wasCut
  }
}
