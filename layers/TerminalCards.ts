/** Cards answered by number on the terminal that a command was typed in. Questions go to standard error. */
import { Effect, Exit, Fiber, Queue, Scope } from "effect"
import { type Card, Cards, type Event, type Response } from "../src/harness/Cards.ts"
import * as CardText from "../src/harness/CardText.ts"
import * as ConsoleLine from "../src/harness/Console.ts"
import * as TerminalInput from "./TerminalInput.ts"

/** Connects standard input and error to the cards, where both are a terminal; else nobody is connected. */
export const connect: Effect.Effect<void, never, Cards | Scope.Scope> = Effect.gen(function* () {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return
  const cards = yield* Cards
  const human = yield* Scope.fork(yield* Effect.scope)
  const events = yield* Queue.unbounded<Event>()
  yield* Scope.provide(
    cards.connect((event) => Effect.asVoid(Queue.offer(events, event))),
    human
  )
  // A terminal that was closed answers nothing: whoever waits for an answer is told that nobody is there.
  const leave = Scope.close(human, Exit.void)
  let asking: Fiber.Fiber<void> | undefined
  yield* Queue.take(events).pipe(
    Effect.flatMap((event) =>
      Effect.gen(function* () {
        if (asking !== undefined) yield* Fiber.interrupt(asking)
        asking = undefined
        if (event.type === "open") {
          asking = yield* Effect.forkScoped(Effect.scoped(ask(cards, event.card, leave)))
        }
      })
    ),
    Effect.forever,
    Effect.forkScoped
  )
})

const ask = Effect.fnUntraced(function* (cards: Cards["Service"], card: Card, leave: Effect.Effect<void>) {
  const input = yield* TerminalInput.open({
    output: process.stderr,
    complete: (line) => ConsoleLine.completeAnswer(line, card)
  })
  input.pin(`\n${CardText.render(card)}`)
  yield* input.settled
  yield* input.drop
  for (;;) {
    input.prompt(CardText.prompt(card))
    const typed = yield* input.next
    if (typed.type === "end") {
      input.print(
        `[${card.number}] is left unanswered: you are not connected any more. What asks from now on is told that nobody is there.`
      )
      return yield* Effect.asVoid(Effect.forkDetach(leave, { startImmediately: true }))
    }
    const said = typed.type === "interrupt" ? "end" : read(card, typed.text)
    if (said === "end") return void process.kill(process.pid, "SIGINT")
    if (said === "again") {
      input.pin(CardText.render(card))
      continue
    }
    if (typeof said === "string") {
      input.print(said)
      continue
    }
    const answered = yield* Effect.result(cards.answer(card.card_id, said))
    if (answered._tag === "Success") return
    const { code, message } = answered.failure
    if (code === "gone" || code === "already_answered") return
    input.print(message)
  }
})

/** The response, `again` to show the card again, `end` to end the run, or what is wrong with the line. */
const read = (card: Card, line: string): Response | string => {
  if (!ConsoleLine.isCommand(line)) return CardText.read(card, line)
  const command = ConsoleLine.parse(line, [])
  switch (command.type) {
    case "answer":
      return { text: command.text }
    case "skip":
      return { skip: true }
    case "card":
      return "again"
    case "end":
      return "end"
    default:
      return `A card takes \`:answer TEXT\`, :skip, :card (shows it again) and :quit (ends the run). ${CardText.escape(line)}`
  }
}
