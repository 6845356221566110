/** What is being debugged: the session with the adapter, its child sessions, and how all of it ends (checklist 67–74). */
import { randomUUID } from "node:crypto"
import * as Fs from "node:fs"
import { Effect, Exit, Option, Scope } from "effect"
import type { Breakpoints } from "../../src/debug/Breakpoints.ts"
import type { Changes } from "../../src/debug/Changes.ts"
import * as Exceptions from "../../src/debug/Exceptions.ts"
import * as Execution from "../../src/debug/Execution.ts"
import type { OutputRing } from "../../src/debug/OutputRing.ts"
import type { Policy } from "../../src/debug/Policy.ts"
import type { Adapter } from "../../src/debug/adapters/Adapter.ts"
import * as Wire from "../../src/debug/Wire.ts"
import * as TemporaryFolder from "../process/TemporaryFolder.ts"
import * as Clocks from "./Clocks.ts"
import * as Debuggee from "./Debuggee.ts"
import * as Handshake from "./Handshake.ts"
import * as Session from "./Session.ts"
import * as Transport from "./Transport.ts"

const longestCategory = 40

export interface Live {
  readonly adapter: Adapter
  readonly isAttached: boolean
  /** For people: the path of the program, a module or a port. */
  readonly program: string
  readonly startedAt: number
  /** When what runs was made of its sources, in real time; `undefined` where that is not known. */
  readonly builtAt: number | undefined
  readonly scope: Scope.Closeable
  readonly execution: Execution.Execution
  readonly sessions: ReadonlyMap<number, Session.Session>
  /** A private folder, made when first asked for. */
  readonly temporary: () => string
  readonly exitCode: () => number | undefined
  /** Why it is ending or has ended, where not by itself. */
  readonly because: () => string | undefined
  /** It is ending, or has ended. */
  readonly isOver: () => boolean
  /** The program runs: the handshake is through. */
  isStarted: boolean
  /** A pause that was asked for after this stop. */
  pausedAfter: number | undefined
  /** Opens the first session and shakes hands. */
  readonly start: (
    open: Effect.Effect<Transport.Transport, Transport.StartFailure, Scope.Scope>,
    command: "launch" | "attach",
    args: (live: Live) => object
  ) => Effect.Effect<void, { readonly message: string }>
  /** Shows one file's, or the functions', breakpoints to every session. */
  readonly sendFile: (path: string) => Effect.Effect<void>
  readonly sendFunctions: Effect.Effect<void>
  readonly sendExceptions: Effect.Effect<void>
  /** Ends all of it; completes when nothing is left. The first reason stands. */
  readonly end: (because: string | undefined) => Effect.Effect<void>
  /** The process of the adapter, once there is one. */
  readonly spawned: (process: NonNullable<Transport.Transport["process"]>) => void
}

export interface Options extends Pick<Live, "adapter" | "builtAt" | "isAttached" | "program" | "startedAt"> {
  readonly policy: Policy
  readonly changes: Changes
  readonly breakpoints: Breakpoints
  readonly output: OutputRing
  readonly onImportant: (text: string) => void
  /** Gives each session of the conversation a number of its own. */
  readonly nextKey: () => number
  /** The scope of the conversation. */
  readonly parent: Scope.Scope
}

