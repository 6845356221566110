/** One running server: its process, its connection, and what it has told (C18–C20, C27–C29). */
import { Clock, Context, Deferred, Effect, Exit, Option, type Scope, Semaphore } from "effect"
import * as Capabilities from "../../src/lsp/Capabilities.ts"
import * as Client from "../../src/lsp/Client.ts"
import * as Diagnostics from "../../src/lsp/Diagnostics.ts"
import type { FileEvent } from "../../src/lsp/LanguageServers.ts"
import * as Policy from "../../src/lsp/Policy.ts"
import * as Progress from "../../src/lsp/Progress.ts"
import * as Row from "../../src/lsp/rows/Row.ts"
import * as ServerRequests from "../../src/lsp/ServerRequests.ts"
import * as Uri from "../../src/lsp/Uri.ts"
import * as Wire from "../../src/lsp/Wire.ts"
import { describeExit, type Process, type Processes } from "../../src/Processes.ts"
import * as JsonRpc from "../../src/wire/JsonRpc.ts"
import { version } from "../Version.ts"
import type { FileWatch } from "./FileWatch.ts"
import * as Fixed from "./Fixed.ts"
import * as OpenDocuments from "./OpenDocuments.ts"
import * as Signal from "./Signal.ts"
import type { Texts } from "./Texts.ts"

export interface Session {
  readonly row: Row.Row
  readonly root: string
  readonly process: Process
  readonly request: JsonRpc.Connection["request"]
  readonly capabilities: Capabilities.Capabilities
  readonly documents: OpenDocuments.OpenDocuments
  readonly fixed: Fixed.Fixed
  readonly diagnostics: Diagnostics.Diagnostics
  readonly progress: Progress.Progress
  /** Anything that the server told. */
  readonly signal: Signal.Signal
  /** Name and version, as it tells them. */
  readonly name: string | undefined
  readonly startedAt: number
  readonly told: Told
  /** Where what comes for a token of ours goes (C67). */
  readonly partial: (token: string, take: (value: unknown) => void) => () => void
  /** Sends a notification. */
  readonly notify: (method: string, params: unknown) => void
  /** While an effect runs, edits that the server sends are taken; one such effect at a time. */
  readonly takingEdits: <A, E>(
    take: (params: unknown) => Effect.Effect<ServerRequests.AppliedEdit>,
    self: Effect.Effect<A, E>
  ) => Effect.Effect<A, E>
  /** The key of a document of a URI: its path with links resolved, or the URI of what is no file. */
  readonly pathOf: (uri: string) => string
  /** Why nothing can be asked any more; `undefined` while it runs. */
  readonly over: () => string | undefined
  /** Completes with how it ended, once it has ended by itself. */
  readonly ended: Effect.Effect<string>
  /** Ends it: `shutdown`, `exit`, end of input, and then its whole tree (C27). What waits for it fails with the reason. */
  readonly end: (reason: string) => Effect.Effect<void>
}

/** What changes as the server tells it. */
export interface Told {
  /** It has given an answer that shows that it has loaded. */
  isProven: boolean
  /** It has pushed diagnostics for a document that it was shown. */
  hasPushed: boolean
  /** Pulls that it advertises and refuses, by identifier and language (C68). */
  readonly refusedPulls: Set<string>
  /** How often it asked for diagnostics to be pulled anew. */
  refreshes: number
  lastError: string | undefined
}

/** Why a server did not start. `isAbsent`: there is no working server; otherwise it was just not known in time. */
export interface StartFailure {
  readonly _tag: "StartFailure"
  readonly message: string
  readonly isAbsent: boolean
}

export interface Options {
  readonly row: Row.Row
  readonly root: string
  readonly command: string
  /** Where the tools of the row are, by name. */
  readonly tools: ReadonlyMap<string, string>
  readonly processes: Processes["Service"]
  readonly texts: Texts
  readonly watch: FileWatch
  readonly policy: Policy.Policy
  /** The process, as soon as there is one. */
  readonly spawned: (process: Process) => void
}

/** More registrations than this before the answer to `initialize` are a fault of the server. */
const mostEarly = 256

const realClock = Context.get(Context.empty(), Clock.Clock)

/** A process ends in real time, whatever clock its owner runs on. */
const onRealClock = Effect.provideService(Clock.Clock, realClock)

/** Runs in real time with a limit, also where nothing may be interrupted. */
const within = <A, E>(effect: Effect.Effect<A, E>, limit: Policy.Policy["exit"]) =>
  effect.pipe(Effect.exit, Effect.timeoutOption(limit), Effect.interruptible, onRealClock)

const failure = (message: string, isAbsent: boolean): StartFailure => ({ _tag: "StartFailure", message, isAbsent })

