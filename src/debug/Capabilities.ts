/** What an adapter says it can do; `capabilities` events change it (checklist 21). */
import * as Wire from "./Wire.ts"

export interface Filter {
  readonly id: string
  readonly label: string
  readonly isDefault: boolean
}

export interface Capabilities {
  readonly has: (name: string) => boolean
  readonly exceptionFilters: () => ReadonlyArray<Filter>
  /** Lays what a response or an event says over what is known. */
  readonly merge: (body: unknown) => void
}

export const make = (): Capabilities => {
  const known = new Map<string, unknown>()
  return {
    has: (name) => known.get(name) === true,
    exceptionFilters: () => {
      const filters = known.get("exceptionBreakpointFilters")
      return (Array.isArray(filters) ? filters : []).flatMap((each: unknown) => {
        const id = Wire.text(each, "filter")
        if (id === undefined) return []
        return [{ id, label: Wire.text(each, "label") ?? id, isDefault: Wire.flag(each, "default") ?? false }]
      })
    },
    merge: (body) => {
      if (!Wire.isRecord(body)) return
      for (const [name, value] of Object.entries(body)) known.set(name, value)
    }
  }
}
