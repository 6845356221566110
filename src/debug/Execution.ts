/** Which threads are stopped, as adapters tell it (checklist 37–40): several stops can stand at once, and any of them can be taken back. */
import * as Wire from "./Wire.ts"

/** One stop. `session` tells child sessions apart. */
export interface Stop {
  /** Rises with every stop of the debugger. */
  readonly serial: number
  readonly session: number
  readonly reason: string
  readonly description: string | undefined
  readonly text: string | undefined
  /** `undefined` where the adapter does not say. */
  readonly threadId: number | undefined
  readonly isOfAll: boolean
  readonly breakpointIds: ReadonlyArray<number>
}

interface Standing {
  readonly stop: Stop
  /** Threads that go on although all had stopped. */
  readonly goingOn: Set<number>
}

export interface Execution {
  /** Rises with everything that ends the validity of frames and references: each stop, each resumption. */
  readonly generation: () => number
  /** The serial of the last stop, whether it still stands or not. */
  readonly serial: () => number
  /** The last stop that still stands. */
  readonly current: () => Stop | undefined
  readonly isStopped: (session: number, threadId: number) => boolean
  readonly stopped: (session: number, body: unknown) => void
  /** The thread, or all of the session, goes on. */
  readonly continued: (session: number, threadId: number | undefined) => void
  /** What `continued` is about to end, to be put back when the adapter refuses. */
  readonly save: () => () => void
  readonly threadGone: (session: number, threadId: number) => void
  readonly sessionGone: (session: number) => void
}

/** More stops than this standing at once are a fault of the adapter. */
const mostStops = 1000

export const make = (): Execution => {
  let serial = 0
  let generation = 0
  let standing: ReadonlyArray<Standing> = []
  const focusOf = ({ goingOn, stop }: Standing) => stop.threadId === undefined || !goingOn.has(stop.threadId)

  return {
    generation: () => generation,
    serial: () => serial,
    current: () => standing.findLast(focusOf)?.stop ?? standing.at(-1)?.stop,
    isStopped: (session, threadId) =>
      standing.some(
        ({ goingOn, stop }) =>
          stop.session === session &&
          (stop.isOfAll ? !goingOn.has(threadId) : stop.threadId === undefined || stop.threadId === threadId)
      ),
    stopped: (session, body) => {
      // 0 is no thread: lldb says it after an attach.
      const threadId = Wire.int(body, "threadId") || undefined
      const stop: Stop = {
        serial: ++serial,
        session,
        reason: Wire.text(body, "reason") ?? "stopped",
        description: Wire.text(body, "description"),
        text: Wire.text(body, "text"),
        threadId,
        isOfAll: Wire.flag(body, "allThreadsStopped") ?? threadId === undefined,
        breakpointIds: Wire.ints(body, "hitBreakpointIds")
      }
      generation++
      standing = [
        ...standing.filter(
          (each) => each.stop.session !== session || (!stop.isOfAll && each.stop.threadId !== threadId)
        ),
        { stop, goingOn: new Set<number>() }
      ].slice(-mostStops)
    },
    continued: (session, threadId) => {
      generation++
      standing = standing.flatMap((each) => {
        if (each.stop.session !== session) return [each]
        if (threadId === undefined) return []
        if (!each.stop.isOfAll) return each.stop.threadId === threadId ? [] : [each]
        return [{ stop: each.stop, goingOn: new Set([...each.goingOn, threadId]) }]
      })
    },
    save: () => {
      const before = standing
      const at = serial
      return () => {
        if (serial === at) standing = before
      }
    },
    threadGone: (session, threadId) => {
      standing = standing.filter(({ stop }) => stop.session !== session || stop.isOfAll || stop.threadId !== threadId)
    },
    sessionGone: (session) => {
      generation++
      standing = standing.filter(({ stop }) => stop.session !== session)
    }
  }
}
