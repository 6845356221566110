/** Images in the value of an answer, as content parts for a model that takes them (SPEC §11). */
import { Option, Schema } from "effect"
import { Prompt } from "effect/ai"
import type * as Answer from "../Answer.ts"

const Outputs = Schema.Struct({
  outputs: Schema.Array(Schema.Struct({ data: Schema.optional(Schema.Record(Schema.String, Schema.Unknown)) }))
})
const decode = Schema.decodeUnknownOption(Outputs)

/** The images that `eval` has displayed, in order. */
export const parts = (answer: Answer.Answer): ReadonlyArray<Prompt.FilePart> =>
  Option.match(decode(answer.value), {
    onNone: () => [],
    onSome: ({ outputs }) =>
      outputs.flatMap(({ data = {} }) =>
        Object.entries(data).flatMap(([mediaType, content]) =>
          /^image\/(png|jpeg|gif|webp)$/.test(mediaType) && typeof content === "string"
            ? [Prompt.filePart({ mediaType, data: content })]
            : []
        )
      )
  })
