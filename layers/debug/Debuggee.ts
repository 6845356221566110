/**
 * The program of a launched session. Whoever carries the mark of the adapter ends with it; this is for a program that has shed the
 * mark, left the group, and lost its parent. Its number comes from the adapter, so it counts only while its descent is seen.
 */
import { Effect } from "effect"
import * as ProcessTable from "../process/ProcessTable.ts"

export interface Debuggee {
  /** Takes the pid of a `process` event, if that process descends from the adapter. */
  readonly note: (pid: number) => Effect.Effect<void>
  /** Kills what was noted, if it still lives. */
  readonly kill: Effect.Effect<void>
}

export const make = (adapter: () => number | undefined): Debuggee => {
  const noted: Array<ProcessTable.Entry> = []
  return {
    note: Effect.fnUntraced(function* (pid) {
      const top = adapter()
      if (top === undefined || pid <= 1 || noted.length >= 16) return
      const table = new Map((yield* ProcessTable.read).map((entry) => [entry.pid, entry]))
      const seen = new Set<number>()
      for (let at = table.get(pid); at !== undefined && !seen.has(at.pid); at = table.get(at.parent)) {
        seen.add(at.pid)
        if (at.parent !== top) continue
        noted.push(table.get(pid)!)
        return
      }
    }),
    kill: Effect.sync(() => {
      for (const entry of noted) {
        if (!ProcessTable.isAlive(entry)) continue
        try {
          process.kill(entry.pid, "SIGKILL")
        } catch {
          // It has ended meanwhile.
        }
      }
    })
  }
}
