/**
 * Which files cannot have a match of a reading, told by their text: most files need not be parsed. It may let a file through
 * that has none; it never holds back one that has.
 */
import * as Goal from "./Goal.ts"
import type { Language } from "./Language.ts"
import type { Reading } from "./Pattern.ts"

export interface Prefilter {
  /** Texts that a file must contain to have a match. */
  readonly literals: ReadonlyArray<string>
  /** Whether the neighbouring tokens of the pattern are neighbours somewhere in a text, other than in its comments. */
  readonly isLikely: (text: string) => boolean
}

const escape = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")

// The literal comes first and is looked back over: an engine that begins with a literal can skip ahead to it.
const boundary = (leaf: { readonly text: string; readonly isWord: boolean }) =>
  leaf.isWord ? `${escape(leaf.text)}(?<!\\w${escape(leaf.text)})(?!\\w)` : escape(leaf.text)

/**
 * Whether a reading is a call that begins with a name, which therefore is not the name of a member. Looked for on one line
 * only: the line before may be a comment that ends with a full stop.
 */
const startsCall = (reading: Reading, language: Language): boolean => {
  const [first, second] = [...Goal.walk(reading.goals)].filter((goal) => goal.tag !== "branch")
  return (
    language.grammar.accessors !== undefined &&
    reading.goals.length === 1 &&
    first?.tag === "leaf" &&
    first.isWord &&
    second?.tag === "leaf" &&
    second.text === "("
  )
}

const notBehindAccessor = (language: Language, text: string): string => {
  const accessors = (language.grammar.accessors ?? []).map((token) =>
    token === "." ? "(?<![\\d.])\\." : escape(token)
  )
  return `(?<!(?:${accessors.join("|")})[^\\S\\n]*${escape(text)})`
}

/** What may stand between two tokens that are neighbours in the tree. */
const gapFor = (language: Language): string | undefined => {
  const { comments } = language.grammar
  if (comments === undefined) return undefined
  const blocks = (comments.block ?? []).map(
    ([open, close]) => `${escape(open)}(?:(?!${escape(close)})[^])*${escape(close)}`
  )
  const lines = (comments.line ?? []).map((line) => `${escape(line)}[^\\n]*\\n`)
  const words = language.keywords.map((word) => `\\b${escape(word)}\\b`)
  // Each alternative can match in one way only, or a long gap would be tried in exponentially many.
  const blanks = language.grammar.parenthesized === undefined ? "[\\s\\\\;,]" : "[\\s\\\\;,()]"
  return `(?:${[blanks, ...lines, ...blocks, ...words].join("|")})*`
}

/** The leaves that every match has (a `;` may be a line break), cut where something else may stand between two of them. */
const requiredLeaves = (goals: ReadonlyArray<Goal.Goal>): ReadonlyArray<ReadonlyArray<Goal.Leaf>> => {
  const sequences: Array<Array<Goal.Leaf>> = [[]]
  const cut = () => void (sequences.at(-1)!.length > 0 && sequences.push([]))
  const visit = (list: ReadonlyArray<Goal.Goal>): void => {
    list.forEach((goal, index) => {
      const isOptional = Goal.isSeparator(goal) && (list[index - 1]?.tag === "run" || list[index + 1]?.tag === "run")
      if (goal.tag === "leaf" && !goal.named && goal.text === ";") cut()
      else if (goal.tag === "leaf" && !isOptional) sequences.at(-1)!.push(goal)
      else if (goal.tag === "branch") {
        // Text that no child covers stands somewhere between the leaves.
        if (goal.rest !== "") cut()
        visit(goal.children)
        if (goal.rest !== "") cut()
      } else cut()
    })
  }
  visit(goals)
  return sequences.filter((sequence) => sequence.length > 0)
}

/** Whether the text of a leaf is found in a file as it is in the pattern. */
export const isTextual = (leaf: Goal.Leaf, language: Language): boolean => {
  if (leaf.named) return true
  if (language.typeOf(leaf.kind) !== leaf.text) return false
  return language.grammar.caseInsensitive !== true || !/[a-z]/i.test(leaf.text)
}

const isOdd = (line: string, quote: string): boolean => line.split(quote).length % 2 === 0

/** What may end a comment or a string, or be code inside one, so that it is not told by its line what stands behind. */
const isUnsure = (line: string): boolean =>
  /[{}$\\]|<\/|\*\//.test(line) || [..."\"'`"].some((quote) => isOdd(line, quote))

/** Whether a string of several lines may begin or end on a line. */
const mayQuote = (line: string): boolean => isOdd(line, "`") || isOdd(line, '"') || line.includes("'''")

/** Lines of a block comment that are looked at to find its beginning. */
const mostCommentLines = 500

/** Tells whether a place is on a line that is all comment; where it is not sure it says no. */
const commentLine = ({ grammar }: Language): ((text: string, at: number) => boolean) => {
  const { block = [], line = [] } = grammar.comments ?? {}
  if (grammar.accessors === undefined) return () => false
  const hasStars = block.some(([open]) => open === "/*")
  return (text, at) => {
    const lineAt = (end: number) => text.slice(text.lastIndexOf("\n", end - 1) + 1, end)
    const before = lineAt(at)
    if (isUnsure(before)) return false
    const start = before.trimStart()
    if (line.some((token) => start.startsWith(token))) return true
    if (!hasStars || !start.startsWith("*")) return false
    let end = at - before.length - 1
    for (let lines = 0; end > 0 && lines < mostCommentLines; lines++) {
      const above = lineAt(end)
      const trimmed = above.trimStart()
      if (trimmed.includes("*/") || mayQuote(trimmed)) return false
      if (trimmed.startsWith("/*")) return true
      if (!trimmed.startsWith("*")) return false
      end -= above.length + 1
    }
    return false
  }
}

/** Prepares the prefilter of a reading. */
export const make = (reading: Reading, language: Language): Prefilter => {
  const leaves = requiredLeaves(reading.goals)
  const textual = leaves.flat().filter((leaf) => isTextual(leaf, language))
  const literals = [...new Set(textual.map((leaf) => leaf.text))].sort((a, b) => b.length - a.length)
  const gap = gapFor(language)
  if (gap === undefined) return { literals, isLikely: () => true }

  const { block = [], line = [] } = language.grammar.comments ?? {}
  const isComment = (leaf: Goal.Leaf) =>
    [...line, ...block.map(([open]) => open)].some((open) => leaf.text.startsWith(open))
  const isInComment = commentLine(language)
  const sequences = leaves
    .filter((sequence) => sequence.length > 1 && sequence.some((leaf) => leaf.isWord))
    .filter((sequence) => sequence.every((leaf) => isTextual(leaf, language) && !isComment(leaf)))
    .map((sequence) => {
      const [head, ...rest] = sequence.map(boundary)
      const isFirst = sequence === leaves[0] && startsCall(reading, language)
      const start = isFirst ? head! + notBehindAccessor(language, sequence[0]!.text) : head!
      return new RegExp([start, ...rest].join(gap), "g")
    })
  return {
    literals,
    isLikely: (text) =>
      sequences.every((sequence) => {
        sequence.lastIndex = 0
        for (let match = sequence.exec(text); match !== null; match = sequence.exec(text)) {
          if (!isInComment(text, match.index)) return true
        }
        return false
      })
  }
}
