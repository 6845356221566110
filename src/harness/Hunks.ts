/**
 * Hunks of a patch and where they fit in a text: by their exact lines, never by likeness (SPEC §12). Line ends are the
 * file's: a carriage return counts only where the hunk itself has one.
 */
import { Result } from "effect"
import { type Span, splice } from "../edits/TextEdits.ts"
import * as Passage from "./Passage.ts"
import * as TextLines from "./TextLines.ts"

export interface HunkLine {
  readonly kind: "context" | "removed" | "added"
  /** May end in a carriage return where the patch was made of a file with CRLF line ends. */
  readonly text: string
  /** Followed by `\ No newline at end of file`. */
  readonly isUnended?: true
}

export interface Hunk {
  readonly lines: ReadonlyArray<HunkLine>
  /** Lines that stand above the hunk (`@@ class A`), outermost first. */
  readonly headers: ReadonlyArray<string>
  /** The 1-based line that the hunk gives for itself. */
  readonly at: number | undefined
  /** Its last old line is the last of the file. */
  readonly isAtEnd: boolean
  /** The line of the patch where it begins, 1-based. */
  readonly patchLine: number
}

/** A hunk that went elsewhere than its own line number says. */
export interface Moved {
  /** 1-based. */
  readonly hunk: number
  readonly stated: number
  readonly line: number
}

export interface Applied {
  readonly text: string
  /** What leads to it, in the order of the text. */
  readonly spans: ReadonlyArray<Span>
  readonly moved: ReadonlyArray<Moved>
}

/** Why hunks do not fit, in words: with the hunk's number, its lines, and the nearest lines of the file. */
export interface Misfit {
  /** 1-based. */
  readonly hunk: number
  readonly message: string
}

type Lines = ReadonlyArray<TextLines.Line>

/** What a hunk is compared with, and what it puts in. `isLiteral`: its own carriage returns count. */
interface Prepared {
  readonly hunk: Hunk
  readonly isLiteral: boolean
  readonly old: ReadonlyArray<HunkLine>
}

/** A hunk with the indexes of the lines at which it may begin. */
interface Candidate extends Prepared {
  readonly places: ReadonlyArray<number>
}

/** Applies hunks to a text: all of them or, where one fits nowhere or in several places, none. */
export const apply = (text: string, hunks: ReadonlyArray<Hunk>): Result.Result<Applied, Misfit> => {
  const lines = TextLines.split(text)
  const candidates: Array<Candidate> = []
  let carried = 0
  for (const [index, hunk] of hunks.entries()) {
    const found = locate(lines, hunk, carried)
    if (Result.isFailure(found)) return Result.fail({ hunk: index + 1, message: found.failure })
    const stated = hunk.at === undefined ? undefined : hunk.at - 1
    if (stated !== undefined && found.success.places.length === 1) carried = found.success.places[0]! - stated
    candidates.push(found.success)
  }
  return Result.map(place(lines, candidates), (placed) => {
    const spans = placed
      .flatMap(({ place, prepared }) => spansOf(text, lines, prepared, place))
      .sort((a, b) => a.start - b.start)
    return {
      text: splice(text, spans),
      spans,
      moved: placed.flatMap(({ place, prepared: { hunk } }, index) =>
        hunk.at === undefined || hunk.at === place + 1 ? [] : [{ hunk: index + 1, stated: hunk.at, line: place + 1 }]
      )
    }
  })
}

const isOld = (line: HunkLine): boolean => line.kind !== "added"

