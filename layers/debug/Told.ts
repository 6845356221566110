/** Parts of answers, from what is known (SPEC §11). */
import type { OfFile } from "../../src/debug/Breakpoints.ts"
import type * as Values from "../../src/debug/Values.ts"
import * as ToolError from "../../src/ToolError.ts"
import type { Live } from "./Live.ts"

/** Why a session ends, where we end it. */
export const terminated = "it was terminated"
export const runEnded = "the run has ended"

export const breakpoint = (one: OfFile): Values.Breakpoint => ({
  path: one.path,
  line: one.line,
  verified: one.verified,
  ...(one.boundLine === undefined ? {} : { bound_line: one.boundLine }),
  ...(one.message === undefined ? {} : { message: one.message }),
  ...(one.condition === undefined ? {} : { condition: one.condition }),
  ...(one.hitCondition === undefined ? {} : { hit_condition: one.hitCondition }),
  ...(one.logMessage === undefined ? {} : { log_message: one.logMessage })
})

export const ended = (
  code: number | undefined,
  because: string | undefined,
  unbound: ReadonlyArray<OfFile>
): Values.Value => ({
  state: "ended",
  ...(code === undefined ? {} : { exit_code: code }),
  ...(because === undefined ? {} : { ended_because: because }),
  ...(unbound.length === 0 ? {} : { unbound: unbound.map(breakpoint) })
})

/** `before`: the session that has ended last. */
export const noSession = (before: Live | undefined): ToolError.ToolError => {
  if (before === undefined) {
    return ToolError.make(
      "no_session",
      "There is no debug session in this conversation: op `launch` or `attach` begins one."
    )
  }
  const code = before.exitCode()
  const how = [before.because(), code === undefined ? undefined : `exit code ${code}`].filter(
    (each) => each !== undefined
  )
  return ToolError.make(
    "no_session",
    `The session with ${before.program} has ended${how.length === 0 ? "" : ` (${how.join(", ")})`}. ` +
      "Op `output` still has what it wrote; op `launch` begins another."
  )
}

export const notStopped = ToolError.make(
  "not_stopped",
  "The program is running: op `pause` stops it, and op `continue` with `wait_seconds` waits for its next stop."
)
