import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { Adapter, Found } from "../../../src/debug/adapters/Adapter.ts"
import * as Choose from "../../../src/debug/Choose.ts"
import * as Exceptions from "../../../src/debug/Exceptions.ts"
import * as References from "../../../src/debug/References.ts"

const found = (id: string, more: Partial<Adapter>, usable = true): Found => ({
  adapter: {
    id,
    command: [],
    transport: "stdio",
    markers: [],
    extensions: [],
    launchArguments: () => ({}),
    attach: { how: "connect", arguments: () => ({}) },
    ...more
  },
  usable,
  command: [],
  ...(usable ? {} : { reason: `no ${id}` })
})

const python = found("debugpy", { extensions: [".py"] })
const go = found("delve", { extensions: [".go"], takesFolders: true })
const lldb = found("lldb", {
  extensions: [".cpp"],
  quirks: { needsBuiltProgram: true },
  attach: { how: "spawn", arguments: () => ({}) }
})
const all = [python, go, lldb]

const subject = (more: Partial<Choose.Subject>): Choose.Subject => ({
  name: "it",
  kind: "file",
  extension: "",
  isNative: false,
  hasMode: false,
  ...more
})

const answer = (chosen: Result.Result<Found, { readonly code: string }>) =>
  Result.isSuccess(chosen) ? chosen.success.adapter.id : chosen.failure.code

describe("the adapter of a program", () => {
  const cases: ReadonlyArray<readonly [Partial<Choose.Subject>, string]> = [
    [{ extension: ".py" }, "debugpy"],
    [{ kind: "module" }, "debugpy"],
    [{ kind: "directory" }, "delve"],
    [{ extension: ".go" }, "delve"],
    [{ isNative: true, hasMode: true }, "delve"],
    [{ isNative: true, extension: ".out" }, "delve"],
    [{ extension: ".cpp" }, "invalid_params"],
    [{ extension: ".xyz" }, "not_covered"],
    [{ extension: ".py", hasMode: true }, "invalid_params"]
  ]
  for (const [of, expected] of cases) {
    it(`D3 ${JSON.stringify(of)}: ${expected}`, () =>
      assert.strictEqual(answer(Choose.forProgram(all, subject(of), undefined)), expected))
  }
  it("the first that is usable; of those that are not, each says why", () => {
    assert.strictEqual(
      answer(Choose.forProgram([found("delve", go.adapter, false), lldb], subject({ isNative: true }), undefined)),
      "lldb"
    )
    const none = Choose.forProgram(
      [found("debugpy", python.adapter, false), lldb],
      subject({ extension: ".py" }),
      undefined
    )
    assert.isTrue(Result.isFailure(none))
    if (Result.isFailure(none)) {
      assert.strictEqual(none.failure.message, "No adapter for it can be used here:\ndebugpy: no debugpy")
    }
  })
  it("the one that is named, though another fits; nearly named ones are suggested", () => {
    assert.strictEqual(answer(Choose.forProgram(all, subject({ isNative: true }), "lldb")), "lldb")
    assert.strictEqual(answer(Choose.forProgram(all, subject({ kind: "module" }), "delve")), "invalid_params")
    const near = Choose.forProgram(all, subject({}), "debugpi")
    assert.isTrue(Result.isFailure(near))
    if (Result.isFailure(near)) {
      assert.strictEqual(
        near.failure.message,
        "There is no adapter `debugpi`. Did you mean `debugpy`? There are: debugpy, delve, lldb."
      )
    }
  })
})

describe("the adapter of an attachment", () => {
  it("the one that is named: found or not, where what listens is the adapter", () => {
    const absent = [found("debugpy", python.adapter, false), found("lldb", lldb.adapter, false)]
    assert.strictEqual(answer(Choose.forAttach(absent, "debugpy")), "debugpy")
    assert.strictEqual(answer(Choose.forAttach(absent, "lldb")), "not_covered")
    assert.strictEqual(answer(Choose.forAttach(absent, undefined)), "not_covered")
    assert.strictEqual(answer(Choose.forAttach([python, ...absent], undefined)), "debugpy")
    assert.strictEqual(answer(Choose.forAttach(all, undefined)), "invalid_params")
  })
})

describe("exception filters", () => {
  const offered = [
    { id: "raised", label: "Raised", isDefault: false },
    { id: "uncaught", label: "Uncaught", isDefault: true },
    { id: "userUnhandled", label: "User", isDefault: false }
  ]
  it("none to set where the adapter has none; those of the row where it names some that are offered", () => {
    assert.isUndefined(Exceptions.filters("uncaught", [], undefined))
    assert.deepStrictEqual(Exceptions.filters("none", offered, undefined), [])
    assert.deepStrictEqual(Exceptions.filters("uncaught", offered, undefined), ["uncaught", "userUnhandled"])
    assert.deepStrictEqual(Exceptions.filters("all", offered, undefined), ["raised", "uncaught", "userUnhandled"])
    const quirks = { exceptionFilters: { uncaught: ["uncaught", "gone"], all: ["raised"] } }
    assert.deepStrictEqual(Exceptions.filters("uncaught", offered, quirks), ["uncaught"])
    assert.deepStrictEqual(Exceptions.filters("all", offered, quirks), ["raised"])
  })
})

describe("numbers of frames and variables", () => {
  it("53 are the same for the same thing at one stop, never come again, and are told apart", () => {
    const references = References.make()
    const frame = { kind: "frame", session: 0, id: 1000, name: "main" } as const
    const first = references.give(1, frame)
    assert.strictEqual(references.give(1, frame), first)
    const variables = references.give(1, { kind: "variables", session: 0, id: 1000, name: "Locals" })
    const child = references.give(1, { ...frame, session: 1 })
    assert.strictEqual(new Set([first, variables, child]).size, 3)
    assert.deepInclude(references.find(1, first), frame)
    assert.strictEqual(references.find(2, first), "stale")
    assert.isAbove(references.give(2, frame), child)
    assert.strictEqual(references.find(2, 4711), "unknown")
    assert.strictEqual(references.find(2, 0), "unknown")
    assert.strictEqual(references.find(2, -1), "unknown")
  })
})
