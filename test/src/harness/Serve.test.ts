import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer, Queue, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as Budget from "../../../src/Budget.ts"
import * as Approvals from "../../../src/harness/Approvals.ts"
import { Cards } from "../../../src/harness/Cards.ts"
import * as Lines from "../../../src/harness/Lines.ts"
import * as Serve from "../../../src/harness/Serve.ts"
import * as LiveTool from "../../../src/LiveTool.ts"
import * as Surface from "../../../src/Surface.ts"

class Bell extends Context.Service<Bell, { readonly rung: Deferred.Deferred<void>; readonly log: Array<string> }>()(
  "test/Bell"
) {
  static readonly layer = Layer.effect(
    Bell,
    Effect.map(Deferred.make<void>(), (rung) => Bell.of({ rung, log: [] }))
  )
}

const ring = LiveTool.make("ring", {
  description: "Rings, or waits for it.",
  tier: "exec",
  parameters: Schema.Struct({ op: Schema.Literals(["ring", "wait", "die"]).annotate({ description: "what" }) }),
  success: Schema.String,
  text: (value) => value,
  requires: [Bell],
  handler: Effect.fnUntraced(function* ({ op }, call) {
    const { log, rung } = yield* Bell
    if (op === "die") return yield* Effect.die("broken")
    if (op === "ring") yield* Deferred.succeed(rung, undefined)
    yield* call.progress("listening", 50)
    yield* Effect.onInterrupt(Deferred.await(rung), () => Effect.sync(() => void log.push("released")))
    return `${op} done`
  })
})

type Message = { readonly [key: string]: unknown }

