import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { askUser, maxShownAnswer } from "../../../src/question/AskUser.ts"
import { TargetSpace } from "../../../src/question/Questions.ts"
import * as Approvals from "../../../src/harness/Approvals.ts"
import * as CardQuestions from "../../../src/harness/CardQuestions.ts"
import { Cards, type Event } from "../../../src/harness/Cards.ts"
import * as Surface from "../../../src/Surface.ts"

const wired = Layer.mergeAll(CardQuestions.layer, Layer.succeed(TargetSpace, { id: "conversation" })).pipe(
  Layer.provideMerge(Cards.layer)
)

/** A surface with the tool, and a human who sees the cards. */
const connected = Effect.gen(function* () {
  const cards = yield* Cards
  const events: Array<Event> = []
  const human = yield* Scope.make()
  yield* Scope.provide(
    cards.connect((event) => Effect.sync(() => void events.push(event))),
    human
  )
  const surface = yield* Surface.make([askUser])
  const ask = (params: unknown) => Effect.forkChild(surface.dispatch("ask_user", params), { startImmediately: true })
  return {
    cards,
    ask,
    surface,
    open: () => events.flatMap((event) => (event.type === "open" ? [event.card] : [])),
    closed: () => events.flatMap((event) => (event.type === "close" ? [[event.card_id, event.reason]] : [])),
    leave: Scope.close(human, Exit.void)
  }
})

const colours = { question: "Which?", options: [{ label: "red", description: "warm" }, { label: "blue" }] }