export const make = Effect.fnUntraced(function* (options: Options): Effect.fn.Return<Live> {
  const { adapter, breakpoints, changes, isAttached, output, policy } = options
  const scope = yield* Scope.fork(options.parent)
  const execution = Execution.make()
  const sessions = new Map<number, Session.Session>()
  let root: Session.Session | undefined
  let process: Transport.Transport["process"]
  let temporary: string | undefined
  let exitCode: number | undefined
  let because: string | undefined
  let isSignalled = false
  let isOver = false
  /** We have said goodbye: what is still told is of no interest. */
  let isLeaving = false
  /** Behind the last of the program's output, where the adapter is told to write it. */
  const mark = `end-of-output-${randomUUID()}`
  let hasMark = false
  const debuggee = Debuggee.make(() => process?.pid)
  const fork = Effect.runForkWith(yield* Effect.context<never>())

  const noteExit = (code: number | undefined) => {
    // After a kill of ours the code says nothing of the program.
    if (because !== undefined) return
    exitCode = code === 0 && isSignalled && adapter.quirks?.hidesSignals === true ? undefined : (code ?? exitCode)
  }

  const write = (category: string, text: string) => {
    if (isLeaving) return
    output.push(category, text)
    if (category === "important") options.onImportant(text)
  }

  const onOutput = ({ told }: Session.Session, body: unknown) => {
    const given = Wire.cut(Wire.text(body, "category") ?? "console", longestCategory)
    // Before the program is there, it is the adapter that writes: delve tells of its build.
    const category = given === "stdout" && !told.isConfigurable && !isAttached ? "console" : given
    const said = Wire.text(body, "output") ?? ""
    const isLast = adapter.quirks?.lastOutput !== undefined && said.includes(mark)
    hasMark ||= isLast
    const text = isLast ? said.replace(`${mark}\n`, "") : said
    if (category === "telemetry" || text === "") return
    const code = category === "console" ? adapter.quirks?.exitText?.exec(text)?.[1] : undefined
    if (code !== undefined) noteExit(Number(code))
    const noise = category === "stdout" || category === "stderr" ? adapter.quirks?.stdoutNoise : adapter.quirks?.noise
    if (noise?.test(text) === true) return
    write(category, text)
  }

  const onEvent = (session: Session.Session, event: string, body: unknown): void => {
    const { key, told } = session
    switch (event) {
      case "output":
        return onOutput(session, body)
      case "initialized":
        told.isConfigurable = true
        return
      case "stopped":
        isSignalled = Wire.text(body, "reason") === "signal"
        return execution.stopped(key, body)
      case "continued":
        return execution.continued(
          key,
          Wire.flag(body, "allThreadsContinued") === false ? Wire.int(body, "threadId") : undefined
        )
      case "thread":
        if (Wire.text(body, "reason") === "exited") execution.threadGone(key, Wire.int(body, "threadId") ?? -1)
        return
      case "breakpoint":
        return breakpoints.event(key, body)
      case "capabilities":
        return session.capabilities.merge(Wire.get(body, "capabilities"))
      case "process": {
        const pid = Wire.int(body, "systemProcessId")
        told.processId = pid
        if (pid !== undefined && !isAttached) fork(debuggee.note(pid))
        return
      }
      case "exited":
        if (session === root) noteExit(Wire.int(body, "exitCode"))
        return
      case "terminated":
        told.isTerminated = true
        if (Wire.get(body, "restart") !== undefined && Wire.get(body, "restart") !== false) {
          write("console", "The adapter asks for a restart: op `restart` does that.\n")
        }
        return
      case "debugpyAttach":
        if (adapter.quirks?.childSessions === "debugpyAttach" && Wire.isRecord(body)) joinDebugpy(body)
    }
  }

  const onRequest = (session: () => Session.Session | undefined) => (command: string, args: unknown) => {
    const again = session()?.transport.again
    if (command !== "startDebugging" || adapter.quirks?.childSessions !== "startDebugging" || again === undefined) {
      return Effect.fail(
        command === "runInTerminal"
          ? "this client has no terminal: use the internal console"
          : `this client does not do \`${command}\``
      )
    }
    const kind = Wire.text(args, "request") === "attach" ? "attach" : "launch"
    const configuration = Wire.get(args, "configuration")
    return Effect.sync(() => {
      join(again, kind, Wire.isRecord(configuration) ? configuration : {})
      return {}
    })
  }

  /** A child session is joined beside the others; one that cannot be is told in the output. */
  const join = (
    open: NonNullable<Transport.Transport["again"]>,
    command: "launch" | "attach",
    args: { readonly [name: string]: unknown }
  ) => {
    fork(
      Effect.forkIn(
        converse(open, command, () => args).pipe(
          Effect.flatMap(({ session }) =>
            changes
              .until(() => (session.told.isTerminated || session.over() !== undefined ? true : undefined))
              .pipe(Effect.andThen(session.disconnect({})), Effect.andThen(Effect.sync(() => leave(session))))
          ),
          Effect.scoped,
          Effect.catch(({ message }) =>
            Effect.sync(() => write("console", `A child session could not be joined: ${message}\n`))
          )
        ),
        scope
      )
    )
  }
  const joinDebugpy = (body: { readonly [name: string]: unknown }) => {
    const port = Wire.int(Wire.get(body, "connect"), "port")
    if (port === undefined) return
    // The address is that of the adapter we talk to: on this machine, whatever it says. What the child of a launched program
    // writes comes through its parent already.
    join(Transport.dial(port, policy.connect), "attach", isAttached ? body : { ...body, redirectOutput: false })
  }
  const leave = (session: Session.Session) => {
    sessions.delete(session.key)
    breakpoints.forget(session.key)
    execution.sessionGone(session.key)
    changes.notify()
  }

  const ask = (session: Session.Session, order: ReturnType<Breakpoints["functionOrder"]>) =>
    Effect.match(session.request(order.command, order.args), {
      onSuccess: order.answered,
      onFailure: ({ message }) => order.failed(message)
    })
  const settings = adapter.quirks?.conditionSettings
  const fileOf = (session: Session.Session, path: string) =>
    Effect.gen(function* () {
      const isConditional = breakpoints
        .file(path)
        .some(({ condition, hitCondition }) => condition !== undefined || hitCondition !== undefined)
      if (settings !== undefined && isConditional && !session.told.hasSettings) {
        session.told.hasSettings = true
        yield* Effect.ignore(session.request(settings.command, settings.arguments))
      }
      yield* ask(session, breakpoints.fileOrder(path, session.key, session.capabilities, adapter.quirks))
    })
  const fatalFunctions = () => (breakpoints.exceptions() === "none" ? [] : (adapter.quirks?.fatal?.functions ?? []))
  const functionsOf = (session: Session.Session) =>
    Effect.suspend(() =>
      session.capabilities.has("supportsFunctionBreakpoints")
        ? ask(session, breakpoints.functionOrder(session.key, fatalFunctions()))
        : Effect.sync(() => breakpoints.functionOrder(session.key).failed("this adapter has no function breakpoints"))
    )
  const exceptionsOf = (session: Session.Session) =>
    Effect.suspend(() => {
      const filters = Exceptions.filters(
        breakpoints.exceptions(),
        session.capabilities.exceptionFilters(),
        adapter.quirks
      )
      return filters === undefined
        ? Effect.void
        : Effect.ignore(session.request("setExceptionBreakpoints", { filters }))
    })
  const configure = (session: Session.Session) =>
    Effect.gen(function* () {
      for (const path of breakpoints.paths()) yield* fileOf(session, path)
      if (breakpoints.hasFunctions() || fatalFunctions().length > 0) yield* functionsOf(session)
      yield* exceptionsOf(session)
    })
  const everySession = (each: (session: Session.Session) => Effect.Effect<void>) =>
    Effect.suspend(() =>
      Effect.forEach(
        [...sessions.values()].filter(({ over, told }) => told.isConfigurable && over() === undefined),
        each,
        { discard: true }
      )
    )

  const converse = Effect.fnUntraced(function* <E extends { readonly message: string }>(
    open: Effect.Effect<Transport.Transport, E, Scope.Scope>,
    command: "launch" | "attach",
    args: () => object
  ) {
    const transport = yield* open
    const key = options.nextKey()
    let own: Session.Session | undefined
    const early: Array<() => void> = []
    const session = yield* Session.open({
      key,
      adapter,
      transport,
      policy,
      changes,
      onEvent: (event, body) => {
        if (own === undefined) early.push(() => onEvent(own!, event, body))
        else onEvent(own, event, body)
      },
      onRequest: onRequest(() => own)
    })
    own = session
    root ??= session
    sessions.set(key, session)
    for (const event of early) event()
    yield* Handshake.run({
      session,
      command,
      args: args(),
      changes,
      configure: configure(session),
      hasStopped: () => execution.serial() > 0 && session === root,
      limit: policy.request
    }).pipe(Effect.tapError(() => Effect.sync(() => session !== root && leave(session))))
    return { session }
  })

  const goodbye = Effect.gen(function* () {
    const session = root
    if (session === undefined || session.over() !== undefined) return
    const isStopped = execution.current() !== undefined
    if (isAttached && adapter.quirks?.resumeBeforeDetach === true && session.told.isConfigurable) {
      const requests: Array<readonly [string, object]> = breakpoints
        .paths()
        .map((path) => ["setBreakpoints", { source: { path }, breakpoints: [] }] as const)
      if (isStopped) requests.push(["continue", { threadId: execution.current()?.threadId ?? 1 }])
      for (const [command, args] of requests) yield* Clocks.within(session.send(command, args), policy.exit)
    }
    const command = adapter.quirks?.detachCommand
    if (isAttached && command !== undefined && session.told.isConfigurable) {
      if (!isStopped) {
        fork(Effect.ignore(session.send("pause", { threadId: 1 })))
        yield* Clocks.within(
          changes.until(() => execution.current()),
          policy.exit
        )
      }
      yield* Clocks.within(session.send("evaluate", { expression: command, context: "repl" }), policy.exit)
    }
    const expression = adapter.quirks?.lastOutput?.replace("${mark}", mark)
    if (!isAttached && expression !== undefined && session.told.isTerminated) {
      fork(Effect.ignore(session.send("evaluate", { expression, context: "repl" })))
      yield* Clocks.within(
        changes.until(() => (hasMark ? true : undefined)),
        policy.exit
      )
    }
    const canSay = session.capabilities.has("supportTerminateDebuggee")
    // lldb 19 gives its own crash after this answer.
    yield* session.disconnect(
      // Launched programs are ended by adapters that do not say that they can, too.
      isAttached ? (canSay ? { terminateDebuggee: false } : {}) : { restart: false, terminateDebuggee: true }
    )
    isLeaving = true
  })

  const finish = yield* Effect.gen(function* () {
    yield* goodbye
    // The standard output of an adapter that speaks over TCP is the program's: it is read to its end.
    isLeaving = adapter.transport === "stdio"
    for (const session of sessions.values()) yield* session.transport.end
    if (process !== undefined) {
      const ended = yield* Transport.ended(process, policy.exit)
      const exit = Option.isSome(ended) && Exit.isSuccess(ended.value) ? ended.value.value : undefined
      if (adapter.quirks?.isProgram === true) noteExit(exit?.code)
      yield* process.end
      if (!isAttached) yield* debuggee.kill
    }
    for (const session of sessions.values()) session.close(because ?? "the program has ended")
    yield* Scope.close(scope, Exit.void)
    if (temporary !== undefined) Fs.rmSync(temporary, { recursive: true, force: true })
    changes.notify()
  }).pipe(Effect.uninterruptible, Effect.cached)

  const live: Live = {
    adapter,
    isAttached,
    program: options.program,
    startedAt: options.startedAt,
    builtAt: options.builtAt,
    scope,
    execution,
    sessions,
    temporary: () => (temporary ??= TemporaryFolder.make("livetools-debug-")),
    exitCode: () => exitCode,
    because: () => because,
    isOver: () => isOver || root?.told.isTerminated === true || root?.over() !== undefined,
    isStarted: false,
    pausedAfter: undefined,
    start: (open, command, args) =>
      converse(open, command, () => args(live)).pipe(Effect.asVoid, Effect.provideService(Scope.Scope, scope)),
    sendFile: (path) => everySession((session) => fileOf(session, path)),
    sendFunctions: everySession(functionsOf),
    sendExceptions: everySession((session) =>
      Effect.andThen(exceptionsOf(session), adapter.quirks?.fatal === undefined ? Effect.void : functionsOf(session))
    ),
    end: (reason) =>
      Effect.suspend(() => {
        if (!isOver) {
          isOver = true
          // A program that has ended by itself needs no other reason.
          const isItsEnd =
            root?.told.isTerminated === true || (adapter.quirks?.isProgram === true && reason === undefined)
          because = isItsEnd ? undefined : (root?.over() ?? reason)
          changes.notify()
        }
        return finish
      }),
    spawned: (started) => {
      process = started
    }
  }
  return live
})
