/** Loads the language models of a run from a module that the user names (`--model`). */
import { Cause, Context, Effect, Layer } from "effect"
import { LanguageModel } from "effect/ai"
import { FetchHttpClient } from "effect/http"
import * as Fs from "node:fs"
import { createRequire } from "node:module"
import * as Path from "node:path"
import { pathToFileURL } from "node:url"
import { AgentModels } from "../src/harness/AgentModels.ts"
import * as AgentOpenAi from "../src/harness/AgentOpenAi.ts"
import { ModelFailed, UsageError } from "../src/harness/Usage.ts"

/**
 * `openai:MODEL`: that model of an endpoint that speaks OpenAI's Chat Completions, at `$OPENAI_BASE_URL` with `$OPENAI_API_KEY`.
 * Else the models of a module, which is a file (from this process's directory) or a package. Its default export, or its only one,
 * is a Layer of `LanguageModel`; `fast` and `good` may be others for the workers of these grades. Fails with what is wrong with it.
 */
export const layer = (name: string): Layer.Layer<AgentModels, UsageError | ModelFailed> =>
  name.startsWith(openai) ? openAi(name.slice(openai.length)) : fromModule(name)

const openai = "openai:"

const openAi = (model: string): Layer.Layer<AgentModels> =>
  Layer.effect(
    AgentModels,
    Effect.map(LanguageModel.LanguageModel, (main) => ({ name: `${openai}${model}`, main, fast: main, good: main }))
  ).pipe(
    Layer.provide(
      AgentOpenAi.layer({
        model,
        baseUrl: process.env["OPENAI_BASE_URL"] || "https://api.openai.com/v1",
        apiKey: process.env["OPENAI_API_KEY"] || undefined
      })
    ),
    Layer.provide(FetchHttpClient.layer)
  )

const fromModule = (name: string): Layer.Layer<AgentModels, UsageError | ModelFailed> =>
  Layer.effect(
    AgentModels,
    Effect.gen(function* () {
      const exports = yield* Effect.tryPromise({
        try: () => import(locate(name)) as Promise<{ readonly [name: string]: unknown }>,
        catch: (error) => new UsageError({ message: `--model ${name} cannot be loaded: ${messageOf(error)}` })
      })
      const main = yield* model(name, ...mainOf(exports))
      const or = (grade: string) =>
        exports[grade] === undefined ? Effect.succeed(main) : model(name, grade, exports[grade])
      return { name, main, fast: yield* or("fast"), good: yield* or("good") }
    })
  )

const locate = (name: string): string => {
  const file = Path.resolve(name)
  if (Fs.existsSync(file)) return pathToFileURL(file).href
  if (name.startsWith(".") || Path.isAbsolute(name)) throw new Error(`there is no file ${file}`)
  return pathToFileURL(createRequire(`${process.cwd()}/`).resolve(name)).href
}

/** The default export; without one, the only Layer that is not for a grade of workers. */
const mainOf = (exports: { readonly [name: string]: unknown }): readonly [name: string, value: unknown] => {
  if (exports["default"] !== undefined) return ["default", exports["default"]]
  const layers = Object.entries(exports).filter(
    ([name, value]) => Layer.isLayer(value) && name !== "fast" && name !== "good"
  )
  return layers.length === 1 ? layers[0]! : ["default", undefined]
}

const model = Effect.fnUntraced(function* (name: string, exported: string, value: unknown) {
  if (!Layer.isLayer(value)) {
    return yield* new UsageError({
      message: `--model ${name}: its export \`${exported}\` is not a Layer. It must be a Layer of effect/ai's LanguageModel.`
    })
  }
  // What a foreign module exports has no type here; whether it gives a model is looked up below.
  const context = yield* Layer.build(value as Layer.Layer<unknown, unknown>).pipe(
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.interrupt
        : Effect.fail(
            new ModelFailed({
              message:
                `--model ${name} cannot be started: its Layer \`${exported}\` failed with ${messageOf(Cause.squash(cause))}. ` +
                "Correct that, or give another --model."
            })
          )
    )
  )
  const found = Context.getOption(context, LanguageModel.LanguageModel)
  return yield* Effect.fromOption(found).pipe(
    Effect.mapError(
      () =>
        new UsageError({ message: `--model ${name}: the Layer \`${exported}\` gives no LanguageModel of effect/ai.` })
    )
  )
})

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
