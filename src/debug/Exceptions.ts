/** From the choice of a model to the exception filters that an adapter has (SPEC §7.1, §7.3). */
import type { Exceptions } from "./Breakpoints.ts"
import type { Filter } from "./Capabilities.ts"
import type { Quirks } from "./adapters/Adapter.ts"

/** The ids of the filters to set; `undefined` where the adapter has none to set (checklist 18). */
export const filters = (
  choice: Exceptions,
  offered: ReadonlyArray<Filter>,
  quirks: Quirks | undefined
): ReadonlyArray<string> | undefined => {
  if (offered.length === 0) return undefined
  if (choice === "none") return []
  const named = quirks?.exceptionFilters?.[choice]
  if (named !== undefined) return named.filter((id) => offered.some((filter) => filter.id === id))
  if (choice === "all") return offered.map(({ id }) => id)
  const uncaught = offered.filter(({ id, label }) => /uncaught|unhandled|panic|fatal/i.test(`${id} ${label}`))
  return (uncaught.length > 0 ? uncaught : offered.filter(({ isDefault }) => isDefault)).map(({ id }) => id)
}
