/**
 * One search or rewrite on the host's side: hands the files out to the workers in small batches and takes their answers in
 * the order of the paths, so that the result does not depend on which worker was faster.
 */
import type { LanguageOutcome } from "../../src/syntax/Outcome.ts"
import type { Report, Scanned, Work } from "./Protocol.ts"
import type { WorkerPool } from "./WorkerPool.ts"

/** How many files of a batch should come to be parsed; those that turn out to have nothing cost little more than the message. */
const parsedBatch = 8
const largestBatch = 256
/** How many batches a worker may have to do. */
const mostBatches = 2

/** What a job makes of the answers. */
export interface Sink<A> {
  /** How a language took the pattern; a reason for ending the job at once, if it is one. */
  readonly language: (outcome: LanguageOutcome) => string | undefined
  readonly skipped: (reason: string, count: number) => void
  /** A file, in the order of the paths. Returning `false` ends the job: what is known is enough. */
  readonly file: (path: string, scanned: Scanned<A>) => boolean
  /** Languages of which it must still be told how they take the pattern, when every file was visited. */
  readonly unknown: () => ReadonlyArray<string>
  /** The job is over; `isComplete`: every file was visited. */
  readonly done: (isComplete: boolean) => void
  readonly failed: (reason: string) => void
}

/** Which worker had a file last: it may remember what it found there. */
export class Affinity {
  readonly #workers = new Map<string, number>()
  get(path: string): number | undefined {
    return this.#workers.get(path)
  }
  set(path: string, worker: number): void {
    if (this.#workers.size > 100_000) this.#workers.clear()
    this.#workers.set(path, worker)
  }
}

let jobs = 0

/** Starts a job; the result stops it. */
export const start = <A>(pool: WorkerPool, affinity: Affinity, work: Work, sink: Sink<A>): (() => void) => {
  const job = ++jobs
  const stop = new SharedArrayBuffer(4)
  const { request } = work
  const isOneFile = request.where.kind === "file"
  const opened = new Set<number>()
  const paths: Array<string> = []
  const scanned: Array<{ readonly file: Scanned<A> } | undefined> = []
  const own: Array<Array<number>> = Array.from({ length: pool.size }, () => [])
  const shared: Array<number> = []
  const inFlight: Array<Array<ReadonlyArray<number>>> = Array.from({ length: pool.size }, () => [])
  const lister = job % pool.size
  let batchSize = parsedBatch
  let next = 0
  let isListed = false
  let isAsked = false
  let isOver = false

  const isRunning = () => !isOver

  const end = (finish: () => void): void => {
    if (isOver) return
    isOver = true
    Atomics.store(new Int32Array(stop), 0, 1)
    for (const worker of opened) pool.send(worker, { type: "close", job })
    pool.unlisten(job)
    finish()
  }

  const open = (worker: number): void => {
    if (opened.has(worker)) return
    opened.add(worker)
    pool.send(worker, { type: "open", job, work, stop })
  }

  const take = (worker: number): ReadonlyArray<number> => {
    const mine = own[worker]!
    const batch: Array<number> = []
    // Towards the end they are small, so that no worker is left with much while the others have nothing.
    const size = Math.min(batchSize, Math.max(parsedBatch, Math.ceil((paths.length - next) / (4 * pool.size))))
    while (batch.length < size) {
      const from = (mine[0] ?? Infinity) <= (shared[0] ?? Infinity) ? mine : shared
      const index = from.shift()
      if (index === undefined) break
      batch.push(index)
    }
    if (batch.length > 0) return batch
    // Nothing of its own is left: it helps the worker that has most to do.
    const busiest = own.reduce((most, queue) => (queue.length > most.length ? queue : most))
    return busiest.splice(0, Math.min(size, Math.ceil(busiest.length / 2)))
  }

  const dispatch = (): void => {
    for (let worker = 0; worker < pool.size; worker++) {
      while (isRunning() && inFlight[worker]!.length < mostBatches) {
        const batch = take(worker)
        if (batch.length === 0) break
        open(worker)
        inFlight[worker]!.push(batch)
        pool.send(worker, { type: "scan", job, paths: batch.map((index) => paths[index]!) })
      }
    }
  }

  const advance = (): void => {
    for (let file = scanned[next]; file !== undefined && isRunning(); file = scanned[next]) {
      const path = paths[next]!
      scanned[next++] = undefined
      if (!sink.file(path, file.file)) end(() => sink.done(false))
    }
    if (isOver || !isListed || next < paths.length) return
    const unknown = sink.unknown()
    if (unknown.length === 0) end(() => sink.done(true))
    else if (!isAsked) ask(unknown)
  }

  const ask = (languages: ReadonlyArray<string>): void => {
    const other = (lister + 1) % pool.size
    isAsked = true
    open(other)
    pool.send(other, { type: "compile", job, languages })
  }

  const enqueue = (path: string): void => {
    const index = paths.push(path) - 1
    const worker = affinity.get(path)
    if (worker === undefined) shared.push(index)
    else own[worker]!.push(index)
  }

  const report = (worker: number, message: Report): void => {
    if (isOver) return
    switch (message.type) {
      case "listed": {
        for (const path of message.paths) enqueue(path)
        for (const [reason, count] of message.skipped) sink.skipped(reason, count)
        isListed ||= message.isLast
        break
      }
      case "compiled":
        languages(message.languages)
        break
      case "scanned": {
        languages(message.languages)
        const batch = inFlight[worker]!.shift() ?? []
        const parsed = message.files.filter((file) => file !== undefined).length
        batchSize =
          parsed === 0 ? largestBatch : Math.min(largestBatch, Math.ceil((parsedBatch * batch.length) / parsed))
        batch.forEach((index, position) => {
          if (position < message.files.length) {
            affinity.set(paths[index]!, worker)
            scanned[index] = { file: message.files[position] as Scanned<A> }
          } else shared.unshift(index)
        })
        if (message.isBroken) pool.replace(worker)
      }
    }
    if (isOver) return
    dispatch()
    advance()
  }

  const languages = (outcomes: ReadonlyArray<LanguageOutcome>): void => {
    for (const outcome of outcomes) {
      const reason = sink.language(outcome)
      if (reason !== undefined) end(() => sink.failed(reason))
    }
  }

  pool.listen(job, {
    report,
    died: (worker, reason) => {
      if (!opened.has(worker)) return
      opened.delete(worker)
      end(() => sink.failed(reason))
    },
    replaced: (worker) => {
      if (isOver || !opened.delete(worker)) return
      shared.unshift(...inFlight[worker]!.flat())
      inFlight[worker] = []
      if (worker === lister && !isListed) end(() => sink.failed("it was restarted while it listed the files"))
      else dispatch()
    }
  })
  if (isOneFile) {
    enqueue(request.where.start)
    isListed = true
    dispatch()
  } else {
    open(lister)
    pool.send(lister, { type: "list", job })
    // Another worker gets ready for the pattern while the files are looked up.
    if (request.language !== undefined) ask([request.language])
  }
  return () => end(() => undefined)
}
