/** The five `vibe_*` tools: directing background workers (SPEC §10). */
import { Effect, Schema } from "effect"
import * as Blank from "../Blank.ts"
import * as Budget from "../Budget.ts"
import * as LiveTool from "../LiveTool.ts"
import { Roster, VibeMode, type Waited } from "./Roster.ts"

/** Longer results are cut in the text for the model, and whole in `value`. Characters. */
export const maxShownResult = 50_000

const Grade = Schema.Literals(["fast", "good"])
const State = Schema.Literals(["queued", "running", "finished", "failed", "killed"])
const Begun = Schema.Struct({ worker_id: Schema.String, state: Schema.Literals(["running", "queued"]) })
const Ended = Schema.Struct({
  worker_id: Schema.String,
  label: Schema.String,
  state: State,
  why: Schema.Literals(["finished", "failed", "killed", "timed_out"]),
  result: Schema.optionalKey(Schema.String),
  earlier_results: Schema.Array(Schema.String),
  reason: Schema.optionalKey(Schema.String),
  last_output: Schema.optionalKey(Schema.String),
  elapsed_seconds: Schema.Finite,
  log: Schema.optionalKey(Schema.String)
})
const Workers = Schema.Struct({
  workers: Schema.Array(
    Schema.Struct({
      worker_id: Schema.String,
      label: Schema.String,
      tier: Grade,
      state: State,
      elapsed_seconds: Schema.Finite,
      last_result: Schema.optionalKey(Schema.String)
    })
  )
})

const workerId = Schema.NonEmptyString.annotate({ description: "The id that vibe_spawn gave, such as `worker_1`." })
export const spawn = LiveTool.make("vibe_spawn", {
  description:
    "Start a background worker: an agent with tools of its own that works on a brief while you go on. It sees nothing of " +
    "this conversation, so the brief must say what to do, where, and what to report. Returns at once with a worker_id; get " +
    "the result with vibe_wait. Workers share the working directory: give each files that no other one changes.",
  tier: "read",
  parameters: Schema.Struct({
    brief: Blank.words(100_000).annotate({ description: "The whole task: what to do, where, and what to report." }),
    label: Blank.words(100).annotate({ description: "A few words that name the task for you and for the user." }),
    tier: Schema.optionalKey(Grade).annotate({
      description:
        "`fast` (default): mechanical work with a clear specification. `good`: design, judgement, or reviewing what a fast worker produced."
    })
  }),
  success: Begun,
  text: ({ state, worker_id }, { label }) =>
    state === "running"
      ? `${worker_id} (${label}) is at work. Go on with something else, then vibe_wait for it.`
      : `${worker_id} (${label}) is queued: it begins when another worker has ended. vibe_wait waits for that too.`,
  requires: [Roster, VibeMode],
  handler: Effect.fnUntraced(function* ({ brief, label, tier }) {
    const roster = yield* Roster
    const { cap } = yield* VibeMode
    return { ...(yield* roster.spawn({ brief, label, tier: tier ?? "fast", cap })) }
  })
})

export const send = LiveTool.make("vibe_send", {
  description:
    "Give a worker a further message. It is added to the worker's brief and worked on after what the worker does now; a worker " +
    "that has finished or failed runs again, and remembers what it did. A killed worker takes no messages.",
  tier: "read",
  parameters: Schema.Struct({
    worker_id: workerId,
    message: Blank.words(100_000).annotate({ description: "What the worker is to do or to know beside its brief." })
  }),
  success: Begun,
  text: ({ state, worker_id }) =>
    `${worker_id} has the message and is ${state === "running" ? "at work on what it was given" : "queued"}. vibe_wait gives the result.`,
  requires: [Roster, VibeMode],
  serialKey: ({ worker_id }) => `send ${worker_id}`,
  handler: Effect.fnUntraced(function* ({ message, worker_id }) {
    const roster = yield* Roster
    return { ...(yield* roster.send(worker_id, message)) }
  })
})

