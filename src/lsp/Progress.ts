/** Whether a server has loaded, by what it says of its work (C57, C101, C102). */
import * as Wire from "./Wire.ts"

interface Work {
  readonly title: string
  readonly message: string | undefined
  readonly percentage: number | undefined
  /** When it was heard of last, in milliseconds. */
  readonly at: number
}

/**
 * - `loading`: it says so
 * - `ready`: it has said that it was at work, and that it is no more, for a moment
 * - `silent`: it has never said anything, which proves nothing
 */
export type Readiness = "loading" | "ready" | "silent"

export interface Progress {
  /** Takes a notification; `true` when it was about progress or status. `now` in milliseconds. */
  readonly take: (method: string, params: unknown, now: number) => boolean
  readonly readiness: (now: number) => Readiness
  /** When `readiness` may change without another notification; `undefined` when it cannot. */
  readonly changesAt: (now: number) => number | undefined
  /** When its last piece of work ended, in milliseconds; 0 when none has. */
  readonly endedAt: () => number
  /** What is going on, one line each: `Indexing 42 % (3/7 crates)`. */
  readonly describe: (now: number) => ReadonlyArray<string>
}

export interface Options {
  /** How long it must be quiet after work, in milliseconds: one piece of work often follows another. */
  readonly quiet: number
  /** After how long without a word a piece of work counts as forgotten, in milliseconds. */
  readonly forgotten: number
}

const mostWorks = 256

const text = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value.slice(0, 200) : undefined

export const make = ({ forgotten, quiet }: Options): Progress => {
  const works = new Map<unknown, Work>()
  let hasWorked = false
  let lastEnd = 0
  /** A server's own word, which outweighs its progress: rust-analyzer reports each `cargo check` too. */
  let status: { readonly isReady: boolean; readonly message: string | undefined } | undefined

  const active = (now: number) => [...works.values()].filter(({ at }) => now - at < forgotten)

  const onProgress = (params: unknown, now: number) => {
    const token = Wire.get(params, "token")
    const value = Wire.get(params, "value")
    const percentage = Wire.get(value, "percentage")
    const said = {
      message: text(Wire.get(value, "message")),
      percentage: typeof percentage === "number" && Number.isFinite(percentage) ? Math.round(percentage) : undefined,
      at: now
    }
    const known = works.get(token)
    switch (Wire.get(value, "kind")) {
      case "begin":
        hasWorked = true
        if (known === undefined && works.size >= mostWorks) return
        works.set(token, { ...said, title: text(Wire.get(value, "title")) ?? "working" })
        return
      case "report":
        if (known === undefined) return
        works.set(token, {
          title: known.title,
          at: now,
          message: said.message ?? known.message,
          percentage: said.percentage ?? known.percentage
        })
        return
      case "end":
        if (works.delete(token)) lastEnd = now
        return
    }
  }

  return {
    take: (method, params, now) => {
      if (method === "$/progress") onProgress(params, now)
      else if (method === "experimental/serverStatus") {
        status = { isReady: Wire.get(params, "quiescent") !== false, message: text(Wire.get(params, "message")) }
      } else if (method === "language/status") {
        const type = Wire.get(params, "type")
        const isReady = type === "ServiceReady" || type === "Started"
        if (!isReady && type !== "Starting" && type !== "Error" && type !== "ProjectStatus") return true
        if (type !== "ProjectStatus")
          status = { isReady: isReady || type === "Error", message: text(Wire.get(params, "message")) }
      } else return false
      return true
    },
    readiness: (now) => {
      if (status !== undefined) return status.isReady ? "ready" : "loading"
      if (active(now).length > 0) return "loading"
      if (!hasWorked) return "silent"
      return now - lastEnd < quiet ? "loading" : "ready"
    },
    changesAt: (now) => {
      const works = active(now)
      if (works.length > 0) return Math.min(...works.map(({ at }) => at)) + forgotten
      return hasWorked && now - lastEnd < quiet ? lastEnd + quiet : undefined
    },
    endedAt: () => lastEnd,
    describe: (now) => {
      const lines = active(now).map(({ message, percentage, title }) => {
        const share = percentage === undefined ? "" : ` ${percentage} %`
        return `${title}${share}${message === undefined ? "" : ` (${message})`}`
      })
      if (status !== undefined && !status.isReady) return [status.message ?? "not ready", ...lines]
      return lines
    }
  }
}
