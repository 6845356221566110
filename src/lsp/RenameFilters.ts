/** Which renames of files and folders a server wants to hear of (C98). */
import { Schema } from "effect"
import * as Glob from "./Glob.ts"
import * as Wire from "./Wire.ts"

/** `willRename`: it is asked for edits before; `didRename`: it is told after. */
export type When = "willRename" | "didRename"
export type Kind = "file" | "folder"

const Filter = Schema.Struct({
  scheme: Schema.optionalKey(Schema.NullOr(Schema.String)),
  pattern: Schema.Struct({
    glob: Schema.String,
    matches: Schema.optionalKey(Schema.NullOr(Schema.String)),
    options: Schema.optionalKey(
      Schema.NullOr(Schema.Struct({ ignoreCase: Schema.optionalKey(Schema.NullOr(Schema.Boolean)) }))
    )
  })
})

/** Whether one of the filters of `FileOperationRegistrationOptions` means this absolute path. */
export const match = (options: unknown, path: string, kind: Kind): boolean =>
  Wire.each(Filter)(Wire.get(options, "filters")).some(({ pattern, scheme }) => {
    if (scheme !== undefined && scheme !== null && scheme !== "file") return false
    if (pattern.matches !== undefined && pattern.matches !== null && pattern.matches !== kind) return false
    // Filters by extension (tsc) mean files, and the server answers for the folders that they are in.
    if (kind === "folder" && (pattern.matches === undefined || pattern.matches === null)) return true
    const fold = (text: string) => (pattern.options?.ignoreCase === true ? text.toLowerCase() : text)
    return Glob.compile(fold(pattern.glob))(fold(path))
  })
