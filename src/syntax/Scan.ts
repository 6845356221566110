/** Searches one text for a compiled pattern, in all its readings at once. */
import type { Node } from "web-tree-sitter"
import * as Candidates from "./Candidates.ts"
import * as Goal from "./Goal.ts"
import * as Lines from "./Lines.ts"
import * as Matcher from "./Matcher.ts"
import type { FileOutcome, Found, LanguageOutcome, NearMiss } from "./Outcome.ts"
import type { Compiled, Pattern } from "./Pattern.ts"
import * as Prefilter from "./Prefilter.ts"
import * as Rewrite from "./Rewrite.ts"
import type { FileRewrite } from "./RewriteOutcome.ts"
import type * as Template from "./Template.ts"

/** A pattern ready to be searched for. */
export interface Prepared {
  readonly pattern: Pattern
  readonly candidates: ReadonlyArray<Candidates.Candidates>
  readonly prefilters: ReadonlyArray<Prefilter.Prefilter>
}

export const prepare = (pattern: Pattern): Prepared => ({
  pattern,
  candidates: pattern.readings.map((reading) => Candidates.make(reading, pattern.language)),
  prefilters: pattern.readings.map((reading) => Prefilter.make(reading, pattern.language))
})

/** Longest text of a match or a capture that is told, in UTF-16 units. */
export const longestText = 16_384

/** What a search tells of how a language took the pattern. */
export const describe = (compiled: Compiled): LanguageOutcome => {
  if (!compiled.ok) {
    const { completion, language, reason } = compiled.unparseable
    return { language: language.grammar.id, status: "unparseable", reason, completion }
  }
  const { language, readings, variables } = compiled.pattern
  const names = variables.map(({ name }) => name)
  return {
    language: language.grammar.id,
    status: "accepted",
    readings: readings.map(({ context, goals, literal }) => ({
      context,
      kinds: Goal.render(goals, language, names),
      literal
    }))
  }
}

/** Document order; of two that begin together the longer first. */
const inOrder = (a: Matcher.Match, b: Matcher.Match) => a.start - b.start || b.end - a.end

/** The matches of one reading in a parsed text, in document order. */
export const matches = (
  prepared: Prepared,
  reading: number,
  root: Node,
  text: string,
  options?: Matcher.Options,
  lookup = Candidates.lookup(root, prepared.candidates, prepared.pattern.language)
): { readonly matches: ReadonlyArray<Matcher.Match>; readonly givenUp: number } => {
  const { language, readings, variables } = prepared.pattern
  const { goals } = readings[reading]!
  const matcher = Matcher.make(goals, variables, language, text, options)
  const found: Array<Matcher.Match> = []
  for (const node of prepared.candidates[reading]!.find(lookup, text)) {
    if (goals.length > 1) found.push(...matcher.among(node))
    else {
      const match = matcher.at(node)
      if (match !== undefined) found.push(match)
    }
  }
  return { matches: found.sort(inOrder), givenUp: matcher.givenUp() }
}

const shorten = (text: string): string => (text.length <= longestText ? text : `${text.slice(0, longestText)}…`)

const foundOf = (
  pattern: Pattern,
  path: string,
  text: string,
  positionOf: (offset: number) => Lines.Position,
  match: Matcher.Match
): Found => {
  const textOf = (span: Goal.Span) => shorten(text.slice(span.start, span.end))
  const { column, line } = positionOf(match.start)
  return {
    path,
    line,
    column,
    endLine: positionOf(Math.max(match.start, match.end - 1)).line,
    text: textOf(match),
    captures: Object.fromEntries(
      pattern.variables.flatMap(({ name }, slot) => {
        const capture = match.captures[slot]
        return capture === undefined ? [] : [[name, capture.items?.map(textOf) ?? textOf(capture)]]
      })
    )
  }
}

export interface ScanOptions {
  /** How many matches of each reading are told; the others are counted. */
  readonly limit: number
  /** Whether places are wanted that nearly match, where nothing does. */
  readonly near: boolean
}

/** Named siblings that a near miss may have and the pattern lacks: as few as will do. */
const relaxations = [1, 2]
const mostNear = 3

/** Searches a parsed text. */
export const scan = (
  prepared: Prepared,
  path: string,
  root: Node,
  text: string,
  { limit, near }: ScanOptions
): FileOutcome => {
  const { pattern } = prepared
  const lookup = Candidates.lookup(root, prepared.candidates, pattern.language)
  let givenUp = 0
  const readings = pattern.readings.map((_, index) => {
    const result = matches(prepared, index, root, text, {}, lookup)
    givenUp += result.givenUp
    const positionOf = Lines.finder(text)
    return {
      count: result.matches.length,
      found: result.matches.slice(0, limit).map((match) => foundOf(pattern, path, text, positionOf, match))
    }
  })
  const isEmpty = readings.every(({ count }) => count === 0)
  return {
    language: pattern.language.grammar.id,
    readings,
    hasErrors: root.hasError,
    givenUp,
    near: near && isEmpty ? nearMisses(prepared, path, root, text) : []
  }
}

const nearMisses = (prepared: Prepared, path: string, root: Node, text: string): ReadonlyArray<NearMiss> => {
  const positionOf = Lines.finder(text)
  const shorten = (whole: string) => whole.split("\n")[0]!.slice(0, 60)
  for (let index = 0; index < prepared.pattern.readings.length; index++) {
    for (const relax of relaxations) {
      const found = matches(prepared, index, root, text, { relax }).matches.slice(0, mostNear)
      if (found.length === 0) continue
      return found.map(({ skipped, start }) => ({
        path,
        line: positionOf(start).line,
        missing: skipped.map(({ field, kind, text: whole }) => ({ kind, field, text: shorten(whole) }))
      }))
    }
  }
  return []
}

/** Rewrites a parsed text, or the part of one that was parsed; `undefined` where no reading has a match. */
export const rewrite = (
  prepared: Prepared,
  template: Template.Template,
  path: string,
  root: Node,
  text: string,
  within?: Goal.Span
): Omit<FileRewrite, "hash"> | undefined => {
  const { language, readings } = prepared.pattern
  const [first, ...others] = readings.map(
    (_, index) => matches(prepared, index, root, text, { extras: index === 0 }).matches
  )
  const counts = [first!, ...others].map(({ length }) => length)
  if (counts.every((count) => count === 0)) return undefined
  const isStringLine = Rewrite.stringLines(template, language, readings[0]!.context)
  const rewritten = Rewrite.rewrite(template, first!, root, text, language, isStringLine)
  const output = Rewrite.apply(text, rewritten.edits)
  const part = within && { start: within.start, end: within.end + output.length - text.length }
  const tree = rewritten.edits.length === 0 ? undefined : language.parse(output, undefined, part)
  const before = Rewrite.errorsIn(root, language.grammar)
  const after = tree === undefined ? before : Rewrite.errorsIn(tree.rootNode, language.grammar)
  tree?.delete()
  return { path, language: language.grammar.id, counts, ...rewritten, errors: { before, after } }
}
