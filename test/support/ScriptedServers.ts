/** A `LanguageServers` port whose servers answer from a script: for the tools, without a process or a protocol session. */
import * as Fs from "node:fs"
import { Effect, Layer, Option } from "effect"
import * as Capabilities from "../../src/lsp/Capabilities.ts"
import {
  type Answer,
  type Diagnostic,
  type Known,
  LanguageServers,
  type Options,
  type Status,
  type Target
} from "../../src/lsp/LanguageServers.ts"
import type { Asking, Question } from "../../src/lsp/Question.ts"
import type { Row } from "../../src/lsp/rows/Row.ts"
import * as TextPositions from "../../src/lsp/TextPositions.ts"
import * as Uri from "../../src/lsp/Uri.ts"
import { ResponseError } from "../../src/wire/JsonRpc.ts"

export interface Script {
  readonly id: string
  /** What `initialize` answered. */
  readonly capabilities?: object
  /** The result of a request; an `Error` is an error of the server. */
  readonly answer?: (method: string, params: unknown) => unknown
  /** Instead of an answer to anything. */
  readonly outcome?:
    | { readonly outcome: "unknown"; readonly reason: string; readonly why?: "late" | "loading" }
    | { readonly outcome: "not_covered"; readonly reason: string }
  readonly incomplete?: string
  readonly diagnostics?: (path: string) => Answer<ReadonlyArray<Diagnostic>> | undefined
}

export interface Seen {
  readonly method: string
  readonly params: unknown
}

export interface Scene {
  readonly servers: ReadonlyArray<Script>
  readonly rows?: ReadonlyArray<Row>
  readonly status?: ReadonlyArray<Status>
  readonly known?: ReadonlyArray<Known>
  /** Filled with what was asked. */
  readonly seen?: Array<Seen>
  readonly options?: Array<Options | undefined>
}

const askingOf = (script: Script, scene: Scene, path: string | undefined, offset: number): Asking => {
  const text = path === undefined ? "" : Fs.readFileSync(path, "utf8")
  const indexed = TextPositions.index(text)
  const uri = path === undefined ? "" : Uri.fromPath(path)
  const position = (at: number) => TextPositions.toPosition(indexed, at, "utf-16")
  return {
    capabilities: Capabilities.make({ capabilities: script.capabilities ?? {} }, "/"),
    document: path === undefined ? undefined : { path, uri, languageId: "x", version: 1, hash: "" },
    offset,
    place: { textDocument: { uri }, position: position(offset) },
    range: (start, end) => ({ start: position(start), end: position(end) }),
    request: (method, params) => {
      scene.seen?.push({ method, params })
      const result = script.answer?.(method, params)
      return result instanceof Error
        ? Effect.fail(new ResponseError({ code: -32603, message: result.message }))
        : Effect.succeed(result)
    },
    locate: (places) =>
      Effect.sync(() =>
        places.map((place) => {
          const file = Uri.toPath(place.uri)
          const there =
            file !== undefined && Fs.existsSync(file) ? TextPositions.index(Fs.readFileSync(file, "utf8")) : undefined
          return {
            path: file ?? place.uri,
            isFile: file !== undefined,
            ...TextPositions.toSpan(there, place.range, "utf-16"),
            text: there === undefined ? undefined : TextPositions.lineText(there, place.range.start.line)
          }
        })
      ),
    diagnostics: Effect.sync(() => {
      const answer = path === undefined ? undefined : script.diagnostics?.(path)
      return answer?.outcome === "found" ? answer.value : []
    }),
    documents: Effect.succeed([]),
    open: () => Effect.void,
    notify: (method, params) =>
      Effect.sync(() => {
        scene.seen?.push({ method, params })
      }),
    takingEdits: (_, self) => self
  }
}

const askOne = <A>(
  script: Script,
  question: Question<A>,
  scene: Scene,
  path: string | undefined,
  offset: number
): Effect.Effect<Answer<A>> => {
  const { id } = script
  if (script.outcome !== undefined) return Effect.succeed({ id, ...script.outcome })
  const asking = askingOf(script, scene, path, offset)
  if (!question.isProvided(asking.capabilities, asking.document)) {
    return Effect.succeed({ id, outcome: "not_covered", reason: `the server does not provide ${question.name}` })
  }
  return Effect.match(question.ask(asking), {
    onFailure: (error): Answer<A> => ({ id, outcome: "unknown", reason: error.message }),
    onSuccess: (value): Answer<A> =>
      Option.isNone(value)
        ? { id, outcome: "empty" }
        : {
            id,
            outcome: "found",
            value: value.value,
            ...(script.incomplete === undefined ? {} : { incomplete: script.incomplete })
          }
  })
}

export const layer = (scene: Scene): Layer.Layer<LanguageServers> => {
  const chosen = (options: Options | undefined) => {
    scene.options?.push(options)
    return scene.servers.filter(({ id }) => options?.server === undefined || options.server === id)
  }
  return Layer.succeed(
    LanguageServers,
    LanguageServers.of({
      rows: scene.rows ?? [],
      ask: Effect.fnUntraced(function* <A>(question: Question<A>, target: Target, options?: Options) {
        const offset =
          target.at === undefined ? 0 : yield* target.at(TextPositions.index(Fs.readFileSync(target.file, "utf8")))
        return yield* Effect.forEach(chosen(options), (script) => askOne(script, question, scene, target.file, offset))
      }),
      askProject: (question, options) =>
        Effect.forEach(chosen(options), (script) => askOne(script, question, scene, undefined, 0)),
      serving: () => Effect.succeed(scene.servers.map(({ id }) => ({ id, root: "/" }))),
      diagnostics: (files, options) =>
        Effect.sync(() => {
          const scripts = chosen(options)
          return files.map((path) => ({ path, servers: scripts.flatMap((script) => script.diagnostics?.(path) ?? []) }))
        }),
      known: Effect.succeed(scene.known ?? []),
      projectDiagnostics: (options) => {
        chosen(options)
        return Effect.succeed([])
      },
      changed: () => Effect.void,
      status: Effect.succeed(scene.status ?? []),
      reload: () => Effect.succeed(scene.status ?? []),
      document: () => Effect.succeedNone
    })
  )
}
