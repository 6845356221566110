/** The language models of a run: one for the agent, and one for each grade of worker. */
import { Context } from "effect"
import type { LanguageModel } from "effect/ai"

export class AgentModels extends Context.Service<
  AgentModels,
  {
    /** What the user calls them, as it is given with `--model`. */
    readonly name: string
    readonly main: LanguageModel.LanguageModel
    readonly fast: LanguageModel.LanguageModel
    readonly good: LanguageModel.LanguageModel
  }
>()("livetools/harness/AgentModels") {}
