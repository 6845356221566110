/** `threads`, `stack`, `scopes`, `variables`, `set_variable`, `evaluate`: one request each (checklist 50–60). */
import { Effect, Option } from "effect"
import type * as Debuggers from "../../src/debug/Debuggers.ts"
import * as Policy from "../../src/debug/Policy.ts"
import type * as References from "../../src/debug/References.ts"
import type * as Values from "../../src/debug/Values.ts"
import * as Wire from "../../src/debug/Wire.ts"
import * as ToolError from "../../src/ToolError.ts"
import * as Context from "./Context.ts"
import type { Current } from "./Current.ts"
import * as Inspect from "./Inspect.ts"
import type { Live } from "./Live.ts"
import * as Meant from "./Meant.ts"
import type { Session } from "./Session.ts"
import * as Told from "./Told.ts"

type Inspecting = Pick<Debuggers.Debugger, "threads" | "stack" | "scopes" | "variables" | "setVariable" | "evaluate">

export const make = (current: Current): Inspecting => {
  const { around, during, generationOf, present, state } = current

  /** Where the program stands; its generation is what the answer must belong to. */
  const standing = Effect.fnUntraced(function* (live: Live) {
    if (live.execution.current() === undefined) return yield* Told.notStopped
    return generationOf(live)
  })
  const whileStopped = <A>(
    body: (live: Live, generation: number) => Effect.Effect<A, ToolError.ToolError>
  ): Effect.Effect<A, ToolError.ToolError> =>
    Effect.gen(function* () {
      const live = yield* present
      const generation = yield* standing(live)
      const answer = yield* during(live)(body(live, generation))
      if (generation === generationOf(live)) return answer
      return yield* ToolError.make(
        "not_stopped",
        "The program went on while this was asked; the answer is of no use any more."
      )
    })

  const threads = Effect.gen(function* () {
    const live = yield* present
    const all = yield* during(live)(Meant.threads(current, live))
    return {
      ...state(),
      threads: all.slice(0, Policy.mostThreads),
      ...(all.length > Policy.mostThreads ? { total: all.length } : {})
    }
  })

  const stack: Inspecting["stack"] = (threadId) =>
    whileStopped(
      Effect.fnUntraced(function* (live) {
        const { id, session } = yield* Meant.thread(current, live, threadId)
        if (id === undefined) return { ...state(), frames: [] }
        const { frames, total } = yield* Inspect.frames(session, id, Policy.mostFrames)
        return {
          ...state(),
          frames: frames.map((frame) => Context.toldFrame(around, session, frame)),
          ...(total > frames.length ? { total } : {})
        }
      })
    )

  const scopes: Inspecting["scopes"] = (frameId) =>
    whileStopped(
      Effect.fnUntraced(function* (live, generation) {
        const handle = yield* Meant.handle(current, generation, frameId, "frame")
        const session = yield* Meant.session(live, handle.session)
        const found = yield* Inspect.scopes(session, handle.id)
        return {
          ...state(),
          scopes: found.map(({ indexed, name, named, reference }) => ({
            name,
            reference:
              reference === 0
                ? 0
                : around.give(session, { kind: "variables", id: reference, name, indexed, named, frame: handle.id })
          }))
        }
      })
    )

  const variables: Inspecting["variables"] = (reference, start) =>
    whileStopped(
      Effect.fnUntraced(function* (live, generation) {
        if (reference === 0) {
          return { ...state(), variables: [], notes: ["Reference 0 means: it has no children."] }
        }
        const handle = yield* Meant.handle(current, generation, reference, "variables")
        const session = yield* Meant.session(live, handle.session)
        const found = yield* Inspect.children(session, handle, start, Policy.mostVariables)
        return {
          ...state(),
          variables: found.variables.map((one) =>
            Inspect.toldVariable(one, Policy.longestValue, (inner) =>
              around.give(session, { ...inner, frame: handle.frame })
            )
          ),
          total: found.total
        }
      })
    )

  const resultOf = (
    session: Session,
    body: unknown,
    key: "result" | "value",
    { frame, name }: Pick<References.Handle, "frame" | "name">
  ) => {
    const whole = Wire.text(body, key) ?? ""
    const reference = Wire.int(body, "variablesReference") ?? 0
    const type = Wire.text(body, "type")
    const indexed = Wire.int(body, "indexedVariables")
    const named = Wire.int(body, "namedVariables")
    const cut = `${Wire.cut(whole, Policy.longestResult)}… (${whole.length} characters)`
    return {
      result: whole.length > Policy.longestResult ? cut : whole,
      ...(type === undefined || type === "" ? {} : { type: Wire.oneLine(type, 200) }),
      ...(reference === 0
        ? {}
        : { reference: around.give(session, { kind: "variables", id: reference, name, indexed, named, frame }) })
    }
  }
  const reasonOf = ({ message }: ToolError.ToolError) => message.replace(/^\S+ refused `evaluate`: /, "")

  /** Evaluates the value once, where the adapter would not say that it cannot be evaluated. */
  const held = Effect.fnUntraced(function* (session: Session, frame: number | undefined, value: string) {
    const holds = session.adapter.quirks?.holdsValue
    if (holds === undefined) return value
    const expression = holds.hold.replace("${value}", () => value)
    yield* Effect.mapError(session.request("evaluate", { expression, frameId: frame, context: "repl" }), (error) =>
      error.code === "adapter_failed"
        ? ToolError.make("adapter_failed", `${value} could not be evaluated; nothing was set: ${reasonOf(error)}`)
        : error
    )
    return holds.held
  })

  /** The value that a child has now, where it can be evaluated: the adapter may list what it had when the program stopped. */
  const seen = Effect.fnUntraced(function* (session: Session, handle: References.Handle, name: string) {
    const all = yield* session.request("variables", { variablesReference: handle.id })
    const found = Wire.list(all, "variables").find((one) => Wire.text(one, "name") === name)
    const expression = Wire.text(found, "evaluateName") ?? ""
    if (expression === "") return undefined
    const context = session.adapter.quirks?.evaluateContext ?? "repl"
    const asked = session.request("evaluate", { expression, frameId: handle.frame, context })
    return Option.getOrUndefined(yield* Effect.option(asked))
  })

  const setVariable: Inspecting["setVariable"] = (reference, name, value) =>
    whileStopped(
      Effect.fnUntraced(function* (live, generation) {
        const handle = yield* Meant.handle(current, generation, reference, "variables")
        const session = yield* Meant.session(live, handle.session)
        if (!session.capabilities.has("supportsSetVariable")) {
          return yield* ToolError.make("not_covered", `${session.adapter.id} cannot set variables.`)
        }
        const args = { variablesReference: handle.id, name, value: yield* held(session, handle.frame, value) }
        const answer = yield* session.request("setVariable", args)
        current.touched()
        const named = { name, frame: handle.frame }
        const now = session.adapter.quirks?.echoesValue === true ? yield* seen(session, handle, name) : undefined
        const result =
          now === undefined ? resultOf(session, answer, "value", named) : resultOf(session, now, "result", named)
        return { ...state(), ...result }
      })
    )

  const evaluate: Inspecting["evaluate"] = Effect.fn("Debugger.evaluate")(function* (expression, frameId) {
    const live = yield* present
    // Else it would not be evaluated in the frame of this stop.
    if (frameId === undefined) yield* current.lookedAt(live)
    const generation = yield* standing(live)
    const frame = frameId ?? (current.isLookedAt(live) ? current.frame() : undefined)
    const handle = frame === undefined ? undefined : yield* Meant.handle(current, generation, frame, "frame")
    const session = yield* Meant.session(live, handle?.session ?? live.execution.current()?.session ?? 0)
    const answer = yield* during(live)(
      Effect.result(
        session.request("evaluate", {
          expression,
          ...(handle === undefined ? {} : { frameId: handle.id }),
          context: session.adapter.quirks?.evaluateContext ?? "repl"
        })
      )
    )
    current.touched()
    // A call in the expression may run the program on to another stop (60).
    const note = "The evaluation has moved the program: frames and references from before it are not valid any more."
    const moved = () => (generation === generationOf(live) ? {} : { notes: [note] })
    if (answer._tag === "Success") {
      const named = { name: expression, frame: handle?.id }
      const value: Values.Value = { ...state(), ...resultOf(session, answer.success, "result", named), ...moved() }
      return value
    }
    if (answer.failure.code === "timed_out" || live.isOver()) return yield* during(live)(Effect.fail(answer.failure))
    return { ...state(), result: Wire.cut(reasonOf(answer.failure), Policy.longestResult), is_error: true, ...moved() }
  })

  return { threads, stack, scopes, variables, setVariable, evaluate }
}
