/** The Python cells of `test/cases/kernel-open.json` through the whole stack: the surface, the host side, the real interpreter. */
import { Effect } from "effect"
import * as Budget from "../../src/Budget.ts"
import { OutputSink } from "../../src/Call.ts"
import type { Output } from "../../src/kernel/Outputs.ts"
import * as Kernels from "./kernels.ts"
import * as Leftovers from "./Leftovers.ts"
import { type Case, checks, endless, pseudo } from "./PythonCells.ts"
import type * as Runner from "./PythonRunner.ts"

const toOutput = ({ background: _, ...output }: Output): Runner.Output =>
  output.kind === "stdout" || output.kind === "stderr"
    ? { kind: output.kind, text: output.text }
    : { kind: "frame", frame: { ...output, t: output.kind } }

/** What the checks of the runner look at, from an answer of the host. */
const toResult = ({ value }: Kernels.Cell, first: number | undefined): Runner.Result => ({
  outputs: [
    ...value.outputs.map(toOutput),
    ...(value.notices ?? []).map((text): Runner.Output => ({ kind: "frame", frame: { t: "notice", text } }))
  ],
  status: value.status,
  exitCode: value.exit_code,
  rss: value.memory_bytes,
  millis: value.milliseconds,
  first
})

/** Runs a case in a fresh interpreter in a folder of its own and checks it. */
export const check = Effect.fnUntraced(function* (one: Case, python?: string) {
  const holds = checks[one.id]
  if (holds === undefined) return yield* Effect.die(new Error(`no check for ${one.id}`))
  const isEndless = one.id.startsWith("I") && one.cells.some((code) => endless.test(code))
  const run = yield* Kernels.run({
    candidates: {},
    python,
    limits: { inlineBytes: 4 * 1024 * 1024, lineChars: 2 * 1024 * 1024 },
    ...(isEndless ? { outer: Budget.after("1500 millis") } : {})
  })
  const results: Array<Runner.Result> = []
  for (const cell of one.cells) {
    if (cell === "IDLEINT") {
      for (const pid of Leftovers.marked(run.runId)) process.kill(pid, "SIGINT")
      continue
    }
    let first: number | undefined
    const answer = yield* run.cell(pseudo[cell] ?? cell).pipe(
      Effect.provideService(OutputSink, () =>
        Effect.sync(() => {
          first ??= performance.now()
        })
      )
    )
    // The start of the interpreter does not count.
    const began = performance.now() - answer.value.milliseconds
    results.push(toResult(answer, first === undefined ? undefined : first - began))
  }
  holds(results)
}, Effect.scoped)
