/** `lsp_rename`: renames a symbol in the whole project (SPEC §4). */
import { Effect, Option, Schema } from "effect"
import { Edits } from "../Edits.ts"
import * as LiveTool from "../LiveTool.ts"
import * as ToolError from "../ToolError.ts"
import { Workspace } from "../Workspace.ts"
import * as EditOfServer from "./EditOfServer.ts"
import { LanguageServers } from "./LanguageServers.ts"
import * as Mentions from "./Mentions.ts"
import * as Outcomes from "./Outcomes.ts"
import type { AskError, Asking, Question } from "./Question.ts"
import * as RenameName from "./RenameName.ts"
import * as TextPositions from "./TextPositions.ts"
import * as WhereToWrite from "./WhereToWrite.ts"
import * as Wire from "./Wire.ts"
import * as WorkspaceEdit from "./WorkspaceEdit.ts"

const Parameters = Schema.Struct({
  file: Schema.NonEmptyString.annotate({
    description: "a file where the symbol is, relative to the working directory"
  }),
  line: Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)).annotate({ description: "the line of the symbol, 1-based" }),
  symbol: Schema.NonEmptyString.annotate({
    description: "the name as it stands on that line; `name#2` for its second occurrence there"
  }),
  new_name: Schema.String.annotate({ description: "the new name, alone" })
})

type Answer = EditOfServer.Made | { readonly _tag: "BadName"; readonly reason: string }

const methods = { rename: "textDocument/rename", prepare: "textDocument/prepareRename" } as const

/**
 * What `prepareRename` says is renamed (C92): the name where it tells one; `undefined` for the client's own rule. `elsewhere`:
 * it means another place than it was asked about, as the name after a keyword.
 */
const nameOf = (prepared: unknown, text: string, asking: Asking) => {
  const range = Option.getOrUndefined(decodeRange(Wire.get(prepared, "range") ?? prepared))
  const placeholder = Wire.get(prepared, "placeholder")
  const told = typeof placeholder === "string" && placeholder !== "" ? placeholder : undefined
  if (range === undefined) return { name: told, elsewhere: false }
  const indexed = TextPositions.index(text)
  const offset = (position: TextPositions.Position) =>
    TextPositions.toOffset(indexed, position, asking.capabilities.encoding)
  const [start, end] = [offset(range.start), offset(range.end)]
  return { name: told ?? text.slice(start, end), elsewhere: asking.offset < start || asking.offset > end }
}
const decodeRange = Schema.decodeUnknownOption(Wire.Range)

const question = (where: WhereToWrite.Where, newName: string, others: ReadonlyArray<string>): Question<Answer> => ({
  name: "rename",
  scope: "project",
  isProvided: (capabilities, document) => capabilities.provides(methods.rename, document),
  ask: Effect.fnUntraced(function* (asking) {
    yield* show(asking, [where.target.file, ...others])
    let name = where.word()
    if (asking.capabilities.option(methods.rename, "prepareProvider") === true) {
      const prepared = yield* refusing(asking.request(methods.prepare, asking.place))
      if (prepared._tag === "Refused") return Option.some<Answer>(prepared)
      // It may know better when it has loaded: that is for the port to find out.
      if (prepared.value === null || prepared.value === undefined) return Option.none()
      const named = nameOf(prepared.value, where.text(), asking)
      if (named.elsewhere) {
        return Option.some<Answer>(EditOfServer.refused(`what would be renamed is \`${named.name}\`, beside it`))
      }
      name = named.name ?? name
    }
    const reason = RenameName.fault({ from: name, to: newName, languageId: asking.document?.languageId })
    if (reason !== undefined) return Option.some<Answer>({ _tag: "BadName", reason })
    const request = asking.request(methods.rename, { ...asking.place, newName })
    const made = yield* EditOfServer.certain(asking, request)
    return made._tag === "Offer" && WorkspaceEdit.isEmpty(made.offer.edit) ? Option.none() : Option.some<Answer>(made)
  })
})

const refusing = (
  request: Effect.Effect<unknown, AskError>
): Effect.Effect<
  { readonly _tag: "Said"; readonly value: unknown } | Extract<EditOfServer.Made, { readonly _tag: "Refused" }>,
  AskError
