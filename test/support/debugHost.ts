/** A host of its own, to be killed by a test: it launches `a.t` of a folder in a debugger, says what came of it, then waits for ever. */
import { Effect, Layer } from "effect"
import * as NodeDebuggers from "../../layers/debug/NodeDebuggers.ts"
import * as NodeProcesses from "../../layers/process/NodeProcesses.ts"
import * as NodeWorkspace from "../../layers/workspace/NodeWorkspace.ts"
import { Debuggers } from "../../src/debug/Debuggers.ts"

const [runId = "", root = "", argv = "[]"] = process.argv.slice(2)

const main = Effect.gen(function* () {
  const debugger_ = yield* Effect.flatMap(Debuggers, (debuggers) => debuggers.of("conversation"))
  const path = `${root}/a.t`
  yield* debugger_.setBreakpoints({ file: { path, wanted: [{ line: 3 }] } })
  const value = yield* debugger_.launch({ program: { path, kind: "file" }, args: [], env: {} })
  process.stdout.write(`${JSON.stringify(value)}\nready\n`)
  return yield* Effect.never
}).pipe(
  Effect.provide(
    NodeDebuggers.layer({
      find: () =>
        Effect.succeed([
          {
            adapter: {
              id: "fake",
              command: [],
              transport: "stdio",
              markers: [],
              extensions: [".t"],
              launchArguments: ({ program }) => ({ program }),
              attach: { how: "connect", arguments: () => ({}) }
            },
            usable: true,
            command: JSON.parse(argv) as ReadonlyArray<string>
          }
        ])
    }).pipe(Layer.provide([NodeProcesses.layer({ runId }), NodeWorkspace.layer({ root })]))
  )
)

Effect.runFork(main)
