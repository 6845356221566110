import { assert, describe, it } from "@effect/vitest"
import * as Fs from "node:fs"
import * as AgentSession from "../support/AgentSession.ts"
import * as Cli from "../support/Cli.ts"
import * as Leftovers from "../support/Leftovers.ts"
import * as Terminal from "../support/Terminal.ts"

const { inCheckout, model } = AgentSession

/** A module whose model says these parts in its turns, and after them that it is done. */
const said = (turns: ReadonlyArray<ReadonlyArray<readonly [tool: string, params: unknown]>>): string => `
import { Effect, Layer, Stream } from "effect"
import { LanguageModel } from "effect/ai"
const turns = ${JSON.stringify(turns)}
let turn = 0
const part = ([name, params], index) => ({ type: "tool-call", id: "call_" + turn + "_" + index, name, params })
export default Layer.effect(LanguageModel.LanguageModel, LanguageModel.make({
  generateText: () => Effect.sync(() => {
    const calls = turns[turn++]
    return calls === undefined ? [{ type: "text", text: "done" }] : calls.map(part)
  }),
  streamText: () => Stream.die("not played")
}))
`

const suite = Terminal.missing === undefined ? describe : describe.skip

suite(`livetools agent on a terminal${Terminal.missing === undefined ? "" : ` (skipped: ${Terminal.missing})`}`, () => {
  it(
    "plays a whole session: search, rewrite, diagnostics on write, rename, a cell, a question, two workers",
    { timeout: 120_000 },
    () => AgentSession.play()
  )
})

/** A model that asks while its worker works, or makes these calls. */
const asking = `
import { Effect, Layer, Stream } from "effect"
import { LanguageModel } from "effect/ai"
const say = (text, calls = []) => [{ type: "text", text }, ...calls.map(([name, params], n) => ({ type: "tool-call", id: "c" + n, name, params }))]
const turns = { main: 0, worker: 0 }
export default Layer.effect(LanguageModel.LanguageModel, LanguageModel.make({
  generateText: ({ tools }) => Effect.gen(function* () {
    if (tools.some(({ name }) => name === "vibe_spawn")) {
      return [
        say("I spawn.", [["vibe_spawn", { brief: "x", label: "w" }]]),
        say("I ask.", [["ask_user", { question: "Which colour?" }]])
      ][turns.main++] ?? say("done")
    }
    yield* Effect.sleep(1500)
    if (turns.worker++ > 0) throw new Error("no such model")
    return say("At it.", [["read", { path: "src/main.ts" }]])
  }),
  streamText: () => Stream.die("not played")
}))
`

