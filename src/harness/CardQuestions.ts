/** The question port on the cards of the reference harness. */
import { Effect, Layer } from "effect"
import * as Questions from "../question/Questions.ts"
import { Cards } from "./Cards.ts"

export const layer: Layer.Layer<Questions.Questions, never, Cards> = Layer.effect(
  Questions.Questions,
  Effect.map(Cards, (cards) =>
    Questions.Questions.of({
      ask: (question) =>
        cards
          .ask({ ...question, kind: "question" })
          .pipe(Effect.catchTag("ToolError", () => Effect.succeed({ outcome: "nobody_connected" } as const)))
    })
  )
)
