/** One running interpreter: its process, the frames both ways, and what it shows, in order. */
import { randomUUID } from "node:crypto"
import { Clock, Context, Deferred, Effect, Fiber, Option, type Scope, Stream } from "effect"
import * as Frame from "../../src/kernel/Frame.ts"
import * as Splice from "../../src/kernel/Splice.ts"
import * as Processes from "../../src/Processes.ts"
import * as Lines from "../../src/wire/Lines.ts"
import * as ProcessTable from "../process/ProcessTable.ts"

/** How long a mark or a frame may be missing, from the last that was read, before it is not waited for; in milliseconds. */
const quiet = { mark: 200, frame: 20 }
/** How long what is in the pipes of a process that has ended is read, when others hold them open. */
const drainTime = "300 millis"
const grace = "300 millis"

export type Item = Splice.Item<Frame.Placed>

/** Whoever works with the session at a time. None of it may wait. */
export interface Listener {
  readonly item: (item: Item) => void
  /** Something came, whatever it is. */
  readonly active: Effect.Effect<void>
  readonly call: (call: Frame.ToolCall) => Effect.Effect<void>
  readonly cancel: (id: Frame.ToolCall["id"]) => Effect.Effect<void>
  readonly notice: (text: string) => void
  /** The interpreter is gone; nothing follows. */
  readonly gone: (why: string) => void
}

export interface Session {
  /** Waits until cells can be sent; fails with the reason, a clause, when it does not come to that. */
  readonly ready: Effect.Effect<Frame.Ready, string>
  /** `false`: it is too large, and was not sent. */
  readonly send: (request: Frame.Request) => Effect.Effect<boolean>
  readonly signal: Processes.Process["signal"]
  /** Receives what comes from now on. */
  readonly listen: (listener: Listener) => void
  /** Ends the process and all that it started; `why`, a sentence, is what is said of it, unless it is gone already. */
  readonly end: (why: string) => Effect.Effect<void>
  /** Whether it has exited by now, also where nobody has looked at what the system reports since. */
  readonly hasExited: Effect.Effect<boolean>
  /** Why it is gone, if it is. */
  readonly isGone: () => string | undefined
  /** Waits until it is gone, and says why. */
  readonly gone: Effect.Effect<string>
}

export interface Options {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly tools: boolean
  readonly memoryLimit: number | undefined
  /** Listens while no cell runs. */
  readonly background: Listener
}

/** What happens to a process happens in real time, whatever clock its owner runs on. */
const onRealClock = Effect.provideService(Clock.Clock, Context.get(Context.empty(), Clock.Clock))
const ownTurn = Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})
/** Whether the process table tells a process from one that has ended and that nobody has asked for. */
const isTableExact = process.platform === "linux"
/** Between two turns Node looks once at all that the system has to report. */
const lookAround = Effect.andThen(ownTurn, ownTurn)

const describeExit = (exit: Processes.Exit): string => {
  if (exit.ended === "memory_limit") return "it exceeded its memory limit and was ended."
  if (exit.signal === "SIGKILL") return "it was killed by SIGKILL, likely because the memory ran out."
  if (exit.signal !== undefined) return `it was killed by ${exit.signal}.`
  return `it exited with code ${exit.code ?? "unknown"}.`
}

