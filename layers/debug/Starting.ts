/** `launch` and `attach`: from what is asked for to a program that runs, or why it does not (SPEC §7.1). */
import * as Fs from "node:fs"
import * as Path from "node:path"
import { Clock, Duration, Effect, Option } from "effect"
import * as Budget from "../../src/Budget.ts"
import * as Choose from "../../src/debug/Choose.ts"
import type * as Debuggers from "../../src/debug/Debuggers.ts"
import * as Policy from "../../src/debug/Policy.ts"
import type { Found } from "../../src/debug/adapters/Adapter.ts"
import type { Processes } from "../../src/Processes.ts"
import * as ToolError from "../../src/ToolError.ts"
import * as Clocks from "./Clocks.ts"
import type { Finder } from "./adapters/Find.ts"
import type { Current } from "./Current.ts"
import type { Live } from "./Live.ts"
import * as Told from "./Told.ts"
import * as Transport from "./Transport.ts"

export interface Options {
  readonly processes: Processes["Service"]
  readonly find: Finder
}

const executables = ["7f454c46", "feedface", "feedfacf", "cefaedfe", "cffaedfe", "cafebabe"]

const isNative = (path: string): boolean => {
  let fd: number | undefined
  try {
    fd = Fs.openSync(path, "r")
    const head = Buffer.alloc(4)
    Fs.readSync(fd, head, 0, 4, 0)
    return executables.includes(head.toString("hex"))
  } catch {
    return false
  } finally {
    if (fd !== undefined) Fs.closeSync(fd)
  }
}

const changedAt = (path: string): number | undefined => Fs.statSync(path, { throwIfNoEntry: false })?.mtimeMs

/** The reason of a failure, with what was written on the way to it: that is where a compiler says what is wrong. */
const explained = (current: Current, message: string): string => {
  const said = current.output.tail(Policy.outputTail, ["stderr", "important", "console", "stdout"])
  const text = said
    .map((entry) => entry.text.trimEnd())
    .join("\n")
    .trim()
  return text === "" || message.includes(text) ? message : `${message}\nIts output:\n${text}`
}

