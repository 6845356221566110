import { assert, describe, it } from "@effect/vitest"
import * as AgentSession from "../../support/AgentSession.ts"
import * as Terminal from "../../support/Terminal.ts"
import { isInstalled, isRequired, searchPath } from "../debug/Checkout.ts"

const missing = Terminal.missing ?? (isInstalled("debugpy-adapter") ? undefined : "debugpy is not installed")
const suite = missing === undefined || isRequired ? describe : describe.skip

suite(`livetools agent with a real debugger${missing === undefined ? "" : ` (skipped: ${missing})`}`, () => {
  it("plays the whole session, and debugs a program to a stop in it", async () => {
    const called = await AgentSession.play({ PATH: searchPath })
    assert.include(called, "debug debug debug debug debug debug eval")
  })
})
