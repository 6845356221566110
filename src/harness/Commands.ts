/** The command line of the reference harness (SPEC §12): `tools`, `call`, `run`, `serve`, `agent`, and the console. */
import { Effect, FileSystem, type Layer, Option, Result, type Scope, Stdio, Stream } from "effect"
import * as Argument from "effect/cli/Argument"
import * as CliError from "effect/cli/CliError"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import type * as Answer from "../Answer.ts"
import * as Budget from "../Budget.ts"
import { DeferredFindings } from "../DeferredFindings.ts"
import * as Surface from "../Surface.ts"
import * as Tier from "../Tier.ts"
import * as AgentCommand from "./AgentCommand.ts"
import type { WorkerEvents } from "./AgentWorker.ts"
import * as CallSyntax from "./CallSyntax.ts"
import { Cards } from "./Cards.ts"
import * as Lines from "./Lines.ts"
import { Output } from "./Output.ts"
import * as Pictures from "./Pictures.ts"
import { RunInfo } from "./RunInfo.ts"
import * as Serve from "./Serve.ts"
import * as Shown from "./Shown.ts"
import { CallFailed, type ModelFailed, UsageError } from "./Usage.ts"
import { VibeSwitch } from "./VibeSwitch.ts"

export { CallFailed, ModelFailed, UsageError } from "./Usage.ts"

export interface RunOptions {
  readonly cwd: string
  readonly cap: Tier.Tier
  /** Calls of every tier run without being asked for. */
  readonly isApproved: boolean
  /** Whether the project's own settings and binaries may be used. */
  readonly isTrusted: boolean
  readonly conversation: string | undefined
  /** Whether vibe mode is on from the beginning. */
  readonly isVibe?: boolean
  /** The module with the language models of the run; without it there is no `AgentModels`. */
  readonly model?: string | undefined
}

export type Run = Surface.Wired | Cards | RunInfo | VibeSwitch | WorkerEvents

/** How a run is begun and how its human is reached, on this platform. */
export interface Platform {
  readonly run: (options: RunOptions) => Layer.Layer<Run, UsageError | ModelFailed>
  /** Connects the terminal to the cards, where there is one. */
  readonly connectTerminal: Effect.Effect<void, never, Cards | Scope.Scope>
  /** Reads calls from the terminal until it is closed; `None` where there is no terminal. */
  readonly console: Option.Option<Effect.Effect<void, never, Run | Scope.Scope | FileSystem.FileSystem>>
}

const common = {
  cwd: Flag.String("cwd").pipe(
    Flag.withDescription("The working directory of the run. Default: here"),
    Flag.withDefault(".")
  ),
  cap: Flag.Literals("cap", Tier.tiers).pipe(
    Flag.withDescription("The highest tier of tools that are shown. Default: exec"),
    Flag.withDefault("exec")
  ),
  yes: Flag.Boolean("yes").pipe(Flag.withDescription("Approve every call"), Flag.withDefault(false)),
  untrusted: Flag.Boolean("untrusted").pipe(
    Flag.withDescription("Do not use settings and binaries of the project itself"),
    Flag.withDefault(false)
  ),
  conversation: Flag.String("conversation").pipe(
    Flag.withDescription("The conversation that the run belongs to. Default: a new one"),
    Flag.optional
  ),
  vibe: Flag.Boolean("vibe").pipe(
    Flag.withDescription("Vibe mode: background workers, directed with the vibe_* tools"),
    Flag.withDefault(false)
  ),
  model: Flag.String("model").pipe(
    Flag.withDescription(
      "For `agent` and for workers: a module whose default export is a Layer of effect/ai's LanguageModel (`fast` and `good`: others for workers), or openai:MODEL"
    ),
    Flag.optional
  )
}

interface Common {
  readonly cwd: string
  readonly cap: Tier.Tier
  readonly yes: boolean
  readonly untrusted: boolean
  readonly conversation: Option.Option<string>
  readonly vibe: boolean
  readonly model: Option.Option<string>
}

const json = Flag.Boolean("json").pipe(
  Flag.withDescription("One line of JSON for each answer, nothing else on standard output"),
  Flag.withDefault(false)
)

