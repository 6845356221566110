/** The scriptable language server, and a run of the port `LanguageServers` with it. */
import { randomUUID } from "node:crypto"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import { Clock, Context, Effect, Layer, Option, Schedule } from "effect"
import * as NodeLanguageServers from "../../layers/lsp/NodeLanguageServers.ts"
import * as NodeProcesses from "../../layers/process/NodeProcesses.ts"
import * as NodeWorkspace from "../../layers/workspace/NodeWorkspace.ts"
import { type Answer, type FindBinary, LanguageServers } from "../../src/lsp/LanguageServers.ts"
import type { Policy } from "../../src/lsp/Policy.ts"
import type { Question } from "../../src/lsp/Question.ts"
import type { Row } from "../../src/lsp/rows/Row.ts"
import * as Uri from "../../src/lsp/Uri.ts"
import * as Wire from "../../src/lsp/Wire.ts"

/** What came with a message; tests know what they sent. */
// oxlint-disable-next-line no-explicit-any
type Params = any

export interface Server {
  readonly noReply: symbol
  readonly documents: Map<string, { text: string; version: number; languageId: string }>
  /** The result of a request is what the handler returns, or the error that it throws. */
  readonly on: (method: string, handler: (params: Params, message: { readonly id: unknown }) => unknown) => void
  readonly send: (message: object) => Promise<void>
  readonly raw: (data: string | Uint8Array) => Promise<void>
  readonly frame: (message: object) => string
  readonly notify: (method: string, params?: unknown) => Promise<void>
  readonly request: (method: string, params?: unknown, id?: string | number) => Promise<Params>
  readonly publish: (uri: string, messages: ReadonlyArray<unknown>, version?: number) => Promise<void>
  readonly diagnostic: (message: string, line?: number) => object
  /** From now on, output comes in chunks of this many bytes. */
  readonly split: (size: number) => void
  readonly encode: (encoding: string) => void
  readonly rangeOf: (uri: string, word: string) => object
  readonly stderr: (text: string) => void
  readonly sleep: (millis: number) => Promise<void>
  readonly exit: (code: number) => never
  readonly kill: (signal: string) => void
  readonly stopReading: () => void
  readonly closeOutput: () => void
  readonly fork: () => void
  readonly ignoreTermination: () => void
  readonly keepAlive: () => void
  readonly log: (entry: object) => void
}

/** Runs in the process of the server: it sees nothing but its argument. */
export type Behaviour = (server: Server) => void | Promise<void>

/** A line of the server's log. */
export interface Logged {
  readonly pid?: number
  readonly parent?: number
  readonly cwd?: string
  readonly child?: number
  readonly received?: {
    readonly id?: unknown
    readonly method?: string
    readonly params?: Params
    result?: Params
    error?: Params
  }
  readonly hasNullParams?: boolean
  readonly malformed?: string
  readonly text?: string
  readonly of?: string
  readonly [key: string]: unknown
}

const script = fileURLToPath(new URL("./FakeLanguageServer.mjs", import.meta.url))

export interface Fake {
  readonly behaviour: Behaviour
  /** Added to the row, or instead of what it has. */
  readonly row?: Partial<Row>
}

export interface Options {
  readonly files?: { readonly [name: string]: string | Uint8Array }
  readonly policy?: Partial<Policy>
  /** Other servers, by id. */
  readonly others?: { readonly [id: string]: Fake }
  readonly row?: Partial<Row>
  readonly findBinary?: FindBinary
  /** The working directory is given as a link to it. */
  readonly isLinked?: boolean
}

export const realClock = Context.get(Context.empty(), Clock.Clock)

/** Waits in real time until a look gives something. */
export const eventually = <A>(look: () => A | undefined): Effect.Effect<A> =>
  Effect.suspend(() => Effect.fromNullishOr(look())).pipe(
    Effect.retry(Schedule.spaced("10 millis").pipe(Schedule.upTo({ duration: "5 seconds" }))),
    Effect.orDie,
    Effect.provideService(Clock.Clock, realClock)
  )

