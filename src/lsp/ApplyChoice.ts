/** Which of the offered code actions `lsp_apply` means (SPEC §4). */
import { Effect } from "effect"
import * as ToolError from "../ToolError.ts"
import type { Action } from "./CodeActions.ts"
import type { Offered } from "./OfferedActions.ts"

/** An action, and the server whose it is. */
export interface Candidate extends Action {
  readonly server: string
  readonly root: string | undefined
}

const mostListed = 20

const listed = (candidates: ReadonlyArray<Candidate>): string => {
  if (candidates.length === 0) return "No action is offered there now."
  const lines = candidates.slice(0, mostListed).map(({ disabled, kind, title }, i) => {
    const more = [kind, disabled === undefined ? undefined : `disabled: ${disabled}`].filter((one) => one !== undefined)
    return `${i + 1}. ${title}${more.length === 0 ? "" : ` (${more.join("; ")})`}`
  })
  const left = candidates.length - lines.length
  return ["Offered there now:", ...lines, ...(left > 0 ? [`… and ${left} more`] : [])].join("\n")
}

const fail = (code: ToolError.Code, message: string, candidates: ReadonlyArray<Candidate>) =>
  Effect.fail(ToolError.make(code, `${message} Nothing was changed. ${listed(candidates)}`))

const enabled = (one: Candidate, candidates: ReadonlyArray<Candidate>) =>
  one.disabled === undefined
    ? Effect.succeed(one)
    : fail("refused_edit", `\`${one.title}\` cannot be applied: ${one.disabled}.`, candidates)

/** By its title, or by its index in the list that was given before, where that still is the same action. */
export const byName = (
  wanted: string | number,
  candidates: ReadonlyArray<Candidate>,
  before: ReadonlyArray<Offered> | undefined
): Effect.Effect<Candidate, ToolError.ToolError> => {
  const named = candidates.filter(({ title }) => title === wanted)
  if (named.length > 1) {
    return fail(
      "refused_edit",
      `${named.length} actions have the title \`${wanted}\`: give the index of one.`,
      candidates
    )
  }
  if (named[0] !== undefined) return enabled(named[0], candidates)
  const index = typeof wanted === "number" ? wanted : /^\d{1,4}$/.test(wanted.trim()) ? Number(wanted) : undefined
  if (index === undefined) return fail("not_found", `There is no action with the title \`${wanted}\`.`, candidates)
  if (before === undefined) {
    return fail(
      "refused_edit",
      "An index is that of the list that `lsp` with action `code_actions` gave for this place; it gave none. Give the title.",
      candidates
    )
  }
  const known = before[index - 1]
  if (known === undefined) {
    return fail("not_found", `The list had ${before.length} actions, so there is no number ${index}.`, candidates)
  }
  const now = candidates[index - 1]
  if (now === undefined || now.title !== known.title || now.kind !== known.kind) {
    return fail(
      "refused_edit",
      `Number ${index} was \`${known.title}\` when the list was given, and is not now.`,
      candidates
    )
  }
  return enabled(now, candidates)
}

/** The only action of a kind, or of a kind below it: `source.fixAll` means `source.fixAll.eslint` too. */
export const byKind = (
  kind: string,
  candidates: ReadonlyArray<Candidate>
): Effect.Effect<Candidate, ToolError.ToolError> => {
  const fitting = candidates.filter((one) => one.kind === kind || one.kind?.startsWith(`${kind}.`) === true)
  const exact = fitting.filter((one) => one.kind === kind)
  const left = exact.length > 0 ? exact : fitting
  if (left.length === 1) return enabled(left[0]!, candidates)
  return left.length === 0
    ? fail("not_found", `The servers offer no action of the kind \`${kind}\` for this file.`, candidates)
    : fail(
        "refused_edit",
        `${left.length} actions are of the kind \`${kind}\`: give the whole kind of one.`,
        candidates
      )
}
