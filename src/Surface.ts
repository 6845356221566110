/**
 * The set of tools that one viewer is shown (SPEC §1, 2), in the shapes that hosts take. Every call goes through one wrapper:
 * strict parameters, order, gate, span, and every way to end turned into one answer.
 */
import { Cause, Context, Effect, Exit, Fiber, Layer, Option, Result, Schema, Scope } from "effect"
import { Prompt, Tool, Toolkit } from "effect/ai"
import * as Answer from "./Answer.ts"
import { type Call, CurrentCall, OutputSink, ProgressSink, Registry, type Tools } from "./Call.ts"
import * as CallQueue from "./CallQueue.ts"
import * as Content from "./Content.ts"
import { DeferredFindings } from "./DeferredFindings.ts"
import { Gate } from "./Gate.ts"
import type * as LiveTool from "./LiveTool.ts"
import { type JsonSchema, type ObjectSchema, type StandardSchema, standardSchema } from "./Parameters.ts"
import * as Suggest from "./Suggest.ts"
import * as Tier from "./Tier.ts"
import { ToolError } from "./ToolError.ts"

/** The tools of a composition that are within its cap. */
export type Shown<Tools extends LiveTool.Any, Cap extends Tier.Tier> = Tools extends LiveTool.Any
  ? LiveTool.TierOf<Tools> extends Tier.UpTo<Cap>
    ? Tools
    : never
  : never

/** A tool that is not on the surface, for operators: a model is never told of it. */
export interface Absent {
  readonly name: string
  readonly tier: Tier.Tier
  /** What it would need, each in words. */
  readonly missing: ReadonlyArray<string>
}

/** What a host is told of a tool. */
export interface Description {
  readonly name: string
  readonly description: string
  readonly tier: Tier.Tier
  readonly jsonSchema: ObjectSchema
  /** The same parameters for hosts that take a Standard Schema. */
  readonly standardSchema: StandardSchema
  readonly resultSchema: JsonSchema
}

/** A tool for any Effect host; nothing is left to provide. */
export interface Entry extends Description {
  readonly call: (params: unknown) => Effect.Effect<Answer.Answer>
}

/** A tool for a host without Effect. */
export interface Function extends Description {
  /**
   * Resolves with an answer, also when the tool fails. Aborting the signal interrupts the handler, runs its finalizers, and
   * then rejects with the signal's reason.
   */
  readonly call: (params: unknown, options?: { readonly signal?: AbortSignal | undefined }) => Promise<Answer.Answer>
}

/** Carries the tier on each tool of `toolkit`. */
export const TierAnnotation: Context.Key<"livetools/Tier", Tier.Tier> = Context.Service<"livetools/Tier", Tier.Tier>(
  "livetools/Tier"
)

const ToolResult = Schema.Struct({ text: Schema.String, value: Schema.Unknown })

/** The `effect/ai` tool of a live tool: a model reads the text, a program the value. A failure is the text of one. */
export type AiTool<Name extends string> = Tool.Tool<
  Name,
  {
    readonly parameters: typeof Schema.Unknown
    readonly success: typeof ToolResult
    readonly failure: typeof Schema.String
    readonly failureMode: "return"
  }
>
export type AiTools<Names extends string> = { readonly [Name in Names]: AiTool<Name> }

export interface Surface<out Tools extends LiveTool.Any = LiveTool.Any> {
  readonly cap: Tier.Tier
  readonly absent: ReadonlyArray<Absent>
  /** What `LanguageModel.generateText({ toolkit })` takes. */
  readonly ready: Toolkit.WithHandler<AiTools<LiveTool.NameOf<Tools>>>
  readonly toolkit: Toolkit.Toolkit<AiTools<LiveTool.NameOf<Tools>>>
  /** The handlers of `toolkit`. */
  readonly layer: Layer.Layer<Tool.HandlersFor<AiTools<LiveTool.NameOf<Tools>>>>
  readonly entries: ReadonlyArray<Entry>
  readonly toFunctions: () => ReadonlyArray<Function>
  /** Calls a tool that is known to be there. */
  readonly call: <Name extends LiveTool.NameOf<Tools>>(
    name: Name,
    params: LiveTool.ParamsOf<LiveTool.Named<Tools, Name>>
  ) => Effect.Effect<Answer.Answer<LiveTool.ValueOf<LiveTool.Named<Tools, Name>>>>
  /** Calls a tool by any name, with any parameters; what is wrong with either is a failed answer. */
  readonly dispatch: (name: string, params: unknown) => Effect.Effect<Answer.Answer>
}

