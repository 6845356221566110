/** The gate of the reference harness (SPEC §12): guardrails answer allow, deny or prompt; approvals are asked per tier. */
import { Effect, Layer } from "effect"
import { Gate, type Request } from "../Gate.ts"
import type { Tier } from "../Tier.ts"
import * as ToolError from "../ToolError.ts"
import { Cards } from "./Cards.ts"

export type Verdict =
  | { readonly verdict: "allow" }
  | { readonly verdict: "deny"; readonly reason: string }
  | { readonly verdict: "prompt"; readonly reason?: string }

/** Decides about a call, or leaves it (`undefined`) to the next guardrail and then to the approvals. */
export type Guardrail = (request: Request) => Verdict | undefined

/** What happens to calls of each tier that no guardrail decides about. */
export type Policy = { readonly [T in Tier]: "allow" | "prompt" }

export const askForChanges: Policy = { read: "allow", write: "prompt", exec: "prompt" }
export const allowAll: Policy = { read: "allow", write: "allow", exec: "allow" }

/** Of the parameters, on a card. Characters. */
export const maxContext = 20_000

const yes = "Allow"
const no = "Deny"

/**
 * Asks on a card. An answer of "always" holds for that tier as long as the layer lives, never for what a guardrail prompts for.
 * Fails with `denied`, or with `no_approver` when it would have to ask and nobody is connected.
 */
export const layer = (options: {
  readonly policy: Policy
  readonly guardrails?: ReadonlyArray<Guardrail>
}): Layer.Layer<Gate, never, Cards> =>
  Layer.effect(
    Gate,
    Effect.gen(function* () {
      const cards = yield* Cards
      const granted = new Set<Tier>()

      const prompt = Effect.fnUntraced(function* ({ call, params, tier }: Request, reason: string | undefined) {
        const always = `Always allow ${tier} calls in this run`
        const reply = yield* cards
          .ask({
            kind: "permission",
            question: `May ${call.tool} run?`,
            context: [reason, bounded(shown(params))].filter((part) => part !== undefined).join("\n"),
            options: [
              { label: yes, description: "this call" },
              ...(reason === undefined ? [{ label: always }] : []),
              { label: no, description: "the agent is told so" }
            ],
            allow_free_text: false,
            multi_select: false
          })
          .pipe(
            Effect.catchTag("ToolError", () =>
              Effect.fail(
                ToolError.make(
                  "no_approver",
                  `${call.tool} is of the tier ${tier} and needs an approval, and nobody is connected who could give it. ` +
                    "Go on without it, and tell your user that it was not done."
                )
              )
            )
          )
        if (reply.outcome === "skipped") return yield* denied(call.tool, "the user was asked and did not allow it")
        const chosen = reply.selected[0]
        if (chosen === always) granted.add(tier)
        else if (chosen !== yes) return yield* denied(call.tool, "the user said no")
      })

      return Gate.of({
        authorize: Effect.fnUntraced(function* (request) {
          for (const guardrail of options.guardrails ?? []) {
            const decided = guardrail(request)
            if (decided?.verdict === "allow") return
            if (decided?.verdict === "deny") return yield* denied(request.call.tool, decided.reason)
            if (decided?.verdict === "prompt") return yield* prompt(request, decided.reason ?? "A guardrail asks.")
          }
          if (options.policy[request.tier] === "prompt" && !granted.has(request.tier)) yield* prompt(request, undefined)
        })
      })
    })
  )

/** Parameters for a person: one a line, and a text as it stands, so that code can be read before it is allowed. */
const shown = (params: unknown): string =>
  typeof params === "object" && params !== null && !Array.isArray(params)
    ? Object.entries(params)
        .map(([key, value]) => {
          const text = typeof value === "string" ? value : JSON.stringify(value)
          return text?.includes("\n") === true ? `${key}:\n${text.replaceAll(/^/gm, "  ")}` : `${key}: ${text}`
        })
        .join("\n")
    : JSON.stringify(params)

/** What is not shown cannot be judged: it says how much that is, and where, and shows the end too. */
const bounded = (text: string): string => {
  const left = text.length - maxContext
  if (left <= 0) return text
  const half = maxContext / 2
  return `${text.slice(0, half)}\n[… ${left} of ${text.length} characters are not shown here …]\n${text.slice(-half)}`
}

const denied = (tool: string, reason: string) =>
  Effect.fail(
    ToolError.make(
      "denied",
      `${tool} was not run: ${reason}. Do not try the same again; find another way or ask your user.`
    )
  )
