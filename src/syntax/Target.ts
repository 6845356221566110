/** Where and in which language a call searches, from its `path` and `language` (SPEC §5.2). */
import { Effect } from "effect"
import * as Suggest from "../Suggest.ts"
import * as ToolError from "../ToolError.ts"
import { Workspace } from "../Workspace.ts"
import type { Grammars } from "./Grammar.ts"
import type { Where } from "./Request.ts"

export interface Target {
  readonly where: Where
  /** The id of a grammar; `undefined`: the language of each file. */
  readonly language: string | undefined
}

const isGlob = (path: string) => /[*?[{]/.test(path)

/** The part of a glob before its first segment that has a wildcard. */
const literalPart = (glob: string): string => {
  const segments = glob.split("/")
  return segments.slice(0, segments.findIndex(isGlob)).join("/")
}

/**
 * What exists is taken literally, a glob only where nothing of that name exists. Fails with `not_found`, `outside_directory`,
 * `unknown_language`.
 */
export const resolve = Effect.fnUntraced(function* (
  grammars: Grammars,
  path: string | undefined,
  language: string | undefined
): Effect.fn.Return<Target, ToolError.ToolError, Workspace> {
  const workspace = yield* Workspace
  const named = language === undefined ? undefined : grammars.named(language)
  if (language !== undefined && named === undefined) return yield* unknownLanguage(grammars, language)
  const target = (where: Omit<Where, "root">, ofFile?: string): Target => ({
    where: { root: workspace.root, ...where },
    language: named?.id ?? ofFile
  })
  if (path === undefined) return target({ start: workspace.root, kind: "directory" })

  const literal = yield* workspace.resolve(path)
  if (literal.kind === "missing" && isGlob(path)) {
    const base = literalPart(path)
    const start = yield* workspace.existing(base === "" ? (path.startsWith("/") ? "/" : ".") : base)
    if (start.kind !== "directory") return yield* notDirectory(base)
    const below = workspace.show(start.path)
    const rest = path.slice(base === "" ? 0 : base.length + 1)
    return target({
      start: start.path,
      kind: "directory",
      glob: below === "." || below === "" ? rest.replace(/^\/+/, "") : `${below}/${rest}`
    })
  }
  const { kind, path: start } = yield* workspace.existing(path)
  if (kind === "directory") return target({ start, kind })
  if (kind !== "file") {
    return yield* ToolError.make(
      "not_text",
      `${path} is no regular file (a pipe, a socket or a device): it is not searched.`
    )
  }
  const grammar = grammars.ofFile(start)
  const ofFile = grammar?.id
  if (named === undefined && ofFile === undefined) {
    return yield* ToolError.make(
      "unknown_language",
      `The language of ${path} is not known by its name. Give \`language\`: ${ids(grammars)}.`
    )
  }
  // A file with other languages inside is searched in each of them.
  return target({ start, kind }, grammar?.embedded === undefined ? ofFile : undefined)
})

const ids = (grammars: Grammars) => grammars.all.map(({ id }) => id).join(", ")

const unknownLanguage = (grammars: Grammars, language: string) =>
  ToolError.make(
    "unknown_language",
    `There is no grammar for \`${language.slice(0, 60)}\`.` +
      Suggest.didYouMean(
        language,
        grammars.all.flatMap(({ aliases, id }) => [id, ...(aliases ?? [])])
      ) +
      ` The languages are: ${ids(grammars)}.`
  )

const notDirectory = (base: string) =>
  ToolError.make("not_found", `${base} is a file: the glob cannot name anything below it.`)
