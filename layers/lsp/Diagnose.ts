/** The diagnostics of one file from one server, with evidence that they belong to the text on disk (C58–C70). */
import { Clock, Effect, Result } from "effect"
import type { DiagnosticProvider } from "../../src/lsp/Capabilities.ts"
import type { Source } from "../../src/lsp/Diagnostics.ts"
import type { Document } from "../../src/lsp/Documents.ts"
import type { Diagnostic, Outcome } from "../../src/lsp/LanguageServers.ts"
import * as Policy from "../../src/lsp/Policy.ts"
import * as Row from "../../src/lsp/rows/Row.ts"
import * as Uri from "../../src/lsp/Uri.ts"
import * as Wire from "../../src/lsp/Wire.ts"
import type { AskError } from "../../src/lsp/Question.ts"
import type { Around } from "./Ask.ts"
import * as Locate from "./Locate.ts"
import type { Session } from "./Session.ts"
import * as Waiting from "./Waiting.ts"

const method = "textDocument/diagnostic"

const mostAttempts = 8

const providersOf = (session: Session, document: Document): ReadonlyArray<DiagnosticProvider> =>
  session.capabilities
    .diagnosticProviders(document)
    .filter((provider) => !session.told.refusedPulls.has(refusal(provider, document)))

const refusal = ({ identifier }: DiagnosticProvider, { languageId }: Document): string =>
  JSON.stringify([identifier, languageId])

/** Where what the server says of a file comes from. */
export const source = (session: Session, path: string): Source => {
  const document = session.documents.get(path)
  if (document === undefined) return "all"
  if (providersOf(session, document).length === 0) return "pushed"
  return session.row.pulledOnly === true ? "answered" : "pulled"
}

const pull = Effect.fnUntraced(function* (session: Session, document: Document, provider: DiagnosticProvider) {
  const { identifier } = provider
  const previousResultId = session.diagnostics.resultId(document.path, identifier)
  const answer = yield* session
    .request(method, { textDocument: { uri: document.uri }, identifier, previousResultId })
    .pipe(
      Effect.mapError((error): AskError =>
        error._tag === "Closed" ? { _tag: "NoAnswer", message: error.message } : error
      ),
      Effect.result
    )
  if (Result.isSuccess(answer)) session.diagnostics.reported(document.path, identifier, answer.success, session.pathOf)
  // It lists what it does not serve: json, css and html servers do (C68, E5).
  else if (Waiting.isUnsupported(answer.failure)) session.told.refusedPulls.add(refusal(provider, document))
  return answer
})

/** Pulls once, where the server is pulled from; `true` when it has answered all. */
export const isPulled = Effect.fnUntraced(function* (session: Session, document: Document) {
  const providers = providersOf(session, document)
  const answers = yield* Effect.forEach(providers, (provider) => pull(session, document, provider), {
    concurrency: "unbounded"
  })
  return answers.length > 0 && answers.every(Result.isSuccess)
})

/** `present`: whether the text that was pulled for is the one that is on disk and nothing was said to be out of date. */
const pullAll = Effect.fnUntraced(function* (session: Session, document: Document) {
  const { refreshes } = session.told
  const answers = yield* Effect.forEach(
    providersOf(session, document),
    (provider) => pull(session, document, provider),
    { concurrency: "unbounded" }
  )
  const failures = answers.flatMap((answer) =>
    Result.isFailure(answer) && !Waiting.isUnsupported(answer.failure) ? [answer.failure] : []
  )
  const isPresent =
    session.told.refreshes === refreshes && session.documents.get(document.path)?.version === document.version
  return { failure: failures[0], isPresent }
})

/** Whether the server says that a file is clean when it is asked by the command of its row. */
const isProvedClean = Effect.fnUntraced(function* ({ capabilities, request, root, row }: Session, path: string) {
  const { proof } = row
  const commands = capabilities.option("workspace/executeCommand", "commands")
  if (proof === undefined || !Array.isArray(commands) || !commands.includes(proof.command)) return false
  const place = { root, rootUri: Uri.fromPath(root), path }
  const answers = yield* Effect.forEach(proof.arguments, (one) =>
    Effect.result(request("workspace/executeCommand", { command: proof.command, arguments: Row.fill(one, place) }))
  )
  return answers.every((answer) => {
    const body = Result.isSuccess(answer) ? Wire.get(answer.success, "body") : undefined
    return Array.isArray(body) && body.length === 0
  })
})

/** When it counts as silence that nothing was heard of a text; `undefined` while the server is at work. */
const silentAt = (around: Around, session: Session, shownAt: number, now: number): number | undefined => {
  if (session.progress.readiness(now) === "loading") return undefined
  const patience = session.told.hasPushed ? around.policy.push : around.policy.firstPush
  return Math.max(shownAt, session.progress.endedAt()) + Policy.millis(patience)
}

