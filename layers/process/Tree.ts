/** The tree of one child: who belongs to it, and how it is ended without leaving anybody. */
import { Clock, Context, Duration, Effect } from "effect"
import * as ProcessTable from "./ProcessTable.ts"

/** How the members of a tree are recognised: any of these, and whoever descends from one of them. */
export interface Root {
  readonly pid: number
  readonly start: number
  /** The value in `LIVETOOLS_PROCESS`. */
  readonly mark: string
  /** The child's ends of its pipes: only who inherited one holds it. */
  readonly pipes: ReadonlySet<string>
  /** Set once the child has exited and left nobody in its group: the number may then come to name another group. */
  groupIsGone: boolean
}

/** The variable with the marks of a child and of the children above it. */
export const variable = "LIVETOOLS_PROCESS"

const realClock = Context.get(Context.empty(), Clock.Clock)

/** A process must end in real time, whatever clock its owner runs on. */
export const onRealClock = Effect.provideService(Clock.Clock, realClock)

const key = (entry: ProcessTable.Entry): string => `${entry.pid}:${entry.start}`

/** The living members; `known` are members found before, which may have lost what they are recognised by. */
export const members = Effect.fnUntraced(function* (root: Root, known: ReadonlyArray<ProcessTable.Entry> = []) {
  const table = yield* ProcessTable.read
  const younger = table.filter(({ pid, start }) => start >= root.start && pid > 1 && pid !== process.pid)
  // A group is named by its leader: another leader with that number has begun another group.
  const leads = (entry: ProcessTable.Entry) => entry.pid === root.pid && entry.start !== root.start
  const hasGroup = !root.groupIsGone && !younger.some(leads)
  const before = new Set(known.map(key))
  const own = younger.filter(ProcessTable.isOwn)
  const found = new Set(yield* ProcessTable.marked(own, variable, root.mark))
  for (const { pid } of own) {
    if (!found.has(pid) && ProcessTable.pipesOf(pid).some((pipe) => root.pipes.has(pipe))) found.add(pid)
  }
  for (const entry of younger) {
    const inGroup = hasGroup && (entry.group === root.pid || entry.session === root.pid)
    if (inGroup || before.has(key(entry))) found.add(entry.pid)
  }
  for (let size = -1; size !== found.size;) {
    size = found.size
    for (const entry of younger) if (found.has(entry.parent)) found.add(entry.pid)
  }
  return younger.filter(({ pid }) => found.has(pid))
})

/** Sends a signal, to a group when the number is negative; `false` when nobody is there (any more). */
export const send = (pid: number, signal: NodeJS.Signals | 0): boolean => {
  try {
    return process.kill(pid, signal)
  } catch (error) {
    // EPERM: it is there, but not ours to signal (on macOS: all zombies).
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}

const waitUntilGone = Effect.fnUntraced(function* (entries: ReadonlyArray<ProcessTable.Entry>) {
  for (let pause = 1; entries.some(ProcessTable.isAlive); pause = Math.min(pause * 2, 50)) yield* Effect.sleep(pause)
})

/**
 * Kills until nobody is left. All are stopped first, until a look at the table shows no new one: a process that is
 * killed while its child forks would leave a child that nothing leads to. Gives up after 2 s (a process in the kernel, or of
 * another user) and returns who is left.
 */
const kill = Effect.fnUntraced(function* (root: Root, known: ReadonlyArray<ProcessTable.Entry>) {
  let found = yield* members(root, known)
  const ends = (yield* Clock.currentTimeMillis) + 2000
  while (found.length > 0 && (yield* Clock.currentTimeMillis) < ends) {
    const stopped = new Set<string>()
    for (let round = 0; round < 10 && !found.every((entry) => stopped.has(key(entry))); round++) {
      for (const entry of found) {
        if (!stopped.has(key(entry))) send(entry.pid, "SIGSTOP")
        stopped.add(key(entry))
      }
      found = yield* members(root, found)
    }
    for (const { pid } of found) send(pid, "SIGKILL")
    yield* Effect.timeoutOption(waitUntilGone(found), 200)
    // A process is invisible by its mark for a moment while it executes a program, hence the second look.
    const left = yield* members(root, found)
    found = left.length > 0 ? left : yield* Effect.andThen(Effect.sleep(2), members(root))
  }
  return found
})

/** SIGTERM to all, SIGKILL after the grace to who is left. Returns who could not be ended. */
export const end = (root: Root, grace: Duration.Duration) =>
  Effect.gen(function* () {
    const known = yield* members(root)
    if (known.length === 0) {
      // Nobody, or a table that cannot be read.
      if (!root.groupIsGone) send(-root.pid, "SIGKILL")
      return known
    }
    if (!Duration.isZero(grace)) {
      for (const { pid } of known) send(pid, "SIGTERM")
      yield* Effect.timeoutOption(waitUntilGone(known), grace)
    }
    return yield* kill(root, known)
  }).pipe(onRealClock)
