/** One run over newline-delimited JSON-RPC 2.0, for a program in any language (SPEC §12). */
import { Cause, Effect, Exit, Fiber, FiberSet, Option, Schema, Scope, Stream } from "effect"
import type * as Answer from "../Answer.ts"
import * as Budget from "../Budget.ts"
import { type Output, OutputSink, type Progress, ProgressSink } from "../Call.ts"
import type { DeferredFindings } from "../DeferredFindings.ts"
import type { Surface } from "../Surface.ts"
import type { Tier } from "../Tier.ts"
import type * as Cards from "./Cards.ts"
import type { Line } from "./Lines.ts"
import type { VibeSwitch } from "./VibeSwitch.ts"

export const protocolVersion = 1

/** A longer line is an error; the run goes on. */
export const maxLineBytes = 64 * 1024 * 1024

export interface Options {
  readonly surface: Surface
  readonly cards: Cards.Cards["Service"]
  /** Where vibe mode can be switched. */
  readonly vibe?: VibeSwitch["Service"] | undefined
  /** What earlier writes have caused, for a client that asks for notifications of it. */
  readonly deferred?: DeferredFindings["Service"] | undefined
  readonly run: { readonly id: string; readonly cwd: string; readonly cap: Tier }
  readonly lines: Stream.Stream<Line>
  /** Writes one line; waits while the reader does not read. */
  readonly write: (line: string) => Effect.Effect<void>
  /** How long calls may still run after the end of input before they are interrupted. */
  readonly drain: Budget.Budget
}

type Id = string | number

const Request = Schema.Struct({
  jsonrpc: Schema.Literal("2.0"),
  method: Schema.String,
  id: Schema.optionalKey(Schema.Union([Schema.String, Schema.Finite])),
  params: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
})

const Initialize = Schema.Struct({
  protocolVersion: Schema.Literal(protocolVersion),
  cards: Schema.optionalKey(Schema.Boolean),
  progress: Schema.optionalKey(Schema.Boolean),
  deferred: Schema.optionalKey(Schema.Boolean)
})
const ToolsList = Schema.Struct({})
const ToolsCall = Schema.Struct({ tool: Schema.String, params: Schema.optionalKey(Schema.Unknown) })
const CancelRequest = Schema.Struct({ id: Schema.Union([Schema.String, Schema.Finite]) })
const VibeSet = Schema.Struct({ on: Schema.Boolean })
const CardsAnswer = Schema.Struct({
  card_id: Schema.String,
  selected: Schema.optionalKey(Schema.Array(Schema.Union([Schema.String, Schema.Finite]))),
  text: Schema.optionalKey(Schema.String),
  skip: Schema.optionalKey(Schema.Boolean)
}).check(
  Schema.makeFilter(({ selected = [], skip, text = "" }) =>
    skip === true && (selected.length > 0 || text !== "")
      ? "`skip` drops the card unanswered, so it cannot come with `selected` or `text`; send either"
      : undefined
  )
)

class RpcError extends Schema.TaggedError<RpcError>()("RpcError", {
  code: Schema.Int,
  message: Schema.String,
  data: Schema.optionalKey(Schema.Unknown)
}) {}

const parseError = -32700
const invalidRequest = -32600
const methodNotFound = -32601
const invalidParams = -32602
const internalError = -32603
const requestCancelled = -32800

