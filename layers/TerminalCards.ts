/** Cards answered by number on the terminal that a command was typed in. Questions go to standard error. */
import { Effect, Exit, Fiber, Queue, Scope } from "effect"
import { type Card, Cards, type Event } from "../src/harness/Cards.ts"
import * as CardText from "../src/harness/CardText.ts"
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
  const input = yield* TerminalInput.open({ output: process.stderr })
  input.print(`\n${CardText.render(card)}`)
  yield* Effect.sleep(TerminalInput.unseen)
  yield* input.drop
  for (;;) {
    input.prompt(CardText.prompt(card))
    const typed = yield* input.next
    if (typed.type === "end") return yield* Effect.asVoid(Effect.forkDetach(leave, { startImmediately: true }))
    if (typed.type === "interrupt") return void process.kill(process.pid, "SIGINT")
    const answered = yield* Effect.result(cards.answer(card.card_id, CardText.read(card, typed.text)))
    if (answered._tag === "Success") return
    const { code, message } = answered.failure
    if (code === "gone" || code === "already_answered") return
    input.print(message)
  }
})
