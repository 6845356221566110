/**
 * Pipes for a child that it can open by name. Those that Node makes are sockets, and Linux does not open a socket by name:
 * `open("/dev/stdout")` fails with ENXIO.
 */
import { execFile } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { Effect } from "effect"

/** Both ends, as descriptors of this process. */
export interface Fifo {
  readonly reader: number
  readonly writer: number
}

/** In the names of the folders, by which the ends are known again in the process table. */
export const prefix = "livetools-fifo-"

const { O_NONBLOCK, O_RDONLY, O_WRONLY } = fs.constants

/** Opening for writing waits for a reader, hence the order. */
const open = (file: string): Fifo => {
  const reader = fs.openSync(file, O_RDONLY | O_NONBLOCK)
  try {
    return { reader, writer: fs.openSync(file, O_WRONLY) }
  } catch (error) {
    fs.closeSync(reader)
    throw error
  }
}

export const close = ({ reader, writer }: Fifo): void => {
  fs.closeSync(reader)
  fs.closeSync(writer)
}

const openAll = (files: ReadonlyArray<string>): ReadonlyArray<Fifo> => {
  const opened: Array<Fifo> = []
  try {
    for (const file of files) opened.push(open(file))
    return opened
  } catch {
    for (const fifo of opened) close(fifo)
    return []
  }
}

const folder = (): string | undefined => {
  try {
    return fs.mkdtempSync(path.join(os.tmpdir(), prefix))
  } catch {
    return undefined
  }
}

/** As many as wanted, or none where they cannot be made. Their names are gone when it completes. */
export const make = (count: number): Effect.Effect<ReadonlyArray<Fifo>> =>
  Effect.callback((resume) => {
    const at = folder()
    if (at === undefined) return resume(Effect.succeed([]))
    const files = Array.from({ length: count }, (_, index) => path.join(at, String(index)))
    const env = { PATH: `/usr/bin:/bin:${process.env["PATH"] ?? ""}`, LC_ALL: "C" }
    execFile("mkfifo", ["-m", "600", ...files], { cwd: "/", env }, (error) => {
      const fifos = error === null ? openAll(files) : []
      fs.rmSync(at, { recursive: true, force: true })
      resume(Effect.succeed(fifos))
    })
  })
