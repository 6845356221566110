/** An answer as content parts: its text, and the images that its value carries (SPEC §11), for hosts that give them to a model. */
import { Option, Schema } from "effect"

export interface Image {
  /** `image/png`, `image/jpeg`, `image/gif` or `image/webp`. */
  readonly mediaType: string
  /** Base64. */
  readonly data: string
}

const Shown = Schema.Struct({
  outputs: Schema.Array(Schema.Struct({ data: Schema.optional(Schema.Record(Schema.String, Schema.Unknown)) }))
})
const decode = Schema.decodeUnknownOption(Shown)

/** What an answer shows under a type that fits, in the order in which it was shown. */
const shown = (answer: { readonly value?: unknown }, type: RegExp): ReadonlyArray<Image> =>
  Option.match(decode(answer.value), {
    onNone: () => [],
    onSome: ({ outputs }) =>
      outputs.flatMap(({ data = {} }) =>
        Object.entries(data).flatMap(([mediaType, content]) =>
          type.test(mediaType) && typeof content === "string" ? [{ mediaType, data: content }] : []
        )
      )
  })

/** In the order in which they were shown; none where the answer has no outputs. Failures may have some too. */
export const images = (answer: { readonly value?: unknown }): ReadonlyArray<Image> =>
  shown(answer, /^image\/(?:png|jpeg|gif|webp)$/)

/** The drawings (`image/svg+xml`) of an answer as text, in order. Models take none. */
export const drawings = (answer: { readonly value?: unknown }): ReadonlyArray<string> =>
  shown(answer, /^image\/svg\+xml$/).map(({ data }) => data)

export type Part =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image-data"; readonly mediaType: string; readonly data: string }

/** The text and the images of an answer, as the AI SDK names its content parts. */
export const parts = (answer: { readonly text: string; readonly value?: unknown }): Array<Part> => [
  { type: "text", text: answer.text },
  ...images(answer).map((image) => ({ type: "image-data" as const, ...image }))
]

/** An image as a `data:` URL. */
export const dataUrl = ({ data, mediaType }: Image): string => `data:${mediaType};base64,${data}`
