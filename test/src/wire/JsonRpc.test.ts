import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber, Queue, Result, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as Framing from "../../../src/wire/Framing.ts"
import * as JsonRpc from "../../../src/wire/JsonRpc.ts"

type Sent = { readonly id?: unknown; readonly method?: string; readonly [key: string]: unknown }

/** The other side of a connection, in this process. */
const connect = Effect.fnUntraced(function* (options: Partial<JsonRpc.Options<never>> = {}) {
  const input = yield* Queue.unbounded<Uint8Array, Cause.Done>()
  const sent: Array<Sent> = []
  const texts: Array<string> = []
  const notes: Array<readonly [string, unknown]> = []
  const noise: Array<string> = []
  const ends: Array<string> = []
  const decoder = Framing.decoder()
  const connection = yield* JsonRpc.make({
    input: Stream.fromQueue(input),
    write: (bytes) =>
      Effect.sync(() => {
        for (const frame of decoder.push(bytes)) {
          if (frame._tag !== "Body") continue
          texts.push(frame.text)
          sent.push(JSON.parse(frame.text) as Sent)
        }
      }),
    onNotification: (method, params) => notes.push([method, params]),
    onRequest: (method) => Effect.fail(new JsonRpc.ResponseError({ code: -32601, message: `no ${method}` })),
    onNoise: (what) => noise.push(what),
    onEnd: ({ reason }) => ends.push(reason),
    ...options
  })
  const receive = (...messages: ReadonlyArray<object>) =>
    Effect.gen(function* () {
      const frames = messages.map((message) => Buffer.from(Framing.encode(JSON.stringify(message))))
      yield* Queue.offer(input, Buffer.concat(frames))
      yield* settle
    })
  const settle = Effect.forEach(Array.from({ length: 20 }), () => Effect.yieldNow, { discard: true })
  const fork = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkChild(effect, { startImmediately: true })
  return { connection, input, sent, texts, notes, noise, ends, receive, settle, fork }
})

