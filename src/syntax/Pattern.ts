/**
 * Compiles a pattern (SPEC §5.4, 5.5): its fragment is read in every context of the ladder, and each reading that differs
 * becomes a tree of goals.
 */
import type { Context } from "./Grammar.ts"
import * as Goal from "./Goal.ts"
import * as Ladder from "./Ladder.ts"
import type { Language } from "./Language.ts"
import * as Metavariable from "./Metavariable.ts"

/** The pattern as one context reads it. */
export interface Reading {
  readonly context: string
  /** One goal, or several that are siblings in a row. */
  readonly goals: ReadonlyArray<Goal.Goal>
  /** Metavariables that are only a part of a token here, and so are literal text. */
  readonly literal: ReadonlyArray<string>
}

export interface Variable {
  readonly name: string
  readonly run: boolean
  /** Whether it occurs more than once, and so must capture the same text each time. */
  readonly isRepeated: boolean
}

export interface Pattern {
  readonly language: Language
  readonly source: string
  readonly variables: ReadonlyArray<Variable>
  /** In the order of the ladder, never empty. */
  readonly readings: ReadonlyArray<Reading>
}

/** Why a pattern cannot be searched for. */
export interface Unparseable {
  readonly language: Language
  readonly reason: string
  /** The pattern made complete, where an incomplete declaration is what is wrong with it. */
  readonly completion: string | undefined
}

export type Compiled =
  | { readonly ok: true; readonly pattern: Pattern }
  | { readonly ok: false; readonly unparseable: Unparseable }

/** Removes what a fragment copied from the middle of a file has in common with its lines: their indentation. */
const dedent = (source: string): string => {
  const lines = source
    .replace(/^(?:[^\S\n]*\r?\n)+/, "")
    .trimEnd()
    .split("\n")
  const indent = /^[ \t]*/.exec(lines[0]!)![0]
  return lines.map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line.trimStart())).join("\n")
}

/** The variables of a pattern, in the order in which they first occur: their slots. */
export const variablesOf = (pieces: ReadonlyArray<Metavariable.Piece>): ReadonlyArray<Variable> => {
  const variables = new Map<string, Variable>()
  for (const piece of pieces) {
    if (piece.tag === "text" || piece.name === undefined) continue
    variables.set(piece.name, { name: piece.name, run: piece.run, isRepeated: variables.has(piece.name) })
  }
  return [...variables.values()]
}

const stemFor = (source: string, pieces: ReadonlyArray<Metavariable.Piece>): Ladder.Stem => {
  let base = "mv"
  while (source.toLowerCase().includes(base)) base += "q"
  const firsts = new Map<string, number>()
  const numbers = pieces.map((piece, index) => {
    if (piece.tag === "text" || piece.name === undefined) return index
    const first = firsts.get(piece.name) ?? index
    firsts.set(piece.name, first)
    return first
  })
  return (index) => `${base}${numbers[index]}x`
}

type Read =
  | { readonly reading: Reading; readonly refusal?: never }
  | { readonly refusal: Ladder.Refusal; readonly reading?: never }

/** Builds the goals of an accepted fragment; also tells which metavariables are only parts of tokens. */
const goalsOf = (
  language: Language,
  accepted: Ladder.Accepted,
  pieces: ReadonlyArray<Metavariable.Piece>,
  variables: ReadonlyArray<Variable>
) => {
  const { end, spelled, text } = accepted
  const partial = new Set(spelled.keys())
  const goals = Goal.build(
    accepted.nodes,
    text,
    language,
    {
      end,
      isForeign: (span) =>
        span.start >= end ||
        [...spelled.values()].some(
          (other) => span.start >= other.coreEnd && span.end <= other.end && span.end > span.start
        ),
      find: (span) => {
        for (const [index, other] of spelled) {
          const piece = pieces[index]!
          if (piece.tag === "text" || other.start !== span.start) continue
          // The parts of a run may have parts of their own (`@; ;` in the head of a loop).
          const isPart = piece.run && span.end > other.coreEnd && span.end < other.end
          if (other.end !== span.end && other.coreEnd !== span.end && !isPart) continue
          partial.delete(index)
          const slot = variables.findIndex(({ name }) => name === piece.name)
          const isSpread = /;.*;/.test(text.slice(other.coreEnd, other.end))
          return { run: piece.run, isSpread, slot: slot < 0 ? undefined : slot }
        }
        return undefined
      },
      written: (span) => {
        let written = ""
        let at = span.start
        for (const [index, other] of spelled) {
          if (other.start < at || other.end > span.end) continue
          written += text.slice(at, other.start) + (pieces[index] as Metavariable.Variable).text
          at = other.end
        }
        return written + text.slice(at, span.end)
      }
    },
    () => undefined
  )
  accepted.tree.delete()
  return { goals: unwrap(goals, language), partial }
}

