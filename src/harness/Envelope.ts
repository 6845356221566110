/**
 * The `*** Begin Patch` envelope. Its lines of content begin with a space, `+` or `-`, so that none can be taken for a marker.
 */
import { Result } from "effect"
import type { Hunk } from "./Hunks.ts"
import { hunkHeader, hunkLines, malformed, type Malformed, type Section } from "./Section.ts"
import * as UnifiedDiff from "./UnifiedDiff.ts"

const begin = "*** Begin Patch"
const end = "*** End Patch"
const endOfFile = "*** End of File"
const sectionMarker = /^\*\*\* (Add File|Update File|Delete File): *(.*?)\s*$/
const moveMarker = /^\*\*\* Move to: *(.*?)\s*$/

const isMarker = (line: string, marker: string): boolean => line.trimEnd() === marker

/** Whether a line begins a section: no line of a unified diff can. */
export const isSection = (line: string): boolean => sectionMarker.test(line)

/** Whether a line is one of the two around the sections. */
export const isFrame = (line: string): boolean => isMarker(line, begin) || isMarker(line, end)

/** Parses an envelope; `first` is the number of its first line. */
export const parse = (
  lines: ReadonlyArray<string>,
  first: number
): Result.Result<ReadonlyArray<Section>, Malformed> => {
  const sections: Array<Section> = []
  let at = 0
  let isEnded = false
  while (at < lines.length) {
    const line = lines[at]!
    const number = first + at
    const marker = sectionMarker.exec(line)
    if (line.trim() === "" || isFrame(line)) {
      isEnded = isMarker(line, end) || (isEnded && !isMarker(line, begin))
      at++
      continue
    }
    if (marker === null || isEnded) {
      return Result.fail(
        malformed(
          number,
          `expected \`*** Add File: PATH\`, \`*** Update File: PATH\` or \`*** Delete File: PATH\`${
            isEnded ? " in one patch, before `*** End Patch`" : ""
          }, found ${JSON.stringify(line.slice(0, 100))}.`
        )
      )
    }
    const path = marker[2]!
    if (path === "") return Result.fail(malformed(number, `\`${line.trim()}\` names no path.`))
    let until = at + 1
    while (until < lines.length && !isSection(lines[until]!) && !isFrame(lines[until]!)) until++
    const section = parseSection(marker[1]!, path, lines.slice(at + 1, until), number + 1)
    if (Result.isFailure(section)) return Result.fail(section.failure)
    sections.push(section.success)
    at = until
  }
  return Result.succeed(sections)
}

const parseSection = (
  what: string,
  path: string,
  body: ReadonlyArray<string>,
  first: number
): Result.Result<Section, Malformed> => {
  if (what === "Add File") return parseAdded(path, body, first)
  if (what === "Delete File") {
    const extra = body.findIndex((line) => line.trim() !== "")
    return extra < 0
      ? Result.succeed({ kind: "delete", path })
      : Result.fail(malformed(first + extra, "nothing stands below `*** Delete File: PATH`."))
  }
  const move = moveMarker.exec(body[0] ?? "")
  if (move !== null && move[1] === "") return Result.fail(malformed(first, "`*** Move to: ` names no path."))
  const skipped = move === null ? 0 : 1
  return Result.flatMap(parseHunks(path, body.slice(skipped), first + skipped), (hunks) =>
    hunks.length === 0 && move === null
      ? Result.fail(malformed(first - 1, `\`*** Update File: ${path}\` has no hunk below it.`))
      : Result.succeed<Section>({ kind: "update", path, moveTo: move?.[1], hunks })
  )
}

const parseAdded = (path: string, body: ReadonlyArray<string>, first: number): Result.Result<Section, Malformed> => {
  const lines: Array<string> = []
  const length = body.findLastIndex((line) => line.trim() !== "") + 1
  for (const [index, line] of body.slice(0, length).entries()) {
    if (isMarker(line, endOfFile) && index === length - 1) continue
    if (line.startsWith("+")) lines.push(`${line.slice(1)}\n`)
    else if (line === "") lines.push("\n")
    else
      return Result.fail(
        malformed(
          first + index,
          `each line of an added file begins with \`+\`: ${JSON.stringify(line.slice(0, 100))} does not.`
        )
      )
  }
  return Result.succeed({ kind: "add", path, text: lines.join("") })
}

/** The hunks of an `*** Update File` section. */
const parseHunks = (
  path: string,
  body: ReadonlyArray<string>,
  first: number
): Result.Result<ReadonlyArray<Hunk>, Malformed> => {
  const hunks: Array<Hunk> = []
  let at = UnifiedDiff.fileHeaderLength(path, body)
  const full = body.findLastIndex((line) => line.trim() !== "") + 1
  while (at < full) {
    if (body[at] === "") {
      at++
      continue
    }
    const patchLine = first + at
    const headers: Array<string> = []
    let stated: number | undefined
    for (; at < body.length && body[at]!.startsWith("@@"); at++) {
      const header = hunkHeader(body[at]!)
      if (header.at !== undefined) stated = header.at
      else if (header.text !== "") headers.push(header.text)
    }
    let until = at
    while (until < body.length && !body[until]!.startsWith("@@") && !isMarker(body[until]!, endOfFile)) until++
    const isAtEnd = until < body.length && isMarker(body[until]!, endOfFile)
    const lines = hunkLines(body.slice(at, until), first + at, isAtEnd)
    if (Result.isFailure(lines)) return Result.fail(lines.failure)
    if (!lines.success.some((line) => line.kind !== "context")) {
      return Result.fail(malformed(patchLine, `the hunk changes nothing: no line of it begins with \`+\` or \`-\`.`))
    }
    hunks.push({ lines: lines.success, headers, at: stated, isAtEnd, patchLine })
    at = isAtEnd ? until + 1 : until
  }
  return Result.succeed(hunks)
}