describe("JsonRpc", () => {
  it.effect("C5 a request of the other side with the id of a pending one of ours is a request", () =>
    Effect.gen(function* () {
      const { connection, fork, receive, sent, settle } = yield* connect({
        onRequest: (method) => Effect.succeed(`answer to ${method}`)
      })
      const ours = yield* fork(connection.request("ours"))
      yield* settle
      assert.deepStrictEqual(sent, [{ jsonrpc: "2.0", id: 1, method: "ours" }])
      yield* receive({ id: 1, method: "theirs" }, { id: "1", method: "theirs too" })
      assert.deepStrictEqual(sent.slice(1), [
        { jsonrpc: "2.0", id: 1, result: "answer to theirs" },
        { jsonrpc: "2.0", id: "1", result: "answer to theirs too" }
      ])
      yield* receive({ id: 1, result: "their answer" })
      assert.strictEqual(yield* Fiber.join(ours), "their answer")
    })
  )

  it.effect("C6 every request is answered once: with a result, an error, or a defect's error; C10 either of them", () =>
    Effect.gen(function* () {
      const { receive, sent } = yield* connect({
        onRequest: (method) => {
          if (method === "void") return Effect.succeed(undefined)
          if (method === "throws") throw new Error("a defect")
          return Effect.fail(new JsonRpc.ResponseError({ code: -32601, message: "unknown" }))
        }
      })
      yield* receive({ id: 1, method: "void" }, { id: 2, method: "throws" }, { id: 3, method: "$/unknown" })
      assert.deepStrictEqual(sent, [
        { jsonrpc: "2.0", id: 1, result: null },
        { jsonrpc: "2.0", id: 2, error: { code: -32603, message: "the client failed to answer" } },
        { jsonrpc: "2.0", id: 3, error: { code: -32601, message: "unknown" } }
      ])
    })
  )

  it.effect("C6 a request that is slow to answer holds nothing up", () =>
    Effect.gen(function* () {
      const { notes, receive, sent } = yield* connect({
        onRequest: (method) => (method === "slow" ? Effect.delay(Effect.succeed(1), "1 minute") : Effect.succeed(2))
      })
      yield* receive({ id: 1, method: "slow" }, { id: 2, method: "fast" }, { method: "note" })
      assert.deepStrictEqual([sent, notes], [[{ jsonrpc: "2.0", id: 2, result: 2 }], [["note", undefined]]])
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(sent[1], { jsonrpc: "2.0", id: 1, result: 1 })
    })
  )

  it.effect("C9 parameters that are not there are left out", () =>
    Effect.gen(function* () {
      const { connection, fork, settle, texts } = yield* connect()
      yield* fork(connection.request("shutdown"))
      connection.notify("exit")
      yield* settle
      assert.deepStrictEqual(texts, [
        `{"jsonrpc":"2.0","id":1,"method":"shutdown"}`,
        `{"jsonrpc":"2.0","method":"exit"}`
      ])
    })
  )

  it.effect("C11 the answer to an abandoned request is dropped, and its id not used again; C13 it is cancelled", () =>
    Effect.gen(function* () {
      const { connection, fork, noise, receive, sent, settle } = yield* connect()
      const first = yield* fork(Effect.timeoutOption(connection.request("slow"), "1 second"))
      yield* settle
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(first))._tag, "None")
      yield* settle
      const second = yield* fork(connection.request("next"))
      yield* settle
      assert.deepStrictEqual(sent, [
        { jsonrpc: "2.0", id: 1, method: "slow" },
        { jsonrpc: "2.0", method: "$/cancelRequest", params: { id: 1 } },
        { jsonrpc: "2.0", id: 2, method: "next" }
      ])
      yield* receive({ id: 1, result: "late" }, { id: 77, result: "of nobody" }, { id: 2, result: "in time" })
      assert.strictEqual(yield* Fiber.join(second), "in time")
      assert.deepStrictEqual(noise, [])
    })
  )

  it.effect("C12 codes of errors arrive as they are, with their data", () =>
    Effect.gen(function* () {
      const { connection, fork, receive, settle } = yield* connect()
      const asked = yield* fork(Effect.result(connection.request("x")))
      yield* settle
      yield* receive({ id: 1, error: { code: -32802, message: "later", data: { retriggerRequest: true } } })
      const result = yield* Fiber.join(asked)
      assert.deepStrictEqual(
        Result.isFailure(result) && result.failure._tag === "ResponseError"
          ? [result.failure.code, result.failure.message, result.failure.data]
          : result,
        [-32802, "later", { retriggerRequest: true }]
      )
    })
  )

  it.effect("C14 what is no message is told of, and the connection goes on", () =>
    Effect.gen(function* () {
      const { connection, fork, input, noise, receive, settle } = yield* connect({
        onNotification: () => {
          throw new Error("cannot")
        }
      })
      const asked = yield* fork(connection.request("x"))
      yield* settle
      yield* Queue.offer(input, Framing.encode("{ not json"))
      yield* Queue.offer(input, Framing.encode("[1]"))
      yield* Queue.offer(input, Buffer.from("warning: deprecated\n"))
      yield* receive({ method: "bad" }, { id: 1, result: "fine" })
      assert.strictEqual(yield* Fiber.join(asked), "fine")
      assert.deepStrictEqual(noise, [
        "a message that is not JSON: { not json",
        "a message that is not an object: [1]",
        "text between messages: warning: deprecated",
        "bad could not be handled: Error: cannot"
      ])
    })
  )

  it.effect("C16 a side that stops reading: requests keep their time, then it counts as wedged", () =>
    Effect.gen(function* () {
      const { connection, ends, fork, settle } = yield* connect({ write: () => Effect.never, stuckAfter: "30 seconds" })
      const asked = yield* fork(Effect.timeoutOption(connection.request("x"), "1 second"))
      yield* settle
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(asked))._tag, "None")
      assert.deepStrictEqual(ends, [])
      yield* TestClock.adjust("29 seconds")
      yield* settle
      assert.deepStrictEqual(ends, ["it has stopped reading its input"])
      assert.isFalse(connection.notify("more"))
    })
  )

  it.effect("C16 what waits for it is bounded", () =>
    Effect.gen(function* () {
      const { connection, ends, settle } = yield* connect({ write: () => Effect.never, capacityBytes: 1000 })
      let count = 0
      while (connection.notify("x", { text: "x".repeat(100) }) && count < 100) count++
      yield* settle
      assert.isBelow(count, 10)
      assert.match(ends[0]!, /^it has stopped reading its input: \d+ bytes wait for it$/)
    })
  )

  it.effect("C17 each message is one object, never an array of them", () =>
    Effect.gen(function* () {
      const { connection, fork, settle, texts } = yield* connect()
      for (let i = 0; i < 50; i++) yield* fork(connection.request("x", { i }))
      for (let i = 0; i < 10; i++) yield* settle
      assert.lengthOf(texts, 50)
      assert.isTrue(texts.every((text) => text.startsWith("{")))
    })
  )

  it.effect("the end of the input ends what waits, with the reason of who closes", () =>
    Effect.gen(function* () {
      const { connection, ends, fork, input, settle } = yield* connect()
      const asked = yield* fork(connection.request("x"))
      yield* settle
      yield* Queue.end(input)
      yield* settle
      assert.deepStrictEqual(ends, ["it has closed its output"])
      connection.close("it exited with code 3")
      const exit = yield* Fiber.await(asked)
      assert.match(Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "", /it exited with code 3/)
      const later = yield* Effect.flip(connection.request("y"))
      assert.strictEqual(later.message, "it exited with code 3")
    })
  )

  it.effect("a thousand requests at once each get their own answer", () =>
    Effect.gen(function* () {
      const { connection, fork, receive, settle } = yield* connect()
      const asked = yield* fork(
        Effect.forEach(
          Array.from({ length: 1000 }, (_, i) => i),
          (i) => connection.request("x", { i }),
          { concurrency: "unbounded" }
        )
      )
      for (let i = 0; i < 100; i++) yield* settle
      yield* receive(...Array.from({ length: 1000 }, (_, i) => ({ id: 1000 - i, result: 1000 - i })))
      assert.deepStrictEqual(
        yield* Fiber.join(asked),
        Array.from({ length: 1000 }, (_, i) => i + 1)
      )
    })
  )
})
