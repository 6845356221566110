/** The loop of an agent: a language model that calls the tools of a surface until it has nothing left to call. */
import { Clock, Duration, Effect, Hash, Result } from "effect"
import { AiError, type LanguageModel, Prompt } from "effect/ai"
import type * as Answer from "../Answer.ts"
import * as Content from "../Content.ts"
import type { Surface } from "../Surface.ts"
import * as ModelErrors from "./ModelErrors.ts"
import * as Shown from "./Shown.ts"

export type Event =
  | { readonly type: "said"; readonly text: string }
  | { readonly type: "call"; readonly id: string; readonly tool: string; readonly params: unknown }
  | { readonly type: "answer"; readonly id: string; readonly tool: string; readonly answer: Answer.Answer }
  /** The call was cancelled, with what it had shown until then. */
  | { readonly type: "cancelled"; readonly id: string; readonly tool: string; readonly shown: string }
  /** Something that the loop itself did or saw. */
  | { readonly type: "note"; readonly text: string }

export interface Ended {
  /**
   * - `done`: the model had nothing left to call
   * - `stuck`: it made the same calls with the same answers over and over
   * - `out_of_turns`: the limit of turns is reached
   * - `cut`: the provider cut or withheld its last words, or broke off with an error
   * - `empty`: its last message has neither a word nor a call
   */
  readonly outcome: "done" | "stuck" | "out_of_turns" | "cut" | "empty"
  /** The last that it said. */
  readonly text: string
  readonly turns: number
}

export interface Options {
  readonly model: LanguageModel.LanguageModel
  /** Looked at anew before each turn, so that a surface that is made anew is seen. */
  readonly surface: Surface
  readonly system: string
  readonly tell?: (event: Event) => Effect.Effect<void>
  /** What the model is still to be told when it has nothing left to call; where there is any, it goes on. Default: nothing. */
  readonly pending?: Effect.Effect<ReadonlyArray<string>>
  /** Default 200 for each `ask`. */
  readonly maxTurns?: number
}

export interface Agent {
  /** Works on these messages, each one whole, until there is nothing left to call. What was asked before is remembered. */
  readonly ask: (messages: ReadonlyArray<string>) => Effect.Effect<Ended, AiError.AiError>
}

/** A longer answer is cut in what the model reads. Characters. */
export const maxAnswer = 120_000

/** Turns in which nothing new is called or answered: after these the model is told, after those the loop ends. */
export const repeats = { told: 3, ended: 6 } as const

interface Called {
  readonly id: string
  readonly name: string
  readonly params: unknown
}

