/** From the numbers of a model to the thread, frame or variable that it means, or why there is none (SPEC §7.4). */
import { Effect } from "effect"
import type * as References from "../../src/debug/References.ts"
import * as ToolError from "../../src/ToolError.ts"
import * as Context from "./Context.ts"
import type { Current } from "./Current.ts"
import type { Live } from "./Live.ts"
import type { Session } from "./Session.ts"

export const session = (live: Live, key: number): Effect.Effect<Session, ToolError.ToolError> =>
  Effect.suspend(() => {
    const found = live.sessions.get(key) ?? [...live.sessions.values()][0]
    return found === undefined
      ? Effect.fail(ToolError.make("not_ready", "The adapter is not there yet."))
      : Effect.succeed(found)
  })

/** The threads of all sessions, by our numbers. */
export const threads = Effect.fnUntraced(function* (current: Current, live: Live) {
  const stop = live.execution.current()
  const each = yield* Effect.forEach(live.sessions.values(), (one) =>
    Effect.map(Context.threads(one, stop?.session === one.key ? stop.threadId : undefined), (found) =>
      found.map(({ id, name }) => {
        const process = current.around.processOf(one)
        return {
          id: current.threads.give(one.key, id),
          name: process === undefined ? name : `${name} (process ${process})`
        }
      })
    )
  )
  return each.flat()
})

/** The thread that was named, of the last stop, or the first; by the number of its adapter. */
export const thread = Effect.fnUntraced(function* (current: Current, live: Live, wanted: number | undefined) {
  if (wanted === undefined) {
    const stop = live.execution.current()
    const own = yield* session(live, stop?.session ?? 0)
    return { session: own, id: yield* Context.threadOf(own, stop) }
  }
  const all = current.threads.find(wanted) === undefined ? yield* threads(current, live) : []
  const found = current.threads.find(wanted)
  if (found === undefined) {
    const ids = all.slice(0, 10).map(({ id, name }) => `${id} (${name})`)
    return yield* ToolError.make(
      "invalid_params",
      `There is no thread ${wanted}. There are: ${ids.join(", ")}${all.length > ids.length ? ", …" : ""}.`
    )
  }
  return { session: yield* session(live, found.session), id: found.id }
})

/** What a number stands for at this stop. */
export const handle = Effect.fnUntraced(function* (
  current: Current,
  generation: number,
  number: number,
  kind: References.Handle["kind"]
) {
  const what = kind === "frame" ? "frame" : "reference"
  const found = current.references.find(generation, number)
  if (found === "stale") {
    return yield* ToolError.make(
      "stale_reference",
      `${what} ${number} is from an earlier stop: the program has gone on since. Ask for \`stack\` again.`
    )
  }
  if (found === "unknown" || found.kind !== kind) {
    const hint =
      found === "unknown"
        ? `it was never given. \`${kind === "frame" ? "stack" : "scopes"}\` gives them`
        : `that number is of a ${found.kind === "frame" ? "frame" : "reference"}`
    return yield* ToolError.make("invalid_params", `There is no ${what} ${number}: ${hint}.`)
  }
  return found
})
