/**
 * Diagnostics on write (SPEC §3a): a tool that writes says in its answer which errors and warnings the write has introduced, so
 * that a model learns that it broke something in the moment it breaks it.
 */
import { Context, Effect, Layer, Result, Schema } from "effect"
import { type Deferred, DeferredFindings } from "../DeferredFindings.ts"
import { Edits } from "../Edits.ts"
import type * as LiveTool from "../LiveTool.ts"
import { openJsonSchema } from "../Parameters.ts"
import type { Tier } from "../Tier.ts"
import { Workspace } from "../Workspace.ts"
import type * as Course from "./DiagnosticsOnWriteCourse.ts"
import * as Watching from "./DiagnosticsOnWriteWatch.ts"
import { BeforeWrite } from "./EditOfServer.ts"
import { LanguageServers } from "./LanguageServers.ts"
import * as Values from "./Values.ts"

/**
 * - `introduced`: bounded; `introduced_total` where there are more
 * - `diagnostics_reasons`: why something is not known, a sentence a server
 */
export const Added = Schema.Struct({
  introduced: Schema.Array(Values.Diagnostic),
  introduced_total: Schema.optionalKey(Schema.Natural),
  diagnostics_outcome: Schema.Literals(["nothing_new", "introduced", "unknown", "not_covered"]),
  diagnostics_reasons: Schema.optionalKey(Schema.Array(Schema.String))
})
export type Added = typeof Added.Type

/** The ledger of the run, and what waits for its servers. */
export class DiagnosticsOnWrite extends Context.Service<
  DiagnosticsOnWrite,
  {
    /** For one call that writes. */
    readonly begin: Effect.Effect<Watching.Watch>
    readonly show: (absolute: string) => string
  }
>()("livetools/DiagnosticsOnWrite") {}

const mostInValue = 100
const mostInText = 20

type Introduced = Course.Report["introduced"]

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const ranked = (introduced: Introduced): Introduced =>
  introduced.toSorted(
    (a, b) =>
      a.severity - b.severity ||
      compare(a.path, b.path) ||
      a.line - b.line ||
      a.column - b.column ||
      compare(a.server, b.server)
  )

