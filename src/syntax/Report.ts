/** What `ast_grep` and `ast_edit` both tell of a search, as values and as lines of text (SPEC §5.5). */
import { Schema } from "effect"
import * as ToolError from "../ToolError.ts"
import type { LanguageOutcome, ReadingTotal } from "./Outcome.ts"

export const Reading = Schema.Struct({
  language: Schema.String,
  context: Schema.String,
  total: Schema.Natural,
  is_exact: Schema.Boolean,
  shown: Schema.Boolean
})
export type Reading = typeof Reading.Type

export const Skipped = Schema.Struct({ reason: Schema.String, count: Schema.Natural })

/** How the pattern was parsed in a language, or why not. */
export const Parsed = Schema.Struct({
  language: Schema.String,
  context: Schema.optionalKey(Schema.String),
  kinds: Schema.optionalKey(Schema.String),
  /** Metavariables of the pattern that are only a part of a token, and so literal text. */
  literal: Schema.optionalKey(Schema.Array(Schema.String)),
  refused: Schema.optionalKey(Schema.String)
})

/** What was searched, and how the pattern was read. */
export const fields = {
  files_searched: Schema.Natural,
  /** Files that the parser cannot make sense of in places; matches there may be missing. */
  files_with_errors: Schema.Natural,
  /** Places that were given up as too costly to decide. */
  given_up: Schema.Natural,
  context: Schema.String,
  readings: Schema.Array(Reading),
  skipped: Schema.Array(Skipped),
  parsed: Schema.Array(Parsed)
}
const Searched = Schema.Struct(fields)
export type Searched = typeof Searched.Type

interface Result {
  readonly readings: ReadonlyArray<ReadingTotal>
  readonly languages: ReadonlyArray<LanguageOutcome>
  readonly filesSearched: number
  readonly filesWithErrors: number
  readonly givenUp: number
  readonly skipped: ReadonlyMap<string, number>
}

export const searched = (result: Result): Searched => ({
  files_searched: result.filesSearched,
  files_with_errors: result.filesWithErrors,
  given_up: result.givenUp,
  context: (result.readings.find((reading) => reading.shown) ?? result.readings[0])?.context ?? "",
  readings: result.readings.map(({ context, isExact, language, shown, total }) => ({
    language,
    context,
    total,
    is_exact: isExact,
    shown
  })),
  skipped: [...result.skipped]
    .map(([reason, count]) => ({ reason, count }))
    .sort((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1)),
  parsed: result.languages.flatMap((outcome): ReadonlyArray<typeof Parsed.Type> =>
    outcome.status === "accepted"
      ? outcome.readings.map(({ context, kinds, literal }) => ({
          language: outcome.language,
          context,
          kinds,
          ...(literal.length === 0 ? {} : { literal })
        }))
      : [{ language: outcome.language, refused: refusal(outcome) }]
  )
})

const refusal = (outcome: Exclude<LanguageOutcome, { readonly status: "accepted" }>): string =>
  outcome.status === "unparseable" && outcome.completion !== undefined
    ? `${outcome.reason}; the pattern is incomplete, whole it is: ${outcome.completion}`
    : outcome.reason

/** Fails where the pattern could be read in no language that was met. */
export const refuseUnread = (
  pattern: string,
  languages: ReadonlyArray<LanguageOutcome>
): ToolError.ToolError | undefined => {
  if (languages.length === 0 || languages.some(({ status }) => status === "accepted")) return undefined
  const refused = languages.flatMap((outcome) =>
    outcome.status === "accepted" ? [] : [`${outcome.language}: ${refusal(outcome)}`]
  )
  const isParsed = languages.some(({ status }) => status === "unparseable")
  return ToolError.make(
    isParsed ? "unparseable_pattern" : "not_covered",
    `No language here accepts this pattern, so nothing was searched. ${refused.join(". ")}.` +
      (regexHint(pattern) ?? "")
  )
}