/** The whole command. Fails with `UsageError` (exit code 2), `ModelFailed` (1), `CallFailed` (1, or 2 where the call itself was wrong). */
export const make = (platform: Platform) => {
  const inRun =
    <Config extends Common, A, E, R>(body: (config: Config) => Effect.Effect<A, E, R>) =>
    (config: Config) =>
      Effect.scoped(body(config)).pipe(
        Effect.provide(
          platform.run({
            cwd: config.cwd,
            cap: config.cap,
            isApproved: config.yes,
            isTrusted: !config.untrusted,
            conversation: Option.getOrUndefined(config.conversation),
            isVibe: config.vibe,
            model: Option.getOrUndefined(config.model)
          })
        )
      )

  const tools = Command.make("tools", { ...common, json }, inRun(listTools)).pipe(
    Command.withDescription("Show the tools of a run here, and for what is absent, why")
  )

  const call = Command.make(
    "call",
    {
      ...common,
      json,
      tool: Argument.String("tool").pipe(Argument.withDescription("The name of the tool")),
      params: Argument.String("params").pipe(
        Argument.withDescription("KEY=VALUE words, one JSON object, or - to read JSON from standard input"),
        Argument.variadic()
      )
    },
    inRun(
      Effect.fnUntraced(function* ({ json: asJson, params: args, tool }) {
        const surface = yield* Surface.Wired
        if (!(args.length === 1 && args[0] === "-")) yield* platform.connectTerminal
        const given =
          args.length === 1 && args[0] === "-"
            ? yield* readStdin.pipe(Effect.map((text) => CallSyntax.params([text.trim()], undefined)))
            : CallSyntax.params(args, schemaOf(surface, tool))
        if (Result.isFailure(given)) return yield* new UsageError({ message: `${tool}: ${given.failure}` })
        const answer = yield* dispatch(surface, tool, given.success)
        yield* print(tool, answer, asJson)
        if (answer.isFailure) return yield* new CallFailed({ exitCode: exitCode(answer) })
      })
    )
  ).pipe(
    Command.withDescription("Call one tool"),
    Command.withExamples([
      { command: "livetools call ast_grep pattern='console.log($$$A)'", description: "Find calls by shape" }
    ])
  )

  const run = Command.make(
    "run",
    {
      ...common,
      json,
      file: Argument.String("file").pipe(
        Argument.withDescription('One call a line, TOOL KEY=VALUE… or {"tool", "params"}. Default: standard input'),
        Argument.optional
      )
    },
    inRun(
      Effect.fnUntraced(function* ({ file, json: asJson }) {
        const surface = yield* Surface.Wired
        if (Option.isSome(file)) yield* platform.connectTerminal
        const lines: Stream.Stream<Lines.Line, UsageError, FileSystem.FileSystem | Stdio.Stdio> = Option.isSome(file)
          ? fileLines(file.value)
          : stdinLines
        let worst = 0
        let number = 0
        yield* Stream.runForEach(
          lines,
          Effect.fnUntraced(function* (line) {
            number++
            const place = `${Option.getOrElse(file, () => "standard input")}:${number}`
            if ("tooLong" in line) {
              worst = 2
              return yield* (yield* Output).err(
                `${place}: the line has ${line.tooLong} bytes; the limit is ${Serve.maxLineBytes}.\n`
              )
            }
            if (line.text.trim() === "" || line.text.trimStart().startsWith("#")) return
            const parsed = CallSyntax.call(line.text, (tool) => schemaOf(surface, tool))
            if (Result.isFailure(parsed)) {
              worst = 2
              return yield* (yield* Output).err(`${place}: ${parsed.failure}\n`)
            }
            const { params, tool } = parsed.success
            if (!asJson) yield* (yield* Output).out(`> ${line.text.trim()}\n`)
            const answer = yield* dispatch(surface, tool, params)
            yield* print(tool, answer, asJson)
            if (answer.isFailure) worst = Math.max(worst, exitCode(answer))
          })
        )
        if (worst > 0) return yield* new CallFailed({ exitCode: worst })
      })
    )
  ).pipe(Command.withDescription("Make many calls in one run"))

  const serve = Command.make(
    "serve",
    common,
    inRun(
      Effect.fnUntraced(function* () {
        const output = yield* Output
        const { cap, cwd, id } = yield* RunInfo
        yield* Serve.serve({
          surface: yield* Surface.Wired,
          cards: yield* Cards,
          vibe: yield* VibeSwitch,
          deferred: Option.getOrUndefined(yield* Effect.serviceOption(DeferredFindings)),
          run: { id, cwd, cap },
          lines: yield* Effect.map(Stdio.Stdio, (stdio) => Lines.split(Serve.maxLineBytes)(Stream.orDie(stdio.stdin))),
          write: (line) => output.out(`${line}\n`),
          drain: Budget.after("3 seconds")
        })
      })
    )
  ).pipe(Command.withDescription("Serve one run over standard input and output: newline-delimited JSON-RPC 2.0"))

  const agent = Command.make(
    "agent",
    {
      ...common,
      json,
      task: Argument.String("task").pipe(Argument.withDescription("What the agent is to do"))
    },
    inRun((config) => Effect.andThen(platform.connectTerminal, AgentCommand.run(config)))
  ).pipe(
    Command.withDescription("Let a language model work on a task with the tools of a run, and print what it does"),
    Command.withExamples([
      { command: 'livetools agent --model ./model.mjs "rename Foo to Bar"', description: "With a model of your own" }
    ])
  )

  const openConsole = inRun((_: Common) => Option.getOrElse(platform.console, () => Effect.void))
  return Command.make(
    "livetools",
    common,
    (config): Effect.Effect<void, UsageError | ModelFailed | CliError.ShowHelp, FileSystem.FileSystem> =>
      Option.isNone(platform.console)
        ? Effect.fail(new CliError.ShowHelp({ commandPath: ["livetools"], errors: [] }))
        : openConsole(config)
  ).pipe(
    Command.withDescription("Agent tools bound to live resources. On a terminal, without a subcommand: a console"),
    Command.withSubcommands([tools, call, run, serve, agent])
  )
}

