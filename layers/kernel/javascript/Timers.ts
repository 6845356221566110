/**
 * Timers that a cell can be parted from: those it made end when it is interrupted, so that an endless asynchronous loop is over
 * too. A callback runs as a microtask, where stopping its code leaves Node intact.
 */
import { syncBuiltinESMExports } from "node:module"
import NodeTimers from "node:timers"

type Callback = (...args: ReadonlyArray<unknown>) => unknown
type Timer = NodeJS.Timeout | NodeJS.Immediate
type SetTimer = (callback: unknown, ...rest: ReadonlyArray<unknown>) => Timer

export interface Timers {
  /** The cell that what runs now belongs to; 0: none. */
  readonly owner: () => number
  /** From here on, what is not in a callback of an earlier cell belongs to this one. */
  readonly begin: (cell: number) => void
  /** The cell is over; its timers go on. */
  readonly end: () => void
  /** The cell is over, and so are its timers. */
  readonly clear: () => void
}

/** `failed` is told what a callback throws. */
export const install = (failed: (error: unknown) => void): Timers => {
  const then = Function.prototype.call.bind(Promise.prototype.then) as (
    promise: Promise<void>,
    f: () => void
  ) => unknown
  const settled = Promise.resolve()
  const { clearImmediate, clearTimeout } = NodeTimers
  const owned = new Set<Timer>()
  let running = 0
  let owner = 0

  const wrap = (name: "setTimeout" | "setInterval" | "setImmediate") => {
    const original = Reflect.get(NodeTimers, name) as SetTimer
    const set: SetTimer = (callback, ...rest) => {
      if (typeof callback !== "function") return original(callback, ...rest)
      const mine = owner
      const passed = name === "setImmediate" ? rest : rest.slice(1)
      const run = () => {
        if (name !== "setInterval") owned.delete(timer)
        owner = mine
        try {
          Reflect.apply(callback as Callback, timer, passed)
        } catch (error) {
          failed(error)
        } finally {
          owner = running
        }
      }
      const fire = () => void then(settled, run)
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
    owned.clear()
  }
  return {
    owner: () => owner,
    begin: (cell) => {
      running = owner = cell
    },
    end,
    clear: () => {
      for (const timer of owned) {
        clearTimeout(timer as NodeJS.Timeout)
        clearImmediate(timer as NodeJS.Immediate)
      }
      end()
    }
  }
}
