/** Newline-delimited input of any length, in bounded memory. */
import { Stream } from "effect"
import * as Lines from "../wire/Lines.ts"

export type { Line } from "../wire/Lines.ts"

/** `Lines.decoder` over a stream; a last line without a newline counts. */
export const split =
  (maxBytes: number) =>
  <E, R>(bytes: Stream.Stream<Uint8Array, E, R>): Stream.Stream<Lines.Line, E, R> =>
    Stream.suspend(() => {
      const decoder = Lines.decoder(maxBytes)
      return Stream.concat(
        bytes.pipe(Stream.map(decoder.push), Stream.flattenIterable),
        Stream.suspend(() => Stream.fromIterable(decoder.end()))
      )
    })
