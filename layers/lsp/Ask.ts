/** Asks one server one question, about the text that is on disk (SPEC §3.5, §3.6, C12, C57). */
import { Clock, Effect, Option, Result } from "effect"
import type { Outcome, Target } from "../../src/lsp/LanguageServers.ts"
import * as Policy from "../../src/lsp/Policy.ts"
import type { Asking, AskError, Question } from "../../src/lsp/Question.ts"
import * as TextPositions from "../../src/lsp/TextPositions.ts"
import type { ToolError } from "../../src/ToolError.ts"
import * as Diagnose from "./Diagnose.ts"
import type { FileWatch } from "./FileWatch.ts"
import * as Locate from "./Locate.ts"
import type { Session } from "./Session.ts"
import type { Text, Texts } from "./Texts.ts"
import * as Waiting from "./Waiting.ts"

export interface Around {
  readonly texts: Texts
  readonly watch: FileWatch
  readonly policy: Policy.Policy
}

/** How often an answer to a text that has changed meanwhile, or that the server gave up, is asked for again. */
const mostAttempts = 8

/** For how long a server that has just started may still register what it provides, in milliseconds. */
const registration = 500

const noText: Record<string, string> = {
  missing: "the file does not exist any more",
  not_a_file: "it is not a file",
  too_large: "the file is larger than 8 MiB",
  not_text: "the file is not UTF-8 text",
  unreadable: "the file cannot be read"
}

/** `Target.at` once for each text, whichever server is shown it. */
export const offsets = (target: Target) => {
  let known: { readonly text: string; readonly offset: number } | undefined
  return ({ indexed, text }: Text): Effect.Effect<number, ToolError> => {
    if (target.at === undefined) return Effect.succeed(0)
    if (known?.text === text) return Effect.succeed(known.offset)
    return Effect.map(target.at(indexed), (offset) => {
      known = { text, offset }
      return offset
    })
  }
}

export interface Subject {
  readonly file: string
  readonly offset: (text: Text) => Effect.Effect<number, ToolError>
}

const makeAsking = (
  around: Around,
  session: Session,
  course: Waiting.Course<unknown>,
  shown: { readonly document: Asking["document"] & {}; readonly text: Text; readonly offset: number } | undefined
): Asking => {
  const { encoding } = session.capabilities
  const position = (offset: number) =>
    shown === undefined ? { line: 0, character: 0 } : TextPositions.toPosition(shown.text.indexed, offset, encoding)
  const path = shown?.document.path
  return {
    capabilities: session.capabilities,
    document: shown?.document,
    offset: shown?.offset ?? 0,
    place: { textDocument: { uri: shown?.document.uri ?? "" }, position: position(shown?.offset ?? 0) },
    range: (start, end) => ({ start: position(start), end: position(end) }),
    request: (method, params) =>
      Effect.suspend(() => {
        course.doing = `waiting for the answer to ${method}`
        return session.request(method, params)
      }).pipe(
        Effect.mapError((error): AskError =>
          error._tag === "Closed" ? { _tag: "NoAnswer", message: error.message } : error
        )
      ),
    locate: (places) => Effect.sync(() => Locate.locations(session, around.texts, places)),
    diagnostics:
      path === undefined
        ? Effect.succeed([])
        : Effect.suspend(() => {
            const limit = session.told.hasPushed ? "5 seconds" : "15 seconds"
            return Diagnose.file(around, session, path, Waiting.course("")).pipe(
              Effect.timeoutOption(limit),
              Effect.map(() => Locate.diagnostics(session, around.texts, path, Diagnose.source(session, path)))
            )
          }),
    documents: Effect.sync(() => session.documents.all()),
    open: (paths) =>
      Effect.andThen(
        Effect.andThen(session.fixed.over, around.watch.caughtUp),
        Effect.sync(() => {
          session.documents.sync()
          for (const path of paths) session.documents.open(path)
        })
      ),
    notify: (method, params) => Effect.sync(() => session.notify(method, params)),
    takingEdits: session.takingEdits
  }
}

export const ask = Effect.fnUntraced(function* <A>(
  around: Around,
  session: Session,
  question: Question<A>,
  subject: Subject | undefined,
  course: Waiting.Course<A>
): Effect.fn.Return<Outcome<A>, ToolError> {
  const { policy, watch } = around
  const { capabilities, documents, progress, told } = session
  let attempts = 0
  let pause = 50
  let hasLoaded = false
  while (true) {
    course.doing = "waiting for its diagnostics of what was written"
    yield* session.fixed.over
    yield* watch.caughtUp
    const present = documents.sync()
    let shown: Parameters<typeof makeAsking>[3]
    if (subject !== undefined) {
      const opened = documents.open(subject.file, present)
      if (typeof opened === "string") return { outcome: "unknown", reason: noText[opened] ?? opened }
      shown = { ...opened, offset: yield* subject.offset(opened.text) }
    }
    const document = shown?.document

    if (!question.isProvided(capabilities, document)) {
      const mark = session.signal.mark()
      const until = session.startedAt + registration
      if ((yield* Clock.currentTimeMillis) >= until) {
        return { outcome: "not_covered", reason: `the server does not provide ${question.name}` }
      }
      yield* Waiting.next(session, mark, until)
      continue
    }

    const mark = session.signal.mark()
    const asking = makeAsking(around, session, course, shown)
    const result = yield* Effect.acquireUseRelease(
      Effect.sync(() => documents.hold(document === undefined ? [] : [document.path])),
      () => Effect.result(question.ask(asking)),
      (release) => Effect.sync(release)
    )
    const now = yield* Clock.currentTimeMillis
    // Some report the work on a question itself: what was asked of a loaded server is not held again.
    const isLoading = !hasLoaded && progress.readiness(now) === "loading"
    const isOld = document !== undefined && documents.get(document.path)?.version !== document.version
    if (Result.isFailure(result)) {
      const error = result.failure
      if (Waiting.isUnsupported(error)) {
        return { outcome: "not_covered", reason: `the server does not serve ${question.name}, though it says so` }
      }
      if (!Waiting.isTransient(error) || ++attempts >= mostAttempts) return Waiting.failed(error)
      yield* Waiting.next(session, mark, now + pause)
      pause = Math.min(pause * 2, 1000)
      continue
    }
    if (isOld && ++attempts < mostAttempts) continue

    if (Option.isSome(result.success)) {
      const value = result.success.value
      told.isProven = true
      if (!isLoading) return { outcome: "found", value }
      if (question.scope === "place") {
        // The moment of quiet after its work is no reason to doubt what it found.
        if (progress.describe(now).length === 0) return { outcome: "found", value }
        return { outcome: "found", value, incomplete: Waiting.stillLoading(session, now) }
      }
      course.value = value
    }
    if (isLoading) {
      yield* Waiting.loaded(session, course)
      hasLoaded = true
      continue
    }
    const until = session.startedAt + Policy.millis(policy.silent)
    if (told.isProven || progress.readiness(now) === "ready" || now >= until) return { outcome: "empty" }
    // It says nothing of its work: only an answer that needs the project shows that the project is there.
    course.doing = "waiting for a sign that it has loaded the project"
    if (document !== undefined && (yield* Diagnose.isPulled(session, document))) {
      told.isProven = true
      continue
    }
    yield* Effect.sleep(Math.min(pause, until - now))
    pause = Math.min(pause * 2, 1000)
  }
})