/** A folder with a project, and the port with fakes for its servers; `fake` serves `.t` files below a `root.marker`. */
export const run = Effect.fnUntraced(function* (behaviour: Behaviour, options: Options = {}) {
  const folder = Fs.realpathSync(Fs.mkdtempSync(Path.join(Os.tmpdir(), "livetools-lsp-")))
  yield* Effect.addFinalizer(() => Effect.sync(() => Fs.rmSync(folder, { recursive: true, force: true })))
  const root = Path.join(folder, "project")
  const path = (name: string) => Path.join(root, name)
  const write = (name: string, content: string | Uint8Array) => {
    Fs.mkdirSync(Path.dirname(path(name)), { recursive: true })
    Fs.writeFileSync(path(name), content)
  }
  for (const [name, content] of Object.entries({ "root.marker": "", "a.t": "one two\n", ...options.files })) {
    write(name, content)
  }
  const logFile = (id: string) => Path.join(folder, `${id}.log`)
  const toRow = (id: string, fake: Fake): Row => {
    const file = Path.join(folder, `${id}.mjs`)
    Fs.writeFileSync(file, `export default ${fake.behaviour.toString()}\n`)
    Fs.writeFileSync(logFile(id), "")
    return {
      id,
      languages: [{ id: "tee", extensions: [".t"] }],
      markers: ["root.marker"],
      binary: { name: "node" },
      args: [script, file, logFile(id)],
      ...fake.row
    }
  }
  const rows = [
    toRow("fake", { behaviour, ...(options.row === undefined ? {} : { row: options.row }) }),
    ...Object.entries(options.others ?? {}).map(([id, other]) => toRow(id, other))
  ]
  const link = Path.join(folder, "link")
  Fs.symlinkSync(root, link)
  const runId = `lsp-${randomUUID()}`
  const findBinary: FindBinary = () => Effect.succeed({ status: "found", command: process.execPath })
  const context = yield* Layer.build(
    NodeLanguageServers.layer({
      rows,
      findBinary: options.findBinary ?? findBinary,
      policy: options.policy ?? {}
    }).pipe(
      Layer.provideMerge(
        Layer.mergeAll(
          NodeProcesses.layer({ runId }),
          Layer.orDie(NodeWorkspace.layer({ root: options.isLinked === true ? link : root }))
        )
      )
    )
  )
  const servers = Context.get(context, LanguageServers)
  const log = (id = "fake"): ReadonlyArray<Logged> =>
    Fs.readFileSync(logFile(id), "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Logged)
  const received = (method?: string, id?: string) =>
    log(id).flatMap((entry) =>
      entry.received !== undefined && (method === undefined || entry.received.method === method) ? [entry.received] : []
    )
  return {
    servers,
    root,
    folder,
    path,
    uri: (name: string) => Uri.fromPath(path(name)),
    write,
    log,
    /** The messages that the server received, of one method or all. */
    received,
    methods: (id?: string) => received(undefined, id).flatMap(({ method }) => method ?? []),
    /** The processes that were servers. */
    pids: (id?: string) => log(id).flatMap(({ pid }) => pid ?? []),
    runId
  }
})

export type Run = Effect.Success<ReturnType<typeof run>>

/** A question that is one request, its answer as it came; `null`, `[]` and `{}` are nothing. */
export const plain = (method: string, scope: Question<unknown>["scope"] = "place"): Question<Params> => ({
  name: method,
  scope,
  isProvided: (capabilities, document) => capabilities.provides(method, document),
  ask: (asking) =>
    asking.request(method, asking.place).pipe(
      Effect.map((result) => {
        const isNothing = result === null || (Array.isArray(result) && result.length === 0)
        return isNothing ? Option.none() : Option.some(result)
      })
    )
})

export const hover = plain("textDocument/hover")

/** Where something is, located. */
export const definition: Question<
  ReadonlyArray<{ path: string; line: number; column: number; text: string | undefined }>
> = {
  name: "definition",
  scope: "place",
  isProvided: (capabilities, document) => capabilities.provides("textDocument/definition", document),
  ask: (asking) =>
    asking.request("textDocument/definition", asking.place).pipe(
      Effect.flatMap((result) => asking.locate(Wire.locations(result))),
      Effect.map((locations) =>
        locations.length === 0
          ? Option.none()
          : Option.some(locations.map(({ column, line, path, text }) => ({ path, line, column, text })))
      )
    )
}

/** The answers without the roots, which are folders of this machine. */
export const outcomes = <A>(answers: ReadonlyArray<Answer<A>>) =>
  answers.map(({ root, ...answer }) => {
    void root
    return answer
  })

/** Of diagnostics, the messages. */
export const messages = (answer: Answer<ReadonlyArray<{ readonly message: string }>> | undefined) => {
  if (answer === undefined) return undefined
  if (answer.outcome === "found") return [answer.outcome, ...answer.value.map(({ message }) => message)]
  if (answer.outcome === "unknown") return [answer.outcome, ...(answer.provisional ?? []).map(({ message }) => message)]
  return [answer.outcome]
}
