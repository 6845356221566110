/** The parts of a patch that both of its formats have. */
import { Result } from "effect"
import type { Hunk, HunkLine } from "./Hunks.ts"

/** What one section of a patch does to one file. Paths are as they stand in the patch. */
export type Section =
  | { readonly kind: "add"; readonly path: string; readonly text: string }
  /** `hunks`, where given, hold the whole text that is deleted. */
  | { readonly kind: "delete"; readonly path: string; readonly hunks?: ReadonlyArray<Hunk> }
  | {
      readonly kind: "update"
      readonly path: string
      readonly moveTo: string | undefined
      readonly hunks: ReadonlyArray<Hunk>
    }

/** Why a text is no patch: what is wrong, at which line of it, and what to write instead. */
export interface Malformed {
  readonly message: string
}

export const malformed = (line: number, message: string): Malformed => ({
  message: `Line ${line} of the patch: ${message}`
})

/** What stands in a line that begins a hunk: numbers (`@@ -3,2 +3,4 @@`), or a line that stands above (`@@ class A`). */
export interface HunkHeader {
  /** The first old line, 1-based, where it is given and there is one. */
  readonly at: number | undefined
  /** How many old and new lines follow, where it says so. */
  readonly counts: { readonly old: number; readonly new: number } | undefined
  /** The line that stands above; empty where none is named. */
  readonly text: string
}

export const hunkHeader = (line: string): HunkHeader => {
  const numbers = /^@@ *-(\d+)(?:,(\d+))? *\+\d+(?:,(\d+))? *@@/.exec(line)
  if (numbers !== null) {
    const [, at, old = "1", added = "1"] = numbers
    return { at: Number(at) || undefined, counts: { old: Number(old), new: Number(added) }, text: "" }
  }
  const text = line
    .replace(/^@@ ?/, "")
    .replace(/\s+@@\s*$/, "")
    .trimEnd()
  return { at: undefined, counts: undefined, text: /^\s*(\.\.\.|\u2026)?\s*(@@)?$/.test(text) ? "" : text }
}

/**
 * The lines of a hunk whose extent is known. An empty line is an empty unchanged line whose space was lost; at the end of the hunk it
 * only separates, unless `keepsBlank`.
 */
export const hunkLines = (
  body: ReadonlyArray<string>,
  first: number,
  keepsBlank: boolean
): Result.Result<ReadonlyArray<HunkLine>, Malformed> => {
  const lines: Array<HunkLine> = []
  const length = keepsBlank ? body.length : body.findLastIndex((line) => line !== "" && line !== "\r") + 1
  for (const [index, line] of body.slice(0, length).entries()) {
    const kind = line === "" || line === "\r" ? "context" : kinds.get(line[0]!)
    const last = lines.at(-1)
    if (kind !== undefined) {
      lines.push({ kind, text: line === "\r" ? line : line.slice(1) })
    } else if (line.startsWith("\\") && last !== undefined) {
      lines[lines.length - 1] = { ...last, isUnended: true }
    } else {
      return Result.fail(
        malformed(
          first + index,
          `a line of a hunk begins with a space (unchanged), \`-\` (old) or \`+\` (new); this one does not: ` +
            `${JSON.stringify(line.slice(0, 100))}.`
        )
      )
    }
  }
  return Result.succeed(lines)
}

const kinds = new Map<string, HunkLine["kind"]>([
  [" ", "context"],
  ["-", "removed"],
  ["+", "added"]
])
