/**
 * The breakpoints of a conversation (checklist 28–36): kept by us, so that they outlive the program, and shown to each adapter session.
 * What an adapter says of them is kept beside what was asked for; it never replaces it.
 */
import type { Quirks } from "./adapters/Adapter.ts"
import type * as Capabilities from "./Capabilities.ts"
import * as Wire from "./Wire.ts"

/** What is asked for at a line. */
export interface Wanted {
  readonly line: number
  readonly condition?: string | undefined
  readonly hitCondition?: string | undefined
  readonly logMessage?: string | undefined
}

/** Which exceptions stop the program. */
export type Exceptions = "uncaught" | "all" | "none"

/** How a breakpoint stands. */
export interface Status {
  readonly verified: boolean
  /** Where it was bound, if the adapter says. */
  readonly boundLine?: number | undefined
  readonly message?: string | undefined
}

export interface OfFile extends Status, Wanted {
  readonly path: string
}
export interface OfFunction extends Status {
  readonly name: string
}

interface Told {
  id: number | undefined
  verified: boolean
  line: number | undefined
  message: string | undefined
}

interface Entry<A> {
  readonly wanted: A
  /** Only until the next stop. */
  readonly isTemporary: boolean
  /** By session. */
  readonly told: Map<number, Told>
}
type FileEntry = Entry<Wanted>

/** One `setBreakpoints` or `setFunctionBreakpoints`, and what takes its answer. */
export interface Order {
  readonly command: "setBreakpoints" | "setFunctionBreakpoints"
  readonly args: object
  readonly answered: (body: unknown) => void
  readonly failed: (message: string) => void
}

export interface Breakpoints {
  readonly setFile: (path: string, wanted: ReadonlyArray<Wanted>) => void
  readonly setFunctions: (names: ReadonlyArray<string>) => void
  readonly setExceptions: (exceptions: Exceptions) => void
  readonly exceptions: () => Exceptions
  /** Adds one that `endTemporary` takes away; `false` when there is one on that line already. */
  readonly addTemporary: (path: string, line: number) => boolean
  /** How the temporary ones stand. */
  readonly temporary: () => ReadonlyArray<OfFile>
  /** The files that had one. */
  readonly endTemporary: () => ReadonlyArray<string>
  readonly paths: () => ReadonlyArray<string>
  readonly hasFunctions: () => boolean
  readonly file: (path: string) => ReadonlyArray<OfFile>
  readonly all: () => ReadonlyArray<OfFile>
  readonly functions: () => ReadonlyArray<OfFunction>
  /** The whole list of a file for one session (28). What the adapter cannot do is not sent, and says so. */
  readonly fileOrder: (
    path: string,
    session: number,
    capabilities: Capabilities.Capabilities,
    quirks?: Quirks | undefined
  ) => Order
  /** With functions of ours behind them, of which nothing is told. */
  readonly functionOrder: (session: number, ours?: ReadonlyArray<string>) => Order
  /** A `breakpoint` event. */
  readonly event: (session: number, body: unknown) => void
  /** The breakpoint with an id of the adapter's, as people name it. */
  readonly named: (session: number, id: number) => string | undefined
  /** What a session has said is of the past. */
  readonly forget: (session: number) => void
}

const mostEarly = 1000

/** What of a wanted breakpoint the adapter cannot do, if so. */
const unable = (
  wanted: Wanted,
  capabilities: Capabilities.Capabilities,
  quirks: Quirks | undefined
): string | undefined => {
  if (wanted.condition !== undefined && !capabilities.has("supportsConditionalBreakpoints")) return "conditions"
  if (wanted.hitCondition !== undefined && !capabilities.has("supportsHitConditionalBreakpoints"))
    return "hit conditions"
  if (wanted.hitCondition !== undefined && quirks?.hitConditions?.test(wanted.hitCondition) === false)
    return "a hit condition like this; `3` is one that it can"
  if (wanted.logMessage !== undefined && !capabilities.has("supportsLogPoints")) return "log messages"
  return undefined
}

/** The hit at which to stop, as the adapter counts. */
const hits = (condition: string, quirks: Quirks | undefined): string =>
  quirks?.ignoresHits === true && /^[1-9]\d*$/.test(condition) ? String(Number(condition) - 1) : condition

