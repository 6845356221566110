import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { Cards, type Question } from "../../../src/harness/Cards.ts"

const question = (text: string): Question => ({
  kind: "question",
  question: text,
  options: [],
  allow_free_text: true,
  multi_select: false
})

/** Asks, answers, puts aside, calls back and withdraws by chance; gives what went wrong. */
const play = Effect.fnUntraced(function* (seed: number) {
  let state = seed
  const chance = (of: number) => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff
    return state % of
  }
  const cards = yield* Cards
  const wrong: Array<string> = []
  const last = new Map<string, string>()
  let open: string | undefined
  yield* cards.connect((event) =>
    Effect.gen(function* () {
      if (chance(2) === 1) yield* Effect.yieldNow
      if (event.type === "open") {
        if (open !== undefined) wrong.push(`${event.card.card_id} is open beside ${open}`)
        open = event.card.card_id
        last.set(open, "open")
      } else {
        if (event.card_id === open) open = undefined
        else if (last.get(event.card_id) !== "aside") wrong.push(`${event.card_id} is closed and was not open`)
        last.set(event.card_id, event.reason)
      }
    })
  )
  const fibers: Array<Fiber.Fiber<unknown, unknown>> = []
  for (let step = 0; step < 300; step++) {
    const what = chance(7)
    if (what < 2) fibers.push(yield* Effect.forkChild(cards.ask(question(`${step}`)), { startImmediately: true }))
    else if (what === 2 && open !== undefined) yield* Effect.ignore(cards.answer(open, { text: "a" }))
    else if (what === 3 && open !== undefined) yield* cards.putAside(open)
    else if (what === 4) yield* cards.recall
    else if (what === 5 && fibers.length > 0) yield* Effect.forkChild(Fiber.interrupt(fibers[chance(fibers.length)]!))
    else yield* Effect.yieldNow
  }
  const isWaiting = () => fibers.some((fiber) => fiber.pollUnsafe() === undefined)
  for (let step = 0; step < 5000 && isWaiting(); step++) {
    yield* cards.recall
    if (open !== undefined) yield* Effect.ignore(cards.answer(open, { text: "b" }))
    yield* Effect.yieldNow
  }
  if (isWaiting()) wrong.push("somebody waits for ever")
  const left = [...last].filter(([, how]) => how === "open" || how === "aside")
  return [...wrong, ...left.map(([id, how]) => `${id} was left ${how}`)]
})

describe("Cards, by chance", () => {
  it.effect("have one open at a time, and an end for each that was asked", () =>
    Effect.forEach(
      Array.from({ length: 20 }, (_, n) => n + 1),
      (seed) =>
        Effect.map(Effect.scoped(play(seed)).pipe(Effect.provide(Layer.fresh(Cards.layer))), (wrong) =>
          assert.deepStrictEqual(wrong, [], `seed ${seed}`)
        )
    )
  )
})
