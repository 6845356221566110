/** Carries out a code action: its edit, then its command with the edits that come of it, all as one edit (C90, C91). */
import { Effect, Option, Result } from "effect"
import { Edits, type Resolved } from "../Edits.ts"
import type { Operation } from "../edits/Plan.ts"
import * as ToolError from "../ToolError.ts"
import { Workspace } from "../Workspace.ts"
import type { Candidate } from "./ApplyChoice.ts"
import * as EditOfServer from "./EditOfServer.ts"
import { LanguageServers } from "./LanguageServers.ts"
import type { AskError, Asking, Question } from "./Question.ts"
import type { AppliedEdit } from "./ServerRequests.ts"
import type * as WhereToWrite from "./WhereToWrite.ts"
import * as Wire from "./Wire.ts"
import * as WorkspaceEdit from "./WorkspaceEdit.ts"

interface Command {
  readonly command: string
  readonly arguments: unknown
}

/** An action with all that it does. */
interface Whole {
  readonly edit: WorkspaceEdit.WorkspaceEdit | undefined
  readonly basis: WorkspaceEdit.Basis
  readonly command: Command | undefined
  /** Whether the server takes the command; otherwise it is one for an editor. */
  readonly isTaken: boolean
}

const commandOf = (raw: unknown): Command | undefined => {
  // A `Command` has a text there, a `CodeAction` a `Command` (C91).
  const own = Wire.get(raw, "command")
  if (typeof own === "string") return { command: own, arguments: Wire.get(raw, "arguments") }
  const command = Wire.get(own, "command")
  return typeof command === "string" ? { command, arguments: Wire.get(own, "arguments") } : undefined
}

const executes = ({ capabilities }: Asking, { command }: Command): boolean => {
  const known = capabilities.option("workspace/executeCommand", "commands")
  return Array.isArray(known) && known.includes(command)
}

const whole = (action: Candidate): Question<Result.Result<Whole, string>> => ({
  name: "code_actions",
  scope: "place",
  isProvided: (capabilities, document) => capabilities.provides("textDocument/codeAction", document),
  ask: Effect.fnUntraced(function* (asking) {
    const { capabilities } = asking
    let raw = action.raw
    const isBare = typeof Wire.get(raw, "command") !== "string" && Wire.get(raw, "edit") === undefined
    if (isBare && capabilities.option("textDocument/codeAction", "resolveProvider") === true) {
      const resolved = yield* asking.request("codeAction/resolve", raw).pipe(
        Effect.map((value): Result.Result<unknown, string> => Result.succeed(value)),
        Effect.catch((error: AskError) =>
          EditOfServer.isRefusal(error) ? Effect.succeed(Result.fail(error.message)) : Effect.fail(error)
        )
      )
      if (Result.isFailure(resolved)) return Option.some(Result.fail(resolved.failure))
      if (Wire.isRecord(resolved.success)) raw = resolved.success
    }
    const sent = Wire.get(raw, "edit")
    const edit = sent === undefined || sent === null ? undefined : WorkspaceEdit.decode(sent)
    if (edit !== undefined && Result.isFailure(edit)) return Option.some(Result.fail(edit.failure))
    const command = commandOf(raw)
    return Option.some(
      Result.succeed({
        edit: edit?.success,
        basis: { documents: yield* asking.documents, encoding: capabilities.encoding },
        command,
        isTaken: command !== undefined && executes(asking, command)
      })
    )
  })
})

/** The edits that were made so far, in order; each is on the disk. */
interface Made {
  readonly operations: ReadonlyArray<Operation>
  readonly resolved: Resolved
}

type Needs = Edits | LanguageServers | Workspace

const makeOne = Effect.fnUntraced(function* (
  made: Array<Made>,
  edit: WorkspaceEdit.WorkspaceEdit,
  basis: WorkspaceEdit.Basis,
  label: string
): Effect.fn.Return<void, ToolError.ToolError, Needs> {
  const operations = yield* WorkspaceEdit.toOperations(edit, basis)
  yield* (yield* EditOfServer.BeforeWrite)(EditOfServer.touched(operations))
  made.push({ operations, resolved: yield* EditOfServer.apply(operations, label) })
})

/** Takes back all that was made, the last first. */
const takeBack = Effect.fnUntraced(function* (
  made: ReadonlyArray<Made>
): Effect.fn.Return<void, ToolError.ToolError, Needs> {
  const edits = yield* Edits
  const servers = yield* LanguageServers
  for (const { resolved } of made.toReversed()) yield* servers.changed((yield* edits.undo(resolved.edit_id)).events)
})

