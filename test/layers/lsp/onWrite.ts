/** The tools that write, with diagnostics, on a fake server and the edit engine on a real folder. */
import { assert } from "@effect/vitest"
import * as Path from "node:path"
import { Context, Effect, Layer } from "effect"
import * as NodeEdits from "../../../layers/edits/NodeEdits.ts"
import * as NodeWorkspace from "../../../layers/workspace/NodeWorkspace.ts"
import type * as Answer from "../../../src/Answer.ts"
import { DeferredFindings } from "../../../src/DeferredFindings.ts"
import { Edits } from "../../../src/Edits.ts"
import { resolve } from "../../../src/edits/Resolve.ts"
import { write } from "../../../src/harness/Write.ts"
import * as DiagnosticsOnWrite from "../../../src/lsp/DiagnosticsOnWrite.ts"
import type { Budgets } from "../../../src/lsp/DiagnosticsOnWriteWatch.ts"
import { LanguageServers } from "../../../src/lsp/LanguageServers.ts"
import { lspRename } from "../../../src/lsp/Rename.ts"
import { lspRenameFile } from "../../../src/lsp/RenameFile.ts"
import * as Surface from "../../../src/Surface.ts"
import * as Fake from "../../support/FakeLanguageServer.ts"

/**
 * Finds `bad X`, as X, with a warning for `odd X`; and `use a.X` where `a.t` does not have `def X`. `slow N` in a text makes the
 * answer come N ms later.
 */
export const pulled: Fake.Behaviour = (server) => {
  server.on("initialize", () => ({
    capabilities: { textDocumentSync: 2, renameProvider: true, diagnosticProvider: { interFileDependencies: true } }
  }))
  server.on("textDocument/rename", ({ newName, textDocument }) => ({
    changes: { [textDocument.uri]: [{ range: server.rangeOf(textDocument.uri, "one"), newText: newName }] }
  }))
  server.on("textDocument/diagnostic", async ({ textDocument: { uri } }) => {
    const { text } = server.documents.get(uri)!
    const slow = /slow (\d+)/.exec(text)
    if (slow !== null) await server.sleep(Number(slow[1]))
    const lines = text.split("\n")
    const a = server.documents.get(uri.replace(/[^/]*$/, "a.t"))?.text ?? "def lost"
    const items = lines.flatMap((line, number) => [
      ...[...line.matchAll(/bad (\w+)/g)].map(([, name]) => server.diagnostic(name!, number)),
      ...[...line.matchAll(/odd (\w+)/g)].map(([, name]) => ({ ...server.diagnostic(name!, number), severity: 2 })),
      ...[...line.matchAll(/use a\.(\w+)/g)].flatMap(([, name]) =>
        a.includes(`def ${name}`) ? [] : [server.diagnostic(`no ${name}`, number)]
      )
    ])
    return { kind: "full", items }
  })
}

export const pushes: Fake.Behaviour = (server) => {
  const push = async (uri: string) => {
    await server.sleep(50)
    await server.publish(
      uri,
      server.documents
        .get(uri)!
        .text.split("\n")
        .flatMap((line, number) => [...line.matchAll(/bad (\w+)/g)].map(([, name]) => server.diagnostic(name!, number)))
    )
  }
  server.on("initialize", () => ({ capabilities: { textDocumentSync: 2 } }))
  server.on("textDocument/didOpen", ({ textDocument }) => push(textDocument.uri))
  server.on("textDocument/didChange", ({ textDocument }) => push(textDocument.uri))
}

const budgets: Partial<Budgets> = { warm: "600 millis", cold: "5 seconds", deferred: "5 seconds" }

interface Value {
  readonly introduced: ReadonlyArray<{ readonly path: string; readonly line: number; readonly message: string }>
  readonly diagnostics_outcome: string
  readonly edit_id?: string
}

export const start = Effect.fnUntraced(function* (
  behaviour: Fake.Behaviour,
  options: Fake.Options & { readonly budgets?: Partial<Budgets> } = {}
) {
  const fake = yield* Fake.run(behaviour, options)
  const engine = NodeEdits.layer({ stateFolder: Path.join(fake.folder, "state") }).pipe(
    Layer.provideMerge(Layer.orDie(NodeWorkspace.layer({ root: fake.root }))),
    Layer.provideMerge(Layer.succeed(LanguageServers, fake.servers))
  )
  const context = yield* Layer.build(engine)
  const edits = Context.get(context, Edits)
  const tools = [
    DiagnosticsOnWrite.wrap(write, { paths: ({ path }) => Effect.succeed([path]) }),
    DiagnosticsOnWrite.wrap(resolve, {
      paths: ({ edit_id }) =>
        Effect.orElseSucceed(
          Effect.map(edits.describe(edit_id), ({ files }) => files.map(({ moved_to, path }) => moved_to ?? path)),
          () => []
        ),
      writes: ({ action }) => action !== "discard",
      isUndo: ({ action }) => action === "undo"
    }),
    DiagnosticsOnWrite.wrap(lspRename),
    DiagnosticsOnWrite.wrap(lspRenameFile)
  ] as const
  /** One more run on the same servers. */
  const run = Effect.gen(function* () {
    const own = yield* Layer.build(
      DiagnosticsOnWrite.layer({ ...budgets, ...options.budgets }).pipe(
        Layer.provideMerge(Layer.succeedContext(context))
      )
    )
    const surface = yield* Surface.make(tools).pipe(Effect.provideContext(own))
    return { surface, deferred: Context.get(own, DeferredFindings) }
  })
  const { deferred, surface } = yield* run
  const said = (answer: Answer.Answer<Value>) => {
    if (answer.isFailure) return assert.fail(answer.text)
    const { diagnostics_outcome, introduced } = answer.value
    return [diagnostics_outcome, ...introduced.map(({ line, message, path }) => `${path}:${line} ${message}`)]
  }
  const put = (path: string, content: string, on = surface) => on.call("write", { path, content })
  return {
    ...fake,
    run,
    surface,
    deferred,
    said,
    put,
    write: fake.write,
    writes: (path: string, content: string) => Effect.map(put(path, content), said)
  }
})
