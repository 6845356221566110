/** The port `LanguageServers` on Node (SPEC §3). */
import * as Path from "node:path"
import { Clock, Effect, Layer, Option } from "effect"
import {
  type Answer,
  type Diagnostic,
  type FileDiagnostics,
  type FindBinary,
  LanguageServers,
  type Options as CallOptions,
  type Outcome,
  type Status,
  type Target
} from "../../src/lsp/LanguageServers.ts"
import * as Policy from "../../src/lsp/Policy.ts"
import type { Question } from "../../src/lsp/Question.ts"
import * as Row from "../../src/lsp/rows/Row.ts"
import { Processes } from "../../src/Processes.ts"
import * as ToolError from "../../src/ToolError.ts"
import { Workspace } from "../../src/Workspace.ts"
import * as Ask from "./Ask.ts"
import * as Choices from "./Choices.ts"
import * as Diagnose from "./Diagnose.ts"
import * as FileWatch from "./FileWatch.ts"
import * as Locate from "./Locate.ts"
import type { Instead } from "./OpenDocuments.ts"
import * as ProjectDiagnostics from "./ProjectDiagnostics.ts"
import * as Roots from "./Roots.ts"
import type { Session } from "./Session.ts"
import * as Standing from "./Standing.ts"
import * as Supervisor from "./Supervisor.ts"
import * as Texts from "./Texts.ts"
import * as Waiting from "./Waiting.ts"

export interface Options {
  readonly rows: ReadonlyArray<Row.Row>
  readonly findBinary: FindBinary
  readonly policy?: Partial<Policy.Policy>
  /** The checkers of the project, as `Checkers.make` gives them. */
  readonly check?: LanguageServers["Service"]["check"] & {}
}

/** How many servers a question about the project starts. */
const mostStarted = 8

