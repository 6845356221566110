/**
 * Cards: numbered questions to the human at the other end of a run, one open at a time (SPEC §9, 12). Front ends connect, show
 * what is opened, and answer by number.
 */
import { Context, Deferred, Effect, Layer, Schema, type Scope, Semaphore } from "effect"
import * as Blank from "../Blank.ts"
import * as ToolError from "../ToolError.ts"

export interface Option {
  readonly label: string
  readonly description?: string
}

export interface Question {
  /** `permission`: may a call run; `question`: the run asks something. Both share one queue. */
  readonly kind: "permission" | "question"
  readonly question: string
  readonly context?: string
  readonly options: ReadonlyArray<Option>
  readonly allow_free_text: boolean
  readonly multi_select: boolean
}

export interface Card extends Question {
  readonly card_id: string
  /** Counts the cards of the run from 1. */
  readonly number: number
  /** Who asks, where it is not the main agent. */
  readonly asker?: string
}

/** Who asks, put on each card that the present fiber and its children ask; a worker sets it to its name. */
export const CurrentAsker: Context.Reference<string | undefined> = Context.Reference<string | undefined>(
  "livetools/harness/CurrentAsker",
  { defaultValue: () => undefined }
)

/** What the human said, and nothing that the human did not say. */
export type Reply =
  | { readonly outcome: "answered"; readonly selected: ReadonlyArray<string>; readonly text?: string }
  | { readonly outcome: "skipped" }

export type Event =
  | { readonly type: "open"; readonly card: Card }
  | {
      readonly type: "close"
      readonly card_id: string
      /** `aside`: it is opened again when `recall` is called and its turn has come. */
      readonly reason: "answered" | "skipped" | "withdrawn" | "aside"
    }

export type Response =
  | { readonly skip: true }
  | {
      readonly skip?: false | undefined
      /** Labels of options, or their numbers from 1. */
      readonly selected?: ReadonlyArray<string | number> | undefined
      readonly text?: string | undefined
    }

/** Why a response to a card was not taken (SPEC §12). The card stays as it is. */
export class CardError extends Schema.TaggedError<CardError>()("CardError", {
  code: Schema.Literals(["gone", "already_answered", "unknown_option", "empty"]),
  message: Schema.String
}) {}

interface Shown {
  readonly card: Card
  readonly reply: Deferred.Deferred<Reply | { readonly outcome: "aside" }, ToolError.ToolError>
}

export class Cards extends Context.Service<
  Cards,
  {
    /** Asks and waits; cards queue in the order they were asked. Fails with `nobody_connected`. Interrupting withdraws the card. */
    readonly ask: (question: Question) => Effect.Effect<Reply, ToolError.ToolError>
    readonly answer: (cardId: string, response: Response) => Effect.Effect<void, CardError>
    /** Closes the open card, if it is that one, without an answer: the next one is opened, and who asked goes on waiting. */
    readonly putAside: (cardId: string) => Effect.Effect<void>
    /** Opens the cards that were put aside again, the first first, each when its turn has come. Gives how many. */
    readonly recall: Effect.Effect<number>
    /** A human is there as long as the scope is open. The listener is told of the card that is open, too. */
    readonly connect: (listener: (event: Event) => Effect.Effect<void>) => Effect.Effect<void, never, Scope.Scope>
  }
