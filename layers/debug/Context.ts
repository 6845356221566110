/** What is told of a stop (SPEC §7.3): where, why, a few lines of source, the innermost locals. */
import * as Fs from "node:fs"
import * as Path from "node:path"
import { Effect, Option } from "effect"
import type { Stop } from "../../src/debug/Execution.ts"
import * as Policy from "../../src/debug/Policy.ts"
import type * as References from "../../src/debug/References.ts"
import type * as Values from "../../src/debug/Values.ts"
import * as Wire from "../../src/debug/Wire.ts"
import type { ToolError } from "../../src/ToolError.ts"
import * as Paths from "../workspace/Paths.ts"
import * as Inspect from "./Inspect.ts"
import type { Session } from "./Session.ts"

export interface Around {
  /** The working directory: of files elsewhere, no text is shown at an adapter's word. */
  readonly root: string
  /** The process that a session is of, where the sessions are of more than one. */
  readonly processOf: (session: Session) => number | undefined
  /** When what runs was made of its sources, in milliseconds; `undefined` where that is not known. */
  readonly builtAt: () => number | undefined
  readonly giveThread: (session: Session, id: number) => number
  readonly give: (session: Session, handle: Omit<References.Handle, "session">) => number
  /** The end of what the program has written. */
  readonly written: () => string
}

/** How deep the nearest frame with source is looked for. */
const depth = 20
const longestLine = 200
const largestSource = 8 * 1024 * 1024
const longestLocal = 120
/** Milliseconds: a copy of a folder may have its sources a little later than what was built of them. */
const copying = 1000

/** With links resolved, where the file exists. */
export const real = (path: string): string => {
  try {
    return Fs.realpathSync(path)
  } catch {
    return path
  }
}

const sourceOf = (around: Around, path: string, line: number): Pick<Values.Stop, "source" | "source_changed"> => {
  try {
    // A pipe or a device would block us.
    const stat = Fs.statSync(path)
    if (!Paths.isInside(Path, around.root, path) || !stat.isFile() || stat.size > largestSource) return {}
    const isChanged = stat.mtimeMs > (around.builtAt() ?? Infinity) + copying
    const lines = Fs.readFileSync(path, "utf8").split(/\r\n|\n|\r/)
    const from = Math.max(1, line - Policy.sourceAround)
    const source = lines
      .slice(from - 1, line + Policy.sourceAround)
      .map((text, index) => ({ line: from + index, text: Wire.cut(text, longestLine) }))
      .filter(({ line: at, text }) => at <= line || text !== "" || at < lines.length)
    return { ...(source.length === 0 ? {} : { source }), ...(isChanged ? { source_changed: true } : {}) }
  } catch {
    return {}
  }
}

export const toldFrame = (around: Around, session: Session, frame: Inspect.Frame): Values.Frame => ({
  id: around.give(session, { kind: "frame", id: frame.id, name: frame.name }),
  name: frame.name,
  ...(frame.path === undefined ? {} : { path: real(frame.path) }),
  ...(frame.line === undefined ? {} : { line: frame.line })
})

/** Threads of a session, by its own numbers; the one that has stopped is among them. */
export const threads = Effect.fnUntraced(function* (session: Session, stopped?: number) {
  const ask = session.request("threads")
  let body = yield* ask
  // lldb 22 may tell those of the stop before when it is first asked.
  if (stopped !== undefined && !Wire.list(body, "threads").some((raw) => Wire.int(raw, "id") === stopped))
    body = yield* ask
  return Wire.list(body, "threads").flatMap((raw): ReadonlyArray<{ readonly id: number; readonly name: string }> => {
    const id = Wire.int(raw, "id")
    return id === undefined ? [] : [{ id, name: Wire.oneLine(Wire.text(raw, "name") ?? "", 200) }]
  })
})

/** The thread that a stop without one is about: delve marks it with a star. */
export const threadOf = Effect.fnUntraced(function* (session: Session, stop: Stop | undefined) {
  if (stop?.threadId !== undefined) return stop.threadId
  const all = yield* threads(session)
  return (all.find(({ name }) => name.startsWith("*")) ?? all[0])?.id
})

/** debugpy adds this to the type of an exception that nothing catches. */
const remark = /\s*\(note: full exception trace is shown but [^)]*\)/

/** Each once, without what another one says already; a lone word, as a type is, comes first. */
const together = (parts: ReadonlyArray<string | undefined>): string => {
  const said = [...new Set(parts.map((part) => part?.replace(remark, "").trim() ?? "").filter((part) => part !== ""))]
  return said
    .filter((part) => !said.some((other) => other !== part && other.includes(part)))
    .sort((a, b) => Number(/\s/.test(a)) - Number(/\s/.test(b)))
    .join(": ")
}

