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
 * `file:*`, any file, and `same:<identity>`, the very file or directory that was moved. Modes are not part of it: to make a file
 * executable is no change of its text.
 */
export type State = string
export type States = ReadonlyMap<string, State>

export const missing: State = "missing"
export const anyFile: State = "file:*"
export const same = (identity: string): State => `same:${identity}`

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

/** Does a step to states, and gives the paths about which it says something. */
const advance = (states: Map<string, State>, step: Step, separator: string): ReadonlyArray<string> => {
  if (step.type === "set") {
    states.set(step.path, stateOf(step.after))
    return [step.path]
  }
  const { from, to } = step
  const about = [from]
  const arriving: Array<readonly [string, State]> = []
  for (const [path, state] of Array.from(states)) {
    const isLeaving = isWithin(path, from, separator)
    if (isLeaving) arriving.push([to + path.slice(from.length), state])
    // What lay below the new place is gone with it; something that the steps do not know may come in its stead.
    if (!isLeaving && !isWithin(path, to, separator)) continue
    states.delete(path)
    about.push(path)
  }
  for (const [path, state] of arriving) {
    states.set(path, state)
    about.push(path)
  }
  states.set(from, missing)
  return about
}

/** What lies where after the steps, and every path about which they say something at any time. */
export const simulate = (
  initial: States,
  steps: ReadonlyArray<Step>,
  separator: string
): { readonly final: States; readonly touched: ReadonlySet<string> } => {
  const states = new Map(initial)
  const touched = new Set(initial.keys())
  for (const step of steps) for (const path of advance(states, step, separator)) touched.add(path)
  return { final: states, touched }
}

/** The states that each path goes through, for steps of which none is a move. */
const chains = (steps: ReadonlyArray<Step>, initial: States): ReadonlyMap<string, ReadonlyArray<State>> => {
  const found = new Map<string, Array<State>>()
  for (const step of steps) {
    if (step.type === "move") continue
    const chain = found.get(step.path) ?? [initial.get(step.path) ?? missing]
    found.set(step.path, chain)
    chain.push(stateOf(step.after))
  }
  return found
}

/**
 * How far steps got that were begun by somebody who is gone: those that were done, in their order. `lies` says whether a
 * state is what lies at a path now. Fails with the paths at which something lies that the steps do not know.
 *
 * What a killed process leaves is the state after some number of steps. Where somebody has taken back a part by hand since,
 * and no step is a move, each path tells for itself.
 */
export const done = (
  steps: ReadonlyArray<Step>,
  initial: States,
  lies: (path: string, state: State) => boolean,
  separator: string
): Result.Result<ReadonlyArray<Step>, ReadonlyArray<string>> => {
  const { touched } = simulate(initial, steps, separator)
  const states = new Map(initial)
  const wrong = new Set<string>()
  // Of a path without a state nothing is known: it may be one that the steps do not touch, in a directory that they move.
  const isWrong = (known: States) => (path: string) => known.has(path) && !lies(path, known.get(path)!)
  const look = (paths: Iterable<string>) => {
    for (const path of paths) {
      if (isWrong(states)(path)) wrong.add(path)
      else wrong.delete(path)
    }
  }
  look(touched)
  let [count, fewest] = [0, wrong.size]
  for (const [index, step] of steps.entries()) {
    look(advance(states, step, separator))
    if (wrong.size <= fewest) [count, fewest] = [index + 1, wrong.size]
  }
  if (fewest === 0) return Result.succeed(steps.slice(0, count))
  if (steps.some((step) => step.type === "move")) {
    const { final } = simulate(initial, steps.slice(0, count), separator)
    return Result.fail([...touched].filter(isWrong(final)))
  }
  const counts = new Map<string, number>()
  for (const [path, chain] of chains(steps, initial))
    counts.set(
      path,
      chain.findIndex((state) => lies(path, state))
    )
  const unknown = [...counts.keys()].filter((path) => counts.get(path)! < 0)
  if (unknown.length > 0) return Result.fail(unknown)
  return Result.succeed(
    steps.filter((step) => {
      if (step.type === "move") return false
      const left = counts.get(step.path)!
      counts.set(step.path, left - 1)
      return left > 0
    })
  )
}

/** Where things lay before the first step that the steps move, and do nothing else to. */
export const moved = (steps: ReadonlyArray<Step>, separator: string): ReadonlySet<string> => {
  /** What was moved or made to where it is now, and where it came from. */
  const now = new Map<string, string | undefined>()
  const originOf = (path: string): string | undefined => {
    for (let at = path; ;) {
      if (now.has(at)) {
        const origin = now.get(at)
        return origin === undefined ? undefined : origin + path.slice(at.length)
      }
      const end = at.lastIndexOf(separator)
      if (end <= 0) return path
      at = at.slice(0, end)
    }
  }
  const found = new Set<string>()
  for (const step of steps) {
    const origin = originOf(step.type === "set" ? step.path : step.from)
    if (step.type === "set") {
      if (origin !== undefined) found.delete(origin)
      now.set(step.path, undefined)
      continue
    }
    for (const [path, from] of Array.from(now)) {
      if (!isWithin(path, step.from, separator)) continue
      now.delete(path)
      now.set(step.to + path.slice(step.from.length), from)
    }
    if (origin !== undefined) found.add(origin)
    now.set(step.to, origin)
    now.set(step.from, undefined)
  }
  return found
}
