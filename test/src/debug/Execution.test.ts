import { assert, describe, it } from "@effect/vitest"
import * as Execution from "../../../src/debug/Execution.ts"

const all = { reason: "breakpoint", threadId: 1, allThreadsStopped: true }

describe("which threads are stopped", () => {
  it("40 a stop of all: every thread, until all go on, or one by one", () => {
    const execution = Execution.make()
    assert.isUndefined(execution.current())
    execution.stopped(0, all)
    assert.deepInclude(execution.current(), { serial: 1, reason: "breakpoint", threadId: 1, isOfAll: true })
    assert.isTrue(execution.isStopped(0, 1) && execution.isStopped(0, 99))
    execution.continued(0, 99)
    assert.isTrue(execution.isStopped(0, 1))
    assert.isFalse(execution.isStopped(0, 99))
    execution.continued(0, undefined)
    assert.isUndefined(execution.current())
    assert.isFalse(execution.isStopped(0, 1))
  })

  it("40 44 stops of single threads stand side by side; the focus is the last that still stands", () => {
    const execution = Execution.make()
    execution.stopped(0, { reason: "pause", threadId: 1, allThreadsStopped: false })
    execution.stopped(0, { reason: "step", threadId: 2, allThreadsStopped: false })
    assert.strictEqual(execution.current()?.threadId, 2)
    assert.isFalse(execution.isStopped(0, 3))
    execution.continued(0, 2)
    assert.strictEqual(execution.current()?.threadId, 1)
    execution.threadGone(0, 1)
    assert.isUndefined(execution.current())
  })

  it("39 45 no thread, thread 0, no reason; a later stop of all takes the place of those before", () => {
    const execution = Execution.make()
    execution.stopped(0, { reason: "pause", threadId: 4 })
    execution.stopped(0, { threadId: 0 })
    assert.deepInclude(execution.current(), { reason: "stopped", threadId: undefined, isOfAll: true })
    execution.continued(0, undefined)
    assert.isUndefined(execution.current())
  })

  it("38 each stop and each resumption ends what frames and references are valid for", () => {
    const execution = Execution.make()
    const seen = [execution.generation()]
    execution.stopped(0, all)
    seen.push(execution.generation())
    execution.continued(0, undefined)
    seen.push(execution.generation())
    execution.stopped(0, all)
    seen.push(execution.generation())
    assert.strictEqual(new Set(seen).size, 4)
  })

  it("37 what a refused resumption has ended is put back, unless something has stopped since", () => {
    const execution = Execution.make()
    execution.stopped(0, all)
    const restore = execution.save()
    execution.continued(0, undefined)
    restore()
    assert.strictEqual(execution.current()?.serial, 1)
    const late = execution.save()
    execution.continued(0, undefined)
    execution.stopped(0, { reason: "step", threadId: 1, allThreadsStopped: true })
    late()
    assert.strictEqual(execution.current()?.reason, "step")
  })

  it("a child session stops and goes for itself", () => {
    const execution = Execution.make()
    execution.stopped(0, all)
    execution.stopped(1, { reason: "exception", threadId: 1, allThreadsStopped: true })
    execution.continued(1, undefined)
    assert.strictEqual(execution.current()?.session, 0)
    execution.stopped(1, all)
    execution.sessionGone(1)
    assert.strictEqual(execution.current()?.session, 0)
  })
})
