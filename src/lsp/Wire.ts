/** What servers send, decoded (DESIGN, "Untrusted input"). Fields that nothing here uses are left alone. */
import { Option, Schema } from "effect"

export const isRecord = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A member of what may be an object. */
export const get = (value: unknown, key: string): unknown =>
  isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined

/** The elements of an array that decode; of what is no array, none. */
export const each = <S extends Schema.Codec<unknown, unknown>>(schema: S): ((value: unknown) => Array<S["Type"]>) => {
  const decode = Schema.decodeUnknownOption(schema)
  return (value) => {
    if (!Array.isArray(value)) return []
    const found: Array<S["Type"]> = []
    for (const one of value) {
      const decoded = decode(one)
      if (Option.isSome(decoded)) found.push(decoded.value)
    }
    return found
  }
}

export const Position = Schema.Struct({ line: Schema.Natural, character: Schema.Natural })

export const Range = Schema.Struct({ start: Position, end: Position })

export const Location = Schema.Struct({ uri: Schema.String, range: Range })

const isNatural = (value: unknown): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 0

/** As `Range` decodes; plain, because answers have thousands of them. */
const isPosition = (value: unknown): value is typeof Position.Type =>
  isRecord(value) && isNatural(value["line"]) && isNatural(value["character"])
const isRange = (value: unknown): value is typeof Range.Type =>
  isRecord(value) && isPosition(value["start"]) && isPosition(value["end"])

/** `null`, one or many, in either shape; of a link the name, which is not all of it (C52). */
export const locations = (value: unknown): ReadonlyArray<typeof Location.Type> =>
  (Array.isArray(value) ? value : [value]).flatMap((one: unknown) => {
    if (!isRecord(one)) return []
    const isLink = one["uri"] === undefined
    const uri = one[isLink ? "targetUri" : "uri"]
    const range = one[isLink ? "targetSelectionRange" : "range"]
    return typeof uri === "string" && isRange(range) ? [{ uri, range }] : []
  })

const Markup = Schema.Union([
  Schema.String,
  Schema.Struct({ kind: Schema.String, value: Schema.String }),
  Schema.Struct({ language: Schema.String, value: Schema.String })
])

/** `MarkupContent`, `MarkedString` or an array of them, as Markdown (C53); `undefined` when it says nothing. */
export const markup = (value: unknown): string | undefined => {
  const parts = each(Markup)(Array.isArray(value) ? value : [value]).map((part) => {
    if (typeof part === "string") return part.trim()
    return "language" in part ? `\`\`\`${part.language}\n${part.value}\n\`\`\`` : part.value.trim()
  })
  const text = parts.filter((part) => part !== "").join("\n\n")
  return text === "" ? undefined : text
}
