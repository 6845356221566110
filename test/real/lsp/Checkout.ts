/** A small project on disk, and the tool `lsp` on it with real servers. */
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { Context, Effect, Layer } from "effect"
import * as Binaries from "../../../layers/lsp/Binaries.ts"
import * as NodeLanguageServers from "../../../layers/lsp/NodeLanguageServers.ts"
import * as NodeProcesses from "../../../layers/process/NodeProcesses.ts"
import * as NodeWorkspace from "../../../layers/workspace/NodeWorkspace.ts"
import type * as Answer from "../../../src/Answer.ts"
import type * as LiveTool from "../../../src/LiveTool.ts"
import { lsp } from "../../../src/lsp/Lsp.ts"
import * as Rows from "../../../src/lsp/rows/Rows.ts"
import * as Surface from "../../../src/Surface.ts"

/** Where `.ci/real-servers` puts the servers. */
export const servers = Path.join(
  process.env["XDG_CACHE_HOME"] ?? Path.join(Os.homedir(), ".cache"),
  "livetools-ci/servers"
)

const folders = [
  "typescript7/node_modules/.bin",
  "pyright/node_modules/.bin",
  "npm/node_modules/.bin",
  "venv/bin",
  "bin"
].map((folder) => Path.join(servers, folder))

process.env["PATH"] = [...folders, process.env["PATH"]].join(Path.delimiter)

/** Whether a program is installed where the suite looks for servers. */
export const isInstalled = (program: string): boolean =>
  process.env["PATH"]!.split(Path.delimiter).some((folder) => Fs.existsSync(Path.join(folder, program)))

/** In CI a server that is not there is a failure, elsewhere its tests are left out. */
export const isRequired = process.env["LIVETOOLS_REQUIRE_REAL"] === "1"

export type Params = LiveTool.ParamsOf<typeof lsp>
export type Value = LiveTool.ValueOf<typeof lsp>

export class Checkout extends Context.Service<
  Checkout,
  {
    readonly root: string
    readonly call: (params: Params) => Effect.Effect<Answer.Answer<Value>>
    readonly read: (path: string) => string
    /** Behind the servers' back. */
    readonly write: (path: string, text: string) => void
    readonly remove: (path: string) => void
  }
>()("test/Checkout") {}

export interface Project {
  /** By path; `${root}` stands for the project's folder. */
  readonly files: Readonly<Record<string, string>>
  /** Links into the servers' folder: from a path of the project. */
  readonly links?: Readonly<Record<string, string>>
}

export const layer = ({ files, links = {} }: Project): Layer.Layer<Checkout> => {
  const root = Effect.acquireRelease(
    Effect.sync(() => {
      const folder = Fs.realpathSync(Fs.mkdtempSync(Path.join(Os.tmpdir(), "real-lsp-")))
      for (const [path, text] of Object.entries(files)) {
        Fs.mkdirSync(Path.dirname(Path.join(folder, path)), { recursive: true })
        Fs.writeFileSync(Path.join(folder, path), text.replaceAll("${root}", folder))
      }
      for (const [path, to] of Object.entries(links)) {
        Fs.mkdirSync(Path.dirname(Path.join(folder, path)), { recursive: true })
        Fs.symlinkSync(Path.join(servers, to), Path.join(folder, path))
      }
      return folder
    }),
    (folder) => Effect.sync(() => Fs.rmSync(folder, { recursive: true, force: true }))
  )
  const checkout = Effect.gen(function* () {
    const folder = yield* root
    const languageServers = Layer.unwrap(
      Effect.map(Binaries.make({ workspace: folder, isTrusted: true }), (findBinary) =>
        NodeLanguageServers.layer({ rows: Rows.shipped, findBinary })
      )
    ).pipe(
      Layer.provideMerge(Layer.mergeAll(NodeWorkspace.layer({ root: folder }), NodeProcesses.layer())),
      Layer.orDie
    )
    const context = yield* Layer.build(languageServers)
    const surface = yield* Effect.provideContext(Effect.orDie(Surface.make([lsp])), context)
    return Checkout.of({
      root: folder,
      call: (params) => surface.call("lsp", params),
      read: (path) => Fs.readFileSync(Path.join(folder, path), "utf8"),
      write: (path, text) => {
        Fs.mkdirSync(Path.dirname(Path.join(folder, path)), { recursive: true })
        Fs.writeFileSync(Path.join(folder, path), text)
      },
      remove: (path) => Fs.rmSync(Path.join(folder, path))
    })
  })
  return Layer.effect(Checkout, checkout)
}