const make = Effect.fnUntraced(function* (options: Options) {
  const workspace = yield* Workspace
  const processes = yield* Processes
  const policy: Policy.Policy = { ...Policy.defaults, ...options.policy }
  const texts = Texts.make()
  const watch = yield* FileWatch.make(workspace)
  const supervisor = yield* Supervisor.make({ processes, texts, watch, policy, findBinary: options.findBinary })
  const around: Ask.Around = { texts, watch, policy }
  const rows = options.rows
  const { choices, only } = Choices.make({ rows, supervisor, workspace })

  const millisOf = (call: CallOptions | undefined) => Policy.millis(call?.timeout ?? policy.call)

  const readable = (file: string): Effect.Effect<Texts.Text, ToolError.ToolError> =>
    Effect.suspend(() => {
      const text = texts.read(file)
      if (typeof text !== "string") return Effect.succeed(text)
      const shown = workspace.show(file)
      switch (text) {
        case "missing":
          return Effect.fail(ToolError.make("not_found", `There is no file ${shown}.`))
        case "not_a_file":
          return Effect.fail(ToolError.make("not_found", `${shown} is not a file.`))
        case "too_large":
          return Effect.fail(
            ToolError.make("too_large", `${shown} is larger than 8 MiB: such files are not shown to a language server.`)
          )
        case "not_text":
          return Effect.fail(ToolError.make("not_text", `${shown} is not UTF-8 text.`))
        case "unreadable":
          return Effect.fail(ToolError.make("not_found", `${shown} cannot be read: check its permissions.`))
      }
    })

  /** Runs with the best of the servers that starts, within the time. */
  const withServer = <A>(
    servers: ReadonlyArray<Supervisor.Usable>,
    millis: number,
    use: (session: Session, course: Waiting.Course<A>) => Effect.Effect<Outcome<A>, ToolError.ToolError>
  ): Effect.Effect<Answer<A>, ToolError.ToolError> => {
    const course = Waiting.course<A>("waiting for the server to start")
    let current = servers[0]!
    const first = Effect.gen(function* () {
      let refused: Answer<A> | undefined
      for (const server of servers) {
        current = server
        const outcome: Outcome<A> | "absent" = yield* Effect.gen(function* () {
          const session = yield* supervisor.borrow(server)
          course.session = session
          return yield* use(session, course)
        }).pipe(
          Effect.scoped,
          Effect.catchTag("StartFailure", ({ isAbsent, message }) => {
            const outcome = isAbsent ? "not_covered" : "unknown"
            const answer: Answer<A> = { id: server.row.id, root: server.root, outcome, reason: message }
            refused ??= answer
            return Effect.succeed<Outcome<A> | "absent">(isAbsent ? "absent" : { outcome, reason: message })
          })
        )
        if (outcome !== "absent") return { ...outcome, id: server.row.id, root: server.root }
      }
      return refused!
    })
    return first.pipe(
      Effect.timeoutOption(millis),
      Effect.flatMap(
        Option.match({
          onSome: (answer: Answer<A>) => Effect.succeed(answer),
          onNone: () =>
            Effect.map(Clock.currentTimeMillis, (now): Answer<A> => ({
              ...Waiting.timedOut(course, millis / 1000, now),
              id: current.row.id,
              root: current.root
            }))
        })
      )
    )
  }

  const ask = Effect.fnUntraced(function* <A>(question: Question<A>, target: Target, call?: CallOptions) {
    const text = yield* readable(target.file)
    const chosen = yield* choices(target.file, call?.server)
    const offset = Ask.offsets(target)
    if (chosen.length > 0) yield* offset(text)
    const subject = { file: target.file, offset }
    return yield* Effect.forEach(
      chosen,
      (choice) =>
        choice.absent !== undefined
          ? Effect.succeed(choice.absent)
          : withServer<A>(choice.usable, millisOf(call), (session, course) =>
              Ask.ask(around, session, question, subject, course)
            ),
      { concurrency: chosen.length }
    )
  })

  const askProject = Effect.fn("LanguageServers.askProject")(function* <A>(question: Question<A>, call?: CallOptions) {
    const named = (yield* only(call?.server)).filter((row) => row.disabled !== true)
    const candidates = yield* Roots.all(named, workspace)
    const chosen: Array<{ readonly server: Supervisor.Usable; readonly sample: string | undefined }> = []
    const roles = new Set<string>()
    for (const session of supervisor.running()) {
      if (!named.includes(session.row)) continue
      const { root, row } = session
      const sample = candidates.get(row.id)?.find((one) => one.root === root)?.sample
      chosen.push({ server: { row, root, command: "" }, sample })
      roles.add(`${row.role ?? row.id}\0${root}`)
    }
    const running = chosen.length
    const left: Array<Answer<A>> = []
    for (const row of named) {
      for (const { root, sample } of candidates.get(row.id) ?? []) {
        const role = `${row.role ?? row.id}\0${root}`
        if (sample === undefined || roles.has(role)) continue
        const binary = yield* supervisor.find(row, root)
        if (binary.status !== "found") continue
        roles.add(role)
        if (chosen.length - running < mostStarted)
          chosen.push({ server: { row, root, command: binary.command }, sample })
        else {
          const reason = `not started: a question about the project starts ${mostStarted} servers at most; ask with server`
          left.push({ id: row.id, root, outcome: "not_covered", reason })
        }
      }
    }
    const answers = yield* Effect.forEach(
      chosen,
      ({ sample, server }) =>
        withServer<A>([server], millisOf(call), (session, course) => {
          // Some servers know no project before a file of it is open.
          if (sample !== undefined && session.documents.all().length === 0) session.documents.open(sample)
          return Ask.ask(around, session, question, undefined, course)
        }),
      { concurrency: "unbounded" }
    )
    return [...answers, ...left]
  })

  const diagnoseAll = (
    usable: ReadonlyArray<Supervisor.Usable>,
    files: ReadonlyArray<string>,
    millis: number,
    instead: Instead | undefined,
    put: (file: string, answer: Answer<ReadonlyArray<Diagnostic>>) => void,
    /** Another call has shown the server other texts meanwhile. */
    onDisturbed: (session: Session) => void
  ) => {
    const courses = new Map(files.map((file) => [file, Waiting.course<ReadonlyArray<Diagnostic>>("not reached yet")]))
    const done = new Set<string>()
    const finish = (file: string, answer: Answer<ReadonlyArray<Diagnostic>>) => {
      done.add(file)
      put(file, answer)
    }
    return withServer<ReadonlyArray<Diagnostic>>(usable, millis, (session, whole) => {
      const look = Effect.gen(function* () {
        whole.doing = "waiting for diagnostics"
        for (let at = 0; at < files.length; at += policy.documents) {
          const part = files.slice(at, at + policy.documents)
          if (instead === undefined) yield* session.fixed.over
          yield* watch.caughtUp
          session.documents.sync(instead)
          for (const path of part) session.documents.open(path, instead)
          const versions = () =>
            JSON.stringify(part.map((path) => instead?.has(path) && session.documents.get(path)?.version))
          const shown = versions()
          yield* Effect.acquireUseRelease(
            Effect.sync(() => session.documents.hold(part)),
            () =>
              Effect.forEach(
                part,
                (path) => {
                  const course = courses.get(path)!
                  course.session = session
                  return Effect.map(Diagnose.file(around, session, path, course, instead !== undefined), (outcome) =>
                    finish(path, { ...outcome, id: session.row.id, root: session.root })
                  )
                },
                { concurrency: "unbounded", discard: true }
              ),
            (release) => Effect.sync(release)
          )
          if (versions() !== shown) onDisturbed(session)
        }
        return { outcome: "empty" } as const
      })
      return instead === undefined ? look : session.fixed.during(look)
    }).pipe(
      Effect.flatMap((overall) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          for (const [file, course] of courses) {
            if (done.has(file)) continue
            const { id, root } = overall
            const outcome = course.session === undefined ? overall : Waiting.timedOut(course, millis / 1000, now)
            put(file, { ...outcome, id, ...(root === undefined ? {} : { root }) })
          }
        })
      )
    )
  }

  const diagnostics: LanguageServers["Service"]["diagnostics"] = Effect.fn("LanguageServers.diagnostics")(
    function* (files, call) {
      const results = files.map((path) => ({
        path,
        servers: new Array<Answer<ReadonlyArray<Diagnostic>>>(),
        error: undefined as ToolError.ToolError | undefined
      }))
      const jobs = new Map<
        string,
        { usable: ReadonlyArray<Supervisor.Usable>; files: Array<(typeof results)[number]> }
      >()
      yield* only(call?.server)
      const instead = call?.texts && new Map(Array.from(call.texts, ([path, text]) => [path, texts.of(path, text)]))
      for (const result of results) {
        const text = yield* Effect.result(readable(result.path))
        if (text._tag === "Failure" && instead?.has(result.path) !== true) {
          if (files.length === 1) return yield* text.failure
          result.error = text.failure
          continue
        }
        for (const choice of yield* choices(result.path, call?.server)) {
          if (choice.absent !== undefined) {
            result.servers.push(choice.absent)
            call?.onAnswer?.(result.path, choice.absent)
          } else {
            const key = choice.usable.map(({ root, row }) => `${row.id}\0${root}`).join("\0")
            const job = jobs.get(key) ?? { usable: choice.usable, files: [] }
            jobs.set(key, job)
            job.files.push(result)
          }
        }
      }
      yield* Effect.forEach(
        jobs.values(),
        (job) => {
          const byPath = new Map(job.files.map((result) => [result.path, result]))
          return diagnoseAll(
            job.usable,
            [...byPath.keys()],
            millisOf(call),
            instead,
            (file, answer) => {
              byPath.get(file)?.servers.push(answer)
              call?.onAnswer?.(file, answer)
            },
            ({ root, row: { id } }) => {
              const reason = "it was shown other texts meanwhile"
              for (const result of job.files)
                result.servers = result.servers.map((one) =>
                  one.id === id && one.root === root ? { id, root, outcome: "unknown", reason } : one
                )
            }
          )
        },
        { concurrency: "unbounded", discard: true }
      )
      return results.map(({ error, path, servers }): FileDiagnostics => ({
        path,
        servers,
        ...(error === undefined ? {} : { error })
      }))
    }
  )

  const known = Effect.sync(() =>
    supervisor.running().flatMap((session) =>
      session.diagnostics
        .paths()
        .toSorted()
        .flatMap((path) => {
          const all = Locate.diagnostics(session, texts, path, Diagnose.source(session, path))
          const isAsked = session.diagnostics.isAsked(path)
          if (all.length === 0 && !(isAsked && session.diagnostics.isHeard(path))) return []
          return [{ id: session.row.id, root: session.root, path, diagnostics: all, isAsked }]
        })
    )
  )

  const projectDiagnostics = Effect.fn("LanguageServers.projectDiagnostics")(function* (call?: CallOptions) {
    const named = yield* only(call?.server)
    const sessions = supervisor.running().filter(({ row }) => named.includes(row))
    return yield* Effect.forEach(
      sessions,
      ({ root, row }) =>
        withServer<ReadonlyArray<Diagnostic>>([{ row, root, command: "" }], millisOf(call), (session, course) =>
          ProjectDiagnostics.pull(around, session, course)
        ),
      { concurrency: "unbounded" }
    )
  })

  const status: Effect.Effect<ReadonlyArray<Status>> = Standing.all({ rows, supervisor, workspace, watch })

  const reload: LanguageServers["Service"]["reload"] = Effect.fn("LanguageServers.reload")(function* (file) {
    if (file !== undefined) yield* readable(file)
    const concerned = supervisor
      .known()
      .filter(({ root, row }) => file === undefined || Roots.of(row, file, workspace.root)?.root === root)
      .filter(({ row }) => file === undefined || Row.languageOf(row, Path.basename(file)) !== undefined)
    const now = yield* Clock.currentTimeMillis
    const again = concerned.filter(({ root, row }) => supervisor.standing(row, root, now).state !== "stopped")
    supervisor.forgetBinaries()
    yield* supervisor.reset(concerned)
    yield* Effect.forEach(
      again,
      ({ root, row }) =>
        Effect.gen(function* () {
          const binary = yield* supervisor.find(row, root)
          if (binary.status === "found") yield* supervisor.borrow({ row, root, command: binary.command })
        }).pipe(Effect.scoped, Effect.ignore),
      { concurrency: "unbounded", discard: true }
    )
    return yield* status
  })

  return LanguageServers.of({
    rows,
    ask,
    askProject,
    serving: (file) =>
      Effect.map(Effect.orDie(choices(file, undefined)), (all) =>
        all.flatMap(({ usable: [first] }) => (first === undefined ? [] : [{ id: first.row.id, root: first.root }]))
      ),
    diagnostics,
    known,
    projectDiagnostics,
    ...(options.check === undefined ? {} : { check: options.check }),
    changed: (events) =>
      Effect.sync(() => {
        for (const session of supervisor.running()) {
          for (const event of events) session.documents.note(event)
        }
      }),
    status,
    reload,
    document: (id, root, path) =>
      Effect.sync(() => {
        const session = supervisor.running().find(({ root: at, row }) => row.id === id && at === root)
        return Option.fromUndefinedOr(session?.documents.get(path))
      })
  })
})

/** Acquires the port for one run. No server is started before it is asked; all are ended with the scope. */
export const layer = (options: Options): Layer.Layer<LanguageServers, never, Processes | Workspace> =>
  Layer.effect(LanguageServers, make(options))
