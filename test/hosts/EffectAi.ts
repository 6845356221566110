/** A host on `effect/ai`: the surface's toolkit goes into the request as it is. */
import { Effect } from "effect"
import { LanguageModel } from "effect/ai"
import * as Surface from "../../src/Surface.ts"

export const ask = Effect.fn("ask")(function* (prompt: string) {
  const surface = yield* Surface.Wired
  return yield* LanguageModel.generateText({ prompt, toolkit: surface.ready })
})