/** The last lines of standard error, for a message. */
export const tailOf = Effect.fnUntraced(function* (process: Process) {
  const lines = (yield* process.stderrTail).split(/\r?\n/).filter((line) => line.trim() !== "")
  const text = lines.slice(-5).join("\n")
  return text.length > 800 ? `…${text.slice(-800)}` : text
})

/** Starts a server that lives as long as the scope. */
export const start = Effect.fn("Session.start")(function* (
  options: Options
): Effect.fn.Return<Session, StartFailure, Scope.Scope> {
  const { policy, root, row, texts } = options
  const clock = yield* Clock.Clock
  const now = () => clock.currentTimeMillisUnsafe()
  const place = { root, rootUri: Uri.fromPath(root), tools: options.tools }
  const filled = (json: Row.Row["settings"] | Row.Row["initializationOptions"]) =>
    json === undefined ? undefined : Row.fill(json, place)
  const settings = filled(row.settings)

  // From before the start on: what changes while the server starts, it may have read already, or not.
  const changes: Array<FileEvent> = []
  let note = (event: FileEvent) => {
    changes.push(event)
  }
  const unlisten = yield* options.watch.listen((event) => note(event))
  yield* Effect.addFinalizer(() => Effect.sync(unlisten))

  const process = yield* options.processes
    .spawn({
      command: options.command,
      args: row.args ?? [],
      cwd: root,
      env: row.env,
      grace: policy.exit,
      memoryLimit: policy.memory
    })
    .pipe(Effect.mapError((error) => failure(`it did not start: ${error.message}`, true)))
  options.spawned(process)

  const signal = Signal.make()
  const progress = Progress.make({ quiet: Policy.millis(policy.quiet), forgotten: Policy.millis(policy.forgotten) })
  const diagnostics = Diagnostics.make({
    usual: Policy.millis(policy.settle),
    doubtful: Policy.millis(policy.settleDoubtful)
  })
  const told: Told = {
    isProven: false,
    hasPushed: false,
    refusedPulls: new Set(),
    refreshes: 0,
    lastError: undefined
  }
  let takeEdit: ((params: unknown) => Effect.Effect<ServerRequests.AppliedEdit>) | undefined
  const editing = yield* Semaphore.make(1)
  const partials = new Map<string, (value: unknown) => void>()
  let capabilities = Capabilities.make(undefined, root)
  const early: Array<unknown> = []
  let isInitialized = false
  /** Nothing is asked any more: `shutdown` was sent, or the connection is over. */
  let isEnding = false
  let closed: string | undefined

  const pathOf = (uri: string) => {
    const path = Uri.toPath(uri)
    return path === undefined ? uri : texts.canonical(path)
  }
  const say = (params: unknown) => {
    const text = Wire.get(params, "message")
    if (Wire.get(params, "type") === 1 && typeof text === "string") told.lastError = text.slice(0, 1000)
  }
  const onNotification = (method: string, params: unknown) => {
    if (method === "textDocument/publishDiagnostics") {
      const uri = Wire.get(params, "uri")
      if (typeof uri !== "string") return
      const path = pathOf(uri)
      diagnostics.published(path, params, now())
      if (diagnostics.push(path, now()).state !== "none") told.hasPushed = true
      return signal.notify(path)
    }
    if (method === "window/showMessage" || method === "window/logMessage") say(params)
    else if (method === "$/progress") {
      const token = Wire.get(params, "token")
      const take = typeof token === "string" ? partials.get(token) : undefined
      if (take !== undefined) take(Wire.get(params, "value"))
      else progress.take(method, params, now())
    } else if (!progress.take(method, params, now())) return
    signal.notify()
  }

  const over = yield* Deferred.make<JsonRpc.End>()
  const connection = yield* JsonRpc.make({
    input: process.stdout,
    write: process.stdin.write,
    onNotification,
    onRequest: ServerRequests.answer({
      root,
      settings,
      answers: Object.fromEntries(
        Object.entries(row.answers ?? {}).map(([key, value]) => [key, Row.fill(value, place)])
      ),
      register: (params) => {
        if (isInitialized) capabilities.register(params)
        else if (early.length < mostEarly) early.push(params)
        signal.notify()
      },
      unregister: (params) => {
        capabilities.unregister(params)
        signal.notify()
      },
      refreshDiagnostics: () => {
        told.refreshes++
        diagnostics.forgetResultIds()
        signal.notify()
      },
      message: say,
      takeEdit: () => takeEdit
    }),
    onNoise: (what) => {
      told.lastError = `it wrote ${what}`
    },
    onEnd: (end) => {
      Deferred.doneUnsafe(over, Effect.succeed(end))
    },
    capacityBytes: policy.backlog,
    stuckAfter: policy.stuck
  })

  const close = (reason: string) => {
    closed = reason
    connection.close(reason)
    signal.notify()
  }

  // Whichever is noticed first: the end of the process, or of the connection. The exit says more, where there is one soon.
  const describeEnd = Effect.gen(function* () {
    const { isClosed, reason } = yield* Effect.raceFirst(
      Deferred.await(over),
      Effect.as(process.exit, { reason: "it has exited", isClosed: true })
    )
    // What it wrote before its end is still read.
    yield* within(Deferred.await(over), isClosed ? "200 millis" : "0 millis")
    const exit = yield* within(process.exit, isClosed ? "500 millis" : "0 millis")
    const how = Option.isSome(exit) && Exit.isSuccess(exit.value) ? `it ${describeExit(exit.value.value)}` : reason
    const tail = yield* tailOf(process)
    return tail === "" ? how : `${how}; the end of its standard error:\n${tail}`
  })
  const ended = yield* Deferred.make<string>()
  yield* describeEnd.pipe(
    Effect.tap((reason) =>
      Effect.sync(() => {
        if (isEnding) return
        isEnding = true
        close(reason)
        Deferred.doneUnsafe(ended, Effect.succeed(reason))
      })
    ),
    Effect.forkScoped({ startImmediately: true })
  )

  const shutDown = Effect.gen(function* () {
    const answered = isInitialized ? yield* within(connection.request("shutdown"), policy.shutdown) : Option.none()
    if (Option.isNone(answered)) return
    connection.notify("exit")
    yield* within(connection.flushed, policy.exit)
    yield* process.stdin.end
    yield* within(process.exit, policy.exit)
  })
  let why = ""
  const finish = yield* Effect.gen(function* () {
    if (!isEnding) {
      isEnding = true
      yield* shutDown
    }
    close(why)
    yield* process.end
  }).pipe(Effect.uninterruptible, Effect.cached)
  const end = (reason: string) =>
    Effect.suspend(() => {
      if (why === "") why = reason
      return finish
    })
  yield* Effect.addFinalizer(() => end("it was ended"))

  const initialize = connection.request(
    "initialize",
    Client.initializeParams({
      processId: globalThis.process.pid,
      root,
      version,
      initializationOptions: filled(row.initializationOptions)
    })
  )
  const result = yield* initialize.pipe(
    Effect.timeoutOption(policy.start),
    Effect.mapError((error) =>
      error._tag === "Closed"
        ? failure(`it ended before it was ready: ${error.message}`, true)
        : failure(`it refused to start: ${error.message} (${error.code})`, true)
    )
  )
  if (Option.isNone(result)) {
    const tail = yield* tailOf(process)
    const silence = `it has not answered initialize in ${Policy.millis(policy.start) / 1000} s`
    return yield* Effect.fail(
      failure(tail === "" ? silence : `${silence}; the end of its standard error:\n${tail}`, false)
    )
  }
  capabilities = Capabilities.make(result.value, root)
  isInitialized = true
  for (const params of early) capabilities.register(params)
  connection.notify("initialized", {})
  if (settings !== undefined && Wire.isRecord(settings) && Object.keys(settings).length > 0) {
    connection.notify("workspace/didChangeConfiguration", { settings })
  }

  const documents = OpenDocuments.make({
    row,
    texts,
    capabilities,
    diagnostics,
    notify: (method, params) => {
      if (!isEnding) connection.notify(method, params)
    },
    most: policy.documents,
    now
  })
  note = documents.note
  for (const event of changes) note(event)

  const info = Wire.get(result.value, "serverInfo")
  const named = [Wire.get(info, "name"), Wire.get(info, "version")].filter((each) => typeof each === "string").join(" ")
  return {
    row,
    root,
    process,
    request: (method, params) =>
      Effect.suspend(() =>
        isEnding && closed === undefined
          ? Effect.fail(new JsonRpc.Closed({ message: "it is being ended" }))
          : connection.request(method, params)
      ),
    capabilities,
    documents,
    // A server that is not asked for diagnostics may be silent for long: no question waits for that.
    fixed: Fixed.make(() => (capabilities.diagnosticProviders().length > 0 ? "1 minute" : "2 seconds")),
    diagnostics,
    progress,
    signal,
    name: named === "" ? undefined : named.slice(0, 200),
    startedAt: now(),
    told,
    partial: (token, take) => {
      partials.set(token, take)
      return () => partials.delete(token)
    },
    notify: (method, params) => {
      if (!isEnding) connection.notify(method, params)
    },
    takingEdits: (take, self) =>
      editing.withPermit(
        Effect.acquireUseRelease(
          Effect.sync(() => {
            takeEdit = take
          }),
          () => self,
          () =>
            Effect.sync(() => {
              takeEdit = undefined
            })
        )
      ),
    pathOf,
    over: () => closed,
    ended: Deferred.await(ended),
    end
  }
})
