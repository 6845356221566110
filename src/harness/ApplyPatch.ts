/** `apply_patch`: changes in any number of files, all or none (SPEC §12). */
import { Effect, Result, Schema } from "effect"
import { Edits } from "../Edits.ts"
import * as LiveTool from "../LiveTool.ts"
import * as ToolError from "../ToolError.ts"
import { Workspace } from "../Workspace.ts"
import * as Patch from "./Patch.ts"
import * as PatchPlan from "./PatchPlan.ts"
import * as Written from "./Written.ts"

const Parameters = Schema.Struct({
  patch: Schema.NonEmptyString.annotate({ description: "the patch, in one of the two formats" })
})

const description = `Applies a patch to any number of files: all of it or, where a part does not fit, none.
Two formats. A unified diff (as \`git diff\` writes it), or:
*** Begin Patch
*** Add File: path/new.ts
+each line of the new file
*** Update File: path/old.ts
*** Move to: path/other.ts
@@ a line above the change, where the lines below occur more than once
 unchanged line
-old line
+new line
*** Delete File: path/gone.ts
*** End Patch
\`*** Move to\` and what follows \`@@\` are optional. Unchanged and old lines must be in the file exactly and in one place: give about three unchanged lines around a change. \`*** End of File\` below a hunk says that it ends the file.`

/** Old lines match exactly, at the line that a hunk gives or in the only other place; line ends are the file's. */
export const applyPatch = LiveTool.make("apply_patch", {
  description,
  tier: "write",
  parameters: Parameters,
  success: Written.Written,
  text: (value) =>
    Written.text(value, { unchanged: "unchanged: the files are already as the patch leaves them", shows: false }),
  requires: [Edits, Workspace],
  handler: Effect.fnUntraced(function* ({ patch }) {
    const edits = yield* Edits
    const parsed = Patch.parse(patch)
    if (Result.isFailure(parsed)) return yield* ToolError.make("invalid_params", parsed.failure.message)
    const sections = parsed.success
    let notes: ReadonlyArray<string> = []
    const plan = Effect.map(PatchPlan.make(sections), (made) => {
      notes = made.notes
      return { operations: made.operations, ignored: "allow" as const, label: "apply_patch" }
    })
    const resolved = yield* Written.retryStale(edits.applyWith(PatchPlan.pathsOf(sections), plan))
    return Written.of(resolved, notes)
  })
})
