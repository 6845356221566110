/**
 * A host of its own, to be killed by a test: `node host.mjs RUN_ID MODE SCRIPT [fifo]` starts `sh -c SCRIPT` through the port
 * and passes its output on. Modes: `wait` for ever, `kill` itself at once, `exit` at the first output without closing
 * anything, `leave` when the child has ended without closing anything, `close` the scope when the child has ended.
 */
import { Effect, Exit, Scope, Stream } from "effect"
import * as Layer from "effect/Layer"
import * as NodeProcesses from "../../layers/process/NodeProcesses.ts"
import { Processes } from "../../src/Processes.ts"

const [runId = "", mode = "", script = "", stdio] = process.argv.slice(2)

const main = Effect.gen(function* () {
  const scope = yield* Scope.make()
  const context = yield* Layer.buildWithScope(NodeProcesses.layer({ runId }), scope)
  const processes = yield* Processes.pipe(Effect.provideContext(context))
  const child = yield* processes
    .spawn({ command: "sh", args: ["-c", script], cwd: process.cwd(), stdio: stdio === "fifo" ? stdio : "socket" })
    .pipe(Effect.provideService(Scope.Scope, scope))
  if (mode === "kill") process.kill(process.pid, "SIGKILL")
  yield* Stream.runForEach(child.stdout, (chunk) =>
    Effect.sync(() => {
      process.stdout.write(chunk)
      if (mode === "exit") process.exit(0)
    })
  )
  yield* child.exit
  if (mode === "close") yield* Scope.close(scope, Exit.void)
  if (mode === "wait") return yield* Effect.never
})

Effect.runFork(main)
