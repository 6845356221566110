/** Edits as servers send them, and the plans of the edit engine that they are (C51, C82–C90). */
import { Effect, Option, Result, Schema } from "effect"
import { Edits } from "../Edits.ts"
import type { Operation } from "../edits/Plan.ts"
import * as ToolError from "../ToolError.ts"
import { Workspace } from "../Workspace.ts"
import type { Document } from "./Documents.ts"
import type { Encoding } from "./TextPositions.ts"
import * as Uri from "./Uri.ts"
import * as Wire from "./Wire.ts"

const optional = <S extends Schema.Codec<unknown, unknown>>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

const TextEdit = Schema.Struct({
  range: Wire.Range,
  newText: Schema.String,
  annotationId: optional(Schema.String)
})
const DocumentEdit = Schema.Struct({
  textDocument: Schema.Struct({ uri: Schema.String, version: optional(Schema.Int) }),
  edits: Schema.Array(TextEdit)
})
const flags = Schema.Struct({
  overwrite: optional(Schema.Boolean),
  ignoreIfExists: optional(Schema.Boolean),
  recursive: optional(Schema.Boolean),
  ignoreIfNotExists: optional(Schema.Boolean)
})
const common = { options: optional(flags), annotationId: optional(Schema.String) }
const Create = Schema.Struct({ kind: Schema.Literal("create"), uri: Schema.String, ...common })
const Rename = Schema.Struct({
  kind: Schema.Literal("rename"),
  oldUri: Schema.String,
  newUri: Schema.String,
  ...common
})
const Delete = Schema.Struct({ kind: Schema.Literal("delete"), uri: Schema.String, ...common })
const Annotations = Schema.Record(
  Schema.String,
  Schema.Struct({
    label: Schema.String,
    needsConfirmation: optional(Schema.Boolean),
    description: optional(Schema.String)
  })
)

type FileOperation = typeof Create.Type | typeof Rename.Type | typeof Delete.Type
type Step = typeof DocumentEdit.Type | FileOperation

/** An edit, decoded; nothing in it was looked at. */
export interface WorkspaceEdit {
  /** In the order in which they are to be done (C83). */
  readonly steps: ReadonlyArray<Step>
  /** What the server wants somebody to agree to (C86), one sentence each. */
  readonly doubts: ReadonlyArray<string>
}

const decodeEdit = Schema.decodeUnknownOption(DocumentEdit)
const decodeEdits = Schema.decodeUnknownOption(Schema.Array(TextEdit))
const decodeOperation = Schema.decodeUnknownOption(Schema.Union([Create, Rename, Delete]))
const decodeAnnotations = Schema.decodeUnknownOption(Annotations)

const hasSnippet = (edits: unknown): boolean =>
  Array.isArray(edits) && edits.some((edit) => Wire.get(edit, "snippet") !== undefined)

const snippet = "it sends a snippet in place of a text, which it was not asked for"
const unreadable = (what: string) => `it sends ${what} that cannot be read`

const stepOf = (raw: unknown): Result.Result<Step, string> => {
  const kind = Wire.get(raw, "kind")
  if (kind === undefined) {
    if (hasSnippet(Wire.get(raw, "edits"))) return Result.fail(snippet)
    return Result.fromOption(decodeEdit(raw), () => unreadable("an edit"))
  }
  return Result.fromOption(decodeOperation(raw), () => unreadable(`an operation of the kind ${JSON.stringify(kind)}`))
}

const stepsOf = (raw: unknown): Result.Result<ReadonlyArray<Step>, string> => {
  const ordered = Wire.get(raw, "documentChanges")
  // Where both are there, the other is for clients that do not know this one (C83).
  if (ordered !== undefined && ordered !== null) {
    if (!Array.isArray(ordered)) return Result.fail(unreadable("`documentChanges`"))
    return Result.all(ordered.map(stepOf))
  }
  const changes = Wire.get(raw, "changes")
  if (changes === undefined || changes === null) return Result.succeed([])
  if (!Wire.isRecord(changes)) return Result.fail(unreadable("`changes`"))
  return Result.all(
    Object.entries(changes).map(([uri, edits]): Result.Result<Step, string> => {
      if (hasSnippet(edits)) return Result.fail(snippet)
      const decoded = decodeEdits(edits)
      return Option.isNone(decoded)
        ? Result.fail(unreadable("an edit"))
        : Result.succeed({ textDocument: { uri }, edits: decoded.value })
    })
  )
}

const doubtsOf = (raw: unknown, steps: ReadonlyArray<Step>): ReadonlyArray<string> => {
  const annotations = Option.getOrElse(decodeAnnotations(Wire.get(raw, "changeAnnotations") ?? {}), () => ({}))
  const used = new Set(
    steps.flatMap((step) =>
      "edits" in step
        ? step.edits.flatMap(({ annotationId }) => annotationId ?? [])
        : step.annotationId === undefined || step.annotationId === null
          ? []
          : [step.annotationId]
    )
  )
  return Object.entries(annotations).flatMap(([id, { description, label, needsConfirmation }]) =>
    needsConfirmation === true && used.has(id)
      ? [
          `The server would have this confirmed: ${label}${description === undefined || description === null ? "" : ` (${description})`}.`
        ]
      : []
  )
}

