/** The file tools of the reference harness (SPEC §12). */
import { applyPatch } from "./ApplyPatch.ts"
import { edit } from "./Edit.ts"
import * as Read from "./Read.ts"
import { write } from "./Write.ts"

/**
 * All four. `read` stands on the working directory and the file system, the others on the edit engine.
 * `readFileBytes`: `read` refuses larger files without a range; default 10 MiB.
 */
export const make = (options: { readonly readFileBytes?: number | undefined } = {}) =>
  [Read.make(options.readFileBytes), write, edit, applyPatch] as const
