/**
 * The JavaScript kernel: `node javascript-kernel.cjs [FRAMES REQUESTS]`, the numbers of the descriptors that carry frames to the
 * host and its requests, 3 and 4 by default (SPEC §8). Its second thread starts from this same file.
 */
import { isMainThread, MessageChannel, Worker } from "node:worker_threads"
import { type ControlData, slot } from "./Messages.ts"

if (isMainThread) {
  const [frames = 3, requests = 4] = process.argv.slice(2, 4).map(Number)
  // Not the place of this module: a bundle may have a start of its own.
  const [, entry = ""] = process.argv
  const { port1: port, port2 } = new MessageChannel()
  const shared = new Int32Array(new SharedArrayBuffer(4 * Object.keys(slot).length))
  const workerData: ControlData = { port: port2, shared, requests }
  // It starts while the rest of this thread is loaded.
  const control = new Worker(entry, {
    workerData,
    transferList: [port2],
    execArgv: [],
    name: "control",
    // Otherwise Node opens its own streams on descriptors 1 and 2, which then no longer block a writer.
    stdout: true,
    stderr: true
  })
  void import("./Kernel.ts").then(({ start }) => start({ script: import.meta.url, frames, port, shared, control }))
} else {
  void import("./Control.ts").then(({ start }) => start())
}
