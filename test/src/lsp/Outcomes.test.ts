import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as EditOfServer from "../../../src/lsp/EditOfServer.ts"
import type { Answer } from "../../../src/lsp/LanguageServers.ts"
import * as Outcomes from "../../../src/lsp/Outcomes.ts"

describe("what nobody has answered", () => {
  for (const why of ["late", "loading"] as const) {
    it.effect(`${why}: a tool that has no \`timeout_seconds\` does not advise it`, () =>
      Effect.gen(function* () {
        const answers: ReadonlyArray<Answer<string>> = [
          { id: "fake", outcome: "unknown", reason: "not answered in 60 s", why }
        ]
        const code = why === "late" ? "timed_out" : "not_ready"
        const written = yield* Effect.flip(EditOfServer.owner("the rename", answers))
        assert.strictEqual(written.code, code)
        assert.notInclude(written.message, "timeout_seconds")
        const read = yield* Effect.flip(
          Outcomes.requireAnswer("hover", { servers: answers.map(Outcomes.toPart) }, answers)
        )
        assert.strictEqual(read.code, code)
        assert.include(read.message, "timeout_seconds")
      })
    )
  }
})
