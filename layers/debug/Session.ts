/** One protocol session with an adapter: its connection, what it has told of itself, and its goodbye (checklist 6–13, 21, 67–72). */
import { Deferred, Effect, Exit, Option, type Scope } from "effect"
import * as Cause from "effect/Cause"
import * as Budget from "../../src/Budget.ts"
import * as Capabilities from "../../src/debug/Capabilities.ts"
import type { Changes } from "../../src/debug/Changes.ts"
import * as Dap from "../../src/debug/Dap.ts"
import type { Policy } from "../../src/debug/Policy.ts"
import type { Adapter } from "../../src/debug/adapters/Adapter.ts"
import * as ToolError from "../../src/ToolError.ts"
import * as Clocks from "./Clocks.ts"
import * as Transport from "./Transport.ts"

export interface Session {
  /** Unique in the conversation. */
  readonly key: number
  readonly adapter: Adapter
  readonly capabilities: Capabilities.Capabilities
  readonly transport: Transport.Transport
  /** Sends at once; waits without a limit. */
  readonly send: Dap.Connection["request"]
  /** As `send`, within the limit of a request; the failure is for a model. An answer that comes later is dropped. */
  readonly request: (command: string, args?: unknown) => Effect.Effect<unknown, ToolError.ToolError>
  readonly told: Told
  /** Why nothing can be asked any more; `undefined` while it can. */
  readonly over: () => string | undefined
  /** Fails what waits. */
  readonly close: (reason: string) => void
  /** `disconnect`, within its limit. */
  readonly disconnect: (args: object) => Effect.Effect<void>
}

/** What changes as the adapter tells it. */
export interface Told {
  /** It has answered `initialize`. */
  isInitialized: boolean
  /** It has sent `initialized`: it takes configuration. */
  isConfigurable: boolean
  /** It has sent `terminated`. */
  isTerminated: boolean
  /** It was asked to say that a condition cannot be evaluated. */
  hasSettings: boolean
  /** Of the program, as the adapter says. */
  processId: number | undefined
  /** Something was not understood. */
  noise: string | undefined
}

export interface Options {
  readonly key: number
  readonly adapter: Adapter
  readonly transport: Transport.Transport
  readonly policy: Policy
  readonly changes: Changes
  readonly onEvent: (event: string, body: unknown) => void
  readonly onRequest: (command: string, args: unknown) => Effect.Effect<unknown, string>
}

/** Opens the session of a transport; it is read as long as the scope is open. */
export const open = Effect.fnUntraced(function* (options: Options): Effect.fn.Return<Session, never, Scope.Scope> {
  const { adapter, changes, policy, transport } = options
  const scope = yield* Effect.scope
  const told: Told = {
    isInitialized: false,
    isConfigurable: false,
    isTerminated: false,
    hasSettings: false,
    processId: undefined,
    noise: undefined
  }
  const capabilities = Capabilities.make()
  let closed: string | undefined
  const end = yield* Deferred.make<Dap.End>()
  const connection = yield* Dap.make({
    input: transport.bytes,
    write: transport.write,
    onEvent: (event, body) => {
      options.onEvent(event, body)
      changes.notify()
    },
    onRequest: options.onRequest,
    onNoise: (what) => {
      told.noise ??= what
    },
    onEnd: (how) => {
      Deferred.doneUnsafe(end, Effect.succeed(how))
    }
  })
  const close = (reason: string) => {
    closed ??= reason
    connection.close(closed)
    changes.notify()
  }

  // Whichever is noticed first: the end of the process, or of the connection. The exit says more, where there is one soon.
  const { process } = transport
  const watch = Effect.gen(function* () {
    const exited = process === undefined ? Effect.never : process.exit
    const how = yield* Effect.raceFirst(
      Deferred.await(end),
      Effect.as(exited, { reason: "it has exited", isClosed: true })
    )
    // What it wrote before its end is still read.
    yield* Clocks.within(Deferred.await(end), how.isClosed ? "300 millis" : "0 millis")
    const exit =
      process === undefined
        ? Option.none()
        : yield* Clocks.within(Transport.describeEnd(process), how.isClosed ? "1 second" : "0 millis")
    if (Option.isSome(exit) && Exit.isSuccess(exit.value)) return exit.value.value
    return process === undefined && how.isClosed
      ? "the adapter has closed the connection"
      : `the adapter: ${how.reason}`
  })
  yield* watch.pipe(
    Effect.tap((reason) => Effect.sync(() => close(reason))),
    Effect.forkScoped({ startImmediately: true })
  )

  /** What it was asked and has not answered in time, the oldest first. */
  const late = new Map<object, string>()
  const request: Session["request"] = Effect.fnUntraced(function* (command, args) {
    const token = {}
    let requestId = 0
    // On its own: a call that is cancelled, or waits no longer, leaves a late answer to be dropped.
    const answer = yield* Deferred.make<unknown, Dap.RequestError | Dap.Closed>()
    yield* Effect.forkIn(
      Effect.onExit(
        connection.request(command, args, (seq) => void (requestId = seq)),
        (exit) =>
          Effect.sync(() => {
            late.delete(token)
            Deferred.doneUnsafe(answer, exit)
          })
      ),
      scope,
      { startImmediately: true }
    )
    const result = yield* Budget.within(Budget.after(policy.request))(Effect.result(Deferred.await(answer)))
    if (Option.isNone(result) && capabilities.has("supportsCancelRequest")) {
      yield* Effect.forkIn(Effect.ignore(connection.request("cancel", { requestId })), scope, {
        startImmediately: true
      })
      const cancelled = yield* Clocks.within(Deferred.await(answer), policy.cancel)
      if (Option.isSome(cancelled)) {
        const said = Exit.isFailure(cancelled.value) ? Cause.findErrorOption(cancelled.value.cause) : Option.none()
        return yield* ToolError.make(
          "timed_out",
          `The adapter ${adapter.id} had not answered \`${command}\` in time, and has been made to give it up` +
            `${Option.isSome(said) ? `: ${said.value.message}` : "."}\nThe session goes on: op \`status\` says where it is.`
        )
      }
    }
    if (Option.isNone(result)) {
      const [before] = late.values()
      late.set(token, command)
      const busy = before === undefined ? "" : ` It has not answered \`${before}\` either: it is busy with that.`
      return yield* ToolError.make(
        "timed_out",
        `The adapter ${adapter.id} has not answered \`${command}\` in time.${busy} The session goes on: ask again, or terminate it.`
      )
    }
    if (result.value._tag === "Success") return result.value.success
    return yield* toToolError(adapter, result.value.failure)
  })

  return {
    key: options.key,
    adapter,
    capabilities,
    transport,
    send: connection.request,
    request,
    told,
    over: () => closed,
    close,
    disconnect: (args) =>
      Effect.suspend(() => {
        if (closed !== undefined || !told.isInitialized) return Effect.void
        return Effect.asVoid(Clocks.within(connection.request("disconnect", args), policy.disconnect))
      })
  }
})

export const toToolError = (adapter: Adapter, error: Dap.RequestError | Dap.Closed): ToolError.ToolError =>
  error._tag === "Closed"
    ? ToolError.make("adapter_failed", `The session with ${adapter.id} is over: ${error.message}`)
    : ToolError.make(
        "adapter_failed",
        `${adapter.id} refused \`${error.command}\`: ${error.message.replace(adapter.quirks?.errorNoise ?? /(?!)/, "")}`
      )
