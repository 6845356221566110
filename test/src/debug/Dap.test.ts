import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Queue, Stream } from "effect"
import { eventually } from "../../support/FakeDebugAdapter.ts"
import * as Dap from "../../../src/debug/Dap.ts"
import * as Framing from "../../../src/wire/Framing.ts"

const decode = (bytes: Uint8Array): { readonly seq: number; readonly [key: string]: unknown } =>
  JSON.parse(new TextDecoder().decode(bytes).split("\r\n\r\n")[1]!)

const connect = (refuse = false) =>
  Effect.gen(function* () {
    const input = yield* Queue.unbounded<Uint8Array>()
    const sent: Array<Uint8Array> = []
    const events: Array<readonly [string, unknown]> = []
    const noise: Array<string> = []
    const ends: Array<Dap.End> = []
    const connection = yield* Dap.make({
      input: Stream.fromQueue(input),
      write: (bytes) => Effect.sync(() => sent.push(bytes)),
      onEvent: (event, body) => {
        if (event === "throw") throw new Error("oh")
        events.push([event, body])
      },
      onRequest: (command) => (refuse ? Effect.fail(`no ${command}`) : Effect.succeed({ done: command })),
      onNoise: (what) => noise.push(what),
      onEnd: (end) => ends.push(end)
    })
    const give = (message: object | string) =>
      Queue.offer(input, Framing.encode(typeof message === "string" ? message : JSON.stringify(message)))
    const until = (isSo: () => boolean) => eventually(() => (isSo() ? true : undefined))
    return { connection, input, sent, events, noise, ends, give, until, messages: () => sent.map(decode) }
  })

describe("a connection", () => {
  it.live(
    "1 6 7 one counter for all that it sends; answers match by request_seq, in any order, whatever their seq",
    () =>
      Effect.gen(function* () {
        const { connection, give, messages, sent, until } = yield* connect()
        const one = yield* Effect.forkChild(connection.request("evaluate", { expression: "世界😀" }), {
          startImmediately: true
        })
        yield* give({ seq: 0, type: "request", command: "runInTerminal" })
        yield* until(() => sent.length === 2)
        const two = yield* Effect.forkChild(connection.request("threads"), { startImmediately: true })
        yield* until(() => sent.length === 3)
        assert.deepStrictEqual(messages(), [
          { seq: 1, type: "request", command: "evaluate", arguments: { expression: "世界😀" } },
          {
            seq: 2,
            type: "response",
            request_seq: 0,
            command: "runInTerminal",
            success: true,
            body: { done: "runInTerminal" }
          },
          { seq: 3, type: "request", command: "threads" }
        ])
        const [header, body] = new TextDecoder().decode(sent[0]).split("\r\n\r\n")
        assert.strictEqual(header, `Content-Length: ${new TextEncoder().encode(body).length}`)
        yield* give({ seq: 0, type: "response", request_seq: 3, command: "", success: true, body: { b: 2 } })
        yield* give({ seq: 0, type: "event", event: "output", body: { output: "x" } })
        yield* give({ seq: 0, type: "response", request_seq: 99, command: "late", success: true })
        yield* give({ seq: 0, type: "response", request_seq: 1, success: true, body: { a: 1 } })
        assert.deepStrictEqual(yield* Fiber.join(one), { a: 1 })
        assert.deepStrictEqual(yield* Fiber.join(two), { b: 2 })
      })
  )

  it.live("9 a request that is refused is answered", () =>
    Effect.gen(function* () {
      const { give, messages, sent, until } = yield* connect(true)
      yield* give({ seq: 7, type: "request", command: "startDebugging", arguments: {} })
      yield* until(() => sent.length === 1)
      assert.deepStrictEqual(messages(), [
        {
          seq: 1,
          type: "response",
          request_seq: 7,
          command: "startDebugging",
          success: false,
          message: "no startDebugging"
        }
      ])
    })
  )

  it.live("5 8 what is no message does no harm, nor an event that cannot be handled", () =>
    Effect.gen(function* () {
      const { ends, events, give, noise, until } = yield* connect()
      for (const text of ["{nope", "[]", "7", '"x"', '{"type":"gossip"}']) yield* give(text)
      yield* give({ type: "event", event: "throw" })
      yield* give({ type: "event", event: "fine", body: null })
      yield* until(() => events.length === 1)
      assert.deepStrictEqual(events, [["fine", null]])
      assert.lengthOf(noise, 6)
      assert.deepStrictEqual(ends, [])
    })
  )

  it.live("12 the end of the bytes is told once; what waits fails at close, with the reason", () =>
    Effect.gen(function* () {
      const { connection, ends, input, until } = yield* connect()
      const waiting = yield* Effect.forkChild(Effect.flip(connection.request("next")), { startImmediately: true })
      yield* Queue.shutdown(input)
      yield* until(() => ends.length === 1)
      assert.deepStrictEqual(ends, [{ reason: "it has closed its output", isClosed: true }])
      connection.close("exited with code 3")
      connection.close("another reason")
      assert.deepStrictEqual((yield* Fiber.join(waiting)).message, "exited with code 3")
      assert.strictEqual((yield* Effect.flip(connection.request("next"))).message, "exited with code 3")
    })
  )
})

describe("the text of an error (10)", () => {
  const cases: ReadonlyArray<readonly [object, string]> = [
    [
      { message: "label", body: { error: { format: "no {x}, {y} {z}", variables: { x: "A", y: "B" } } } },
      "no A, B {z}"
    ],
    [{ message: "cancelled" }, "cancelled"],
    [{ message: "label", body: { error: { format: " " } } }, "label"],
    [{}, "the request next failed, without a reason"],
    [{ message: 4, body: "x" }, "the request next failed, without a reason"],
    [{ body: { error: { format: "{__proto__} {constructor}", variables: {} } } }, "{__proto__} {constructor}"]
  ]
  for (const [response, expected] of cases) {
    it(expected, () => assert.strictEqual(Dap.errorText("next", response), expected))
  }
})