/** A composition that cannot be: two tools have one name. */
export class DuplicateTool extends Schema.TaggedError<DuplicateTool>()("DuplicateTool", { name: Schema.String }) {
  override get message() {
    return `Two tools are named \`${this.name}\`. A model could not tell them apart: leave one out.`
  }
}

interface Options<Cap extends Tier.Tier> {
  /** The highest tier shown. Default `exec`. */
  readonly cap?: Cap
  /** What to say of a service that is not in the context, by its key, instead of that it is not wired. */
  readonly missing?: ReadonlyMap<string, string>
}

/**
 * The static composition: needs every service behind the tools up to the cap. Calls run, and are interrupted, with the scope.
 */
export const make = <const Tools extends ReadonlyArray<LiveTool.Any>, const Cap extends Tier.Tier = "exec">(
  tools: Tools,
  options?: Options<Cap>
): Effect.Effect<
  Surface<Shown<Tools[number], Cap>>,
  DuplicateTool,
  LiveTool.ServicesOfTool<Shown<Tools[number], Cap>> | Scope.Scope
> =>
  Effect.map(
    compose(tools, options, false),
    // The cap was applied to the list as `Shown` applies it to the type.
    (surface) => surface as Surface<Shown<Tools[number], Cap>>
  )

/** The run-time composition: shows the tools whose services are in the context, and says of each other one what it misses. */
export const makeWired = (
  tools: ReadonlyArray<LiveTool.Any>,
  options?: Options<Tier.Tier>
): Effect.Effect<Surface, DuplicateTool, Scope.Scope> => compose(tools, options, true)

/** The surface of a run, for those who take it from the context. */
export class Wired extends Context.Service<Wired, Surface>()("livetools/Surface") {}

/** `makeWired` as a layer. */
export const layerWired = (
  tools: ReadonlyArray<LiveTool.Any>,
  options?: Options<Tier.Tier>
): Layer.Layer<Wired, DuplicateTool> => Layer.effect(Wired, makeWired(tools, options))

