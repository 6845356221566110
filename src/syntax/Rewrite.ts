/** Rewrites the matches in one text (SPEC §6.2): which are replaced, by what, and what somebody should know of it. */
import type { Node } from "web-tree-sitter"
import type { Span } from "./Goal.ts"
import type { Grammar } from "./Grammar.ts"
import type { Language } from "./Language.ts"
import * as Ladder from "./Ladder.ts"
import * as Lines from "./Lines.ts"
import type { Match } from "./Matcher.ts"
import * as Metavariable from "./Metavariable.ts"
import * as Template from "./Template.ts"

/** A replacement, in UTF-16 units of the text before any. */
export interface TextEdit {
  readonly start: number
  readonly end: number
  readonly newText: string
}

export interface Rewritten {
  /** In document order, none overlaps another. */
  readonly edits: ReadonlyArray<TextEdit>
  /** Matches inside other matches, which are left as they are. */
  readonly nested: number
  /** What a rewrite would drop without the pattern having named it: comments, keywords; by line, 1-based. */
  readonly lost: ReadonlyArray<{ readonly line: number; readonly text: string }>
  /** Lines of matches that are left as they are, because a part of them stands elsewhere in the file (a heredoc). */
  readonly left: ReadonlyArray<number>
}

/** The step by which a file indents: a tab, or as many spaces as its least indented lines have. */
const unitOf = (text: string): string => {
  const indents = text.match(/^(?:\t+| {2,})(?=\S)/gm) ?? []
  const tabs = indents.filter((indent) => indent.startsWith("\t")).length
  if (tabs > indents.length / 2) return "\t"
  const widths = indents.filter((indent) => indent.startsWith(" ")).map((indent) => indent.length)
  return " ".repeat(widths.length === 0 ? 4 : Math.min(...widths, 8))
}

/** Whether the line at this offset begins inside a string of the tree. */
const inString =
  (root: Node, language: Language) =>
  (offset: number): boolean => {
    for (let node = root.descendantForIndex(offset, offset); node !== null; node = node.parent) {
      if (language.isString(node.typeId) && node.startIndex < offset && node.endIndex > offset) return true
    }
    return false
  }

/** Takes a stretch out of a text, together with the comma that would be left beside nothing. */
const removal = (text: string, start: number, end: number): TextEdit => {
  const before = /(^|[^])(\s*)$/.exec(text.slice(Math.max(0, start - mostBlanks), start))!
  const after = /^(\s*),[^\S\n]*/.exec(text.slice(end, end + mostBlanks))
  const [, previous = "", blanks = ""] = before
  if (after !== null && /[([{,]/.test(previous)) {
    const rest = text.slice(end + after[0].length)
    // An item on a line of its own takes the line with it.
    const isOwnLine = blanks.includes("\n") && rest.startsWith("\n")
    return {
      start: isOwnLine ? start - blanks.length + blanks.lastIndexOf("\n") : start,
      end: end + after[0].length,
      newText: ""
    }
  }
  const isLast = previous === "," && /^\s*[)\]}]/.test(text.slice(end, end + mostBlanks))
  return { start: isLast ? start - blanks.length - 1 : start, end, newText: "" }
}

/** Blanks that are looked at on either side. */
const mostBlanks = 1000

const isInside = (inner: Span, outer: Span) => inner.start >= outer.start && inner.end <= outer.end

/** Whether leaving this out loses something that a reader would miss. */
const isWorth = (text: string) => !/^[\s,;]*$/.test(text)

/**
 * Replaces the outermost matches. They must have been found with `extras`, in document order, the longer first. A match
 * is replaced up to its last token that the pattern has: a `;` behind it stays.
 */
export const rewrite = (
  template: Template.Template,
  matches: ReadonlyArray<Match>,
  root: Node,
  text: string,
  language: Language,
  isStringLine: (offset: number) => boolean
): Rewritten => {
  const edits: Array<TextEdit> = []
  const lost: Array<{ readonly line: number; readonly text: string }> = []
  const left: Array<number> = []
  const isInString = inString(root, language)
  const site: Template.Site = {
    text,
    isInString,
    unit: unitOf(text),
    newline: text.includes("\r\n") ? "\r\n" : "\n",
    isIndented: language.grammar.filled !== undefined,
    isStringLine
  }
  const positionOf = Lines.finder(text)
  let end = -1
  let nested = 0
  for (const match of matches) {
    if (match.start < end) {
      nested++
      continue
    }
    end = match.lastEnd
    const kept = [...template.slots].map((slot) => match.captures[slot]!)
    const dropped = match.extras.filter(
      (extra) => extra.end <= match.lastEnd && !kept.some((capture) => isInside(extra, capture))
    )
    if (dropped.some((extra) => isStringNode(root, extra, language))) {
      left.push(positionOf(match.start).line)
      continue
    }
    for (const extra of dropped) {
      const words = text.slice(extra.start, extra.end)
      // What the template writes again is not lost.
      if (isWorth(words) && !template.source.includes(words))
        lost.push({ line: positionOf(extra.start).line, text: words })
    }
    const newText = Template.fill(template, match.captures, match.start, site)
    const edit = { start: match.start, end: match.lastEnd, newText }
    const last = edits.at(-1)
    if (newText !== "") edits.push(edit)
    else if (last?.end === edit.start && last.newText === "") edits.push(removal(text, edits.pop()!.start, edit.end))
    else edits.push(removal(text, edit.start, edit.end))
  }
  return { edits, nested, lost, left }
}

/**
 * Tells whether a line of the template begins inside a string of it, by the offset where the line begins. Where the template
 * is no fragment of the language nothing is known to be a string.
 */
export const stringLines = (
  template: Template.Template,
  language: Language,
  context: string
): ((offset: number) => boolean) => {
  if (!template.source.includes("\n")) return () => false
  const { pieces } = Metavariable.lex(template.source)
  const rungs = language.grammar.contexts.filter(({ name }) => name === context)
  for (const rung of rungs) {
    const read = Ladder.read(language, rung, pieces, (index) => `mv${index}x`)
    if (!("nodes" in read)) continue
    const isInside = inString(read.tree.rootNode, language)
    const lines = new Set<number>()
    for (let at = template.source.indexOf("\n"); at >= 0; at = template.source.indexOf("\n", at + 1)) {
      if (isInside(read.fromSource(at + 1))) lines.add(at + 1)
    }
    read.tree.delete()
    return (offset) => lines.has(offset)
  }
  return () => false
}

const isStringNode = (root: Node, span: Span, language: Language): boolean => {
  const node = root.descendantForIndex(span.start, span.end)
  return node !== null && language.isString(node.typeId)
}

/** The text after the edits. */
export const apply = (text: string, edits: ReadonlyArray<TextEdit>): string => {
  let rewritten = ""
  let at = 0
  for (const edit of edits) {
    rewritten += text.slice(at, edit.start) + edit.newText
    at = edit.end
  }
  return rewritten + text.slice(at)
}

/** How many places of a tree the parser could not make sense of, or should not have. */
export const errorsIn = (root: Node, { filled = [] }: Grammar): number => {
  const blanks = filled.length === 0 ? [] : root.descendantsOfType([...filled])
  let errors = blanks.filter(({ endIndex, startIndex }) => startIndex === endIndex).length
  if (!root.hasError) return errors
  const visit = (node: Node): void => {
    if (node.isError || node.isMissing) errors++
    else if (node.hasError) for (const child of node.children) visit(child)
  }
  visit(root)
  return Math.max(1, errors)
}
