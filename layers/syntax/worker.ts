/**
 * A worker thread of the structural search: it lists directories, reads, parses and matches, so that none of it runs on the
 * host's event loop. It keeps to what the host tells it (`Protocol`), one command at a time.
 */
import { parentPort, workerData } from "node:worker_threads"
import * as Grammar from "../../src/syntax/Grammar.ts"
import * as Job from "./Job.ts"
import * as Loader from "./Loader.ts"
import type { Command, Report, WorkerData } from "./Protocol.ts"
import { ResultCache } from "./ResultCache.ts"

const port = parentPort!
const send = (report: Report) => port.postMessage(report)
const { grammars: given, largestFile } = workerData as WorkerData
const grammars = Grammar.registry(given)
const cache = new ResultCache()
const jobs = new Map<number, Job.Job>()
let loader: Loader.Loader | undefined

/** The loader, started with the first command that cannot do without it. */
const ready = async (): Promise<void> => {
  loader ??= await Loader.make()
}

const scan = async (id: number, job: Job.Job, paths: ReadonlyArray<string>): Promise<void> => {
  const files: Array<Exclude<ReturnType<Job.Job["scan"]>, symbol>> = []
  let isBroken = false
  for (const path of paths) {
    if (job.isStopped() || isBroken) break
    try {
      let file = job.scan(path)
      if (file === Job.needsLoader) {
        await ready()
        file = job.scan(path)
      }
      if (job.isStopped() || file === Job.needsLoader) break
      files.push(file)
    } catch (cause) {
      if (!(cause instanceof Job.ParserFailed)) throw cause
      files.push({ skipped: "parser failed" })
      isBroken = true
    }
  }
  send({ type: "scanned", job: id, languages: job.takeCompiled(), files, isBroken })
}

const handle = async (command: Command): Promise<void> => {
  if (command.type === "open") {
    jobs.set(command.job, Job.make({ ...command, grammars, cache, largestFile, loader: () => loader }))
    return
  }
  const job = jobs.get(command.job)
  if (job === undefined) return
  switch (command.type) {
    case "close":
      jobs.delete(command.job)
      return
    case "list": {
      const skipped = job.list((paths) => send({ type: "listed", job: command.job, paths, skipped: [], isLast: false }))
      send({ type: "listed", job: command.job, paths: [], skipped: [...skipped], isLast: true })
      return
    }
    case "compile":
      await ready()
      for (const language of command.languages) job.compile(language)
      send({ type: "compiled", job: command.job, languages: job.takeCompiled() })
      return
    case "scan":
      await scan(command.job, job, command.paths)
  }
}

const waiting: Array<Command> = []
let isBusy = false

/** One command after the other. */
const work = async (): Promise<void> => {
  if (isBusy) return
  isBusy = true
  for (let command = waiting.shift(); command !== undefined; command = waiting.shift()) await handle(command)
  isBusy = false
}

port.on("message", (command: Command) => {
  waiting.push(command)
  void work()
})
