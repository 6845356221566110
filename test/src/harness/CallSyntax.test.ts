import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as CallSyntax from "../../../src/harness/CallSyntax.ts"
import type { ObjectSchema } from "../../../src/Parameters.ts"

const schema: ObjectSchema = {
  type: "object",
  properties: {
    pattern: { type: "string" },
    n: { type: "integer" },
    all: { type: "boolean" },
    lines: { type: "array", items: { type: "integer" } },
    env: { type: "object" }
  },
  required: [],
  additionalProperties: false
}
const call = (line: string) => {
  const parsed = CallSyntax.call(line, () => schema)
  return Result.isSuccess(parsed) ? parsed.success : parsed.failure
}

describe("CallSyntax.call", () => {
  it("reads values by the type of the parameter", () => {
    assert.deepStrictEqual(
      call(`t pattern='a = $B' n=3 all=true lines=1 lines=2 env={"A":"1"}`.replace(`{"A":"1"}`, `'{"A":"1"}'`)),
      {
        tool: "t",
        params: { pattern: "a = $B", n: 3, all: true, lines: [1, 2], env: { A: "1" } }
      }
    )
    assert.deepStrictEqual(call("t lines=[3,4] pattern=12"), { tool: "t", params: { lines: [3, 4], pattern: "12" } })
    assert.deepStrictEqual(call('t pattern="say \\"hi\\" \\n"'), { tool: "t", params: { pattern: 'say "hi" \\n' } })
    assert.deepStrictEqual(call("t pattern="), { tool: "t", params: { pattern: "" } })
    assert.deepStrictEqual(call("t"), { tool: "t", params: {} })
  })

  it("reads JSON in both forms", () => {
    assert.deepStrictEqual(call('t {"pattern": "x"}'), { tool: "t", params: { pattern: "x" } })
    assert.deepStrictEqual(call('{"tool": "t", "params": {"n": 1}}'), { tool: "t", params: { n: 1 } })
    assert.deepStrictEqual(call('{"tool": "t"}'), { tool: "t", params: {} })
  })

  it("says what is wrong", () => {
    assert.strictEqual(call("t n=many"), "`n`: `many` is not a number.")
    assert.strictEqual(call("t n="), "`n`: `` is not a number.")
    assert.strictEqual(call("t all=yes"), "`all`: `yes` is neither true nor false.")
    assert.strictEqual(call("t n=1 n=2"), "`n` is given twice.")
    assert.strictEqual(call("t what"), "`what` is neither KEY=VALUE nor a JSON object.")
    assert.strictEqual(call("t pattern='a"), "A ' is not closed.")
    assert.match(String(call('{"tool": 1}')), /`tool` is missing/)
    assert.match(String(call('{"tool": "t", "param": {}}')), /`param` is not known/)
    assert.match(String(call("{oops")), /^not JSON/)
  })

  it("leaves keys that the schema does not have as text, for the tool to refuse", () => {
    assert.deepStrictEqual(call("t toString=1 zzz=2"), { tool: "t", params: { toString: "1", zzz: "2" } })
  })
})