const locate = (lines: Lines, hunk: Hunk, carried: number): Result.Result<Candidate, string> => {
  const old = hunk.lines.filter(isOld)
  const anchors = anchorsOf(lines, hunk.headers)
  if (Result.isFailure(anchors)) return Result.fail(anchors.failure)
  if (old.length === 0) return locateInsertion(lines, hunk, anchors.success)

  const hasReturns = hunk.lines.some((line) => line.text.endsWith("\r"))
  for (const isLiteral of hasReturns ? [true, false] : [false]) {
    const prepared: Prepared = { hunk, isLiteral, old }
    const all = fits(lines, prepared)
    if (all.length === 0) continue
    const stated = hunk.at === undefined ? undefined : hunk.at - 1 + carried
    if (stated !== undefined && all.includes(stated)) return Result.succeed({ ...prepared, places: [stated] })
    const places = anchors.success === undefined ? all : narrow(lines, all, old.length, anchors.success)
    if (places.length > 0) return Result.succeed({ ...prepared, places })
    return Result.fail(
      `its lines are at ${listLines(all)}, not after the line that its @@ header names ` +
        `(${listLines(anchors.success ?? [])}). Give the header that stands above them.`
    )
  }
  return Result.fail(doesNotFit(lines, hunk, old))
}

const locateInsertion = (
  lines: Lines,
  hunk: Hunk,
  anchors: ReadonlyArray<number> | undefined
): Result.Result<Candidate, string> => {
  const isLiteral = hunk.lines.some((line) => line.text.endsWith("\r"))
  const at = (places: ReadonlyArray<number>) => Result.succeed({ hunk, isLiteral, old: [], places })
  if (lines.length === 0 || hunk.isAtEnd) return at([lines.length])
  if (anchors !== undefined) return at(anchors.map((anchor) => anchor + 1))
  return Result.fail(
    "it has only added lines, so nothing says where they go. Give unchanged lines around them, " +
      "a header (`@@ the line above`), or `*** End of File`."
  )
}

const matches = (line: TextLines.Line, wanted: HunkLine, isLiteral: boolean): boolean =>
  isLiteral
    ? wanted.text === (line.end === "\r\n" ? `${line.text}\r` : line.text)
    : withoutReturn(wanted.text) === line.text

const withoutReturn = (text: string): string => (text.endsWith("\r") ? text.slice(0, -1) : text)

const fits = (lines: Lines, { hunk, isLiteral, old }: Prepared): ReadonlyArray<number> => {
  const isUnended = old.at(-1)?.isUnended === true
  const last = lines.length - old.length
  const places: Array<number> = []
  for (let place = hunk.isAtEnd || isUnended ? Math.max(0, last) : 0; place <= last; place++) {
    if (!old.every((wanted, index) => matches(lines[place + index]!, wanted, isLiteral))) continue
    if (isUnended && lines.at(-1)!.end !== "") continue
    places.push(place)
  }
  return places
}

// Headers

/** The lines that a chain of headers may mean; `undefined` without headers. */
const anchorsOf = (
  lines: Lines,
  headers: ReadonlyArray<string>
): Result.Result<ReadonlyArray<number> | undefined, string> => {
  let anchors: ReadonlyArray<number> | undefined
  for (const header of headers) {
    const found = headerLines(lines, header)
    if (found.length === 0) {
      const near = Passage.tell(
        lines.map((line) => line.text),
        [header],
        "header"
      )
      return Result.fail(`no line is \`${Passage.cut(header)}\`, which its @@ header names. ${near}`)
    }
    const next = anchors === undefined ? found : narrow(lines, found, 1, anchors)
    if (next.length === 0) {
      return Result.fail(
        `\`${Passage.cut(header)}\` is at ${listLines(found)}, not after the header before it (${listLines(anchors!)}).`
      )
    }
    anchors = next
  }
  return Result.succeed(anchors)
}

const headerReadings: ReadonlyArray<(line: string, header: string) => boolean> = [
  (line, header) => line === header,
  (line, header) => line.trim() === header.trim(),
  (line, header) => line.trim().startsWith(header.trim()),
  (line, header) => line.includes(header.trim())
]

const headerLines = (lines: Lines, header: string): ReadonlyArray<number> => {
  for (const isHeader of headerReadings) {
    const found = lines.flatMap((line, index) => (isHeader(line.text, header) ? [index] : []))
    if (found.length > 0) return found
  }
  return []
}

