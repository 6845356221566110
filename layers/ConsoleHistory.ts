/** The lines that were typed in earlier consoles, in the user's state folder. */
import * as Fs from "node:fs"
import * as Path from "node:path"

const kept = 1000

export interface ConsoleHistory {
  /** Newest first. */
  readonly lines: ReadonlyArray<string>
  readonly add: (line: string) => void
}

/** Reads the history of a folder; one that cannot be read or written is empty, and no reason to stop. */
export const open = (folder: string): ConsoleHistory => {
  const path = Path.join(folder, "console-history")
  const all = quietly(
    () =>
      Fs.readFileSync(path, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => (line.startsWith('"') ? quietly(() => String(JSON.parse(line)), line) : line)),
    []
  )
  const lines = all.slice(-kept)
  quietly(() => {
    Fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
    // Not before it is needed: another console may be adding to it.
    if (all.length > 2 * kept) Fs.writeFileSync(path, lines.map(entry).join(""), { mode: 0o600 })
  }, undefined)
  return {
    lines: lines.toReversed(),
    add: (line) => quietly(() => Fs.appendFileSync(path, entry(line), { mode: 0o600 }), undefined)
  }
}

/** A call of several lines is kept as JSON, which no call begins as. */
const entry = (text: string): string => `${text.includes("\n") || text.startsWith('"') ? JSON.stringify(text) : text}\n`

const quietly = <A>(act: () => A, otherwise: A): A => {
  try {
    return act()
  } catch {
    return otherwise
  }
}
