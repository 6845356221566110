/** The question for the quick fixes that a server offers at a place: listed, never applied (SPEC §3.3, C91). */
import { Effect, Option, Schema } from "effect"
import { readable } from "./Places.ts"
import type { Place, Question } from "./Question.ts"
import * as Wire from "./Wire.ts"

export interface Action {
  readonly title: string
  readonly kind?: string
  /** Why it cannot be applied now. */
  readonly disabled?: string
  readonly isPreferred?: boolean
  /** As the server sent it: a `CodeAction`, or a `Command`, whose `command` is a text. */
  readonly raw: unknown
}

const Offered = Schema.Struct({
  title: Schema.String,
  kind: Schema.optionalKey(Schema.Unknown),
  disabled: Schema.optionalKey(Schema.Unknown),
  isPreferred: Schema.optionalKey(Schema.Unknown)
})
const decode = Schema.decodeUnknownOption(Offered)
const decodeRange = Schema.decodeUnknownOption(Wire.Range)

const toAction = (raw: unknown): ReadonlyArray<Action> => {
  const offered = Option.getOrUndefined(decode(raw))
  if (offered === undefined) return []
  const reason = Wire.get(offered.disabled, "reason")
  return [
    {
      title: offered.title,
      raw,
      ...(typeof offered.kind === "string" && offered.kind !== "" ? { kind: offered.kind } : {}),
      ...(offered.disabled === undefined ? {} : { disabled: typeof reason === "string" ? reason : "no reason given" }),
      ...(offered.isPreferred === true ? { isPreferred: true } : {})
    }
  ]
}

type Range = Place["range"]
const isBefore = (a: Range["start"], b: Range["start"]): boolean =>
  a.line < b.line || (a.line === b.line && a.character < b.character)

/** Whether a diagnostic, as its server sent it, touches a range of that server. */
const touches = (raw: unknown, range: Range): boolean => {
  const other = Option.getOrUndefined(decodeRange(Wire.get(raw, "range")))
  return other !== undefined && !isBefore(other.end, range.start) && !isBefore(range.end, other.start)
}

/**
 * For `length()` UTF-16 units from the place on, asked for when the place is known; `only` of these kinds where given. Servers
 * give no fix for a diagnostic that is not sent back to them as they sent it (E13).
 */
export const question = (options: {
  readonly length: () => number
  readonly only?: ReadonlyArray<string> | undefined
}): Question<ReadonlyArray<Action>> => ({
  name: "code_actions",
  scope: "place",
  isProvided: (capabilities, document) => capabilities.provides("textDocument/codeAction", document),
  ask: Effect.fnUntraced(function* (asking) {
    const range = asking.range(asking.offset, asking.offset + options.length())
    const diagnostics = (yield* asking.diagnostics).map(({ raw }) => raw).filter((raw) => touches(raw, range))
    const result = yield* asking.request("textDocument/codeAction", {
      textDocument: asking.place.textDocument,
      range,
      context: { diagnostics, triggerKind: 1, ...(options.only === undefined ? {} : { only: options.only }) }
    })
    const actions = yield* readable(result, Array.isArray(result) ? result.flatMap(toAction) : [], "code action")
    return actions.length === 0 ? Option.none() : Option.some(actions)
  })
})