const listTools = Effect.fnUntraced(function* ({ json: asJson }: Common & { readonly json: boolean }) {
  const { absent, cap, entries } = yield* Surface.Wired
  const { cwd } = yield* RunInfo
  const output = yield* Output
  if (asJson) {
    const tools = entries.map(({ description, jsonSchema, name, resultSchema, tier }) => ({
      name,
      description,
      tier,
      inputSchema: jsonSchema,
      resultSchema
    }))
    return yield* output.out(`${JSON.stringify({ tools, absent })}\n`)
  }
  const width = Math.max(...[...entries, ...absent].map(({ name }) => name.length), 0)
  const row = (name: string, tier: string, text: string) => `  ${name.padEnd(width)}  ${tier.padEnd(5)}  ${text}\n`
  yield* output.out(`Tools of a run in ${cwd} (cap ${cap}):\n`)
  for (const { description, name, tier } of entries) yield* output.out(row(name, tier, firstSentence(description)))
  if (absent.length === 0) return
  yield* output.out("Absent:\n")
  for (const { missing, name, tier } of absent) yield* output.out(row(name, tier, missing.join("; ")))
})

const firstSentence = (text: string): string => /^.*?\.(?=\s|$)/s.exec(text)?.[0] ?? text

/** A call that is cancelled says on standard error what it had shown: it has no answer. */
const dispatch = Effect.fnUntraced(function* (surface: Surface.Surface, tool: string, params: unknown) {
  const { err } = yield* Output
  return yield* surface.dispatch(tool, params).pipe(Shown.keep((shown) => err(`${Shown.cancelled(tool, shown)}\n`)))
})

const print = (tool: string, answer: Answer.Answer, asJson: boolean) =>
  Effect.gen(function* () {
    const { err, out } = yield* Output
    if (asJson) return yield* out(`${JSON.stringify({ tool, ...answer })}\n`)
    const text = answer.text.endsWith("\n") ? answer.text : `${answer.text}\n`
    const images = (yield* Pictures.save(answer)).map((line) => `${line}\n`).join("")
    if (!answer.isFailure) return yield* out(text + images)
    const hint = answer.code === "no_approver" ? "Run it with --yes to approve every call.\n" : ""
    return yield* err(`${answer.code}: ${text}${images}${hint}`)
  })

const exitCode = (answer: Answer.Failure): number =>
  answer.code === "unknown_tool" || answer.code === "invalid_params" ? 2 : 1

const schemaOf = (surface: Surface.Surface, tool: string) =>
  surface.entries.find((entry) => entry.name === tool)?.jsonSchema

const stdinBytes = Stream.unwrap(Effect.map(Stdio.Stdio, (stdio) => Stream.orDie(stdio.stdin)))
const stdinLines = Lines.split(Serve.maxLineBytes)(stdinBytes)
const readStdin = Stream.mkString(Stream.decodeText(stdinBytes))

const fileLines = (path: string) =>
  Stream.unwrap(
    Effect.map(FileSystem.FileSystem, (fs) =>
      Lines.split(Serve.maxLineBytes)(
        fs.stream(path).pipe(
          Stream.mapError(({ message, reason }) => {
            const why = reason._tag === "BadResource" ? "it is a folder, not a file of calls" : message
            return new UsageError({ message: `${path} cannot be read: ${why}` })
          })
        )
      )
    )
  )
