/** What a run is called and where it works. */
import { Context } from "effect"
import type { Tier } from "../Tier.ts"

export class RunInfo extends Context.Service<
  RunInfo,
  {
    readonly id: string
    /** The conversation that the run belongs to; sessions that outlive a call belong to it. */
    readonly conversation: string
    /** The working directory, absolute, symbolic links resolved. */
    readonly cwd: string
    readonly cap: Tier
  }
>()("livetools/harness/RunInfo") {}
