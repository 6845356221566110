/** Settings as servers ask for them (C42, C43). */
import type { Schema } from "effect"
import * as Wire from "./Wire.ts"

/** The settings under a dotted section, `null` where there are none. A key may itself have dots: the longest counts. */
export const section = (settings: unknown, name: string | undefined): unknown => {
  if (name === undefined || name === "") return settings ?? null
  const parts = name.split(".")
  for (let taken = parts.length; taken > 0; taken--) {
    const inner = Wire.get(settings, parts.slice(0, taken).join("."))
    if (inner === undefined) continue
    const found = section(inner, parts.slice(taken).join("."))
    if (found !== null) return found
  }
  return null
}

/** The answer to `workspace/configuration`: one value for each item, in their order. */
export const answer = (settings: Schema.Json | undefined, params: unknown): ReadonlyArray<unknown> => {
  const items = Wire.get(params, "items")
  if (!Array.isArray(items)) return []
  return items.map((item: unknown) => {
    const name = Wire.get(item, "section")
    return section(settings, typeof name === "string" ? name : undefined)
  })
}
