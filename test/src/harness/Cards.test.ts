import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope } from "effect"
import { type Call, noTools } from "../../../src/Call.ts"
import { Gate, type Request } from "../../../src/Gate.ts"
import * as Approvals from "../../../src/harness/Approvals.ts"
import { Cards, type Event, type Question } from "../../../src/harness/Cards.ts"

const question = (text: string, more: Partial<Question> = {}): Question => ({
  kind: "question",
  question: text,
  options: [],
  allow_free_text: true,
  multi_select: false,
  ...more
})
const colours = question("Which?", {
  options: [{ label: "red" }, { label: "2" }, { label: "blue" }],
  allow_free_text: false
})

const connected = Effect.gen(function* () {
  const cards = yield* Cards
  const events: Array<Event> = []
  yield* cards.connect((event) => Effect.sync(() => void events.push(event)))
  const ask = (q: Question) => Effect.forkChild(cards.ask(q), { startImmediately: true })
  return { cards, events, ask, open: () => events.flatMap((e) => (e.type === "open" ? [e.card.question] : [])) }
})

describe("Cards", () => {
  it.effect("queue: one is open at a time, numbered in the order they were asked", () =>
    Effect.gen(function* () {
      const { ask, cards, events, open } = yield* connected
      const first = yield* ask(question("a?"))
      const second = yield* ask(question("b?"))
      assert.deepStrictEqual(open(), ["a?"])
      yield* cards.answer("card_1", { text: "A\nand more " })
      assert.deepStrictEqual(yield* Fiber.join(first), { outcome: "answered", selected: [], text: "A\nand more " })
      yield* Effect.yieldNow
      assert.deepStrictEqual(open(), ["a?", "b?"])
      yield* cards.answer("card_2", { skip: true })
      assert.deepStrictEqual(yield* Fiber.join(second), { outcome: "skipped" })
      assert.deepStrictEqual(
        events.flatMap((e) => (e.type === "close" ? [[e.card_id, e.reason]] : [])),
        [
          ["card_1", "answered"],
          ["card_2", "skipped"]
        ]
      )
    }).pipe(Effect.provide(Cards.layer))
  )

  it.effect("put aside make room for the next one, wait without an answer, and are opened again in their turn", () =>
    Effect.gen(function* () {
      const { ask, cards, events, open } = yield* connected
      const first = yield* ask(question("a?"))
      const second = yield* ask(question("b?"))
      yield* cards.putAside("card_2")
      assert.deepStrictEqual(open(), ["a?"])
      yield* cards.putAside("card_1")
      yield* Effect.yieldNow
      assert.deepStrictEqual(open(), ["a?", "b?"])
      assert.isUndefined(first.pollUnsafe())
      assert.strictEqual((yield* Effect.flip(cards.answer("card_1", { text: "x" }))).code, "gone")
      assert.strictEqual(yield* cards.recall, 1)
      assert.strictEqual(yield* cards.recall, 0)
      yield* Effect.yieldNow
      assert.deepStrictEqual(open(), ["a?", "b?"])
      yield* cards.answer("card_2", { skip: true })
      yield* Fiber.join(second)
      yield* Effect.yieldNow
      assert.deepStrictEqual(open(), ["a?", "b?", "a?"])
      yield* cards.answer("card_1", { text: "A" })
      assert.deepStrictEqual(yield* Fiber.join(first), { outcome: "answered", selected: [], text: "A" })
      assert.deepStrictEqual(
        events.flatMap((e) => (e.type === "close" ? [[e.card_id, e.reason]] : [])),
        [
          ["card_1", "aside"],
          ["card_2", "skipped"],
          ["card_1", "answered"]
        ]
      )
    }).pipe(Effect.provide(Cards.layer))
  )

  it.effect("that are aside are withdrawn with who asked, and when nobody is connected any more", () =>
    Effect.gen(function* () {
      const cards = yield* Cards
      const events: Array<Event> = []
      const human = yield* Scope.make()
      yield* Scope.provide(
        cards.connect((event) => Effect.sync(() => void events.push(event))),
        human
      )
      const ask = (text: string) => Effect.forkChild(cards.ask(question(text)), { startImmediately: true })
      const first = yield* ask("a?")
      yield* cards.putAside("card_1")
      yield* Effect.yieldNow
      yield* Fiber.interrupt(first)
      assert.deepStrictEqual(events.at(-1), { type: "close", card_id: "card_1", reason: "withdrawn" })
      assert.strictEqual(yield* cards.recall, 0)
      // Also where it was called back and waits for its turn.
      const held = yield* ask("b?")
      yield* cards.putAside("card_2")
      yield* Effect.yieldNow
      const other = yield* ask("c?")
      yield* cards.recall
      yield* Fiber.interrupt(held)
      assert.deepStrictEqual(events.at(-1), { type: "close", card_id: "card_2", reason: "withdrawn" })
      yield* cards.answer("card_3", { skip: true })
      yield* Fiber.join(other)
      const second = yield* ask("d?")
      yield* cards.putAside("card_4")
      yield* Effect.yieldNow
      yield* Scope.close(human, Exit.void)
      assert.deepInclude(yield* Effect.flip(Fiber.join(second)), { code: "nobody_connected" })
    }).pipe(Effect.provide(Cards.layer))
  )

  it.effect("take options by label, then by number; what is not an answer leaves the card open", () =>
    Effect.gen(function* () {
      const { ask, cards } = yield* connected
      const code = (selected: ReadonlyArray<string | number>, text?: string) =>
        Effect.map(Effect.flip(cards.answer("card_1", { selected, text })), (error) => error.code)
      const fiber = yield* ask(colours)
      assert.strictEqual(yield* code([]), "empty")
      assert.strictEqual(yield* code([], "   "), "empty")
      assert.strictEqual(yield* code(["green"]), "unknown_option")
      assert.strictEqual(yield* code([0]), "unknown_option")
      assert.strictEqual(yield* code([4]), "unknown_option")
      assert.strictEqual(yield* code(["red", "blue"]), "unknown_option")
      assert.strictEqual(yield* code([], "mauve"), "unknown_option")
      yield* cards.answer("card_1", { selected: ["2"] })
      assert.deepStrictEqual(yield* Fiber.join(fiber), { outcome: "answered", selected: ["2"] })
      assert.strictEqual(yield* code([1]), "already_answered")
      const byNumber = yield* ask({ ...colours, multi_select: true })
      yield* cards.answer("card_2", { selected: [3, "1", 3] })
      assert.deepStrictEqual(yield* Fiber.join(byNumber), { outcome: "answered", selected: ["blue", "red"] })
    }).pipe(Effect.provide(Cards.layer))
  )

  it.effect("that are withdrawn close, and are gone for a late answer; the next one opens", () =>
    Effect.gen(function* () {
      const { ask, cards, events, open } = yield* connected
      const first = yield* ask(question("a?"))
      yield* ask(question("b?"))
      yield* Fiber.interrupt(first)
      assert.deepInclude(events, { type: "close", card_id: "card_1", reason: "withdrawn" })
      assert.strictEqual((yield* Effect.flip(cards.answer("card_1", { text: "late" }))).code, "gone")
      yield* Effect.yieldNow
      assert.deepStrictEqual(open(), ["a?", "b?"])
    }).pipe(Effect.provide(Cards.layer))
  )

  it.effect("fail at once with nobody connected, and when the last human leaves, the waiting ones too", () =>
    Effect.gen(function* () {
      const cards = yield* Cards
      assert.strictEqual((yield* Effect.flip(cards.ask(question("a?")))).code, "nobody_connected")
      const scope = yield* Scope.make()
      yield* Scope.provide(
        cards.connect(() => Effect.void),
        scope
      )
      const fibers = [
        yield* Effect.forkChild(Effect.flip(cards.ask(question("b?"))), { startImmediately: true }),
        yield* Effect.forkChild(Effect.flip(cards.ask(question("c?"))), { startImmediately: true })
      ]
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(
        (yield* Fiber.joinAll(fibers)).map((error) => error.code),
        ["nobody_connected", "nobody_connected"]
      )
      const { ask, open } = yield* connected
      yield* ask(question("d?"))
      assert.deepStrictEqual(open(), ["d?"])
    }).pipe(Effect.provide(Cards.layer))
  )
})

