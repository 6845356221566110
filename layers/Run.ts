/** Composes a run of the reference harness: every resource, the gate, and the surface over what is wired. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import * as Path from "node:path"
import * as Approvals from "../src/harness/Approvals.ts"
import { Cards } from "../src/harness/Cards.ts"
import * as Commands from "../src/harness/Commands.ts"
import { RunInfo } from "../src/harness/RunInfo.ts"
import type { Settings } from "../src/harness/Settings.ts"
import * as Read from "../src/harness/Read.ts"
import { astEdit } from "../src/syntax/AstEdit.ts"
import { astGrep } from "../src/syntax/AstGrep.ts"
import * as DiagnosticsOnWrite from "../src/lsp/DiagnosticsOnWrite.ts"
import { lsp } from "../src/lsp/Lsp.ts"
import type { Row } from "../src/lsp/rows/Row.ts"
import * as Rows from "../src/lsp/rows/Rows.ts"
import * as Surface from "../src/Surface.ts"
import * as Tier from "../src/Tier.ts"
import { Workspace } from "../src/Workspace.ts"
import * as SettingsFiles from "./SettingsFiles.ts"
import * as NodeEdits from "./edits/NodeEdits.ts"
import * as Binaries from "./lsp/Binaries.ts"
import * as Checkers from "./lsp/Checkers.ts"
import * as NodeLanguageServers from "./lsp/NodeLanguageServers.ts"
import * as NodeProcesses from "./process/NodeProcesses.ts"
import * as NodeParsers from "./syntax/NodeParsers.ts"
import * as WriteTools from "./WriteTools.ts"
import * as NodeWorkspace from "./workspace/NodeWorkspace.ts"

/** A run in a directory. Nothing is started before a tool needs it; everything is released with the scope. */
export const layer = (options: Commands.RunOptions): Layer.Layer<Commands.Run, Commands.UsageError> => {
  const cwd = Path.resolve(options.cwd)
  return Layer.unwrap(
    Effect.gen(function* () {
      const settings = yield* SettingsFiles.load({ cwd, isTrusted: options.isTrusted })
      const rows = yield* Effect.fromResult(Rows.configure(Rows.shipped, settings.servers ?? {}))
      return compose({ ...options, cwd, cap: Tier.min(options.cap, settings.cap ?? "exec") }, settings, rows)
    }).pipe(
      Effect.mapError(
        (error) => new Commands.UsageError({ message: "message" in error ? error.message : error.join(" ") })
      )
    )
  )
}

const compose = (options: Commands.RunOptions, settings: Settings, rows: ReadonlyArray<Row>) => {
  const id = randomUUID()
  const workspace = Layer.catch(NodeWorkspace.layer({ root: options.cwd }), ({ message }) =>
    Layer.effect(Workspace, Effect.fail(new Commands.UsageError({ message })))
  )
  const info = Layer.effect(
    RunInfo,
    Effect.map(Workspace, ({ root }) =>
      RunInfo.of({ id, conversation: options.conversation ?? randomUUID(), cwd: root, cap: options.cap })
    )
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
  const resources = Layer.mergeAll(info, gate, parsers, onWrite).pipe(
    Layer.provideMerge(Layer.mergeAll(workspace, Cards.layer, NodeFileSystem.layer, NodeProcesses.layer({ runId: id })))
  )
  return Layer.orDie(Surface.layerWired(tools(settings), { cap: options.cap })).pipe(Layer.provideMerge(resources))
}

const tools = ({ caps }: Settings) => [
  Read.make(caps?.read_file_bytes),
  ...WriteTools.files,
  astGrep,
  astEdit,
  lsp,
  ...WriteTools.edits
]
