/** One language server as data (SPEC §3.9): what it serves, how it is started, and where its binary is looked for. */
import { Schema } from "effect"

const name = Schema.NonEmptyString
const names = Schema.Array(name)

/** The language identifier that the protocol gives to files (C39), and which files these are. */
export const Language = Schema.Struct({
  id: name,
  /** With the dot, compared without case, the longest first: `.ts`, `.blade.php`. */
  extensions: Schema.optionalKey(names),
  /** Whole file names: `Dockerfile`, or with `*`: `Dockerfile.*`. */
  names: Schema.optionalKey(names)
})
export type Language = typeof Language.Type

/** Where a binary is looked for, in this order; the first that is there is taken. */
export const Binary = Schema.Struct({
  /** A name, or a path that is absolute or relative to the root. */
  name,
  /**
   * Folders of the project, at the root or above it up to the working directory: `node_modules/.bin`. Only where the
   * project is trusted (SPEC §3.9).
   */
  project: Schema.optionalKey(names),
  /** Folders of the user's home that installers use and that need not be on `PATH`: `go/bin`. */
  home: Schema.optionalKey(names),
  /**
   * The npm package that the binary must belong to where it belongs to one, and the lowest major version of it. A project
   * whose own is older has settled it: the row is not usable there.
   */
  npm: Schema.optionalKey(Schema.Struct({ package: name, major: Schema.Natural })),
  /**
   * Arguments with which the binary, when it works at all, soon exits with 0: tells a server from a version manager's shim
   * for one that is not installed.
   */
  probe: Schema.optionalKey(Schema.Array(Schema.String))
})
export type Binary = typeof Binary.Type

export const Row = Schema.Struct({
  /** What `server` and `status` call it. */
  id: name,
  languages: Schema.NonEmptyArray(Language),
  /**
   * Files and folders of which one must be at or above a file, inside the working directory; the nearest is the root. `*`
   * stands for any part of a name.
   */
  markers: Schema.NonEmptyArray(name),
  binary: Binary,
  args: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Variables set for the process. */
  env: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  /**
   * Rows with the same role do the same for a file: the first usable one serves it, the others only when asked for by
   * `server`. A row without a role always serves.
   */
  role: Schema.optionalKey(name),
  /** Other programs that the settings name as `${tool:NAME}`, as the interpreter of the project. */
  tools: Schema.optionalKey(Schema.Record(Schema.String, Binary)),
  /**
   * What `workspace/configuration` answers, by dotted section. `${root}`, `${rootUri}` and `${rootName}` are filled in, and
   * `${tool:NAME}`; what names a tool that is not there is left out.
   */
  settings: Schema.optionalKey(Schema.JsonObject),
  /** As `settings`. */
  initializationOptions: Schema.optionalKey(Schema.Json),
  /** Results of requests of the server's own that are not in the protocol, by method. As `settings`. */
  answers: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
  /** What it pushes it answers too when it is asked for diagnostics, and sooner: of documents that it answers for only that counts. */
  pulledOnly: Schema.optionalKey(Schema.Boolean),
  /**
   * A command that only looks, for a server that publishes nothing when a file stays clean. It is run with each of the
   * `arguments`, `${path}` filled in; where every result has an empty `body`, the file has no errors and no warnings.
   */
  proof: Schema.optionalKey(
    Schema.Struct({ command: name, arguments: Schema.NonEmptyArray(Schema.Array(Schema.Json)) })
  ),
  /** Never started; `status` says so. */
  disabled: Schema.optionalKey(Schema.Boolean)
})
export type Row = typeof Row.Type

const wildcard = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .split("*")
      .map((part) => part.replaceAll(/[\\^$.|?+()[\]{}]/g, "\\$&"))
      .join(".*")}$`
  )

/** Whether a file name is the one that a marker or a language's `names` means. */
export const fits = (pattern: string, fileName: string): boolean =>
  pattern.includes("*") ? wildcard(pattern).test(fileName) : pattern === fileName

/** The language identifier of a file, by its name; `undefined` where the row does not serve it. */
export const languageOf = (row: Row, fileName: string): string | undefined => {
  const lower = fileName.toLowerCase()
  let best: { readonly id: string; readonly length: number } | undefined
  for (const language of row.languages) {
    if (language.names?.some((pattern) => fits(pattern, fileName))) return language.id
    for (const extension of language.extensions ?? []) {
      if (lower.endsWith(extension.toLowerCase()) && extension.length > (best?.length ?? 0)) {
        best = { id: language.id, length: extension.length }
      }
    }
  }
  return best?.id
}

/** What the placeholders of a row's JSON stand for. */
export interface Place {
  readonly root: string
  readonly rootUri: string
  /** Of a file that is asked about. */
  readonly path?: string
  /** Where the tools of the row are that were found, by name. */
  readonly tools?: ReadonlyMap<string, string>
}

const placeholder = /\$\{(?:tool:)?(\w+)\}/g

/** The JSON with its placeholders filled in: in texts everywhere, in keys not. */
export const fill = (json: Schema.Json, place: Place): Schema.Json => {
  const known: ReadonlyMap<string, string> = new Map([
    ["${root}", place.root],
    ["${rootUri}", place.rootUri],
    ...(place.path === undefined ? [] : [["${path}", place.path] as const]),
    ["${rootName}", place.root.split(/[\\/]/).findLast((part) => part !== "") ?? place.root],
    ...Array.from(place.tools ?? [], ([name, path]): [string, string] => [`\${tool:${name}}`, path])
  ])
  const isThere = (value: Schema.Json): boolean =>
    typeof value !== "string" ||
    !value.includes("${tool:") ||
    (value.match(placeholder) ?? []).every((one) => known.has(one))
  const go = (value: Schema.Json): Schema.Json => {
    if (typeof value === "string") return value.replaceAll(placeholder, (whole) => known.get(whole) ?? whole)
    if (isList(value)) return value.filter(isThere).map(go)
    if (typeof value === "object" && value !== null) {
      const there = Object.entries(value).filter(([, inner]) => isThere(inner))
      return Object.fromEntries(there.map(([key, inner]) => [key, go(inner)]))
    }
    return value
  }
  return go(json)
}

const isList = (value: Schema.Json): value is ReadonlyArray<Schema.Json> => Array.isArray(value)