/** Type and message of an exception, where the stop itself does not have both (47). */
const explain = Effect.fnUntraced(function* (session: Session, stop: Stop, threadId: number) {
  const said = [stop.text, stop.description]
  const isKnown = stop.reason !== "exception" || (stop.text !== undefined && stop.text !== stop.description)
  if (isKnown || !session.capabilities.has("supportsExceptionInfoRequest")) return together(said)
  const info = yield* Effect.option(session.request("exceptionInfo", { threadId }))
  const body = info._tag === "Some" ? info.value : undefined
  const details = Wire.get(body, "details")
  const name = Wire.text(details, "typeName") ?? Wire.text(body, "exceptionId")
  const message = Wire.text(details, "message") ?? Wire.text(body, "description")
  return together([...said, name, message])
})

const localsOf = Effect.fnUntraced(function* (around: Around, session: Session, frameId: number) {
  const scopes = yield* Inspect.scopes(session, frameId)
  // gdb has the arguments apart from the locals.
  const local = scopes.filter(({ isLocal, reference }) => isLocal && reference !== 0)
  const other = scopes.find(({ isExpensive, reference }) => !isExpensive && reference !== 0)
  const chosen = local.length > 0 || other === undefined ? local : [other]
  if (chosen.length === 0) return undefined
  const parts = yield* Effect.forEach(chosen, ({ indexed, name, named, reference }) =>
    Inspect.children(
      session,
      { kind: "variables", session: session.key, id: reference, name, indexed, named },
      0,
      Policy.mostVariables
    )
  )
  const variables = parts.flatMap((part) => part.variables)
  const own = variables.filter((variable) => !Inspect.isGroup(variable))
  return {
    total: parts.reduce((sum, { total }) => sum + total, 0) - (variables.length - own.length),
    locals: own
      .slice(0, Policy.mostLocals)
      .map((one) =>
        Inspect.toldVariable(one, longestLocal, (inner) => around.give(session, { ...inner, frame: frameId }))
      )
  }
})

/** What nobody caught, from what the program wrote when it was so. */
const uncaught = (around: Around, session: Session): string | undefined => {
  const text = around.written()
  for (const pattern of session.adapter.quirks?.fatal?.texts ?? []) {
    const groups = [...text.matchAll(new RegExp(pattern.source, "g"))].at(-1)?.groups
    if (groups === undefined) continue
    return [groups["type"], groups["message"]].filter((each) => each !== undefined && each !== "").join(": ")
  }
  return undefined
}

/** The frame to be shown: the nearest whose source is there; of an exception the nearest of the project. */
const shownFrame = (around: Around, frames: ReadonlyArray<Inspect.Frame>, isException: boolean) => {
  const sourced = frames.filter(({ isSubtle, path }) => path !== undefined && !isSubtle)
  const there = sourced.filter(({ path = "" }) => Path.isAbsolute(path) && Fs.existsSync(path))
  const own = there.find(({ path = "" }) => Paths.isInside(Path, around.root, real(path)))
  return (isException ? own : undefined) ?? there[0] ?? sourced[0] ?? frames[0]
}

/** Three requests: `stackTrace`, `scopes`, `variables`; one more for a stop without a thread, and for an exception without a text. */
export const of = Effect.fn("Context.of")(function* (
  around: Around,
  session: Session,
  stop: Stop,
  reason: string
): Effect.fn.Return<Values.Stop, ToolError> {
  const threadId = yield* threadOf(session, stop)
  const thread_id = threadId === undefined ? 0 : around.giveThread(session, threadId)
  const process = around.processOf(session)
  const explanation = yield* explain(session, stop, threadId ?? 0)
  const stack = threadId === undefined ? Option.none() : yield* Effect.option(Inspect.frames(session, threadId, depth))
  const frames = Option.isSome(stack) ? stack.value.frames : []
  const top = frames[0]
  const isFatal = session.adapter.quirks?.fatal?.functions.includes(top?.name.split("::").at(-1) ?? "") === true
  // gdb has a reason of its own for what others call an exception, and does not say which signal it is.
  const isSignal = reason === "signal" || (reason === "exception" && /SIGABRT/.test(explanation))
  const isException = isFatal || isSignal || reason === "exception"
  const cause = isFatal || isSignal ? uncaught(around, session) : undefined
  const said = isFatal ? "" : reason === "signal" ? explanation || "a signal" : explanation
  const description = cause === undefined ? said : said === "" ? cause : `${cause} (${said})`
  const told = {
    reason: isException ? "exception" : reason,
    thread_id,
    ...(process === undefined ? {} : { process_id: process }),
    ...(description === "" || description === reason ? {} : { description: Wire.oneLine(description, 1000) })
  }
  const own = shownFrame(around, frames, isException)
  if (top === undefined || own === undefined) return told
  const frame = toldFrame(around, session, own)
  const locals = yield* Effect.option(localsOf(around, session, own.id))
  const found = locals._tag === "Some" ? locals.value : undefined
  return {
    ...told,
    ...(frame.path === undefined ? {} : { path: frame.path }),
    ...(frame.line === undefined ? {} : { line: frame.line }),
    frame,
    ...(own === top ? {} : { top: toldFrame(around, session, top) }),
    ...(frame.path === undefined || frame.line === undefined ? {} : sourceOf(around, frame.path, frame.line)),
    ...(found === undefined ? {} : { locals: found.locals }),
    ...(found === undefined || found.total <= found.locals.length ? {} : { locals_total: found.total })
  }
})
