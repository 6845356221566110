/** What an edit changes, in lines, for people and models (SPEC §11, `change`). */
import { diffArrays } from "diff"
import { Schema } from "effect"
import * as Lines from "./Lines.ts"
import type { Span } from "./TextEdits.ts"

/**
 * Lines that are replaced. `line` is the 1-based line of the old text at which `before` begins (for an insertion the line
 * before which it comes). Lines are whole and without their ends, unless only the ends differ; one longer than the bound is
 * cut and says so. `left_out`: how many lines of `before` and `after` are not shown.
 */
export const Change = Schema.Struct({
  line: Schema.Natural,
  before: Schema.Array(Schema.String),
  after: Schema.Array(Schema.String),
  left_out: Schema.optionalKey(Schema.Natural)
})
export type Change = typeof Change.Type

/** How much of a change is shown. */
export interface Bounds {
  /** Changes of one file. */
  readonly perFile: number
  /** Changes of all files together. */
  readonly total: number
  /** Lines of `before`, and of `after`. */
  readonly lines: number
  /** Characters of a line. */
  readonly characters: number
}

export const defaultBounds: Bounds = { perFile: 20, total: 200, lines: 60, characters: 2000 }

/** At most so many inserted and deleted lines are searched for; two texts further apart are shown as one change. */
const mostEdits = 1000

interface Lined {
  readonly at: number
  readonly before: ReadonlyArray<string>
  readonly after: ReadonlyArray<string>
}

/** Without the lines that both sides begin and end with. */
const trim = ({ after, at, before }: Lined): Lined => {
  const least = Math.min(before.length, after.length)
  let head = 0
  while (head < least && before[head] === after[head]) head++
  let tail = 0
  while (tail < least - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++
  return {
    at: at + head,
    before: before.slice(head, before.length - tail),
    after: after.slice(head, after.length - tail)
  }
}

const fromSpans = (text: string, spans: ReadonlyArray<Span>): ReadonlyArray<Lined> => {
  const starts = Lines.starts(text)
  const found: Array<Lined> = []
  let line = 0
  const lineOf = (offset: number) => {
    while (line + 1 < starts.length && starts[line + 1]! <= offset) line++
    return line
  }
  for (let i = 0; i < spans.length;) {
    const first = lineOf(spans[i]!.start)
    const parts: Array<string> = []
    let at = starts[first]!
    let last = first
    do {
      const span = spans[i]!
      parts.push(text.slice(at, span.start), span.newText)
      at = span.end
      last = lineOf(at)
      i++
    } while (i < spans.length && spans[i]!.start < (starts[last + 1] ?? text.length + 1))
    const end = starts[last + 1] ?? text.length
    parts.push(text.slice(at, end))
    found.push(
      trim({ at: first, before: Lines.split(text.slice(starts[first], end)), after: Lines.split(parts.join("")) })
    )
  }
  return found
}

const fromTexts = (before: string, after: string): ReadonlyArray<Lined> => {
  const whole = trim({ at: 0, before: Lines.split(before), after: Lines.split(after) })
  const parts = diffArrays([...whole.before], [...whole.after], { maxEditLength: mostEdits })
  if (parts === undefined) return [whole]
  const found: Array<{ at: number; before: ReadonlyArray<string>; after: ReadonlyArray<string> }> = []
  let at = whole.at
  let open = false
  for (const part of parts) {
    if (!part.added && !part.removed) {
      open = false
      at += part.value.length
      continue
    }
    if (!open) found.push({ at, before: [], after: [] })
    open = true
    const change = found.at(-1)!
    if (part.added) change.after = [...change.after, ...part.value]
    else {
      change.before = [...change.before, ...part.value]
      at += part.value.length
    }
  }
  return found
}

const bounded = ({ after, at, before }: Lined, bounds: Bounds): Change => {
  const plain = { before: before.map(Lines.withoutEnd), after: after.map(Lines.withoutEnd) }
  const onlyEnds =
    plain.before.length === plain.after.length && plain.before.every((line, i) => line === plain.after[i])
  const shown = onlyEnds ? { before, after } : plain
  const cut = (lines: ReadonlyArray<string>) =>
    lines
      .slice(0, bounds.lines)
      .map((line) =>
        line.length <= bounds.characters
          ? line
          : `${line.slice(0, bounds.characters)}… (${line.length - bounds.characters} more characters)`
      )
  const left_out = Math.max(0, before.length - bounds.lines) + Math.max(0, after.length - bounds.lines)
  const change = { line: at + 1, before: cut(shown.before), after: cut(shown.after) }
  return left_out === 0 ? change : { ...change, left_out }
}

/**
 * The changes between two texts, those of `spans` (ordered, made for `before`) where they are given, else by comparing
 * lines. At most `most` are given, `left_out` counts the rest.
 */
export const changes = (
  texts: { readonly before: string; readonly after: string; readonly spans?: ReadonlyArray<Span> | undefined },
  bounds: Bounds,
  most: number = bounds.perFile
): { readonly changes: ReadonlyArray<Change>; readonly left_out: number } => {
  const found = texts.spans === undefined ? fromTexts(texts.before, texts.after) : fromSpans(texts.before, texts.spans)
  const real = found.filter(({ after, before }) => before.length > 0 || after.length > 0)
  const shown = real.slice(0, Math.max(0, most))
  return { changes: shown.map((change) => bounded(change, bounds)), left_out: real.length - shown.length }
}