suite(
  `a card of livetools agent${Terminal.missing === undefined ? "" : ` (skipped: ${Terminal.missing})`}`,
  { timeout: 120_000 },
  () => {
    const open = (folder: { readonly root: string; readonly path: (name: string) => string }, text: string) => {
      Fs.writeFileSync(folder.path("m.mjs"), text)
      return Terminal.open(["agent", "--vibe", "--yes", "--model", "m.mjs", "Go"], folder.root)
    }

    it("stays under the transcript, which goes on above what is being typed, and says that a worker failed", () =>
      inCheckout(async (folder) => {
        const screen = open(folder, asking)
        try {
          await screen.see(/\[1\] Which colour\?\n[^]*\[1\] text, empty to skip: /)
          screen.type("blu")
          await screen.see(/\[worker_1\] At it\.\n\[1\] text, empty to skip: blu/)
          await screen.see(
            /\[worker_1\] \(Failed: its language model .*no such model.*\n\[1\] text, empty to skip: blu/
          )
          screen.type("e\r")
          await screen.see(/The user wrote: blue\n[^]*done\n/)
          assert.strictEqual(await screen.closed, 0)
        } finally {
          screen.hangUp()
          await screen.closed
        }
      }))

    it("takes commands as commands, and says what Ctrl-D means for the run, which goes on", () =>
      inCheckout(async (folder) => {
        const screen = open(folder, asking)
        try {
          await screen.see(/\[1\] text, empty to skip: /)
          screen.type(":vibe off\r")
          await screen.see(/A card takes `:answer TEXT`, :skip, :card .* To answer with it: `:answer :vibe off`\./)
          screen.type(":card\r")
          await screen.see(/\[1\] Which colour\?\n[^]*\[1\] text, empty to skip: /)
          screen.type("\u0004")
          await screen.see(/\[1\] is left unanswered: you are not connected any more\. .*nobody is there\.\n/)
          await screen.see(/nobody_connected: No human is connected to this run[^]*done\n/)
          assert.strictEqual(await screen.closed, 0)
        } finally {
          screen.hangUp()
          await screen.closed
        }
      }))

    it("Ctrl-C in a cell ends the run with what the cell had printed", () =>
      inCheckout(async (folder) => {
        const code = "import time\nprint('row 1', flush=True)\nopen('printed', 'w').close()\ntime.sleep(600)"
        const screen = open(folder, said([[["eval", { code, description: "print and wait for long" }]]]))
        try {
          await screen.see(/> eval .*\n/)
          while (!Fs.existsSync(folder.path("printed"))) await new Promise((done) => setTimeout(done, 100))
          screen.type("\u0003")
          await screen.see(/ {2}cancelled\. It had shown:\n {2}row 1\n/)
          assert.strictEqual(await screen.closed, 130)
        } finally {
          screen.hangUp()
          await screen.closed
        }
      }))
  }
)

describe("livetools agent", { timeout: 120_000 }, () => {
  const agent = (root: string, ...args: Array<string>) => Cli.run(["agent", ...args], { cwd: root })

  it("without a model, or with one that is not there, is wrong usage", () =>
    inCheckout(async ({ root }) => {
      const none = await agent(root, "Go")
      assert.strictEqual(none.code, 2)
      assert.match(none.err, /an agent needs a language model: give --model MODULE/)
      const missing = await agent(root, "--model", "./nowhere.mjs", "Go")
      assert.strictEqual(missing.code, 2)
      assert.match(missing.err, /--model \.\/nowhere\.mjs cannot be loaded: there is no file/)
    }))

  it("goes on after a call above the cap and invalid parameters, and is denied what nobody approves", () =>
    inCheckout(async ({ path, root }) => {
      const calls = [
        [["write", { path: "x.txt", content: "x" }]],
        [["read", { pth: "a" }]],
        [["__proto__", {}]]
      ] as const
      Fs.writeFileSync(path("m.mjs"), said(calls))
      const capped = await agent(root, "--cap", "read", "--json", "--model", "m.mjs", "Go")
      assert.strictEqual(capped.code, 0, capped.err)
      const events = capped.out
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
      assert.deepStrictEqual(
        events.flatMap((event) => (event.type === "answer" ? [event.answer.code] : [])),
        ["unknown_tool", "invalid_params", "unknown_tool"]
      )
      assert.deepInclude(events.at(-1), { type: "ended", outcome: "done", text: "done" })
      const unapproved = await agent(root, "--model", "m.mjs", "Go")
      assert.match(
        unapproved.out,
        /> write \{"path":"x\.txt","content":"x"\}\n {2}no_approver: write is of the tier write/
      )
      assert.isFalse(Fs.existsSync(path("x.txt")))
    }))

  it("ends, with exit code 1, a model that makes the same call for ever, and one that fails", () =>
    inCheckout(async ({ path, root }) => {
      Fs.writeFileSync(path("m.mjs"), said(Array.from({ length: 50 }, () => [["read", { path: "src/main.ts" }]])))
      const stuck = await agent(root, "--model", "m.mjs", "Go")
      assert.strictEqual(stuck.code, 1)
      assert.match(stuck.out, /\(The model repeats itself and is told so\.\)/)
      assert.match(
        stuck.out,
        /\(Ended: the last 6 turns made calls that were made before, with the same answers\.\)\n$/
      )
      Fs.writeFileSync(
        path("m.mjs"),
        `import { Effect, Layer, Stream } from "effect"
import { AiError, LanguageModel } from "effect/ai"
export default Layer.effect(LanguageModel.LanguageModel, LanguageModel.make({
  generateText: () => AiError.make({ module: "m", method: "x", reason: new AiError.AuthenticationError({ kind: "InvalidKey" }) }),
  streamText: () => Stream.die("no")
}))`
      )
      const failed = await agent(root, "--model", "m.mjs", "Go")
      assert.strictEqual(failed.code, 1)
      assert.match(failed.err, /livetools: the language model of --model m\.mjs failed: /)
    }))
})

describe("livetools agent, of a model that is faulty", { timeout: 120_000 }, () => {
  const imports = `import { Effect, Layer, Stream } from "effect"\nimport { LanguageModel } from "effect/ai"\n`

  it("says in one line what failed and what to do, with exit code 1 and no stack", () =>
    inCheckout(async ({ path, root }) => {
      for (const [text, expected] of [
        [
          `${imports}export default Layer.effect(LanguageModel.LanguageModel, LanguageModel.make({
  generateText: () => { throw new TypeError("no such\\nfield") }, streamText: () => Stream.empty
}))`,
          "livetools: the language model of --model m.mjs failed: LanguageModel.generateText: its code threw TypeError: " +
            "no such field. That is a fault in the model, not in the task: correct it, or use another model\n"
        ],
        [
          `${imports}export default Layer.effect(LanguageModel.LanguageModel, Effect.die(new Error("no disk")))`,
          "livetools: --model m.mjs cannot be started: its Layer `default` failed with no disk. " +
            "Correct that, or give another --model.\n"
        ]
      ] as const) {
        Fs.writeFileSync(path("m.mjs"), text)
        const { code, err, out } = await Cli.run(["agent", "--model", "m.mjs", "Go"], { cwd: root })
        assert.deepStrictEqual({ code, err, out }, { code: 1, err: expected, out: "" })
      }
    }))
})

describe("vibe mode", { timeout: 120_000 }, () => {
  it("of serve: the tools come and go with it, the client is told, and a worker without a model says so", () =>
    inCheckout(async ({ root }) => {
      const serve = Cli.serve([], root)
      const names = async () => {
        const { result } = await serve.request("tools.list", {}).answer
        return (result as { tools: ReadonlyArray<{ name: string }> }).tools.map(({ name }) => name)
      }
      const five = ["vibe_spawn", "vibe_send", "vibe_wait", "vibe_kill", "vibe_list"]
      assert.notIncludeMembers(await names(), ["vibe_list"])
      assert.deepInclude(await serve.call("vibe_list", {}), { isFailure: true, code: "unknown_tool" })
      assert.deepNestedInclude(await serve.request("vibe.set", { on: true }).answer, { "result.on": true })
      await serve.find((message) => message.method === "tools.changed")
      assert.includeMembers(await names(), five)
      await serve.call("vibe_spawn", { brief: "Read src/main.ts", label: "reader" })
      const waited = await serve.call("vibe_wait", { worker_id: "worker_1" })
      assert.deepInclude(waited.value, { state: "failed", why: "failed" })
      assert.match(waited.text, /there is no language model for workers in this run; it is given with --model MODULE/)
      await serve.request("vibe.set", { on: false }).answer
      await serve.find((message) => message.method === "tools.changed")
      assert.deepInclude(await serve.call("vibe_list", {}), { isFailure: true, code: "unknown_tool" })
      assert.deepNestedInclude(await serve.request("vibe.set", { on: "yes" }).answer, { "error.code": -32602 })
      serve.end()
      assert.strictEqual(await serve.closed, 0)
    }))

  it("of every command: --vibe shows the tools, with a model the workers work, each in the same directory", () =>
    inCheckout(async ({ read, root }) => {
      const tools = await Cli.run(["tools", "--vibe", "--json", "--cap", "read"], { cwd: root })
      assert.includeMembers(
        JSON.parse(tools.out).tools.map(({ name }: { name: string }) => name),
        ["vibe_spawn", "vibe_list"]
      )
      const calls = [
        "vibe_spawn brief='Write NOTES.md' label=writer",
        "vibe_spawn brief='Read src/main.ts' label=reader tier=good",
        "vibe_wait worker_id=worker_1",
        "vibe_wait worker_id=worker_2",
        "vibe_list"
      ].join("\n")
      const ended = await Cli.run(["run", "--vibe", "--yes", "--model", model], { cwd: root, input: calls })
      assert.strictEqual(ended.code, 0, ended.err)
      assert.match(ended.out, /worker_1 \(writer\) has finished[^]*it is written/)
      assert.match(ended.out, /worker_2 \(reader\) has finished[^]*it has 2 lines/)
      assert.match(ended.out, /worker_2 {2}finished {2}good {2}.* s {2}reader: I have read it/)
      assert.strictEqual(read("NOTES.md"), "# Notes\n")
      const capped = await Cli.run(["run", "--vibe", "--cap", "read", "--model", model], {
        cwd: root,
        input: "vibe_spawn brief='Write OTHER.md' label=writer\nvibe_wait worker_id=worker_1\n"
      })
      assert.match(capped.out, /unknown_tool: There is no tool `write` here/)
    }))

  it("gives each worker interpreters of its own, which end with it", () =>
    inCheckout(async ({ path, root }) => {
      Fs.writeFileSync(
        path("m.mjs"),
        said([
          [
            [
              "eval",
              { code: "import os\nsecret = 1\nprint('pid', os.getpid())", description: "set a name in the worker" }
            ]
          ]
        ])
      )
      const serve = Cli.serve(["--vibe", "--yes", "--model", path("m.mjs")], root)
      await serve.call("vibe_spawn", { brief: "Set it", label: "setter" })
      assert.deepInclude((await serve.call("vibe_wait", { worker_id: "worker_1" })).value, { state: "finished" })
      const log = Fs.readdirSync(root, { recursive: true, encoding: "utf8" }).find((name) =>
        name.endsWith("worker_1.jsonl")
      )
      const pid = Number(/pid (\d+)/.exec(Fs.readFileSync(path(log!), "utf8"))?.[1])
      assert.isTrue(Leftovers.isRunning(pid))
      const mine = await serve.call("eval", { code: "secret", description: "look for the name here" })
      assert.match(mine.text, /NameError/)
      assert.deepInclude((await serve.call("vibe_kill", { worker_id: "worker_1" })).value, {
        state: "killed",
        why: "killed"
      })
      assert.isFalse(Leftovers.isRunning(pid))
      serve.end()
      assert.strictEqual(await serve.closed, 0)
    }))
})