/** Reads an edit; fails with a reason where a part of it cannot be read: a part of an edit is none. */
export const decode = (raw: unknown): Result.Result<WorkspaceEdit, string> =>
  Result.map(stepsOf(raw), (steps) => ({ steps, doubts: doubtsOf(raw, steps) }))

/** Whether it would do anything. */
export const isEmpty = ({ steps }: WorkspaceEdit): boolean =>
  steps.every((step) => "edits" in step && step.edits.length === 0)

/** Every URI that it names. */
const urisOf = (steps: ReadonlyArray<Step>): ReadonlyArray<string> => [
  ...new Set(
    steps.flatMap((step) =>
      "edits" in step ? [step.textDocument.uri] : step.kind === "rename" ? [step.oldUri, step.newUri] : [step.uri]
    )
  )
]

/** The absolute paths of the files that it names. */
export const pathsOf = ({ steps }: WorkspaceEdit): ReadonlyArray<string> =>
  urisOf(steps).flatMap((uri) => Uri.toPath(uri) ?? [])

/** What an edit was made for. */
export interface Basis {
  readonly encoding: Encoding
  /** The documents that the server held open. */
  readonly documents: ReadonlyArray<Document>
}

const optionsOf = (options: (typeof flags)["Type"] | null | undefined) => ({
  ...(options?.overwrite === true ? { overwrite: true } : {}),
  ...(options?.ignoreIfExists === true ? { ignoreIfExists: true } : {})
})

/**
 * The operations that an edit is. Each text edit carries the hash of the text that the server had: of the document that it
 * holds open, else of the file on disk, which it was told of before it was asked.
 *
 * Fails with `refused_edit` for what is no file, and with `stale_edit` for a version that the server was not shown last.
 */
export const toOperations = Effect.fnUntraced(function* (
  { steps }: WorkspaceEdit,
  { documents, encoding }: Basis
): Effect.fn.Return<ReadonlyArray<Operation>, ToolError.ToolError, Edits | Workspace> {
  const edits = yield* Edits
  const workspace = yield* Workspace
  const foreign = urisOf(steps).filter((uri) => Uri.toPath(uri) === undefined)
  if (foreign.length > 0) {
    return yield* ToolError.make(
      "refused_edit",
      `The edit touches what is no file, so none of it is taken: ${foreign.slice(0, 5).join(", ")}.`
    )
  }
  const open = new Map(documents.map((document) => [document.path, document]))
  /** Of files that the edit itself has made or moved. */
  const made = new Map<string, string>()
  const pathOf = (uri: string) => Uri.toPath(uri) ?? uri
  const canonical = (path: string) =>
    Effect.map(Effect.option(workspace.resolve(path)), (found) => Option.getOrUndefined(found)?.path)

  const hashOf = Effect.fnUntraced(function* (path: string, version: number | null | undefined) {
    const own = made.get(path)
    if (own !== undefined) return own
    const real = yield* canonical(path)
    // Outside of the working directory: the engine refuses it, and names all that are.
    if (real === undefined) return ""
    const document = open.get(real)
    if (typeof version === "number" && version !== document?.version) {
      return yield* ToolError.make(
        "stale_edit",
        `The server made the edit for another text of ${workspace.show(real)} than it was shown. Nothing was changed; call again.`
      )
    }
    return document?.hash ?? (yield* edits.read(real)).hash
  })

  const moved = Effect.fnUntraced(function* (from: string, to: string) {
    for (const [path, hash] of Array.from(made)) {
      if (path !== from && !path.startsWith(`${from}/`)) continue
      made.delete(path)
      made.set(to + path.slice(from.length), hash)
    }
    // What lies below a folder that moves is edited at its new place.
    for (const step of steps) {
      if (!("edits" in step)) continue
      const path = pathOf(step.textDocument.uri)
      if (made.has(path) || (path !== to && !path.startsWith(`${to}/`))) continue
      const source = yield* Effect.option(edits.read(from + path.slice(to.length)))
      if (Option.isSome(source)) made.set(path, source.value.hash)
    }
  })

  const operations: Array<Operation> = []
  for (const step of steps) {
    if ("edits" in step) {
      if (step.edits.length === 0) continue
      const path = pathOf(step.textDocument.uri)
      const hash = yield* hashOf(path, step.textDocument.version)
      operations.push({
        kind: "edit",
        path,
        hash,
        encoding,
        adaptLineEnds: true,
        edits: step.edits.map(({ newText, range }) => ({ range, newText }))
      })
    } else if (step.kind === "create") {
      const path = pathOf(step.uri)
      const there = yield* Effect.option(edits.read(path))
      const stays = Option.isSome(there) && step.options?.overwrite !== true
      made.set(path, stays ? there.value.hash : edits.hash(""))
      operations.push({ kind: "create", path, ...optionsOf(step.options) })
    } else if (step.kind === "rename") {
      const [from, to] = [pathOf(step.oldUri), pathOf(step.newUri)]
      yield* moved(from, to)
      operations.push({ kind: "rename", from, to, ...optionsOf(step.options) })
    } else {
      operations.push({
        kind: "delete",
        path: pathOf(step.uri),
        ...(step.options?.recursive === true ? { recursive: true } : {}),
        ...(step.options?.ignoreIfNotExists === true ? { ignoreIfNotExists: true } : {})
      })
    }
  }
  return operations
})
