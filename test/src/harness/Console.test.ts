import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type { Card } from "../../../src/harness/Cards.ts"
import * as CardText from "../../../src/harness/CardText.ts"
import * as Console from "../../../src/harness/Console.ts"
import { visible } from "../../../src/harness/Visible.ts"
import * as LiveTool from "../../../src/LiveTool.ts"
import * as Surface from "../../../src/Surface.ts"

const look = LiveTool.make("look", {
  description: "Looks. And more.",
  tier: "read",
  parameters: Schema.Struct({
    mode: Schema.Literals(["fast", "full"]).annotate({ description: "how to look" }),
    path: Schema.optionalKey(Schema.String).annotate({ description: "where to look" }),
    deep: Schema.optionalKey(Schema.Boolean).annotate({ description: "how deep" })
  }),
  success: Schema.String,
  text: (value) => value,
  requires: [],
  handler: () => Effect.succeed("seen")
})
const tools = Effect.map(Surface.makeWired([look]), ({ entries }) => entries)

describe("a line of the console", () => {
  it.effect("is a call, a command, or wrong with the reason", () =>
    Effect.map(tools, (entries) => {
      const parse = (line: string) => Console.parse(line, entries)
      assert.deepStrictEqual(parse("look mode=fast deep=true"), {
        type: "call",
        tool: "look",
        params: { mode: "fast", deep: true }
      })
      assert.deepStrictEqual(parse('{"tool":"other","params":{}}'), { type: "call", tool: "other", params: {} })
      for (const [line, type] of [
        ["", "nothing"],
        ["# a remark", "nothing"],
        [":q", "end"],
        [":tools", "tools"]
      ] as const) {
        assert.strictEqual(parse(line).type, type, line)
      }
      for (const [line, open] of [
        ["look path='not closed", "'"],
        ["look path=\"it's", '"'],
        ['look {"path": {', "{"],
        ['look {"path": "a } b', '"']
      ] as const) {
        assert.deepStrictEqual(parse(line), { type: "more", open }, line)
      }
      assert.deepStrictEqual(parse(":vibe on"), { type: "vibe", on: true })
      assert.deepStrictEqual(parse(":vibe"), { type: "vibe", on: undefined })
      assert.deepStrictEqual(parse(":help look"), { type: "help", tool: "look" })
      const wrong = (line: string) => {
        const command = parse(line)
        return command.type === "wrong" ? command.message : command.type
      }
      assert.match(wrong("lok mode=fast"), /no tool `lok` here\. Did you mean `look`\?/)
      const here = Console.parse("debug op=launch", entries, [{ name: "debug", tier: "exec", missing: ["no", "none"] }])
      assert.deepStrictEqual(here, { type: "wrong", message: "debug is not here: no; none." })
      assert.match(wrong(":vibes"), /no command `:vibes`\. Did you mean `:vibe`\?/)
      assert.match(wrong(":vibe maybe"), /`:vibe on` or `:vibe off`/)
      assert.match(wrong("look deep=perhaps"), /`perhaps` is neither true nor false/)
      assert.match(wrong("look 'a b'"), /neither KEY=VALUE nor a JSON object/)
    })
  )

  it.effect("is completed: tools, then parameters that are not there, then values and paths", () =>
    Effect.map(tools, (entries) => {
      const complete = (line: string) => Console.complete(line, entries, (prefix) => [`${prefix}1`, `${prefix}2`])
      assert.deepStrictEqual(complete("lo"), [["look "], "lo"])
      assert.deepStrictEqual(complete(""), [
        ["look ", ":help ", ":tools ", ":vibe ", ":card ", ":skip ", ":answer ", ":quit "],
        ""
      ])
      assert.deepStrictEqual(complete("look "), [["mode=", "path=", "deep="], ""])
      assert.deepStrictEqual(complete("look mode=fast p"), [["path="], "p"])
      assert.deepStrictEqual(complete("look mode=fast "), [["path=", "deep="], ""])
      assert.deepStrictEqual(complete("look mode=f"), [["mode=fast", "mode=full"], "mode=f"])
      assert.deepStrictEqual(complete("look deep="), [["deep=true", "deep=false"], "deep="])
      assert.deepStrictEqual(complete("look path=src/"), [["path=src/1", "path=src/2"], "path=src/"])
      assert.deepStrictEqual(complete("look __proto__="), [[], "__proto__="])
      assert.deepStrictEqual(complete("nothing m"), [[], "m"])
      assert.deepStrictEqual(complete(":help l"), [["look"], "l"])
      assert.deepStrictEqual(complete(":vibe o"), [["on", "off"], "o"])
    })
  )

  it.effect("is completed with what stands in a path, as the words of a call are written", () =>
    Effect.map(tools, (entries) => {
      const names = ["my notes/", "my 'own' \\ file.txt", "plain"]
      const complete = (line: string) =>
        Console.complete(line, entries, (prefix) => names.filter((name) => name.startsWith(prefix)))
      const cases: ReadonlyArray<readonly [line: string, candidates: ReadonlyArray<string>, word: string]> = [
        ["look path=my", ["path=my\\ notes/", "path=my\\ \\'own\\'\\ \\\\\\ file.txt"], "path=my"],
        ["look path=my\\ n", ["path=my\\ notes/"], "path=my\\ n"],
        ['look path="my n', ['path="my notes/'], 'path="my n'],
        ["look path=\"my '", ["path=\"my 'own' \\\\ file.txt\""], "path=\"my '"],
        ["look path='my ", ["path='my notes/", "path='my '\\''own'\\'' \\ file.txt'"], "path='my "],
        ["look mode='fa", ["mode='fast'"], "mode='fa"],
        ["look path=p", ["path=plain"], "path=p"]
      ]
      for (const [line, candidates, word] of cases) {
        assert.deepStrictEqual(complete(line), [candidates, word], line)
        for (const candidate of candidates) {
          const read = ["", "'", '"'].flatMap((closing) => {
            const command = Console.parse(`look ${candidate}${closing}`, entries)
            return command.type === "call" ? [Object.values(command.params as object)[0]] : []
          })
          assert.include([...names, "fast"], read[0])
        }
      }
    })
  )

  it.effect(
    "is a command at a card too, but for a text of several lines; an answer may begin with a colon all the same",
    () =>
      Effect.map(tools, (entries) => {
        const parse = (line: string) => Console.parse(line, entries)
        assert.deepStrictEqual(
          [":quit", "  :card ", ":)", ":answer :a\n:b", "a :quit", ":a\n:b"].map(Console.isCommand),
          [true, true, true, true, false, false]
        )
        assert.deepStrictEqual(
          [":card", ":tools ", "?", ":help look", ":quit", ":vibe off", ":cards", "look"].map(Console.isAtOnce),
          [true, true, true, true, false, false, false, false]
        )
        assert.deepStrictEqual(
          ["look mode=fast", 'look {"mode":"fast"}', "look", "look at it", ":quit", "nothing a=b"].map((line) =>
            Console.isCall(parse(line))
          ),
          [true, true, false, false, false, false]
        )
        assert.deepStrictEqual(parse(":answer :quit  now"), { type: "answer", text: ":quit  now" })
        assert.deepStrictEqual(parse(":answer 2"), { type: "answer", text: "2" })
        assert.deepStrictEqual(parse(":skip"), { type: "skip" })
        assert.deepStrictEqual(parse(":card"), { type: "card" })
        assert.deepStrictEqual(parse(":answer "), { type: "wrong", message: "It is `:answer TEXT`." })
      })
  )

  it.effect("has help: of the console, and of a tool", () =>
    Effect.map(tools, (entries) => {
      assert.match(Console.help(undefined, entries), /TOOL KEY=VALUE[^]*Ctrl-C[^]*:vibe/)
      assert.strictEqual(
        Console.help("look", entries),
        "look (read): Looks. And more.\n  mode  (fast|full)  how to look\n  path?  (string)  where to look\n  deep?  (true|false)  how deep\n"
      )
      assert.match(Console.help("lok", entries), /no tool `lok` here\. Did you mean `look`/)
    })
  )
})

