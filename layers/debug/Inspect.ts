/** Frames, scopes and variables of a stopped program (checklist 50–58). */
import { Effect } from "effect"
import type * as References from "../../src/debug/References.ts"
import type * as Values from "../../src/debug/Values.ts"
import * as Wire from "../../src/debug/Wire.ts"
import type { ToolError } from "../../src/ToolError.ts"
import type { Session } from "./Session.ts"

/** A frame as an adapter tells it. */
export interface Frame {
  readonly id: number
  readonly name: string
  readonly path: string | undefined
  readonly line: number | undefined
  /** Of a runtime, not of the program. */
  readonly isSubtle: boolean
}

export interface Scope {
  readonly name: string
  readonly reference: number
  readonly isLocal: boolean
  readonly isExpensive: boolean
  readonly indexed: number | undefined
  readonly named: number | undefined
}

export interface Variable {
  readonly name: string
  readonly value: string
  readonly type: string | undefined
  readonly reference: number
  readonly indexed: number | undefined
  readonly named: number | undefined
}

const longestName = 200

/** What a compiler appends to tell names apart. */
const rustHash = /::h[0-9a-f]{16}$/

const frameOf = (raw: unknown): ReadonlyArray<Frame> => {
  const id = Wire.int(raw, "id")
  if (id === undefined) return []
  const source = Wire.get(raw, "source")
  const line = Wire.int(raw, "line") ?? 0
  // A source that only the adapter has is no file (52).
  const path = (Wire.int(source, "sourceReference") ?? 0) > 0 ? undefined : Wire.text(source, "path")
  return [
    {
      id,
      name: Wire.oneLine((Wire.text(raw, "name") ?? "(no name)").replace(rustHash, ""), longestName),
      path: path === "" ? undefined : path,
      line: line > 0 ? line : undefined,
      isSubtle:
        Wire.text(raw, "presentationHint") === "subtle" || Wire.text(source, "presentationHint") === "deemphasize"
    }
  ]
}

/** At most `most` frames, and how many there are, where the adapter gives a number that can be believed. */
export const frames = Effect.fnUntraced(function* (session: Session, threadId: number, most: number) {
  const body = yield* session.request("stackTrace", {
    threadId,
    ...(session.capabilities.has("supportsDelayedStackTraceLoading") ? { startFrame: 0, levels: most } : {})
  })
  const raw = Wire.list(body, "stackFrames")
  const all = raw.slice(0, most).flatMap(frameOf)
  return { frames: all, total: Math.max(Wire.int(body, "totalFrames") ?? 0, raw.length) }
})

/** The scopes of a frame. */
export const scopes = Effect.fnUntraced(function* (session: Session, frameId: number) {
  const body = yield* session.request("scopes", { frameId })
  return Wire.list(body, "scopes").flatMap((raw): ReadonlyArray<Scope> => {
    const name = Wire.text(raw, "name")
    if (name === undefined) return []
    return [
      {
        name: Wire.oneLine(name, longestName),
        reference: Wire.int(raw, "variablesReference") ?? 0,
        isLocal:
          ["locals", "arguments"].includes(Wire.text(raw, "presentationHint") ?? "") ||
          /^(locals?|arguments)\b/i.test(name),
        isExpensive: Wire.flag(raw, "expensive") ?? false,
        indexed: Wire.int(raw, "indexedVariables"),
        named: Wire.int(raw, "namedVariables")
      }
    ]
  })
})

const variableOf = (raw: unknown): ReadonlyArray<Variable> => {
  const name = Wire.text(raw, "name")
  if (name === undefined) return []
  return [
    {
      name: Wire.oneLine(name, longestName),
      value: Wire.text(raw, "value") ?? "",
      type: Wire.text(raw, "type"),
      reference: Wire.int(raw, "variablesReference") ?? 0,
      indexed: Wire.int(raw, "indexedVariables"),
      named: Wire.int(raw, "namedVariables")
    }
  ]
}

/** Children from `start` on, and how many there are in all; where the adapter pages, no more than wanted is asked for (55). */
export const children = Effect.fnUntraced(function* (
  session: Session,
  handle: References.Handle,
  start: number,
  most: number
): Effect.fn.Return<{ readonly variables: ReadonlyArray<Variable>; readonly total: number }, ToolError> {
  const [indexed, named] = [handle.indexed ?? 0, handle.named ?? 0]
  const ask = Effect.fnUntraced(function* (args: object) {
    const body = yield* session.request("variables", { variablesReference: handle.id, ...args })
    return Wire.list(body, "variables")
  })
  /** A page of what the adapter counts as `count`; one that does not page gives all, whatever it is asked. */
  const page = Effect.fnUntraced(function* (from: number, want: number, filter: object) {
    const raw = yield* ask({ ...filter, start: from, count: want })
    return raw.length > want ? raw.slice(from, from + want) : raw
  })
  const filter = (kind: "indexed" | "named") =>
    session.adapter.quirks?.pagesByFilter === true || (indexed > 0 && named > 0) ? { filter: kind } : {}

  if (indexed + named <= most && start === 0) {
    const raw = yield* ask({})
    return { variables: raw.slice(0, most).flatMap(variableOf), total: Math.max(raw.length, indexed + named) }
  }
  const parts: Array<unknown> = []
  if (start < named) parts.push(...(yield* page(start, Math.min(most, named - start), filter("named"))))
  const from = Math.max(0, start - named)
  const want = Math.min(most - parts.length, indexed - from)
  if (want > 0) parts.push(...(yield* page(from, want, filter("indexed"))))
  if (indexed + named > 0) return { variables: parts.flatMap(variableOf), total: indexed + named }
  // Nothing is known of their number: all of them, and our own cut.
  const raw = yield* ask({})
  return { variables: raw.slice(start, start + most).flatMap(variableOf), total: raw.length }
})

/** The groups that debugpy puts before the variables. */
export const isGroup = ({ name }: Variable): boolean => /^(special|function|class|protected) variables$/.test(name)

/** A variable as it is told; `give` makes the reference. */
export const toldVariable = (
  variable: Variable,
  longest: number,
  give: (handle: Omit<References.Handle, "session">) => number
): Values.Variable => ({
  name: variable.name,
  value: Wire.oneLine(variable.value, longest),
  ...(variable.type === undefined || variable.type === "" ? {} : { type: Wire.oneLine(variable.type, longestName) }),
  reference:
    variable.reference === 0
      ? 0
      : give({
          kind: "variables",
          id: variable.reference,
          name: variable.name,
          indexed: variable.indexed,
          named: variable.named
        })
})
