import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, type Scope } from "effect"
import * as Fs from "node:fs"
import * as AgentModule from "../../layers/AgentModule.ts"
import { AgentModels } from "../../src/harness/AgentModels.ts"
import { inCheckout } from "../support/AgentSession.ts"

const imports = `import { Effect, Layer, Stream } from "effect"\nimport { LanguageModel } from "effect/ai"\n`
const says = (text: string) => `Layer.effect(LanguageModel.LanguageModel, LanguageModel.make({
  generateText: () => Effect.succeed([{ type: "text", text: "${text}" }]), streamText: () => Stream.empty
}))`

let lastFile = 0
const withModule = (text: string, body: (name: string) => Effect.Effect<void, unknown, Scope.Scope>) =>
  inCheckout(({ path }) => {
    const file = path(`model${++lastFile}.mjs`)
    Fs.writeFileSync(file, text)
    return Effect.runPromise(Effect.scoped(body(file)))
  })

const saidBy = (name: string) =>
  Effect.gen(function* () {
    const models = yield* AgentModels
    const say = (grade: "main" | "fast" | "good") =>
      Effect.map(models[grade].generateText({ prompt: "x" }), ({ text }) => text)
    return yield* Effect.all([say("main"), say("fast"), say("good")])
  }).pipe(Effect.provide(AgentModule.layer(name)))

const isWrong = (text: string, expected: RegExp) =>
  withModule(text, (name) =>
    Effect.map(Effect.flip(Layer.build(AgentModule.layer(name))), ({ message }) => assert.match(message, expected))
  )

describe("a module with language models", () => {
  it("gives the model of the agent and of both grades of workers: its default, or its only Layer", async () => {
    await withModule(`${imports}export default ${says("a")}`, (name) =>
      Effect.map(saidBy(name), (said) => assert.deepStrictEqual(said, ["a", "a", "a"]))
    )
    await withModule(`${imports}export const scripted = ${says("b")}\nexport const fast = ${says("c")}`, (name) =>
      Effect.map(saidBy(name), (said) => assert.deepStrictEqual(said, ["b", "c", "b"]))
    )
  })

  it("that is no module, exports no Layer, no model, or cannot be started is wrong, with what is wrong", async () => {
    await isWrong("nonsense(", /--model .*model\d+\.mjs cannot be loaded: /)
    await isWrong(
      "export const x = 1",
      /its export `default` is not a Layer\. It must be a Layer of effect\/ai's LanguageModel/
    )
    await isWrong(`${imports}export default Layer.empty`, /the Layer `default` gives no LanguageModel of effect\/ai/)
    await isWrong(`${imports}export default ${says("a")}\nexport const good = 1`, /its export `good` is not a Layer/)
    await isWrong(
      `${imports}export default Layer.effectDiscard(Effect.fail(new Error("no key")))`,
      /--model .*model\d+\.mjs cannot be started: its Layer `default` failed with no key\. Correct that, or give another/
    )
    await isWrong(
      `${imports}export default ${says("a")}\nexport const good = Layer.effectDiscard(Effect.die(new Error("no disk")))`,
      /cannot be started: its Layer `good` failed with no disk\./
    )
  })
})