/** A hint where a pattern looks like a regular expression. */
export const regexHint = (pattern: string): string | undefined =>
  /\\[wdsbWDSB]|\.\*|\.\+|\(\?[:=!<]|\[\^|\\[()[\]{}.]/.test(pattern)
    ? " It looks like a regular expression: this search is by the shape of the code. Write code, with $NAME for any one node and $$$NAME for any number of them."
    : undefined

/** The contexts that were not shown and have matches, and those that stand in for one that has none. */
export const otherReadings = ({ readings }: Searched): ReadonlyArray<string> => {
  const lines: Array<string> = []
  const languages = [...new Set(readings.map(({ language }) => language))]
  for (const language of languages) {
    const own = readings.filter((reading) => reading.language === language)
    const shown = own.findIndex((reading) => reading.shown)
    if (shown > 0) {
      lines.push(
        `(${language}: read as ${own[0]!.context} it has no match; shown is how it reads as ${own[shown]!.context})`
      )
    }
    for (const [index, { context, is_exact, total }] of own.entries()) {
      if (index === shown || total === 0 || context === own[shown]?.context) continue
      const count = `${is_exact ? "" : "at least "}${total} match${total === 1 ? "" : "es"}`
      lines.push(`(${language}: read as ${context} it has ${count}; context: "${context}" picks that)`)
    }
  }
  return lines
}

/** A path in a line of text: a line break or an escape sequence in it must not pass for something else. */
export const shownPath = (path: string): string =>
  // oxlint-disable-next-line no-control-regex -- it is what is looked for
  path.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, (unit) =>
    unit === "\n" ? "\\n" : `\\x${unit.charCodeAt(0).toString(16).padStart(2, "0")}`
  )

const files = (count: number) => `${count} file${count === 1 ? "" : "s"}`

/** `12 files searched; left out: 3 ignored, 1 too large; read as python statement`. */
export const coverage = ({ files_searched, readings, skipped }: Searched): string => {
  const left = skipped.map(({ count, reason }) => `${count} ${reason}`).join(", ")
  const tried = [...new Set(readings.map(({ language }) => language))].map((language) => {
    const own = readings.filter((reading) => reading.language === language)
    return `${language} ${(own.find(({ shown }) => shown) ?? own[0]!).context}`
  })
  return [
    `${files(files_searched)} searched`,
    ...(left === "" ? [] : [`left out: ${left}`]),
    ...(tried.length === 0 ? [] : [`read as ${tried.join(", ")}`])
  ].join("; ")
}

/** What makes an answer less than the whole truth; with `why`, the languages that do not take the pattern say why. */
export const doubts = ({ files_with_errors, given_up, parsed }: Searched, why: boolean): ReadonlyArray<string> => {
  const refused = parsed.filter((outcome) => outcome.refused !== undefined)
  return [
    ...(files_with_errors === 0
      ? []
      : [`${files(files_with_errors)} could be parsed only in part: matches there may be missing.`]),
    ...(given_up === 0 ? [] : [`${given_up} places were given up as too costly to decide: more may match.`]),
    ...(why ? refused.map((outcome) => `Not searched in ${outcome.language}: ${outcome.refused}.`) : []),
    ...(why || refused.length === 0
      ? []
      : [`(not searched in ${refused.map(({ language }) => language).join(", ")}: the pattern is not accepted there)`])
  ]
}

/** How the pattern was parsed, for whoever has to mend it. */
export const kinds = ({ parsed }: Pick<Searched, "parsed">): ReadonlyArray<string> =>
  parsed.flatMap(({ context, kinds: tree, language, literal = [] }) =>
    tree === undefined
      ? []
      : [
          `It was parsed, as a ${language} ${context}, into ${tree}.`,
          ...[...new Set(literal)].map(
            (text) =>
              `\`${text}\` is only a part of a token there, so it was looked for as this very text, not as a metavariable.`
          )
        ]
  )
