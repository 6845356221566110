/** `Output` over the process's own standard output and error. */
import { Effect, Layer } from "effect"
import { Output } from "../src/harness/Output.ts"
import * as TerminalInput from "./TerminalInput.ts"

const write = (stream: NodeJS.WriteStream) => {
  let isClosed = false
  stream.on("error", () => {
    isClosed = true
  })
  return (text: string): Effect.Effect<void> =>
    Effect.callback((resume) => {
      if (isClosed) resume(Effect.void)
      else TerminalInput.write(stream, text, () => resume(Effect.void))
    })
}

export const layer: Layer.Layer<Output> = Layer.sync(Output, () =>
  Output.of({ out: write(process.stdout), err: write(process.stderr) })
)
