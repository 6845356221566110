/** What the tools that write answer: the files, and the text that a model reads of them (SPEC §11). */
import { Effect, Schema } from "effect"
import type { Change } from "../edits/Change.ts"
import { FileChange } from "../edits/FileChange.ts"
import type { Resolved } from "../Edits.ts"
import type { ToolError } from "../ToolError.ts"

/**
 * - `files`: those that are different now; empty where everything was so already
 * - `edit_id`: what `resolve` takes back; only with files
 * - `warnings`: what somebody should know, one sentence each
 */
export const Written = Schema.Struct({
  files: Schema.Array(FileChange),
  edit_id: Schema.optionalKey(Schema.String),
  warnings: Schema.Array(Schema.String)
})
export type Written = typeof Written.Type

/** What an applied edit and some warnings of the tool's own make. */
export const of = ({ edit_id, files, warnings }: Resolved, own: ReadonlyArray<string> = []): Written => ({
  files,
  ...(files.length === 0 ? {} : { edit_id }),
  warnings: [...own, ...warnings]
})

/**
 * A plan is made from the texts under their locks; something outside of the run may still write between that and the last
 * check. It is made again then, twice at most.
 */
export const retryStale = <A, R>(self: Effect.Effect<A, ToolError, R>): Effect.Effect<A, ToolError, R> =>
  Effect.retry(self, { times: 2, while: (error) => error.code === "stale_edit" })

const maxPlaces = 10
const maxLinesShown = 24
const maxCharacters = 200

/** Lines that a change takes up, old or new, whichever are more. */
const sizeOf = ({ after, before, left_out = 0 }: Change): number => Math.max(before.length, after.length) + left_out

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`

/** The changes with the line at which each is found now; after one that is cut, where that is not known, none. */
const places = (file: FileChange): ReadonlyArray<{ readonly line: number; readonly change: Change }> => {
  const found: Array<{ readonly line: number; readonly change: Change }> = []
  let shift = 0
  for (const change of file.changes) {
    found.push({ line: change.line + shift, change })
    if (change.left_out !== undefined) break
    shift += change.after.length - change.before.length
  }
  return found
}

const summary = (file: FileChange): string => {
  const where = file.moved_to === undefined ? file.path : `${file.path} to ${file.moved_to}`
  const head = `${file.change} ${where}`
  if (file.change === "deleted" || file.changes.length === 0) return head
  const lines = file.changes.reduce((sum, change) => sum + sizeOf(change), 0)
  if (file.change === "created") return `${head}: ${counted(lines, "line")}`
  const shown = places(file).slice(0, maxPlaces)
  const more = file.changes.length - shown.length + file.left_out
  const atLeast = file.left_out > 0 ? "more than " : ""
  return `${head}: ${atLeast}${counted(lines, "line")} at ${shown.map(({ line }) => line).join(", ")}${
    more > 0 ? ` and ${counted(more, "more place")}` : ""
  }`
}

const cut = (line: string): string => (line.length > maxCharacters ? `${line.slice(0, maxCharacters)}…` : line)

/** The changed lines as in a diff, each change under its line, bounded. */
const excerpt = (files: ReadonlyArray<FileChange>): ReadonlyArray<string> => {
  const all = files
    .filter((file) => file.change === "changed" || file.change === "moved")
    .flatMap((file) =>
      places(file).flatMap(({ change, line }) => [
        `${file.moved_to ?? file.path}:${line}`,
        ...change.before.map((text) => `- ${cut(text)}`),
        ...change.after.map((text) => `+ ${cut(text)}`)
      ])
    )
  return all.length > maxLinesShown
    ? [...all.slice(0, maxLinesShown), `… ${all.length - maxLinesShown} more lines`]
    : all
}

/** One line a file; with `shows`, the changed lines too; `unchanged` is what is said where there are no files. */
export const text = (
  { edit_id, files, warnings }: Written,
  options: { readonly unchanged: string; readonly shows: boolean }
): string =>
  [
    ...(files.length === 0 ? [options.unchanged] : files.map(summary)),
    ...(options.shows ? excerpt(files) : []),
    ...warnings.map((warning) => `note: ${warning}`),
    ...(edit_id === undefined ? [] : [`(${edit_id}: \`resolve\` can undo it)`])
  ].join("\n")