>()("livetools/harness/Cards") {
  static readonly layer: Layer.Layer<Cards> = Layer.effect(
    Cards,
    Effect.sync(() => {
      const turn = Semaphore.makeUnsafe(1)
      const listeners = new Set<(event: Event) => Effect.Effect<void>>()
      const answered = new Set<string>()
      const aside = new Set<Deferred.Deferred<void>>()
      let open: Shown | undefined
      let nobody = Deferred.makeUnsafe<never, ToolError.ToolError>()
      let last = 0

      const tell = (event: Event) => Effect.forEach(listeners, (listener) => listener(event), { discard: true })

      const show = (card: Card) =>
        Effect.acquireUseRelease(
          Effect.suspend(() => {
            const shown: Shown = { card, reply: Deferred.makeUnsafe() }
            open = shown
            return Effect.as(tell({ type: "open", card }), shown)
          }),
          ({ reply }) => Effect.raceFirst(Deferred.await(reply), Deferred.await(nobody)),
          (_, exit) =>
            Effect.suspend(() => {
              open = undefined
              const reason = exit._tag === "Success" ? exit.value.outcome : "withdrawn"
              return tell({ type: "close", card_id: card.card_id, reason })
            })
        )

      const askInTurn = (question: Question) => {
        let card: Card | undefined
        let isAside = false
        const withdraw = Effect.suspend(() =>
          card !== undefined && isAside
            ? tell({ type: "close", card_id: card.card_id, reason: "withdrawn" })
            : Effect.void
        )
        return Effect.gen(function* () {
          const asker = yield* CurrentAsker
          for (;;) {
            const reply = yield* turn.withPermits(1)(
              Effect.suspend(() => {
                if (card === undefined) last++
                card ??= {
                  ...question,
                  card_id: `card_${last}`,
                  number: last,
                  ...(asker === undefined ? {} : { asker })
                }
                isAside = false
                return show(card)
              })
            )
            if (reply.outcome !== "aside") return reply
            isAside = true
            const back = Deferred.makeUnsafe<void>()
            aside.add(back)
            yield* Effect.ensuring(
              Deferred.await(back),
              Effect.sync(() => aside.delete(back))
            )
          }
        }).pipe(Effect.onInterrupt(() => withdraw))
      }

      return Cards.of({
        ask: (question) =>
          Effect.suspend(() =>
            listeners.size === 0
              ? Effect.fail(nobodyConnected())
              : Effect.raceFirst(askInTurn(question), Deferred.await(nobody))
          ),
        answer: Effect.fnUntraced(function* (cardId, response) {
          if (answered.has(cardId)) {
            return yield* new CardError({ code: "already_answered", message: `${cardId} was answered before.` })
          }
          if (open?.card.card_id !== cardId) {
            return yield* gone(cardId)
          }
          const shown = open
          const reply = yield* readResponse(shown.card, response)
          if (!(yield* Deferred.succeed(shown.reply, reply))) return yield* gone(cardId)
          answered.add(cardId)
        }),
        putAside: (cardId) =>
          Effect.suspend(() =>
            open?.card.card_id === cardId
              ? Effect.asVoid(Deferred.succeed(open.reply, { outcome: "aside" }))
              : Effect.void
          ),
        recall: Effect.suspend(() => {
          const back = [...aside]
          aside.clear()
          return Effect.as(
            Effect.forEach(back, (each) => Deferred.succeed(each, undefined), { discard: true }),
            back.length
          )
        }),
        connect: (listener) =>
          Effect.acquireRelease(
            Effect.suspend(() => {
              listeners.add(listener)
              return open === undefined ? Effect.void : listener({ type: "open", card: open.card })
            }),
            () =>
              Effect.suspend(() => {
                listeners.delete(listener)
                if (listeners.size > 0) return Effect.void
                const left = nobody
                nobody = Deferred.makeUnsafe()
                return Deferred.fail(left, nobodyConnected())
              })
          )
      })
    })
  )
}

const gone = (cardId: string) =>
  new CardError({ code: "gone", message: `${cardId} is not open: it was withdrawn or put aside, or never was.` })

const nobodyConnected = () =>
  ToolError.make(
    "nobody_connected",
    "No human is connected to this run, so nobody can answer. Go on with an assumption that you state, and do not ask again."
  )

const readResponse = (card: Card, response: Response): Effect.Effect<Reply, CardError> => {
  const fail = (code: CardError["code"], message: string) => Effect.fail(new CardError({ code, message }))
  if (response.skip === true) return Effect.succeed({ outcome: "skipped" })
  const labels = card.options.map((option) => option.label)
  const known =
    labels.length === 0 ? "It has no options." : `Its options are ${labels.map((l, i) => `${i + 1}: ${l}`).join(", ")}.`
  const selected = new Set<string>()
  for (const choice of response.selected ?? []) {
    const label =
      labels.find((l) => l === choice) ?? (/^\d+$/.test(String(choice)) ? labels[Number(choice) - 1] : undefined)
    if (label === undefined)
      return fail("unknown_option", `${card.card_id} has no option ${String(choice).slice(0, 100)}. ${known}`)
    selected.add(label)
  }
  if (selected.size > 1 && !card.multi_select) {
    return fail("unknown_option", `${card.card_id} takes one option, not ${selected.size}. ${known}`)
  }
  const text = response.text === undefined || Blank.isBlank(response.text) ? undefined : response.text
  if (text !== undefined && !card.allow_free_text) {
    return fail("unknown_option", `${card.card_id} takes no typed answer. ${known}`)
  }
  if (selected.size === 0 && text === undefined) {
    return fail(
      "empty",
      `${card.card_id}: choose an option${card.allow_free_text ? ", type an answer" : ""}, or skip. ${known}`
    )
  }
  return Effect.succeed({ outcome: "answered", selected: [...selected], ...(text === undefined ? {} : { text }) })
}
