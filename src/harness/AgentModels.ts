/** The language models of a run: one for the agent, and one for each grade of worker. */
import { Context } from "effect"
import type { LanguageModel } from "effect/ai"

export class AgentModels extends Context.Service<
  AgentModels,
  {
    readonly main: LanguageModel.LanguageModel
    readonly fast: LanguageModel.LanguageModel
    readonly good: LanguageModel.LanguageModel
  }
>()("livetools/harness/AgentModels") {}