/** Serves until the input ends and the calls that are under way have ended, or the drain budget is spent. */
export const serve = Effect.fnUntraced(function* (options: Options): Effect.fn.Return<void, never, Scope.Scope> {
  const { cards, run, surface } = options
  const scope = yield* Effect.scope
  const fibers = yield* FiberSet.make<void>()
  const active = new Map<Id, { readonly fiber: Fiber.Fiber<unknown, unknown>; isCancelled: boolean }>()
  /** Each open while the client wants it. */
  const wants: { cards?: Scope.Closeable; deferred?: Scope.Closeable } = {}
  let wantsProgress = false

  const send = (message: object) => options.write(JSON.stringify({ jsonrpc: "2.0", ...message }))
  const notify = (method: string, params: object) => send({ method, params })
  const respondError = (id: Id | null, error: { code: number; message: string; data?: unknown }) =>
    send({
      id,
      error: { code: error.code, message: error.message, ...(error.data === undefined ? {} : { data: error.data }) }
    })

  const cardEvents = (event: Cards.Event) =>
    event.type === "open"
      ? notify("cards.open", { card: event.card })
      : notify("cards.close", { card_id: event.card_id, reason: event.reason })

  /** Begins what the client wants from now on, and ends what it wants no more. */
  const want = (what: keyof typeof wants, isWanted: boolean, begin: Effect.Effect<void, never, Scope.Scope>) =>
    Effect.gen(function* () {
      const open = wants[what]
      if (isWanted === (open !== undefined)) return
      delete wants[what]
      if (open !== undefined) return yield* Scope.close(open, Exit.void)
      const opened = yield* Scope.fork(scope)
      wants[what] = opened
      yield* Scope.provide(begin, opened)
    })

  const methods: {
    readonly [method: string]: (params: unknown, id: Id | undefined) => Effect.Effect<unknown, RpcError>
  } = {
    initialize: (input) =>
      Effect.gen(function* () {
        const params = yield* read(Initialize, "initialize", input)
        wantsProgress = params.progress ?? false
        yield* want("cards", params.cards ?? false, cards.connect(cardEvents))
        if (options.deferred !== undefined) {
          const divert = options.deferred.divert((deferred) => notify("diagnostics.deferred", deferred))
          yield* want("deferred", params.deferred ?? false, divert)
        }
        return { protocolVersion, run }
      }),
    "tools.list": (input) =>
      Effect.as(read(ToolsList, "tools.list", input), {
        tools: surface.entries.map(({ description, jsonSchema, name, resultSchema, tier }) => ({
          name,
          description,
          tier,
          inputSchema: jsonSchema,
          resultSchema
        })),
        absent: surface.absent
      }),
    "tools.call": (input, id) =>
      Effect.flatMap(read(ToolsCall, "tools.call", input), ({ params, tool }): Effect.Effect<Answer.Answer> =>
        surface.dispatch(tool, params ?? {}).pipe(
          Effect.provideService(ProgressSink, ({ message, percentage }: Progress) =>
            wantsProgress && id !== undefined
              ? notify("$/progress", { id, message, ...(percentage === undefined ? {} : { percentage }) })
              : Effect.void
          ),
          Effect.provideService(
            OutputSink,
            id === undefined ? undefined : ({ kind, text }: Output) => notify("output", { id, kind, text })
          )
        )
      ),
    "vibe.set": (input) =>
      Effect.flatMap(read(VibeSet, "vibe.set", input), ({ on }) =>
        options.vibe === undefined
          ? Effect.fail(new RpcError({ code: methodNotFound, message: "This run has no vibe mode." }))
          : Effect.as(options.vibe.set(on), { on })
      ),
    "cards.answer": (input) =>
      Effect.flatMap(read(CardsAnswer, "cards.answer", input), ({ card_id, selected, skip, text }) =>
        cards.answer(card_id, skip === true ? { skip } : { selected, text }).pipe(
          Effect.as({ accepted: true }),
          Effect.mapError(({ code, message }) => new RpcError({ code: invalidParams, message, data: { code } }))
        )
      ),
    "$/cancelRequest": (input) =>
      Effect.flatMap(read(CancelRequest, "$/cancelRequest", input), ({ id }) => {
        const call = active.get(id)
        if (call === undefined) return Effect.succeed(null)
        call.isCancelled = true
        return Effect.as(Fiber.interrupt(call.fiber), null)
      })
  }

  const respond = (id: Id, exit: Exit.Exit<unknown, RpcError>, isCancelled: boolean) => {
    if (Exit.isSuccess(exit)) return send({ id, result: exit.value })
    const error = Cause.findErrorOption(exit.cause)
    if (Option.isSome(error)) return respondError(id, error.value)
    if (isCancelled) return respondError(id, { code: requestCancelled, message: "The request was cancelled." })
    return Cause.hasInterruptsOnly(exit.cause)
      ? respondError(id, { code: requestCancelled, message: "The run ended while the request was under way." })
      : Effect.andThen(
          Effect.logError("A defect while serving a request", exit.cause),
          respondError(id, { code: internalError, message: "The request failed because of a fault in the server." })
        )
  }

  const start = Effect.fnUntraced(function* (request: typeof Request.Type) {
    const { id, method, params } = request
    const handler = Object.hasOwn(methods, method) ? methods[method] : undefined
    if (handler === undefined) {
      if (id === undefined) return
      return yield* respondError(id, {
        code: methodNotFound,
        message: `There is no method ${method.slice(0, 100)}. The methods are ${Object.keys(methods).join(", ")}.`
      })
    }
    if (id === undefined) {
      yield* FiberSet.run(fibers, Effect.ignore(handler(params ?? {}, undefined)), { startImmediately: true })
      return
    }
    if (active.has(id)) {
      return yield* respondError(id, {
        code: invalidRequest,
        message: `A request with the id ${JSON.stringify(id)} is under way. Give each request an id of its own.`
      })
    }
    // The work is a fiber of its own, so that the answer is still written when it is interrupted.
    const work = yield* Effect.forkIn(handler(params ?? {}, id), scope, { startImmediately: true })
    const call = { fiber: work, isCancelled: false }
    active.set(id, call)
    yield* FiberSet.run(
      fibers,
      Effect.flatMap(Fiber.await(work), (exit) => {
        active.delete(id)
        return respond(id, exit, call.isCancelled)
      }),
      { startImmediately: true }
    )
  })

  const take = (line: Line): Effect.Effect<void> => {
    if ("tooLong" in line) {
      return respondError(null, {
        code: invalidRequest,
        message: `A line of ${line.tooLong} bytes was dropped: the limit is ${maxLineBytes} bytes. Send large contents in a file.`
      })
    }
    if (line.text.trim() === "") return Effect.void
    let message: unknown
    try {
      message = JSON.parse(line.text)
    } catch (error) {
      return respondError(null, { code: parseError, message: `That line is not JSON: ${(error as Error).message}` })
    }
    return Effect.matchEffect(decodeRequest(message), {
      onFailure: (error) =>
        respondError(idOf(message), {
          code: invalidRequest,
          message: Array.isArray(message)
            ? "Batches are not taken: send one request a line."
            : `That is not a JSON-RPC 2.0 request: ${oneLine(error.message)}.`
        }),
      onSuccess: start
    })
  }

  if (options.vibe !== undefined) yield* options.vibe.onChange(notify("tools.changed", {}))
  yield* Stream.runForEach(options.lines, take)
  // Nobody can answer a card any more.
  yield* want("cards", false, Effect.void)
  const drained = yield* Budget.within(options.drain)(FiberSet.awaitEmpty(fibers))
  if (Option.isNone(drained)) {
    yield* Fiber.interruptAll(Array.from(active.values(), (call) => call.fiber))
    yield* FiberSet.awaitEmpty(fibers)
  }
})

const decodeRequest = Schema.decodeUnknownEffect(Request)

const idOf = (message: unknown): Id | null => {
  const id = typeof message === "object" && message !== null && "id" in message ? message.id : null
  return typeof id === "string" || typeof id === "number" ? id : null
}

const oneLine = (text: string): string => text.replaceAll(/\s*\n\s*/g, " ")

const read = <A>(schema: Schema.Codec<A, unknown>, method: string, params: unknown): Effect.Effect<A, RpcError> =>
  Schema.decodeUnknownEffect(schema, { errors: "all", onExcessProperty: "error" })(params).pipe(
    Effect.mapError(
      (error) =>
        new RpcError({ code: invalidParams, message: `Invalid params of ${method}: ${oneLine(error.message)}.` })
    )
  )
