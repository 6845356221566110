/** The place of a tool that writes: a symbol on a line, which must be one (SPEC §3.2). */
import { Effect } from "effect"
import * as ToolError from "../ToolError.ts"
import { Workspace } from "../Workspace.ts"
import type { Target } from "./LanguageServers.ts"
import * as SymbolOnLine from "./SymbolOnLine.ts"
import type * as TextPositions from "./TextPositions.ts"

export interface Where {
  /** How the file is shown. */
  readonly shown: string
  readonly target: Target
  /** The text that the place was found in. */
  readonly text: () => string
  /** The name at the place as the text has it, whole. */
  readonly word: () => string
  /** How long the name is that was asked for, in UTF-16 units. */
  readonly length: () => number
  readonly notes: () => ReadonlyArray<string>
}

const isWordCharacter = (character: string): boolean => /[\p{L}\p{N}\p{M}_$]/u.test(character)

/** The word around an offset; empty where there is none. */
const wordAt = (text: string, offset: number): string => {
  let [start, end] = [offset, offset]
  while (start > 0 && isWordCharacter(text[start - 1]!)) start--
  while (end < text.length && isWordCharacter(text[end]!)) end++
  return text.slice(start, end)
}

/** Without a symbol the place is the whole file. */
export const make = Effect.fnUntraced(function* (place: {
  readonly file: string
  readonly line?: number | undefined
  readonly symbol?: string | undefined
}): Effect.fn.Return<Where, ToolError.ToolError, Workspace> {
  const workspace = yield* Workspace
  const { path, kind } = yield* workspace.existing(place.file)
  const shown = workspace.show(path)
  if (kind !== "file") {
    return yield* ToolError.make("invalid_params", `${shown} is not a file: give one of the files in it.`)
  }
  const { line, symbol } = place
  let seen = ""
  let found: SymbolOnLine.Place | undefined
  const at = (indexed: TextPositions.Indexed) =>
    Effect.suspend(() => {
      seen = indexed.text
      if (line === undefined || symbol === undefined) return Effect.succeed(0)
      return Effect.map(
        Effect.fromResult(SymbolOnLine.resolve({ path: shown, text: indexed, line, symbol, several: "refuse" })),
        (one) => {
          found = one
          return one.offset
        }
      )
    })
  const word = () => {
    const whole = found === undefined ? "" : wordAt(seen, found.offset)
    return whole === "" ? (found?.name ?? "") : whole
  }
  return {
    shown,
    target: { file: path, at },
    text: () => seen,
    word,
    length: () => (found === undefined ? seen.length : found.name.length),
    notes: () =>
      found === undefined
        ? []
        : [
            ...found.notes,
            ...(word() !== found.name && isWordCharacter(found.name[0] ?? "")
              ? [`\`${found.name}\` is a part of \`${word()}\`; this is about the whole.`]
              : [])
          ]
  }
})
