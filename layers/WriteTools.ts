/**
 * The tools that write, each with what the write has caused in its answer (SPEC §3a, §4). They stand on `DiagnosticsOnWrite.layer`,
 * which a run provides beside its language servers; it brings `DeferredFindings`, which the surface takes by itself.
 */
import { Effect, Result } from "effect"
import { Edits } from "../src/Edits.ts"
import { resolve } from "../src/edits/Resolve.ts"
import { applyPatch } from "../src/harness/ApplyPatch.ts"
import { edit } from "../src/harness/Edit.ts"
import * as Patch from "../src/harness/Patch.ts"
import * as PatchPlan from "../src/harness/PatchPlan.ts"
import { write } from "../src/harness/Write.ts"
import { lspApply } from "../src/lsp/Apply.ts"
import * as DiagnosticsOnWrite from "../src/lsp/DiagnosticsOnWrite.ts"
import { lspRename } from "../src/lsp/Rename.ts"
import { lspRenameFile } from "../src/lsp/RenameFile.ts"

const ofPath = ({ path }: { readonly path: string }) => Effect.succeed([path])

/** Where the files of an edit are now, and where they would be. */
const ofEdit = ({ edit_id }: { readonly edit_id: string }) =>
  Effect.flatMap(Edits, (edits) => edits.describe(edit_id)).pipe(
    Effect.map(({ files }) =>
      files.flatMap(({ moved_to, path }) => (moved_to === undefined ? [path] : [path, moved_to]))
    ),
    Effect.orElseSucceed((): ReadonlyArray<string> => [])
  )

/** `write`, `edit` and `apply_patch` of the reference harness. */
export const files = [
  DiagnosticsOnWrite.wrap(write, { paths: ofPath }),
  DiagnosticsOnWrite.wrap(edit, { paths: ofPath }),
  DiagnosticsOnWrite.wrap(applyPatch, {
    paths: ({ patch }) => {
      const parsed = Patch.parse(patch)
      return Effect.succeed(Result.isSuccess(parsed) ? PatchPlan.pathsOf(parsed.success) : [])
    }
  })
] as const

/** `resolve`, `lsp_rename`, `lsp_apply` and `lsp_rename_file`. */
export const edits = [
  DiagnosticsOnWrite.wrap(resolve, {
    paths: ofEdit,
    writes: ({ action }) => action !== "discard",
    isUndo: ({ action }) => action === "undo"
  }),
  DiagnosticsOnWrite.wrap(lspRename),
  DiagnosticsOnWrite.wrap(lspApply),
  DiagnosticsOnWrite.wrap(lspRenameFile)
] as const
