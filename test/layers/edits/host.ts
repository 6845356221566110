/** A process of its own that edits: bundled and run by `processes.test.ts`. */
import { Effect, Result } from "effect"
import type { Plan } from "../../../src/edits/Plan.ts"
import { type Changing, engine, faulty } from "./support.ts"

interface Task {
  readonly place: { readonly root: string; readonly state: string }
  /** Applies the plan, then undoes it, killed by SIGKILL before this call of the disk. */
  readonly killed?: { readonly plan: Plan; readonly before: number }
  /** Adds one to the number in this file, so many times, whatever others do. */
  readonly count?: { readonly path: string; readonly times: number }
}

const task: Task = JSON.parse(process.argv[2] ?? "{}")

const main = Effect.gen(function* () {
  if (task.killed !== undefined) {
    const { before, plan } = task.killed
    const calls: Array<Changing> = []
    const disk = faulty(({ number, operation }) => {
      if (number === before) process.kill(process.pid, "SIGKILL")
      calls.push(operation)
      return "do"
    })
    const edits = yield* engine(task.place, { disk })
    const { edit_id } = yield* edits.apply(plan)
    yield* edits.undo(edit_id)
    return calls.length
  }
  const { path, times } = task.count!
  const edits = yield* engine(task.place)
  let stale = 0
  for (let done = 0; done < times;) {
    const { hash, text } = yield* edits.read(path)
    const result = yield* Effect.result(
      edits.apply({ operations: [{ kind: "write", path, hash, text: String(Number(text) + 1) }] })
    )
    if (Result.isSuccess(result)) done++
    else if (result.failure.code === "stale_edit") stale++
    else return yield* result.failure
  }
  return stale
})

Effect.runPromise(Effect.scoped(main)).then(
  (result) => console.log(JSON.stringify(result)),
  (error: unknown) => {
    console.error(error)
    process.exitCode = 1
  }
)
