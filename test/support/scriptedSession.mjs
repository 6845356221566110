/**
 * A module for `livetools agent --model`: a language model that plays a whole session with the tools of a run, and stops with
 * an error of its own where an answer is not what a model would need. Where no debugger for Python is usable, the steps that drive one are left
 * out.
 */
import { Effect, Layer, Stream } from "effect"
import { LanguageModel } from "effect/ai"

const usage = {
  inputTokens: { uncached: undefined, total: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined }
}
let lastId = 0

/** @param {string} text @param {ReadonlyArray<readonly [string, object]>} calls */
const say = (text, calls = []) => [
  ...(text === "" ? [] : [{ type: "text", text }]),
  ...calls.map(([name, params]) => ({ type: "tool-call", id: `call_${++lastId}`, name, params })),
  { type: "finish", reason: calls.length > 0 ? "tool-calls" : "stop", usage, response: undefined }
]

const resultsOf = (prompt) =>
  prompt.content.flatMap((message) =>
    message.role === "tool" ? message.content.map((part) => ({ name: part.name, text: String(part.result) })) : []
  )

const lastText = (prompt) =>
  prompt.content
    .flatMap((message) =>
      message.role === "user" ? message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])) : []
    )
    .at(-1)

/** Each step: what it needs, what it calls, and what its first answer must match. */
const steps = [
  { call: () => ["ast_grep", { pattern: "console.log($A)", path: "src" }], expect: /src\/greet\.ts:2/ },
  {
    call: () => [
      "ast_edit",
      { pattern: "console.log($A)", rewrite: "console.info($A)", path: "src", language: "typescript" }
    ],
    expect: /edit_\d+/
  },
  {
    call: (seen) => ["resolve", { edit_id: /edit_\d+/.exec(seen.at(-1).text)[0], action: "accept" }],
    expect: /greet\.ts/
  },
  {
    call: () => ["edit", { path: "src/greet.ts", old_text: "return `hello ${name}`", new_text: "return name.length" }],
    expect: /not assignable to type 'string'/
  },
  {
    call: () => ["edit", { path: "src/greet.ts", old_text: "return name.length", new_text: "return `hello ${name}`" }],
    expect: /greet\.ts/
  },
  {
    call: () => ["lsp_rename", { file: "src/greet.ts", line: 1, symbol: "greet", new_name: "welcome" }],
    expect: /main\.ts/
  },
  { call: () => ["debug", { op: "adapters" }], expect: /^debugpy: (usable|not usable)/m },
  { debugs: true, call: () => ["debug", { op: "breakpoints", file: "total.py", lines: [3] }], expect: /total\.py:3/ },
  { debugs: true, call: () => ["debug", { op: "launch", program: "total.py" }], expect: /stopped.*total\.py:3/i },
  { debugs: true, call: () => ["debug", { op: "continue" }], expect: /stopped.*total\.py:3/i },
  { debugs: true, call: () => ["debug", { op: "evaluate", expression: "total * 100 + n" }], expect: /102/ },
  { debugs: true, call: () => ["debug", { op: "terminate" }], expect: /ended|terminated/i },
  {
    call: () => [
      "eval",
      {
        code: 'len(tool("read", {"path": "src/main.ts"}).splitlines())',
        description: "count the lines of the main file"
      }
    ],
    expect: /\b2\b/
  },
  {
    call: () => ["ask_user", { question: "Which greeting?", options: [{ label: "hello" }, { label: "hi" }] }],
    expect: /The user chose: hi/
  },
  { call: () => ["vibe_spawn", { brief: "Read src/main.ts", label: "reader" }], expect: /worker_1/ },
  { call: () => ["vibe_spawn", { brief: "Write NOTES.md", label: "writer", tier: "good" }], expect: /worker_2/ },
  { call: () => ["vibe_wait", { worker_id: "worker_1" }], expect: /it has 2 lines/ },
  { call: () => ["vibe_wait", { worker_id: "worker_2" }], expect: /it is written/ }
]

const playMain = (prompt) => {
  const seen = resultsOf(prompt)
  const canDebug = seen.some(({ name, text }) => name === "debug" && /^debugpy: usable/m.test(text))
  const played = steps.filter(({ debugs }) => debugs !== true || canDebug)
  const at = seen.length
  if (at > 0 && !played[at - 1].expect.test(seen[at - 1].text)) {
    return say(`Step ${at} (${seen[at - 1].name}) went wrong: ${seen[at - 1].text}`)
  }
  if (at === played.length) return say(`All ${at} steps are done: ${seen.map(({ name }) => name).join(" ")}.`)
  return say(`Step ${at + 1}.`, [played[at].call(seen)])
}

const playWorker = (prompt) => {
  const seen = resultsOf(prompt).at(-1)
  if (lastText(prompt).startsWith("Read")) {
    return seen === undefined
      ? say("", [["read", { path: "src/main.ts" }]])
      : say(`I have read it: it has ${seen.text.trim().split("\n").length} lines`)
  }
  return seen === undefined
    ? say("", [["write", { path: "NOTES.md", content: "# Notes\n" }]])
    : say(`As asked: it is written. ${seen.text}`)
}

export default Layer.effect(
  LanguageModel.LanguageModel,
  LanguageModel.make({
    generateText: ({ prompt, tools }) =>
      Effect.sync(() => {
        const names = tools.map(({ name }) => name)
        return names.includes("vibe_spawn") ? playMain(prompt) : playWorker(prompt)
      }),
    streamText: () => Stream.die("not played")
  })
)
