import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Schema } from "effect"
import { AiError, type Prompt } from "effect/ai"
import { TestClock } from "effect/testing"
import * as Agent from "../../../src/harness/Agent.ts"
import * as LiveTool from "../../../src/LiveTool.ts"
import * as Surface from "../../../src/Surface.ts"
import * as ScriptedModel from "../../support/ScriptedModel.ts"

let log: Array<string> = []
const tool = (name: string, tier: "read" | "write") =>
  LiveTool.make(name, {
    description: "Says what it was told.",
    tier,
    parameters: Schema.Struct({ n: Schema.Int.annotate({ description: "what to say" }) }),
    success: Schema.String,
    text: (value) => value,
    requires: [],
    handler: Effect.fnUntraced(function* ({ n }) {
      log.push(`${name} ${n} begins`)
      yield* Effect.yieldNow
      yield* Effect.yieldNow
      log.push(`${name} ${n} ends`)
      return n === 99 ? "x".repeat(500_000) : `${name} ${n}`
    })
  })
const image = LiveTool.make("show", {
  description: "Shows a picture.",
  tier: "read",
  parameters: Schema.Struct({}),
  success: Schema.Struct({
    outputs: Schema.Array(Schema.Struct({ kind: Schema.String, data: Schema.Record(Schema.String, Schema.String) }))
  }),
  text: () => "a picture",
  requires: [],
  handler: () =>
    Effect.succeed({ outputs: [{ kind: "display", data: { "image/png": "iVBORw0K", "text/plain": "<Figure>" } }] })
})
const cell = LiveTool.make("cell", {
  description: "Shows something and does not end.",
  tier: "write",
  parameters: Schema.Struct({}),
  success: Schema.String,
  text: (value) => value,
  requires: [],
  handler: (_, call) => Effect.andThen(call.output?.("stdout", "12 of 50\n") ?? Effect.void, Effect.never)
})
const tools = [tool("look", "read"), tool("peek", "read"), tool("change", "write"), image, cell]

type Play = Parameters<typeof ScriptedModel.make>[0]

const start = (
  play: Play,
  options: {
    readonly cap?: "read" | "write"
    readonly maxTurns?: number
    readonly pending?: Agent.Options["pending"]
  } = {}
) =>
  Effect.gen(function* () {
    log = []
    const events: Array<Agent.Event> = []
    const prompts: Array<Prompt.Prompt> = []
    const model = yield* ScriptedModel.make((told) => {
      prompts.push(told.prompt)
      return play(told)
    })
    const agent = Agent.make({
      model,
      surface: yield* Surface.makeWired(tools, { cap: options.cap ?? "write" }),
      system: "You are a test.",
      tell: (event) => Effect.sync(() => void events.push(event)),
      ...(options.pending === undefined ? {} : { pending: options.pending }),
      ...(options.maxTurns === undefined ? {} : { maxTurns: options.maxTurns })
    })
    return { ask: (...messages: Array<string>) => agent.ask(messages), events, prompts }
  })

