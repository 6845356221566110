/** `lsp_apply`: applies a code action of a language server (SPEC §4, C90, C91). */
import { Effect, Schema } from "effect"
import { Edits } from "../Edits.ts"
import * as LiveTool from "../LiveTool.ts"
import * as ToolError from "../ToolError.ts"
import { Workspace } from "../Workspace.ts"
import * as ApplyAction from "./ApplyAction.ts"
import * as ApplyChoice from "./ApplyChoice.ts"
import * as CodeActions from "./CodeActions.ts"
import * as EditOfServer from "./EditOfServer.ts"
import { LanguageServers } from "./LanguageServers.ts"
import * as OfferedActions from "./OfferedActions.ts"
import * as Outcomes from "./Outcomes.ts"
import * as WhereToWrite from "./WhereToWrite.ts"

const Parameters = Schema.Struct({
  file: Schema.NonEmptyString.annotate({ description: "path relative to the working directory" }),
  line: Schema.optionalKey(
    Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)).annotate({ description: "the line of the symbol, 1-based" })
  ),
  symbol: Schema.optionalKey(
    Schema.NonEmptyString.annotate({
      description: "a name as it stands on that line; `name#2` for its second occurrence there"
    })
  ),
  code_action: Schema.optionalKey(
    Schema.Union([Schema.String, Schema.Int]).annotate({
      description:
        "the title of an action that `lsp` with action `code_actions` lists for that place, or its index in that list"
    })
  ),
  kind: Schema.optionalKey(
    Schema.NonEmptyString.annotate({
      description:
        "instead of line, symbol and code_action: a kind for the whole file, as `source.organizeImports` or `source.fixAll`"
    })
  )
})
type Parameters = typeof Parameters.Type

/** Which of the two ways of calling it is meant, or what is wrong with the parameters. */
const wrong = ({ code_action, kind, line, symbol }: Parameters): string | undefined => {
  if (kind !== undefined) {
    const others = Object.entries({ line, symbol, code_action }).flatMap(([name, value]) =>
      value === undefined ? [] : [`\`${name}\``]
    )
    return others.length === 0
      ? undefined
      : `With \`kind\`, which is for a whole file, ${others.join(", ")} is not used.`
  }
  const missing = Object.entries({ line, symbol, code_action }).flatMap(([name, value]) =>
    value === undefined ? [`\`${name}\``] : []
  )
  return missing.length === 0
    ? undefined
    : `${missing.join(", ")} is missing (or give \`kind\` alone, for the whole file).`
}

export const lspApply = LiveTool.make("lsp_apply", {
  description:
    "Applies a quick fix or refactoring that a language server offers at a symbol, or one of a kind for a whole file, in all its " +
    "files or in none. `lsp` with action `code_actions` lists what is offered. `resolve` can take it back.",
  tier: "write",
  parameters: Parameters,
  success: Schema.Struct({ ...EditOfServer.Value.fields, applied: Schema.String }),
  requires: [LanguageServers, Edits, Workspace],
  text: (value) => EditOfServer.text(`applied \`${value.applied}\``, value),
  handler: (params) =>
    Effect.gen(function* () {
      const servers = yield* LanguageServers
      const fault = wrong(params)
      if (fault !== undefined) return yield* ToolError.make("invalid_params", fault)
      const { code_action: wanted, file, kind, line, symbol } = params
      const where = yield* WhereToWrite.make({ file, line, symbol })
      const listing = CodeActions.question({
        length: where.length,
        ...(kind === undefined ? {} : { only: [kind] })
      })
      const answers = yield* servers.ask(listing, where.target, { timeout: EditOfServer.patience })
      const parts = answers.map(Outcomes.toPart)
      yield* Outcomes.requireAnswer(
        `code actions of ${where.shown}`,
        { servers: parts },
        answers,
        Outcomes.nextStepUntimed
      )
      const candidates = answers.flatMap((answer) =>
        answer.outcome === "found"
          ? answer.value.map((action): ApplyChoice.Candidate => ({ ...action, server: answer.id, root: answer.root }))
          : []
      )
      const chosen = yield* kind !== undefined
        ? ApplyChoice.byKind(kind, candidates)
        : ApplyChoice.byName(
            wanted ?? "",
            candidates,
            OfferedActions.recall(servers, { file: where.target.file, line: line ?? 1, symbol: symbol ?? "" })
          )
      const done = yield* ApplyAction.run(chosen, where)
      return {
        ...done,
        applied: chosen.title,
        server: chosen.server,
        servers: parts,
        warnings: [...where.notes(), ...done.warnings]
      }
    }).pipe(Effect.retry({ times: 2, while: (error: ToolError.ToolError) => error.code === "stale_edit" }))
})
