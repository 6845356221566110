/**
 * What `apply_patch` takes (SPEC §12): the `*** Begin Patch` envelope, or unified diffs. Parsing is strict, but for what models
 * send around a patch (a code fence, a here-document) and leave off it (`*** End Patch`, right line counts) where nothing can be misread.
 */
import { Result } from "effect"
import * as Envelope from "./Envelope.ts"
import type { Malformed, Section } from "./Section.ts"
import * as UnifiedDiff from "./UnifiedDiff.ts"

/** Parses a patch in either format. A patch has at least one section. */
export const parse = (patch: string): Result.Result<ReadonlyArray<Section>, Malformed> => {
  const { first, lines } = unwrap(patch)
  const sections = lines.some(Envelope.isSection)
    ? Envelope.parse(lines, first)
    : UnifiedDiff.parse(
        lines.map((line) => (Envelope.isFrame(line) ? "" : line)),
        first
      )
  return Result.flatMap(sections, (sections) =>
    sections.length === 0 ? Result.fail({ message: `The patch changes no file. ${howTo}` }) : Result.succeed(sections)
  )
}

const howTo =
  "Write:\n*** Begin Patch\n*** Update File: PATH\n@@ a line above (optional)\n unchanged line\n-old line\n+new line\n" +
  "*** End Patch\nor a unified diff (`--- a/PATH`, `+++ b/PATH`, `@@ -1,3 +1,3 @@`)."

const heredoc = /^(?:\$ *)?(?:apply_?patch\s*)?<<-?\s*(['"]?)([A-Za-z_]\w*)\1$/

/** Takes off what is around a patch; `first` is the number of the first line that is left. */
const unwrap = (patch: string): { readonly lines: ReadonlyArray<string>; readonly first: number } => {
  let lines = patch.replace(/^\uFEFF/, "").split("\n")
  if (lines.at(-1) === "") lines.pop()
  // A patch that was sent with CRLF line ends has them at its own markers too.
  if (lines.some((line) => line.endsWith("\r") && /^(\*\*\* |@@|--- |diff )/.test(line))) {
    lines = lines.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line))
  }
  let [from, to] = outer(lines, 0, lines.length)
  if (to - from >= 2 && /^\s*```/.test(lines[from]!) && /^\s*```\s*$/.test(lines[to - 1]!)) {
    ;[from, to] = outer(lines, from + 1, to - 1)
  }
  const word = heredoc.exec((lines[from] ?? "").trim())?.[2]
  if (word !== undefined) {
    const closing = lines[to - 1]?.trim() === word ? to - 1 : to
    ;[from, to] = outer(lines, from + 1, closing)
  }
  // Blank lines at the end may belong to a hunk of a unified diff.
  return { lines: lines.slice(from, word === undefined && to === lastFull(lines) ? lines.length : to), first: from + 1 }
}

const lastFull = (lines: ReadonlyArray<string>): number => lines.findLastIndex((line) => line.trim() !== "") + 1

/** The range of the lines that are not blank at its ends. */
const outer = (lines: ReadonlyArray<string>, from: number, to: number): [number, number] => {
  while (from < to && lines[from]!.trim() === "") from++
  while (to > from && lines[to - 1]!.trim() === "") to--
  return [from, to]
}
