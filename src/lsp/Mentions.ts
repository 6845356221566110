/** The files of a project that a text stands in: those that a change of it may concern, whatever a server has loaded. */
import { Effect, Option } from "effect"
import { Edits } from "../Edits.ts"
import { Workspace } from "../Workspace.ts"
import { LanguageServers } from "./LanguageServers.ts"
import * as Row from "./rows/Row.ts"

/** How many files are looked into. */
const mostRead = 2000

const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1)

/** The extensions of all languages of the rows that serve a file. */
const extensionsOf = (rows: ReadonlyArray<Row.Row>, path: string): ReadonlyArray<string> => [
  ...new Set(
    rows
      .filter((row) => row.disabled !== true && Row.languageOf(row, baseName(path)) !== undefined)
      .flatMap(({ languages }) => languages.flatMap(({ extensions = [] }) => extensions))
  )
]

const escape = (text: string): string => text.replaceAll(/[\\^$.|?*+()[\]{}/]/g, "\\$&")

/**
 * The files of the languages that are served together with a file, itself left out, in which one of the words stands whole;
 * at most `most`, absolute.
 */
export const find = Effect.fnUntraced(function* (
  path: string,
  words: ReadonlyArray<string>,
  most: number
): Effect.fn.Return<ReadonlyArray<string>, never, Edits | LanguageServers | Workspace> {
  const { rows } = yield* LanguageServers
  const edits = yield* Edits
  const workspace = yield* Workspace
  const extensions = extensionsOf(rows, path)
  const wanted = words.filter((word) => word !== "")
  if (extensions.length === 0 || wanted.length === 0) return []
  const whole = new RegExp(`(?<![\\p{L}\\p{N}_$])(?:${wanted.map(escape).join("|")})(?![\\p{L}\\p{N}_$])`, "u")
  const all = yield* Effect.orElseSucceed(workspace.files("**/*"), (): ReadonlyArray<string> => [])
  const found: Array<string> = []
  let count = 0
  for (const file of all) {
    if (file === path || !extensions.some((extension) => file.toLowerCase().endsWith(extension))) continue
    if (++count > mostRead || found.length >= most) break
    const source = yield* Effect.option(edits.read(file))
    if (Option.isSome(source) && whole.test(source.value.text)) found.push(source.value.path)
  }
  return found
})