export const make = (current: Current, options: Options): Pick<Debuggers.Debugger, "launch" | "attach" | "restart"> => {
  const { policy, root } = current
  let lastLaunch: Debuggers.Launch | undefined

  const begin = Effect.fnUntraced(function* (
    found: Found,
    about: Pick<Live, "builtAt" | "isAttached" | "program">,
    open: (live: Live) => Parameters<Live["start"]>[0],
    args: (live: Live) => object
  ) {
    const there = current.live()
    if (there !== undefined && !there.isOver()) {
      const what = there.isAttached ? "attached to" : "debugging"
      return yield* ToolError.make(
        "session_exists",
        `There is a session already: ${there.adapter.id}, ${what} ${there.program}, ${current.state().state}. ` +
          "Go on with it, or end it with op `terminate` first."
      )
    }
    if (there !== undefined) yield* current.conclude(there, undefined)
    const live = yield* current.open({ adapter: found.adapter, ...about })
    const command = about.isAttached ? "attach" : "launch"
    const started = yield* live.start(open(live), command, args).pipe(
      Effect.result,
      Budget.within(Budget.after(policy.launch)),
      Effect.onInterrupt(() => current.conclude(live, "the launch was cancelled"))
    )
    if (Option.isSome(started) && started.value._tag === "Success") {
      live.isStarted = true
      current.changes.notify()
      const value = yield* current.settled(live, 0, about.isAttached ? policy.attached : policy.wait)
      return found.reason === undefined ? value : { ...value, notes: [found.reason] }
    }
    const because = live.because()
    // Someone has ended it, or its time was over: that is the answer.
    if (because !== undefined && [Told.terminated, Told.runEnded, current.outOfTime].includes(because)) {
      yield* current.conclude(live, undefined)
      return current.resulting()
    }
    const seconds = Duration.toSeconds(Duration.fromInputUnsafe(policy.launch))
    const reason =
      Option.isSome(started) && started.value._tag === "Failure"
        ? started.value.failure.message
        : `it was not ready after ${seconds} s`
    yield* current.conclude(live, "it did not start")
    current.forget()
    const message = explained(
      current,
      `${found.adapter.id} could not ${about.isAttached ? "attach to" : command} ${about.program}: ${reason}`
    )
    return yield* ToolError.make(Option.isSome(started) ? "adapter_failed" : "timed_out", message)
  })

  const projectOf = (found: Found) => (found.marker === undefined ? root : Path.dirname(found.marker))
  const spawning =
    (found: Found, cwd: string, command = found.command, own?: Debuggers.Launch["env"]) =>
    (live: Live) =>
      Transport.start({
        adapter: found.adapter,
        command,
        cwd,
        env: { ...found.adapter.quirks?.environment, ...own },
        processes: options.processes,
        spawned: live.spawned,
        onOutput: (category, text) => {
          if (found.adapter.quirks?.stdoutNoise?.test(text) !== true) current.output.push(category, text)
        },
        connect: policy.connect
      })

  const launch: Debuggers.Debugger["launch"] = Effect.fn("Debugger.launch")(function* (request) {
    const { module, program } = request
    const subject: Choose.Subject = {
      name: program === undefined ? `the module ${module}` : Path.relative(root, program.path) || ".",
      kind: program?.kind ?? "module",
      extension: program === undefined ? "" : Path.extname(program.path).toLowerCase(),
      isNative: program?.kind === "file" && isNative(program.path),
      hasMode: request.mode !== undefined
    }
    const folder =
      program === undefined ? request.cwd : program.kind === "file" ? Path.dirname(program.path) : program.path
    const considered = yield* options.find(folder, Choose.isConsidered(subject, request.adapter))
    const adapters = considered.length > 0 ? considered : yield* options.find(folder)
    const found = yield* Effect.fromResult(Choose.forProgram(adapters, subject, request.adapter))
    lastLaunch = request
    const { launchArguments, launchCommand, quirks } = found.adapter
    const input = {
      program: program?.path,
      module,
      args: request.args,
      cwd: request.cwd ?? root,
      env: request.env,
      mode: request.mode ?? (subject.isNative && found.adapter.takesFolders === true ? "exec" : undefined),
      python: found.debuggeePython
    } as const
    return yield* begin(
      found,
      {
        program: program === undefined ? `-m ${module}` : subject.name,
        isAttached: false,
        builtAt: subject.isNative ? changedAt(program?.path ?? "") : yield* Clocks.onRealClock(Clock.currentTimeMillis)
      },
      (live) =>
        spawning(
          found,
          quirks?.isProgram === true ? input.cwd : projectOf(found),
          launchCommand?.(found.command, { ...input, temporary: live.temporary() }),
          quirks?.inheritsEnvironment === true ? request.env : undefined
        )(live),
      (live) => launchArguments({ ...input, temporary: live.temporary() })
    )
  })

  const attach: Debuggers.Debugger["attach"] = Effect.fn("Debugger.attach")(function* ({ adapter, port }) {
    const found = yield* Effect.fromResult(Choose.forAttach(yield* options.find(), adapter))
    const cwd = projectOf(found)
    const { launchCommand } = found.adapter
    return yield* begin(
      found,
      { program: `port ${port}`, isAttached: true, builtAt: undefined },
      found.adapter.attach.how === "connect"
        ? () => Transport.attach(port, policy.connect)
        : (live) => {
            const nothing = { args: [], cwd, env: {}, temporary: live.temporary() }
            return spawning(found, cwd, launchCommand?.(found.command, nothing))(live)
          },
      () => found.adapter.attach.arguments({ port, cwd })
    )
  })

  const restart = Effect.gen(function* () {
    const live = current.live()
    const subject = live ?? current.ended()?.live
    if (subject?.isAttached === true) {
      return yield* ToolError.make(
        "not_covered",
        "An attached program is not ours to start: terminate and attach again."
      )
    }
    if (subject === undefined || lastLaunch === undefined) return yield* current.noSession()
    if (live !== undefined) yield* current.conclude(live, "it was restarted")
    return yield* launch(lastLaunch)
  })

  return { launch, attach, restart }
}