/** Reads the fragment in one context; a metavariable that turns out to be a part of a token is read again as text. */
const readIn = (
  language: Language,
  context: Context,
  pieces: ReadonlyArray<Metavariable.Piece>,
  stem: Ladder.Stem,
  variables: ReadonlyArray<Variable>
): Read => {
  const accepted = Ladder.read(language, context, pieces, stem)
  if (!("nodes" in accepted)) return { refusal: accepted }
  const { goals, partial } = goalsOf(language, accepted, pieces, variables)
  if (partial.size === 0) return { reading: { context: context.name, goals, literal: [] } }
  const literal = [...partial].map((index) => pieces[index] as Metavariable.Variable)
  const asText = pieces.map((piece, index): Metavariable.Piece =>
    partial.has(index) ? { tag: "text", text: (piece as Metavariable.Variable).text, start: piece.start } : piece
  )
  const again = readIn(language, context, asText, stem, variables)
  const isSpelled = literal.some(({ start }) => {
    const text = stem(pieces.findIndex((piece) => piece.start === start))
    return [...Goal.walk(goals)].some((goal) => goal.tag === "leaf" && goal.text.includes(text))
  })
  // The spelling that parsed is not what the metavariable can stand for here.
  if (again.refusal !== undefined && isSpelled) return again
  return {
    reading: {
      context: context.name,
      goals: again.reading?.goals ?? goals,
      literal: [...literal.map(({ text }) => text), ...(again.reading?.literal ?? [])]
    }
  }
}

/** Goes in from a wrapper to what it wraps, as far as there is only one thing and it is all of the text. */
const unwrap = (goals: ReadonlyArray<Goal.Goal>, language: Language): ReadonlyArray<Goal.Goal> => {
  const [goal] = goals
  if (goals.length !== 1 || goal?.tag !== "branch" || goal.rest !== "") return goals
  const [child] = goal.children
  const isWrapper = goal.children.length === 1 && (child!.tag !== "leaf" || child!.named)
  return isWrapper || language.isTransparent(goal.kind) ? unwrap(goal.children, language) : goals
}

/** Whether nothing in the pattern says what it is about. */
const isShapeless = (goals: ReadonlyArray<Goal.Goal>): boolean =>
  goals.every((goal) => goal.tag === "run" || goal.tag === "one" || Goal.isSeparator(goal)) &&
  !(goals.length === 1 && goals[0]!.tag === "one")

/** Whether two rungs read everything alike, so that the second is there for its name only. */
const isSame = (a: Context, b: Context) =>
  a.prefix === b.prefix && a.suffix === b.suffix && a.spellings === undefined && b.spellings === undefined

const completions = [
  "($$$PARAMETERS) { $$$BODY }",
  " { $$$BODY }",
  "($$$PARAMETERS):\n    $$$BODY",
  ":\n    $$$BODY",
  "\n  $$$BODY\nend",
  "($$$ARGUMENTS)"
]

/**
 * Compiles a pattern for a language. `context` restricts it to the contexts of that name.
 */
