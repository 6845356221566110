/** Finds the passage of a file that a model most likely meant, for errors that say what differs. Never for an edit. */

interface Passage {
  /** 1-based line where it begins. */
  readonly line: number
  /** Its lines as they are in the file. */
  readonly lines: ReadonlyArray<string>
  /** In what alone it differs; `undefined` where it is only similar. */
  readonly differsOnlyIn: string | undefined
}

const typographic: ReadonlyArray<readonly [RegExp, string]> = [
  [/[\u2018\u2019\u201A\u201B\u2032]/g, "'"],
  [/[\u201C\u201D\u201E\u201F\u2033]/g, '"'],
  [/[\u2010-\u2015\u2212]/g, "-"],
  [/[\u00A0\u2000-\u200A\u202F\u205F\u3000]/g, " "],
  [/\u2026/g, "..."],
  [/\u200B|\u200C|\u200D|\u2060|\uFEFF/g, ""]
]
const plain = (line: string): string => typographic.reduce((text, [from, to]) => text.replace(from, to), line)
const withoutSpace = (line: string): string => line.replace(/\s+/g, "")

/** From the smallest difference to the greatest; each takes away what the one before it does. */
const readings: ReadonlyArray<{ readonly what: string; readonly read: (line: string) => string }> = [
  { what: "trailing whitespace", read: (line) => line.trimEnd() },
  { what: "indentation or trailing whitespace", read: (line) => line.trim() },
  { what: "whitespace", read: withoutSpace },
  { what: "typographic characters (quotes, dashes, spaces)", read: (line) => withoutSpace(plain(line)) },
  { what: "letter case (and perhaps whitespace)", read: (line) => withoutSpace(plain(line)).toLowerCase() }
]

/** The passage of `file` nearest to `wanted`, if any is near. Both are lines without their ends. */
const nearest = (file: ReadonlyArray<string>, wanted: ReadonlyArray<string>): Passage | undefined => {
  if (wanted.every((line) => line.trim() === "")) return undefined
  for (const { read, what } of readings) {
    const at = find(file.map(read), wanted.map(read))
    if (at !== undefined) return { line: at + 1, lines: file.slice(at, at + wanted.length), differsOnlyIn: what }
  }
  return withoutBlankLines(file, wanted) ?? similar(file, wanted)
}

/** Where the lines occur, the first and the last of them possibly in the middle of a line. */
const find = (file: ReadonlyArray<string>, wanted: ReadonlyArray<string>): number | undefined => {
  const needle = wanted.join("\n")
  const text = file.join("\n")
  const at = text.indexOf(needle)
  if (at < 0) return undefined
  let line = 0
  for (let newline = text.indexOf("\n"); newline >= 0 && newline < at; newline = text.indexOf("\n", newline + 1)) line++
  return line
}

const withoutBlankLines = (file: ReadonlyArray<string>, wanted: ReadonlyArray<string>): Passage | undefined => {
  const full = file.flatMap((line, index) => (line.trim() === "" ? [] : [index]))
  const wantedFull = wanted.filter((line) => line.trim() !== "").map(withoutSpace)
  const at = find(
    full.map((index) => withoutSpace(file[index]!)),
    wantedFull
  )
  if (at === undefined) return undefined
  const first = full[at]!
  const last = full[at + wantedFull.length - 1] ?? first
  return { line: first + 1, lines: file.slice(first, last + 1), differsOnlyIn: "blank lines (and perhaps whitespace)" }
}

const maxCompared = 200

const pairs = (line: string): Map<string, number> => {
  const found = new Map<string, number>()
  for (let i = 0; i + 1 < line.length; i++) {
    const pair = line.slice(i, i + 2)
    found.set(pair, (found.get(pair) ?? 0) + 1)
  }
  return found
}

/** The Dice coefficient of two lines' letter pairs, 0 to 1. */
const likeness = (a: string, b: string): number => {
  const [left, right] = [a.trim().slice(0, maxCompared), b.trim().slice(0, maxCompared)]
  if (left === right) return 1
  if (left.length < 2 || right.length < 2) return 0
  const counts = pairs(left)
  let common = 0
  for (const [pair, count] of pairs(right)) common += Math.min(count, counts.get(pair) ?? 0)
  return (2 * common) / (left.length + right.length - 2)
}

// Bounds on the work for one error message.
const maxAnchors = 50
const maxCandidates = 8
const maxFuzzyLines = 20_000

const similar = (file: ReadonlyArray<string>, wanted: ReadonlyArray<string>): Passage | undefined => {
  const starts = [...votes(file, wanted)].sort((a, b) => b[1] - a[1]).slice(0, maxCandidates)
  let best: { readonly start: number; readonly score: number } = { start: 0, score: 0.4 }
  for (const [start] of starts.length > 0 ? starts : fuzzyStarts(file, wanted)) {
    const score = similarity(file, wanted, start)
    if (score > best.score) best = { start, score }
  }
  if (best.score <= 0.4) return undefined
  const first = Math.max(0, best.start)
  return { line: first + 1, lines: file.slice(first, best.start + wanted.length), differsOnlyIn: undefined }
}

