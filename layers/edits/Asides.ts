/** The temporary files of an edit: beside what they replace, so that a rename suffices, with names that tell whose they are. */
import * as Path from "node:path"
import type * as Step from "../../src/edits/Step.ts"
import * as Disk from "./Disk.ts"
import type { JournalEntry } from "./JournalEntry.ts"

/**
 * For each step the nearest directory at or above its path that exists and stays where it is during all steps: a new directory is
 * not there yet when the texts are written, and a moved one would take them along.
 */
export const directories = (disk: Disk.Disk, root: string, steps: ReadonlyArray<Step.Step>): ReadonlyArray<string> => {
  const restless = new Set<string>()
  for (const step of steps) {
    if (step.type === "move") restless.add(step.from).add(step.to)
    else if (step.before?.kind !== "file" || step.after?.kind !== "file") restless.add(step.path)
  }
  const known = new Map<string, string>()
  const settled = (directory: string): string => {
    const before = known.get(directory)
    if (before !== undefined) return before
    const above = directory === root ? root : settled(Path.dirname(directory))
    const stays =
      above === Path.dirname(directory) && !restless.has(directory) && disk.stats(directory)?.kind === "directory"
    const found = directory === root || stays ? directory : above
    known.set(directory, found)
    return found
  }
  return steps.map((step) => settled(Path.dirname(step.type === "move" ? step.to : step.path)))
}

/** Where the new text of a step waits. */
export const fresh = (entry: JournalEntry, index: number): string =>
  Path.join(entry.asides[index]!, `.livetools-${entry.token}-${index}.new`)

/** Where what a step replaces or removes is kept until the edit is done: taking it back then needs no space on the disk. */
export const kept = (entry: JournalEntry, index: number): string =>
  Path.join(entry.asides[index]!, `.livetools-${entry.token}-${index}.old`)

/** Removes what is left of them, all that can be; fails with the first error. */
export const clear = (disk: Disk.Disk, entry: JournalEntry): void => {
  const errors: Array<unknown> = []
  entry.steps.forEach((step, index) => {
    if (step.type === "move") return
    for (const path of [fresh(entry, index), kept(entry, index)]) {
      try {
        Disk.discard(disk, path)
      } catch (cause) {
        errors.push(cause)
      }
    }
  })
  if (errors.length > 0) throw errors[0]
}
