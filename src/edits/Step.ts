/**
 * What is done to the disk, in order: two kinds of step, each with what was before and what is after, so that each has an
 * inverse. Accept, undo, roll-back and repair are walks over these.
 */
import { Result } from "effect"

/** Something that lies at a path. A `mode` or `owner` (user, group) that is missing is the default of the process. */
export type Entry =
  | {
      readonly kind: "file"
      readonly bytes: Uint8Array
      /** Of the bytes. */
      readonly hash: string
      readonly mode?: number
      readonly owner?: readonly [number, number]
    }
  | { readonly kind: "symlink"; readonly target: string }
  | { readonly kind: "directory"; readonly mode?: number }

/**
 * - `set`: what lies at a path becomes something else; `null` is nothing. One of the two is `null`, or both are files.
 *   `loose`: a directory that is not empty is left where it is, one that is there already is taken as made.
 * - `move`: whatever lies at `from` goes to `to`, where nothing is.
 */
export type Step =
  | {
      readonly type: "set"
      readonly path: string
      readonly before: Entry | null
      readonly after: Entry | null
      readonly loose?: boolean
    }
  | { readonly type: "move"; readonly from: string; readonly to: string }

/**
 * What lies at a path, in short: `missing`, `directory`, `other`, `symlink:<target>`, `file:<hash>`; as an expectation also
 * `file:*`, any file. Modes are not part of it: to make a file executable is no change of its text.
 */
export type State = string
export type States = ReadonlyMap<string, State>

export const missing: State = "missing"
export const anyFile: State = "file:*"

export const stateOf = (entry: Entry | null): State =>
  entry === null
    ? missing
    : entry.kind === "file"
      ? `file:${entry.hash}`
      : entry.kind === "symlink"
        ? `symlink:${entry.target}`
        : "directory"

export const fits = (expected: State, actual: State): boolean =>
  expected === actual || (expected === anyFile && actual.startsWith("file:"))

export const invert = (step: Step): Step =>
  step.type === "move"
    ? { type: "move", from: step.to, to: step.from }
    : step.before?.kind === "directory" || step.after?.kind === "directory"
      ? { type: "set", path: step.path, before: step.after, after: step.before, loose: true }
      : { type: "set", path: step.path, before: step.after, after: step.before }

/** The steps that take back these. */
export const reverse = (steps: ReadonlyArray<Step>): ReadonlyArray<Step> => steps.toReversed().map(invert)

const isWithin = (path: string, directory: string, separator: string): boolean =>
  path === directory || path.startsWith(directory + separator)

const move = (states: Map<string, State>, from: string, to: string, separator: string): void => {
  for (const [path, state] of Array.from(states)) {
    if (!isWithin(path, from, separator)) continue
    states.delete(path)
    states.set(to + path.slice(from.length), state)
  }
  states.set(from, missing)
}

/** What lies where after the steps, and every path about which they say something at any time. */
export const simulate = (
  initial: States,
  steps: ReadonlyArray<Step>,
  separator: string
): { readonly final: States; readonly touched: ReadonlySet<string> } => {
  const states = new Map(initial)
  const touched = new Set(initial.keys())
  for (const step of steps) {
    if (step.type === "set") {
      states.set(step.path, stateOf(step.after))
      touched.add(step.path)
    } else {
      move(states, step.from, step.to, separator)
      for (const path of states.keys()) if (isWithin(path, step.to, separator)) touched.add(path)
      touched.add(step.from)
    }
  }
  return { final: states, touched }
}

/**
 * The steps that lead from what lies on the disk now, after any part of `steps` was done, back to `initial`. Fails with
 * the paths where something lies that the steps do not know. `now` says what lies at each touched path.
 */
export const rewind = (
  steps: ReadonlyArray<Step>,
  initial: States,
  now: States,
  separator: string
): Result.Result<ReadonlyArray<Step>, ReadonlyArray<string>> => {
  const states = new Map(now)
  const at = (path: string) => states.get(path) ?? missing
  const back: Array<Step> = []
  const unknown = new Set<string>()
  for (const step of steps.toReversed()) {
    if (step.type === "set") {
      if (fits(stateOf(step.before), at(step.path))) continue
      if (!fits(stateOf(step.after), at(step.path))) {
        unknown.add(step.path)
        continue
      }
      states.set(step.path, stateOf(step.before))
    } else {
      if (at(step.from) !== missing) continue
      if (at(step.to) === missing) {
        unknown.add(step.from)
        continue
      }
      move(states, step.to, step.from, separator)
    }
    back.push(invert(step))
  }
  for (const path of new Set([...states.keys(), ...initial.keys()])) {
    if (!fits(initial.get(path) ?? missing, at(path))) unknown.add(path)
  }
  return unknown.size === 0 ? Result.succeed(back) : Result.fail([...unknown].sort())
}
