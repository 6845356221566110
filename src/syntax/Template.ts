/** The template of a rewrite, filled with the captures of a match (SPEC §6.2). */
import * as Goal from "./Goal.ts"
import type { Capture } from "./Matcher.ts"
import * as Metavariable from "./Metavariable.ts"
import { type Pattern, type Variable, variablesOf } from "./Pattern.ts"

type Part =
  | { readonly tag: "text"; readonly text: string; readonly start: number }
  | { readonly tag: "capture"; readonly slot: number; readonly run: boolean }

export interface Template {
  readonly source: string
  readonly parts: ReadonlyArray<Part>
  readonly slots: ReadonlySet<number>
}

/** Without the blank lines around it and the indentation that its lines have in common with the first. */
const tidy = (source: string): string => {
  const lines = source
    .replaceAll("\r\n", "\n")
    .replace(/^(?:[^\S\n]*\n)+/, "")
    .trimEnd()
    .split("\n")
  const indent = /^[ \t]*/.exec(lines[0]!)![0]
  return lines.map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line.trimStart())).join("\n")
}

export type Compiled =
  | { readonly ok: true; readonly template: Template }
  | { readonly ok: false; readonly reason: string }

const parse = (source: string, variables: ReadonlyArray<Variable>): Compiled => {
  const fail = (reason: string): Compiled => ({ ok: false, reason })
  const tidied = tidy(source)
  const { error, pieces } = Metavariable.lex(tidied)
  if (error !== undefined) return fail(error)
  const bound = variables.map(({ name, run }) => `\`${run ? "$$$" : "$"}${name}\``).join(", ")
  const binds = bound === "" ? "the pattern binds nothing" : `the pattern binds ${bound}`
  const parts: Array<Part> = []
  for (const piece of pieces) {
    if (piece.tag === "text") {
      parts.push(piece)
      continue
    }
    if (piece.name === undefined) {
      return fail(
        `\`${piece.text}\` captures nothing, so a template cannot use it; give it a name in the pattern (${binds}), ` +
          `or write \`\\${piece.text}\` for the literal text`
      )
    }
    const slot = variables.findIndex(({ name }) => name === piece.name)
    const variable = variables[slot]
    if (variable === undefined) {
      return fail(`\`${piece.text}\` is not bound: ${binds}; write \`\\${piece.text}\` for the literal text`)
    }
    if (variable.run !== piece.run) {
      return fail(`\`${piece.text}\` is ${variable.run ? "a run" : "one node"} in the pattern: ${binds}`)
    }
    parts.push({ tag: "capture", slot, run: piece.run })
  }
  const slots = new Set(parts.flatMap((part) => (part.tag === "capture" ? [part.slot] : [])))
  return { ok: true, template: { source: tidied, parts, slots } }
}

/** What is wrong with a template for a pattern, whatever their language. */
export const fault = (source: string, pattern: string): string | undefined => {
  const parsed = parse(source, variablesOf(Metavariable.lex(pattern).pieces))
  return parsed.ok ? undefined : parsed.reason
}

/** Compiles a template for the first reading of a pattern, or says what is wrong with it. */
export const compile = (source: string, { readings, variables }: Pattern): Compiled => {
  const parsed = parse(source, variables)
  if (!parsed.ok) return parsed
  const { context, goals } = readings[0]!
  const bound = Goal.slotsOf(goals)
  const unbound = [...parsed.template.slots].find((slot) => !bound.has(slot))
  if (unbound === undefined) return parsed
  const { name } = variables[unbound]!
  return {
    ok: false,
    reason: `the template's \`${name}\` captures nothing, because in the pattern (read as ${context}) it is only a part of a token`
  }
}

/** What filling a template needs to know of the file. */
export interface Site {
  readonly text: string
  /** Whether the line that begins at this offset begins inside a string. */
  readonly isInString: (offset: number) => boolean
  /** How the file indents: `\t`, or spaces. */
  readonly unit: string
  readonly newline: "\n" | "\r\n"
  /** Whether what stands behind a `:` at the end of a line is a block by its indentation. */
  readonly isIndented: boolean
  /** Whether the line that begins at this offset of the template begins inside a string. */
  readonly isStringLine: (offset: number) => boolean
}

const lineStart = (text: string, offset: number): number => text.lastIndexOf("\n", offset - 1) + 1

/** The blanks that begin the line of an offset. */
export const indentAt = (text: string, offset: number): string =>
  /[ \t]*/y.exec(text.slice(lineStart(text, offset)))![0]

/** The indentation of a template's line in the file's own terms: tabs where the file has tabs, and the other way round. */
const translate = (indent: string, template: string, unit: string): string => {
  if (unit === "\t") {
    const widths = [...template.matchAll(/^ +(?=\S)/gm)].map(([spaces]) => spaces.length)
    const step = Math.min(...widths)
    return widths.length === 0
      ? indent
      : indent.replace(/ +/g, (spaces) => "\t".repeat(Math.round(spaces.length / step)))
  }
  return indent.replaceAll("\t", unit)
}

