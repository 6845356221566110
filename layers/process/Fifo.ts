/**
 * Pipes for a child that it can open by name. Those that Node makes are sockets, and Linux does not open a socket by name:
 * `open("/dev/stdout")` fails with ENXIO.
 */
import { spawn } from "node:child_process"
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

const close = ({ reader, writer }: Fifo): void => {
  fs.closeSync(reader)
  fs.closeSync(writer)
}

/** All of them, or none; the names are gone afterwards. */
const openAll = (folder: string, files: ReadonlyArray<string>): ReadonlyArray<Fifo> => {
  const opened: Array<Fifo> = []
  try {
    for (const file of files) opened.push(open(file))
  } catch {
    for (const fifo of opened.splice(0)) close(fifo)
  }
  try {
    fs.rmSync(folder, { recursive: true, force: true })
  } catch {
    // Whoever cleans the folder of temporary files removes it.
  }
  return opened
}

const makeFolder = (): string | undefined => {
  try {
    return fs.mkdtempSync(path.join(os.tmpdir(), prefix))
  } catch {
    return undefined
  }
}

/** As many as wanted, or none where they cannot be made. */
export const make = (count: number): Effect.Effect<ReadonlyArray<Fifo>> =>
  Effect.callback((resume) => {
    const folder = makeFolder()
    if (folder === undefined) return resume(Effect.succeed([]))
    const files = Array.from({ length: count }, (_, index) => path.join(folder, String(index)))
    const done = () => resume(Effect.sync(() => openAll(folder, files)))
    try {
      spawn("mkfifo", ["-m", "600", ...files], {
        cwd: "/",
        env: { PATH: `/usr/bin:/bin:${process.env["PATH"] ?? ""}`, LC_ALL: "C" },
        stdio: "ignore"
      })
        .once("error", done)
        .once("exit", done)
    } catch {
      done()
    }
  })
