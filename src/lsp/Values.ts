/** The values of `lsp` (SPEC §11): what programs are given, and what the text is made of. */
import { Schema } from "effect"
import type { Severity } from "./LanguageServers.ts"

const Line = Schema.Natural

/** The part of one server (SPEC §3.5). */
export const Part = Schema.Struct({
  id: Schema.String,
  outcome: Schema.Literals(["found", "empty", "unknown", "not_covered"]),
  /** Why it is not known or not covered, or why what was found may not be all. */
  reason: Schema.optionalKey(Schema.String)
})
export type Part = typeof Part.Type

/** What a checker of the project came to, and the configurations that it was about. */
export const CheckerPart = Schema.Struct({ ...Part.fields, configurations: Schema.Array(Schema.String) })
export type CheckerPart = typeof CheckerPart.Type

const Notes = Schema.optionalKey(Schema.Array(Schema.String))

export const Locations = Schema.Struct({
  locations: Schema.Array(
    Schema.Struct({
      path: Schema.String,
      line: Line,
      /** The source line. */
      text: Schema.String,
      /** Of calls and types. */
      name: Schema.optionalKey(Schema.String),
      kind: Schema.optionalKey(Schema.String),
      /** The lines of the calls, in the file of the caller. */
      sites: Schema.optionalKey(Schema.Array(Line))
    })
  ),
  total: Schema.Natural,
  servers: Schema.Array(Part),
  notes: Notes
})
export type Locations = typeof Locations.Type

export const Hover = Schema.Struct({
  /** One block a server. */
  contents: Schema.String,
  servers: Schema.Array(Part),
  notes: Notes
})
export type Hover = typeof Hover.Type

export const Symbols = Schema.Struct({
  symbols: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      kind: Schema.String,
      path: Schema.String,
      line: Line,
      container: Schema.optionalKey(Schema.String),
      /** The source line. */
      text: Schema.String,
      /** How deep in the outline, from 0. */
      depth: Schema.Natural
    })
  ),
  total: Schema.Natural,
  servers: Schema.Array(Part),
  notes: Notes
})
export type Symbols = typeof Symbols.Type

export const severities = ["error", "warning", "information", "hint"] as const
export const severityName = (severity: Severity): (typeof severities)[number] => severities[severity - 1]!

export const Diagnostic = Schema.Struct({
  path: Schema.String,
  line: Line,
  severity: Schema.Literals(severities),
  code: Schema.optionalKey(Schema.String),
  message: Schema.String,
  source: Schema.optionalKey(Schema.String),
  /** Said by a server, without proof that it belongs to the text on disk or is all. */
  provisional: Schema.optionalKey(Schema.Boolean)
})
export type Diagnostic = typeof Diagnostic.Type

export const Diagnostics = Schema.Struct({
  diagnostics: Schema.Array(Diagnostic),
  total: Schema.Natural,
  servers: Schema.Array(Part),
  /** How many files were asked about. */
  files: Schema.Natural,
  /** The files of which something is not known, and why. */
  unchecked: Schema.Array(Schema.Struct({ path: Schema.String, reason: Schema.String })),
  /** Errors in other files, as the servers last said. */
  elsewhere: Schema.Array(Schema.Struct({ path: Schema.String, errors: Schema.Natural })),
  checkers: Schema.optionalKey(Schema.Array(CheckerPart)),
  notes: Notes
})
export type Diagnostics = typeof Diagnostics.Type

export const Actions = Schema.Struct({
  actions: Schema.Array(
    Schema.Struct({
      /** From 1, over all servers. */
      index: Schema.Natural,
      title: Schema.String,
      kind: Schema.optionalKey(Schema.String),
      /** Why it cannot be applied now. */
      disabled: Schema.optionalKey(Schema.String),
      preferred: Schema.optionalKey(Schema.Boolean),
      server: Schema.String
    })
  ),
  servers: Schema.Array(Part),
  notes: Notes
})
export type Actions = typeof Actions.Type

export const ServerStatus = Schema.Struct({
  id: Schema.String,
  languages: Schema.Array(Schema.String),
  root: Schema.optionalKey(Schema.String),
  state: Schema.Literals(["running", "starting", "stopped", "unavailable", "failed"]),
  reason: Schema.optionalKey(Schema.String),
  /** The root marker that was found. */
  marker: Schema.optionalKey(Schema.String),
  /** The file that is, or would be, started. */
  binary: Schema.optionalKey(Schema.String),
  pid: Schema.optionalKey(Schema.Natural),
  /** Name and version, as the server tells them. */
  server: Schema.optionalKey(Schema.String),
  progress: Schema.optionalKey(Schema.Array(Schema.String)),
  open_documents: Schema.optionalKey(Schema.Natural),
  memory_bytes: Schema.optionalKey(Schema.Natural),
  crashes: Schema.optionalKey(Schema.Natural),
  last_error: Schema.optionalKey(Schema.String),
  /** The last lines of its standard error. */
  stderr: Schema.optionalKey(Schema.String)
})
export type ServerStatus = typeof ServerStatus.Type

export const Statuses = Schema.Struct({ servers: Schema.Array(ServerStatus) })
export type Statuses = typeof Statuses.Type

export const Value = Schema.Union([Locations, Hover, Symbols, Diagnostics, Actions, Statuses])
export type Value = typeof Value.Type
