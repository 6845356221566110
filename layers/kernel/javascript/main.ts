/**
 * The JavaScript kernel: `node javascript-kernel.js [FRAMES REQUESTS]`, the numbers of the descriptors that carry frames to the
 * host and its requests, 3 and 4 by default (SPEC §8). Its second thread starts from this same file.
 */
import { isMainThread } from "node:worker_threads"

if (isMainThread) {
  const [frames = 3, requests = 4] = process.argv.slice(2, 4).map(Number)
  const { start } = await import("./Kernel.ts")

  start(new URL(import.meta.url), { frames, requests })
} else {
  const { start } = await import("./Control.ts")

  start()
}
