/** Composes a run of the reference harness: every resource, the gate, and the surface over what is wired. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import * as Path from "node:path"
import * as Approvals from "../src/harness/Approvals.ts"
import * as Conversation from "../src/Conversation.ts"
import { Cards } from "../src/harness/Cards.ts"
import * as Commands from "../src/harness/Commands.ts"
import * as AgentWorker from "../src/harness/AgentWorker.ts"
import * as CardQuestions from "../src/harness/CardQuestions.ts"
import { RunInfo } from "../src/harness/RunInfo.ts"
import * as VibeSwitch from "../src/harness/VibeSwitch.ts"
import type { Settings } from "../src/harness/Settings.ts"
import * as Read from "../src/harness/Read.ts"
import { debug } from "../src/debug/Debug.ts"
import type { Row as AdapterRow } from "../src/debug/adapters/Row.ts"
import * as AdapterRows from "../src/debug/adapters/Rows.ts"
import { astEdit } from "../src/syntax/AstEdit.ts"
import { astGrep } from "../src/syntax/AstGrep.ts"
import * as Budget from "../src/Budget.ts"
import { evalTool } from "../src/kernel/Eval.ts"
import * as DiagnosticsOnWrite from "../src/lsp/DiagnosticsOnWrite.ts"
import { lsp } from "../src/lsp/Lsp.ts"
import type { Row } from "../src/lsp/rows/Row.ts"
import * as Rows from "../src/lsp/rows/Rows.ts"
import * as AskUser from "../src/question/AskUser.ts"
import { TargetSpace } from "../src/question/Questions.ts"
import * as Tier from "../src/Tier.ts"
import { vibe } from "../src/vibe/VibeTools.ts"
import { Workspace } from "../src/Workspace.ts"
import * as AgentModule from "./AgentModule.ts"
import * as SettingsFiles from "./SettingsFiles.ts"
import * as NodeDebuggers from "./debug/NodeDebuggers.ts"
import * as FindAdapters from "./debug/adapters/Find.ts"
import * as NodeEdits from "./edits/NodeEdits.ts"
import * as Binaries from "./lsp/Binaries.ts"
import * as Checkers from "./lsp/Checkers.ts"
import * as NodeLanguageServers from "./lsp/NodeLanguageServers.ts"
import * as Bubblewrap from "./kernel/Bubblewrap.ts"
import * as NodeKernels from "./kernel/NodeKernels.ts"
import * as NodeProcesses from "./process/NodeProcesses.ts"
import * as NodeParsers from "./syntax/NodeParsers.ts"
import * as StateFolder from "./edits/StateFolder.ts"
import * as LocalRoster from "./vibe/LocalRoster.ts"
import * as WriteTools from "./WriteTools.ts"
import * as NodeWorkspace from "./workspace/NodeWorkspace.ts"

/** A run in a directory. Nothing is started before a tool needs it; everything is released with the scope. */
export const layer = (
  options: Commands.RunOptions
): Layer.Layer<Commands.Run, Commands.UsageError | Commands.ModelFailed> => {
  const cwd = Path.resolve(options.cwd)
  return Layer.unwrap(
    Effect.gen(function* () {
      const settings = yield* SettingsFiles.load({ cwd, isTrusted: options.isTrusted })
      const rows = yield* Effect.fromResult(Rows.configure(Rows.shipped, settings.servers ?? {}))
      const adapters = yield* Effect.fromResult(AdapterRows.configure(AdapterRows.shipped, settings.adapters ?? {}))
      return compose({ ...options, cwd, cap: Tier.min(options.cap, settings.cap ?? "exec") }, settings, rows, adapters)
    }).pipe(
      Effect.mapError(
        (error) => new Commands.UsageError({ message: "message" in error ? error.message : error.join(" ") })
      )
    )
  )
}

