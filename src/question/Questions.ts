/** The question port: how a run reaches its human (SPEC §9). A harness shows each question as a card of its own kind. */
import { Context, type Effect } from "effect"

export interface Option {
  readonly label: string
  readonly description?: string
}

export interface Question {
  readonly question: string
  /** Why it is asked and what hangs on it. */
  readonly context?: string
  /** Labels are unique. */
  readonly options: ReadonlyArray<Option>
  /** Whether a typed answer is accepted. */
  readonly allow_free_text: boolean
  /** Whether several options may be chosen. */
  readonly multi_select: boolean
}

/** What became of a question: only what the human said, and never anything that the human did not say. */
export type Reply =
  | { readonly outcome: "answered"; readonly selected: ReadonlyArray<string>; readonly text?: string }
  | { readonly outcome: "skipped" }
  | { readonly outcome: "nobody_connected" }

export class Questions extends Context.Service<
  Questions,
  {
    /**
     * Shows the question in the space and waits for the human; questions queue. Gives `nobody_connected` at once when nobody
     * is there, and when the last human leaves. Interrupting it withdraws the question.
     */
    readonly ask: (question: Question, space: TargetSpace["Service"]) => Effect.Effect<Reply>
  }
>()("livetools/Questions") {}

/** Where the questions of a surface are shown: a harness may give each viewer (the agent, a worker) a space of its own. */
export class TargetSpace extends Context.Service<
  TargetSpace,
  {
    /** The conversation, or whatever else the harness shows cards in. */
    readonly id: string
  }
>()("livetools/TargetSpace") {}
