/**
 * The worker threads of the structural search: started on first use, replaced when one dies, kept from holding the process
 * open while they have nothing to do.
 */
import { createRequire } from "node:module"
import { Worker } from "node:worker_threads"
import type { Command, Report, WorkerData } from "./Protocol.ts"

const require = createRequire(import.meta.url)

/** For what lives shortly, in each worker. With V8's own limit the garbage of searches comes to 100 MB that it does not give back. */
const youngMegabytes = 8

/** What a job is told. */
export interface Listener {
  readonly report: (worker: number, report: Report) => void
  /** A worker died in the middle of its work. */
  readonly died: (worker: number, reason: string) => void
  /** A worker was ended: what it had to do is not done, and the next command goes to a new one. */
  readonly replaced: (worker: number) => void
}

export class WorkerPool {
  readonly #data: WorkerData
  readonly #workers: Array<Worker | undefined>
  readonly #entry: string
  readonly #listeners = new Map<number, Listener>()
  readonly #ending: Array<Promise<number>> = []
  #isClosed = false

  constructor(size: number, data: WorkerData, entry = require.resolve("#syntax-worker")) {
    this.#workers = Array.from({ length: size }, () => undefined)
    this.#data = data
    this.#entry = entry
  }

  get size(): number {
    return this.#workers.length
  }

  /** Receives what is reported about a job until it is closed. */
  listen(job: number, listener: Listener): void {
    this.#listeners.set(job, listener)
    for (const worker of this.#workers) worker?.ref()
  }

  unlisten(job: number): void {
    this.#listeners.delete(job)
    if (this.#listeners.size === 0) for (const worker of this.#workers) worker?.unref()
  }

  send(worker: number, command: Command): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    this.#get(worker).postMessage(command)
  }

  /** Ends a worker that must not be used again; the next command starts another. */
  replace(worker: number): void {
    const old = this.#workers[worker]
    this.#workers[worker] = undefined
    if (old !== undefined) this.#ending.push(old.removeAllListeners().terminate())
    for (const listener of this.#listeners.values()) listener.replaced(worker)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const workers = this.#workers.flatMap((worker) => worker ?? [])
    this.#workers.fill(undefined)
    await Promise.all([...this.#ending, ...workers.map((worker) => worker.removeAllListeners().terminate())])
  }

  #get(index: number): Worker {
    const known = this.#workers[index]
    if (known !== undefined) return known
    if (this.#isClosed) throw new Error("the structural search engine is closed")
    const worker = new Worker(this.#entry, {
      workerData: this.#data,
      name: "livetools-syntax",
      resourceLimits: { maxYoungGenerationSizeMb: youngMegabytes }
    })
    this.#workers[index] = worker
    let reason = "it ended by itself"
    worker.on("message", (report: Report) => {
      this.#listeners.get(report.job)?.report(index, report)
    })
    worker.on("error", (cause) => {
      reason = cause instanceof Error ? cause.message : String(cause)
    })
    worker.on("exit", () => {
      if (this.#workers[index] !== worker) return
      this.#workers[index] = undefined
      for (const listener of this.#listeners.values()) listener.died(index, reason)
    })
    return worker
  }
}
