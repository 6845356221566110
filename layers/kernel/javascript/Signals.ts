/**
 * Signals that the process sends to itself. Node takes such a call for the end of the process, ends the inspector's session and says
 * so on standard error: the control thread, which has none of that, sends them.
 */
import { constants } from "node:os"
import type { MessagePort } from "node:worker_threads"
import { slot, type ToControl } from "./Messages.ts"

const { store, wait } = Atomics
const { apply } = Reflect
/** It comes at once, or the process is at its end. */
const longestMs = 1000

export const install = (port: MessagePort, shared: Int32Array): void => {
  const { kill } = process
  process.kill = (pid, signal = "SIGTERM") => {
    const number = typeof signal === "number" ? signal : constants.signals[signal as NodeJS.Signals]
    const isOwn = pid === process.pid || pid === 0
    const isListenedTo = typeof signal === "string" && process.listenerCount(signal) > 0
    if (!isOwn || isListenedTo || !number) return apply(kill, process, [pid, signal])
    store(shared, slot.signalled, 0)
    port.postMessage({ t: "kill", pid, signal: number } satisfies ToControl)
    wait(shared, slot.signalled, 0, longestMs)
    return true
  }
}
