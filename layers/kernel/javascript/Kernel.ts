/**
 * The kernel in the user's thread: runs one cell at a time in the main realm and says how each ended (SPEC §8.10). The host reads the
 * text of the cells from descriptors 1 and 2 itself.
 */
import { createRequire } from "node:module"
import NodeTimers from "node:timers"
import { types } from "node:util"
import type { MessagePort, Worker } from "node:worker_threads"
import * as CommonJs from "./CommonJs.ts"
import * as Display from "./Display.ts"
import * as Engine from "./Engine.ts"
import * as Holding from "./Holding.ts"
import { helper, slot, type ToKernel } from "./Messages.ts"
import * as Modules from "./Modules.ts"
import * as Require from "./Require.ts"
import * as Show from "./Show.ts"
import * as Signals from "./Signals.ts"
import * as Streams from "./Streams.ts"
import * as Threads from "./Threads.ts"
import * as Timers from "./Timers.ts"
import * as Tools from "./Tools.ts"
import * as Traceback from "./Traceback.ts"
import * as Transpiler from "./Transpiler.ts"
import * as Wire from "./Wire.ts"

/** How long a promise that is the last expression is waited for, so that what it does is part of its cell. */
const promiseMs = 1000

const { compareExchange, load, store, wait } = Atomics
const never = new Int32Array(new SharedArrayBuffer(4))
/** How long a termination that is on its way is waited for, in milliseconds; it takes the call that waits. */
const takenWithin = 20
const { apply } = Reflect
const { rss } = process.memoryUsage
const untold = "[an error that could not be shown: the cells have replaced built-in objects]"
const { setImmediate, setTimeout } = NodeTimers
const then = Function.prototype.call.bind(Promise.prototype.then) as (
  promise: unknown,
  settled: (value: unknown) => void,
  failed: (error: unknown) => void
) => Promise<void>
const settledPromise = Promise.resolve()

/** How a cell ended. */
type End =
  | { readonly status: "ok"; readonly raw?: string }
  | { readonly status: "error"; readonly told: Traceback.Told }
  | { readonly status: "interrupted" }
  | { readonly status: "exit"; readonly code: number }

interface Cell extends Traceback.CellSource {
  readonly id: number
  /** What the last expression gave. */
  echo?: { readonly value: unknown }
  isEvaluated: boolean
  isOver: boolean
  /** Tells that it is over. */
  conclude?: () => void
}

/** V8 tells nothing of the place of what it could not read, but to the inspector: no code was running. */
const isPlaceless = (error: unknown): error is SyntaxError =>
  error instanceof SyntaxError && error.stack === String(apply(errorText, error, []))
const errorText = Error.prototype.toString

/** Thrown by `return` at the top of a cell. */
class Returned {
  readonly value: unknown
  constructor(value: unknown) {
    this.value = value
  }
}

/** Thrown by `process.exit` where the code cannot be stopped otherwise. */
class Exited extends Error {
  override name = "Exited"
}

export interface Parts {
  /** The URL of the kernel. */
  readonly script: string
  /** The descriptor of the frames. */
  readonly frames: number
  readonly shared: Int32Array
  /** The control thread, and the way to it. */
  readonly control: Worker
  readonly port: MessagePort
}

