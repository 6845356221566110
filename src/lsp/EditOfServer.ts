/** What the tools share that write what a server has made: `lsp_rename`, `lsp_apply`, `lsp_rename_file` (SPEC §4). */
import { Context, Effect, Result, Schema } from "effect"
import { Edits, type Resolved } from "../Edits.ts"
import { FileChange } from "../edits/FileChange.ts"
import type { Operation } from "../edits/Plan.ts"
import * as ToolError from "../ToolError.ts"
import { errorCodes } from "../wire/JsonRpc.ts"
import { type Workspace } from "../Workspace.ts"
import { type Answer, LanguageServers } from "./LanguageServers.ts"
import * as Outcomes from "./Outcomes.ts"
import type { AskError } from "./Question.ts"
import * as Text from "./Text.ts"
import { Part } from "./Values.ts"
import * as WorkspaceEdit from "./WorkspaceEdit.ts"

/**
 * - `edit_id`: what `resolve` takes back
 * - `server`: whose edit it is; absent where no server had one
 * - `warnings`: what somebody should know, one sentence each
 */
export const Value = Schema.Struct({
  edit_id: Schema.String,
  files: Schema.Array(FileChange),
  server: Schema.optionalKey(Schema.String),
  servers: Schema.Array(Part),
  warnings: Schema.Array(Schema.String)
})
export type Value = typeof Value.Type

/** What is done with absolute paths, known now, before they are written. Nothing, where nobody asks for diagnostics. */
export const BeforeWrite: Context.Reference<(paths: ReadonlyArray<string>) => Effect.Effect<void>> = Context.Reference<
  (paths: ReadonlyArray<string>) => Effect.Effect<void>
>("livetools/BeforeWrite", { defaultValue: () => () => Effect.void })

/** How long a server has for an edit of the whole project, which it may have to load first. */
export const patience = "60 seconds"

/** Until the answer was made for texts that the server was shown: how many files it is shown for that. */
const mostOpened = 64

/** An edit, and what it was made for. */
export interface Offer {
  readonly edit: WorkspaceEdit.WorkspaceEdit
  readonly basis: WorkspaceEdit.Basis
}

/** `refused`: the server says that it cannot be, and why. */
export type Made =
  | { readonly _tag: "Offer"; readonly offer: Offer }
  | { readonly _tag: "Refused"; readonly reason: string }

export const refused = (reason: string): Made => ({ _tag: "Refused", reason })

/**
 * Asks for an edit twice where it touches files that the server has not open: the second time it was shown their texts. A
 * server is free to answer from what it read at any time, and an edit for another text is a broken file. That the server says
 * that it cannot be is an answer.
 */
export const certain = Effect.fnUntraced(
  function* (
    asking: {
      readonly capabilities: { readonly encoding: WorkspaceEdit.Basis["encoding"] }
      readonly documents: Effect.Effect<WorkspaceEdit.Basis["documents"]>
      readonly open: (paths: ReadonlyArray<string>) => Effect.Effect<void>
    },
    request: Effect.Effect<unknown, AskError>
  ): Effect.fn.Return<Made, AskError> {
    const once = Effect.gen(function* () {
      const raw = yield* request
      const documents = yield* asking.documents
      return { edit: WorkspaceEdit.decode(raw), basis: { documents, encoding: asking.capabilities.encoding } }
    })
    const first = yield* once
    if (Result.isFailure(first.edit)) return refused(`its edit cannot be taken: ${first.edit.failure}`)
    const open = new Set(first.basis.documents.map(({ path }) => path))
    const unseen = WorkspaceEdit.pathsOf(first.edit.success).filter((path) => !open.has(path))
    if (unseen.length === 0) return { _tag: "Offer", offer: { edit: first.edit.success, basis: first.basis } }
    yield* asking.open(unseen.slice(0, mostOpened))
    const second = yield* once
    if (Result.isFailure(second.edit)) return refused(`its edit cannot be taken: ${second.edit.failure}`)
    return { _tag: "Offer", offer: { edit: second.edit.success, basis: second.basis } }
  },
  Effect.catch((error): Effect.Effect<Made, AskError> =>
    isRefusal(error) ? Effect.succeed(refused(error.message)) : Effect.fail(error)
  )
)