/** The diagnostics of a file that `sync` was called for; `isFixed`: of the text that the server was shown then. */
export const file = Effect.fnUntraced(function* (
  around: Around,
  session: Session,
  path: string,
  course: Waiting.Course<ReadonlyArray<Diagnostic>>,
  isFixed = false
): Effect.fn.Return<Outcome<ReadonlyArray<Diagnostic>>> {
  const { policy, texts } = around
  const { diagnostics, documents, progress } = session
  let attempts = 0
  let pause = 50
  /** The state for which the server has said that the file is not clean. */
  let doubted = ""
  const fixed = isFixed ? documents.get(path) : undefined

  const said = () => Locate.diagnostics(session, texts, path, source(session, path))
  const confirmed = (): Outcome<ReadonlyArray<Diagnostic>> => {
    session.told.isProven = true
    const value = said()
    if (value.length === 0) return { outcome: "empty" }
    const omitted = diagnostics.omitted(path)
    return { outcome: "found", value, ...(omitted === 0 ? {} : { incomplete: `${omitted} more were not kept` }) }
  }
  const unknown = (reason: string): Outcome<ReadonlyArray<Diagnostic>> => {
    const value = said()
    return { outcome: "unknown", reason, why: "late", ...(value.length === 0 ? {} : { provisional: value }) }
  }

  while (true) {
    const over = session.over()
    if (over !== undefined) return { outcome: "unknown", reason: over }
    if (fixed !== undefined && documents.get(path)?.version !== fixed.version) return unknown(changing)
    const opened = fixed === undefined ? documents.open(path) : { document: fixed }
    if (typeof opened === "string") return { outcome: "unknown", reason: `the file cannot be read: ${opened}` }
    const { document } = opened
    const mark = session.signal.mark()
    const known = said()
    if (known.length > 0) course.value = known
    else delete course.value

    if (providersOf(session, document).length > 0) {
      course.doing = `waiting for the answer to ${method}`
      const { failure, isPresent } = yield* pullAll(session, document)
      if (failure !== undefined) {
        if (!Waiting.isTransient(failure) || ++attempts >= mostAttempts) {
          return { ...Waiting.failed(failure), ...(known.length === 0 ? {} : { provisional: known }) }
        }
        yield* Waiting.next(session, mark, (yield* Clock.currentTimeMillis) + pause, path)
        pause = Math.min(pause * 2, 1000)
      } else if (progress.readiness(yield* Clock.currentTimeMillis) === "loading") {
        const value = said()
        if (value.length > 0) course.value = value
        yield* Waiting.loaded(session, course)
      } else if (providersOf(session, document).length > 0) {
        if (isPresent || ++attempts >= mostAttempts) return isPresent ? confirmed() : unknown(changing)
      }
      continue
    }

    const time = yield* Clock.currentTimeMillis
    const push = diagnostics.push(path, time)
    const state = `${document.version} ${documents.changedAt()}`
    const isHeard = push.state !== "none" && push.pushedAt >= documents.changedAt()
    if (session.row.proof !== undefined && !isHeard && doubted !== state) {
      course.doing = "waiting for its word that the file is clean"
      const isClean = yield* isProvedClean(session, path)
      if (`${documents.get(path)?.version} ${documents.changedAt()}` !== state) continue
      if (isClean) {
        session.told.isProven = true
        return { outcome: "empty" }
      }
      doubted = state
      continue
    }
    if (push.state === "none") {
      course.doing = "waiting for diagnostics, of which it has published none for this text"
      const until = silentAt(around, session, push.shownAt, time)
      if (until !== undefined && time >= until) {
        const seconds = Math.round((time - push.shownAt) / 1000)
        return unknown(`it has published no diagnostics for this text in ${seconds} s`)
      }
      yield* Waiting.next(session, mark, until, path)
    } else if (push.state === "settling") {
      course.doing = "waiting for its diagnostics to settle"
      yield* Waiting.next(session, mark, push.settlesAt, path)
    } else {
      const changedAt = documents.changedAt()
      const until = changedAt + Policy.millis(policy.elsewhere)
      if (progress.readiness(time) === "loading") yield* Waiting.loaded(session, course)
      else if (push.pushedAt < changedAt && time < until) {
        course.doing = "waiting for diagnostics that belong to the last change"
        yield* Waiting.next(session, mark, until, path)
      } else return confirmed()
    }
  }
})

const changing = "the file or the project keeps changing while it is checked"
