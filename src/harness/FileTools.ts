/** The file tools of the reference harness (SPEC §12). */
import { applyPatch } from "./ApplyPatch.ts"
import { edit } from "./Edit.ts"
import { read } from "./Read.ts"
import { write } from "./Write.ts"

export { applyPatch, edit, read, write }

/** All four. `read` stands on the working directory and the file system, the others on the edit engine. */
export const all = [read, write, edit, applyPatch] as const
