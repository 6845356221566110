/** `edit`: replaces a text by another in one file (SPEC §12). */
import { Effect, Result, Schema } from "effect"
import { Edits } from "../Edits.ts"
import * as LiveTool from "../LiveTool.ts"
import * as ToolError from "../ToolError.ts"
import * as Replacement from "./Replacement.ts"
import * as Written from "./Written.ts"

const Parameters = Schema.Struct({
  path: Schema.NonEmptyString.annotate({ description: "the file, relative to the working directory or absolute" }),
  old_text: Schema.String.annotate({
    description: "what is replaced: exactly as in the file, indentation included; must occur once, or set replace_all"
  }),
  new_text: Schema.String.annotate({ description: "what comes in its place" }),
  replace_all: Schema.optionalKey(Schema.Boolean.annotate({ description: "replace each occurrence; default false" }))
})

/** Line ends in `old_text` match those of the file, and `new_text` gets the file's. */
export const edit = LiveTool.make("edit", {
  description:
    "Replaces old_text by new_text in a file. old_text is matched exactly (line ends apart) and must occur once, unless replace_all.",
  tier: "write",
  parameters: Parameters,
  success: Written.Written,
  text: (value, { path }) =>
    Written.text(value, {
      unchanged: `unchanged ${path}: only line ends differ, and they stay the file's`,
      shows: true
    }),
  requires: [Edits],
  handler: Effect.fnUntraced(function* ({ new_text, old_text, path, replace_all }) {
    const edits = yield* Edits
    if (old_text === "") {
      return yield* ToolError.make(
        "invalid_params",
        "`old_text` is empty, so nothing says where to put `new_text`. Give a text to replace, or make a whole file with `write`."
      )
    }
    if (old_text === new_text) {
      return yield* ToolError.make("invalid_params", "`old_text` and `new_text` are the same: nothing would change.")
    }
    const plan = Effect.gen(function* () {
      const { hash, text } = yield* edits.read(path)
      const found = Replacement.find(text, { old: old_text, new: new_text, all: replace_all ?? false })
      if (Result.isFailure(found)) {
        return yield* ToolError.make("refused_edit", `${path} was not changed. ${found.failure}`)
      }
      return {
        operations: [{ kind: "edit" as const, path, hash, edits: found.success }],
        ignored: "allow" as const,
        label: `edit ${path}`
      }
    })
    return Written.of(yield* Written.retryStale(edits.applyWith([path], plan)))
  })
})