export const wait = LiveTool.make("vibe_wait", {
  description:
    "Wait until a worker has finished, and get its result. Says why the wait ended: the worker finished, failed or was killed, " +
    "or `timeout_seconds` were over (the worker then goes on). Waiting again gives the same result again.",
  tier: "read",
  parameters: Schema.Struct({
    worker_id: workerId,
    timeout_seconds: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 86_400 }))).annotate({
      description: "Give up waiting after so many seconds; 0 only looks. Default: wait until it has finished."
    })
  }),
  success: Ended,
  text: (waited) => render(waited),
  requires: [Roster, VibeMode],
  handler: Effect.fnUntraced(function* ({ timeout_seconds: seconds, worker_id }) {
    const roster = yield* Roster
    return { ...(yield* roster.wait(worker_id, seconds === undefined ? undefined : Budget.after(seconds * 1000))) }
  })
})

export const kill = LiveTool.make("vibe_kill", {
  description:
    "Stop a worker and every tool that it has running, for good: it gives no more results and takes no more messages. What it " +
    "has already changed in files stays.",
  tier: "read",
  parameters: Schema.Struct({ worker_id: workerId }),
  success: Ended,
  text: (waited) => render(waited),
  requires: [Roster, VibeMode],
  handler: Effect.fnUntraced(function* ({ worker_id }) {
    const roster = yield* Roster
    return { ...(yield* roster.kill(worker_id)) }
  })
})

export const list = LiveTool.make("vibe_list", {
  description:
    "List the workers of this run: tier, state, elapsed time and last result. Changes nothing and waits for nothing.",
  tier: "read",
  parameters: Schema.Struct({}),
  success: Workers,
  text: ({ workers }) =>
    workers.length === 0
      ? "No worker was spawned in this run."
      : workers
          .map(
            ({ elapsed_seconds, label, last_result, state, tier, worker_id }) =>
              `${worker_id}  ${state}  ${tier}  ${elapsed_seconds} s  ${label}` +
              (last_result === undefined ? "" : `: ${firstLine(last_result)}`)
          )
          .join("\n"),
  requires: [Roster, VibeMode],
  handler: () =>
    Effect.gen(function* () {
      const roster = yield* Roster
      return { workers: (yield* roster.list).map((worker) => ({ ...worker })) }
    })
})

/** `vibe_spawn`, `vibe_send`, `vibe_wait`, `vibe_kill`, `vibe_list`. */
export const vibe = [spawn, send, wait, kill, list] as const

const firstLine = (text: string): string => {
  const line = text.trimStart().split("\n", 1)[0] ?? ""
  return line.length > 200 ? `${line.slice(0, 200)}…` : line
}

const shown = (text: string, limit: number): string =>
  text.length <= limit ? text : `${text.slice(0, limit)}\n(cut: ${limit} of ${text.length} characters)`

const render = (waited: Waited): string => {
  const name = `${waited.worker_id} (${waited.label})`
  const reason = waited.reason === undefined ? "" : `: ${shown(waited.reason, 5000)}`
  const head = {
    finished: `${name} has finished after ${waited.elapsed_seconds} s.`,
    failed: `${name} has failed after ${waited.elapsed_seconds} s${reason}. vibe_send lets it run again.`,
    killed: `${name} is killed${reason}.`,
    timed_out: `${name} is still ${waited.state} after ${waited.elapsed_seconds} s; the wait is over, the worker goes on.`
  }[waited.why]
  const lines = [head]
  for (const [index, earlier] of waited.earlier_results.entries()) {
    lines.push(
      `Result of an earlier run (${index + 1} of ${waited.earlier_results.length}):`,
      shown(earlier, maxShownResult)
    )
  }
  if (waited.result !== undefined) {
    lines.push(waited.why === "finished" ? "Result:" : "Result of its last run that ended well:")
    lines.push(shown(waited.result, maxShownResult))
  }
  if (waited.last_output !== undefined && waited.reason?.includes(waited.last_output) !== true) {
    lines.push("The last it said:", shown(waited.last_output, 5000))
  }
  if (waited.log !== undefined && waited.why !== "finished") lines.push(`Its log: ${waited.log}`)
  return lines.join("\n")
}
