/**
 * Counts what a run left (DESIGN, "Processes"). It looks for itself, in /proc, and uses nothing of the code under test.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { Clock, Context, Data, Duration, Effect, Schedule } from "effect"

export class Left extends Data.TaggedError("Left")<{ readonly what: ReadonlyArray<string> }> {
  override get message() {
    return `left behind:\n${this.what.join("\n")}`
  }
}

const text = (file: string): string => {
  try {
    return fs.readFileSync(file, "latin1")
  } catch {
    return ""
  }
}

const numbered = (directory: string): ReadonlyArray<number> =>
  fs.readdirSync(directory).flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []))

const statOf = (pid: number): ReadonlyArray<string> => text(`/proc/${pid}/stat`).split(") ").at(-1)!.split(" ")

/** Whether a process runs; a zombie does not. */
export const isRunning = (pid: number): boolean => /^[^ZX]/.test(statOf(pid)[0] ?? "")

const describe = (pid: number): string =>
  `process ${pid} (parent ${statOf(pid)[1]}): ${text(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim().slice(0, 200)}`

/** The running processes that carry the mark of the run, and its guardian. */
export const ofRun = (runId: string): ReadonlyArray<number> => [...marked(runId), ...guardians(runId)]

/** The running processes that carry the mark of the run. */
export const marked = (runId: string): ReadonlyArray<number> =>
  numbered("/proc").filter((pid) =>
    text(`/proc/${pid}/environ`)
      .split("\0")
      .some((pair) => pair.startsWith("LIVETOOLS_RUN=") && pair.slice(14).split(":").includes(runId) && isRunning(pid))
  )

/** The running processes with all of these among their arguments. */
export const withArguments = (...wanted: ReadonlyArray<string>): ReadonlyArray<number> =>
  numbered("/proc").filter((pid) => {
    const args = text(`/proc/${pid}/cmdline`).split("\0")
    return wanted.every((each) => args.includes(each)) && isRunning(pid)
  })

/** The running guardians of the run. */
export const guardians = (runId: string): ReadonlyArray<number> => withArguments("livetools-guardian", runId)

/** The running descendants of a process, itself included. */
export const tree = (pid: number): ReadonlyArray<number> => {
  const parents = new Map(numbered("/proc").map((each) => [each, Number(statOf(each)[1])]))
  const found = new Set([pid])
  for (let size = 0; size !== found.size;) {
    size = found.size
    for (const [each, parent] of parents) if (found.has(parent)) found.add(each)
  }
  return [...found].filter(isRunning)
}

/** What this process holds: descriptors (sockets and pipes among them) and what keeps the event loop alive. */
export interface Held {
  readonly descriptors: ReadonlySet<string>
  readonly resources: ReadonlyMap<string, number>
}

const look = (): Held => {
  const descriptors = new Set<string>()
  for (const fd of numbered("/proc/self/fd")) {
    try {
      descriptors.add(`${fd} -> ${fs.readlinkSync(`/proc/self/fd/${fd}`)}`)
    } catch {
      // The descriptor of the listing itself.
    }
  }
  const resources = new Map<string, number>()
  for (const name of process.getActiveResourcesInfo()) resources.set(name, (resources.get(name) ?? 0) + 1)
  return { descriptors, resources }
}

/** In a turn of its own: Node counts a timer as active while its callback, and so the fiber it resumed, runs. */
const ownTurn = Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

/** What this process holds now, to be given to `expectNone` later. */
export const held: Effect.Effect<Held> = Effect.andThen(ownTurn, Effect.sync(look))

export interface Expectation {
  /** Nothing may be held that was not held then. */
  readonly before?: Held
  /** A directory in which no file may be left. */
  readonly directory?: string
  /** Processes that must be gone, whether they carry the mark or not. */
  readonly pids?: Iterable<number>
  /** How long to wait for it, in real time. Default 1 second. */
  readonly within?: Duration.Input
}

/** What is left now, one line each. */
const list = (runId: string, expectation: Expectation = {}): ReadonlyArray<string> => {
  const pids = new Set([...ofRun(runId), ...[...(expectation.pids ?? [])].filter(isRunning)])
  const left = [...pids].map(describe)
  if (expectation.before !== undefined) {
    const now = look()
    for (const each of now.descriptors) if (!expectation.before.descriptors.has(each)) left.push(`descriptor ${each}`)
    for (const [name, count] of now.resources) {
      const more = count - (expectation.before.resources.get(name) ?? 0)
      if (more > 0) left.push(`${more} × ${name}`)
    }
  }
  if (expectation.directory !== undefined && fs.existsSync(expectation.directory)) {
    const files = fs.readdirSync(expectation.directory, { recursive: true, encoding: "utf8" })
    left.push(...files.map((file) => `file ${path.join(expectation.directory!, file)}`))
  }
  return left
}

/** Fails with what the run left, if it is still there after the wait. Runs on real time under a test clock too. */
export const expectNone = (runId: string, expectation: Expectation = {}): Effect.Effect<void, Left> =>
  Effect.flatMap(ownTurn, () => {
    const what = list(runId, expectation)
    return what.length === 0 ? Effect.void : Effect.fail(new Left({ what }))
  }).pipe(
    Effect.retry(
      Schedule.spaced("20 millis").pipe(
        Schedule.upTo({ duration: Duration.fromInputUnsafe(expectation.within ?? "1 second") })
      )
    ),
    Effect.provideService(Clock.Clock, Context.get(Context.empty(), Clock.Clock))
  )
