/** One cell in a running interpreter: budget, interrupts, calls, outputs. */
import { Clock, Deferred, Effect, type Scope } from "effect"
import * as Budget from "../../src/Budget.ts"
import type { Call } from "../../src/Call.ts"
import type { Ending, Ran } from "../../src/kernel/Kernels.ts"
import * as Outputs from "../../src/kernel/Outputs.ts"
import * as Report from "../../src/kernel/Report.ts"
import * as Bridge from "./Bridge.ts"
import type * as Ladder from "./Ladder.ts"
import type * as Session from "./Session.ts"
import type * as Spill from "./Spill.ts"
import * as Streaming from "./Streaming.ts"

export interface Options {
  readonly session: Session.Session
  /** Where calls run that end after the cell. */
  readonly scope: Scope.Scope
  readonly cell: number
  readonly code: string
  readonly call: Call
  readonly control: Control
  readonly inactivity: Budget.Budget
  /** However active it is. */
  readonly outer: Budget.Budget | undefined
  readonly ladder: Ladder.Ladder
  readonly limits: Outputs.Limits
  readonly spill: Spill.Spill
  /** What came before this cell began, once. */
  readonly takeEarlier: () => {
    readonly outputs: ReadonlyArray<Outputs.Output>
    readonly notices: ReadonlyArray<string>
  }
  readonly background: Session.Listener
}

/** How whoever asked for the cell takes that back, at any time. */
export interface Control {
  isCancelled: boolean
  /** Interrupts the cell, if it runs. */
  interrupt: Effect.Effect<void>
}

export const control = (): Control => ({ isCancelled: false, interrupt: Effect.void })

/** Output and calls re-arm the budget at most this often, in milliseconds. */
const rearm = 50

type Closing =
  | { readonly status: "ok" | "error" | "interrupted"; readonly rss: number | undefined }
  | { readonly status: "exit"; readonly code: number; readonly rss: number | undefined }
  | { readonly status: "gone"; readonly why: string; readonly rss: undefined }

