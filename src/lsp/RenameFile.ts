/** `lsp_rename_file`: moves a file or a folder, and what refers to it follows (SPEC §4, C98). */
import { Effect, Option, Schema } from "effect"
import { Edits } from "../Edits.ts"
import * as LiveTool from "../LiveTool.ts"
import * as ToolError from "../ToolError.ts"
import { Workspace } from "../Workspace.ts"
import * as Dependants from "./Dependants.ts"
import * as EditOfServer from "./EditOfServer.ts"
import { type Answer, LanguageServers } from "./LanguageServers.ts"
import * as Outcomes from "./Outcomes.ts"
import type { Question } from "./Question.ts"
import type * as RenameFilters from "./RenameFilters.ts"
import * as Uri from "./Uri.ts"
import * as WorkspaceEdit from "./WorkspaceEdit.ts"

const Parameters = Schema.Struct({
  from: Schema.NonEmptyString.annotate({ description: "the file or folder, relative to the working directory" }),
  to: Schema.NonEmptyString.annotate({
    description: "its new path, whole; folders that are missing are made, and nothing may be there"
  })
})

interface Move {
  /** Absolute. */
  readonly from: string
  readonly to: string
  readonly kind: RenameFilters.Kind
}

const paramsOf = ({ from, to }: Move) => ({ files: [{ oldUri: Uri.fromPath(from), newUri: Uri.fromPath(to) }] })

const willRename = (move: Move): Question<EditOfServer.Made> => ({
  name: "edits for a renamed file",
  scope: "project",
  isProvided: (capabilities) => capabilities.wantsRename("willRename", move.from, move.kind),
  ask: (asking) =>
    EditOfServer.certain(asking, asking.request("workspace/willRenameFiles", paramsOf(move))).pipe(
      Effect.map((made) =>
        made._tag === "Offer" && WorkspaceEdit.isEmpty(made.offer.edit) ? Option.none() : Option.some(made)
      )
    )
})

const didRename = (move: Move): Question<true> => ({
  name: "the notification of a renamed file",
  scope: "place",
  isProvided: (capabilities) => capabilities.wantsRename("didRename", move.from, move.kind),
  ask: (asking) => Effect.as(asking.notify("workspace/didRenameFiles", paramsOf(move)), Option.some(true))
})

/** A server, and a file that it serves. */
interface Asked {
  readonly id: string
  readonly file: string
}

/** The servers of files that name this one, which may be of other languages, beside its own. */
const beside = Effect.fnUntraced(function* (file: string) {
  const servers = yield* LanguageServers
  const dependants = Dependants.make({
    edits: yield* Edits,
    workspace: yield* Workspace,
    rows: servers.rows,
    groupOf: () => ""
  })
  yield* dependants.refresh
  const keyOf = ({ id, root }: { readonly id: string; readonly root: string }) => `${id}\0${root}`
  const own = new Set((yield* servers.serving(file)).map(keyOf))
  const others = new Map<string, Asked>()
  for (const naming of dependants.direct([file])) {
    for (const one of yield* servers.serving(naming)) {
      if (!own.has(keyOf(one)) && !others.has(keyOf(one))) others.set(keyOf(one), { id: one.id, file: naming })
    }
  }
  return [...others.values()]
})

/** The servers of the file and those beside it; for a folder those of the project. */
const ask = <A>(
  question: Question<A>,
  { kind }: Move,
  file: string,
  others: ReadonlyArray<Asked>,
  timeout: "60 seconds" | "2 seconds"
) =>
  Effect.gen(function* () {
    const servers = yield* LanguageServers
    if (kind === "folder") return yield* servers.askProject(question, { timeout })
    const answers = yield* Effect.all(
      [
        servers.ask(question, { file }, { timeout }),
        ...others.map((one) => servers.ask(question, { file: one.file }, { server: one.id, timeout }))
      ],
      { concurrency: "unbounded" }
    )
    return answers.flat()
  })

/** Only one server's edits are made (C99). */
const dropped = (own: string, answers: ReadonlyArray<Answer<EditOfServer.Made>>): ReadonlyArray<string> =>
  answers.flatMap(({ id, ...answer }) =>
    answer.outcome === "found" && answer.value._tag === "Offer" && id !== own
      ? [`${id} would have changed what refers to it as well; only the edits of ${own} were made`]
      : []
  )

const followed = (answers: ReadonlyArray<Answer<unknown>>): ReadonlyArray<string> => {
  if (answers.some(({ outcome }) => outcome === "found" || outcome === "empty")) return []
  return ["No language server that runs here follows renamed files: what refers to it was not looked for or changed."]
}

export const lspRenameFile = LiveTool.make("lsp_rename_file", {
  description:
    "Moves or renames a file or a folder, and changes what refers to it (imports, includes) as its language server says, all of " +
    "it or nothing. `resolve` can take it back.",
  tier: "write",
  parameters: Parameters,
  success: EditOfServer.Value,
  requires: [LanguageServers, Edits, Workspace],
  text: (value, { from, to }) => {
    const others = value.files.filter(({ edits }) => edits > 0).length
    const changed = others === 0 ? "no file had to be changed" : `${others} file${others === 1 ? "" : "s"} changed`
    return EditOfServer.text(`renamed ${from} to ${to}; ${changed}`, value)
  },
  handler: Effect.fnUntraced(function* ({ from, to }) {
    const workspace = yield* Workspace
    const source = yield* workspace.existing(from)
    const target = yield* workspace.resolve(to)
    if (source.kind !== "file" && source.kind !== "directory") {
      return yield* ToolError.make("invalid_params", `${from} is neither a file nor a folder.`)
    }
    if (source.entry === target.entry) {
      return yield* ToolError.make("invalid_params", `${from} and ${to} are the same path: nothing would change.`)
    }
    // Before a server is asked about what cannot be.
    if (target.kind !== "missing") {
      return yield* ToolError.make(
        "refused_edit",
        `${workspace.show(target.entry)} exists already. Nothing was changed.`
      )
    }
    const move: Move = {
      from: source.entry,
      to: target.entry,
      kind: source.kind === "file" ? "file" : "folder"
    }
    const others = move.kind === "file" ? yield* beside(source.path) : []
    const make = Effect.gen(function* () {
      const answers = yield* ask(willRename(move), move, source.path, others, EditOfServer.patience)
      const isCovered = answers.some(({ outcome }) => outcome !== "not_covered")
      const own = isCovered ? yield* EditOfServer.owner(`the references to ${from}`, answers) : undefined
      const servers = answers.map(Outcomes.toPart)
      const rename = { kind: "rename" as const, from: move.from, to: move.to }
      if (own === undefined) return { operations: [rename], more: { servers, warnings: followed(answers) } }
      const { id, value } = own
      if (value._tag === "Refused") {
        return yield* ToolError.make("refused_edit", `${from} was not renamed: ${value.reason} (${id}).`)
      }
      const { basis, edit } = value.offer
      const operations = yield* WorkspaceEdit.toOperations(edit, basis)
      return {
        operations: [...operations, rename],
        more: { server: id, servers, warnings: [...edit.doubts, ...dropped(id, answers)] }
      }
    })
    const value = yield* EditOfServer.makeAndApply(make, `rename ${from} to ${to}`)
    yield* Effect.ignore(ask(didRename(move), move, move.to, others, "2 seconds"))
    return value
  })
})