/** Runs the command once, however often it is asked. Edits that the server sends meanwhile are made as they come. */
const execute = (
  command: Command,
  made: Array<Made>,
  doubts: Array<string>,
  label: string
): Effect.Effect<Question<Result.Result<void, string>>, never, Needs> =>
  Effect.map(Effect.context<Needs>(), (context) => {
    let outcome: Result.Result<void, string> | undefined
    let failure: string | undefined
    const take = (asking: Asking) =>
      Effect.fnUntraced(function* (params: unknown): Effect.fn.Return<AppliedEdit, never, Needs> {
        const decoded = WorkspaceEdit.decode(Wire.get(params, "edit"))
        if (Result.isFailure(decoded)) {
          failure ??= decoded.failure
          return { applied: false, failureReason: decoded.failure }
        }
        doubts.push(...decoded.success.doubts)
        const basis = { documents: yield* asking.documents, encoding: asking.capabilities.encoding }
        const done = yield* Effect.result(makeOne(made, decoded.success, basis, label))
        if (Result.isFailure(done)) {
          failure ??= done.failure.message
          return { applied: false, failureReason: done.failure.message }
        }
        // What it sends next is for the texts that are there now.
        yield* asking.open([])
        return { applied: true }
      }, Effect.provideContext(context))
    return {
      name: "workspace/executeCommand",
      scope: "place",
      isProvided: (capabilities) => capabilities.provides("workspace/executeCommand"),
      ask: Effect.fnUntraced(function* (asking) {
        if (outcome !== undefined) return Option.some(outcome)
        outcome = Result.fail("its command was interrupted")
        const params = {
          command: command.command,
          ...(Array.isArray(command.arguments) ? { arguments: command.arguments } : {})
        }
        const result = yield* Effect.result(
          asking.takingEdits(take(asking), asking.request("workspace/executeCommand", params))
        )
        const said = Result.isFailure(result) ? result.failure.message : undefined
        const reason = failure ?? said
        outcome = reason === undefined ? Result.succeed(undefined) : Result.fail(reason)
        return Option.some(outcome)
      })
    }
  })

/** One edit in the place of several, so that one id takes all of it back. */
const asOne = Effect.fnUntraced(function* (
  made: ReadonlyArray<Made>,
  label: string
): Effect.fn.Return<Resolved, ToolError.ToolError, Needs> {
  const [first, second] = made
  if (first !== undefined && second === undefined) return first.resolved
  yield* takeBack(made)
  return yield* EditOfServer.apply(
    made.flatMap(({ operations }) => operations),
    label
  )
})

const refuse = (message: string) => ToolError.make("refused_edit", `${message} Nothing was changed.`)

/** Applies an action of the server that offered it. */
export const run = Effect.fnUntraced(function* (
  action: Candidate,
  where: WhereToWrite.Where
): Effect.fn.Return<
  { readonly edit_id: string; readonly files: Resolved["files"]; readonly warnings: ReadonlyArray<string> },
  ToolError.ToolError,
  Needs
> {
  const servers = yield* LanguageServers
  const label = action.title
  const options = { server: action.server, timeout: EditOfServer.patience } as const
  const listedFor = where.text()
  const before = yield* servers.ask(whole(action), where.target, options)
  const own = yield* EditOfServer.owner(`\`${label}\``, before)
  if (own === undefined) return yield* refuse(`${action.server} says nothing of what \`${label}\` does.`)
  if (where.text() !== listedFor) {
    return yield* ToolError.make(
      "stale_edit",
      `${where.shown} was changed while \`${label}\` was asked for. Nothing was changed; call again.`
    )
  }
  if (Result.isFailure(own.value)) return yield* refuse(`\`${label}\` was not applied: ${own.value.failure}.`)
  const { basis, command, edit, isTaken } = own.value.success

  const made: Array<Made> = []
  const doubts = [...(edit?.doubts ?? [])]
  if (edit !== undefined && !WorkspaceEdit.isEmpty(edit)) yield* makeOne(made, edit, basis, label)
  if (command !== undefined && !isTaken) {
    if (made.length === 0) {
      return yield* refuse(`\`${label}\` is the command \`${command.command}\` of an editor, which is not run here.`)
    }
    doubts.push(`An editor would also run \`${command.command}\`; that was not done.`)
  }
  if (command !== undefined && isTaken) {
    if (made.length === 0) yield* (yield* EditOfServer.BeforeWrite)([where.target.file])
    const question = yield* execute(command, made, doubts, label)
    const failed = yield* servers.ask(question, { file: where.target.file }, options).pipe(
      Effect.flatMap((answers) => EditOfServer.owner(`\`${command.command}\``, answers)),
      Effect.flatMap((answer) =>
        answer === undefined || Result.isSuccess(answer.value)
          ? Effect.undefined
          : Effect.succeed(refuseCommand(label, answer.value.failure))
      ),
      Effect.catch((error) => Effect.succeed(error)),
      Effect.onInterrupt(() => Effect.ignore(takeBack(made)))
    )
    if (failed !== undefined) {
      yield* takeBack(made)
      return yield* failed
    }
  }
  if (made.length === 0) return yield* refuse(`\`${label}\` made no edit.`)
  const { edit_id, files, warnings } = yield* asOne(made, label)
  return { edit_id, files, warnings: [...doubts, ...warnings] }
})

const refuseCommand = (label: string, reason: string) => refuse(`\`${label}\` was not applied: ${reason}.`)
