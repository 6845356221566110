/** Which changes on disk a server wants to be told of (C41). */
import { Option, Schema } from "effect"
import * as Glob from "./Glob.ts"
import type { FileEvent } from "./LanguageServers.ts"
import * as Uri from "./Uri.ts"
import * as Wire from "./Wire.ts"

const Watcher = Schema.Struct({
  globPattern: Schema.Union([
    Schema.String,
    Schema.Struct({
      baseUri: Schema.Union([Schema.String, Schema.Struct({ uri: Schema.String })]),
      pattern: Schema.String
    })
  ]),
  kind: Schema.optionalKey(Schema.NullOr(Schema.Natural))
})

/** `FileChangeType`, and the bit of `WatchKind` that asks for it. */
const types: Record<FileEvent["event"], { readonly type: number; readonly bit: number }> = {
  created: { type: 1, bit: 1 },
  changed: { type: 2, bit: 2 },
  deleted: { type: 3, bit: 4 }
}

export type Wants = (event: FileEvent) => boolean

/** Below the folder, with `/`; `undefined` where the path is not below it. */
const below = (folder: string, path: string): string | undefined => {
  const base = folder.endsWith("/") ? folder : `${folder}/`
  return path.startsWith(base) ? path.slice(base.length) : undefined
}

/** What the options of a registration for `workspace/didChangeWatchedFiles` ask for. */
export const wants = (registerOptions: unknown, root: string): Wants => {
  const watchers = Wire.each(Watcher)(Wire.get(registerOptions, "watchers")).map(({ globPattern, kind }) => {
    const bits = kind ?? 7
    if (typeof globPattern === "string") {
      const matches = Glob.compile(globPattern)
      // Servers write both: relative to the workspace folder, and absolute ones.
      return { bits, matches: (path: string) => matches(path) || matches(below(root, path) ?? path) }
    }
    const uri = typeof globPattern.baseUri === "string" ? globPattern.baseUri : globPattern.baseUri.uri
    const folder = Option.fromNullishOr(Uri.toPath(uri))
    const matches = Glob.compile(globPattern.pattern)
    return {
      bits,
      matches: (path: string) => {
        const relative = Option.isSome(folder) ? below(folder.value, path) : undefined
        return relative !== undefined && matches(relative)
      }
    }
  })
  return ({ event, path }) => watchers.some(({ bits, matches }) => (bits & types[event].bit) !== 0 && matches(path))
}

/** The parameters of `workspace/didChangeWatchedFiles`. */
export const didChange = (events: ReadonlyArray<FileEvent>) => ({
  changes: events.map(({ event, path }) => ({ uri: Uri.fromPath(path), type: types[event].type }))
})

/** The event that two of one path, one after the other, come to. */
export const merge = (
  before: FileEvent["event"] | undefined,
  after: FileEvent["event"]
): FileEvent["event"] | undefined => {
  if (before === "created") return after === "deleted" ? undefined : "created"
  if (before === "deleted") return after === "deleted" ? "deleted" : "changed"
  return before === "changed" && after === "created" ? "changed" : after
}