describe("a card on a terminal", () => {
  const card: Card = {
    card_id: "card_3",
    number: 3,
    kind: "question",
    asker: "worker_1 (x)",
    question: "Which\u001b[31m?",
    context: "c".repeat(5000),
    options: [{ label: "red", description: "warm" }, { label: "7" }],
    allow_free_text: true,
    multi_select: true
  }

  it("is shown with its number and who asks, and its text cannot control the terminal", () => {
    const text = CardText.render(card)
    assert.match(
      text,
      /^\[3\] worker_1 \(x\) asks: Which\\x1b\[31m\?\nc{4000}… \(5000 characters\)\n {2}1 {2}red \(warm\)\n {2}2 {2}7\n$/
    )
    const spoof: Card = {
      ...card,
      context: "",
      asker: "w\n  2  Deny",
      options: [{ label: "a\n  2  b", description: "c\nd" }]
    }
    assert.strictEqual(CardText.render(spoof), "[3] w 2  Deny asks: Which\\x1b[31m?\n  1  a 2  b (c d)\n")
    assert.match(CardText.render({ ...card, kind: "permission" }), /\?\nc{5000}\n {2}1 /)
    assert.strictEqual(CardText.prompt(card), "[3] numbers or text, empty to skip: ")
    assert.strictEqual(CardText.prompt({ ...card, options: [] }), "[3] text, empty to skip: ")
    assert.strictEqual(visible("a\tb\nc\r\n\u0000\u009b\u202e"), "a\tb\nc\n\\x00\\x9b\\u202e")
  })

  it("never takes a number for an option that has another label: the options are marked apart", () => {
    const spaces: Card = { ...card, multi_select: false, options: [{ label: "2" }, { label: "4" }, { label: "8" }] }
    assert.match(CardText.render(spaces), /\n {2}#1 {2}2\n {2}#2 {2}4\n {2}#3 {2}8\n$/)
    assert.strictEqual(CardText.prompt(spaces), "[3] #number or text, empty to skip: ")
    assert.deepStrictEqual(CardText.read(spaces, "2"), { selected: ["2"] })
    assert.deepStrictEqual(CardText.read(spaces, "#2"), { selected: [2] })
    assert.deepStrictEqual(CardText.read(spaces, "3"), { text: "3" })
    assert.deepStrictEqual(CardText.read({ ...spaces, allow_free_text: false }, "3"), { text: "3" })
    const same = { ...card, options: [{ label: "1" }, { label: "2" }] }
    assert.deepStrictEqual(CardText.read(same, "2"), { selected: [2] })
    const marked = { ...card, options: [{ label: "2" }, { label: "#1" }] }
    assert.deepStrictEqual(CardText.read(marked, "#1"), { selected: ["#1"] })
    assert.deepStrictEqual(CardText.read(marked, "##1"), { selected: [1] })
  })

  it("takes numbers of its options, text that is none, and an empty line as a skip", () => {
    assert.deepStrictEqual(CardText.read(card, "2, 1"), { selected: [2, 1] })
    assert.deepStrictEqual(CardText.read(card, "42"), { text: "42" })
    assert.deepStrictEqual(CardText.read(card, "7"), { selected: ["7"] })
    assert.deepStrictEqual(CardText.read(card, " 1 of them\nor 2 "), { text: " 1 of them\nor 2 " })
    assert.deepStrictEqual(CardText.read(card, "  "), { skip: true })
    assert.deepStrictEqual(CardText.read({ ...card, allow_free_text: false }, "green"), { selected: ["green"] })
    assert.deepStrictEqual(CardText.read({ ...card, allow_free_text: false }, "RED "), { selected: ["red"] })
    assert.deepStrictEqual(CardText.read(card, "RED "), { text: "RED " })
    const cases = { ...card, allow_free_text: false, options: [{ label: "a" }, { label: "A" }] }
    assert.deepStrictEqual(CardText.read(cases, "A"), { selected: ["A"] })
    assert.deepStrictEqual(Console.completeAnswer("r", card), [["red"], "r"])
    assert.deepStrictEqual(Console.completeAnswer(":s", card), [[":skip "], ":s"])
    assert.deepStrictEqual(Console.completeAnswer("", card), [[], ""])
  })
})
