import { assert, describe, it } from "@effect/vitest"
import * as Cli from "../../support/Cli.ts"

type Card = { readonly card_id: string; readonly number: number; readonly options: ReadonlyArray<object> }

/** A `livetools serve` with a human at the other end, who is shown cards. */
const withHuman =
  (body: (human: ReturnType<typeof connect>) => Promise<void>, settings = "{}") =>
  async () => {
    const folder = Cli.folder({ "livetools.json": settings })
    const human = connect(folder.root)
    try {
      await human.serve.request("initialize", { protocolVersion: 1, cards: true }).answer
      await body(human)
    } finally {
      human.serve.end()
      await human.serve.closed
      folder.remove()
    }
  }

const connect = (root: string) => {
  const serve = Cli.serve([], root)
  return {
    serve,
    ask: (params: object) => serve.request("tools.call", { tool: "ask_user", params }),
    opened: async () => {
      const { params } = (await serve.find((m) => m.method === "cards.open")) as unknown as { params: { card: Card } }
      return params.card
    },
    closed: async () => (await serve.find((m) => m.method === "cards.close"))["params"],
    /** Why a response is not taken, or `accepted`. */
    answer: async (response: object) => {
      const { error } = (await serve.request("cards.answer", response).answer) as {
        error?: { data?: { code: string } }
      }
      return error === undefined ? "accepted" : error.data?.code
    }
  }
}

describe("ask_user over serve", () => {
  it("without a client that shows cards fails at once", async () => {
    const folder = Cli.folder({})
    const serve = Cli.serve([], folder.root)
    assert.deepInclude(await serve.call("ask_user", { question: "Which?" }), {
      isFailure: true,
      code: "nobody_connected",
      value: { outcome: "nobody_connected", selected: [] }
    })
    serve.end()
    await serve.closed
    folder.remove()
  })

  it(
    "shows the card with the descriptions; what is no answer is refused with its code; the answer is the user's own",
    withHuman(async ({ answer, ask, closed, opened }) => {
      const call = ask({ question: "Which?", options: [{ label: "red", description: "warm" }, { label: "blue" }] })
      const { card_id, options } = await opened()
      assert.deepStrictEqual(options, [{ label: "red", description: "warm" }, { label: "blue" }])
      assert.strictEqual(await answer({ card_id, selected: [] }), "empty")
      assert.strictEqual(await answer({ card_id, selected: ["green"] }), "unknown_option")
      assert.strictEqual(await answer({ card_id, text: "green" }), "unknown_option")
      assert.strictEqual(await answer({ card_id: "card_9", selected: [1] }), "gone")
      assert.strictEqual(await answer({ card_id, selected: [2] }), "accepted")
      assert.deepNestedInclude(await call.answer, {
        "result.isFailure": false,
        "result.value": { outcome: "answered", selected: ["blue"] }
      })
      assert.deepStrictEqual(await closed(), { card_id, reason: "answered" })
      assert.strictEqual(await answer({ card_id, selected: [1] }), "already_answered")
    })
  )

  it(
    "queues two questions, and withdraws the card of a call that is cancelled",
    withHuman(async ({ answer, ask, closed, opened, serve }) => {
      const first = ask({ question: "a?" })
      const second = ask({ question: "b?" })
      const { card_id } = await opened()
      serve.notify("$/cancelRequest", { id: first.id })
      assert.deepNestedInclude(await first.answer, { "error.code": -32800 })
      assert.deepStrictEqual(await closed(), { card_id, reason: "withdrawn" })
      const next = await opened()
      assert.strictEqual(await answer({ card_id, text: "late" }), "gone")
      assert.strictEqual(await answer({ card_id: next.card_id, skip: true }), "accepted")
      assert.deepNestedInclude(await second.answer, { "result.value": { outcome: "skipped", selected: [] } })
    })
  )

  it(
    "carries 1 MB of typed text with control characters whole",
    withHuman(async ({ answer, ask, opened }) => {
      const call = ask({ question: "Which?" })
      const { card_id } = await opened()
      const text = "\u0000\u001b[2Jé\r\n".repeat(120_000)
      assert.strictEqual(await answer({ card_id, text }), "accepted")
      const { result } = (await call.answer) as unknown as { result: { value: { text: string } } }
      assert.isTrue(result.value.text === text)
    })
  )

  it(
    "is timed out after what the settings say, which is not a skip, and the card is withdrawn",
    withHuman(async ({ answer, ask, closed, opened }) => {
      const call = ask({ question: "Which?" })
      const { card_id } = await opened()
      assert.deepNestedInclude(await call.answer, {
        "result.code": "timed_out",
        "result.value": { outcome: "timed_out", selected: [] }
      })
      assert.deepStrictEqual(await closed(), { card_id, reason: "withdrawn" })
      assert.strictEqual(await answer({ card_id, text: "late" }), "gone")
    }, '{"budgets": {"ask_user_seconds": 1}}')
  )

  it(
    "says that nobody is connected when the client goes in mid-question",
    withHuman(async ({ ask, opened, serve }) => {
      const call = ask({ question: "Which?" })
      await opened()
      serve.end()
      assert.deepNestedInclude(await call.answer, {
        "result.code": "nobody_connected",
        "result.value": { outcome: "nobody_connected", selected: [] }
      })
    })
  )
})
