/** `workspace/diagnostic`: what a server finds in the whole project, streamed where it does so (C63, C67). */
import { Effect, Result } from "effect"
import type { Diagnostic, Outcome } from "../../src/lsp/LanguageServers.ts"
import type { AskError } from "../../src/lsp/Question.ts"
import * as Wire from "../../src/lsp/Wire.ts"
import type { Around } from "./Ask.ts"
import * as Locate from "./Locate.ts"
import type { Session } from "./Session.ts"
import * as Waiting from "./Waiting.ts"

const method = "workspace/diagnostic"

let tokens = 0

export const pull = Effect.fnUntraced(function* (
  around: Around,
  session: Session,
  course: Waiting.Course<ReadonlyArray<Diagnostic>>
): Effect.fn.Return<Outcome<ReadonlyArray<Diagnostic>>> {
  const providers = session.capabilities.diagnosticProviders().filter((provider) => provider.workspaceDiagnostics)
  if (providers.length === 0) {
    return { outcome: "not_covered", reason: "the server does not check whole projects" }
  }
  yield* session.fixed.over
  yield* around.watch.caughtUp
  session.documents.sync()
  course.doing = `waiting for the answer to ${method}`
  const paths = new Set<string>()
  const all = () => [...paths].flatMap((path) => Locate.diagnostics(session, around.texts, path, "pulled"))
  const take = (identifier: string | undefined) => (report: unknown) => {
    const items = Wire.get(report, "items")
    if (!Array.isArray(items)) return
    for (const item of items as ReadonlyArray<unknown>) {
      const uri = Wire.get(item, "uri")
      if (typeof uri !== "string") continue
      const path = session.pathOf(uri)
      paths.add(path)
      session.diagnostics.reported(path, identifier, item, session.pathOf)
    }
    const value = all()
    if (value.length > 0) course.value = value
  }
  const results = yield* Effect.forEach(
    providers,
    ({ identifier }) =>
      Effect.acquireUseRelease(
        Effect.sync(() => {
          const token = `livetools-partial-${++tokens}`
          return { token, forget: session.partial(token, take(identifier)) }
        }),
        ({ token }) =>
          session
            .request(method, {
              identifier,
              previousResultIds: session.diagnostics.resultIds(identifier),
              partialResultToken: token
            })
            .pipe(
              Effect.map(take(identifier)),
              Effect.mapError((error): AskError =>
                error._tag === "Closed" ? { _tag: "NoAnswer", message: error.message } : error
              ),
              Effect.result
            ),
        ({ forget }) => Effect.sync(forget)
      ),
    { concurrency: "unbounded" }
  )
  const failure = results.find(Result.isFailure)?.failure
  const value = all()
  if (failure !== undefined) {
    if (Waiting.isUnsupported(failure)) {
      return { outcome: "not_covered", reason: `the server does not serve ${method}, though it says so` }
    }
    return { ...Waiting.failed(failure), ...(value.length === 0 ? {} : { provisional: value }) }
  }
  return value.length === 0 ? { outcome: "empty" } : { outcome: "found", value }
})