const toValue =
  (show: (path: string) => string) =>
  ({ code, line, message, path, server, severity, source }: Introduced[number]): Values.Diagnostic => ({
    path: show(path),
    line,
    severity: Values.severityName(severity),
    message,
    source: source ?? server,
    ...(code === undefined ? {} : { code })
  })

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`

/** `2 errors, 1 warning`, and then one a line. */
const lines = (head: string, all: ReadonlyArray<Values.Diagnostic>, total: number): ReadonlyArray<string> => {
  const errors = all.filter(({ severity }) => severity === "error").length
  const kinds = [
    ...(errors > 0 ? [counted(errors, "error")] : []),
    ...(errors < all.length ? [counted(all.length - errors, "warning")] : [])
  ].join(", ")
  return [
    `${head} ${total > all.length ? `${total} errors and warnings` : kinds}:`,
    ...all
      .slice(0, mostInText)
      .map(
        ({ code, line, message, path, severity, source }) =>
          `${path}:${line} ${severity}${code === undefined ? "" : ` ${code}`} ${message.replaceAll(/\s*\n\s*/g, " ")}${source === undefined ? "" : ` (${source})`}`
      ),
    ...(total > mostInText ? [`… and ${total - mostInText} more`] : [])
  ]
}

const textOf = (added: Added, isDeferred: boolean): ReadonlyArray<string> => {
  const reasons = (added.diagnostics_reasons ?? []).slice(0, 3).join("; ")
  const later = isDeferred ? " If there is something new, a later answer will tell." : ""
  switch (added.diagnostics_outcome) {
    case "introduced":
      return [
        ...lines("This introduced", added.introduced, added.introduced_total ?? added.introduced.length),
        ...(reasons === "" ? [] : [`[not known: ${reasons}.${later}]`])
      ]
    case "nothing_new":
      return [
        isDeferred
          ? `[diagnostics: nothing new so far; other files are still checked.${later}]`
          : "[diagnostics: nothing new]"
      ]
    case "unknown":
      return [`[diagnostics: it was written; what that caused is not known: ${reasons}.${later}]`]
    case "not_covered":
      return ["[diagnostics: not covered by a language server]"]
  }
}

const told =
  (show: (path: string) => string) =>
  (written: Course.Written, introduced: Introduced): Deferred => {
    const all = ranked(introduced).map(toValue(show))
    const files = written.files.map(({ path }) => show(path))
    const what = `${written.tool} of ${files.slice(0, 3).join(", ")}${files.length > 3 ? ` and ${files.length - 3} more` : ""}`
    const edit = written.edit_id === undefined ? "" : ` (${written.edit_id})`
    return {
      tool: written.tool,
      files,
      introduced: all.slice(0, mostInValue),
      text: lines(`The earlier ${what}${edit} introduced`, all.slice(0, mostInValue), all.length).join("\n"),
      ...(written.edit_id === undefined ? {} : { edit_id: written.edit_id })
    }
  }

/** The ledger of one run. Nothing is asked before a wrapped tool is called; what is waited for ends with the scope. */
export const layer = (
  budgets: Partial<Watching.Budgets> = {}
): Layer.Layer<DiagnosticsOnWrite | DeferredFindings, never, LanguageServers | Edits | Workspace> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const servers = yield* LanguageServers
      const edits = yield* Edits
      const workspace = yield* Workspace
      const { begin, divert, take } = yield* Watching.make({
        servers,
        edits,
        workspace,
        budgets: { ...Watching.defaults, ...budgets },
        tell: told(workspace.show)
      })
      return Context.make(DiagnosticsOnWrite, DiagnosticsOnWrite.of({ begin, show: workspace.show })).pipe(
        Context.add(DeferredFindings, DeferredFindings.of({ take, divert }))
      )
    })
  )

export interface WrapOptions<in Params, out R> {
  /** The files that the call will write, known before it runs; a tool may tell of more by `BeforeWrite`. */
  readonly paths?: (params: Params) => Effect.Effect<ReadonlyArray<string>, never, R>
  /** Whether the call writes at all. Default: yes. */
  readonly writes?: (params: Params) => boolean
  /** Whether it takes an edit back, that of its value's `edit_id`. */
  readonly isUndo?: (params: Params) => boolean
}

const File = Schema.Union([
  Schema.String,
  Schema.Struct({ path: Schema.String, moved_to: Schema.optionalKey(Schema.String) })
])
const decodeValue = Schema.decodeUnknownResult(
  Schema.Struct({ files: Schema.Array(File), edit_id: Schema.optionalKey(Schema.String) })
)

/** What a value says was written; paths as the working directory shows them, which it resolves again. */
const writtenOf = (tool: string, value: unknown, root: string, isUndo: boolean): Course.Written => {
  const decoded = decodeValue(value)
  const { edit_id, files } = Result.isSuccess(decoded) ? decoded.success : { edit_id: undefined, files: [] }
  const absolute = (path: string) => (path.startsWith("/") || /^[A-Za-z]:/.test(path) ? path : `${root}/${path}`)
  return {
    tool,
    edit_id,
    isUndo,
    files: files.map((file) => {
      if (typeof file === "string") return { path: absolute(file) }
      return file.moved_to === undefined
        ? { path: absolute(file.path) }
        : { path: absolute(file.moved_to), from: absolute(file.path) }
    })
  }
}

/** The keys of `DiagnosticsOnWrite` and what a wrapped tool stands on besides. */
type Needs = DiagnosticsOnWrite | Workspace

const withAdded = (schema: LiveTool.Any["resultSchema"]): LiveTool.Any["resultSchema"] => {
  const addedSchema = openJsonSchema(Added)
  const part = (from: LiveTool.Any["resultSchema"], key: string) => from[key]
  const properties = part(schema, "properties")
  const required = part(schema, "required")
  const own = part(addedSchema, "required")
  return {
    ...schema,
    properties: { ...(properties as object | undefined), ...(part(addedSchema, "properties") as object | undefined) },
    required: [...(Array.isArray(required) ? required : []), ...(Array.isArray(own) ? own : [])],
    $defs: { ...(part(schema, "$defs") as object | undefined), ...(part(addedSchema, "$defs") as object | undefined) }
  }
}

/**
 * A tool that writes, with `introduced` and `diagnostics_outcome` in its value, and in its text. It works with any tool whose
 * value has `files`: each a path, or an object with `path` (and `moved_to`). It never fails because of a server, and is held no
 * longer than the budgets of the layer.
 */
export const wrap = <
  Name extends string,
  T extends Tier,
  Params,
  Value extends { readonly files: ReadonlyArray<unknown> },
  R
>(
  tool: LiveTool.LiveTool<Name, T, Params, Value, R>,
  options: WrapOptions<Params, R> = {}
): LiveTool.LiveTool<Name, T, Params, Value & typeof Added.Encoded, R | Needs> => ({
  name: tool.name,
  tier: tool.tier,
  description: tool.description,
  // Read as late as the tool makes them.
  get jsonSchema() {
    return tool.jsonSchema
  },
  get resultSchema() {
    return withAdded(tool.resultSchema)
  },
  requires: [...new Set([...tool.requires, DiagnosticsOnWrite, Workspace])],
  prepare: (input, caller) =>
    Result.map(tool.prepare(input, caller), (prepared) => {
      // What was decoded is what the tool takes.
      const params = prepared.params as Params
      if (options.writes?.(params) === false) {
        return {
          ...prepared,
          run: (call) =>
            Effect.map(prepared.run(call), ({ text, value }) => ({
              text,
              value: { ...value, introduced: [], diagnostics_outcome: "nothing_new" as const }
            }))
        }
      }
      return {
        ...prepared,
        run: Effect.fnUntraced(function* (call) {
          const { begin, show } = yield* DiagnosticsOnWrite
          const { root } = yield* Workspace
          const watch = yield* begin
          const done = Effect.gen(function* () {
            if (options.paths !== undefined) yield* watch.before(yield* options.paths(params))
            const { text, value } = yield* Effect.provideService(prepared.run(call), BeforeWrite, watch.before)
            const isUndo = options.isUndo?.(params) === true
            return { text, value, report: yield* watch.after(writtenOf(tool.name, value, root, isUndo)) }
          })
          // However it ends, others are waiting for their turn.
          const { report, text, value } = yield* Effect.onError(done, () => watch.release)
          const all = ranked(report.introduced).map(toValue(show))
          const added: Added = {
            introduced: all.slice(0, mostInValue),
            diagnostics_outcome: report.outcome,
            ...(all.length > mostInValue ? { introduced_total: all.length } : {}),
            ...(report.reasons.length > 0 ? { diagnostics_reasons: report.reasons } : {})
          }
          const lines = value.files.length === 0 ? [] : textOf(added, report.isDeferred)
          return { text: [text, ...lines].join("\n"), value: { ...value, ...added } }
        })
      }
    })
})
