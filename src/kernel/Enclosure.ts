/**
 * Where cells run (SPEC §8.5): in the conversation's enclosure when one is running, otherwise on the host. A harness with a sandbox
 * of its own answers for it here; nothing in the library starts one to get there.
 */
import { Context, Effect, Result } from "effect"

/** How a program is started. */
export interface Program {
  readonly command: string
  readonly args: ReadonlyArray<string>
  /** Absolute. */
  readonly cwd: string
  /** All of its variables; `undefined`: not set. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Folders that it must be able to read, absolute, besides the working directory. */
  readonly readable?: ReadonlyArray<string>
}

/** An enclosure that is running. */
export interface Running {
  /**
   * What to start on the host so that this program runs inside. It must inherit descriptors 0 to 4, end when what is started is
   * killed, and see the working directory and the interpreter under the same paths.
   */
  readonly enter: (program: Program) => Program
}

export interface Port {
  /** The enclosure that is running now, or why there is none, a clause. Asked each time that an interpreter begins. */
  readonly running: Effect.Effect<Result.Result<Running, string>>
  /** Whether cells run on the host where no enclosure does. */
  readonly isHostAllowed: boolean
}

/** The enclosure of the run. Default: none, and cells run on the host. */
export const Enclosure: Context.Reference<Port> = Context.Reference<Port>("livetools/Enclosure", {
  defaultValue: () => ({ running: Effect.succeed(Result.fail("none is wired")), isHostAllowed: true })
})

/**
 * Where an interpreter begins now: in this enclosure, or (`undefined`) on the host. Fails with the reason, a clause, where the host is
 * not allowed and no enclosure runs.
 */
export const place = (port: Port): Effect.Effect<Running | undefined, string> =>
  Effect.flatMap(port.running, (answer) => {
    if (Result.isSuccess(answer)) return Effect.succeed(answer.success)
    if (port.isHostAllowed) return Effect.undefined
    return Effect.fail(
      `cells of this run may run in its enclosure only, and no enclosure is running: ${answer.failure}; ` +
        "go on without cells, or ask for the enclosure to be started"
    )
  })
