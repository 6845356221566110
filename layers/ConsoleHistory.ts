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
  const lines = quietly(
    () =>
      Fs.readFileSync(path, "utf8")
        .split("\n")
        .filter((line) => line !== ""),
    []
  ).slice(-kept)
  quietly(() => {
    Fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
    Fs.writeFileSync(path, lines.map((line) => `${line}\n`).join(""), { mode: 0o600 })
  }, undefined)
  return {
    lines: lines.toReversed(),
    add: (line) => quietly(() => Fs.appendFileSync(path, `${line.replaceAll("\n", " ")}\n`, { mode: 0o600 }), undefined)
  }
}

const quietly = <A>(act: () => A, otherwise: A): A => {
  try {
    return act()
  } catch {
    return otherwise
  }
}
