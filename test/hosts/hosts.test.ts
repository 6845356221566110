/** Each host's adapter is at most ten lines of code (checked here), compiled by `npm run check`, and really called. */
import { assert, describe, it } from "@effect/vitest"
import { generateText, stepCountIs } from "ai"
import { MockLanguageModelV3 } from "ai/test"
import { Effect, Stream } from "effect"
import { LanguageModel } from "effect/ai"
import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import * as Run from "../../layers/Run.ts"
import * as Surface from "../../src/Surface.ts"
import * as Cli from "../support/Cli.ts"
import * as AiSdk from "./AiSdk.ts"
import * as EffectAi from "./EffectAi.ts"
import * as Executor from "./Executor.ts"
import * as Opencode from "./Opencode.ts"

const source = "console.log(1)\nif (a) console.log(b.c)\n"
const params = { pattern: "console.log($A)", language: "javascript" }

const inRun = <A, E>(body: Effect.Effect<A, E, Surface.Wired>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => Cli.folder({ "a.js": source })),
    ({ root }) => {
      const options = { cwd: root, cap: "exec", isApproved: true, isTrusted: true, conversation: undefined } as const
      return Effect.provide(body, Run.layer(options))
    },
    ({ remove }) => Effect.sync(remove)
  )

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url))

describe("adapters", () => {
  it.each(["EffectAi.ts", "AiSdk.ts", "Opencode.ts", "Executor.ts", "loop.py"])("%s has at most ten lines", (name) => {
    const text = readFileSync(file(name), "utf8")
    const code = text
      .replace(/^export interface [^]*?\n}\n/m, "")
      .split("\n")
      .filter((line) => line.trim() !== "" && !/^(?:import |\/\*\*)/.test(line))
    assert.isAtMost(code.length, 10)
  })
})

describe("README.md", () => {
  it("shows the composition that is compiled here, with the package's own names", () => {
    const code = readFileSync(file("Compose.ts"), "utf8")
      .replace('"../../src/index.ts"', '"livetools"')
      .replace('"../../layers/index.ts"', '"livetools/node"')
    assert.include(readFileSync(file("../../README.md"), "utf8"), code)
  })

  it("names every tool that a run has, with its tier", async () => {
    const readme = readFileSync(file("../../README.md"), "utf8")
    const { out } = await Cli.run(["tools", "--json"], { cwd: file(".") })
    const { tools } = JSON.parse(out) as { tools: ReadonlyArray<{ name: string; tier: string }> }
    for (const { name, tier } of tools) assert.include(readme, `| \`${name}\` | ${tier} |`)
  })
})

describe("hosts", () => {
  it.live("effect/ai: a scripted model calls the tool and is given its text", () =>
    inRun(
      Effect.gen(function* () {
        const model = yield* LanguageModel.make({
          generateText: () => Effect.succeed([{ type: "tool-call", id: "1", name: "ast_grep", params }]),
          streamText: () => Stream.empty
        })
        const response = yield* Effect.provideService(EffectAi.ask("find logs"), LanguageModel.LanguageModel, model)
        const [result] = response.toolResults
        assert.isFalse(result?.isFailure)
        assert.match(JSON.stringify(result?.encodedResult), /a\.js:2/)
      })
    )
  )

  it.live("Vercel AI SDK: generateText with its mock model calls the tool and is given its text", () =>
    inRun(
      Effect.gen(function* () {
        const surface = yield* Surface.Wired
        const usage = {
          inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: 1, text: 1, reasoning: 0 }
        }
        const call = {
          type: "tool-call" as const,
          toolCallId: "1",
          toolName: "ast_grep",
          input: JSON.stringify(params)
        }
        const steps = [
          { content: [call], finishReason: { unified: "tool-calls" as const, raw: "" }, usage, warnings: [] },
          {
            content: [{ type: "text" as const, text: "two" }],
            finishReason: { unified: "stop" as const, raw: "" },
            usage,
            warnings: []
          }
        ]
        const model = new MockLanguageModelV3({ doGenerate: steps })
        const { steps: done, text } = yield* Effect.promise(() =>
          generateText({ model, prompt: "find logs", tools: AiSdk.tools(surface), stopWhen: stepCountIs(2) })
        )
        assert.strictEqual(text, "two")
        assert.match(JSON.stringify(done[0]?.toolResults[0]?.output), /a\.js:2/)
        const offered = model.doGenerateCalls[0]?.tools?.find((each) => each.name === "ast_grep")
        assert.deepNestedInclude(offered, { type: "function", "inputSchema.additionalProperties": false })
      })
    )
  )

  it.live("opencode: its tool definition runs the call, its abort signal ends it", () =>
    inRun(
      Effect.gen(function* () {
        const surface = yield* Surface.Wired
        const { ast_grep } = Opencode.tools(surface)
        const context = (abort: AbortSignal) =>
          ({
            abort,
            sessionID: "s",
            messageID: "m",
            agent: "a",
            directory: "",
            worktree: "",
            metadata: () => {}
          }) as never
        const result = yield* Effect.promise(() => ast_grep!.execute(params, context(new AbortController().signal)))
        assert.match(typeof result === "string" ? result : result.output, /a\.js:2/)
        const aborted = yield* Effect.promise(() =>
          ast_grep!.execute(params, context(AbortSignal.abort(new Error("stop")))).then(
            () => "ran",
            (error: Error) => error.message
          )
        )
        assert.strictEqual(aborted, "stop")
      })
    )
  )

  it.live("executor: its static tool validates by Standard Schema and gives the structured value", () =>
    inRun(
      Effect.gen(function* () {
        const surface = yield* Surface.Wired
        const tool = Executor.tools(surface).find(({ name }) => name === "ast_grep")!
        const value = yield* tool.handler({ args: params })
        assert.deepNestedInclude(value, { "matches[0].path": "a.js", "matches[1].captures.A": "b.c", total: 2 })
        assert.match(String(yield* Effect.flip(tool.handler({ args: {} }))), /`pattern` is missing/)
        const standard = tool.inputSchema!["~standard"]
        assert.deepStrictEqual(yield* Effect.promise(async () => standard.validate(params)), { value: params })
        assert.isDefined((yield* Effect.promise(async () => standard.validate({}))).issues)
        assert.deepNestedInclude(standard.jsonSchema.input({ target: "draft-2020-12" }), {
          additionalProperties: false
        })
      })
    )
  )

  it("a Python loop over livetools serve", async () => {
    const { remove, root } = Cli.folder({ "a.js": source })
    try {
      const args = [file("loop.py"), process.execPath, Cli.bin, "serve", "--cwd", root]
      const { stdout } = await promisify(execFile)("python3", args)
      const [found, refused] = stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
      assert.deepNestedInclude(found, { isFailure: false, "value.total": 2, "value.matches[1].captures.A": "b.c" })
      assert.deepNestedInclude(refused, { isFailure: true, code: "unparseable_pattern" })
    } finally {
      remove()
    }
  })
})