const indentation = (line: string): number => line.length - line.trimStart().length
const closes = /^([{})\]]|end\b|else\b|elif\b|except\b|catch\b|finally\b)/

/** The index after the last line of the block that begins at `anchor`, by indentation. */
const blockEnd = (lines: Lines, anchor: number): number => {
  const depth = indentation(lines[anchor]!.text)
  for (let index = anchor + 1; index < lines.length; index++) {
    const { text } = lines[index]!
    if (text.trim() !== "" && indentation(text) <= depth && !closes.test(text.trim())) return index
  }
  return lines.length
}

/** Of the places those that a header means: at it or right below it, else in its block, else anywhere after it. */
const narrow = (
  lines: Lines,
  places: ReadonlyArray<number>,
  length: number,
  anchors: ReadonlyArray<number>
): ReadonlyArray<number> => {
  const meant = new Set<number>()
  for (const anchor of anchors) {
    const beside = places.filter((place) => place <= anchor + 1 && anchor < place + length)
    const end = beside.length > 0 ? anchor : blockEnd(lines, anchor)
    for (const place of beside.length > 0 ? beside : places.filter((place) => place > anchor && place < end)) {
      meant.add(place)
    }
  }
  if (meant.size === 0) return places.filter((place) => place > anchors[0]!)
  return [...meant].sort((a, b) => a - b)
}

// Choosing one place for each

interface Placed {
  readonly prepared: Candidate
  readonly place: number
}

/**
 * Hunks stand in the order of the file. Where they can be laid out in that order in one way only, that is it; out of order they are
 * taken only where each has a single place.
 */
const place = (lines: Lines, candidates: ReadonlyArray<Candidate>): Result.Result<ReadonlyArray<Placed>, Misfit> => {
  const first: Array<number> = []
  let from = 0
  for (const { old, places } of candidates) {
    const place = places.find((place) => place >= from)
    if (place === undefined) return placeOutOfOrder(candidates)
    first.push(place)
    from = place + old.length
  }
  let until = lines.length
  for (let index = candidates.length - 1; index >= 0; index--) {
    const { old, places } = candidates[index]!
    const latest = until
    const last = places.findLast((place) => place + old.length <= latest)!
    if (last !== first[index]) return Result.fail(ambiguous(candidates, first))
    until = last
  }
  return Result.succeed(candidates.map((prepared, index) => ({ prepared, place: first[index]! })))
}

const placeOutOfOrder = (candidates: ReadonlyArray<Candidate>): Result.Result<ReadonlyArray<Placed>, Misfit> => {
  const placed: Array<Placed> = []
  for (const [index, prepared] of candidates.entries()) {
    if (prepared.places.length > 1) return Result.fail({ hunk: index + 1, message: fitsTwice(prepared) })
    const place = prepared.places[0]!
    const other = placed.findIndex(
      (before) => place < before.place + before.prepared.old.length && before.place < place + prepared.old.length
    )
    if (other >= 0) {
      return Result.fail({
        hunk: index + 1,
        message: `it changes lines that hunk ${other + 1} has too (line ${place + 1}). Make one hunk of the two.`
      })
    }
    placed.push({ prepared, place })
  }
  return Result.succeed(placed)
}

const ambiguous = (candidates: ReadonlyArray<Candidate>, first: ReadonlyArray<number>): Misfit => {
  let from = 0
  for (const [index, candidate] of candidates.entries()) {
    const left = candidate.places.filter((place) => place >= from)
    if (left.length > 1) return { hunk: index + 1, message: fitsTwice({ ...candidate, places: left }) }
    from = first[index]! + candidate.old.length
  }
  return { hunk: 1, message: fitsTwice(candidates[0]!) }
}

const fitsTwice = ({ old, places }: Candidate): string =>
  old.length === 0
    ? `its header is at ${listLines(places.map((place) => place - 1))}: which one is meant? Give unchanged lines with it.`
    : `it fits at ${listLines(places)}. Give more unchanged lines around it, or a header (\`@@ the line above\`) that only one of them is under.`

