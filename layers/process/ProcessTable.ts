/** What runs on this machine: `/proc` on Linux, `ps` elsewhere. */
import { execFile } from "node:child_process"
import * as fs from "node:fs"
import { Effect } from "effect"
import * as Fifo from "./Fifo.ts"

export interface Entry {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly session: number
  /** Clock ticks from boot to start; with the pid it names a process for good. 0 where it is not known. */
  readonly start: number
}

const linux = process.platform === "linux"

const buffer = Buffer.allocUnsafe(64 * 1024)

/** A file of /proc; empty when the process is gone. Three times as fast as `readFileSync`, which matters for hundreds. */
const readText = (file: string): string => {
  let fd: number | undefined
  try {
    fd = fs.openSync(file, "r")
    let text = ""
    for (let size = -1; size !== 0;) {
      size = fs.readSync(fd, buffer, 0, buffer.length, null)
      text += buffer.toString("latin1", 0, size)
      if (size < buffer.length) break
    }
    return text
  } catch {
    return ""
  } finally {
    if (fd !== undefined) fs.closeSync(fd)
  }
}

/** Linux only; `undefined` when it is gone. The name, which comes first, may itself contain blanks and parentheses. */
const fieldsOf = (pid: number | string): ReadonlyArray<string> | undefined => {
  const stat = readText(`/proc/${pid}/stat`)
  return stat === "" ? undefined : stat.slice(stat.lastIndexOf(") ") + 2).split(" ")
}

const lookup = (pid: number | string): Entry | undefined => {
  const fields = fieldsOf(pid)
  if (fields === undefined || fields[0] === "Z" || fields[0] === "X") return undefined
  return {
    pid: Number(pid),
    parent: Number(fields[1]),
    group: Number(fields[2]),
    session: Number(fields[3]),
    start: Number(fields[19])
  }
}

const numbered = (directory: string): Array<string> => {
  try {
    return fs.readdirSync(directory).filter((name) => /^\d+$/.test(name))
  } catch {
    return []
  }
}

const ps = (...args: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<string>> =>
  Effect.callback((resume) => {
    execFile("ps", args, { maxBuffer: 64 * 1024 * 1024 }, (_, stdout) => resume(Effect.succeed(stdout.split("\n"))))
  })

const fromPs = (line: string): ReadonlyArray<Entry> => {
  const fields = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+([^Z\s]\S*)/.exec(line)
  if (fields === null) return []
  const group = Number(fields[3])
  return [{ pid: Number(fields[1]), parent: Number(fields[2]), group, session: group, start: 0 }]
}

/** All living processes; zombies are not among them. */
export const read: Effect.Effect<ReadonlyArray<Entry>> = linux
  ? Effect.sync(() => numbered("/proc").flatMap((pid) => lookup(pid) ?? []))
  : Effect.map(ps("-ax", "-o", "pid=", "-o", "ppid=", "-o", "pgid=", "-o", "state="), (lines) => lines.flatMap(fromPs))

/** The start of a process that lives or is a zombie; 0 where it is not known. */
export const startOf = (pid: number): number => (linux ? Number(fieldsOf(pid)?.[19] ?? 0) : 0)

/** Whether this very process, not a later one with its pid, lives. */
export const isAlive = (entry: Entry): boolean => {
  if (linux) return lookup(entry.pid)?.start === entry.start
  try {
    process.kill(entry.pid, 0)
    return true
  } catch {
    return false
  }
}

/** Whether the process is of our user: of others, neither the environment nor the descriptors can be read. */
export const isOwn = (entry: Entry): boolean => {
  const user = process.getuid?.()
  return !linux || user === 0 || fs.statSync(`/proc/${entry.pid}`, { throwIfNoEntry: false })?.uid === user
}

/** The pids among the candidates whose environment has `value` in the `:`-separated list of the variable `name`. */
export const marked = (
  candidates: ReadonlyArray<Entry>,
  name: string,
  value: string
): Effect.Effect<ReadonlySet<number>> => {
  const has = (text: string, separator: string) =>
    text.split(separator).some(
      (pair) =>
        pair.startsWith(`${name}=`) &&
        pair
          .slice(name.length + 1)
          .split(":")
          .includes(value)
    )
  if (linux) {
    return Effect.sync(
      () => new Set(candidates.filter(({ pid }) => has(readText(`/proc/${pid}/environ`), "\0")).map(({ pid }) => pid))
    )
  }
  return Effect.map(
    ps("-axEww", "-o", "pid=", "-o", "command="),
    (lines) => new Set(lines.filter((line) => has(line, " ")).map((line) => Number.parseInt(line, 10)))
  )
}

const fifo = new RegExp(`/(${Fifo.prefix}[^/]+)/`)

/**
 * The pipes among the lowest ten descriptors of a process, where it has those that it was started with: the inode of a
 * socket, the folder of a FIFO. All descriptors of all processes would be too many to look at. Linux only.
 */
export const pipesOf = (pid: number): ReadonlyArray<string> =>
  numbered(`/proc/${pid}/fd`).flatMap((fd) => {
    if (fd.length > 1) return []
    try {
      const target = fs.readlinkSync(`/proc/${pid}/fd/${fd}`)
      const name = (/^socket:\[(\d+)\]$/.exec(target) ?? fifo.exec(target))?.[1]
      return name === undefined ? [] : [name]
    } catch {
      return []
    }
  })

const bytes = (kilobytes: ReadonlyArray<number>): number => kilobytes.reduce((sum, value) => sum + value, 0) * 1024

/** Resident memory in bytes. */
export const memoryOf = (entries: ReadonlyArray<Entry>): Effect.Effect<number> => {
  if (linux) {
    return Effect.sync(() =>
      bytes(entries.map(({ pid }) => Number(/^VmRSS:\s*(\d+)/m.exec(readText(`/proc/${pid}/status`))?.[1] ?? 0)))
    )
  }
  if (entries.length === 0) return Effect.succeed(0)
  return Effect.map(ps("-o", "rss=", "-p", entries.map(({ pid }) => pid).join(",")), (lines) =>
    bytes(lines.map(Number))
  )
}