> =>
  request.pipe(
    Effect.map((value) => ({ _tag: "Said" as const, value })),
    Effect.catch((error) =>
      EditOfServer.isRefusal(error)
        ? Effect.succeed({ _tag: "Refused" as const, reason: error.message })
        : Effect.fail(error)
    )
  )

/** How many files that have the name in them the server is shown first, and how long it has for them. */
const mostShown = 32
const showing = "5 seconds"

/** The files that have the name in them, beside the one that is asked about. */
const mentioning = Effect.fnUntraced(function* (where: WhereToWrite.Where) {
  const edits = yield* Edits
  const { at, file } = where.target
  const { text } = yield* edits.read(file)
  if (at !== undefined) yield* at(TextPositions.index(text))
  return yield* Mentions.find(file, [where.word()], mostShown)
})

/**
 * A server renames what it has loaded, and many load a file only when it is opened: pyright, clangd without an index. That it
 * can tell what is in a file shows that it has read it.
 */
const show = Effect.fnUntraced(function* (asking: Asking, paths: ReadonlyArray<string>) {
  yield* asking.open(paths)
  const outline = "textDocument/documentSymbol"
  const documents = (yield* asking.documents).filter(
    (document) => paths.includes(document.path) && asking.capabilities.provides(outline, document)
  )
  yield* Effect.forEach(documents, ({ uri }) => Effect.ignore(asking.request(outline, { textDocument: { uri } })), {
    concurrency: "unbounded",
    discard: true
  }).pipe(Effect.timeoutOption(showing))
})

export const lspRename = LiveTool.make("lsp_rename", {
  description:
    "Renames a symbol everywhere in the project, by its language server: the declaration and every use, in every file or in " +
    "none. The symbol is named by a line and the text that stands on it. The answer shows each changed line, and `resolve` can " +
    "take the rename back.",
  tier: "write",
  parameters: Parameters,
  success: EditOfServer.Value,
  requires: [LanguageServers, Edits, Workspace],
  text: (value, { new_name, symbol }) => {
    const edits = value.files.reduce((sum, file) => sum + file.edits, 0)
    const files = `${value.files.length} file${value.files.length === 1 ? "" : "s"}`
    return EditOfServer.text(
      `renamed \`${symbol}\` to \`${new_name}\`: ${edits} edit${edits === 1 ? "" : "s"} in ${files}`,
      value
    )
  },
  handler: ({ file, line, new_name, symbol }) => {
    const make = Effect.gen(function* () {
      const servers = yield* LanguageServers
      const where = yield* WhereToWrite.make({ file, line, symbol })
      const what = `the rename of \`${symbol}\` at ${where.shown}:${line}`
      const others = yield* mentioning(where)
      const answers = yield* servers.ask(question(where, new_name, others), where.target, {
        timeout: EditOfServer.patience
      })
      const own = yield* EditOfServer.owner(what, answers)
      if (own === undefined) {
        const said = answers.filter(({ outcome }) => outcome === "empty").map(({ id }) => id)
        return yield* refuse(
          `Nothing was changed: by ${said.join(", ")} there is nothing that can be renamed at \`${symbol}\`, ${where.shown}:${line}.`
        )
      }
      const { id, value } = own
      if (value._tag === "BadName") {
        return yield* ToolError.make(
          "invalid_params",
          `\`${new_name}\` cannot be the new name: ${value.reason}. Nothing was changed.`
        )
      }
      if (value._tag === "Refused") {
        return yield* refuse(
          `\`${symbol}\` at ${where.shown}:${line} was not renamed: ${value.reason} (${id}). Nothing was changed.`
        )
      }
      const { basis, edit } = value.offer
      return {
        operations: yield* WorkspaceEdit.toOperations(edit, basis),
        more: { server: id, servers: answers.map(Outcomes.toPart), warnings: [...where.notes(), ...edit.doubts] }
      }
    })
    return EditOfServer.makeAndApply(make, `rename ${symbol} to ${new_name}`)
  }
})

const refuse = (message: string) => ToolError.make("refused_edit", message)
