import { Effect, Layer } from "effect"
import { astGrep, Surface } from "../../src/index.ts"
import { NodeParsers, NodeWorkspace } from "../../layers/index.ts"

const resources = Layer.merge(NodeParsers.layer(), NodeWorkspace.layer({ root: process.cwd() }))
const program = Effect.gen(function* () {
  const surface = yield* Surface.make([astGrep], { cap: "read" })
  const answer = yield* surface.call("ast_grep", { pattern: "console.log($A)" })
  console.log(answer.text)
})
await Effect.runPromise(program.pipe(Effect.scoped, Effect.provide(resources)))
