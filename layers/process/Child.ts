/** One child: started, wired to its pipes, and ended with its tree. */
import { type ChildProcess, spawn } from "node:child_process"
import { closeSync } from "node:fs"
import { Socket } from "node:net"
import { Deferred, Duration, Effect, Stream } from "effect"
import {
  describeExit,
  type Exit,
  type Input,
  type Options,
  type Process,
  type SpawnError,
  type SpawnReason
} from "../../src/Processes.ts"
import * as Executable from "./Executable.ts"
import type * as Fifo from "./Fifo.ts"
import * as Pipes from "./Pipes.ts"
import * as ProcessTable from "./ProcessTable.ts"
import * as Tree from "./Tree.ts"

const reasons = new Map<string, SpawnReason>([
  ["ENOENT", "not_found"],
  ["EACCES", "not_executable"],
  ["EPERM", "not_executable"],
  ["ENOEXEC", "bad_format"],
  ["E2BIG", "bad_argument"],
  ["EAGAIN", "no_resources"],
  ["EMFILE", "no_resources"],
  ["ENFILE", "no_resources"],
  ["ENOMEM", "no_resources"]
])

const fromNode = (command: string, error: unknown): SpawnError => {
  const code = error instanceof Error && "code" in error ? String(error.code) : ""
  const message = error instanceof Error ? error.message : String(error)
  return Executable.failure(command, reasons.get(code) ?? "other", message)
}

export type Environment = Readonly<Record<string, string>>

/** A child that has just started. */
export interface Started {
  readonly child: ChildProcess
  readonly pid: number
  /** The host's ends of its descriptors, from 0 on. */
  readonly sockets: ReadonlyArray<Socket | undefined>
}

/** The descriptors that are pipes out of the child. */
export const outputs = ({ stdout }: Options): ReadonlyArray<number> => (stdout === "discard" ? [2] : [1, 2])

/**
 * Starts a program. Node reports some failures by throwing, some by an event of the next tick. `started` is called at once:
 * what attaches listeners must not miss an event. `fifos` are for the `outputs`, in order; they are closed in any case.
 */
export const launch = <A>(
  options: Options,
  file: string,
  env: Environment,
  fifos: ReadonlyArray<Fifo.Fifo>,
  started: (started: Started) => A
): Effect.Effect<A, SpawnError> =>
  Effect.callback((resume) => {
    const fds = outputs(options)
    const writerOf = (fd: number) => fifos[fds.indexOf(fd)]?.writer ?? "pipe"
    const readers = fifos.map(({ reader }) => new Socket({ fd: reader, readable: true, writable: false }))
    const abandon = () => {
      for (const reader of readers) reader.destroy()
    }
    try {
      const child = spawn(file, options.args, {
        argv0: options.command,
        cwd: options.cwd,
        env,
        detached: true,
        stdio: [
          options.stdin === "empty" ? "ignore" : "pipe",
          options.stdout === "discard" ? "ignore" : writerOf(1),
          writerOf(2),
          ...Array.from({ length: options.extraPipes ?? 0 }, () => "pipe" as const)
        ]
      })
      child.on("error", (error) => {
        for (const stream of child.stdio) stream?.destroy()
        abandon()
        resume(Effect.fail(fromNode(options.command, error)))
      })
      if (child.pid === undefined) return
      const sockets = child.stdio.map(
        (stream, fd) => readers[fds.indexOf(fd)] ?? (stream instanceof Socket ? stream : undefined)
      )
      resume(Effect.succeed(started({ child, pid: child.pid, sockets })))
    } catch (error) {
      abandon()
      resume(Effect.fail(fromNode(options.command, error)))
    } finally {
      for (const { writer } of fifos) closeSync(writer)
    }
  })

export interface Child {
  readonly process: Process
  /** Ends the tree and closes the pipes. */
  readonly close: Effect.Effect<void>
  /** Ends the tree when it exceeds its memory limit; completes when there is nothing to watch (any more). */
  readonly watch: Effect.Effect<void>
}

/** What the run wants to know: the group of the child has gone, nothing of the tree is left. */
export interface Events {
  readonly groupGone: () => void
  readonly gone: () => void
}

