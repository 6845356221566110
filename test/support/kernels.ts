/** A run with `eval` over scripted interpreters, and two tools for its cells. */
import { randomUUID } from "node:crypto"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import { Clock, Context, Deferred, Effect, Layer, Schedule, Schema } from "effect"
import * as NodeKernels from "../../layers/kernel/NodeKernels.ts"
import type { Candidate } from "../../layers/kernel/Slot.ts"
import * as NodeProcesses from "../../layers/process/NodeProcesses.ts"
import * as NodeWorkspace from "../../layers/workspace/NodeWorkspace.ts"
import type * as Answer from "../../src/Answer.ts"
import { evalTool } from "../../src/kernel/Eval.ts"
import { Kernels } from "../../src/kernel/Kernels.ts"
import type { Value } from "../../src/kernel/Value.ts"
import * as LiveTool from "../../src/LiveTool.ts"
import { Processes } from "../../src/Processes.ts"
import * as Surface from "../../src/Surface.ts"
import * as ToolError from "../../src/ToolError.ts"

const script = fileURLToPath(new URL("./FakeKernel.mjs", import.meta.url))

export const fake = (mode = ""): Candidate => ({
  name: `fake ${mode}`.trim(),
  command: process.execPath,
  args: [script, mode],
  env: process.env
})

/** What the tools of a test do: `open` lets the calls of `wait` go on. */
export class Desk extends Context.Service<
  Desk,
  { readonly open: Deferred.Deferred<void>; readonly log: Array<string> }
>()("test/Desk") {
  static readonly layer = Layer.effect(
    Desk,
    Effect.map(Deferred.make<void>(), (open) => Desk.of({ open, log: [] }))
  )
}

export const desk = LiveTool.make("desk", {
  description: "For tests.",
  tier: "exec",
  parameters: Schema.Struct({
    op: Schema.Literals(["echo", "wait", "fail", "slow"]),
    text: Schema.optionalKey(Schema.String),
    queue: Schema.optionalKey(Schema.String)
  }),
  success: Schema.Struct({ text: Schema.String }),
  text: ({ text }) => text,
  requires: [Desk],
  serialKey: ({ queue }) => queue,
  handler: Effect.fnUntraced(function* ({ op, text = "" }) {
    const { log, open } = yield* Desk
    log.push(`begin ${text}`)
    if (op === "fail") return yield* ToolError.make("not_found", `There is no ${text}.`)
    if (op === "slow") yield* Effect.sleep("50 millis")
    if (op === "wait") {
      yield* Effect.onInterrupt(Deferred.await(open), () => Effect.sync(() => void log.push(`cancelled ${text}`)))
    }
    log.push(`end ${text}`)
    return { text }
  })
})

/** A tool whose value is a text. */
export const note = LiveTool.make("note", {
  description: "For tests.",
  tier: "read",
  parameters: Schema.Struct({ size: Schema.optionalKey(Schema.Int) }),
  success: Schema.String,
  text: (value) => `shown: ${value}`,
  requires: [Desk],
  handler: ({ size }) => Effect.succeed("é".repeat(size ?? 3))
})

export const realClock = Context.get(Context.empty(), Clock.Clock)

/** Waits in real time until a look gives something. */
export const eventually = <A>(look: () => A | undefined): Effect.Effect<A> =>
  Effect.suspend(() => Effect.fromNullishOr(look())).pipe(
    Effect.retry(Schedule.spaced("10 millis").pipe(Schedule.upTo({ duration: "20 seconds" }))),
    Effect.orDie,
    Effect.provideService(Clock.Clock, realClock)
  )

export interface Cell {
  readonly answer: Answer.Answer
  readonly value: Value
}

const toCell = (answer: Answer.Answer): Cell => ({ answer, value: answer.value as Value })

/** A run; what it started ends with the scope. */
export const run = Effect.fnUntraced(function* (
  options: Partial<NodeKernels.Options> & {
    readonly files?: { readonly [name: string]: string }
    /** What the surface is made with besides: a gate, a registry. */
    readonly harness?: Layer.Layer<never>
  } = {}
) {
  const root = Fs.realpathSync(Fs.mkdtempSync(Path.join(Os.tmpdir(), "livetools-kernel-")))
  yield* Effect.addFinalizer(() => Effect.sync(() => Fs.rmSync(root, { recursive: true, force: true })))
  for (const [name, content] of Object.entries(options.files ?? {})) Fs.writeFileSync(Path.join(root, name), content)
  const runId = `kernel-${randomUUID()}`
  const context = yield* Layer.build(
    NodeKernels.layer({ isTrusted: true, candidates: { python: [fake()], javascript: [fake()] }, ...options }).pipe(
      Layer.provideMerge(
        Layer.mergeAll(NodeProcesses.layer({ runId }), Layer.orDie(NodeWorkspace.layer({ root })), Desk.layer)
      )
    )
  )
  const harness = yield* Layer.build(options.harness ?? Layer.empty)
  const surface = yield* Effect.provideContext(Surface.make([evalTool, desk, note]), Context.merge(context, harness))
  const cell = (code: string, params: { readonly language?: "python" | "javascript"; readonly reset?: boolean } = {}) =>
    Effect.map(surface.dispatch("eval", { code, description: "a cell of the test suite", ...params }), toCell)
  const { log, open } = yield* Effect.provideContext(Desk, context)
  return {
    root,
    runId,
    surface,
    cell,
    log,
    open,
    kernels: yield* Effect.provideContext(Kernels, context),
    processes: yield* Effect.provideContext(Processes, context)
  }
})

/** The texts of a stream. */
export const textOf = (value: Value, kind: "stdout" | "stderr"): string =>
  value.outputs.flatMap((output) => (output.kind === kind ? [output.text] : [])).join("")
