import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { Found, Quirks } from "../../../../src/debug/adapters/Adapter.ts"
import * as Row from "../../../../src/debug/adapters/Row.ts"
import { shipped } from "../../../../src/debug/adapters/Rows.ts"
import * as Breakpoints from "../../../../src/debug/Breakpoints.ts"
import * as Capabilities from "../../../../src/debug/Capabilities.ts"
import * as Choose from "../../../../src/debug/Choose.ts"

const quirks = (id: string): Quirks => Row.adapter(shipped.find((row) => row.id === id)!).quirks ?? {}

const ordered = (id: string, wanted: Breakpoints.Wanted): unknown => {
  const breakpoints = Breakpoints.make()
  const capabilities = Capabilities.make()
  capabilities.merge({
    supportsConditionalBreakpoints: true,
    supportsHitConditionalBreakpoints: true,
    supportsLogPoints: true
  })
  breakpoints.setFile("/w/a.c", [wanted])
  const { args } = breakpoints.fileOrder("/w/a.c", 1, capabilities, quirks(id))
  return "breakpoints" in args ? args.breakpoints : undefined
}

describe("which adapter attaches", () => {
  const found = (id: string, usable = true): Found => {
    const adapter = Row.adapter(shipped.find((row) => row.id === id)!)
    return usable ? { adapter, usable, command: ["/bin/x"] } : { adapter, usable, reason: "no binary", command: [] }
  }
  const attach = (all: ReadonlyArray<Found>, id?: string) =>
    Result.match(Choose.forAttach(all, id), {
      onSuccess: ({ adapter }) => adapter.id,
      onFailure: ({ code, message }) => `${code}: ${message}`
    })

  it("is the only one that can; one that cannot attach to a port says so", () => {
    assert.strictEqual(attach([found("lldb"), found("netcoredbg")]), "lldb")
    assert.strictEqual(
      attach([found("lldb"), found("netcoredbg")], "netcoredbg"),
      "not_covered: The adapter `netcoredbg` cannot attach to a port: launch the program."
    )
    assert.match(attach([found("lldb"), found("gdb")]), /^invalid_params: .*lldb, gdb/)
    assert.match(attach([found("lldb", false)], "lldb"), /^not_covered: .*no binary/)
    // What listens is the adapter: nothing need be installed.
    assert.strictEqual(attach([found("debugpy", false)], "debugpy"), "debugpy")
  })
})

describe("what is sent where adapters differ", () => {
  it("gdb passes hits over: the third hit is after two; other conditions stay", () => {
    const at = (hitCondition: string) => ordered("gdb", { line: 1, hitCondition })
    assert.deepStrictEqual(at("3"), [{ line: 1, hitCondition: "2" }])
    assert.deepStrictEqual(at("1"), [{ line: 1, hitCondition: "0" }])
    assert.deepStrictEqual(at("n + 1"), [{ line: 1, hitCondition: "n + 1" }])
    assert.deepStrictEqual(ordered("delve", { line: 1, hitCondition: "3" }), [{ line: 1, hitCondition: "3" }])
  })

  it("gdb ends no line of a log message", () => {
    assert.deepStrictEqual(ordered("gdb", { line: 1, logMessage: "x" }), [{ line: 1, logMessage: "x\n" }])
    assert.deepStrictEqual(ordered("lldb", { line: 1, logMessage: "x" }), [{ line: 1, logMessage: "x" }])
  })

  it("functions of ours are sent behind those that are asked for, and not told", () => {
    const breakpoints = Breakpoints.make()
    breakpoints.setFunctions(["add"])
    const { answered, args } = breakpoints.functionOrder(1, quirks("lldb").fatal?.functions)
    assert.deepStrictEqual(args, { breakpoints: [{ name: "add" }, { name: "rust_panic" }] })
    answered({ breakpoints: [{ verified: true }, { verified: true }] })
    assert.deepStrictEqual(breakpoints.functions(), [{ name: "add", verified: true }])
  })

  it("what nobody catches is known by what the program writes", () => {
    const told = (text: string) =>
      (quirks("lldb").fatal?.texts ?? []).flatMap((pattern) => {
        const { message, type } = pattern.exec(text)?.groups ?? {}
        return type === undefined ? [] : [[type, message]]
      })
    const cpp = "terminate called after throwing an instance of 'std::runtime_error'"
    assert.deepStrictEqual(told(`${cpp}\r\n  what():  boom\r\n`), [["std::runtime_error", "boom"]])
    assert.deepStrictEqual(told("terminate called after throwing an instance of 'int'\n"), [["int", undefined]])
    assert.deepStrictEqual(told("libc++abi: terminating due to uncaught exception of type A: b\n"), [["A", "b"]])
    assert.deepStrictEqual(told("thread 'main' (7) panicked at src/main.rs:3:5:\nboom\nnote: run with\n"), [
      ["panic", "boom"]
    ])
    assert.deepStrictEqual(told("all is well\n"), [])
  })

  it("noise is the adapter's own, and not what a program writes", () => {
    const lldb = quirks("lldb").noise!
    assert.isTrue(lldb.test("Running initCommands:\n(lldb) settings set target.input-path /dev/null\n"))
    assert.isTrue(lldb.test("Process 30302 exited with status = 0 (0x00000000) \n"))
    assert.isFalse(lldb.test("error: something\n"))
    const gdb = quirks("gdb").stdoutNoise!
    assert.isTrue(gdb.test("❌️ No source file named /w/main.cpp.\n"))
    assert.isTrue(gdb.test("Breakpoint 1 (-source /w/main.cpp -line 8) pending.\n"))
    assert.isTrue(gdb.test('Function "rust_panic" not defined.\n'))
    assert.isFalse(gdb.test("Breakpoint of no return\n"))
    assert.strictEqual(quirks("dart").exitText?.exec("\nExited (3).")?.[1], "3")
    assert.strictEqual(quirks("dart").exitText?.exec("\nExited (-9).")?.[1], "-9")
  })
})
