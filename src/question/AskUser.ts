/** `ask_user`: a question to the human (SPEC §9). */
import { Effect, Option, Schema } from "effect"
import * as Blank from "../Blank.ts"
import * as Budget from "../Budget.ts"
import * as LiveTool from "../LiveTool.ts"
import { ToolError } from "../ToolError.ts"
import * as Questions from "./Questions.ts"

/** A longer typed answer is cut in the text for the model, and whole in `value`. Characters. */
export const maxShownAnswer = 100_000

const text = (maximum: number) => Schema.NonEmptyString.check(Schema.isMaxLength(maximum))

const parameters = Schema.Struct({
  question: Blank.words(4000).annotate({ description: "What you want to know, in one or two sentences." }),
  context: Schema.optionalKey(text(20_000)).annotate({
    description: "Why you ask and what hangs on it, so that the user can decide without reading back."
  }),
  options: Schema.optionalKey(
    Schema.Array(Schema.Struct({ label: Blank.words(200), description: Schema.optionalKey(text(2000)) })).check(
      Schema.isMaxLength(50)
    )
  ).annotate({ description: "The answers to choose from, each { label, description? }; labels are unique." }),
  allow_free_text: Schema.optionalKey(Schema.Boolean).annotate({
    description: "Whether a typed answer is accepted beside the options. Without options it is."
  }),
  multi_select: Schema.optionalKey(Schema.Boolean).annotate({
    description: "Whether several of the options may be chosen. Default: one."
  })
})

const success = Schema.Struct({
  outcome: Schema.Literals(["answered", "skipped", "timed_out", "nobody_connected"]),
  selected: Schema.Array(Schema.String),
  text: Schema.optionalKey(Schema.String)
})
type Value = typeof success.Type

const goOn = "Go on with an assumption that you state in your answer, and do not ask this again."

/**
 * Makes the tool. `timeout` (default 30 minutes) runs from the call on, also while other cards are before it in the queue.
 * Fails with `timed_out` and `nobody_connected`, each with the value of SPEC §11.
 */
export const make = (options?: { readonly timeout?: Budget.Budget | undefined }) =>
  LiveTool.make("ask_user", {
    description:
      "Ask the user a question and wait for the answer. This is the only way to ask: a question that you write as a chat " +
      "message ends your turn and nobody answers it. The user sees a numbered card and may choose options, type an answer " +
      "where that is allowed, or skip. Ask only what you cannot find out and what changes what you do. A skip means: go on " +
      "with an assumption that you state, and do not ask again; so does a time-out.",
    tier: "read",
    parameters,
    success,
    text: (value) => render(value),
    requires: [Questions.Questions, Questions.TargetSpace],
    handler: Effect.fnUntraced(function* (params) {
      const question = yield* read(params)
      const questions = yield* Questions.Questions
      const space = yield* Questions.TargetSpace
      const reply = yield* Budget.within(options?.timeout ?? Budget.after("30 minutes"))(questions.ask(question, space))
      if (Option.isNone(reply)) {
        return yield* failed(
          "timed_out",
          `The user has not answered in time; nothing is known of what they want. ${goOn}`
        )
      }
      switch (reply.value.outcome) {
        case "answered":
          return { ...reply.value }
        case "skipped":
          return { outcome: "skipped", selected: [] } satisfies Value
        case "nobody_connected":
          return yield* failed(
            "nobody_connected",
            `No human is connected to this run, so nobody has seen the question. ${goOn}`
          )
      }
    })
  })

/** `ask_user` with its default time-out. */
export const askUser = make()

const failed = (outcome: "timed_out" | "nobody_connected", message: string) =>
  Effect.fail(new ToolError({ code: outcome, message, value: { outcome, selected: [] } satisfies Value }))

const read = (params: typeof parameters.Type): Effect.Effect<Questions.Question, ToolError> => {
  const wrong = (message: string) =>
    Effect.fail(new ToolError({ code: "invalid_params", message: `Invalid parameters for ask_user: ${message}` }))
  const { context, multi_select = false, options = [], question } = params
  const { allow_free_text = options.length === 0 } = params
  const labels = options.map((option) => option.label)
  const seen = labels.map(Blank.seen)
  const twice = labels.find((_, index) => seen.indexOf(seen[index]!) !== index)
  if (twice !== undefined) {
    return wrong(`two \`options\` have the label ${JSON.stringify(twice)}; the answer could not tell them apart.`)
  }
  if (options.length === 0 && !allow_free_text) {
    return wrong("without `options` there must be a typed answer: leave `allow_free_text` out, or give `options`.")
  }
  if (multi_select && options.length === 0) return wrong("`multi_select` needs `options` to choose from.")
  return Effect.succeed({
    question,
    ...(context === undefined ? {} : { context }),
    options,
    allow_free_text,
    multi_select
  })
}

const render = (value: Value): string => {
  if (value.outcome !== "answered") return `The user skipped the question. ${goOn}`
  const parts: Array<string> = []
  if (value.selected.length > 0) parts.push(`The user chose: ${value.selected.join(", ")}`)
  if (value.text !== undefined) {
    const shown = value.text.slice(0, maxShownAnswer)
    const cut = shown.length < value.text.length ? `\n(cut: ${shown.length} of ${value.text.length} characters)` : ""
    parts.push(`The user wrote: ${shown}${cut}`)
  }
  return parts.join("\n")
}
