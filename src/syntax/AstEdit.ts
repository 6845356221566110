/** `ast_edit`: rewrites code by shape, as a proposal that `resolve` accepts or discards (SPEC §6). */
import { Effect, Schema } from "effect"
import { FileChange } from "../edits/FileChange.ts"
import { Edits } from "../Edits.ts"
import * as LiveTool from "../LiveTool.ts"
import * as ToolError from "../ToolError.ts"
import { Workspace } from "../Workspace.ts"
import { common } from "./AstGrep.ts"
import type { ReadingTotal } from "./Outcome.ts"
import { Parsers } from "./Parsers.ts"
import * as Report from "./Report.ts"
import type { FileRewrite } from "./RewriteOutcome.ts"
import * as Target from "./Target.ts"
import * as Template from "./Template.ts"

const Success = Schema.Struct({
  edit_id: Schema.optionalKey(Schema.String),
  replacements: Schema.Natural,
  files: Schema.Array(FileChange),
  warnings: Schema.Array(Schema.String),
  ...Report.fields
})
type Success = typeof Success.Type

export const astEdit = LiveTool.make("ast_edit", {
  tier: "write",
  description:
    "Proposes a rewrite of code by its shape, in as many files as match; nothing is written until `resolve` accepts it. The " +
    "template may use what the pattern captures: pattern dispose($X), rewrite $X.dispose().",
  parameters: Schema.Struct({
    ...common,
    rewrite: Schema.String.annotate({
      description:
        "The code to put in the place of each match; $NAME and $$$NAME stand for what the pattern captured under that name. " +
        "Empty: the matches are removed."
    })
  }),
  success: Success,
  text: (value, { pattern }) => textOf(value, pattern).join("\n"),
  requires: [Parsers, Edits, Workspace],
  handler: Effect.fnUntraced(function* ({ context, language, path, pattern, rewrite }) {
    const parsers = yield* Parsers
    const edits = yield* Edits
    const workspace = yield* Workspace
    const wrong = Template.fault(rewrite, pattern)
    if (wrong !== undefined) return yield* ToolError.make("invalid_params", `\`rewrite\`: ${wrong}.`)
    const target = yield* Target.resolve(parsers.grammars, path, language)
    const outcome = yield* parsers.rewrite({
      where: target.where,
      pattern,
      rewrite,
      ...(target.language === undefined ? {} : { language: target.language }),
      ...(context === undefined ? {} : { context })
    })
    const refused = Report.refuseUnread(pattern, outcome.languages)
    if (refused !== undefined) return yield* refused
    const searched = Report.searched({ ...outcome, readings: onlyFirst(outcome.readings) })
    const warnings = outcome.files.flatMap((file) => warningsOf(file, Report.shownPath(workspace.show(file.path))))
    const changed = outcome.files.filter((file) => file.edits.length > 0)
    if (changed.length === 0) return { replacements: 0, files: [], warnings, ...searched }
    const staged = yield* edits.stage({
      label: `${pattern} → ${rewrite}`,
      // A path that is ignored is in the search only where the call names it.
      ignored: "allow",
      operations: changed.map(({ edits: changes, hash, path: file }) => ({
        kind: "edit" as const,
        path: file,
        hash,
        edits: changes
      }))
    })
    return {
      edit_id: staged.edit_id,
      replacements: outcome.files.reduce((sum, file) => sum + file.edits.length, 0),
      files: staged.files,
      warnings: [...warnings, ...staged.warnings],
      ...searched
    }
  })
})

/** A rewrite never goes on to another reading by itself: what is shown is the first one of each language, or nothing. */
const onlyFirst = (readings: ReadonlyArray<ReadingTotal>): ReadonlyArray<ReadingTotal> =>
  readings.map((reading) => ({
    ...reading,
    shown: reading.total > 0 && readings.find(({ language }) => language === reading.language) === reading
  }))

const warningsOf = ({ errors, left, lost, nested }: FileRewrite, path: string): ReadonlyArray<string> => [
  ...(errors.after > errors.before
    ? [
        `${path} would have ${errors.after - errors.before} syntax error${errors.after - errors.before === 1 ? "" : "s"} that it has not now.`
      ]
    : []),
  ...(nested === 0
    ? []
    : [
        `${path}: ${nested} match${nested === 1 ? "" : "es"} inside others ${nested === 1 ? "is" : "are"} left; rewrite again after accepting.`
      ]),
  ...lost.map(
    ({ line, text }) => `${path}:${line}: the rewrite drops \`${text.replaceAll(/\s+/g, " ").slice(0, 80)}\`.`
  ),
  ...left.map((line) => `${path}:${line}: this match is left: a part of it stands elsewhere in the file.`)
]

const plural = (count: number, one: string) => `${count} ${one}${count === 1 ? "" : "s"}`
const mostWarnings = 20

const textOf = (value: Success, pattern: string): ReadonlyArray<string> => {
  if (value.edit_id === undefined) {
    const regex = Report.regexHint(pattern)
    return [
      value.warnings.length === 0
        ? `No match, so no change is proposed (${Report.coverage(value)}).`
        : `No change is proposed, though there are matches (${Report.coverage(value)}).`,
      ...value.warnings.slice(0, mostWarnings).map((warning) => `Warning: ${warning}`),
      ...Report.otherReadings(value),
      ...Report.doubts(value, true),
      ...(regex === undefined ? [] : [regex.trim()]),
      ...Report.kinds(value)
    ]
  }
  const left = value.warnings.length - mostWarnings
  return [
    `(proposed) ${plural(value.replacements, "replacement")} in ${plural(value.files.length, "file")} (${Report.coverage(value)}). ` +
      `Nothing is written yet: call resolve with edit_id "${value.edit_id}" and action "accept" or "discard".`,
    ...value.warnings.slice(0, mostWarnings).map((warning) => `Warning: ${warning}`),
    ...(left > 0 ? [`… and ${left} more warnings`] : []),
    ...value.files.flatMap(fileLines),
    ...Report.otherReadings(value),
    ...Report.doubts(value, false)
  ]
}

const fileLines = ({ changes, edits, left_out, path }: FileChange): ReadonlyArray<string> => {
  const file = Report.shownPath(path)
  return [
    `${file}: ${plural(edits, "replacement")}`,
    ...changes.flatMap(({ after, before, left_out: lines = 0, line }) => [
      `@ ${file}:${line}`,
      ...before.map((text) => `- ${text}`),
      ...after.map((text) => `+ ${text}`),
      ...(lines > 0 ? [`… and ${plural(lines, "more line")}`] : [])
    ]),
    ...(left_out > 0 ? [`… and ${plural(left_out, "more change")} in ${file}`] : [])
  ]
}