const listLines = (places: ReadonlyArray<number>): string => {
  const shown = places.slice(0, 10).map((place) => place + 1)
  const more = places.length > shown.length ? ` and ${places.length - shown.length} more` : ""
  return `${places.length === 1 ? "line" : "lines"} ${shown.join(", ")}${more}`
}

const doesNotFit = (lines: Lines, hunk: Hunk, old: ReadonlyArray<HunkLine>): string => {
  const wanted = old.map((line) => withoutReturn(line.text))
  const file = lines.map((line) => line.text)
  const expected = `It expects:\n${wanted
    .slice(0, 15)
    .map(Passage.cut)
    .map((line) => `    ${line}`)
    .join("\n")}${wanted.length > 15 ? `\n    … and ${wanted.length - 15} more lines` : ""}`
  const anywhere = fits(lines, { hunk: { ...hunk, isAtEnd: false }, isLiteral: false, old: old.map(ended) })
  if (anywhere.length > 0) {
    return `its lines are at ${listLines(anywhere)}, but not at the end of the file${
      old.at(-1)?.isUnended === true ? " without a newline" : ""
    }, as it says.\n${expected}`
  }
  if (lines.length === 0) return `the file is empty.\n${expected}`
  return `its lines are not in the file.\n${expected}\n${Passage.tell(file, wanted, "patch")}`
}

const ended = ({ kind, text }: HunkLine): HunkLine => ({ kind, text })

// Replacing

/** One span for each run of changed lines, so that unchanged lines keep their line ends. */
const spansOf = (text: string, lines: Lines, { hunk, isLiteral }: Prepared, place: number): ReadonlyArray<Span> => {
  const spans: Array<Span> = []
  let at = place
  for (let index = 0; index < hunk.lines.length;) {
    if (hunk.lines[index]!.kind === "context") {
      index++
      at++
      continue
    }
    const added: Array<HunkLine> = []
    const from = at
    for (; index < hunk.lines.length && hunk.lines[index]!.kind !== "context"; index++) {
      if (hunk.lines[index]!.kind === "added") added.push(hunk.lines[index]!)
      else at++
    }
    spans.push(replaceRun(text, lines, from, at, added, isLiteral, hunk))
  }
  return spans
}

const replaceRun = (
  text: string,
  lines: Lines,
  from: number,
  to: number,
  added: ReadonlyArray<HunkLine>,
  isLiteral: boolean,
  hunk: Hunk
): Span => {
  const isLast = to === lines.length
  const before = lines[from - 1]
  const start = from < lines.length ? lines[from]!.start : text.length
  const end = to > from ? TextLines.endOf(lines[to - 1]!) : start
  const removed = lines.slice(from, to)
  const near = [...removed, before, lines[to], ...lines].find((line) => line !== undefined && line.end !== "")?.end
  const endFor = (index: number): string => {
    if (isLiteral) return "\n"
    const own = removed[Math.min(index, removed.length - 1)]?.end
    return own === undefined || own === "" ? (near ?? "\n") : own
  }
  const isUnended = !isLast ? false : (saysUnended(hunk) ?? (lines.length > 0 && lines.at(-1)!.end === ""))
  const inserted = added.map((line, index) => {
    const content = isLiteral ? line.text : withoutReturn(line.text)
    return index === added.length - 1 && isUnended ? withoutReturn(content) : content + endFor(index)
  })
  const separator = added.length > 0 && from === to && before?.end === "" ? (near ?? "\n") : ""
  return { start, end, newText: separator + inserted.join("") }
}

/** Whether the hunk's own words leave the file without a last newline; `undefined` where it says nothing of it. */
const saysUnended = (hunk: Hunk): boolean | undefined => {
  if (!hunk.lines.some((line) => line.isUnended === true)) return undefined
  return hunk.lines.findLast((line) => line.kind !== "removed")?.isUnended === true
}
