/** A grammar whose compiled form has been loaded, with what the matcher looks up of its node kinds. */
import type { Language as Compiled, ParseOptions, Range, Tree } from "web-tree-sitter"
import type { Span } from "./Goal.ts"
import type { Grammar } from "./Grammar.ts"
import * as Lines from "./Lines.ts"

/** How an unnamed token that the pattern does not have is treated (SPEC §5.5). */
export const Extra = { no: 0, always: 1, comma: 2, word: 3 } as const
export type Extra = (typeof Extra)[keyof typeof Extra]

const errorKind = 65535

/** UTF-16 units from which a parse takes long enough that it should be possible to stop it. */
const longText = 100_000

export interface Language {
  readonly grammar: Grammar
  readonly compiled: Compiled
  /** Parses a text, or a part of it, offsets being those of all of it; `undefined` when it was told to stop. */
  readonly parse: (text: string, shouldStop?: () => boolean, within?: Span) => Tree | undefined
  readonly typeOf: (kind: number) => string
  readonly isNamed: (kind: number) => boolean
  /** Whether this token may be in the code without being in the pattern. */
  readonly extraOf: (kind: number) => Extra
  readonly isBracket: (kind: number) => boolean
  readonly isSemicolon: (kind: number) => boolean
  readonly isError: (kind: number) => boolean
  readonly isString: (kind: number) => boolean
  /** Whether a `;` behind a node of this kind belongs to it. */
  readonly isTerminated: (kind: number) => boolean
  readonly isLink: (kind: number) => boolean
  readonly isTransparent: (kind: number) => boolean
  /** Whether it is a list, of which a metavariable takes the items. */
  readonly isSequence: (kind: number) => boolean
  /** Whether its children are tokens that nobody parsed. */
  readonly isUnparsed: (kind: number) => boolean
  /** Whether its parentheses change nothing. */
  readonly isParenthesized: (kind: number) => boolean
  /** Whether it begins another part of its parent, so that no run takes it. */
  readonly isClause: (kind: number) => boolean
  /** The unnamed tokens that are words. */
  readonly keywords: ReadonlyArray<string>
}

/** What is asked of a parser. */
export interface Parser {
  readonly setLanguage: (language: Compiled) => void
  readonly reset: () => void
  /** `null` when it was told to stop. */
  readonly parse: (text: string, options?: ParseOptions) => Tree | null
}

const kindsNamed = (compiled: Compiled, names: ReadonlyArray<string> | undefined): ReadonlySet<number> => {
  const kinds = new Set<number>()
  for (let kind = 0; kind < compiled.types.length; kind++) {
    if (names?.includes(compiled.types[kind]!) && compiled.nodeTypeIsNamed(kind)) kinds.add(kind)
  }
  return kinds
}

const extraOfToken = (text: string): Extra => {
  if (text === ";" || /^\s*$/.test(text)) return Extra.always
  if (text === ",") return Extra.comma
  return /^[A-Za-z_][\w ]*$/.test(text) ? Extra.word : Extra.no
}

const rangeOf = (text: string, { end, start }: Span): Range => {
  const positionOf = Lines.finder(text)
  const pointOf = (offset: number) => {
    const { column, line } = positionOf(offset)
    return { row: line - 1, column: column - 1 }
  }
  return { startIndex: start, endIndex: end, startPosition: pointOf(start), endPosition: pointOf(end) }
}

/** Wraps a loaded grammar. The parser is used for one text at a time and belongs to this value. */
export const make = (grammar: Grammar, compiled: Compiled, parser: Parser): Language => {
  const tokens = new Map(grammar.tokens)
  const isToken = (type: string, kind: number) => tokens.has(type) && compiled.nodeTypeIsNamed(kind)
  const types = compiled.types.map((type, kind) => (isToken(type, kind) ? tokens.get(type)! : type))
  const named = compiled.types.map((type, kind) =>
    grammar.varied?.includes(type) === true ? true : compiled.nodeTypeIsNamed(kind) && !isToken(type, kind)
  )
  const extras = types.map((type, kind) => (named[kind] ? Extra.no : extraOfToken(type)))
  const brackets = types.map((type, kind) => named[kind] === false && /^[()[\]{}]$/.test(type))
  const strings = kindsNamed(compiled, grammar.strings)
  const terminated = kindsNamed(compiled, grammar.terminated)
  const links = kindsNamed(compiled, grammar.links)
  const transparent = kindsNamed(compiled, grammar.transparent)
  const sequences = kindsNamed(compiled, grammar.sequences)
  const unparsed = kindsNamed(compiled, grammar.unparsed)
  const parenthesized = kindsNamed(compiled, grammar.parenthesized)
  const clauses = kindsNamed(compiled, grammar.clauses)
  const typeOf = (kind: number) => (kind === errorKind ? "ERROR" : (types[kind] ?? "ERROR"))
  return {
    grammar,
    compiled,
    parse: (text, shouldStop, within) => {
      parser.setLanguage(compiled)
      const isShort = shouldStop === undefined || text.length < longText
      if (isShort && within === undefined) return parser.parse(text) ?? undefined
      const tree = parser.parse(text, {
        ...(isShort ? {} : { progressCallback: () => shouldStop() }),
        ...(within === undefined ? {} : { includedRanges: [rangeOf(text, within)] })
      })
      if (tree === null) parser.reset()
      return tree ?? undefined
    },
    typeOf,
    isNamed: (kind) => kind === errorKind || named[kind] === true,
    extraOf: (kind) => extras[kind] ?? Extra.no,
    isBracket: (kind) => brackets[kind] === true,
    isSemicolon: (kind) => named[kind] === false && types[kind] === ";",
    isError: (kind) => kind === errorKind,
    isString: (kind) => strings.has(kind),
    isTerminated: (kind) => terminated.has(kind),
    isLink: (kind) => links.has(kind),
    isTransparent: (kind) => transparent.has(kind),
    isSequence: (kind) => sequences.has(kind),
    isUnparsed: (kind) => unparsed.has(kind),
    isParenthesized: (kind) => parenthesized.has(kind),
    isClause: (kind) => clauses.has(kind),
    keywords: [...new Set(types.filter((type, kind) => extras[kind] === Extra.word && /^\w+$/.test(type)))]
  }
}
