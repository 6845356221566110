/** The value of an answer of `eval` (SPEC §11). */
import { Schema } from "effect"
import type { Ending, Ran } from "./Kernels.ts"
import { Output } from "./Outputs.ts"

export const Value = Schema.Struct({
  /** In the order in which they were produced. */
  outputs: Schema.Array(Output),
  /** Whether the cell ran to its end. */
  ok: Schema.Boolean,
  /** Whether variables and imports are still there. */
  state: Schema.Literals(["kept", "lost"]),
  state_reason: Schema.optionalKey(Schema.String),
  spilled_to: Schema.optionalKey(Schema.String),
  status: Schema.Literals(["ok", "error", "exit", "interrupted", "died"]),
  exit_code: Schema.optionalKey(Schema.Finite),
  truncated: Schema.optionalKey(Schema.Struct({ total_bytes: Schema.Finite, total_lines: Schema.Finite })),
  cell: Schema.Int,
  milliseconds: Schema.Finite,
  memory_bytes: Schema.optionalKey(Schema.Finite),
  calls: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        tool: Schema.String,
        outcome: Schema.Literals(["ok", "failed", "cancelled"]),
        milliseconds: Schema.Finite
      })
    )
  ),
  calls_total: Schema.optionalKey(Schema.Int),
  notices: Schema.optionalKey(Schema.Array(Schema.String))
})
export type Value = typeof Value.Type

/** A program that exits with 0 has done what it was for. */
const isOk = (ending: Ending): boolean => ending.status === "ok" || (ending.status === "exit" && ending.code === 0)

export const make = (ran: Ran, notices: ReadonlyArray<string>): Value => {
  const { ending } = ran
  return {
    outputs: ran.outputs,
    ok: isOk(ending),
    state: ending.status === "died" ? "lost" : "kept",
    ...("why" in ending ? { state_reason: ending.why } : {}),
    ...(ran.spilledTo === undefined ? {} : { spilled_to: ran.spilledTo }),
    status: ending.status,
    ...(ending.status === "exit" ? { exit_code: ending.code } : {}),
    ...(ran.cut === undefined
      ? {}
      : { truncated: { total_bytes: ran.cut.totalBytes, total_lines: ran.cut.totalLines } }),
    cell: ran.cell,
    milliseconds: Math.round(ran.milliseconds * 10) / 10,
    ...(ran.memory === undefined ? {} : { memory_bytes: ran.memory }),
    ...(ran.nestedTotal === 0 ? {} : { calls: ran.nested, calls_total: ran.nestedTotal }),
    ...(notices.length === 0 ? {} : { notices })
  }
}
