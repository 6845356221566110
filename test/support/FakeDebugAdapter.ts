/** The scriptable debug adapter, and a run of the tool `debug` with it. */
import { type ChildProcess, spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import { Clock, Context, Effect, Exit, Layer, Schedule, Scope } from "effect"
import * as NodeDebuggers from "../../layers/debug/NodeDebuggers.ts"
import * as NodeProcesses from "../../layers/process/NodeProcesses.ts"
import * as NodeWorkspace from "../../layers/workspace/NodeWorkspace.ts"
import * as Conversation from "../../src/Conversation.ts"
import { debug } from "../../src/debug/Debug.ts"
import type { Policy } from "../../src/debug/Policy.ts"
import type * as Values from "../../src/debug/Values.ts"
import type { Adapter, Found, Transport } from "../../src/debug/adapters/Adapter.ts"
import * as Surface from "../../src/Surface.ts"
import type { Code } from "../../src/ToolError.ts"
import * as Leftovers from "./Leftovers.ts"

/** What came with a message; tests know what they sent. */
// oxlint-disable-next-line no-explicit-any
type Params = any

interface Request {
  readonly seq: number
  readonly command: string
}

/** What runs in the process of the adapter, once for each connection. */
export interface Fake {
  /** 1 for the first connection. */
  readonly session: number
  readonly noReply: symbol
  readonly program: {
    path: string
    last: number
    line: number
    code: number
    /** When `initialized` and the answer to `launch` come, as these adapters do it. */
    order: "debugpy" | "delve" | "lldb19" | "dart"
    isOver: boolean
    capabilities: Params
  }
  /** What the fake does of itself. */
  readonly base: (command: string, args: Params, request: Request) => unknown
  /** The body of the answer is what the handler returns, or the error that it throws. */
  readonly on: (command: string, handler: (args: Params, request: Request) => unknown) => void
  readonly send: (message: object) => Promise<void>
  readonly raw: (data: string | Uint8Array) => Promise<void>
  readonly frame: (message: object) => string
  readonly event: (name: string, body?: unknown) => Promise<void>
  readonly respond: (request: Request, body?: unknown) => Promise<void>
  readonly fail: (request: Request, message?: string, error?: unknown) => Promise<void>
  readonly stop: (reason: string, more?: object) => Promise<void>
  readonly end: (code?: number) => Promise<void>
  /** Runs to the next breakpoint, or the end. */
  readonly run: () => Promise<void>
  readonly output: (text: string, category?: string) => Promise<void>
  readonly reverse: (command: string, args: unknown) => Promise<Params>
  /** From now on, output comes in chunks of this many bytes. */
  readonly split: (size: number) => void
  readonly zeroSeq: () => void
  readonly emptyCommand: () => void
  readonly stderr: (text: string) => void
  readonly stdout: (text: string) => void
  readonly sleep: (millis: number) => Promise<void>
  readonly exit: (code: number) => never
  readonly kill: (signal: string) => void
  readonly stopReading: () => void
  readonly fork: (env?: object) => number
  readonly ignoreTermination: () => void
  readonly keepAlive: () => void
  readonly port: () => number
  readonly log: (entry: object) => void
}

export type Behaviour = (adapter: Fake) => void | Promise<void>

/** A line of the adapter's log. */
export interface Logged {
  readonly pid?: number
  readonly child?: number
  readonly mark?: string
  readonly session?: number
  readonly received?: {
    readonly seq: number
    readonly command?: string
    readonly arguments?: Params
    readonly type: string
    readonly success?: boolean
    readonly message?: string
  }
  readonly [key: string]: unknown
}

const script = fileURLToPath(new URL("./FakeDebugAdapter.mjs", import.meta.url))

export const realClock = Context.get(Context.empty(), Clock.Clock)

/** Waits in real time until a look gives something. */
export const eventually = <A>(look: () => A | undefined): Effect.Effect<A> =>
  Effect.suspend(() => Effect.fromNullishOr(look())).pipe(
    Effect.retry(Schedule.spaced("10 millis").pipe(Schedule.upTo({ duration: "10 seconds" }))),
    Effect.orDie,
    Effect.provideService(Clock.Clock, realClock)
  )

export interface Options {
  readonly files?: { readonly [name: string]: string }
  readonly policy?: Partial<Policy>
  readonly transport?: "stdio" | "listen" | "dial"
  readonly adapter?: Partial<Adapter>
  readonly found?: Partial<Found>
}

const transports: { readonly [name: string]: readonly [Transport, ReadonlyArray<string>] } = {
  stdio: ["stdio", []],
  listen: [{ tcp: "listen-line", line: /listening at: [\d.]+:(\d+)/ }, ["--listen"]],
  dial: [{ tcp: "dial-in" }, ["--dial", "${address}"]]
}

/** The row of the fake. */
export const row = (options: Pick<Options, "adapter" | "transport"> = {}): Adapter => ({
  id: "fake",
  command: [{ name: "node", args: [] }],
  transport: transports[options.transport ?? "stdio"]![0],
  markers: ["root.marker"],
  extensions: [".t"],
  launchArguments: ({ args, cwd, env, program, temporary }) => ({ program, args, cwd, env, temporary }),
  attach: { how: "connect", arguments: ({ port }) => ({ port }) },
  ...options.adapter
})

export const argv = (transport: string, behaviour: string, log: string): ReadonlyArray<string> => [
  process.execPath,
  script,
  behaviour,
  log,
  ...transports[transport]![1]
]

const source = Array.from({ length: 20 }, (_, i) => `line ${i + 1}`).join("\n")

/** A folder with a program, and the tool with the fake for its only adapter. It debugs `.t` files below a `root.marker`. */
export const run = Effect.fnUntraced(function* (behaviour: Behaviour, options: Options = {}) {
  const folder = Fs.realpathSync(Fs.mkdtempSync(Path.join(Os.tmpdir(), "livetools-debug-test-")))
  yield* Effect.addFinalizer(() => Effect.sync(() => Fs.rmSync(folder, { recursive: true, force: true })))
  const root = Path.join(folder, "project")
  const path = (name: string) => Path.join(root, name)
  for (const [name, content] of Object.entries({ "root.marker": "", "a.t": `${source}\n`, ...options.files })) {
    Fs.mkdirSync(Path.dirname(path(name)), { recursive: true })
    Fs.writeFileSync(path(name), content)
  }
  const file = Path.join(folder, "behaviour.mjs")
  const logFile = Path.join(folder, "adapter.log")
  Fs.writeFileSync(file, `export default ${behaviour.toString()}\n`)
  Fs.writeFileSync(logFile, "")
  const adapter = row(options)
  const found: Found = {
    adapter,
    marker: path("root.marker"),
    binary: process.execPath,
    usable: true,
    command: argv(options.transport ?? "stdio", file, logFile),
    ...options.found
  }
  const runId = `debug-${randomUUID()}`
  const scope = yield* Scope.make()
  yield* Effect.addFinalizer(() => Scope.close(scope, Exit.void))
  const context = yield* Layer.buildWithScope(
    NodeDebuggers.layer({ find: () => Effect.succeed([found]), policy: options.policy }).pipe(
      Layer.provideMerge(
        Layer.mergeAll(
          NodeProcesses.layer({ runId }),
          Layer.orDie(NodeWorkspace.layer({ root })),
          Conversation.layer("conversation")
        )
      )
    ),
    scope
  )
  const surface = yield* Surface.make([debug]).pipe(
    Effect.provideContext(context),
    Effect.provideService(Scope.Scope, scope)
  )
  const log = (): ReadonlyArray<Logged> =>
    Fs.readFileSync(logFile, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Logged)
  const received = (command?: string) =>
    log().flatMap(({ received: message, session }) =>
      message !== undefined && (command === undefined || message.command === command) ? [{ ...message, session }] : []
    )

  type CallParams = Parameters<typeof surface.call<"debug">>[1]
  const call = (params: CallParams) => surface.call("debug", params)
  /** The value of a call that is to succeed. */
  const ok = (params: CallParams): Effect.Effect<Values.Value & { readonly words: string }> =>
    Effect.map(call(params), (answer) => {
      if (answer.isFailure) throw new Error(`${params.op} failed: ${answer.code}: ${answer.text}`)
      return { ...answer.value, words: answer.text }
    })
  /** The failure of a call that is to fail with this code. */
  const refused = (params: CallParams, code: Code): Effect.Effect<string> =>
    Effect.map(call(params), (answer) => {
      if (answer.isFailure && answer.code === code) return answer.text
      throw new Error(
        `${params.op} should fail with ${code}: ${answer.isFailure ? answer.code : "it succeeded"}: ${answer.text}`
      )
    })
  return {
    root,
    folder,
    path,
    call,
    ok,
    refused,
    surface,
    log,
    /** The requests that the adapter received. */
    received,
    commands: () => received().flatMap(({ command, type }) => (type === "request" ? [command ?? ""] : [])),
    pids: () => log().flatMap(({ child, pid }) => pid ?? child ?? []),
    runId,
    /** Waits until nothing runs that the adapters were or have started. */
    gone: Effect.suspend(() => {
      const pids = log().flatMap(({ child, pid }) => pid ?? child ?? [])
      return eventually(() =>
        Leftovers.marked(runId).length === 0 && !pids.some(Leftovers.isRunning) ? true : undefined
      )
    }),
    close: Scope.close(scope, Exit.void),
    behaviourFile: file,
    logFile
  }
})

export type Run = Effect.Success<ReturnType<typeof run>>

/** An adapter that serves a port by itself, as a debuggee that is to be attached to; ended with the scope. */
export const server = Effect.fnUntraced(function* (debuggee: Pick<Run, "behaviourFile" | "logFile">) {
  const child: ChildProcess = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, [script, debuggee.behaviourFile, debuggee.logFile, "--serve"], {
        stdio: ["ignore", "pipe", "inherit"]
      })
    ),
    (started) => Effect.sync(() => started.kill("SIGKILL"))
  )
  const port = yield* Effect.callback<number>((resume) => {
    let text = ""
    child.stdout!.on("data", (chunk) => {
      text += String(chunk)
      const found = /listening at: [\d.]+:(\d+)/.exec(text)
      if (found !== null) resume(Effect.succeed(Number(found[1])))
    })
  })
  return { child, port }
})
