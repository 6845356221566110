/** The tools that write what a server has made, on a fake server, with the edit engine on a real folder. */
import * as Fs from "node:fs"
import * as Path from "node:path"
import { Context, Effect, Layer } from "effect"
import * as NodeEdits from "../../../layers/edits/NodeEdits.ts"
import * as NodeWorkspace from "../../../layers/workspace/NodeWorkspace.ts"
import { Edits } from "../../../src/Edits.ts"
import { resolve } from "../../../src/edits/Resolve.ts"
import { write } from "../../../src/harness/Write.ts"
import { lspApply } from "../../../src/lsp/Apply.ts"
import { LanguageServers } from "../../../src/lsp/LanguageServers.ts"
import { lsp } from "../../../src/lsp/Lsp.ts"
import { lspRename } from "../../../src/lsp/Rename.ts"
import { lspRenameFile } from "../../../src/lsp/RenameFile.ts"
import * as Surface from "../../../src/Surface.ts"
import { Workspace } from "../../../src/Workspace.ts"
import * as Fake from "../../support/FakeLanguageServer.ts"

export const run = Effect.fnUntraced(function* (behaviour: Fake.Behaviour, options: Fake.Options = {}) {
  const fake = yield* Fake.run(behaviour, options)
  const context = yield* Layer.build(
    NodeEdits.layer({ stateFolder: Path.join(fake.folder, "state") }).pipe(
      Layer.provideMerge(Layer.orDie(NodeWorkspace.layer({ root: fake.root }))),
      Layer.provideMerge(Layer.succeed(LanguageServers, fake.servers))
    )
  )
  const surface = yield* Surface.make([lsp, lspRename, lspApply, lspRenameFile, resolve, write]).pipe(
    Effect.provideContext(context)
  )
  const tree = (): Record<string, string> => {
    const found: Record<string, string> = {}
    for (const name of Fs.readdirSync(fake.root, { recursive: true, encoding: "utf8" }).sort()) {
      const path = fake.path(name)
      if (Fs.statSync(path).isFile() && name !== "root.marker") found[name] = Fs.readFileSync(path, "utf8")
    }
    return found
  }
  const rename = (new_name: string, place: Partial<{ file: string; line: number; symbol: string }> = {}) =>
    surface.call("lsp_rename", { file: "a.t", line: 1, symbol: "one", new_name, ...place })
  return {
    ...fake,
    surface,
    edits: Context.get(context, Edits),
    workspace: Context.get(context, Workspace),
    read: (name: string) => Fs.readFileSync(fake.path(name), "utf8"),
    tree,
    rename,
    undo: (edit_id: string) => surface.call("resolve", { edit_id, action: "undo" })
  }
})
