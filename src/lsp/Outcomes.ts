/** What the parts of several servers come to together (SPEC §3.5, C70). */
import { Effect } from "effect"
import * as ToolError from "../ToolError.ts"
import type { Answer } from "./LanguageServers.ts"
import * as Text from "./Text.ts"
import type { Part } from "./Values.ts"

/** A server's part, as it is told. */
export const toPart = (answer: Answer<unknown>): Part => {
  const { id, outcome } = answer
  if (outcome === "empty") return { id, outcome }
  if (outcome !== "found") return { id, outcome, reason: answer.reason }
  return answer.incomplete === undefined ? { id, outcome } : { id, outcome, reason: answer.incomplete }
}

/** What was found, with the server that found it. */
export const found = <A>(
  answers: ReadonlyArray<Answer<A>>
): ReadonlyArray<{ readonly id: string; readonly value: A }> =>
  answers.flatMap((answer) => (answer.outcome === "found" ? [{ id: answer.id, value: answer.value }] : []))

/** The code that says why nobody answered. */
const codeOf = (answers: ReadonlyArray<Answer<unknown>>): ToolError.Code => {
  const reasons = answers.flatMap((answer) => (answer.outcome === "unknown" ? [answer.why] : []))
  if (reasons.length === 0) return "not_covered"
  if (reasons.includes("loading")) return "not_ready"
  return reasons.includes("late") ? "timed_out" : "server_failed"
}

type NextStep = { readonly [code: string]: string }

const nextStep: NextStep = {
  not_covered: "`lsp` with action `status` says of every server why it is not usable.",
  not_ready: "Ask again in a moment, or with a longer `timeout_seconds`.",
  timed_out: "Ask again with a longer `timeout_seconds`, or look at `lsp` with action `status`.",
  server_failed: "`lsp` with action `status` says more; `reload` starts the server anew."
}

/** For a tool that has no `timeout_seconds`. */
export const nextStepUntimed: NextStep = {
  ...nextStep,
  not_ready: "Ask again in a moment; `lsp` with action `status` says whether it has loaded.",
  timed_out: "Ask again, or look at `lsp` with action `status`."
}

/** Fails, with the value, when no server has answered, of which the value has the parts: silence is not success. */
export const requireAnswer = <V extends { readonly servers: ReadonlyArray<Part> }>(
  what: string,
  value: V,
  answers: ReadonlyArray<Answer<unknown>>,
  next: NextStep = nextStep
): Effect.Effect<V, ToolError.ToolError> => {
  const { servers } = value
  if (servers.some(({ outcome }) => outcome === "found" || outcome === "empty")) return Effect.succeed(value)
  const code = codeOf(answers)
  const headline =
    servers.length === 0
      ? `No language server is listed for ${what}: it is not covered.`
      : `${code === "not_covered" ? "Not covered" : "Not known"}: ${what}.`
  return Effect.fail(
    new ToolError.ToolError({
      code,
      message: [headline, ...Text.parts(servers), next[code] ?? ""].join("\n"),
      value
    })
  )
}
