/** The permission port: a harness decides here whether a call may run. Where none is wired, the library asks nobody. */
import { Context, type Effect } from "effect"
import type { Call } from "./Call.ts"
import type { Tier } from "./Tier.ts"
import type { ToolError } from "./ToolError.ts"

export interface Request {
  readonly call: Call
  readonly tier: Tier
  /** The decoded parameters. */
  readonly params: unknown
}

export class Gate extends Context.Service<
  Gate,
  {
    /** Succeeds when the call may run; fails with `denied` or `no_approver` (SPEC §12). May wait for a human. */
    readonly authorize: (request: Request) => Effect.Effect<void, ToolError>
  }
>()("livetools/Gate") {}