export const make = (options: Options): Agent => {
  const tell = options.tell ?? (() => Effect.void)
  const maxTurns = options.maxTurns ?? 200
  let history = Prompt.make([{ role: "system", content: options.system }])

  const generateOnce = Effect.suspend(() =>
    options.model.generateText({
      prompt: history,
      toolkit: options.surface.ready,
      disableToolCallResolution: true,
      // The surface answers what is wrong with a call; here it would be the end of the loop.
      toolCallValidation: "deferred"
    })
  ).pipe(Effect.catchDefect((defect) => Effect.fail(fault(defect))))

  const generate = Effect.gen(function* () {
    for (let attempt = 1; ; attempt++) {
      const generated = yield* Effect.result(generateOnce)
      if (Result.isSuccess(generated)) return generated.success
      const error = generated.failure
      const now = yield* Clock.currentTimeMillis
      const pause = ModelErrors.pause(error, attempt, now)
      if (pause === undefined) {
        const why = ModelErrors.whyNot(error, now)
        if (why !== undefined) yield* tell({ type: "note", text: why })
        return yield* error
      }
      const text = `The model failed: ${ModelErrors.describe(error)}. It is asked again in ${Duration.format(pause)}.`
      yield* tell({ type: "note", text })
      yield* Effect.sleep(pause)
    }
  })

  const ids = new Set<string>()
  /** Some endpoints number the calls of each message anew, or name none: each call is to have its own answer. */
  const ownId = (id: string): string => {
    let own = id === "" ? "call" : id
    for (let n = 2; ids.has(own); n++) own = `${id === "" ? "call" : id}_${n}`
    ids.add(own)
    return own
  }

  const dispatch = Effect.fnUntraced(function* ({ id, name, params }: Called) {
    yield* tell({ type: "call", id, tool: name, params })
    const answer = yield* options.surface
      .dispatch(name, params)
      .pipe(Shown.keep((shown) => tell({ type: "cancelled", id, tool: name, shown })))
    yield* tell({ type: "answer", id, tool: name, answer })
    return answer
  })

  /** Calls that only read run together; one that changes something runs alone, in its turn. */
  const dispatchAll = Effect.fnUntraced(function* (calls: ReadonlyArray<Called>) {
    const reads = new Set(options.surface.entries.flatMap(({ name, tier }) => (tier === "read" ? [name] : [])))
    const answers: Array<Answer.Answer> = []
    for (let at = 0; at < calls.length;) {
      let until = at + 1
      if (reads.has(calls[at]!.name)) while (until < calls.length && reads.has(calls[until]!.name)) until++
      answers.push(...(yield* Effect.forEach(calls.slice(at, until), dispatch, { concurrency: "unbounded" })))
      at = until
    }
    return answers
  })

  const hear = (messages: ReadonlyArray<string>) => {
    history = Prompt.concat(
      history,
      Prompt.make([{ role: "user", content: messages.map((text) => ({ type: "text", text }) as const) }])
    )
  }

  const ask = Effect.fn("Agent.ask")(function* (
    messages: ReadonlyArray<string>
  ): Effect.fn.Return<Ended, AiError.AiError> {
    hear(messages)
    const seen = new Set<string>()
    let repeated = 0
    let text = ""
    for (let turns = 1; turns <= maxTurns; turns++) {
      const response = yield* generate
      if (response.text.trim() !== "") {
        text = response.text
        yield* tell({ type: "said", text })
      }
      const parts = response.content
        .filter((part) => part.type !== "tool-result")
        .map((part) =>
          part.type === "tool-call" && part.providerExecuted !== true ? { ...part, id: ownId(part.id) } : part
        )
      const said = Prompt.fromResponseParts(parts)
      const calls: ReadonlyArray<Called> = parts.flatMap((part) =>
        part.type === "tool-call" && part.providerExecuted !== true ? [part] : []
      )
      const isCut = cuts.has(response.finishReason)
      if (calls.length === 0) {
        history = Prompt.concat(history, said)
        if (!isCut && response.text.trim() === "") {
          yield* tell({ type: "note", text: "Ended: the model's last message was empty." })
          return { outcome: "empty", text, turns }
        }
        if (!isCut) {
          const pending = yield* options.pending ?? Effect.succeed([])
          if (pending.length === 0) return { outcome: "done", text, turns }
          for (const each of pending) yield* tell({ type: "note", text: `The model is told: ${each}` })
          hear(pending)
          continue
        }
        yield* tell({ type: "note", text: `Ended: the model's last message was cut (${response.finishReason}).` })
        return { outcome: "cut", text, turns }
      }
      const answers = isCut ? calls.map(({ name }) => cutCall(name)) : yield* dispatchAll(calls)
      const isNew = calls.filter((call, index) => {
        const key = keyOf(call, answers[index]!)
        return !seen.has(key) && seen.add(key)
      })
      repeated = isNew.length > 0 ? 0 : repeated + 1
      if (repeated === repeats.told) yield* tell({ type: "note", text: "The model repeats itself and is told so." })
      const note = repeated >= repeats.told ? repeatedNote(repeated) : ""
      // In one step with the calls: a loop that is interrupted leaves no call without its answer behind.
      history = Prompt.concat(
        Prompt.concat(history, said),
        Prompt.fromMessages([
          Prompt.toolMessage({ content: calls.map((call, index) => resultPart(call, answers[index]!, note)) })
        ])
      )
      if (repeated >= repeats.ended) {
        yield* tell({
          type: "note",
          text: `Ended: the last ${repeated} turns made calls that were made before, with the same answers.`
        })
        return { outcome: "stuck", text, turns }
      }
    }
    yield* tell({ type: "note", text: `Ended: ${maxTurns} turns are spent.` })
    return { outcome: "out_of_turns", text, turns: maxTurns }
  })

  return { ask }
}

/** The reasons to finish after which a message may not be whole. */
const cuts: ReadonlySet<string> = new Set(["length", "content-filter", "error"])

/** A model is the user's own code: what it throws is its failure, not ours. */
const fault = (defect: unknown): AiError.AiError => {
  const what = (defect instanceof Error ? `${defect.name}: ${defect.message}` : String(defect)).slice(0, 500)
  return AiError.make({
    module: "LanguageModel",
    method: "generateText",
    reason: new AiError.UnknownError({
      description: `its code threw ${what.replaceAll(/\s+/g, " ")}. That is a fault in the model, not in the task: correct it, or use another model`
    })
  })
}

const cutCall = (name: string): Answer.Answer => ({
  isFailure: true,
  code: "cancelled",
  text: `${name} was not called: your message was cut before its end, so the parameters may not be whole. Make shorter calls.`
})

const repeatedNote = (turns: number): string =>
  `\n(For ${turns + 1} turns you have only made calls that you had made before, and nothing has changed. ` +
  "Do something else, or say what you have found and end.)"

const keyOf = ({ name, params }: Called, { text }: Answer.Answer): string =>
  `${name} ${Hash.string(stringify(params))} ${Hash.string(text)} ${text.length}`

const stringify = (params: unknown): string =>
  Result.getOrElse(
    Result.try(() => JSON.stringify(params) ?? "undefined"),
    () => "not JSON"
  )

const resultPart = ({ id, name }: Called, answer: Answer.Answer, note: string): Prompt.ToolResultPart => {
  const shown =
    answer.text.length <= maxAnswer
      ? answer.text
      : `${answer.text.slice(0, maxAnswer)}\n(cut: ${maxAnswer} of ${answer.text.length} characters; ask for a part)`
  const text = `${answer.isFailure ? `${answer.code}: ` : ""}${shown}${note}`
  return Prompt.toolResultPart({
    id,
    name,
    isFailure: answer.isFailure,
    result: text,
    modelOutput: [Prompt.textPart({ text }), ...Content.images(answer).map(Prompt.filePart)],
    providerExecuted: false
  })
}