const serverNotInitialized = -32002
/** Of the request as such, and not of what it asks for. */
const noAnswers: ReadonlyArray<number> = [
  errorCodes.methodNotFound,
  errorCodes.requestCancelled,
  errorCodes.contentModified,
  errorCodes.serverCancelled,
  serverNotInitialized
]

/**
 * Whether an error of a server is its answer: that it cannot be done, and why. Which code it has for that is its own: gopls
 * sends 0.
 */
export const isRefusal = (error: AskError): boolean => error._tag === "ResponseError" && !noAnswers.includes(error.code)

/**
 * The server that answers for all: the first that found something (C99). Fails where none has answered.
 */
export const owner = <A>(
  what: string,
  answers: ReadonlyArray<Answer<A>>
): Effect.Effect<
  { readonly id: string; readonly root: string | undefined; readonly value: A } | undefined,
  ToolError.ToolError
> =>
  Effect.gen(function* () {
    for (const answer of answers) {
      if (answer.outcome === "found") return { id: answer.id, root: answer.root, value: answer.value }
    }
    yield* Outcomes.requireAnswer(what, { servers: answers.map(Outcomes.toPart) }, answers, Outcomes.nextStepUntimed)
    return undefined
  })

/** Applies operations, after whoever wants to know of the paths was told, and tells the servers. */
export const apply = Effect.fnUntraced(function* (
  operations: ReadonlyArray<Operation>,
  label: string
): Effect.fn.Return<Resolved, ToolError.ToolError, Edits | LanguageServers | Workspace> {
  const edits = yield* Edits
  const servers = yield* LanguageServers
  const resolved = yield* edits.apply({ operations, label, ignored: "refuse" })
  yield* servers.changed(resolved.events)
  return resolved
})

/** The paths that operations name. */
export const touched = (operations: ReadonlyArray<Operation>): ReadonlyArray<string> =>
  operations.flatMap((operation) => (operation.kind === "rename" ? [operation.from, operation.to] : [operation.path]))

/**
 * Makes an edit and applies it; where a file was changed between the two, it is asked for once more, and then refused. What
 * lies in between is told first.
 */
export const makeAndApply = <R>(
  make: Effect.Effect<
    { readonly operations: ReadonlyArray<Operation>; readonly more: Omit<Value, "edit_id" | "files"> },
    ToolError.ToolError,
    R
  >,
  label: string
) =>
  Effect.gen(function* () {
    const before = yield* BeforeWrite
    const made = yield* make
    yield* before(touched(made.operations))
    const resolved = yield* apply(made.operations, label)
    return {
      ...made.more,
      edit_id: resolved.edit_id,
      files: resolved.files,
      warnings: [...made.more.warnings, ...resolved.warnings]
    }
  }).pipe(Effect.retry({ times: 2, while: (error: ToolError.ToolError) => error.code === "stale_edit" }))

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`

const mostLines = 120

/** The files with their changed lines, before and after. */
export const text = (head: string, value: Value): string => {
  const lines = value.files.flatMap((file) => {
    const where = file.moved_to === undefined ? file.path : `${file.path} is now ${file.moved_to}`
    const count = file.edits === 0 ? file.change : counted(file.edits, "edit")
    return [
      `${where}: ${count}`,
      ...file.changes.flatMap(({ after, before, left_out: left = 0, line }) => [
        `@ ${file.moved_to ?? file.path}:${line}`,
        ...before.map((each) => `- ${each}`),
        ...after.map((each) => `+ ${each}`),
        ...(left > 0 ? [`… and ${counted(left, "more line")}`] : [])
      ]),
      ...(file.left_out > 0 ? [`… and ${counted(file.left_out, "more change")} in ${file.path}`] : [])
    ]
  })
  return [
    head,
    ...value.warnings.map((warning) => `note: ${warning}`),
    ...lines.slice(0, mostLines),
    ...(lines.length > mostLines ? [`… ${lines.length - mostLines} more lines`] : []),
    ...Text.parts(value.servers.filter(({ outcome }) => outcome === "unknown")).map((part) => `[${part}]`),
    `(${value.edit_id}: \`resolve\` can undo it)`
  ].join("\n")
}
