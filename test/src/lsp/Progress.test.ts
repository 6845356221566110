import { assert, describe, it } from "@effect/vitest"
import * as Progress from "../../../src/lsp/Progress.ts"

const make = () => {
  const progress = Progress.make({ quiet: 200, forgotten: 10_000 })
  const tell = (token: unknown, value: unknown, now: number) => progress.take("$/progress", { token, value }, now)
  return { progress, tell }
}

describe("Progress", () => {
  it("C101 tokens are numbers or texts and two spaces; begin needs no create; an unknown end is ignored", () => {
    const { progress, tell } = make()
    tell("never begun", { kind: "end" }, 0)
    assert.strictEqual(progress.readiness(0), "silent")
    tell(1, { kind: "begin", title: "one" }, 0)
    tell("1", { kind: "begin", title: "text one", percentage: 3.7, message: "files" }, 0)
    assert.deepStrictEqual(progress.describe(0), ["one", "text one 4 % (files)"])
    tell(1, { kind: "end" }, 1)
    assert.strictEqual(progress.readiness(1), "loading")
    tell("1", { kind: "report", percentage: 50 }, 2)
    assert.deepStrictEqual(progress.describe(2), ["text one 50 % (files)"])
    tell("unknown", { kind: "report", percentage: 50 }, 2)
    tell(null, null, 2)
    assert.lengthOf(progress.describe(2), 1)
  })

  it("C102 ready is all work ended and a moment of quiet; silence is not ready; forgotten work does not count", () => {
    const { progress, tell } = make()
    assert.strictEqual(progress.readiness(99_999), "silent")
    tell("a", { kind: "begin", title: "a" }, 1000)
    tell("a", { kind: "end" }, 2000)
    assert.deepStrictEqual([progress.readiness(2100), progress.changesAt(2100)], ["loading", 2200])
    assert.deepStrictEqual([progress.readiness(2200), progress.changesAt(2200)], ["ready", undefined])
    tell("b", { kind: "begin", title: "b" }, 3000)
    assert.deepStrictEqual([progress.readiness(12_999), progress.changesAt(12_999)], ["loading", 13_000])
    assert.strictEqual(progress.readiness(13_000), "ready")
  })

  it("C102 the status of a server outweighs its progress", () => {
    const { progress, tell } = make()
    progress.take("experimental/serverStatus", { health: "ok", quiescent: false, message: "indexing" }, 0)
    assert.deepStrictEqual([progress.readiness(99_999), progress.describe(0)], ["loading", ["indexing"]])
    progress.take("experimental/serverStatus", { health: "ok", quiescent: true }, 1)
    tell("check", { kind: "begin", title: "cargo check" }, 2)
    assert.strictEqual(progress.readiness(2), "ready")

    const jdtls = make().progress
    jdtls.take("language/status", { type: "Message", message: "hello" }, 0)
    assert.strictEqual(jdtls.readiness(0), "silent")
    jdtls.take("language/status", { type: "Starting", message: "7% Building" }, 0)
    assert.deepStrictEqual([jdtls.readiness(0), jdtls.describe(0)], ["loading", ["7% Building"]])
    jdtls.take("language/status", { type: "ServiceReady", message: "ServiceReady" }, 0)
    assert.strictEqual(jdtls.readiness(0), "ready")
  })

  it("keeps a bounded number of pieces of work", () => {
    const { progress, tell } = make()
    for (let i = 0; i < 10_000; i++) tell(i, { kind: "begin", title: "x".repeat(1000) }, 0)
    assert.lengthOf(progress.describe(0), 256)
    assert.isFalse(progress.take("other", {}, 0))
  })
})
