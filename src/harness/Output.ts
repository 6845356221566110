/** Standard output and error of the reference harness. */
import { Context, type Effect } from "effect"

export class Output extends Context.Service<
  Output,
  {
    /** Each completes when the text was handed to the reader; what a closed reader does not take is dropped. */
    readonly out: (text: string) => Effect.Effect<void>
    readonly err: (text: string) => Effect.Effect<void>
  }
>()("livetools/harness/Output") {}
