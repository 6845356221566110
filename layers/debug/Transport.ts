/** How bytes come from and go to an adapter: its pipes, or a connection to it; with the process, where we have started one. */
import { Deferred, type Duration, Effect, type Scope, Stream } from "effect"
import type { Adapter } from "../../src/debug/adapters/Adapter.ts"
import { describeExit, type Input, type Process, type Processes } from "../../src/Processes.ts"
import * as Clocks from "./Clocks.ts"
import * as Sockets from "./Sockets.ts"

export interface Transport {
  readonly bytes: Stream.Stream<Uint8Array>
  readonly write: Input["write"]
  /** Says that nothing more comes from us: end of input. */
  readonly end: Effect.Effect<void>
  readonly process?: Process | undefined
  /** Opens another connection to the same adapter, for a child session, where that can be. */
  readonly again?: Effect.Effect<Transport, Sockets.ConnectError, Scope.Scope> | undefined
}

/** The adapter did not come up; `message` says why. */
export interface StartFailure {
  readonly _tag: "StartFailure"
  readonly message: string
}

export const failure = (message: string): StartFailure => ({ _tag: "StartFailure", message })

export interface Options {
  readonly adapter: Adapter
  readonly command: ReadonlyArray<string>
  readonly cwd: string
  /** Variables of the program that it has from the adapter. */
  readonly env?: Readonly<Record<string, string>> | undefined
  readonly processes: Processes["Service"]
  /** The process, as soon as there is one. */
  readonly spawned: (process: Process) => void
  /** What the process writes that is not protocol. */
  readonly onOutput: (category: string, text: string) => void
  readonly connect: Duration.Input
}

/** The last lines of standard error, for a message. */
export const tailOf = Effect.fnUntraced(function* (process: Process) {
  const lines = (yield* process.stderrTail).split(/\r?\n/).filter((line) => line.trim() !== "")
  const text = lines.slice(-8).join("\n")
  return text.length > 1200 ? `…${text.slice(-1200)}` : text
})

/** How a process ended, with what it said last. */
export const describeEnd = Effect.fnUntraced(function* (process: Process) {
  const exit = yield* process.exit
  const tail = yield* tailOf(process)
  const how = `the adapter ${describeExit(exit)}`
  return tail === "" ? how : `${how}; the end of its standard error:\n${tail}`
})

const longestLine = 4096

/** Reads text for ever, so that whoever writes it is never blocked. */
const drain = (bytes: Stream.Stream<Uint8Array>, take: (text: string) => void) => {
  const decoder = new TextDecoder()
  return Stream.runForEach(bytes, (chunk) => Effect.sync(() => take(decoder.decode(chunk, { stream: true })))).pipe(
    Effect.exit,
    Effect.forkScoped({ startImmediately: true })
  )
}

/** Starts the adapter and opens its transport; both end with the scope. */
export const start = Effect.fnUntraced(function* (
  options: Options
): Effect.fn.Return<Transport, StartFailure, Scope.Scope> {
  const { adapter, connect, onOutput } = options
  const { transport } = adapter
  const [command = "", ...args] = options.command
  const isTcp = transport !== "stdio"
  /** Where it says on which port it listens. */
  const stream = isTcp && transport.tcp === "listen-line" ? (transport.on ?? "stdout") : "stdout"
  const showsErrors = adapter.quirks?.showsErrors === true
  const dialIn =
    isTcp && transport.tcp === "dial-in"
      ? yield* Effect.mapError(Sockets.listen(), ({ message }) => failure(message))
      : undefined
  const process = yield* options.processes
    .spawn({
      command,
      args: dialIn === undefined ? args : args.map((arg) => arg.replaceAll("${address}", `127.0.0.1:${dialIn.port}`)),
      cwd: options.cwd,
      env: options.env,
      stdin: isTcp ? "empty" : "pipe",
      stderr: showsErrors || stream === "stderr" ? "pipe" : "tail",
      // The goodbye has been said before; and some adapters orphan their program when they are asked to end.
      grace: 0
    })
    .pipe(Effect.mapError(({ message }) => failure(message)))
  options.spawned(process)
  if (showsErrors && stream !== "stderr") yield* drain(process.stderr, (text) => onOutput("stderr", text))
  if (transport === "stdio")
    return { bytes: process.stdout, write: process.stdin.write, end: process.stdin.end, process }

  const gone = Effect.flatMap(describeEnd(process), (message) => Effect.fail(failure(message)))
  if (dialIn !== undefined) {
    yield* drain(process.stdout, (text) => onOutput("stdout", text))
    return { ...(yield* Effect.raceFirst(dialIn.accepted, gone)), process }
  }

  const announced = yield* Deferred.make<number>()
  const pattern = transport.tcp === "listen-line" ? transport.line : /(?!)/
  let line = ""
  let isAnnounced = false
  const look = (text: string): void => {
    if (isAnnounced) return onOutput(stream, text)
    line += text
    for (let end = line.indexOf("\n"); end >= 0; end = line.indexOf("\n")) {
      const whole = line.slice(0, end + 1)
      line = line.slice(end + 1)
      const port = Number(pattern.exec(whole)?.[1])
      if (Number.isInteger(port) && port > 0) {
        isAnnounced = true
        Deferred.doneUnsafe(announced, Effect.succeed(port))
        if (line !== "") onOutput(stream, line)
        return
      }
      onOutput("console", whole)
    }
    if (line.length > longestLine) line = ""
  }
  yield* drain(process[stream], look)
  if (stream === "stderr") yield* drain(process.stdout, (text) => onOutput("stdout", text))
  const port = yield* Effect.raceFirst(Deferred.await(announced), gone)
  const again = dial(port, connect)
  const opened = yield* Effect.raceFirst(
    Effect.mapError(again, ({ message }) =>
      failure(`it listens on port ${port}, but cannot be reached there: ${message}`)
    ),
    gone
  )
  return { ...opened, process, again }
})

/** A connection to a port of this machine. */
export const dial = (port: number, patience: Duration.Input): NonNullable<Transport["again"]> =>
  Sockets.connect(port, patience)

/** Connects to what speaks the protocol already. */
export const attach = Effect.fnUntraced(function* (
  port: number,
  patience: Duration.Input
): Effect.fn.Return<Transport, StartFailure, Scope.Scope> {
  const again = dial(port, patience)
  const opened = yield* Effect.mapError(again, ({ message }) =>
    failure(
      `nothing answers on port ${port} of this machine (${message}). Start the program so that it listens there, and attach again`
    )
  )
  return { ...opened, again }
})

/** Waits for a process to end by itself, in real time. */
export const ended = (process: Process, limit: Duration.Input) => Clocks.within(process.exit, limit)
