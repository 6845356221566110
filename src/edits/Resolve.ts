/** `resolve`: accepts, discards or takes back an edit (SPEC §6.3, 6.4). */
import { Effect, Schema } from "effect"
import { Edits, type Resolved } from "../Edits.ts"
import * as LiveTool from "../LiveTool.ts"
import { Workspace } from "../Workspace.ts"

const past = { accept: "accepted", discard: "discarded", undo: "undone" } as const

export const resolve = LiveTool.make("resolve", {
  tier: "write",
  description:
    "Decides about an edit. accept: write a proposed one, to every file or to none; it is refused, and stays proposed, if a " +
    "file is no longer as it was when the edit was proposed. discard: drop a proposed one. undo: take an accepted one back, " +
    "if the files are still as it left them. The ids are in the answers of the tools that edit.",
  parameters: Schema.Struct({
    edit_id: Schema.NonEmptyString.annotate({
      description: 'The id from a (proposed) or an applied edit\'s answer, as "edit_1".'
    }),
    action: Schema.Literals(["accept", "discard", "undo"]).annotate({
      description: "accept or discard a proposed edit, undo an accepted one."
    })
  }),
  success: Schema.Struct({
    edit_id: Schema.String,
    state: Schema.Literals(["accepted", "discarded", "undone"]),
    files: Schema.Array(Schema.String)
  }),
  text: ({ edit_id, files, state }) => {
    const list = files.length > 50 ? [...files.slice(0, 50), `… and ${files.length - 50} more`] : files
    const count = `${files.length} file${files.length === 1 ? "" : "s"}`
    switch (state) {
      case "accepted":
        return `accepted ${edit_id}: ${count} written. To take it back: resolve with action "undo".\n${list.join("\n")}`
      case "undone":
        return `undone ${edit_id}: ${count} as before it.\n${list.join("\n")}`
      case "discarded":
        return `discarded ${edit_id}: nothing was written.`
    }
  },
  requires: [Edits, Workspace],
  handler: Effect.fnUntraced(function* ({ action, edit_id }) {
    const edits = yield* Edits
    const resolved: Resolved = yield* edits[action](edit_id)
    return {
      edit_id,
      state: past[action],
      files: [
        ...new Set(
          resolved.files.flatMap((file) => [file.path, ...(file.moved_to === undefined ? [] : [file.moved_to])])
        )
      ]
    }
  })
})
