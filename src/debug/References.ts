/**
 * The numbers by which a model names frames and variables (SPEC §7.4). They are our own and never come twice in a conversation:
 * an adapter may use a number again for another frame, and answer with that one's data.
 */

/** What a number stands for, while its stop lasts. */
export interface Handle {
  readonly kind: "frame" | "variables"
  readonly session: number
  /** The adapter's own number. */
  readonly id: number
  /** For people: the name of the frame, scope or variable. */
  readonly name: string
  /** How many indexed and named children the adapter says there are. */
  readonly indexed?: number | undefined
  readonly named?: number | undefined
  /** Of variables: the adapter's number of the frame in which they were found. */
  readonly frame?: number | undefined
}

export interface References {
  /** The number of a handle: the same for the same handle while its stop lasts. */
  readonly give: (generation: number, handle: Handle) => number
  /** `stale`: of an earlier stop. `unknown`: never given. */
  readonly find: (generation: number, number: number) => Handle | "stale" | "unknown"
}

export const make = (): References => {
  let last = 0
  let of = -1
  const handles = new Map<number, Handle>()
  const numbers = new Map<string, number>()
  const enter = (generation: number) => {
    if (generation === of) return
    of = generation
    handles.clear()
    numbers.clear()
  }
  return {
    give: (generation, handle) => {
      enter(generation)
      const key = `${handle.kind} ${handle.session} ${handle.id}`
      const known = numbers.get(key)
      if (known !== undefined) return known
      numbers.set(key, ++last)
      handles.set(last, handle)
      return last
    },
    find: (generation, number) => {
      enter(generation)
      return handles.get(number) ?? (number >= 1 && number <= last ? "stale" : "unknown")
    }
  }
}
