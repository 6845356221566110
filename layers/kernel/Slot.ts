/** The interpreter of one language in a run: there when a cell needs it, begun anew when it is gone. */
import { Effect, Exit, Option, Result, Scope, Semaphore } from "effect"
import * as Budget from "../../src/Budget.ts"
import type { Language } from "../../src/kernel/Kernels.ts"
import * as Outputs from "../../src/kernel/Outputs.ts"
import type { Processes } from "../../src/Processes.ts"
import * as ToolError from "../../src/ToolError.ts"
import * as Session from "./Session.ts"

/** A way to start an interpreter. */
export interface Candidate {
  /** How a human knows it. */
  readonly name: string
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string | undefined>>
  /** Told the program that really ran, when it is ready. */
  readonly ready?: ((executable: string) => void) | undefined
}

export interface Options {
  readonly language: Language
  readonly cwd: string
  readonly candidates: Effect.Effect<
    { readonly candidates: ReadonlyArray<Candidate>; readonly skipped: ReadonlyArray<string> },
    ToolError.ToolError
  >
  /** What to do when there is no interpreter, a sentence. */
  readonly advice: string
  /** Fails with the reason, a clause, where no interpreter may begin now. */
  readonly place: Effect.Effect<void, string>
  readonly startBudget: Budget.Budget
  readonly memoryLimit: number | undefined
  readonly limits: Outputs.Limits
  readonly scope: Scope.Scope
}

export interface Slot {
  /** Cells run one at a time, in the order in which they came. */
  readonly lock: Semaphore.Semaphore
  readonly nextCell: () => number
  readonly background: Session.Listener
  /** What came between cells, once. */
  readonly takeEarlier: () => {
    readonly outputs: ReadonlyArray<Outputs.Output>
    readonly notices: ReadonlyArray<string>
  }
  /** The running interpreter, or a new one. */
  readonly session: Effect.Effect<Session.Session, ToolError.ToolError, Processes>
  /** Ends the interpreter, whatever it does. */
  readonly reset: Effect.Effect<void>
  /** Tidies up after an interpreter that is gone. */
  readonly forget: (why: string) => Effect.Effect<void>
}

const resetReason = "a later call asked for a new one."

const maxNotices = 10

export const make = (options: Options): Slot => {
  const { language } = options
  const backgroundLimits = { ...options.limits, inlineBytes: Math.floor(options.limits.inlineBytes / 4) }
  let open: { readonly session: Session.Session; readonly scope: Scope.Closeable } | undefined
  let earlier = Outputs.make(backgroundLimits)
  let notices: Array<string> = []
  let cells = 0
  let resets = 0

  const note = (text: string) => {
    if (notices.length < maxNotices) notices.push(text)
  }

  const forget = (why: string | undefined) =>
    Effect.suspend(() => {
      const last = open
      open = undefined
      if (why === resetReason) note(`a new ${language} interpreter was begun, as asked.`)
      else if (why !== undefined) {
        note(
          `a new ${language} interpreter was begun: the last one is gone (${why.replace(/\.$/, "")}), and all variables with it.`
        )
      }
      return last === undefined ? Effect.void : Scope.close(last.scope, Exit.void)
    })

  const background: Session.Listener = {
    item: ({ pipe, ...item }) => {
      if (pipe !== undefined && "text" in item) return earlier.text(pipe, item.text, item.bytes)
      if (!("frame" in item)) return undefined
      const { frame } = item
      if (frame.t === "error") {
        const { message, name, traceback } = frame
        earlier.show({ kind: "error", name, message, traceback })
      } else if (frame.t === "display" || frame.t === "result") earlier.show({ kind: frame.t, data: frame.data })
      return undefined
    },
    active: Effect.void,
    call: ({ id, name }) =>
      Effect.suspend(() => {
        if (open === undefined) return Effect.void
        const message = `the cell that makes this call of ${name} has ended: tools can be called by a running cell only`
        return Effect.forkIn(
          open.session.send({ t: "reply", id, ok: false, code: "cancelled", message }),
          options.scope
        )
      }).pipe(Effect.asVoid),
    cancel: () => Effect.void,
    notice: note,
    gone: () => {}
  }

  const begin = Effect.gen(function* (): Effect.fn.Return<Session.Session, ToolError.ToolError, Processes> {
    const generation = resets
    yield* Effect.mapError(options.place, (why) => ToolError.make("not_covered", `The cell was not run: ${why}.`))
    const { candidates, skipped } = yield* options.candidates
    const problems = [...skipped]
    let wasStarted = false
    for (const candidate of candidates) {
      const scope = yield* Scope.fork(options.scope)
      const { args, command, env } = candidate
      const { cwd, memoryLimit } = options
      const started = yield* Session.start({ command, args, env, cwd, tools: true, memoryLimit, background }).pipe(
        Scope.provide(scope),
        Effect.result
      )
      if (Result.isFailure(started)) {
        problems.push(`${candidate.name}: ${started.failure}`)
        yield* Scope.close(scope, Exit.void)
        continue
      }
      wasStarted = true
      const session = started.success
      open = { session, scope }
      const ready = yield* session.ready.pipe(Effect.result, Budget.within(options.startBudget))
      if (Option.isSome(ready) && Result.isSuccess(ready.value)) {
        candidate.ready?.(ready.value.success.executable)
        for (const problem of problems) {
          note(`${problem}; cells run on ${ready.value.success.executable} (${ready.value.success.version}).`)
        }
        return session
      }
      yield* forget(undefined)
      if (resets !== generation) {
        return yield* ToolError.make(
          "kernel_died",
          `The cell was not run: ${resetReason.replace(/\.$/, "")} while the ${language} interpreter was starting.`
        )
      }
      problems.push(
        `${candidate.name}: ${Option.isSome(ready) && Result.isFailure(ready.value) ? ready.value.failure : "it did not become ready in time"}`
      )
    }
    return yield* ToolError.make(
      wasStarted ? "kernel_died" : "not_covered",
      `The cell was not run: no ${language} interpreter can be started. ${
        problems.length === 0 ? "None was found" : `Tried: ${problems.join("; ")}`
      }. ${options.advice}`
    )
  })

  return {
    lock: Semaphore.makeUnsafe(1),
    nextCell: () => ++cells,
    background,
    takeEarlier: () => {
      const { outputs } = earlier.finish()
      const told = notices
      earlier = Outputs.make(backgroundLimits)
      notices = []
      return { outputs: outputs.map((output) => ({ ...output, background: true as const })), notices: told }
    },
    session: Effect.suspend(() => {
      if (open === undefined) return begin
      const { session } = open
      return Effect.flatMap(session.hasExited, (hasExited) =>
        hasExited ? Effect.andThen(Effect.flatMap(session.gone, forget), begin) : Effect.succeed(session)
      )
    }),
    reset: Effect.suspend(() => {
      resets++
      return open === undefined ? Effect.void : open.session.end(resetReason)
    }),
    forget
  }
}