export const compile = (language: Language, source: string, context?: string): Compiled => {
  const trimmed = dedent(source)
  const fail = (reason: string, completion?: string): Compiled => ({
    ok: false,
    unparseable: { language, reason, completion }
  })
  if (trimmed === "") return fail("the pattern is empty")
  const { error, pieces } = Metavariable.lex(trimmed)
  if (error !== undefined) return fail(error)
  const contexts = language.grammar.contexts
    .filter(({ when }) => when === undefined || new RegExp(when).test(trimmed))
    .filter((rung, index, all) =>
      context === undefined ? !all.slice(0, index).some((other) => isSame(other, rung)) : rung.name === context
    )
  if (contexts.length === 0) {
    const names = [...new Set(language.grammar.contexts.map(({ name }) => name))].join(", ")
    return fail(`${language.grammar.id} has no context \`${context}\`; it has ${names}`)
  }
  const variables = variablesOf(pieces)
  const stem = stemFor(trimmed, pieces)
  const refusals: Array<Ladder.Refusal> = []
  let isShapelessOnly = false
  const readings: Array<Reading> = []
  for (const name of new Set(contexts.map((rung) => rung.name))) {
    const rungs = contexts.filter((rung) => rung.name === name)
    const reading = first(rungs, (rung) => {
      const read = readIn(language, rung, pieces, stem, variables)
      if (read.refusal !== undefined) refusals.push(read.refusal)
      else if (!isShapeless(read.reading.goals)) return read.reading
      else isShapelessOnly ||= pieces.length === 1
      return undefined
    })
    if (reading !== undefined && !readings.some((other) => Goal.equal(other.goals, reading.goals)))
      readings.push(reading)
  }
  if (readings.length > 0) return { ok: true, pattern: { language, source: trimmed, variables, readings } }
  if (isShapelessOnly) {
    return fail("a run of siblings (`$$$NAME`) needs something around it, such as `foo($$$NAME)` or `{ $$$NAME }`")
  }
  const completion =
    context === undefined && !completions.some((tail) => trimmed.endsWith(tail))
      ? completions.map((tail) => trimmed + tail).find((whole) => accepts(language, whole))
      : undefined
  return fail(reasonOf(refusals, trimmed), completion)
}

/**
 * Without the readings in which the whole pattern is one token and its metavariables a part of that: languages of running
 * text (HTML, YAML) accept any code as text, which nobody means who did not ask for them.
 */
export const asCode = (compiled: Compiled): Compiled => {
  if (!compiled.ok) return compiled
  const { language, readings } = compiled.pattern
  const kept = readings.filter(
    ({ goals, literal }) => literal.length === 0 || goals.length > 1 || goals[0]!.tag !== "leaf"
  )
  if (kept.length > 0) return { ok: true, pattern: { ...compiled.pattern, readings: kept } }
  return { ok: false, unparseable: { language, reason: "it is only text there, not code", completion: undefined } }
}

const first = <A, B>(items: Iterable<A>, f: (item: A) => B | undefined): B | undefined => {
  for (const item of items) {
    const found = f(item)
    if (found !== undefined) return found
  }
  return undefined
}

const accepts = (language: Language, source: string): boolean => {
  const { pieces } = Metavariable.lex(source)
  const stem = stemFor(source, pieces)
  return language.grammar.contexts
    .filter(({ single }) => single !== true)
    .some((context) => readIn(language, context, pieces, stem, variablesOf(pieces)).reading?.goals.length === 1)
}

const reasonOf = (refusals: ReadonlyArray<Ladder.Refusal>, source: string): string => {
  const nearest = refusals.reduce((best, next) => (next.badness < best.badness ? next : best))
  const contexts = [...new Set(refusals.map((refusal) => refusal.context))].join(", ")
  const before = source.slice(0, nearest.at)
  const line = before.split("\n").length
  const near = source.slice(nearest.at).split("\n")[0]!.slice(0, 40)
  const where = near === "" ? "at its end" : `on line ${line} at \`${near}\``
  const what = nearest.missing === undefined ? "a syntax error" : `\`${nearest.missing}\` missing`
  return `no context accepts it (${contexts}); the nearest is ${nearest.context}: ${what} ${where}`
}