describe("ask_user", () => {
  it.effect("shows a numbered card with the descriptions and answers with what was chosen", () =>
    Effect.gen(function* () {
      const { ask, cards, open } = yield* connected
      const fiber = yield* ask({ ...colours, context: "The logo hangs on it." })
      assert.deepStrictEqual(open(), [
        {
          card_id: "card_1",
          number: 1,
          kind: "question",
          question: "Which?",
          context: "The logo hangs on it.",
          options: [{ label: "red", description: "warm" }, { label: "blue" }],
          allow_free_text: false,
          multi_select: false
        }
      ])
      yield* cards.answer("card_1", { selected: [2] })
      assert.deepStrictEqual(yield* Fiber.join(fiber), {
        isFailure: false,
        text: "The user chose: blue",
        value: { outcome: "answered", selected: ["blue"] }
      })
    }).pipe(Effect.provide(wired))
  )

  it.effect("takes several options and typed text where they are allowed", () =>
    Effect.gen(function* () {
      const { ask, cards } = yield* connected
      const fiber = yield* ask({ ...colours, multi_select: true, allow_free_text: true })
      yield* cards.answer("card_1", { selected: ["blue", 1], text: "both,\n  please" })
      assert.deepStrictEqual(yield* Fiber.join(fiber), {
        isFailure: false,
        text: "The user chose: blue, red\nThe user wrote: both,\n  please",
        value: { outcome: "answered", selected: ["blue", "red"], text: "both,\n  please" }
      })
    }).pipe(Effect.provide(wired))
  )

  it.effect("a skip is a success that says to go on", () =>
    Effect.gen(function* () {
      const { ask, cards } = yield* connected
      const fiber = yield* ask({ question: "Which?" })
      yield* cards.answer("card_1", { skip: true })
      const answer = yield* Fiber.join(fiber)
      assert.deepInclude(answer, { isFailure: false, value: { outcome: "skipped", selected: [] } })
      assert.match(answer.text, /skipped.*assumption.*do not ask this again/s)
    }).pipe(Effect.provide(wired))
  )

  it.effect("times out after 30 minutes, not before, and withdraws the card", () =>
    Effect.gen(function* () {
      const { ask, cards, closed } = yield* connected
      const fiber = yield* ask({ question: "Which?" })
      yield* TestClock.adjust("29 minutes")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("1 minute")
      const answer = yield* Fiber.join(fiber)
      assert.deepInclude(answer, {
        isFailure: true,
        code: "timed_out",
        value: { outcome: "timed_out", selected: [] }
      })
      assert.match(answer.text, /not answered in time.*assumption.*do not ask this again/s)
      assert.deepStrictEqual(closed(), [["card_1", "withdrawn"]])
      assert.strictEqual((yield* Effect.flip(cards.answer("card_1", { text: "late" }))).code, "gone")
    }).pipe(Effect.provide(wired))
  )

  it.effect("fails at once with nobody connected, and when the terminal is closed in mid-question", () =>
    Effect.gen(function* () {
      const { ask, leave, surface } = yield* connected
      const fiber = yield* ask({ question: "Which?" })
      const queued = yield* ask({ question: "And which?" })
      yield* leave
      for (const answer of [
        yield* Fiber.join(fiber),
        yield* Fiber.join(queued),
        yield* surface.dispatch("ask_user", { question: "Which?" })
      ]) {
        assert.deepInclude(answer, {
          isFailure: true,
          code: "nobody_connected",
          value: { outcome: "nobody_connected", selected: [] }
        })
        assert.match(answer.text, /No human is connected.*assumption/s)
      }
    }).pipe(Effect.provide(wired))
  )

  it.effect("two at once queue, together with permission prompts", () =>
    Effect.gen(function* () {
      const { ask, cards, open } = yield* connected
      const gate = yield* Cards.use((c) =>
        Effect.forkChild(
          c.ask({
            kind: "permission",
            question: "May write run?",
            options: [{ label: "Allow" }],
            allow_free_text: false,
            multi_select: false
          }),
          { startImmediately: true }
        )
      )
      const first = yield* ask({ question: "a?" })
      const second = yield* ask({ question: "b?" })
      assert.deepStrictEqual(
        open().map(({ question }) => question),
        ["May write run?"]
      )
      yield* cards.answer("card_1", { selected: ["Allow"] })
      yield* Fiber.join(gate)
      yield* Effect.yieldNow
      yield* cards.answer("card_2", { text: "A" })
      assert.deepInclude((yield* Fiber.join(first)).text, "A")
      yield* Effect.yieldNow
      yield* cards.answer("card_3", { text: "B" })
      assert.deepInclude((yield* Fiber.join(second)).text, "B")
      assert.deepStrictEqual(
        open().map(({ kind, question }) => [kind, question]),
        [
          ["permission", "May write run?"],
          ["question", "a?"],
          ["question", "b?"]
        ]
      )
    }).pipe(Effect.provide(wired))
  )

  it.effect("a call that is cancelled and a run that ends withdraw their cards; the next one opens", () =>
    Effect.gen(function* () {
      const { ask, cards, closed, open } = yield* connected
      const fiber = yield* ask({ question: "a?" })
      yield* ask({ question: "b?" })
      yield* Fiber.interrupt(fiber)
      yield* Effect.yieldNow
      assert.deepStrictEqual(
        open().map(({ question }) => question),
        ["a?", "b?"]
      )
      assert.strictEqual((yield* Effect.flip(cards.answer("card_1", { text: "late" }))).code, "gone")
      yield* cards.answer("card_2", { text: "B" })
      yield* Effect.yieldNow
      yield* Effect.scoped(
        Effect.gen(function* () {
          const surface = yield* Surface.make([askUser])
          yield* Effect.forkChild(surface.dispatch("ask_user", { question: "c?" }), { startImmediately: true })
        })
      )
      assert.deepStrictEqual(closed(), [
        ["card_1", "withdrawn"],
        ["card_2", "answered"],
        ["card_3", "withdrawn"]
      ])
    }).pipe(Effect.provide(wired))
  )

  it.effect("what is not an answer leaves the card open and is never taken for one", () =>
    Effect.gen(function* () {
      const { ask, cards } = yield* connected
      const fiber = yield* ask({ ...colours, multi_select: true })
      const code = (response: Parameters<typeof cards.answer>[1]) =>
        Effect.map(Effect.flip(cards.answer("card_1", response)), (error) => error.code)
      assert.strictEqual(yield* code({ selected: [] }), "empty")
      assert.strictEqual(yield* code({ selected: [3] }), "unknown_option")
      assert.strictEqual(yield* code({ selected: ["green"] }), "unknown_option")
      assert.strictEqual(yield* code({ selected: ["1.0"] }), "unknown_option")
      assert.strictEqual(yield* code({ text: "green" }), "unknown_option")
      assert.strictEqual(yield* code({ text: "\u0000\u001b \u200b" }), "empty")
      assert.strictEqual((yield* Effect.flip(cards.answer("card_9", { text: "x" }))).code, "gone")
      assert.isUndefined(fiber.pollUnsafe())
      yield* cards.answer("card_1", { selected: [1] })
      assert.strictEqual((yield* Effect.flip(cards.answer("card_1", { selected: [2] }))).code, "already_answered")
      assert.deepInclude(yield* Fiber.join(fiber), { value: { outcome: "answered", selected: ["red"] } })
    }).pipe(Effect.provide(wired))
  )

  it.effect("keeps typed text of 1 MB with control characters whole; the text for the model is cut and says so", () =>
    Effect.gen(function* () {
      const { ask, cards } = yield* connected
      const fiber = yield* ask({ question: "Which?" })
      const typed = "\u001b[2J\u0007é\r\n\t".repeat(120_000)
      yield* cards.answer("card_1", { text: typed })
      const answer = yield* Fiber.join(fiber)
      assert.deepStrictEqual(answer.isFailure ? undefined : answer.value, {
        outcome: "answered",
        selected: [],
        text: typed
      })
      assert.isBelow(answer.text.length, maxShownAnswer + 100)
      assert.include(answer.text, `(cut: ${maxShownAnswer} of ${typed.length} characters)`)
    }).pipe(Effect.provide(wired))
  )

  it.effect("says what is wrong with a malformed question, and shows no card for it", () =>
    Effect.gen(function* () {
      const { open, surface } = yield* connected
      for (const [params, message] of [
        [{}, /`question` is missing/],
        [{ question: "" }, /`question`/],
        [{ question: "  " }, /`question`: it needs words that can be read/],
        [{ question: "\u200b\u2060\u3164" }, /`question`: it needs words that can be read/],
        [{ question: "?", options: [{ label: "\u2800\u00ad" }] }, /`options\[0\]\.label`: it needs words/],
        [{ question: "?", options: [{ label: "a b" }, { label: "a\u200b  b\ufe0f" }] }, /two `options` have the label/],
        [{ question: "x".repeat(1024 * 1024) }, /`question`: .*4000/],
        [{ question: "?", options: JSON.stringify(colours.options) }, /`options`: .*array/],
        [{ question: "?", options: ["red"] }, /`options\[0\]`/],
        [{ question: "?", options: [{ label: "a" }, { label: "a" }] }, /two `options` have the label "a"/],
        [{ question: "?", options: [], allow_free_text: false }, /without `options` there must be a typed answer/],
        [{ question: "?", multi_select: true }, /`multi_select` needs `options`/],
        [{ question: "?", choices: [] }, /`choices` is not a parameter/]
      ] as const) {
        const answer = yield* surface.dispatch("ask_user", params)
        assert.deepInclude(answer, { isFailure: true, code: "invalid_params" })
        assert.match(answer.text, message)
      }
      assert.deepStrictEqual(open(), [])
    }).pipe(Effect.provide(wired))
  )

  it.effect("is a read tool that no approval is asked for", () =>
    Effect.gen(function* () {
      const { cards, open } = yield* connected
      const surface = yield* Surface.makeWired([askUser], { cap: "read" })
      const fiber = yield* Effect.forkChild(surface.dispatch("ask_user", { question: "Which?" }), {
        startImmediately: true
      })
      assert.deepStrictEqual(
        open().map(({ kind }) => kind),
        ["question"]
      )
      yield* cards.answer("card_1", { text: "this" })
      assert.isFalse((yield* Fiber.join(fiber)).isFailure)
    }).pipe(Effect.provide(Layer.provideMerge(Approvals.layer({ policy: Approvals.askForChanges }), wired)))
  )

  it.effect("is absent where no question port is wired", () =>
    Effect.gen(function* () {
      const surface = yield* Surface.makeWired([askUser])
      assert.deepStrictEqual(surface.absent, [
        {
          name: "ask_user",
          tier: "read",
          missing: ["livetools/Questions is not wired", "livetools/TargetSpace is not wired"]
        }
      ])
    })
  )
})