/** Starts an interpreter that lives as long as the scope; fails with the reason, a clause, when there is nothing to start. */
export const start = Effect.fnUntraced(function* (
  options: Options
): Effect.fn.Return<Session, string, Processes.Processes | Scope.Scope> {
  const processes = yield* Processes.Processes
  const clock = yield* Clock.Clock
  const marker = randomUUID()
  const process = yield* Effect.mapError(
    processes.spawn({
      command: options.command,
      args: options.args,
      cwd: options.cwd,
      env: options.env,
      extendEnv: false,
      stdin: "empty",
      stdout: "pipe",
      stderr: "pipe",
      stdio: "fifo",
      stderrTailBytes: 4096,
      extraPipes: 2,
      grace,
      memoryLimit: options.memoryLimit
    }),
    ({ message }) => message
  )
  const { pid } = process
  const entry = { pid, parent: 0, group: pid, session: pid, start: ProcessTable.startOf(pid) }
  const [frames, requests] = process.pipes
  if (frames === undefined || requests === undefined) return yield* Effect.die("no pipes")

  const splice = Splice.make<Frame.Placed>(marker)
  const lines = Lines.decoder(Frame.maxBytes)
  const ready = yield* Deferred.make<Frame.Ready, string>()
  const gone = yield* Deferred.make<string>()
  let listener = options.background
  let endedBecause: string | undefined
  let hasExited = false
  let goneBecause: string | undefined
  let lastRead = 0
  let isWatched = false
  const scope = yield* Effect.scope

  const pump = () => {
    for (const item of splice.take()) listener.item(item)
  }

  // One watcher for a time of waiting, however many chunks come in it.
  const watch = Effect.gen(function* () {
    for (let wanted = splice.waitsFor(); wanted !== undefined; wanted = splice.waitsFor()) {
      const left = lastRead + quiet[wanted] - clock.currentTimeMillisUnsafe()
      if (left > 0) {
        yield* Effect.sleep(left)
        continue
      }
      // What was in the pipes while this process was busy is read before its mark counts as missing.
      const before = lastRead
      yield* lookAround
      if (lastRead !== before || splice.waitsFor() === undefined) continue
      splice.giveUp()
      pump()
      lastRead = clock.currentTimeMillisUnsafe()
    }
  }).pipe(Effect.ensuring(Effect.sync(() => (isWatched = false))))

  const afterRead = Effect.suspend(() => {
    lastRead = clock.currentTimeMillisUnsafe()
    pump()
    if (isWatched || splice.waitsFor() === undefined) return listener.active
    isWatched = true
    return Effect.andThen(Effect.forkIn(watch, scope), listener.active)
  })

  const take = (frame: Frame.Frame): Effect.Effect<void> => {
    switch (frame.t) {
      case "ready":
        return Effect.asVoid(Deferred.succeed(ready, frame))
      case "call":
        return listener.call(frame)
      case "cancel":
        return listener.cancel(frame.id)
      case "notice":
        return Effect.sync(() => listener.notice(frame.text))
      default:
        return Effect.sync(() => splice.frame(frame))
    }
  }

  const takeLine = (line: Lines.Line): Effect.Effect<void> => {
    if ("tooLong" in line) {
      return Effect.sync(() => listener.notice(`a message of ${line.tooLong} bytes from the interpreter was dropped.`))
    }
    return Option.match(Frame.decode(line.text), {
      onNone: () => Effect.logDebug(`the interpreter wrote what is no frame: ${line.text.slice(0, 200)}`),
      onSome: take
    })
  }

  const readText = (pipe: Splice.Pipe, bytes: Stream.Stream<Uint8Array>) =>
    Stream.runForEach(bytes, (chunk) => {
      splice.read(pipe, chunk)
      return afterRead
    }).pipe(
      Effect.andThen(
        Effect.suspend(() => {
          splice.end(pipe)
          return afterRead
        })
      )
    )
  const textReaders = yield* Effect.forEach(
    [readText("stdout", process.stdout), readText("stderr", process.stderr)],
    (reader) => Effect.forkScoped(reader, { startImmediately: true })
  )
  const framesReader = yield* Effect.forkScoped(
    Stream.runForEach(frames.bytes, (chunk) =>
      Effect.andThen(Effect.forEach(lines.push(chunk), takeLine, { discard: true }), afterRead)
    ),
    { startImmediately: true }
  )

  const end = (why: string) =>
    Effect.suspend(() => {
      endedBecause ??= why
      return Effect.asVoid(process.end)
    })

  // An interpreter that has closed its end of the frames (a program may close all descriptors) can do nothing any more.
  yield* Effect.gen(function* () {
    yield* Fiber.await(framesReader)
    const exit = yield* Effect.timeoutOption(process.exit, "1 second").pipe(onRealClock)
    if (Option.isNone(exit)) yield* end("it closed the descriptors that it speaks through.")
  }).pipe(Effect.forkScoped)

  yield* Effect.gen(function* () {
    const exit = yield* process.exit
    hasExited = true
    yield* Fiber.awaitAll([...textReaders, framesReader]).pipe(Effect.timeoutOption(drainTime), onRealClock)
    for (const pipe of ["stdout", "stderr"] as const) splice.end(pipe)
    while (splice.waitsFor() !== undefined) {
      pump()
      splice.giveUp()
    }
    pump()
    const why = endedBecause ?? describeExit(exit)
    const said = (yield* process.stderrTail).trim().split("\n").at(-1) ?? ""
    yield* Deferred.fail(
      ready,
      `${Processes.describeExit(exit)}${said === "" ? "" : `, saying: ${said.slice(0, 300)}`}`
    )
    goneBecause = why
    yield* Deferred.succeed(gone, why)
    listener.gone(why)
  }).pipe(Effect.forkScoped({ startImmediately: true }))

  // A request that cannot be written is to a process that ends; its exit says so.
  const send = (request: Frame.Request) =>
    Effect.suspend(() => {
      const line = Frame.encode(request)
      return line.length > Frame.maxBytes ? Effect.succeed(false) : Effect.as(Effect.ignore(requests.write(line)), true)
    })

  yield* send({ t: "init", marker, cwd: options.cwd, tools: options.tools })
  return {
    ready: Deferred.await(ready),
    send,
    signal: process.signal,
    listen: (next) => {
      listener = next
    },
    end,
    hasExited: Effect.map(isTableExact ? Effect.void : lookAround, () => hasExited || !ProcessTable.isAlive(entry)),
    isGone: () => goneBecause,
    gone: Deferred.await(gone)
  }
})
