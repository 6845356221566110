/** Which process a journal belongs to, and whether that one is still there. */
import { execFileSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Os from "node:os"

/** A process id is used again; with the time at which the process started it names one process of this machine. */
export interface Owner {
  readonly host: string
  readonly pid: number
  readonly start: string
}

/** In one line that can be part of a file's name. */
export const format = ({ host, pid, start }: Owner): string => [host, pid, start].map(encodeURIComponent).join("@")

export const parse = (text: string): Owner | undefined => {
  try {
    const [host, pid, start, ...more] = text.split("@").map(decodeURIComponent)
    if (host === undefined || start === undefined || more.length > 0 || !/^\d+$/.test(pid ?? "")) return undefined
    return { host, pid: Number(pid), start }
  } catch {
    return undefined
  }
}

const fromProc = (pid: number): string | undefined => {
  try {
    // The name in parentheses may hold spaces and parentheses; field 3 is the state, field 22 the start in ticks since boot.
    const stat = Fs.readFileSync(`/proc/${pid}/stat`, "utf8")
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return fields[0] === "Z" || fields[0] === "X" ? undefined : fields[19]
  } catch {
    return undefined
  }
}

/** For systems without `/proc`. */
export const fromPs = (pid: number): string | undefined => {
  try {
    const env = { ...process.env, LC_ALL: "C", TZ: "UTC" }
    const found = execFileSync("/bin/ps", ["-o", "stat=,lstart=", "-p", String(pid)], {
      env,
      stdio: ["ignore", "pipe", "ignore"]
    })
    const line = found.toString("utf8").trim()
    const [state = "", ...start] = line.split(/\s+/)
    return state === "" || state.startsWith("Z") ? undefined : start.join(" ")
  } catch {
    return undefined
  }
}

const startOf = (pid: number): string | undefined => (process.platform === "linux" ? fromProc(pid) : fromPs(pid))

const unknown = "unknown"

/** This process. */
export const self = (): Owner => ({ host: Os.hostname(), pid: process.pid, start: startOf(process.pid) ?? unknown })

const exists = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (cause) {
    return cause instanceof Error && "code" in cause && cause.code === "EPERM"
  }
}

/** `unknown` for a process of another machine (a shared home folder): it cannot be seen from here. */
export const status = (owner: Owner): "alive" | "dead" | "unknown" => {
  if (owner.host !== Os.hostname()) return "unknown"
  const isAlive = owner.start === unknown ? exists(owner.pid) : startOf(owner.pid) === owner.start
  return isAlive ? "alive" : "dead"
}