export const start = ({ control, frames, port, script, shared }: Parts): void => {
  const wire = Wire.make(frames)
  const streams = Streams.install(wire, shared)
  const engine = Engine.make()
  const tracebacks = Traceback.make(script)
  let cell: Cell | undefined
  let isInEvaluate = false
  let hasTools = false

  /** What was thrown, in words, even where a cell has replaced what words are made with. */
  const tell = (error: unknown): Traceback.Told => {
    try {
      return tracebacks.tell(error)
    } catch {
      return { name: "Error", message: untold, traceback: untold }
    }
  }
  const failed = (error: unknown) => {
    if (!(error instanceof Exited)) streams.tell(`${tell(error).traceback}\n`)
  }
  const timers = Timers.install(failed)
  const tools = Tools.make(
    wire,
    () => (cell !== undefined && timers.owner() === cell.id ? cell.id : 0),
    () => hasTools
  )
  const notice = (text: string) =>
    wire.send(cell === undefined ? { t: "notice", text } : { t: "notice", cell: cell.id, text })

  const tellStopped = (when: string) => {
    const stopped = timers.takeStopped()
    for (let at = 0; at < stopped.length; at++) {
      const { cell: of, name } = stopped[at]!
      notice(
        `a callback of ${name}${of === 0 ? "" : ` that cell ${of} started`} ran on in the background when this cell ${when}: ` +
          `it was stopped and its timer cleared. What runs in the background has to give way: \`await\` in it, or use a Worker`
      )
    }
    return stopped.length > 0
  }

  /**
   * Clears a place. `false`: a termination is on its way to it which has not taken this call: one that came while V8 was between
   * two calls takes none, and is over only when this call is.
   */
  const leave = (place: number, id: number): boolean => {
    for (let waited = 0; compareExchange(shared, place, id, 0) === -id; waited++) {
      if (waited === takenWithin) return false
      wait(never, 0, 0, 1)
    }
    return true
  }

  /** Ends the cell. What comes later for the same cell finds it over. */
  const finish = (ending: Cell, end: End) => {
    if (ending.isOver) return
    store(shared, slot.ending, ending.id)
    // A termination that is on its way takes this call, and the interrupt that comes with it ends the cell.
    if (!leave(slot.running, ending.id)) return void setImmediate(() => finish(ending, end))
    ending.isOver = true
    if (end.status === "interrupted" || end.status === "exit") {
      timers.clear()
      modules.abandon(ending.id)
    } else timers.end()
    tellStopped("was interrupted")
    const why = end.status === "interrupted" ? "The cell was interrupted." : "The cell that made this call has ended."
    const given = tools.giveUp(ending.id, why)
    if (given.length > 0 && end.status !== "interrupted") {
      notice(`the cell ended while it still called ${given.join(", ")}: \`await\` the promise that the tool gives`)
    }
    // After the rejections that nobody handles, which Node tells at the end of this turn.
    ending.conclude = () => conclude(ending, end)
    setImmediate(ending.conclude)
  }

  const conclude = (ended: Cell, end: End) => {
    if (cell !== ended) return
    const { id } = ended
    // As at the end: the interrupt that comes with the termination concludes the cell.
    if (!leave(slot.ending, id)) return void setImmediate(ended.conclude!)
    timers.release()
    tellStopped("ended")
    try {
      if (end.status === "ok") showResult(ended, end.raw)
      else if (end.status === "error") wire.hold({ t: "error", cell: id, ...end.told })
    } catch (error) {
      notice(`the result could not be shown: ${tell(error).message}`)
    }
    if (!ended.isEvaluated) engine.forget()
    Holding.release()
    cell = undefined
    const done = { t: "done", cell: id, status: end.status, rss: rss() }
    wire.place(end.status === "exit" ? { ...done, exit_code: end.code } : done)
  }

  const showResult = ({ echo, id }: Cell, raw: string | undefined) => {
    if (echo !== undefined && echo.value !== undefined && !(echo.value instanceof Display.Displayed)) {
      last = echo.value
      wire.hold({ t: "result", cell: id, data: Wire.fields(Display.of(echo.value)) })
    } else if (raw !== undefined) {
      wire.hold({ t: "result", cell: id, data: Wire.fields({ "text/plain": Show.bounded(raw) }) })
    }
  }

  const outcome = (of: Cell, result: Engine.Outcome): void => {
    if (result.kind === "stopped") return finish(of, { status: "interrupted" })
    if (result.kind === "thrown") return thrown(of, result.error, result)
    const value = of.echo?.value
    if (!types.isPromise(value))
      return finish(of, result.raw === undefined ? { status: "ok" } : { status: "ok", raw: result.raw })
    // Waits as a microtask: an interrupt may stop it there.
    const timer = setTimeout(() => {
      notice("the last expression is a promise that is still pending: `await` it to wait for it")
      void then(settledPromise, () => finish(of, { status: "ok" }), failed)
    }, promiseMs)
    void then(
      value,
      () => {
        clear(timer)
        finish(of, { status: "ok" })
      },
      (error) => {
        clear(timer)
        thrown(of, error)
      }
    )
  }

  const thrown = (of: Cell, error: unknown, at?: { readonly line: number; readonly column: number }): void => {
    if (error instanceof Returned) {
      of.echo = { value: error.value }
      return outcome(of, { kind: "value" })
    }
    if (error instanceof Exited) return
    const isUnread = isInEvaluate && at !== undefined && isPlaceless(error)
    finish(of, { status: "error", told: isUnread ? tracebacks.tellUnreadable(of, error.message, at) : tell(error) })
  }

  const run = ({ cell: id, name, rewritten, source }: ToKernel & { readonly t: "run" }) => {
    if (id === lastCell) return
    if (id !== arrived) isBlocked = load(shared, slot.madeWayFor) === id
    arrived = id
    // A termination that is on its way takes this call, and the cell is sent again.
    if (!leave(slot.waiting, id)) return
    lastCell = id
    const begun: Cell = { id, name, source, rewritten, isEvaluated: false, isOver: false }
    cell = begun
    tracebacks.learn(begun)
    // Once more before each cell: one may have taken the listener away.
    if (process.listenerCount("SIGINT") === 0) process.on("SIGINT", ignore)
    timers.begin(id)
    if (!tellStopped("waited for its turn") && isBlocked) {
      notice(
        "code that an earlier cell had left running in the background did not give way: it was stopped, so that this cell could begin"
      )
    }
    if (load(shared, slot.takenBack) === id) {
      begun.isEvaluated = true
      return finish(begun, { status: "interrupted" })
    }
    const evaluate = (part: string, done: (result: Engine.Outcome) => void) => {
      isInEvaluate = true
      engine.evaluate(part, name, done)
      isInEvaluate = false
    }
    const ended = (result: Engine.Outcome) => {
      begun.isEvaluated = true
      outcome(begun, result)
    }
    const { ahead, code } = rewritten
    if (ahead === undefined) return evaluate(code, ended)
    evaluate(ahead, (result) => {
      if (begun.isOver || result.kind !== "value") return ended(result)
      void then(settledPromise, () => evaluate(code, ended), failed)
    })
  }

  // Where Node would end the process, the error is told and the kernel goes on. The listeners of a program come first.
  const { emit } = process
  process.emit = function (this: NodeJS.Process, event: string, first: unknown) {
    // oxlint-disable-next-line prefer-rest-params -- a rest would be spread by an iterator that a cell may have replaced
    const isHandled = apply(emit, this, arguments) as boolean
    if (isHandled || (event !== "uncaughtException" && event !== "unhandledRejection")) return isHandled
    if (event === "unhandledRejection" && !(first instanceof Exited)) {
      streams.tell("Unhandled rejection of a promise that no code waits for:\n")
    }
    failed(first)
    return true
  } as typeof emit
  const ignore = () => {}

  const exit = (given?: number | string | null): never => {
    const exitCode = Number(given ?? process.exitCode ?? 0)
    const ending = cell
    if (ending === undefined || ending.isOver || timers.owner() !== ending.id)
      notice(`process.exit(${exitCode}) was called after its cell had ended; the kernel goes on`)
    else finish(ending, { status: "exit", code: exitCode })
    if (isInEvaluate) engine.stop()
    throw new Exited(`process.exit(${exitCode})`)
  }
  Signals.install(port, shared)
  Threads.install(script)
  Object.defineProperty(process, "exit", { configurable: true, enumerable: true, writable: true, value: exit })

  const modules = Modules.make(() => (cell !== undefined && timers.owner() === cell.id ? cell.id : 0), notice)
  let last: unknown
  const display = Display.make(
    (data, id, update) => {
      const of = cell?.id ?? lastCell
      wire.place({ t: "display", cell: of, data: Wire.fields(data), id, ...(update ? { update: true } : {}) })
    },
    (wait) => wire.place({ t: "clear", cell: cell?.id ?? lastCell, wait })
  )
  /** The cell that was last sent, and the last one that began. */
  let arrived = 0
  /** What ran before it had to be stopped. */
  let isBlocked = false
  let lastCell = 0
  const define = (name: string, descriptor: PropertyDescriptor) =>
    Object.defineProperty(globalThis, name, { configurable: true, enumerable: false, ...descriptor })
  const value = (of: unknown): PropertyDescriptor => ({ writable: true, value: of })
  define("display", value(display))
  define("tool", value(tools.tool))
  define("tools", value(tools.tools))
  define("ToolError", value(Tools.ToolError))
  define("require", value(Require.make(notice)))
  // What decorated classes call.
  define("babelHelpers", value(Transpiler.helpers))
  define("_", {
    get: () => last,
    set: (assigned: unknown) => define("_", value(assigned))
  })
  define(helper, {
    configurable: false,
    value: Object.freeze({
      echo: (of: unknown) => {
        if (cell !== undefined) cell.echo = { value: of }
      },
      returned: (of: unknown) => new Returned(of),
      isReturn: (of: unknown) => of instanceof Returned,
      import: modules.importNames,
      load: modules.load,
      get meta() {
        return Modules.meta()
      },
      ...CommonJs.helpers,
      requireOf: createRequire,
      hold: Holding.hold,
      each: Holding.each,
      constant,
      take: engine.take,
      timed: Show.timed
    })
  })

  port.on("message", (message: ToKernel) => {
    switch (message.t) {
      case "init": {
        wire.marker = message.marker
        hasTools = message.tools
        try {
          process.chdir(message.cwd)
        } catch (error) {
          notice(`the working directory ${message.cwd} cannot be entered: ${String(error)}`)
        }
        return
      }
      case "run":
        return run(message)
      case "interrupt":
        if (cell?.id !== message.cell) return
        if (cell.conclude !== undefined) setImmediate(cell.conclude)
        else finish(cell, { status: "interrupted" })
        return
      case "reply":
        tools.reply(message)
    }
  })
  control.on("error", (error) => {
    streams.tell(`the control thread of the kernel failed: ${String(error)}\n`)
    process.kill(process.pid, "SIGKILL")
  })

  process.argv = [process.execPath]

  wire.send({
    t: "ready",
    language: "javascript",
    version: process.version.slice(1),
    executable: process.execPath,
    pid: process.pid
  })
}

const clear = NodeTimers.clearTimeout

/** A constant, where its cell assigns it. */
const constant = (value: unknown) => ({
  get value() {
    return value
  },
  set value(_) {
    throw new TypeError("Assignment to constant variable.")
  }
})