const compose = (
  options: Commands.RunOptions,
  settings: Settings,
  rows: ReadonlyArray<Row>,
  adapters: ReadonlyArray<AdapterRow>
) => {
  const id = randomUUID()
  const conversation = options.conversation ?? randomUUID()
  const workspace = Layer.catch(NodeWorkspace.layer({ root: options.cwd }), ({ message }) =>
    Layer.effect(Workspace, Effect.fail(new Commands.UsageError({ message })))
  )
  const info = Layer.effect(
    RunInfo,
    Effect.map(Workspace, ({ root }) => RunInfo.of({ id, conversation, cwd: root, cap: options.cap }))
  )
  const gate = Approvals.layer({ policy: options.isApproved ? Approvals.allowAll : Approvals.askForChanges })
  // A run that may only read never writes, not even to repair what a killed one left (SPEC §6.5).
  const edits = NodeEdits.layer({ repair: options.cap !== "read" })
  const servers = Layer.unwrap(
    Effect.gen(function* () {
      const { root } = yield* Workspace
      const findBinary = yield* Binaries.make({ workspace: root, isTrusted: options.isTrusted })
      const check = yield* Checkers.make({ root, isTrusted: options.isTrusted, findBinary })
      return NodeLanguageServers.layer({ rows, findBinary, check })
    })
  )
  const onWrite = DiagnosticsOnWrite.layer().pipe(Layer.provideMerge(Layer.merge(servers, edits)))
  const parsers = NodeParsers.layer({ largestFile: settings.caps?.ast_grep_file_bytes })
  const human = Layer.merge(CardQuestions.layer, Layer.succeed(TargetSpace, { id: conversation }))
  const models = options.model === undefined ? Layer.empty : AgentModule.layer(options.model)
  const enclosure = settings.enclosure === undefined ? Layer.empty : Bubblewrap.layer(settings.enclosure)
  const kernels = NodeKernels.layer({ isTrusted: options.isTrusted, ...kernelOptions(settings) }).pipe(
    Layer.provide(enclosure)
  )
  const debuggers = Layer.unwrap(
    Effect.gen(function* () {
      const { root } = yield* Workspace
      return NodeDebuggers.layer({
        find: yield* FindAdapters.make({ root, isTrusted: options.isTrusted, rows: adapters })
      })
    })
  )
  /** What belongs to one agent: a worker that is killed takes its interpreters and its debug session along. */
  const ownOf = (talk: string) => Layer.mergeAll(kernels, debuggers, Conversation.layer(talk))
  const resources = Layer.mergeAll(info, gate, parsers, onWrite, ownOf(conversation), human, models).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        workspace,
        Cards.layer,
        AgentWorker.WorkerEvents.layer,
        NodeFileSystem.layer,
        NodeProcesses.layer({ runId: id })
      )
    )
  )
  const shared = tools(settings)
  const roster = LocalRoster.layer({
    runId: id,
    folder: Path.join(StateFolder.path(process.env, process.platform), "workers"),
    atOnce: settings.caps?.workers,
    timeLimit: secondsOf(settings.budgets?.worker_seconds)
  }).pipe(
    Layer.provide(
      AgentWorker.layer({
        tools: shared,
        cwd: options.cwd,
        own: ({ worker_id }) => ownOf(`${conversation}/${worker_id}`)
      })
    )
  )
  return Layer.orDie(
    VibeSwitch.layer({ tools: [...shared, ...vibe], cap: options.cap, isOn: options.isVibe ?? false, roster })
  ).pipe(Layer.provideMerge(resources))
}

const secondsOf = (seconds: number | undefined) =>
  seconds === undefined ? undefined : Budget.after(`${seconds} seconds`)

const kernelOptions = ({ budgets, caps, python }: Settings) => ({
  python,
  inactivity: secondsOf(budgets?.eval_inactivity_seconds),
  outer: secondsOf(budgets?.eval_cell_seconds),
  limits: caps?.eval_output_bytes === undefined ? undefined : { inlineBytes: caps.eval_output_bytes }
})

const tools = ({ budgets, caps }: Settings) => [
  Read.make(caps?.read_file_bytes),
  ...WriteTools.files,
  astGrep,
  astEdit,
  lsp,
  ...WriteTools.edits,
  debug,
  evalTool,
  AskUser.make({ timeout: secondsOf(budgets?.ask_user_seconds) })
]
