/** From a request to a kill: how a cell that is to stop is stopped, with its state kept where it can be (SPEC §8.9). */
import { Effect } from "effect"
import type { Session } from "./Session.ts"

/** Interrupts a cell; done, or interrupted itself, when the cell has ended. `why`, a sentence, is told when it comes to the kill. */
export type Ladder = (session: Session, cell: number, why: string) => Effect.Effect<void>

/** `signal`: whether the interpreter itself takes SIGINT as an interrupt. */
export const make = (options: { readonly signal: boolean }): Ladder =>
  Effect.fnUntraced(function* (session, cell, why) {
    const frame = session.send({ t: "interrupt", cell })
    // The process first: what an earlier cell has left running in its group is not meant.
    yield* frame
    if (options.signal) yield* session.signal("SIGINT", "process")
    // Now its children: a program that waits for one (`os.system`) does not hear of the signal.
    yield* Effect.sleep("1 second")
    yield* session.signal("SIGINT", "group")
    // An exit that joins a blocked thread needs a second one.
    yield* Effect.sleep("1 second")
    yield* frame
    yield* session.signal("SIGINT", "group")
    yield* Effect.sleep("3 seconds")
    yield* session.end(`${why} It did not react to the interrupt and was killed.`)
  })
