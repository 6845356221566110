/** `write`: a whole file (SPEC §12). */
import { Effect, Option, Schema } from "effect"
import * as Lines from "../edits/Lines.ts"
import { Edits } from "../Edits.ts"
import * as LiveTool from "../LiveTool.ts"
import * as Written from "./Written.ts"

const Parameters = Schema.Struct({
  path: Schema.NonEmptyString.annotate({ description: "the file, relative to the working directory or absolute" }),
  content: Schema.String.annotate({ description: "the whole text, written as it is" })
})

/**
 * Line ends are those of `content`; a byte order mark, the mode and a symbolic link of a file that is there stay. A file that is not
 * UTF-8 text is not overwritten.
 */
export const write = LiveTool.make("write", {
  description:
    "Writes a whole text file: makes it, with its folders, or replaces what it holds. " +
    "For a change of a part of a file `edit` is shorter and safer.",
  tier: "write",
  parameters: Parameters,
  success: Written.Written,
  text: (value, { path }) =>
    Written.text(value, { unchanged: `unchanged ${path}: it has exactly this content already`, shows: false }),
  requires: [Edits],
  handler: Effect.fnUntraced(function* ({ content, path }) {
    const edits = yield* Edits
    // Only for the warning: what cannot be read is for `apply` to judge.
    const before = Option.getOrUndefined(yield* Effect.option(edits.read(path)))
    const resolved = yield* Written.retryStale(
      edits.apply({
        operations: [{ kind: "write", path, text: content }],
        ignored: "allow",
        label: `write ${path}`
      })
    )
    return Written.of(resolved, before === undefined ? [] : lineEndWarning(path, before.text, content))
  })
})

const names = new Map<Lines.End, string>([
  ["\n", "LF"],
  ["\r\n", "CRLF"],
  ["\r", "CR"]
])

const lineEndWarning = (path: string, before: string, after: string): ReadonlyArray<string> => {
  const [old, next] = [Lines.endOf(before), Lines.endOf(after)]
  if (old === undefined || next === undefined || old === next) return []
  return [`the line ends of ${path} are ${names.get(next)} now, as in \`content\`; they were ${names.get(old)}.`]
}
