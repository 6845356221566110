/** `ast_grep`: finds code by shape (SPEC §5). */
import { Effect, Schema } from "effect"
import * as LiveTool from "../LiveTool.ts"
import { Workspace } from "../Workspace.ts"
import type { NearMiss, Outcome } from "./Outcome.ts"
import { Parsers } from "./Parsers.ts"
import * as Report from "./Report.ts"
import * as Target from "./Target.ts"

export const defaultMaxResults = 50

/** The parameters that both tools of the family take. */
export const common = {
  pattern: Schema.NonEmptyString.annotate({
    description:
      "Code to look for. $NAME (upper case) stands for any one node, $$$NAME for any number of siblings, $_ and $$$ for the same " +
      "without a name; a name used twice must be the same text both times. Everything else is matched as code, however it " +
      "is spaced: if ($X != null) $X.dispose()"
  }),
  path: Schema.optionalKey(
    Schema.NonEmptyString.annotate({
      description: "A file, a folder, or a glob as src/**/*.ts, relative to the working directory. Default: all of it."
    })
  ),
  language: Schema.optionalKey(
    Schema.NonEmptyString.annotate({
      description:
        "The id of a grammar, as python, typescript, csharp. Default: the language of each file; the pattern is then tried in " +
        "every language that accepts it."
    })
  ),
  context: Schema.optionalKey(
    Schema.NonEmptyString.annotate({
      description:
        "How to read the pattern where it could be read in several ways: statement, expression, member, declaration, type, … " +
        "Default: the first of them that accepts it."
    })
  )
}

const Match = Schema.Struct({
  path: Schema.String,
  line: Schema.Natural,
  column: Schema.Natural,
  end_line: Schema.Natural,
  text: Schema.String,
  captures: Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Array(Schema.String)]))
})

const Success = Schema.Struct({
  matches: Schema.Array(Match),
  total: Schema.Natural,
  total_is_exact: Schema.Boolean,
  ...Report.fields,
  /** Places that would match if the pattern had the parts that are named. */
  near: Schema.Array(Schema.Struct({ path: Schema.String, line: Schema.Natural, missing: Schema.Array(Schema.String) }))
})
type Success = typeof Success.Type

export const astGrep = LiveTool.make("ast_grep", {
  tier: "read",
  description:
    "Finds code by its shape, not by its text: calls however they are wrapped, ifs without an else, classes with a method. " +
    "Never matches inside strings or comments. Give a pattern of code with $NAME and $$$NAME where anything may stand.",
  parameters: Schema.Struct({
    ...common,
    max_results: Schema.optionalKey(
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000 })).annotate({
        description: `How many matches to show; default ${defaultMaxResults}. The full count is told as well.`
      })
    )
  }),
  success: Success,
  text: (value, { pattern }) => textOf(value, pattern),
  requires: [Parsers, Workspace],
  handler: Effect.fnUntraced(function* ({ context, language, max_results, path, pattern }) {
    const parsers = yield* Parsers
    const target = yield* Target.resolve(parsers.grammars, path, language)
    const outcome = yield* parsers.search({
      where: target.where,
      pattern,
      limit: max_results ?? defaultMaxResults,
      ...(target.language === undefined ? {} : { language: target.language }),
      ...(context === undefined ? {} : { context })
    })
    const refused = Report.refuseUnread(pattern, outcome.languages)
    if (refused !== undefined) return yield* refused
    return valueOf(outcome, yield* Workspace)
  })
})

/** Shows paths, the same one after the other as they come. */
const shower = (workspace: Workspace["Service"]): ((path: string) => string) => {
  let last = ""
  let shown = ""
  return (path) => {
    if (path !== last) [last, shown] = [path, workspace.show(path)]
    return shown
  }
}

const valueOf = (outcome: Outcome, workspace: Workspace["Service"]): Success => {
  const show = shower(workspace)
  return {
    matches: outcome.matches.map(({ captures, column, endLine, line, path, text }) => ({
      path: show(path),
      line,
      column,
      end_line: endLine,
      text,
      captures
    })),
    total: outcome.total,
    total_is_exact: outcome.isExact,
    ...Report.searched(outcome),
    near: outcome.total > 0 ? [] : outcome.near.map((near) => nearOf(near, workspace))
  }
}

const nearOf = ({ line, missing, path }: NearMiss, workspace: Workspace["Service"]) => ({
  path: workspace.show(path),
  line,
  missing: missing.map(({ field, kind, text }) =>
    kind === text ? `\`${text}\`` : `${field ?? kind} \`${oneLine(text, 60)}\``
  )
})

/** Shown of one match; the value has all of it. */
const mostLines = 12
const mostCharacters = 400

const oneLine = (text: string, most: number): string => {
  const line = text.replaceAll(/\s+/g, " ").trim()
  return line.length > most ? `${line.slice(0, most)}…` : line
}

const textOf = (value: Success, pattern: string): string =>
  (value.total === 0 ? miss(value, pattern) : found(value)).join("\n")

const found = (value: Success): ReadonlyArray<string> => {
  const total = `${value.total_is_exact ? "" : "at least "}${value.total}`
  const count =
    value.matches.length < value.total
      ? `${value.matches.length} of ${total} matches`
      : `${total} match${value.total === 1 ? "" : "es"}`
  return [
    `${count} (${Report.coverage(value)})`,
    ...value.matches.map((match) => `${Report.shownPath(match.path)}:${match.line}: ${bounded(match.text)}`),
    ...Report.otherReadings(value),
    ...Report.doubts(value, false)
  ]
}

const bounded = (text: string): string => {
  const lines = text.split("\n")
  const shown = lines.slice(0, mostLines).join("\n")
  if (shown.length > mostCharacters) return `${shown.slice(0, mostCharacters)}… (${text.length} characters)`
  return lines.length > mostLines ? `${shown}\n… (${lines.length} lines)` : shown
}

const miss = (value: Success, pattern: string): ReadonlyArray<string> => {
  if (value.files_searched === 0) {
    return [
      `Nothing was searched, so nothing is known: ${Report.coverage(value)}. ` +
        "Give a `path` with files of a known language, or the `language`.",
      ...Report.doubts(value, true)
    ]
  }
  const regex = Report.regexHint(pattern)
  const shownNear = value.near.slice(0, 5)
  return [
    `No match (${Report.coverage(value)}).`,
    ...Report.doubts(value, true),
    ...(regex === undefined ? [] : [regex.trim()]),
    ...shownNear.map(
      ({ line, missing, path }) =>
        `Near: ${Report.shownPath(path)}:${line} would match if the pattern also had ${missing.join(" and ")}.`
    ),
    ...Report.kinds(value)
  ]
}
