/** Images of an answer as files, for people at a terminal. */
import { Effect, FileSystem, Result } from "effect"
import { Base64 } from "effect/encoding"
import type * as Answer from "../Answer.ts"
import * as Content from "../Content.ts"

/**
 * Saves the images in a new folder among the temporary files, where they stay, and gives a line for each: where it is, or why it could
 * not be saved.
 */
export const save = (answer: Answer.Answer): Effect.Effect<ReadonlyArray<string>, never, FileSystem.FileSystem> => {
  const images = Content.images(answer)
  const drawings = Content.drawings(answer)
  if (images.length === 0 && drawings.length === 0) return Effect.succeed([])
  return Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const folder = yield* fs.makeTempDirectory({ prefix: "livetools-images-" })
    const saved = yield* Effect.forEach(images, ({ data, mediaType }, index) => {
      const bytes = Base64.decode(data)
      if (Result.isFailure(bytes)) return Effect.succeed(`image ${index + 1} cannot be saved: it is no base64`)
      const path = `${folder}/${index + 1}.${mediaType.slice("image/".length)}`
      return Effect.as(fs.writeFile(path, bytes.success), `image: ${path}`)
    })
    const drawn = yield* Effect.forEach(drawings, (text, index) => {
      const path = `${folder}/${images.length + index + 1}.svg`
      return Effect.as(fs.writeFileString(path, text), `image: ${path}`)
    })
    return [...saved, ...drawn]
  }).pipe(Effect.catch((error) => Effect.succeed([`the images cannot be saved: ${error.message}`])))
}