/** Where the passage would begin, with the number of lines that say so: lines that are the same but for their indentation. */
const votes = (file: ReadonlyArray<string>, wanted: ReadonlyArray<string>): Map<number, number> => {
  const places = new Map<string, Array<number>>()
  for (const line of wanted) if (line.trim().length > 2) places.set(line.trim(), [])
  file.forEach((line, index) => places.get(line.trim())?.push(index))
  const starts = new Map<number, number>()
  wanted.forEach((line, index) => {
    const found = places.get(line.trim()) ?? []
    if (found.length > maxAnchors) return
    for (const place of found) starts.set(place - index, (starts.get(place - index) ?? 0) + 1)
  })
  return starts
}

const fuzzyStarts = (
  file: ReadonlyArray<string>,
  wanted: ReadonlyArray<string>
): ReadonlyArray<readonly [number, number]> => {
  const longest = wanted.reduce(
    (best, line, index) => (line.trim().length > wanted[best]!.trim().length ? index : best),
    0
  )
  const scored: Array<readonly [number, number]> = []
  file.slice(0, maxFuzzyLines).forEach((line, index) => {
    const score = likeness(line, wanted[longest]!)
    if (score > 0.4) scored.push([index - longest, score])
  })
  return scored.sort((a, b) => b[1] - a[1]).slice(0, maxCandidates)
}

const similarity = (file: ReadonlyArray<string>, wanted: ReadonlyArray<string>, start: number): number => {
  let sum = 0
  let counted = 0
  wanted.slice(0, maxCompared).forEach((line, index) => {
    const there = file[start + index] ?? ""
    if (line.trim() === "" && there.trim() === "") return
    counted++
    sum += likeness(there, line)
  })
  return counted === 0 ? 0 : sum / counted
}

const maxShown = 15
const maxLineShown = 200

/** A line, cut where it is long. */
export const cut = (line: string): string =>
  line.length > maxLineShown ? `${line.slice(0, maxLineShown)}… (${line.length} characters)` : line

/** Lines with their numbers, bounded: what was left out is told. */
const numbered = (first: number, lines: ReadonlyArray<string>, max = maxShown): string => {
  const width = String(first + Math.min(lines.length, max) - 1).length
  const shown = lines.slice(0, max).map((line, index) => `${String(first + index).padStart(width)} | ${cut(line)}`)
  return [...shown, ...(lines.length > max ? [`… and ${lines.length - max} more lines`] : [])].join("\n")
}

// A message is not worth more time than this takes: about a second.
const maxSearched = 150_000

/**
 * Says where in the file the nearest passage is, shows it, and shows the first line that differs with its whitespace made visible.
 * `label` names what `wanted` is.
 */
export const tell = (file: ReadonlyArray<string>, wanted: ReadonlyArray<string>, label: string): string => {
  const passage = nearest(file.slice(0, maxSearched), wanted)
  if (passage !== undefined) return describe(passage, wanted, label)
  return file.length > maxSearched
    ? `Nothing in its first ${maxSearched} lines is similar; the rest was not searched.`
    : "Nothing in the file is similar."
}

const describe = (passage: Passage, wanted: ReadonlyArray<string>, label: string): string => {
  const last = passage.line + passage.lines.length - 1
  const where = passage.lines.length === 1 ? `line ${passage.line}` : `lines ${passage.line}-${last}`
  const head =
    passage.differsOnlyIn === undefined
      ? `The nearest passage is at ${where}:`
      : `The passage at ${where} differs from it only in ${passage.differsOnlyIn}:`
  const differing = wanted.findIndex((line, index) => {
    const there = passage.lines[index] ?? ""
    const isPartial = (index === 0 && there.endsWith(line)) || (index === wanted.length - 1 && there.startsWith(line))
    return !(there === line || isPartial || (wanted.length === 1 && there.includes(line)))
  })
  const difference =
    differing < 0
      ? []
      : [
          `First difference, at line ${passage.line + differing}:`,
          ...excerpts(passage.lines[differing], wanted[differing]).map(
            (line, index) => `  ${index === 0 ? "file" : label}: ${line}`
          )
        ]
  return [head, numbered(passage.line, passage.lines), ...difference].join("\n")
}

/** Both lines around their first difference, quoted so that whitespace is seen. */
const excerpts = (there: string | undefined, wanted: string | undefined): ReadonlyArray<string> => {
  let same = 0
  while (same < (there ?? "").length && there?.[same] === wanted?.[same]) same++
  const from = same > maxLineShown / 2 ? same - 40 : 0
  return [there, wanted].map((line) =>
    line === undefined ? "(no such line)" : `${from > 0 ? "…" : ""}${JSON.stringify(cut(line.slice(from)))}`
  )
}
