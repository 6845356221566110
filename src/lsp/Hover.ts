/** The question for the signature and the documentation of what is at a place (SPEC §3.3, C53). */
import { Effect, Option } from "effect"
import type { NoAnswer, Question } from "./Question.ts"
import * as Wire from "./Wire.ts"

/** Markdown or text. */
export const question: Question<string> = {
  name: "hover",
  scope: "place",
  isProvided: (capabilities, document) => capabilities.provides("textDocument/hover", document),
  ask: (asking) =>
    Effect.flatMap(
      asking.request("textDocument/hover", asking.place),
      (result): Effect.Effect<Option.Option<string>, NoAnswer> => {
        if (result === null || result === undefined) return Effect.succeedNone
        return Wire.isRecord(result)
          ? Effect.succeed(Option.fromUndefinedOr(Wire.markup(result["contents"])))
          : Effect.fail({ _tag: "NoAnswer", message: "it answered with something that is no hover" })
      }
    )
}
