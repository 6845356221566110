/** The port `Processes` on Node (DESIGN, "Processes"). */
import { randomUUID } from "node:crypto"
import { Effect, Layer } from "effect"
import { type Options, Processes } from "../../src/Processes.ts"
import * as Child from "./Child.ts"
import * as Executable from "./Executable.ts"
import * as Fifo from "./Fifo.ts"
import * as Guardian from "./Guardian.ts"
import * as ProcessTable from "./ProcessTable.ts"
import * as Tree from "./Tree.ts"

/** The marks of the runs above this one are kept: who ends an outer run ends what an inner one left. */
const mark = (name: string, value: string): string => [process.env[name], value].filter(Boolean).join(":")

const environment = (options: Options, runId: string, id: string): Child.Environment => {
  // Without a prototype: a variable may have any name.
  const env: Record<string, string> = Object.create(null)
  const inherited = options.extendEnv === false ? {} : process.env
  const marks = { LIVETOOLS_RUN: mark("LIVETOOLS_RUN", runId), [Tree.variable]: mark(Tree.variable, id) }
  for (const source of [inherited, options.env ?? {}, marks]) {
    for (const [name, value] of Object.entries(source)) {
      if (value === undefined) delete env[name]
      else env[name] = value
    }
  }
  return env
}

/** The port for one run. */
const make = Effect.fn("NodeProcesses.make")(function* (runId: string) {
  if (!/^[\w-]+$/.test(runId)) {
    return yield* Effect.die(new Error(`a run id has only letters, digits, "_" and "-": ${JSON.stringify(runId)}`))
  }
  const context = yield* Effect.context<never>()
  const guardian = Guardian.make(runId, (why) =>
    Effect.runForkWith(context)(
      Effect.logWarning(`no guardian could be started (${why}): if this process is killed, its children stay`)
    )
  )
  const children = new Map<number, Child.Child>()
  let spawned = 0
  let over = false

  yield* Effect.addFinalizer(() =>
    Effect.suspend(() => {
      over = true
      return Effect.forEach([...children.values()], (child) => child.close, { concurrency: "unbounded", discard: true })
    }).pipe(Effect.andThen(guardian.close))
  )

  const start = Effect.fnUntraced(function* (options: Options) {
    if (over) return yield* Executable.failure(options.command, "run_ended", "the run has ended")
    const id = ++spawned
    const markOfChild = `${runId}.${id}`
    const env = environment(options, runId, markOfChild)
    const wrong =
      Executable.checkArguments(options.command, options.args, env) ??
      Executable.checkDirectory(options.command, options.cwd)
    if (wrong !== undefined) return yield* wrong
    const file = yield* Effect.fromResult(Executable.find(options.command, options.cwd, env["PATH"]))
    const making = options.stdio === "fifo" ? Fifo.make(Child.outputs(options).length) : Effect.succeed([])
    // The guardian begins while they are made.
    const [fifos] = yield* Effect.all([making, Effect.sync(guardian.start)], { concurrency: 2 })
    return yield* Child.launch(options, file, env, fifos, (started) => {
      const { pid } = started
      const root: Tree.Root = {
        pid,
        start: ProcessTable.startOf(pid),
        mark: markOfChild,
        pipes: new Set(ProcessTable.pipesOf(pid)),
        groupIsGone: false
      }
      guardian.hold(id, root)
      const child = Child.wire(options, started, root, {
        groupGone: () => guardian.update(id),
        gone: () => guardian.release(id)
      })
      children.set(id, child)
      return {
        ...child,
        close: Effect.andThen(
          child.close,
          Effect.sync(() => children.delete(id))
        )
      }
    })
  })

  const spawn = Effect.fn("Processes.spawn")(function* (options: Options) {
    const child = yield* Effect.acquireRelease(start(options), ({ close }) => close)
    if (options.memoryLimit !== undefined) yield* Effect.forkScoped(child.watch)
    return child.process
  })
  return Processes.of({ runId, spawn })
})

/** Acquires the port for one run; when its scope closes, all children end at once and the guardian after them. */
export const layer = (options?: { readonly runId?: string | undefined }): Layer.Layer<Processes> =>
  Layer.effect(
    Processes,
    Effect.suspend(() => make(options?.runId ?? randomUUID()))
  )
