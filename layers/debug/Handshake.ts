/**
 * From an open connection to a program that runs (checklist 13–23). `initialized` and the answer to `launch` come in four different
 * orders from four adapters: nothing here depends on which.
 */
import { Duration, Effect, Exit, Option, type Scope } from "effect"
import * as Cause from "effect/Cause"
import * as Budget from "../../src/Budget.ts"
import type { Changes } from "../../src/debug/Changes.ts"
import type * as Dap from "../../src/debug/Dap.ts"
import * as Clocks from "./Clocks.ts"
import type { Session } from "./Session.ts"

export interface Options {
  readonly session: Session
  readonly command: "launch" | "attach"
  readonly args: object
  readonly changes: Changes
  /** Shows the adapter the breakpoints; a refused one is no failure. */
  readonly configure: Effect.Effect<void>
  /** Whether the program has stopped already. */
  readonly hasStopped: () => boolean
  /** For the answer to `initialize`, which no build precedes. */
  readonly limit: Duration.Input
}

type Answer = Exit.Exit<unknown, Dap.RequestError | Dap.Closed>

/** Why the program was not launched. */
export interface Refusal {
  readonly _tag: "Refusal"
  readonly message: string
}

const initializeArguments = (session: Session) => ({
  clientID: "livetools",
  clientName: "livetools",
  adapterID: session.adapter.adapterId ?? session.adapter.id,
  locale: "en",
  linesStartAt1: true,
  columnsStartAt1: true,
  pathFormat: "path",
  supportsVariableType: true,
  supportsVariablePaging: true,
  supportsRunInTerminalRequest: false,
  supportsMemoryReferences: false,
  supportsProgressReporting: false,
  supportsInvalidatedEvent: false,
  supportsMemoryEvent: false,
  supportsANSIStyling: false,
  ...(session.adapter.quirks?.childSessions === "startDebugging" ? { supportsStartDebuggingRequest: true } : {})
})

const failureOf = (answer: Answer | undefined): string | undefined => {
  if (answer === undefined || Exit.isSuccess(answer)) return undefined
  const error = Cause.findErrorOption(answer.cause)
  return Option.isSome(error) ? error.value.message : "the request was interrupted"
}

/** How long an adapter that has said that something fails may take to say what, in real time. */
const explanation = "3 seconds"

export const run = Effect.fnUntraced(function* (options: Options): Effect.fn.Return<void, Refusal, Scope.Scope> {
  const { changes, command, session } = options
  const { told } = session
  const refuse = (message: string) => Effect.fail<Refusal>({ _tag: "Refusal", message })
  const capabilities = yield* session.send("initialize", initializeArguments(session)).pipe(
    Effect.catch(({ message }) => refuse(message)),
    Budget.within(Budget.after(options.limit))
  )
  if (Option.isNone(capabilities)) {
    const seconds = Duration.toSeconds(Duration.fromInputUnsafe(options.limit))
    return yield* refuse(`it has not answered \`initialize\` in ${seconds} s: is it a debug adapter?`)
  }
  session.capabilities.merge(capabilities.value)
  told.isInitialized = true

  /** Sends now; the answer is looked at when it is there. */
  const ask = Effect.fnUntraced(function* (name: string, args?: object) {
    let answer: Answer | undefined
    yield* session.send(name, args).pipe(
      Effect.onExit((exit) =>
        Effect.sync(() => {
          answer = exit
          changes.notify()
        })
      ),
      Effect.exit,
      Effect.forkScoped({ startImmediately: true })
    )
    return () => answer
  })

  const started = yield* ask(command, options.args)
  yield* changes.until(() =>
    told.isConfigurable || told.isTerminated || failureOf(started()) !== undefined ? true : undefined
  )
  if (told.isTerminated) {
    // A program that has ended at once, or one that never began: the answer knows.
    yield* Clocks.within(changes.until(started), explanation)
    const failure = failureOf(started())
    return failure === undefined ? undefined : yield* refuse(failure)
  }
  if (failureOf(started()) !== undefined) return yield* refuse(failureOf(started())!)

  yield* options.configure
  const configured = session.capabilities.has("supportsConfigurationDoneRequest")
    ? yield* ask("configurationDone")
    : (): Answer => Exit.void
  const isOver = () => told.isTerminated || options.hasStopped()
  yield* changes.until(() => {
    if (failureOf(started()) !== undefined || failureOf(configured()) !== undefined) return true
    return (started() !== undefined && configured() !== undefined) || isOver() ? true : undefined
  })
  if (failureOf(configured()) !== undefined && started() === undefined) {
    // The reason is in the answer to `launch`, which follows; this one says only that there is one.
    yield* Clocks.within(changes.until(started), explanation)
  }
  const [failure, extra] = [failureOf(started()), failureOf(configured())]
  if (failure !== undefined) {
    return yield* refuse(
      extra === undefined || extra === failure ? failure : `${failure}\n(configurationDone: ${extra})`
    )
  }
  if (extra !== undefined && !isOver()) return yield* refuse(extra)
})
