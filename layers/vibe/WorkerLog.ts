/** What each worker did, on disk: one file of JSON lines a worker, in a folder of the run. */
import { Clock, Effect } from "effect"
import * as Fs from "node:fs"
import * as Path from "node:path"

/** A log that is longer says so in its last line and takes no more. */
export const maxBytes = 16 * 1024 * 1024
const keptFor = 30 * 24 * 3600 * 1000

export interface Log {
  readonly path: string
  /** Never fails: a disk that is full is not the worker's fault. */
  readonly write: (event: string, text?: string) => Effect.Effect<void>
}

/** The log of one worker. Writes are synchronous, so that what a worker did is there whatever ends it or this process. */
export const make = (folder: string, workerId: string): Log => {
  const path = Path.join(folder, `${workerId}.jsonl`)
  let size = 0
  return {
    path,
    write: (event, text) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        if (size > maxBytes) return Effect.void
        const isFull = size + (text?.length ?? 0) > maxBytes
        const entry = isFull
          ? { event: "full", text: `The log is full at ${maxBytes} bytes; what follows is not in it.` }
          : { event, ...(text === undefined ? {} : { text }) }
        const line = `${JSON.stringify({ at: new Date(now).toISOString(), worker_id: workerId, ...entry })}\n`
        size += isFull ? maxBytes : Buffer.byteLength(line)
        return guarded(`The log of ${workerId} cannot be written`, () => Fs.appendFileSync(path, line, { mode: 0o600 }))
      })
  }
}

/** Makes the folder of a run beneath a root, and removes what runs of a month ago have left there. */
export const openFolder = (root: string, runId: string): Effect.Effect<string> => {
  const folder = Path.join(root, runId)
  const tidy = (now: number) => {
    Fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
    for (const name of Fs.readdirSync(root)) {
      const path = Path.join(root, name)
      if (now - Fs.statSync(path).mtimeMs > keptFor) Fs.rmSync(path, { recursive: true, force: true })
    }
  }
  return Clock.currentTimeMillis.pipe(
    Effect.flatMap((now) => guarded(`${root} cannot be tidied`, () => tidy(now))),
    Effect.as(folder)
  )
}

const guarded = (what: string, act: () => void): Effect.Effect<void> =>
  Effect.suspend(() => {
    try {
      act()
      return Effect.void
    } catch (error) {
      return Effect.logWarning(what, error)
    }
  })
