/**
 * The one port that starts every child process (DESIGN, "Processes").
 *
 * Each child has a process group of its own and carries the marks of the run and of itself in its environment
 * (`LIVETOOLS_RUN`, `LIVETOOLS_PROCESS`), which its descendants inherit. When its scope closes, the whole tree ends:
 * also descendants that left the group, the session or the parent. When the host dies, a guardian does the same.
 */
import { Context, type Duration, Effect, Fiber, Schema, type Scope, Stream } from "effect"

/** How to start a child. */
export interface Options {
  /**
   * A name, looked up in the absolute entries of the child's `PATH` (relative ones would search the workspace), or a
   * path, taken from `cwd`. It never goes through a shell.
   */
  readonly command: string
  readonly args: ReadonlyArray<string>
  /** Absolute. */
  readonly cwd: string
  /** Variables to set; `undefined` removes one. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /** Whether `env` extends the environment of the host, or is all of it. Default `true`. */
  readonly extendEnv?: boolean | undefined
  /** `empty`: reads see end of file at once. Default `pipe`. */
  readonly stdin?: "pipe" | "empty" | undefined
  /** `discard`: goes nowhere, and `stdout` is empty. Default `pipe`: a child that nobody reads is paused. */
  readonly stdout?: "pipe" | "discard" | undefined
  /**
   * `tail`: always read, and the end kept for `stderrTail`; `stderr` is empty. `pipe`: read through `stderr`, and paused
   * when nobody does; the end of what was read is kept. Default `tail`.
   */
  readonly stderr?: "tail" | "pipe" | undefined
  /**
   * What standard output and error are. `fifo`: the child can open them by name, as `/dev/stdout`, which fails on a
   * `socket`; takes a few ms to make, and where none can be made they are sockets. Default `socket`.
   */
  readonly stdio?: "socket" | "fifo" | undefined
  /** How much of standard error is kept, in bytes. Default 65,536. */
  readonly stderrTailBytes?: number | undefined
  /** How many pipes, open in both directions, the child gets as descriptors 3, 4, …. Default 0. */
  readonly extraPipes?: number | undefined
  /** How long the tree has between SIGTERM and SIGKILL; zero is SIGKILL at once. Real time. Default 2 seconds. */
  readonly grace?: Duration.Input | undefined
  /** Resident memory of the whole tree, in bytes, above which it is killed. Default: no limit. */
  readonly memoryLimit?: number | undefined
}

/** Why a child could not be started. */
export const SpawnReason = Schema.Literals([
  "not_found",
  "not_executable",
  "bad_format",
  "bad_directory",
  "bad_argument",
  "no_resources",
  "run_ended",
  "other"
])
export type SpawnReason = typeof SpawnReason.Type

/** The child was not started; `message` says why and what to do. */
export class SpawnError extends Schema.TaggedError<SpawnError>()("SpawnError", {
  command: Schema.String,
  reason: SpawnReason,
  message: Schema.String
}) {}

/** The other end of a pipe is closed: what was written did not, or not wholly, arrive. */
export class PipeClosed extends Schema.TaggedError<PipeClosed>()("PipeClosed", {
  message: Schema.String
}) {}

/** What the host writes to a child. */
export interface Input {
  /**
   * Completes when the pipe has taken the whole chunk. Writes are delivered whole and in order. A write that is
   * interrupted while the pipe is full is either not sent at all or still sent as a whole, never in part, as long as
   * the child lives. The chunk must not be changed afterwards.
   */
  readonly write: (chunk: Uint8Array) => Effect.Effect<void, PipeClosed>
  /** Sends end of file after what was written. */
  readonly end: Effect.Effect<void>
}

/** A pipe that is open in both directions. `bytes` has one reader at a time. */
export interface Pipe extends Input {
  readonly bytes: Stream.Stream<Uint8Array>
}

/** How a child ended. */
export interface Exit {
  /** The exit code, unless a signal ended it. */
  readonly code?: number
  /** The signal that ended it, as `SIGKILL`. */
  readonly signal?: string
  /** Why this port ended it (`end`: on request or with the scope); absent when the child ended without that. */
  readonly ended?: "end" | "memory_limit"
}

