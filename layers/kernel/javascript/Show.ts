/** A value as text, as Node's console shows it, bounded in time and size. */
import { inspect, type InspectOptions } from "node:util"
import { Script } from "node:vm"
import { helper } from "./Messages.ts"

/** The longest text of one value, in characters, of which three quarters are its beginning. */
const maxChars = 48 * 1024
/** After this, a value is shown in outline. */
const maxMs = 1000

const options: InspectOptions = {
  depth: 4,
  maxArrayLength: 200,
  maxStringLength: 10_000,
  breakLength: 100,
  compact: 3,
  colors: false
}

/** Head and tail of a text that is too long, with what it was. */
export const bounded = (text: string): string => {
  if (text.length <= maxChars) return text
  const head = text.slice(0, (maxChars / 4) * 3)
  const tail = text.slice(-maxChars / 4)
  const left = text.length - head.length - tail.length
  return `${head}\n… ${left} of ${text.length} characters left out …\n${tail}`
}

/** The name of the script that shows values. */
export const scriptName = "livetools:show"

let work: (() => unknown) | undefined
const script = new Script(`${helper}.timed()`, { filename: scriptName })

/** What the helper of the cells calls inside of `within`. */
export const timed = (): unknown => work?.()

/** Runs code of the cell's values under a time limit; `undefined` when it was too slow or threw. */
export const within = <A>(ms: number, run: () => A): A | undefined => {
  const outer = work
  work = run
  try {
    return script.runInThisContext({ timeout: ms }) as A
  } catch {
    return undefined
  } finally {
    work = outer
  }
}

/** The text of a value. */
export const text = (value: unknown): string => {
  if (typeof value === "string") return quoted(value)
  if ((typeof value !== "object" || value === null) && typeof value !== "function") return inspect(value, options)
  const whole = within(maxMs, () => bounded(inspect(value, options)))
  return (
    whole ??
    within(maxMs / 4, () => bounded(inspect(value, { ...options, depth: 0, maxArrayLength: 10 }))) ??
    outline(value)
  )
}

const quoted = (value: string): string => {
  if (value.length <= maxChars) return inspect(value, { ...options, maxStringLength: Infinity, breakLength: Infinity })
  return `${bounded(value)}\n(a string of ${value.length} characters)`
}

const outline = (value: object): string => {
  const kind = within(maxMs / 4, () => {
    const name = Object.getPrototypeOf(value)?.constructor?.name
    return typeof name === "string" ? name : undefined
  })
  const names = within(maxMs / 4, () => Object.keys(value))
  const first =
    names === undefined
      ? ""
      : `, ${names.length} keys: ${names.slice(0, 20).join(", ")}${names.length > 20 ? ", …" : ""}`
  return `[${kind ?? typeof value}${first}; too large or too slow to show]`
}
