/** An image that a cell shows reaches the model of a host as a content part, and a person at a terminal as a file. */
import { assert, describe, it } from "@effect/vitest"
import { generateText, stepCountIs } from "ai"
import { MockLanguageModelV3 } from "ai/test"
import { Effect, Stream } from "effect"
import { LanguageModel } from "effect/ai"
import * as Fs from "node:fs"
import * as Path from "node:path"
import * as Run from "../../layers/Run.ts"
import * as Surface from "../../src/Surface.ts"
import * as Cli from "../support/Cli.ts"
import * as AiSdk from "./AiSdk.ts"
import * as EffectAi from "./EffectAi.ts"
import * as Opencode from "./Opencode.ts"

const png = Buffer.from("89504e470d0a1a0a0000000d4948445200000005000000070802000000", "hex")
const base64 = png.toString("base64")
const code = `display.image("${base64}"); 1`
const params = { code, description: "show a small picture to people", language: "javascript" }

const inRun = <A, E>(body: Effect.Effect<A, E, Surface.Wired>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => Cli.folder({})),
    ({ root }) => {
      const options = { cwd: root, cap: "exec", isApproved: true, isTrusted: true, conversation: undefined } as const
      return Effect.provide(body, Run.layer(options))
    },
    ({ remove }) => Effect.sync(remove)
  )

describe("an image of a cell", () => {
  it.live("is a part of the result in effect/ai", () =>
    inRun(
      Effect.gen(function* () {
        const model = yield* LanguageModel.make({
          generateText: () => Effect.succeed([{ type: "tool-call", id: "1", name: "eval", params }]),
          streamText: () => Stream.empty
        })
        const response = yield* Effect.provideService(EffectAi.ask("show it"), LanguageModel.LanguageModel, model)
        const [result] = response.toolResults
        const parts = result?.modelOutput ?? []
        assert.deepStrictEqual(
          parts.map((part) => (part.type === "file" ? [part.mediaType, part.data] : part.type)),
          ["text", ["image/png", base64]]
        )
      })
    )
  )

  it.live("is a content part in the Vercel AI SDK", () =>
    inRun(
      Effect.gen(function* () {
        const surface = yield* Surface.Wired
        const usage = {
          inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: 1, text: 1, reasoning: 0 }
        }
        const call = { type: "tool-call" as const, toolCallId: "1", toolName: "eval", input: JSON.stringify(params) }
        const model = new MockLanguageModelV3({
          doGenerate: [
            { content: [call], finishReason: { unified: "tool-calls", raw: "" }, usage, warnings: [] },
            {
              content: [{ type: "text", text: "seen" }],
              finishReason: { unified: "stop", raw: "" },
              usage,
              warnings: []
            }
          ]
        })
        yield* Effect.promise(() =>
          generateText({ model, prompt: "show it", tools: AiSdk.tools(surface), stopWhen: stepCountIs(2) })
        )
        const sent = JSON.stringify(model.doGenerateCalls[1]?.prompt)
        assert.include(sent, "[image/png, 5×7, 29 bytes]")
        assert.include(sent, '"mediaType":"image/png"')
        assert.strictEqual(sent.split(base64).length - 1, 2, "in the code of the call and in the part")
      })
    )
  )

  it.live("is an attachment in opencode", () =>
    inRun(
      Effect.gen(function* () {
        const tools = Opencode.tools(yield* Surface.Wired)
        const context = { abort: new AbortController().signal } as never
        const result = yield* Effect.promise(() => tools["eval"]!.execute(params, context))
        if (typeof result === "string") return assert.fail(result)
        assert.deepStrictEqual(result.attachments, [
          { type: "file", mime: "image/png", url: `data:image/png;base64,${base64}` }
        ])
      })
    )
  )

  it("is saved by the command line, which says where", async () => {
    const { remove, root } = Cli.folder({})
    const words = [`code=${code}`, "description=show a small picture to people", "language=javascript"]
    const { code: exitCode, err, out } = await Cli.run(["call", "--yes", "eval", ...words], { cwd: root })
    assert.strictEqual(exitCode, 0, err)
    const path = /^image: (.+\.png)$/m.exec(out)?.[1]
    assert.isDefined(path, out)
    assert.deepStrictEqual(Fs.readFileSync(path!), png)
    Fs.rmSync(Path.dirname(path!), { recursive: true })
    const json = await Cli.run(["call", "--yes", "--json", "eval", ...words], { cwd: root })
    assert.strictEqual(json.out.trim().split("\n").length, 1)
    remove()
  })

  it("is saved by the command line as a drawing, too", async () => {
    const { remove, root } = Cli.folder({})
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"><circle r="3"/></svg>'
    const words = [`code=display.svg(${JSON.stringify(svg)})`, "description=draw a circle for people to see"]
    const { err, out } = await Cli.run(["call", "--yes", "eval", "language=javascript", ...words], { cwd: root })
    const path = /^image: (.+\.svg)$/m.exec(out)?.[1]
    assert.isDefined(path, `${out}${err}`)
    assert.strictEqual(Fs.readFileSync(path!, "utf8"), svg)
    Fs.rmSync(Path.dirname(path!), { recursive: true })
    remove()
  })
})
