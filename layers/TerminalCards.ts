/** Cards answered by number on the terminal that a command was typed in. Questions go to standard error. */
import { Effect, Queue, type Scope } from "effect"
import * as Readline from "node:readline"
import { type Card, Cards, type Event } from "../src/harness/Cards.ts"

/** Connects standard input and error to the cards, where both are a terminal; else nobody is connected. */
export const connect: Effect.Effect<void, never, Cards | Scope.Scope> = Effect.gen(function* () {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return
  const cards = yield* Cards
  const opened = yield* Queue.unbounded<Card>()
  yield* cards.connect((event: Event) => (event.type === "open" ? Queue.offer(opened, event.card) : Effect.void))
  yield* Queue.take(opened).pipe(
    Effect.flatMap((card) => ask(cards, card)),
    Effect.forever,
    Effect.forkScoped
  )
})

const ask = (cards: Cards["Service"], card: Card): Effect.Effect<void> =>
  Effect.gen(function* () {
    const options = card.options.map(
      ({ description, label }, index) =>
        `  ${index + 1}  ${label}${description === undefined ? "" : ` (${description})`}\n`
    )
    const typed = yield* line(
      `\n[${card.number}] ${card.question}\n${card.context === undefined ? "" : `${card.context}\n`}${options.join("")}` +
        `Number${card.multi_select ? "s" : ""}${card.allow_free_text ? " or text" : ""}, empty to skip: `
    )
    yield* cards.answer(card.card_id, read(card, typed.trim())).pipe(
      Effect.catchTag("CardError", (error) =>
        error.code === "gone" || error.code === "already_answered"
          ? Effect.void
          : Effect.andThen(
              Effect.sync(() => process.stderr.write(`${error.message}\n`)),
              ask(cards, card)
            )
      )
    )
  })

const read = (card: Card, typed: string) => {
  if (typed === "") return { skip: true }
  const numbers = typed.split(/[\s,]+/)
  return card.options.length > 0 && numbers.every((n) => /^\d+$/.test(n))
    ? { selected: numbers.map(Number) }
    : card.allow_free_text
      ? { text: typed }
      : { selected: [typed] }
}

const line = (prompt: string): Effect.Effect<string> =>
  Effect.callback((resume) => {
    const reader = Readline.createInterface({ input: process.stdin, output: process.stderr })
    reader.once("close", () => resume(Effect.succeed("")))
    reader.question(prompt, (typed) => {
      resume(Effect.succeed(typed))
      reader.close()
    })
    return Effect.sync(() => reader.close())
  })