/** Wires a child that has just started. */
export const wire = (options: Options, { child, sockets }: Started, root: Tree.Root, events: Events): Child => {
  const exited = Deferred.makeUnsafe<Exit>()
  const ended = Deferred.makeUnsafe<void>()
  let exit: Exit | undefined
  let reason: "end" | "memory_limit" | undefined
  child.once("exit", (code, signal) => {
    exit = {
      ...(code === null ? {} : { code }),
      ...(signal === null ? {} : { signal }),
      ...(reason === undefined ? {} : { ended: reason })
    }
    if (!Tree.send(-root.pid, 0)) {
      root.groupIsGone = true
      events.groupGone()
    }
    Deferred.doneUnsafe(exited, Effect.succeed(exit))
  })

  const closed = (what: string) => () => {
    const state = exit !== undefined ? describeExit(exit) : reason !== undefined ? "is being ended" : undefined
    return `${what} of ${options.command} is closed${state === undefined ? "" : `: the process ${state}`}`
  }
  const input = (fd: number, what: string): Input => {
    const socket = sockets[fd]
    return socket === undefined ? Pipes.noWriter(closed(what)()) : Pipes.writer(socket, closed(what))
  }
  const output = (fd: number) => {
    const socket = sockets[fd]
    return socket === undefined ? Stream.empty : Pipes.reader(socket)
  }

  const tail = Pipes.tail(options.stderrTailBytes ?? 65_536)
  const keep = (chunk: Uint8Array) => tail.push(chunk)
  const piped = options.stderr === "pipe"
  if (!piped) sockets[2]?.on("data", keep).on("error", () => {})

  // The first reason stands, and the tree is ended once, whoever asks.
  const endTree = (why: "end" | "memory_limit", grace: Duration.Duration) =>
    Effect.suspend(() => {
      if (reason !== undefined) return Deferred.await(ended)
      reason = why
      child.stdin?.end()
      const work = Effect.gen(function* () {
        const left = yield* Tree.end(root, grace)
        if (left.length > 0) {
          const pids = left.map(({ pid }) => pid).join(", ")
          return yield* Effect.logWarning(`processes of ${options.command} could not be ended: ${pids}`)
        }
        yield* Deferred.await(exited)
        events.gone()
      })
      return Effect.andThen(
        Effect.forkDetach(Deferred.into(work, ended), { startImmediately: true }),
        Deferred.await(ended)
      )
    })
  const end = endTree("end", Duration.fromInputUnsafe(options.grace ?? "2 seconds"))

  const limit = options.memoryLimit
  const watch = Effect.gen(function* () {
    if (limit === undefined) return
    for (let tree = yield* Tree.members(root); tree.length > 0; tree = yield* Tree.members(root)) {
      if ((yield* ProcessTable.memoryOf(tree)) > limit) return yield* endTree("memory_limit", Duration.zero)
      yield* Effect.sleep("1 second")
    }
  })

  const handle: Process = {
    pid: root.pid,
    stdin: input(0, "standard input"),
    stdout: output(1),
    stderr: piped ? Stream.tap(output(2), (chunk) => Effect.sync(() => keep(chunk))) : Stream.empty,
    // libuv reports an exit after it has read what was in the pipes.
    stderrTail: Effect.sync(() => tail.text()),
    pipes: sockets.slice(3).map((_, index) => ({
      ...input(index + 3, `descriptor ${index + 3}`),
      bytes: output(index + 3)
    })),
    exit: Deferred.await(exited),
    signal: (signal, to = "process") =>
      Effect.sync(() => {
        if (exit === undefined) Tree.send(to === "group" ? -root.pid : root.pid, signal)
      }),
    end: Effect.andThen(end, Deferred.await(exited)),
    memory: Effect.flatMap(Tree.members(root), ProcessTable.memoryOf)
  }
  const close = Effect.andThen(
    end,
    Effect.sync(() => {
      for (const socket of sockets) socket?.destroy()
    })
  )
  return { process: handle, close, watch: Tree.onRealClock(watch) }
}