describe("Agent", () => {
  it.effect("calls what the model calls, answers it, and ends when nothing is called", () =>
    Effect.gen(function* () {
      const { ask, events, prompts } = yield* start(({ prompt, turn }) =>
        turn === 0
          ? { text: "I look.", calls: [["look", { n: 1 }]] }
          : { text: `I saw ${ScriptedModel.results(prompt).join()}.` }
      )
      assert.deepStrictEqual(yield* ask("Look!", "At it."), { outcome: "done", text: "I saw look 1.", turns: 2 })
      assert.deepStrictEqual(
        events.map((event) => (event.type === "said" ? event.text : event.type)),
        ["I look.", "call", "answer", "I saw look 1."]
      )
      assert.deepStrictEqual(ScriptedModel.asked(prompts[0]!), ["Look!", "At it."])
    })
  )

  it.effect("remembers what was asked before", () =>
    Effect.gen(function* () {
      const { ask } = yield* start(({ prompt, turn }) =>
        turn === 0 ? { calls: [["look", { n: 1 }]] } : { text: JSON.stringify(ScriptedModel.asked(prompt)) }
      )
      yield* ask("first")
      assert.deepInclude(yield* ask("second"), { text: '["first","second"]', turns: 1 })
    })
  )

  it.effect("answers a call above the cap as an unknown tool, and invalid parameters by name; both go on", () =>
    Effect.gen(function* () {
      const { ask } = yield* start(
        ({ prompt, tools, turn }) =>
          turn === 0
            ? {
                calls: [
                  ["change", { n: 1 }],
                  ["look", { m: 1 }],
                  ["look", "not an object"],
                  ["__proto__", {}]
                ]
              }
            : { text: [tools.join(" "), ...ScriptedModel.results(prompt)].join("\n") },
        { cap: "read" }
      )
      const { outcome, text } = yield* ask("Change!")
      const lines = text.split("\n")
      assert.strictEqual(outcome, "done")
      assert.strictEqual(lines[0], "look peek show")
      assert.match(lines[1]!, /^unknown_tool: There is no tool `change` here\. .*The tools are: look, peek, show\.$/)
      assert.match(lines[2]!, /^invalid_params: .*`m` is not a parameter of it/)
      assert.match(lines[3]!, /^invalid_params: /)
      assert.match(lines[4]!, /^unknown_tool: /)
      assert.deepStrictEqual(log, [])
    })
  )

  it.effect("runs calls that read together, and one that writes alone and in its turn", () =>
    Effect.gen(function* () {
      const { ask } = yield* start(({ turn }) =>
        turn === 0
          ? {
              calls: [
                ["look", { n: 1 }],
                ["peek", { n: 2 }],
                ["change", { n: 3 }],
                ["look", { n: 4 }]
              ]
            }
          : { text: "done" }
      )
      yield* ask("Go!")
      assert.deepStrictEqual(log.slice(0, 2), ["look 1 begins", "peek 2 begins"])
      assert.deepStrictEqual(log.slice(4), ["change 3 begins", "change 3 ends", "look 4 begins", "look 4 ends"])
    })
  )

  it.effect("tells a model that makes the same call for ever, and then ends", () =>
    Effect.gen(function* () {
      const { ask, events, prompts } = yield* start(() => ({ text: "again", calls: [["look", { n: 1 }]] }))
      const ended = yield* ask("Look!")
      assert.deepStrictEqual(ended, { outcome: "stuck", text: "again", turns: Agent.repeats.ended + 1 })
      const told = ScriptedModel.results(prompts.at(-1)!)
      assert.strictEqual(told[2], "look 1")
      assert.match(told[3]!, /For 4 turns you have only made calls that you had made before/)
      assert.deepInclude(events.at(-1), { type: "note" })
    })
  )

  it.effect("sees a circle of several calls too, and does not take a call with a new answer for one", () =>
    Effect.gen(function* () {
      const circle = yield* start(({ turn }) => ({ calls: [[turn % 2 === 0 ? "look" : "peek", { n: 1 }]] }))
      assert.deepInclude(yield* circle.ask("Go!"), { outcome: "stuck", turns: Agent.repeats.ended + 2 })
      const counting = yield* start(({ turn }) =>
        turn < 30
          ? {
              calls: [
                ["look", { n: 1 }],
                ["peek", { n: turn }]
              ]
            }
          : { text: "done" }
      )
      assert.deepInclude(yield* counting.ask("Go!"), { outcome: "done" })
    })
  )

  it.effect("ends when its turns are spent", () =>
    Effect.gen(function* () {
      const { ask } = yield* start(({ turn }) => ({ calls: [["look", { n: turn }]] }), { maxTurns: 5 })
      assert.deepStrictEqual(yield* ask("Go!"), { outcome: "out_of_turns", text: "", turns: 5 })
    })
  )

  it.effect("does not run the calls of a message that was cut, and says when the last words were", () =>
    Effect.gen(function* () {
      const { ask, events, prompts } = yield* start(({ turn }) =>
        turn === 0 ? { calls: [["change", { n: 1 }]], finish: "length" } : { text: "and so", finish: "length" }
      )
      assert.deepStrictEqual(yield* ask("Go!"), { outcome: "cut", text: "and so", turns: 2 })
      assert.match(ScriptedModel.results(prompts[1]!)[0]!, /change was not called: your message was cut/)
      assert.deepStrictEqual(events.at(-1), {
        type: "note",
        text: "Ended: the model's last message was cut (length)."
      })
      assert.deepStrictEqual(log, [])
    })
  )

  it.effect("is not done after a message without a word or a call, nor after one that broke off with an error", () =>
    Effect.gen(function* () {
      const empty = yield* start(({ turn }) =>
        turn === 0 ? { text: "I look.", calls: [["look", { n: 1 }]] } : { text: " \n" }
      )
      assert.deepStrictEqual(yield* empty.ask("Go!"), { outcome: "empty", text: "I look.", turns: 2 })
      assert.deepStrictEqual(empty.events.at(-1), {
        type: "note",
        text: "Ended: the model's last message was empty."
      })
      const broken = yield* start(() => ({ finish: "error" }))
      assert.deepStrictEqual(yield* broken.ask("Go!"), { outcome: "cut", text: "", turns: 1 })
      assert.deepStrictEqual(broken.events, [
        { type: "note", text: "Ended: the model's last message was cut (error)." }
      ])
    })
  )

  it.effect("goes on with what is pending when the model would end, and is done when nothing is", () =>
    Effect.gen(function* () {
      const pending = [["one", "two"], ["three"]]
      const { ask, events } = yield* start(
        ({ prompt, turn }) =>
          turn === 1 ? { calls: [["look", { n: 1 }]] } : { text: ScriptedModel.asked(prompt).join() },
        { pending: Effect.sync(() => pending.shift() ?? []) }
      )
      assert.deepStrictEqual(yield* ask("Go!"), { outcome: "done", text: "Go!,one,two,three", turns: 4 })
      assert.deepStrictEqual(
        events.flatMap((event) => (event.type === "note" ? [event.text] : [])),
        ["one", "two", "three"].map((each) => `The model is told: ${each}`)
      )
    })
  )

  it.effect("asks a model again that is overloaded, and fails at once where that does not help", () =>
    Effect.gen(function* () {
      const error = (reason: AiError.AiErrorReason) => AiError.make({ module: "test", method: "generateText", reason })
      const { ask, events } = yield* start(({ turn }) =>
        turn < 2 ? error(new AiError.RateLimitError({})) : { text: "there" }
      )
      const fiber = yield* Effect.forkChild(ask("Go!"), { startImmediately: true })
      yield* TestClock.adjust("3 seconds")
      assert.deepInclude(yield* Fiber.join(fiber), { outcome: "done", text: "there" })
      assert.strictEqual(events.filter(({ type }) => type === "note").length, 2)
      const wrong = yield* start(() => error(new AiError.AuthenticationError({ kind: "InvalidKey" })))
      assert.strictEqual((yield* Effect.flip(wrong.ask("Go!"))).reason._tag, "AuthenticationError")
    })
  )

  const failing = (reason: AiError.AiErrorReason) => AiError.make({ module: "test", method: "generateText", reason })
  const limited = (retryAfter: string, status = 429) =>
    failing(
      AiError.reasonFromHttpStatus({
        status,
        http: { response: { status, headers: { "retry-after": retryAfter } }, body: "slow down" }
      })
    )

  it.effect("waits for as long as the provider asks, in seconds or until a date, and says so", () =>
    Effect.gen(function* () {
      for (const [told, seconds, note] of [
        [limited("37"), 37, /Rate limit exceeded \(HTTP 429: slow down\)\. It is asked again in 37s\.$/],
        [limited("0.5", 503), 0.5, /\(HTTP 503: slow down\)\. It is asked again in 500ms\.$/],
        [limited("Thu, 01 Jan 1970 00:01:00 GMT"), 60, /again in 1m\.$/],
        [limited("Thu, 01 Jan 1970 00:01:00 GMT", 503), 60, /again in 1m\.$/],
        [failing(new AiError.RateLimitError({ retryAfter: Duration.seconds(9) })), 9, /again in 9s\.$/],
        [limited("soon"), 1, /again in 1s\.$/]
      ] as const) {
        const { ask, events, prompts } = yield* start(({ turn }) => (turn === 0 ? told : { text: "there" }))
        yield* TestClock.setTime(0)
        const fiber = yield* Effect.forkChild(ask("Go!"), { startImmediately: true })
        yield* TestClock.adjust(Duration.millis(seconds * 1000 - 1))
        assert.strictEqual(prompts.length, 1, String(note))
        yield* TestClock.adjust(Duration.millis(1))
        assert.deepInclude(yield* Fiber.join(fiber), { outcome: "done", text: "there" })
        assert.match(events[0]?.type === "note" ? events[0].text : "", note)
      }
    })
  )

  it.effect("does not wait for a provider that asks for longer than a run waits, and says so", () =>
    Effect.gen(function* () {
      const { ask, events, prompts } = yield* start(() => limited("3600"))
      assert.strictEqual((yield* Effect.flip(ask("Go!"))).reason._tag, "RateLimitError")
      assert.strictEqual(prompts.length, 1)
      assert.deepStrictEqual(events, [
        { type: "note", text: "The model's provider asks to be left alone for 1h, which is longer than a run waits." }
      ])
    })
  )

  it.effect("does not ask again where an answer has not the shape of one", () =>
    Effect.gen(function* () {
      for (const reason of [
        new AiError.InvalidOutputError({ description: "no parts" }),
        new AiError.InvalidResponseError({ description: "no JSON" })
      ]) {
        const { ask, prompts } = yield* start(() => failing(reason))
        assert.strictEqual((yield* Effect.flip(ask("Go!"))).reason._tag, reason._tag)
        assert.strictEqual(prompts.length, 1)
      }
    })
  )

  it.effect("answers each of several calls that have one id, or none, also over several messages", () =>
    Effect.gen(function* () {
      const { ask, events, prompts } = yield* start(({ turn }) =>
        turn < 2
          ? {
              calls: [
                ["look", { n: 10 * turn + 1 }, "one"],
                ["change", { n: 10 * turn + 2 }, "one"],
                ["look", { n: 10 * turn + 3 }, ""],
                ["look", { n: 10 * turn + 4 }, ""]
              ]
            }
          : { text: "done" }
      )
      assert.deepInclude(yield* ask("Go!"), { outcome: "done" })
      const pairs = prompts.at(-1)!.content.flatMap(({ content, role }) => {
        if (role === "assistant")
          return [content.flatMap((part) => (part.type === "tool-call" ? [part.id] : [])).join(" ")]
        if (role !== "tool") return []
        const results = content.flatMap((part) =>
          part.type === "tool-result" ? [`${part.id}: ${String(part.result)}`] : []
        )
        return [results.join("; ")]
      })
      assert.deepStrictEqual(pairs, [
        "one one_2 call call_2",
        "one: look 1; one_2: change 2; call: look 3; call_2: look 4",
        "one_3 one_4 call_3 call_4",
        "one_3: look 11; one_4: change 12; call_3: look 13; call_4: look 14"
      ])
      assert.deepStrictEqual(events.flatMap((event) => (event.type === "answer" ? [event.id] : [])).toSorted(), [
        "call",
        "call_2",
        "call_3",
        "call_4",
        "one",
        "one_2",
        "one_3",
        "one_4"
      ])
    })
  )

  it.effect("tells of a call that is cancelled, with what it had shown", () =>
    Effect.gen(function* () {
      const { ask, events } = yield* start(() => ({ calls: [["cell", {}, "c"]] }))
      const fiber = yield* Effect.forkChild(ask("Go!"), { startImmediately: true })
      yield* Effect.yieldNow
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(events.at(-1), { type: "cancelled", id: "c", tool: "cell", shown: "12 of 50\n" })
    })
  )

  it.effect("an ask that is interrupted in a call leaves a conversation that can go on", () =>
    Effect.gen(function* () {
      const { ask, prompts } = yield* start(({ turn }) =>
        turn === 0 ? { calls: [["look", { n: 1 }]] } : { text: "there" }
      )
      const fiber = yield* Effect.forkChild(ask("first"), { startImmediately: true })
      yield* Fiber.interrupt(fiber)
      assert.deepInclude(yield* ask("second"), { outcome: "done", text: "there" })
      assert.deepStrictEqual(
        prompts.at(-1)!.content.map(({ role }) => role),
        ["system", "user", "user"]
      )
    })
  )

  it.effect("cuts a long answer with the full count, and gives images as content parts", () =>
    Effect.gen(function* () {
      const { ask, prompts } = yield* start(({ turn }) =>
        turn === 0
          ? {
              calls: [
                ["look", { n: 99 }],
                ["show", {}]
              ]
            }
          : { text: "done" }
      )
      yield* ask("Go!")
      assert.match(ScriptedModel.results(prompts[1]!)[0]!, /\(cut: 120000 of 500000 characters; ask for a part\)$/)
      const shown = prompts[1]!.content.at(-1)!
      const outputs =
        shown.role === "tool" ? shown.content.flatMap((p) => (p.type === "tool-result" ? [p.modelOutput] : [])) : []
      assert.deepStrictEqual(
        outputs[1]?.map((part) => (part.type === "file" ? [part.mediaType, part.data] : part.text)),
        ["a picture", ["image/png", "iVBORw0K"]]
      )
    })
  )
})
