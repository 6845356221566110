/**
 * Text of one language inside a file of another (a script in a page): where it is, and how what is found in its parts becomes
 * what is found in the file (SPEC §5).
 */
import type { Node } from "web-tree-sitter"
import { type Span, spanOf } from "./Goal.ts"
import type { Embedded, Grammar } from "./Grammar.ts"
import type { Language } from "./Language.ts"
import type { FileOutcome } from "./Outcome.ts"
import type { TextEdit } from "./Rewrite.ts"
import type { FileRewrite } from "./RewriteOutcome.ts"

/** A stretch of a file that is in a language of its own. */
export interface Part {
  readonly span: Span
  /** The id of its language; `undefined` where it says one that the grammar does not list. */
  readonly language: string | undefined
  /** What the file calls it; empty where it says nothing. */
  readonly said: string
  readonly rule: Embedded
}

/** The ids of the languages that files of a grammar may have inside. */
export const languagesIn = ({ embedded = [] }: Grammar): ReadonlySet<string> =>
  new Set(embedded.flatMap(({ languages }) => languages.map(([, id]) => id)))

/** The ids of those that need not be named. */
export const usualIn = ({ embedded = [] }: Grammar): ReadonlyArray<string> =>
  embedded.flatMap(({ languages }) => languages.flatMap(([said, id]) => (said === "" ? [id] : [])))

/** Whether a text can have any, as far as that is seen without parsing it. */
export const mayBeIn = ({ embedded = [] }: Grammar, text: string): boolean =>
  embedded.some(({ sign }) => text.includes(sign) || text.includes(sign.toUpperCase()))

const said = (element: Node, rule: Embedded): string => {
  const labels = element.descendantsOfType(rule.label).map(({ text }) => text)
  if (rule.attributes === undefined) return labels[0]?.trim().toLowerCase() ?? ""
  for (const name of rule.attributes) {
    for (const label of labels) {
      const [, key, value = ""] = /^\s*([^\s=]+)\s*(?:=\s*([^]*?))?\s*$/.exec(label) ?? []
      if (key?.toLowerCase() === name)
        return value
          .replace(/^(["'])([^]*)\1$/, "$2")
          .trim()
          .toLowerCase()
    }
  }
  return ""
}

/** The parts of a parsed file, in its order. */
export const parts = ({ grammar }: Language, root: Node): ReadonlyArray<Part> =>
  (grammar.embedded ?? [])
    .flatMap((rule) =>
      root.descendantsOfType(rule.element).flatMap((element) => {
        const text = element.children.find(({ type }) => type === rule.text)
        if (text === undefined || text.endIndex === text.startIndex) return []
        const name = said(element, rule)
        const language = rule.languages.find(([value]) => value === name)?.[1]
        return [{ span: spanOf(text), language, said: name, rule }]
      })
    )
    .sort((a, b) => a.span.start - b.span.start)

const sum = (a: ReadonlyArray<number>, b: ReadonlyArray<number>) => a.map((count, index) => count + (b[index] ?? 0))

/** Outcomes of one language as one. */
const join = (a: FileOutcome, b: FileOutcome): FileOutcome => ({
  ...a,
  readings: a.readings.map(({ count, found }, index) => ({
    count: count + (b.readings[index]?.count ?? 0),
    found: [...found, ...(b.readings[index]?.found ?? [])]
  })),
  hasErrors: a.hasErrors || b.hasErrors,
  givenUp: a.givenUp + b.givenUp,
  near: [...a.near, ...b.near]
})

const byLanguage = <A extends { readonly language: string }>(all: ReadonlyArray<A>, merge: (a: A, b: A) => A) => {
  const languages = new Map<string, A>()
  for (const one of all) {
    const known = languages.get(one.language)
    languages.set(one.language, known === undefined ? one : merge(known, one))
  }
  return [...languages.values()]
}

/** What was found in the parts of a file, as what was found in it; `undefined` where there is nothing to tell. */
export const together = (
  language: string,
  outcomes: ReadonlyArray<FileOutcome>,
  uncovered: ReadonlyArray<string>
): FileOutcome | undefined => {
  const [first, ...inner] = byLanguage(outcomes, join)
  if (first === undefined && uncovered.length === 0) return undefined
  const none = { language, readings: [], hasErrors: false, givenUp: 0, near: [] }
  return { ...(first ?? none), inner, uncovered }
}

/** As `together`, for rewrites: of edits that overlap the outer one is kept. */
export const rewrittenTogether = (
  rewrites: ReadonlyArray<FileRewrite>,
  uncovered: ReadonlyArray<string>
): FileRewrite | undefined => {
  const [first, ...inner] = byLanguage(
    rewrites.map(({ counts, language }) => ({ language, counts })),
    (a, b) => ({ ...a, counts: sum(a.counts, b.counts) })
  )
  if (first === undefined) return undefined
  const edits: Array<TextEdit> = []
  const inOrder = rewrites.flatMap((one) => one.edits).sort((a, b) => a.start - b.start || b.end - a.end)
  for (const edit of inOrder) if (edit.start >= (edits.at(-1)?.end ?? 0)) edits.push(edit)
  const total = (of: (rewrite: FileRewrite) => number) => rewrites.reduce((all, one) => all + of(one), 0)
  return {
    ...rewrites[0]!,
    ...first,
    edits,
    nested: total(({ nested }) => nested) + inOrder.length - edits.length,
    lost: rewrites.flatMap(({ lost }) => lost),
    left: rewrites.flatMap(({ left }) => left),
    errors: { before: total(({ errors }) => errors.before), after: total(({ errors }) => errors.after) },
    inner,
    uncovered
  }
}
