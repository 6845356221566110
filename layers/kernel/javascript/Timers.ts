/**
 * Timers that a cell can be parted from: those it made end when it is interrupted, so that an endless asynchronous loop is over
 * too. A callback runs as a microtask, where stopping its code leaves Node intact.
 */
import { syncBuiltinESMExports } from "node:module"
import NodeTimers from "node:timers"

type Callback = (...args: ReadonlyArray<unknown>) => unknown
type Timer = NodeJS.Timeout | NodeJS.Immediate
type SetTimer = (callback: unknown, ...rest: ReadonlyArray<unknown>) => Timer

/** A callback that was stopped while it ran, and whose timer was cleared. */
export interface Stopped {
  /** `setInterval` and the like. */
  readonly name: string
  /** The cell that started it; 0: no cell. */
  readonly cell: number
}

export interface Timers {
  /** The cell that what runs now belongs to; 0: none. */
  readonly owner: () => number
  /** From here on, what is not in a callback of an earlier cell belongs to this one. */
  readonly begin: (cell: number) => void
  /** The cell is over; its timers go on, once that has been told. */
  readonly end: () => void
  /** The cell is over, and so are its timers. */
  readonly clear: () => void
  /** That the cell is over has been told. */
  readonly release: () => void
  /** What was stopped since this was last asked, but for what belonged to the cell that was interrupted. */
  readonly takeStopped: () => ReadonlyArray<Stopped>
}

/** `failed` is told what a callback throws. */
export const install = (failed: (error: unknown) => void): Timers => {
  const then = Function.prototype.call.bind(Promise.prototype.then) as (
    promise: Promise<void>,
    f: () => void
  ) => unknown
  const settled = Promise.resolve()
  const { clearImmediate, clearTimeout, setImmediate: later } = NodeTimers
  const owned = new Set<Timer>()
  let running = 0
  let owner = 0
  let isHeld = false
  let current: (Stopped & { readonly timer: Timer }) | undefined
  let stopped: Array<Stopped> = []

  const clearTimer = (timer: Timer) => {
    clearTimeout(timer as NodeJS.Timeout)
    clearImmediate(timer as NodeJS.Immediate)
  }
  /** Called where no callback runs: one that has not come to its end was stopped, and would run without one again. */
  const drop = () => {
    if (current === undefined) return
    const { cell, name, timer } = current
    current = undefined
    owner = running
    clearTimer(timer)
    owned.delete(timer)
    stopped[stopped.length] = { name, cell }
  }

  const wrap = (name: "setTimeout" | "setInterval" | "setImmediate") => {
    const original = Reflect.get(NodeTimers, name) as SetTimer
    const set: SetTimer = (callback, ...rest) => {
      if (typeof callback !== "function") return original(callback, ...rest)
      const mine = owner
      const passed = name === "setImmediate" ? rest : rest.slice(1)
      const run = () => {
        if (name !== "setInterval") owned.delete(timer)
        owner = mine
        current = { name, cell: mine, timer }
        try {
          Reflect.apply(callback as Callback, timer, passed)
        } catch (error) {
          failed(error)
        } finally {
          owner = running
          current = undefined
        }
      }
      const fire = () => {
        drop()
        // A callback that runs on must not keep a cell from its end.
        if (isHeld) later(fire)
        else void then(settled, run)
      }
      const timer = name === "setImmediate" ? original(fire) : original(fire, rest[0])
      if (mine !== 0 && mine === running) owned.add(timer)
      return timer
    }
    Object.defineProperty(set, "name", { value: name })
    // `util.promisify` finds the promise form under a symbol.
    for (const symbol of Object.getOwnPropertySymbols(original)) {
      Object.defineProperty(set, symbol, Object.getOwnPropertyDescriptor(original, symbol)!)
    }
    Reflect.set(NodeTimers, name, set)
    Object.defineProperty(globalThis, name, { configurable: true, enumerable: true, writable: true, value: set })
  }
  wrap("setTimeout")
  wrap("setInterval")
  wrap("setImmediate")
  syncBuiltinESMExports()

  const end = () => {
    running = owner = 0
    isHeld = true
    owned.clear()
  }
  return {
    owner: () => owner,
    begin: (cell) => {
      drop()
      running = owner = cell
    },
    end,
    clear: () => {
      // Also where one of its own ends the cell.
      if (current !== undefined && current.cell === running) {
        clearTimer(current.timer)
        current = undefined
      }
      drop()
      for (const timer of owned) clearTimer(timer)
      end()
    },
    release: () => {
      isHeld = false
    },
    takeStopped: () => {
      const taken = stopped
      stopped = []
      return taken
    }
  }
}