const compose = Effect.fnUntraced(function* (
  tools: ReadonlyArray<LiveTool.Any>,
  options: Options<Tier.Tier> | undefined,
  onlyWired: boolean
): Effect.fn.Return<Surface, DuplicateTool, Scope.Scope> {
  const cap = options?.cap ?? "exec"
  // What the shown tools need is in it: `make` says so in its type, and `makeWired` looks.
  const context = (yield* Effect.context<Scope.Scope>()) as Context.Context<unknown>
  const shown = new Map<string, LiveTool.Any>()
  const absent: Array<Absent> = []
  const names = new Set<string>()
  for (const tool of tools) {
    if (names.has(tool.name)) return yield* new DuplicateTool({ name: tool.name })
    names.add(tool.name)
    const missing = new Set<string>()
    for (const key of onlyWired ? tool.requires : []) {
      if (Option.isSome(Context.getOption(context, key))) continue
      missing.add(options?.missing?.get(key.key) ?? `${key.key} is not wired`)
    }
    if (!Tier.isWithin(tool.tier, cap)) missing.add(`its tier is ${tool.tier}, the cap is ${cap}`)
    if (missing.size > 0) absent.push({ name: tool.name, tier: tool.tier, missing: [...missing] })
    else shown.set(tool.name, tool)
  }

  const scope = yield* Effect.scope
  const calls = yield* Scope.fork(scope)
  let isEnding = false
  // Added after the fork, so it runs before the calls are interrupted.
  yield* Scope.addFinalizer(
    scope,
    Effect.sync(() => {
      isEnding = true
    })
  )

  const dispatch = (name: string, params: unknown): Effect.Effect<Answer.Answer> =>
    Effect.suspend(() => {
      if (isEnding) return Effect.succeed(ending(name))
      const tool = shown.get(name)
      if (tool === undefined) return Effect.succeed(unknownTool(name, shown.keys()))
      return Effect.flatMap(Effect.fiber, (fiber) => {
        const parent = Context.get(fiber.context, CurrentCall)
        const prepared = tool.prepare(params, parent)
        if (Result.isFailure(prepared)) return Effect.succeed(failed(prepared.failure))
        const performed = perform(tool, prepared.success, context, fiber.context, registry)
        // What a call inside of another answers is read by a program, not by the model.
        return inScope(parent === undefined ? Effect.flatMap(performed, addDeferred) : performed)
      })
    })

  const deferred = Option.getOrUndefined(Context.getOption(context, DeferredFindings))
  const addDeferred = (answer: Answer.Answer): Effect.Effect<Answer.Answer> =>
    deferred === undefined
      ? Effect.succeed(answer)
      : Effect.map(deferred.take, (findings) => Answer.withDeferred(answer, findings))

  // The fiber belongs to the surface's scope, so that the end of the run ends the call; an interrupted caller takes it along.
  const inScope = (self: Effect.Effect<Answer.Answer>): Effect.Effect<Answer.Answer> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(Effect.forkIn(restore(self), calls, { startImmediately: true }), (fiber) =>
        Effect.flatMap(
          Effect.onInterrupt(restore(Fiber.await(fiber)), () => Fiber.interrupt(fiber)),
          (exit) => (Exit.isFailure(exit) && isEnding ? Effect.succeed(ended) : exit)
        )
      )
    )

  const toolkit = Toolkit.make(...Array.from(shown.values(), aiTool))
  const handlers = yield* toolkit.toHandlers(
    Object.fromEntries(
      Array.from(shown.keys(), (name) => [
        name,
        (params: unknown) =>
          Effect.flatMap(dispatch(name, params), (answer) =>
            answer.isFailure ? Effect.fail(answer.text) : Effect.succeed({ text: answer.text, value: answer.value })
          )
      ])
    )
  )
  const ready = yield* Effect.provideContext(toolkit, handlers)
  const entries = Array.from(shown.values(), (tool): Entry => ({
    name: tool.name,
    description: tool.description,
    tier: tool.tier,
    jsonSchema: tool.jsonSchema,
    standardSchema: standardSchema(tool.jsonSchema, (params) => tool.prepare(params, undefined)),
    get resultSchema() {
      return tool.resultSchema
    },
    call: (params) => dispatch(tool.name, params)
  }))
  const toFunctions = () =>
    entries.map((entry): Function => ({
      ...entry,
      call: (params, options) => runPromise(entry.call(params), context, options?.signal)
    }))

  const registry: Tools = Context.get(context, Registry) ?? {
    list: Effect.succeed(
      entries.map(({ description, jsonSchema, name }) => ({ name, description, inputSchema: jsonSchema }))
    ),
    dispatch
  }

  return {
    cap,
    absent,
    ready,
    toolkit,
    layer: Layer.succeedContext(handlers),
    entries,
    toFunctions,
    call: dispatch as Surface["call"],
    dispatch
  }
})

let lastCallId = 0
const queues = new WeakMap<Call, CallQueue.CallQueue>()

const perform = (
  tool: LiveTool.Any,
  prepared: LiveTool.Prepared<unknown, unknown>,
  context: Context.Context<unknown>,
  caller: Context.Context<never>,
  tools: Tools
): Effect.Effect<Answer.Answer> => {
  const report = Context.get(caller, ProgressSink)
  const show = Context.get(caller, OutputSink)
  const call: Call = {
    id: ++lastCallId,
    tool: tool.name,
    parent: Context.get(caller, CurrentCall),
    progress: (message, percentage) =>
      report(percentage === undefined ? { call, message } : { call, message, percentage }),
    output: show === undefined ? undefined : (kind, text) => show({ call, kind, text }),
    tools: {
      list: tools.list,
      dispatch: (name, params) => Effect.provideService(tools.dispatch(name, params), CurrentCall, call)
    }
  }
  const gate = Option.getOrUndefined(Context.getOption(context, Gate))
  const run = prepared.run(call)
  const authorized =
    gate === undefined ? run : Effect.andThen(gate.authorize({ call, tier: tool.tier, params: prepared.params }), run)
  const ordered = inOrder(
    tool,
    prepared,
    context,
    call
  )(Effect.updateContext(authorized, provided(tool, context, call)))
  return Effect.withSpan(ordered, `livetools.${tool.name}`, {
    attributes: { tier: tool.tier },
    // Every stack here is this one; taking it costs more than the rest of the wrapper.
    captureStackTrace: false
  }).pipe(Effect.matchCauseEffect({ onSuccess: succeeded, onFailure: (cause) => causeAnswer(tool.name, cause) }))
}

