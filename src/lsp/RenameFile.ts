/** `lsp_rename_file`: moves a file or a folder, and what refers to it follows (SPEC §4, C98). */
import { Effect, Option, Schema } from "effect"
import { Edits } from "../Edits.ts"
import * as LiveTool from "../LiveTool.ts"
import * as ToolError from "../ToolError.ts"
import { Workspace } from "../Workspace.ts"
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

/** The servers of the file, or those of the project for a folder. */
const ask = <A>(question: Question<A>, { kind }: Move, file: string, timeout: "60 seconds" | "2 seconds") =>
  Effect.flatMap(LanguageServers, (servers) =>
    kind === "file" ? servers.ask(question, { file }, { timeout }) : servers.askProject(question, { timeout })
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
    const make = Effect.gen(function* () {
      const answers = yield* ask(willRename(move), move, source.path, EditOfServer.patience)
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
      return { operations: [...operations, rename], more: { server: id, servers, warnings: edit.doubts } }
    })
    const value = yield* EditOfServer.makeAndApply(make, `rename ${from} to ${to}`)
    yield* Effect.ignore(ask(didRename(move), move, move.to, "2 seconds"))
    return value
  })
})
