/** What an edit does to one file (SPEC §11: the `files` of `ast_edit`, `lsp_rename`, `write` …). */
import { Schema } from "effect"
import { Change } from "./Change.ts"

/**
 * - `path`: before the edit; `moved_to` after it, where they differ. Shown as `Workspace.show` does
 * - `edits`: text edits applied, a whole new text counts as one
 * - `changes`: bounded; `left_out` counts the changes that are not shown
 */
export const FileChange = Schema.Struct({
  path: Schema.String,
  change: Schema.Literals(["created", "changed", "deleted", "moved"]),
  edits: Schema.Natural,
  changes: Schema.Array(Change),
  left_out: Schema.Natural,
  moved_to: Schema.optionalKey(Schema.String)
})
export type FileChange = typeof FileChange.Type
