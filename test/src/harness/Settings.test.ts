import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Settings from "../../../src/harness/Settings.ts"

const wrong = (text: string) =>
  Effect.map(Effect.flip(Settings.parse("livetools.json", text)), (error) => error.message)

describe("Settings", () => {
  it.effect("are validated; an unknown key is an error that names file, place and the near one", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* Settings.parse("f", '{"cap": "write", "caps": {"read_file_bytes": 5}}'), {
        cap: "write",
        caps: { read_file_bytes: 5 }
      })
      assert.strictEqual(yield* wrong('{"cps": {}}'), "livetools.json: `cps` is not a setting. Did you mean `caps`?")
      assert.match(yield* wrong('{"caps": {"x": 1}}'), /`caps\.x` is not a setting/)
      assert.match(yield* wrong('{"cap": "root"}'), /`cap`: Expected "read" \| "write" \| "exec"/)
      assert.match(
        yield* wrong('{"caps": {"read_file_bytes": 0}}'),
        /`caps\.read_file_bytes`: Expected a value greater than 0/
      )
      assert.match(yield* wrong("[]"), /the whole: Expected object/)
      assert.match(yield* wrong("{"), /not JSON/)
    })
  )

  it("of the project win over the user's, key by key", () => {
    assert.deepStrictEqual(
      Settings.merge(
        { cap: "exec", caps: { read_file_bytes: 1, ast_grep_file_bytes: 2 } },
        { cap: "read", caps: { read_file_bytes: 3 } }
      ),
      { cap: "read", caps: { read_file_bytes: 3, ast_grep_file_bytes: 2 } }
    )
  })
})
