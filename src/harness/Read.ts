/** `read`: the contents of a text file, or a range of its lines (SPEC §12, 13). */
import { Effect, FileSystem, Schema, SchemaTransformation } from "effect"
import * as LiveTool from "../LiveTool.ts"
import * as ToolError from "../ToolError.ts"
import { type Resolved, Workspace } from "../Workspace.ts"
import * as LineRange from "./LineRange.ts"
import * as NotText from "./NotText.ts"

/** 10 MiB (SPEC §13). */
export const defaultMaxBytes = 10 * 1024 * 1024

/** How much of the contents a model is shown at once; the value has all of it. */
export const maxLinesShown = 2000
export const maxCharactersShown = 100_000

const Contents = Schema.Struct({
  /** Exactly as in the file: line ends and byte order mark included. */
  contents: Schema.String,
  first: Schema.Natural,
  /** The last line in `contents`, one less than `first` where there is none. */
  last: Schema.Natural,
  /** How many lines the file has, where they were all counted. */
  total: Schema.optionalKey(Schema.Natural)
})
export type Contents = typeof Contents.Type

/** On the wire the value is the contents, a text (SPEC §11). */
const Success = Schema.String.pipe(
  Schema.decodeTo(
    Contents,
    SchemaTransformation.transform({
      decode: (contents: string): Contents => ({ contents, first: 1, last: contents.split("\n").length }),
      encode: ({ contents }: Contents): string => contents
    })
  )
)

const Parameters = Schema.Struct({
  path: Schema.NonEmptyString.annotate({ description: "the file, relative to the working directory or absolute" }),
  start_line: Schema.optionalKey(
    Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)).annotate({
      description: "first line of a range, 1-based; default 1"
    })
  ),
  line_count: Schema.optionalKey(
    Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)).annotate({
      description: "how many lines of it; default: to the end of the file"
    })
  )
})

/** A file above `maxBytes` is read by range only, and no range is longer. */
export const make = (maxBytes: number = defaultMaxBytes) =>
  LiveTool.make("read", {
    description:
      "Reads a text file (UTF-8), whole or a range of its lines. The lines come as they are, without line numbers. " +
      `Files above ${NotText.size(maxBytes)} need a range.`,
    tier: "read",
    parameters: Parameters,
    success: Success,
    text: (value, params) => textOf(value, params.start_line !== undefined || params.line_count !== undefined),
    requires: [Workspace, FileSystem.FileSystem],
    handler: Effect.fnUntraced(function* ({ line_count, path, start_line }) {
      const workspace = yield* Workspace
      const resolved = yield* workspace.existing(path)
      const shown = workspace.show(resolved.path)
      const first = start_line ?? 1
      const hasRange = start_line !== undefined || line_count !== undefined
      yield* checkKind(shown, resolved, hasRange ? undefined : maxBytes)
      const { bytes, head, last, total } = yield* LineRange.read(resolved.path, {
        first,
        count: line_count ?? Infinity,
        maxBytes,
        countUpTo: maxBytes
      }).pipe(
        Effect.catchTags({
          TooLarge: ({ line }) =>
            ToolError.make(
              "too_large",
              hasRange
                ? `${shown}: the lines from ${first} on pass ${NotText.size(maxBytes)} in line ${line}. Ask for fewer with \`line_count\`.`
                : tooLarge(shown, "more", maxBytes)
            ),
          PlatformError: (error) => unreadable(shown, error.message)
        })
      )
      const contents = yield* decode(shown, bytes, head, first)
      if (last < first && !(total === 0 && first === 1)) {
        return yield* ToolError.make(
          "invalid_params",
          `${shown} has ${total === 1 ? "1 line" : `${total} lines`}: there is no line ${first} in it.`
        )
      }
      return { contents, first, last, ...(total === undefined ? {} : { total }) }
    })
  })

const tooLarge = (shown: string, size: string, maxBytes: number): string =>
  `${shown} has ${size}, above the ${NotText.size(maxBytes)} that are read whole. ` +
  "Read a range of its lines: give `start_line` and `line_count` (for the beginning 1 and 200)."

const unreadable = (shown: string, reason: string) =>
  ToolError.make("not_found", `${shown} is there but cannot be read: ${reason}.`)