export const run = Effect.fnUntraced(function* (options: Options): Effect.fn.Return<Ran, never, Scope.Scope> {
  const { cell, session, spill } = options
  const clock = yield* Clock.Clock
  const cellScope = yield* Effect.scope
  const since = clock.currentTimeMillisUnsafe()
  const collector = Outputs.make(options.limits)
  const notices: Array<string> = []
  const closed = yield* Deferred.make<Closing>()
  const streaming = yield* Streaming.make(options.call)
  let stopped: { readonly why: string; readonly isTimeout: boolean } | undefined
  /** When the budget was last armed; `undefined`: it is spent. */
  let touched: number | undefined = since

  const interrupt = (why: string, isTimeout: boolean): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (stopped !== undefined) return Effect.void
      stopped = { why, isTimeout }
      return Effect.andThen(
        Effect.andThen(idle.pause, bridge.abort(why)),
        Effect.asVoid(Effect.forkIn(options.ladder(session, cell, why), cellScope))
      )
    })

  const idle = yield* Budget.idle(
    options.inactivity,
    Effect.suspend(() => {
      // A call that is under way suspends the budget: it begins again with the end of the call.
      if (bridge.isBusy()) {
        touched = undefined
        return Effect.void
      }
      return interrupt(
        "it printed nothing and called nothing for as long as it may. " +
          "Do not run it again as it is: let it do less at a time, print as it goes, or start the work in the background.",
        true
      )
    })
  )
  const active = Effect.suspend(() => {
    const now = clock.currentTimeMillisUnsafe()
    if (stopped !== undefined || bridge.isBusy() || (touched !== undefined && now - touched < rearm)) return Effect.void
    touched = now
    return idle.touch
  })
  const bridge = yield* Bridge.make({
    scope: options.scope,
    cell,
    call: options.call,
    send: session.send,
    idle: active
  })
  if (options.outer !== undefined) {
    yield* Budget.spent(options.outer).pipe(
      Effect.andThen(
        interrupt(
          "the time that a cell may take in all is over. Do not run it again as it is: let it do less at a time.",
          true
        )
      ),
      Effect.forkScoped
    )
  }
  options.control.interrupt = interrupt("its call was cancelled.", false)

  const show = (output: Parameters<typeof collector.show>[0]) => {
    collector.show(output)
    const text = `${Report.outputText(output).replace(/\n$/, "")}\n`
    spill.write(text)
    streaming.push(output.kind, text)
  }

  const item = (item: Session.Item) => {
    if (item.pipe !== undefined) {
      collector.text(item.pipe, item.text, item.bytes)
      spill.write(item.text)
      streaming.push(item.pipe, item.text)
      return
    }
    const { frame } = item
    // A thread of an earlier cell shows something while this one runs.
    const origin = frame.cell === cell ? {} : { background: true as const }
    switch (frame.t) {
      case "display":
        return show({
          kind: "display",
          data: frame.data,
          ...(typeof frame.id === "string" ? { display_id: frame.id } : {}),
          ...(frame.update === true ? { update: true as const } : {}),
          ...origin
        })
      case "result":
        return show({ kind: "result", data: frame.data, ...origin })
      case "error":
        return show({
          kind: "error",
          name: frame.name,
          message: frame.message,
          traceback: frame.traceback,
          ...origin
        })
      case "clear":
        return frame.cell === cell ? collector.clear(frame.wait ?? false) : undefined
      case "done": {
        if (frame.cell !== cell) return undefined
        const code = frame.exit_code ?? 0
        // What comes behind the end of the cell is not its output.
        session.listen(options.background)
        Deferred.doneUnsafe(
          closed,
          Effect.succeed(
            frame.status === "exit"
              ? { status: "exit", code, rss: frame.rss ?? undefined }
              : { status: frame.status, rss: frame.rss ?? undefined }
          )
        )
        return undefined
      }
    }
  }

  const gone = (why: string) => {
    Deferred.doneUnsafe(closed, Effect.succeed({ status: "gone", why, rss: undefined }))
  }
  // In one step: what comes is of the time before, or of this cell.
  const earlier = options.takeEarlier()
  session.listen({
    item,
    active,
    call: bridge.call,
    cancel: bridge.cancel,
    notice: (text) => notices.push(text),
    gone
  })
  // Nobody tells it again of an end that came before.
  const over = session.isGone()
  if (over !== undefined) gone(over)
  const isSent = yield* session.send({ t: "run", cell, code: options.code })
  if (!isSent) {
    session.listen(options.background)
    Deferred.doneUnsafe(closed, Effect.succeed({ status: "error", rss: undefined }))
    show({
      kind: "error",
      name: "TooLarge",
      message: "the code has more than 64 MiB; put it in a file and run that",
      traceback: ""
    })
  }

  // It may have been taken back while this was being prepared.
  if (options.control.isCancelled) yield* options.control.interrupt

  const closing = yield* Deferred.await(closed)
  yield* idle.pause
  const left = yield* bridge.close
  if (left > 0 && stopped === undefined) {
    notices.push(
      `${left} ${left === 1 ? "call" : "calls"} of tools that the cell had not waited for ${left === 1 ? "was" : "were"} cancelled when it ended.`
    )
  }
  yield* streaming.flush
  const collected = collector.finish()
  const spilledTo = spill.finish(!collected.isWhole)
  return {
    cell,
    ending: endingOf(closing, stopped, notices),
    outputs: [...earlier.outputs, ...collected.outputs],
    ...(collected.cut === undefined ? {} : { cut: collected.cut }),
    ...(spilledTo === undefined ? {} : { spilledTo }),
    notices: [...earlier.notices, ...notices, ...collected.notices],
    nested: bridge.nested(),
    nestedTotal: bridge.total(),
    milliseconds: clock.currentTimeMillisUnsafe() - since,
    ...(closing.rss === undefined ? {} : { memory: closing.rss })
  }
})

const endingOf = (
  closing: Closing,
  stopped: { readonly why: string; readonly isTimeout: boolean } | undefined,
  notices: Array<string>
): Ending => {
  if (closing.status === "gone") {
    return { status: "died", why: closing.why, isTimeout: stopped?.isTimeout ?? false }
  }
  if (closing.status === "interrupted") {
    return { status: "interrupted", why: "by its own program.", isTimeout: false, ...stopped }
  }
  if (stopped !== undefined) notices.push(`the cell was interrupted, and ended by itself: ${stopped.why}`)
  return closing.status === "exit" ? { status: "exit", code: closing.code } : { status: closing.status }
}
