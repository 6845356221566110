/** Which adapter debugs a program (SPEC §7.1, §7.2). */
import { Result } from "effect"
import * as Suggest from "../Suggest.ts"
import * as ToolError from "../ToolError.ts"
import type { Adapter, Found } from "./adapters/Adapter.ts"

export interface Subject {
  /** For messages. */
  readonly name: string
  readonly kind: "file" | "directory" | "module"
  /** With the dot, lower case; empty where it has none. */
  readonly extension: string
  /** A built executable of this or another system. */
  readonly isNative: boolean
  /** Only Go has modes. */
  readonly hasMode: boolean
}

type Chosen = Result.Result<Found, ToolError.ToolError>

const list = (found: ReadonlyArray<Found>): string =>
  found
    .map(({ adapter, reason, usable }) => `${adapter.id}: ${usable ? "usable" : (reason ?? "not usable")}`)
    .join("\n")

/** The adapter that was named. */
export const named = (all: ReadonlyArray<Found>, id: string): Chosen => {
  const found = all.find(({ adapter }) => adapter.id === id)
  if (found === undefined) {
    const ids = all.map(({ adapter }) => adapter.id)
    const message = `There is no adapter \`${id}\`.${Suggest.didYouMean(id, ids)} There are: ${ids.join(", ")}.`
    return Result.fail(ToolError.make("invalid_params", message))
  }
  if (found.usable) return Result.succeed(found)
  const why = found.reason ?? "its root marker or its binary is missing"
  return Result.fail(ToolError.make("not_covered", `The adapter \`${id}\` cannot be used here: ${why}.`))
}

const fits = (adapter: Adapter, subject: Subject): boolean => {
  if (subject.kind === "module") return adapter.extensions.includes(".py")
  if (subject.kind === "directory") return adapter.takesFolders === true
  if (subject.isNative && subject.hasMode) return adapter.takesFolders === true
  if (subject.isNative) return adapter.quirks?.needsBuiltProgram === true || adapter.takesFolders === true
  return adapter.extensions.includes(subject.extension)
}

/** Whether it is worth looking for an adapter: it is the named one, or where none is named, of use for the program. */
export const isConsidered =
  (subject: Subject, id: string | undefined) =>
  (adapter: Adapter): boolean =>
    id === undefined ? fits(adapter, subject) : adapter.id === id

/** The first usable adapter for a program; a failure says of each that would do why it cannot. */
export const forProgram = (all: ReadonlyArray<Found>, subject: Subject, id: string | undefined): Chosen => {
  if (id !== undefined) return Result.flatMap(named(all, id), (found) => suited(found, subject))
  const fitting = all.filter(({ adapter }) => fits(adapter, subject))
  const usable = fitting.find((found) => found.usable)
  if (usable !== undefined) return suited(usable, subject)
  if (fitting.length > 0) {
    const message = `No adapter for ${subject.name} can be used here:\n${list(fitting)}`
    return Result.fail(ToolError.make("not_covered", message))
  }
  const message =
    `It is not clear which adapter debugs ${subject.name}: name one with \`adapter\`. They are:\n` + list(all)
  return Result.fail(ToolError.make("not_covered", message))
}

/** The adapter, unless it has no use for what is given. */
const suited = (found: Found, subject: Subject): Chosen => {
  const { extensions, id, quirks, takesFolders } = found.adapter
  const wrong =
    subject.hasMode && takesFolders !== true
      ? `\`mode\` is for Go programs, and ${subject.name} is debugged by ${id}: leave it out.`
      : subject.kind === "module" && !extensions.includes(".py")
        ? `\`module\` is for Python, and ${id} debugs no Python: give \`program\`.`
        : quirks?.needsBuiltProgram === true && subject.kind === "file" && !subject.isNative && subject.extension !== ""
          ? `${subject.name} is no executable: ${id} debugs a built program. Build it with debug information ` +
            "(`-g -O0`, `cargo build`) and give the path of the executable."
          : undefined
  return wrong === undefined ? Result.succeed(found) : Result.fail(ToolError.make("invalid_params", wrong))
}

/** The adapter for an attachment: the one that was named, or the only usable one. */
export const forAttach = (all: ReadonlyArray<Found>, id: string | undefined): Chosen => {
  if (id !== undefined) {
    const found = all.find(({ adapter }) => adapter.id === id)
    // What listens speaks the protocol itself: nothing of ours needs to be found.
    if (found?.adapter.attach.how === "connect") return Result.succeed(found)
    return Result.flatMap(named(all, id), (usable) =>
      usable.adapter.attach.how === "never"
        ? Result.fail(
            ToolError.make("not_covered", `The adapter \`${id}\` cannot attach to a port: launch the program.`)
          )
        : Result.succeed(usable)
    )
  }
  const usable = all.filter((found) => found.usable && found.adapter.attach.how !== "never")
  if (usable.length === 1) return Result.succeed(usable[0]!)
  const message =
    usable.length === 0
      ? `No adapter can be used here:\n${list(all)}`
      : `Several adapters could attach: name one with \`adapter\`: ${usable.map(({ adapter }) => adapter.id).join(", ")}.`
  return Result.fail(ToolError.make(usable.length === 0 ? "not_covered" : "invalid_params", message))
}
