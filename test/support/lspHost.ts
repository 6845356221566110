/** A host of its own, to be killed by a test: it asks the servers of a folder and prints the answer, then waits for ever. */
import { Effect, Layer, Option } from "effect"
import * as NodeLanguageServers from "../../layers/lsp/NodeLanguageServers.ts"
import * as NodeProcesses from "../../layers/process/NodeProcesses.ts"
import * as NodeWorkspace from "../../layers/workspace/NodeWorkspace.ts"
import { LanguageServers } from "../../src/lsp/LanguageServers.ts"
import type { Row } from "../../src/lsp/rows/Row.ts"

const [runId = "", root = "", args = "[]"] = process.argv.slice(2)

const row: Row = {
  id: "fake",
  languages: [{ id: "tee", extensions: [".t"] }],
  markers: ["root.marker"],
  binary: { name: "node" },
  args: JSON.parse(args) as ReadonlyArray<string>
}

const main = Effect.gen(function* () {
  const servers = yield* LanguageServers
  const answers = yield* servers.ask(
    {
      name: "hover",
      scope: "place",
      isProvided: () => true,
      ask: (asking) => Effect.map(asking.request("textDocument/hover", asking.place), Option.fromNullishOr)
    },
    { file: `${root}/a.t` }
  )
  process.stdout.write(`${JSON.stringify(answers)}\nready\n`)
  return yield* Effect.never
}).pipe(
  Effect.provide(
    NodeLanguageServers.layer({
      rows: [row],
      findBinary: () => Effect.succeed({ status: "found", command: process.execPath })
    }).pipe(Layer.provide([NodeProcesses.layer({ runId }), NodeWorkspace.layer({ root })]))
  )
)

Effect.runFork(main)