/** Only a regular file is read: a pipe would block, a device never end. */
const checkKind = Effect.fnUntraced(function* (shown: string, resolved: Resolved, maxBytes: number | undefined) {
  const fs = yield* FileSystem.FileSystem
  if (resolved.kind === "directory") {
    const entries = yield* fs
      .readDirectoryEntries(resolved.path)
      .pipe(Effect.catch((error) => unreadable(shown, error.message)))
    const names = entries.map(({ name, type }) => (type === "Directory" ? `${name}/` : name)).sort()
    const listed = names.slice(0, 20).join(", ") + (names.length > 20 ? ` and ${names.length - 20} more` : "")
    return yield* ToolError.make(
      "not_found",
      `${shown} is a directory, not a file. ${names.length === 0 ? "It is empty." : `In it: ${listed}.`}`
    )
  }
  if (resolved.kind !== "file") {
    return yield* ToolError.make(
      "not_text",
      `${shown} is no regular file (a pipe, a socket or a device): it is not read.`
    )
  }
  const info = yield* fs.stat(resolved.path).pipe(Effect.catch((error) => unreadable(shown, error.message)))
  if (maxBytes !== undefined && info.size > BigInt(maxBytes)) {
    return yield* ToolError.make("too_large", tooLarge(shown, NotText.size(info.size), maxBytes))
  }
})

const newDecoder = () => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const decodes = (bytes: Uint8Array): boolean => {
  try {
    newDecoder().decode(bytes)
    return true
  } catch {
    return false
  }
}

const decode = (
  shown: string,
  bytes: Uint8Array,
  head: Uint8Array,
  first: number
): Effect.Effect<string, ToolError.ToolError> =>
  head.includes(0) || bytes.includes(0)
    ? ToolError.make(
        "not_text",
        `${shown} is not text: it seems to be ${NotText.describe(head)}. Only UTF-8 text is read.`
      )
    : Effect.try({
        try: () => newDecoder().decode(bytes),
        catch: () =>
          ToolError.make(
            "not_text",
            `${shown} is not UTF-8 text (line ${first + undecodableLine(bytes)}): it seems to be ${NotText.describe(head)}. ` +
              "Only UTF-8 text is read."
          )
      })

/** The index of the first line that is not UTF-8. */
const undecodableLine = (bytes: Uint8Array): number => {
  for (let line = 0, from = 0; ; line++) {
    const end = bytes.indexOf(10, from)
    if (end < 0 || !decodes(bytes.subarray(from, end))) return line
    from = end + 1
  }
}

/** The contents, cut where they are long, and a note in brackets where they are not the whole file. */
const textOf = ({ contents, first, last, total }: Contents, hasRange: boolean): string => {
  const body = contents.replace(/^\uFEFF/, "")
  if (body === "") return "[the file is empty]"
  const { lines, text } = shorten(body)
  const note = (words: string) => `${text}${text.endsWith("\n") ? "" : "\n"}[${words}]`
  const of = total === undefined ? "" : ` of ${total}`
  const shownTo = first + lines - 1
  if (lines === 0) {
    return note(`line ${first}${of}, its first ${text.length} characters: it is too long to show more of it`)
  }
  if (shownTo < last) return note(`lines ${first}-${shownTo}${of}; go on with start_line ${shownTo + 1}`)
  if (!hasRange) return text
  const range = first === last ? `line ${first}` : `lines ${first}-${last}`
  if (total === undefined) return note(`${range}; the file goes on`)
  return note(last < total ? `${range} of ${total}` : `${range} of ${total}, the end of the file`)
}

/** Whole lines within the bounds; with no whole line the beginning of the first. */
const shorten = (body: string): { readonly text: string; readonly lines: number } => {
  let at = 0
  let lines = 0
  while (at < body.length && lines < maxLinesShown) {
    const newline = body.indexOf("\n", at)
    const end = newline < 0 ? body.length : newline + 1
    if (end > maxCharactersShown) break
    at = end
    lines++
  }
  return lines === 0 ? { text: body.slice(0, maxCharactersShown), lines } : { text: body.slice(0, at), lines }
}
