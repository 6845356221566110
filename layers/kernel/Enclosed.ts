/** The process port with every child started where the run's enclosure says (SPEC §8.5). */
import * as Os from "node:os"
import { Effect } from "effect"
import * as Enclosure from "../../src/kernel/Enclosure.ts"
import { type Exit, Processes, SpawnError } from "../../src/Processes.ts"

const signals = new Map(Object.entries(Os.constants.signals).map(([name, number]) => [number, name]))

/** What stands for an enclosure tells a signal inside as a shell does. */
const inside = (exit: Exit): Exit => {
  const signal = exit.code === undefined ? undefined : signals.get(exit.code - 128)
  if (signal === undefined) return exit
  return exit.ended === undefined ? { signal } : { signal, ended: exit.ended }
}

/** Without an enclosure it is the port as it was. `readable`: folders of the host that what is started must be able to read. */
export const make = Effect.fnUntraced(function* (
  readable: () => ReadonlyArray<string>
): Effect.fn.Return<Processes["Service"], never, Processes> {
  const host = yield* Processes
  const port = yield* Enclosure.Enclosure
  return Processes.of({
    ...host,
    spawn: Effect.fnUntraced(function* (options) {
      const { args, command, cwd, env = {} } = options
      const running = yield* Effect.mapError(
        Enclosure.place(port),
        (message) => new SpawnError({ command, reason: "other", message })
      )
      if (running === undefined) return yield* host.spawn(options)
      const process = yield* host.spawn({
        ...options,
        ...running.enter({ command, args, cwd, env, readable: readable() })
      })
      return { ...process, exit: Effect.map(process.exit, inside), end: Effect.map(process.end, inside) }
    })
  })
})