/** Adds what a handler needs. To merge the two contexts would copy all that the run has, for each call. */
const provided =
  (tool: LiveTool.Any, context: Context.Context<unknown>, call: Call) =>
  (outer: Context.Context<never>): Context.Context<unknown> =>
    tool.requires.reduce<Context.Context<never>>(
      (inner, key) => Context.add(inner, key, Context.getUnsafe(context, key)),
      Context.add(outer, CurrentCall, call)
      // With these, it has all that the handler is typed to need.
    ) as Context.Context<unknown>

const inOrder = (
  tool: LiveTool.Any,
  prepared: LiveTool.Prepared<unknown, unknown>,
  context: Context.Context<unknown>,
  call: Call
): (<A>(run: Effect.Effect<A, ToolError>) => Effect.Effect<A, ToolError>) => {
  if (prepared.serialKey === undefined) return (run) => run
  const resource: object = tool.requires[0] === undefined ? tool : Context.getUnsafe(context, tool.requires[0])
  const queue = CallQueue.of(resource, prepared.serialKey)
  for (let outer = call.parent; outer !== undefined; outer = outer.parent) {
    if (queues.get(outer) === queue) return () => Effect.fail(waitsForItself(tool.name, outer.tool))
  }
  if (prepared.overtakes) return (run) => run
  queues.set(call, queue)
  return CallQueue.enqueue(resource, prepared.serialKey, queue)
}

const succeeded = ({ text, value }: { readonly value: unknown; readonly text: string }) =>
  Effect.succeed<Answer.Answer>({ isFailure: false, text, value })

const failed = ({ code, message, value }: ToolError): Answer.Answer => Answer.failure(code, message, value)

const causeAnswer = (name: string, cause: Cause.Cause<ToolError>): Effect.Effect<Answer.Answer> => {
  const defect = Cause.findDefect(cause)
  if (Result.isSuccess(defect)) {
    return Effect.as(
      Effect.logError(`A defect in the tool ${name}`, cause),
      Answer.failure(
        "internal",
        `${name} failed because of a fault in the tool, not in your call: ${describe(defect.success)}. ` +
          "Other calls are not affected. The same call would fail again: go on without it."
      )
    )
  }
  const error = Cause.findErrorOption(cause)
  if (Option.isSome(error)) return Effect.succeed(failed(error.value))
  return Effect.interrupt
}

const describe = (defect: unknown): string =>
  (defect instanceof Error ? `${defect.name}: ${defect.message}` : String(defect)).slice(0, 300)

const unknownTool = (name: string, names: Iterable<string>): Answer.Answer => {
  const known = [...names]
  return Answer.failure(
    "unknown_tool",
    `There is no tool \`${name.slice(0, 100)}\` here.${Suggest.didYouMean(name, known)} ` +
      (known.length === 0 ? "This surface has no tools." : `The tools are: ${known.join(", ")}.`)
  )
}

const waitsForItself = (name: string, outer: string): ToolError =>
  new ToolError({
    code: "denied",
    message:
      `This ${name} call would wait for the ${outer} call that makes it, for ever. ` +
      `Let that call finish first, then make this one.`
  })

const ended = Answer.failure("cancelled", "The run ended while the call was under way; it was interrupted.")
const ending = (name: string): Answer.Answer =>
  Answer.failure("cancelled", `The run is ending: ${name} was not called.`)

const aiTool = (tool: LiveTool.Any): AiTool<string> =>
  Tool.dynamic(tool.name, {
    description: tool.description,
    parameters: { ...tool.jsonSchema },
    success: ToolResult,
    failure: Schema.String,
    failureMode: "return",
    toModelOutput: (result: typeof ToolResult.Type) => [
      Prompt.textPart({ text: result.text }),
      ...Content.images(result).map(({ data, mediaType }) => Prompt.filePart({ mediaType, data }))
    ]
  })
    .annotate(TierAnnotation, tool.tier)
    .annotate(Tool.Readonly, tool.tier === "read")
    .annotate(Tool.Destructive, tool.tier !== "read")

const runPromise = <A>(
  effect: Effect.Effect<A>,
  context: Context.Context<never>,
  signal: AbortSignal | undefined
): Promise<A> =>
  Effect.runPromiseExitWith(context)(effect, signal === undefined ? undefined : { signal }).then((exit) => {
    if (Exit.isSuccess(exit)) return exit.value
    throw signal?.aborted === true ? signal.reason : Cause.squash(exit.cause)
  })
