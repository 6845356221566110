/**
 * The JavaScript kernel: `node javascript-kernel.cjs [FRAMES REQUESTS]`, the numbers of the descriptors that carry frames to the
 * host and its requests, 3 and 4 by default (SPEC §8). Its second thread starts from this same file.
 */
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"
import { isMainThread, MessageChannel, Worker } from "node:worker_threads"
import { type ControlData, slot } from "./Messages.ts"

if (isMainThread) {
  // The program is the cells.
  Reflect.deleteProperty(process, "mainModule")
  Reflect.deleteProperty(createRequire(import.meta.url).cache, fileURLToPath(import.meta.url))
  const [frames = 3, requests = 4] = process.argv.slice(2, 4).map(Number)
  const { port1: port, port2 } = new MessageChannel()
  const shared = new Int32Array(new SharedArrayBuffer(4 * Object.keys(slot).length))
  const workerData: ControlData = { port: port2, shared, requests }
  // It starts while the rest of this thread is loaded.
  const control = new Worker(new URL(import.meta.url), {
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