const call: Call = {
  id: 1,
  tool: "write",
  parent: undefined,
  progress: () => Effect.void,
  output: undefined,
  tools: noTools
}
const request: Request = { call, tier: "write", params: { path: "a" } }
const authorize = (r: Request) => Effect.flatMap(Gate, (gate) => gate.authorize(r))
const gate = (options: Parameters<typeof Approvals.layer>[0]) => Effect.provide(Approvals.layer(options))

describe("Approvals", () => {
  it.effect("refuse with no_approver what they would have to ask nobody", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(authorize(request))
      assert.strictEqual(error.code, "no_approver")
      assert.match(error.message, /write is of the tier write and needs an approval/)
      yield* authorize({ ...request, tier: "read" })
    }).pipe(gate({ policy: Approvals.askForChanges }), Effect.provide(Cards.layer))
  )

  it.effect("ask per tier on a card; always holds for that tier only", () =>
    Effect.gen(function* () {
      const { cards, open } = yield* connected
      const answer = (tier: Request["tier"], id: string, label: string) =>
        Effect.gen(function* () {
          const fiber = yield* Effect.forkChild(Effect.exit(authorize({ ...request, tier })), {
            startImmediately: true
          })
          yield* cards.answer(id, { selected: [label] })
          return Exit.isSuccess(yield* Fiber.join(fiber))
        })
      assert.isTrue(yield* answer("write", "card_1", "Allow"))
      assert.isFalse(yield* answer("write", "card_2", "Deny"))
      assert.isTrue(yield* answer("write", "card_3", "Always allow write calls in this run"))
      yield* authorize(request)
      assert.isFalse(yield* answer("exec", "card_4", "Deny"))
      assert.strictEqual(open().length, 4)
    }).pipe(gate({ policy: Approvals.askForChanges }), Effect.provide(Cards.layer))
  )

  it.effect("show the parameters as they stand, and do not take a skip for a no", () =>
    Effect.gen(function* () {
      const { cards, events } = yield* connected
      const fiber = yield* Effect.forkChild(
        Effect.flip(authorize({ ...request, params: { path: "a.py", content: "x = 1\ny = 2", all: true } })),
        { startImmediately: true }
      )
      const opened = events[0]
      assert.strictEqual(
        opened?.type === "open" ? opened.card.context : "",
        "path: a.py\ncontent:\n  x = 1\n  y = 2\nall: true"
      )
      yield* cards.answer("card_1", { skip: true })
      const { code, message } = yield* Fiber.join(fiber)
      assert.strictEqual(code, "denied")
      assert.match(message, /write was not run: the user was asked and did not allow it/)
    }).pipe(gate({ policy: Approvals.askForChanges }), Effect.provide(Cards.layer))
  )

  it.effect("say what of long parameters is not shown, and show their end: it is approved too", () =>
    Effect.gen(function* () {
      const { events } = yield* connected
      const code = `${"x = 1\n".repeat(5000)}remove(everything)`
      yield* Effect.forkChild(authorize({ ...request, params: { code } }), { startImmediately: true })
      const context = events[0]?.type === "open" ? (events[0].card.context ?? "") : ""
      const whole = `code:\n${code.replaceAll(/^/gm, "  ")}`
      const half = Approvals.maxContext / 2
      assert.strictEqual(
        context,
        `${whole.slice(0, half)}\n[… ${whole.length - 2 * half} of ${whole.length} characters are not shown here …]\n${whole.slice(-half)}`
      )
      assert.match(context, /x = 1\n {2}remove\(everything\)$/)
    }).pipe(gate({ policy: Approvals.askForChanges }), Effect.provide(Cards.layer))
  )

  it.effect("let guardrails decide first: allow, deny with the reason, prompt even where the tier is allowed", () =>
    Effect.gen(function* () {
      yield* authorize({ ...request, params: "allowed" })
      const denied = yield* Effect.flip(authorize({ ...request, params: "denied" }))
      assert.strictEqual(denied.code, "denied")
      assert.match(denied.message, /not run: it is secret/)
      assert.strictEqual((yield* Effect.flip(authorize({ ...request, params: "asked" }))).code, "no_approver")
      yield* authorize({ ...request, params: "left to the policy" })
    }).pipe(
      gate({
        policy: Approvals.allowAll,
        guardrails: [
          ({ params }) =>
            params === "allowed"
              ? { verdict: "allow" }
              : params === "denied"
                ? { verdict: "deny", reason: "it is secret" }
                : params === "asked"
                  ? { verdict: "prompt", reason: "sure?" }
                  : undefined
        ]
      }),
      Effect.provide(Cards.layer)
    )
  )
})