/** What follows an empty run is taken back with it: its line, or the separator beside it. */
const dropEmpty = (before: string, after: string): readonly [before: string, after: string] => {
  const isOwnLine = /(?:^|\n)[ \t]*$/.test(before) && /^[ \t]*(?:\n|$)/.test(after)
  if (isOwnLine && before.includes("\n")) {
    const kept = before.replace(/\n[ \t]*$/, "")
    return [/^\s*[)\]}]/.test(after) ? kept.replace(/,$/, "") : kept, after]
  }
  const following = /^\s*[,;|&]\s*/.exec(after)
  if (following !== null) return [before, after.slice(following[0].length)]
  const preceding = /\s*[,|&]\s*$/.exec(before)
  if (preceding !== null) return [before.slice(0, -preceding[0].length), after]
  return [/\s$/.test(before) ? before.replace(/[ \t]$/, "") : before, after]
}

/** The parts with captures that are empty runs taken out. */
const withoutEmptyRuns = (
  parts: ReadonlyArray<Part>,
  captures: ReadonlyArray<Capture | undefined>
): ReadonlyArray<Part> => {
  const kept: Array<Part> = []
  const rest = [...parts]
  for (let part = rest.shift(); part !== undefined; part = rest.shift()) {
    const isEmpty = part.tag === "capture" && captures[part.slot]!.items?.length === 0
    if (!isEmpty) {
      const last = kept.at(-1)
      // Texts that met because a run between them was empty are one text again.
      if (part.tag === "text" && last?.tag === "text") kept[kept.length - 1] = { ...last, text: last.text + part.text }
      else kept.push(part)
      continue
    }
    const last = kept.at(-1)
    const [next] = rest
    const [before, after] = dropEmpty(last?.tag === "text" ? last.text : "", next?.tag === "text" ? next.text : "")
    if (last?.tag === "text") kept[kept.length - 1] = { ...last, text: before }
    if (next?.tag === "text") rest[0] = { ...next, text: after, start: next.start + next.text.length - after.length }
  }
  return kept
}

interface Line {
  text: string
  readonly isRaw: boolean
}

/** The text that replaces a match which begins at `start`. */
export const fill = (
  template: Template,
  captures: ReadonlyArray<Capture | undefined>,
  start: number,
  site: Site
): string => {
  const { text } = site
  const lines: Array<Line> = [{ text: "", isRaw: false }]
  let indent = ""
  const append = (more: string) => void (lines.at(-1)!.text += more)

  const appendTemplate = (part: Extract<Part, { tag: "text" }>): void => {
    let offset = part.start
    part.text.split("\n").forEach((piece, index) => {
      if (index === 0) append(piece)
      else {
        const isRaw = site.isStringLine(offset)
        const own = /^[ \t]*/.exec(piece)![0]
        indent = isRaw ? own : translate(own, template.source, site.unit)
        if (site.newline === "\r\n") append("\r")
        lines.push({ text: indent + piece.slice(own.length), isRaw })
      }
      offset += piece.length + 1
    })
  }

  const appendCapture = (span: Goal.Span): void => {
    // What begins a line of the template goes where the template has it; what stands in a line stays as far in as it was.
    const own = indentAt(text, lines.at(-1)!.text.trim() === "" ? span.start : start)
    let offset = span.start
    text
      .slice(span.start, span.end)
      .split("\n")
      .forEach((piece, index) => {
        if (index === 0) append(piece)
        else if (site.isInString(offset)) lines.push({ text: piece, isRaw: true })
        else lines.push({ text: piece.trim() === "" ? piece.trimStart() : indent + outdent(piece, own), isRaw: false })
        offset += piece.length + 1
      })
  }

  /** Statements of several lines cannot follow their head on its line. */
  const isBlock = (span: Goal.Span, next: Part | undefined): boolean =>
    site.isIndented &&
    /:[ \t]*$/.test(lines.at(-1)!.text) &&
    (next === undefined || (next.tag === "text" && /^[ \t]*\n/.test(next.text))) &&
    text.slice(lineStart(text, span.start), span.start).trim() === "" &&
    text.slice(span.start, span.end).includes("\n")

  const appendBlock = (span: Goal.Span): void => {
    const head = indent
    lines.at(-1)!.text = lines.at(-1)!.text.trimEnd() + (site.newline === "\r\n" ? "\r" : "")
    indent += site.unit
    lines.push({ text: indent, isRaw: false })
    appendCapture(span)
    indent = head
  }

  const parts = withoutEmptyRuns(template.parts, captures)
  parts.forEach((part, index) => {
    const previous = parts[index - 1]
    if (part.tag === "capture") {
      const span = captures[part.slot]!
      if (isBlock(span, parts[index + 1])) appendBlock(span)
      else appendCapture(span)
    } else if (previous?.tag === "capture" && part.text.startsWith(";") && /;\s*$/.test(lines.at(-1)!.text)) {
      appendTemplate({ ...part, text: part.text.slice(1), start: part.start + 1 })
    } else appendTemplate(part)
  })

  const base = indentAt(text, start)
  return lines
    .map((line, index) => (index === 0 || line.isRaw || line.text.trim() === "" ? line.text : base + line.text))
    .join("\n")
}

/** Takes from a line the indentation that it has in common with the line where its capture begins. */
const outdent = (line: string, indent: string): string => {
  let common = 0
  while (common < indent.length && line[common] === indent[common]) common++
  return line.slice(common)
}