export type Signal =
  | "SIGINT"
  | "SIGTERM"
  | "SIGKILL"
  | "SIGQUIT"
  | "SIGHUP"
  | "SIGUSR1"
  | "SIGUSR2"
  | "SIGSTOP"
  | "SIGCONT"

/** A running child. */
export interface Process {
  readonly pid: number
  readonly stdin: Input
  /**
   * Ends when every process that holds the pipe has closed it, or with the scope. One reader at a time; a later one
   * continues where the former stopped.
   */
  readonly stdout: Stream.Stream<Uint8Array>
  /** As `stdout`; empty unless `stderr: "pipe"`. */
  readonly stderr: Stream.Stream<Uint8Array>
  /** The end of standard error as text; after the exit, all that was written before it is in. */
  readonly stderrTail: Effect.Effect<string>
  /** Descriptors 3, 4, …, as many as `extraPipes`. */
  readonly pipes: ReadonlyArray<Pipe>
  /** Waits for the child itself; descendants may live on until the scope closes. Can be awaited any number of times. */
  readonly exit: Effect.Effect<Exit>
  /** Sends a signal to the child or to its process group. Does nothing once the child has exited. */
  readonly signal: (signal: Signal, to?: "process" | "group") => Effect.Effect<void>
  /**
   * Ends the whole tree, as closing the scope does: end of file on standard input and SIGTERM, then after the grace
   * SIGKILL to what is left. Completes when nothing is left; goes on when its caller is interrupted.
   */
  readonly end: Effect.Effect<Exit>
  /** Resident memory of the whole tree, in bytes; pages that processes share count once for each. */
  readonly memory: Effect.Effect<number>
}

export class Processes extends Context.Service<
  Processes,
  {
    /** The value of `LIVETOOLS_RUN` in each child. */
    readonly runId: string
    /** Starts a child that lives as long as the scope. */
    readonly spawn: (options: Options) => Effect.Effect<Process, SpawnError, Scope.Scope>
  }
>()("livetools/Processes") {}

/** What a short command wrote, and how it ended. */
export interface Output {
  readonly exit: Exit
  readonly stdout: string
  readonly stderr: string
  /** Whether standard output was longer than `maxBytes`; the rest is not in `stdout`. */
  readonly truncated: boolean
}

/**
 * Runs a command to its end with empty standard input, and keeps the first `maxBytes` (default 1 MiB) of standard
 * output. Bound it with `Effect.timeout`: interruption ends its tree.
 */
export const run = Effect.fn("Processes.run")(function* (
  options: Omit<Options, "stdin" | "stdout" | "stderr" | "extraPipes"> & { readonly maxBytes?: number | undefined }
) {
  const maxBytes = options.maxBytes ?? 1024 * 1024
  const processes = yield* Processes
  const child = yield* processes.spawn({ ...options, stdin: "empty" })
  const decoder = new TextDecoder()
  let stdout = ""
  let bytes = 0
  const read = Stream.runForEach(child.stdout, (chunk) =>
    Effect.sync(() => {
      if (bytes < maxBytes) stdout += decoder.decode(chunk.subarray(0, maxBytes - bytes), { stream: true })
      bytes += chunk.length
    })
  )
  const reading = yield* Effect.forkScoped(read)
  const exit = yield* child.exit
  // A descendant in the background would hold the pipe open for ever.
  yield* child.end
  yield* Fiber.join(reading)
  const output: Output = {
    exit,
    stdout: stdout + decoder.decode(),
    stderr: yield* child.stderrTail,
    truncated: bytes > maxBytes
  }
  return output
}, Effect.scoped)

/** How a child ended, as part of a sentence: `exited with code 1`, `was killed by SIGSEGV`. */
export const describeExit = (exit: Exit): string => {
  if (exit.ended === "memory_limit") return "was ended because it exceeded its memory limit"
  const how = exit.signal === undefined ? `exited with code ${exit.code ?? "unknown"}` : `was killed by ${exit.signal}`
  return exit.ended === "end" ? `${how} (ended on request)` : how
}