export const make = (): Breakpoints => {
  let files = new Map<string, ReadonlyArray<FileEntry>>()
  let functions: ReadonlyArray<Entry<string>> = []
  let exceptions: Exceptions = "uncaught"
  /** Events for ids that no answer has named yet (31). */
  let early: Array<{ readonly session: number; readonly id: number; readonly body: unknown }> = []

  const entry = <A>(wanted: A, isTemporary = false): Entry<A> => ({ wanted, isTemporary, told: new Map() })
  const entries = (): ReadonlyArray<Entry<unknown>> => [...[...files.values()].flat(), ...functions]

  const update = (told: Told, body: unknown) => {
    told.id = Wire.int(body, "id") ?? told.id
    told.verified = Wire.flag(body, "verified") ?? told.verified
    told.line = Wire.int(body, "line") ?? told.line
    told.message = Wire.text(body, "message") ?? (told.verified ? undefined : told.message)
  }

  const order = <A>(session: number, sent: ReadonlyArray<Entry<A>>) => ({
    answered: (body: unknown) => {
      const answers = Wire.list(body, "breakpoints")
      sent.forEach((each, index) => {
        const told: Told = { id: undefined, verified: false, line: undefined, message: undefined }
        update(told, answers[index])
        if (answers[index] === undefined) told.message = "the adapter said nothing of it"
        for (const event of early) if (event.session === session && event.id === told.id) update(told, event.body)
        each.told.set(session, told)
      })
      early = []
    },
    failed: (message: string) => {
      for (const each of sent) each.told.set(session, { id: undefined, verified: false, line: undefined, message })
    }
  })

  const statusOf = ({ told }: Entry<unknown>): Status => {
    const all = [...told.values()]
    const best = all.find(({ verified }) => verified) ?? all[0]
    if (best === undefined)
      return { verified: false, message: "not shown to an adapter yet: it is when a program is launched" }
    return {
      verified: best.verified,
      ...(best.line === undefined || best.line < 1 ? {} : { boundLine: best.line }),
      ...(best.message === undefined || best.message === "" ? {} : { message: Wire.oneLine(best.message, 400) })
    }
  }
  const told = (path: string, areTemporary: boolean): ReadonlyArray<OfFile> =>
    (files.get(path) ?? [])
      .filter(({ isTemporary }) => isTemporary === areTemporary)
      .map((each) => ({ path, ...each.wanted, ...statusOf(each) }))
  const ofFile = (path: string) => told(path, false)

  return {
    setFile: (path, wanted) => {
      const kept = (files.get(path) ?? []).filter(({ isTemporary }) => isTemporary)
      files.set(path, [...wanted.map((each) => entry(each)), ...kept])
    },
    setFunctions: (names) => {
      functions = names.map((name) => entry(name))
    },
    setExceptions: (value) => {
      exceptions = value
    },
    exceptions: () => exceptions,
    addTemporary: (path, line) => {
      const own = files.get(path) ?? []
      const plain = ({ condition, hitCondition, logMessage }: Wanted) =>
        condition === undefined && hitCondition === undefined && logMessage === undefined
      if (own.some(({ wanted }) => wanted.line === line && plain(wanted))) return false
      files.set(path, [
        ...own.filter(({ wanted }) => wanted.line !== line),
        entry({ line }, true),
        ...own.filter(({ wanted }) => wanted.line === line)
      ])
      return true
    },
    temporary: () => [...files.keys()].flatMap((path) => told(path, true)),
    endTemporary: () => {
      const had = [...files].filter(([, own]) => own.some(({ isTemporary }) => isTemporary)).map(([path]) => path)
      for (const path of had)
        files.set(
          path,
          files.get(path)!.filter(({ isTemporary }) => !isTemporary)
        )
      return had
    },
    paths: () => [...files.keys()],
    hasFunctions: () => functions.length > 0,
    file: ofFile,
    all: () => [...files.keys()].flatMap(ofFile),
    functions: () => functions.map((each) => ({ name: each.wanted, ...statusOf(each) })),
    fileOrder: (path, session, capabilities, quirks) => {
      const own = files.get(path) ?? []
      const lines = new Set<number>()
      // One breakpoint a line: a temporary one goes before what it hides for a while.
      const sent = own.filter(({ told, wanted }) => {
        const what = unable(wanted, capabilities, quirks)
        if (what !== undefined) {
          const message = `not set: this adapter cannot do ${what}`
          told.set(session, { id: undefined, verified: false, line: undefined, message })
        }
        if (what !== undefined || lines.has(wanted.line)) return false
        lines.add(wanted.line)
        return true
      })
      if (own.length === 0) files.delete(path)
      return {
        command: "setBreakpoints",
        args: {
          source: { path, name: path.slice(path.lastIndexOf("/") + 1) },
          breakpoints: sent.map(({ wanted: { condition, hitCondition, line, logMessage } }) => ({
            line,
            ...(condition === undefined ? {} : { condition }),
            ...(hitCondition === undefined ? {} : { hitCondition: hits(hitCondition, quirks) }),
            ...(logMessage === undefined
              ? {}
              : { logMessage: quirks?.logsWithoutEnd === true ? `${logMessage}\n` : logMessage })
          })),
          lines: sent.map(({ wanted }) => wanted.line),
          sourceModified: false
        },
        ...order(session, sent)
      }
    },
    functionOrder: (session, ours = []) => ({
      command: "setFunctionBreakpoints",
      args: { breakpoints: [...functions.map(({ wanted }) => wanted), ...ours].map((name) => ({ name })) },
      ...order(session, functions)
    }),
    event: (session, body) => {
      const breakpoint = Wire.get(body, "breakpoint")
      const id = Wire.int(breakpoint, "id")
      const reason = Wire.text(body, "reason")
      if (id === undefined) return
      for (const each of entries()) {
        const told = each.told.get(session)
        if (told === undefined || told.id !== id) continue
        if (reason === "removed") {
          told.verified = false
          told.message = "the adapter has removed it"
        } else update(told, breakpoint)
        return
      }
      // A new one of the adapter's own is its business; one that its answer is about to name is ours.
      if (reason !== "removed" && early.length < mostEarly) early.push({ session, id, body: breakpoint })
    },
    named: (session, id) => {
      for (const [path, own] of files) {
        const found = own.find(({ told }) => told.get(session)?.id === id)
        if (found !== undefined) return `${path}:${found.wanted.line}`
      }
      return functions.find(({ told }) => told.get(session)?.id === id)?.wanted
    },
    forget: (session) => {
      for (const each of entries()) each.told.delete(session)
      early = early.filter((event) => event.session !== session)
    }
  }
}