const start = (policy: Approvals.Policy = Approvals.allowAll) =>
  Effect.gen(function* () {
    const input = yield* Queue.unbounded<string, import("effect").Cause.Done>()
    const output = yield* Queue.unbounded<Message>()
    const bytes = Stream.map(Stream.fromQueue(input), (text) => new TextEncoder().encode(text))
    const fiber = yield* Effect.gen(function* () {
      const cards = yield* Cards
      const surface = yield* Surface.makeWired([ring])
      yield* Serve.serve({
        surface,
        cards,
        run: { id: "r", cwd: "/w", cap: "exec" },
        lines: Lines.split(200)(bytes),
        write: (line) => Effect.asVoid(Queue.offer(output, JSON.parse(line) as Message)),
        drain: Budget.after("3 seconds")
      })
    }).pipe(
      Effect.scoped,
      Effect.provide(Layer.provideMerge(Approvals.layer({ policy }), Cards.layer)),
      Effect.forkChild({ startImmediately: true })
    )
    const raw = (text: string) => Queue.offer(input, text)
    const send = (message: object) => raw(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
    const call = (id: number | string, op: string) =>
      send({ id, method: "tools.call", params: { tool: "ring", params: { op } } })
    return { raw, send, call, next: Queue.take(output), end: Queue.end(input), fiber }
  })
const error = (message: Message) => message["error"] as { code: number; message: string; data?: { code: string } }

describe("Serve", () => {
  it.effect("answers initialize and tools.list", () =>
    Effect.gen(function* () {
      const { next, send } = yield* start()
      yield* send({ id: 1, method: "initialize", params: { protocolVersion: 1 } })
      assert.deepStrictEqual(yield* next, {
        jsonrpc: "2.0",
        id: 1,
        result: { protocolVersion: 1, run: { id: "r", cwd: "/w", cap: "exec" } }
      })
      yield* send({ id: "two", method: "tools.list" })
      assert.deepNestedInclude(yield* next, {
        id: "two",
        "result.tools[0].name": "ring",
        "result.tools[0].tier": "exec",
        "result.tools[0].inputSchema.additionalProperties": false,
        "result.tools[0].resultSchema.type": "string",
        "result.absent": []
      })
    }).pipe(Effect.provide(Bell.layer))
  )

  it.effect("takes back with a later initialize what an earlier one has said: nobody is connected any more", () =>
    Effect.gen(function* () {
      const { call, next, send } = yield* start(Approvals.askForChanges)
      yield* send({ id: 1, method: "initialize", params: { protocolVersion: 1, cards: true } })
      yield* next
      yield* call(2, "ring")
      assert.deepNestedInclude(yield* next, { method: "cards.open", "params.card.card_id": "card_1" })
      yield* send({ id: 3, method: "initialize", params: { protocolVersion: 1, cards: false } })
      const answers = [yield* next, yield* next]
      assert.deepNestedInclude(
        answers.find(({ id }) => id === 2)!,
        { "result.code": "no_approver" }
      )
      assert.isDefined(answers.find(({ id }) => id === 3)?.["result"])
      yield* call(4, "ring")
      assert.deepNestedInclude(yield* next, { id: 4, "result.code": "no_approver" })
      yield* send({ id: 5, method: "initialize", params: { protocolVersion: 1, cards: true } })
      assert.deepInclude(yield* next, { id: 5 })
      yield* call(6, "ring")
      assert.deepNestedInclude(yield* next, { method: "cards.open", "params.card.card_id": "card_2" })
    }).pipe(Effect.provide(Bell.layer))
  )

  it.effect("runs calls concurrently and answers each under its id", () =>
    Effect.gen(function* () {
      const { call, next } = yield* start()
      yield* call(1, "wait")
      yield* call("b", "ring")
      const ids = [(yield* next)["id"], (yield* next)["id"]]
      assert.sameMembers(ids, [1, "b"])
    }).pipe(Effect.provide(Bell.layer))
  )

  it.effect("answers what is about the tool with isFailure, and the envelope with -32602", () =>
    Effect.gen(function* () {
      const { next, send } = yield* start()
      yield* send({ id: 1, method: "tools.call", params: { tool: "rung" } })
      assert.deepNestedInclude(yield* next, { "result.isFailure": true, "result.code": "unknown_tool" })
      yield* send({ id: 2, method: "tools.call", params: { tool: "ring", params: { op: "x" } } })
      assert.deepNestedInclude(yield* next, { "result.isFailure": true, "result.code": "invalid_params" })
      yield* send({ id: 3, method: "tools.call", params: { tool: "ring", params: { op: "die" } } })
      assert.deepNestedInclude(yield* next, { "result.isFailure": true, "result.code": "internal" })
      yield* send({ id: 4, method: "tools.call", params: { name: "ring" } })
      assert.deepNestedInclude(yield* next, { id: 4, "error.code": -32602 })
      yield* send({ id: 5, method: "initialize", params: { protocolVersion: 7 } })
      assert.deepNestedInclude(yield* next, { id: 5, "error.code": -32602 })
    }).pipe(Effect.provide(Bell.layer))
  )

  it.effect("goes on after a line that is not JSON, not a request, too long, of an unknown method", () =>
    Effect.gen(function* () {
      const { call, next, raw, send } = yield* start()
      yield* raw("{oops\r\n\n")
      assert.deepNestedInclude(yield* next, { id: null, "error.code": -32700 })
      yield* raw(`"${"x".repeat(300)}`)
      yield* raw(`${"x".repeat(300)}"\n`)
      const long = error(yield* next)
      assert.match(long.message, /A line of 602 bytes was dropped/)
      yield* raw("[]\n")
      assert.match(error(yield* next).message, /Batches are not taken/)
      yield* raw('{"id": 4, "method": "tools.list"}\n')
      assert.deepNestedInclude(yield* next, { id: 4, "error.code": -32600 })
      yield* send({ id: 5, method: "__proto__" })
      assert.deepNestedInclude(yield* next, { id: 5, "error.code": -32601 })
      yield* send({ method: "unknown.notification" })
      yield* call(6, "ring")
      assert.deepNestedInclude(yield* next, { id: 6, "result.text": "ring done" })
    }).pipe(Effect.provide(Bell.layer))
  )

  it.effect("ends a cancelled request with -32800 after its resources are released", () =>
    Effect.gen(function* () {
      const { call, next, send } = yield* start()
      const { log } = yield* Bell
      yield* call(1, "wait")
      yield* call(1, "ring")
      assert.match(error(yield* next).message, /A request with the id 1 is under way/)
      yield* send({ method: "$/cancelRequest", params: { id: 1 } })
      assert.deepNestedInclude(yield* next, { id: 1, "error.code": -32800 })
      assert.deepStrictEqual(log, ["released"])
      yield* send({ method: "$/cancelRequest", params: { id: 99 } })
      yield* call(1, "ring")
      assert.deepNestedInclude(yield* next, { id: 1, "result.text": "ring done" })
    }).pipe(Effect.provide(Bell.layer))
  )

  it.effect("tells progress to those who asked for it", () =>
    Effect.gen(function* () {
      const { call, next, send } = yield* start()
      yield* send({ id: 0, method: "initialize", params: { protocolVersion: 1, progress: true } })
      yield* next
      yield* call(1, "ring")
      assert.deepStrictEqual(yield* next, {
        jsonrpc: "2.0",
        method: "$/progress",
        params: { id: 1, message: "listening", percentage: 50 }
      })
      assert.deepNestedInclude(yield* next, { id: 1, "result.text": "ring done" })
    }).pipe(Effect.provide(Bell.layer))
  )

  it.effect("shows permission cards to a connected human, refuses without one", () =>
    Effect.gen(function* () {
      const { call, next, send } = yield* start(Approvals.askForChanges)
      yield* call(1, "ring")
      assert.deepNestedInclude(yield* next, { id: 1, "result.code": "no_approver" })
      yield* send({ id: 2, method: "initialize", params: { protocolVersion: 1, cards: true } })
      yield* next
      yield* call(3, "ring")
      assert.deepNestedInclude(yield* next, {
        method: "cards.open",
        "params.card.card_id": "card_1",
        "params.card.kind": "permission",
        "params.card.question": "May ring run?"
      })
      yield* send({ id: 4, method: "cards.answer", params: { card_id: "card_1", selected: ["Perhaps"] } })
      assert.strictEqual(error(yield* next).data?.code, "unknown_option")
      for (const answer of [{ selected: [1] }, { text: "x" }]) {
        yield* send({ id: 6, method: "cards.answer", params: { card_id: "card_1", skip: true, ...answer } })
        const refused = error(yield* next)
        assert.strictEqual(refused.code, -32602)
        assert.match(refused.message, /`skip` drops the card unanswered, so it cannot come with `selected` or `text`/)
      }
      yield* send({ id: 5, method: "cards.answer", params: { card_id: "card_1", selected: [1] } })
      const replies = [yield* next, yield* next, yield* next]
      assert.deepInclude(replies, { jsonrpc: "2.0", id: 5, result: { accepted: true } })
      assert.deepInclude(replies, {
        jsonrpc: "2.0",
        method: "cards.close",
        params: { card_id: "card_1", reason: "answered" }
      })
      assert.deepInclude(replies, {
        jsonrpc: "2.0",
        id: 3,
        result: { isFailure: false, text: "ring done", value: "ring done" }
      })
    }).pipe(Effect.provide(Bell.layer))
  )

  it.effect("at the end of input answers what can still end, then interrupts the rest and says so", () =>
    Effect.gen(function* () {
      const { call, end, fiber, next } = yield* start()
      const { log, rung } = yield* Bell
      yield* call(1, "wait")
      yield* end
      yield* TestClock.adjust("1 second")
      yield* Deferred.succeed(rung, undefined)
      assert.deepNestedInclude(yield* next, { id: 1, "result.text": "wait done" })
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(log, [])
    }).pipe(Effect.provide(Bell.layer))
  )

  it.effect("at the end of input interrupts what does not end within the drain budget, with an answer", () =>
    Effect.gen(function* () {
      const { call, end, fiber, next } = yield* start()
      const { log } = yield* Bell
      yield* call(1, "wait")
      yield* end
      yield* TestClock.adjust("3 seconds")
      assert.deepNestedInclude(yield* next, {
        id: 1,
        "error.code": -32800,
        "error.message": "The run ended while the request was under way."
      })
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(log, ["released"])
    }).pipe(Effect.provide(Bell.layer))
  )
})

describe("Lines.split", () => {
  const lines = (chunks: ReadonlyArray<string | Uint8Array>, max = 100) =>
    Stream.fromIterable(chunks.map((c) => (typeof c === "string" ? new TextEncoder().encode(c) : c))).pipe(
      Lines.split(max),
      Stream.runCollect
    )
  it.effect("splits whatever the chunks are, also inside a character", () =>
    Effect.gen(function* () {
      const bytes = new TextEncoder().encode("é\nb\r\n\nlast")
      assert.deepStrictEqual(yield* lines(Array.from(bytes, (b) => Uint8Array.of(b))), [
        { text: "é" },
        { text: "b" },
        { text: "" },
        { text: "last" }
      ])
      assert.deepStrictEqual(yield* lines([]), [])
    })
  )
  it.effect("drops a line above the limit, saying its length, and goes on", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* lines(["abcdef", "gh\nok\n", "123456"], 5), [
        { tooLong: 8 },
        { text: "ok" },
        { tooLong: 6 }
      ])
    })
  )
})
