import { assert, describe, it } from "@effect/vitest"
import * as Parse from "../../../../src/lsp/checkers/Parse.ts"

const read = (format: keyof typeof Parse.formats, stdout: string, stderr = "") =>
  Parse.formats[format]({ stdout, stderr }, (path) => `/p/${path}`).map(
    ({ code, column, line, message, path, severity }) =>
      `${path}:${line}:${column} ${severity} ${code ?? "-"} ${message}`
  )

describe("the output of checkers", () => {
  it("tsc, with the lines below a message", () => {
    const output =
      "a.ts(1,2): error TS2322: Type 'a'.\n  Type 'b'.\nsrc/(x)/b.ts(3,4): error TS1: x\nerror TS18003: No inputs.\n"
    assert.deepStrictEqual(read("tsc", output), [
      "/p/a.ts:1:2 1 2322 Type 'a'.\n  Type 'b'.",
      "/p/src/(x)/b.ts:3:4 1 1 x",
      "/p/.:1:1 1 18003 No inputs."
    ])
  })

  it("pyright; what is no JSON says nothing", () => {
    const range = { start: { line: 1, character: 2 }, end: { line: 1, character: 3 } }
    const output = JSON.stringify({
      generalDiagnostics: [{ file: "a.py", severity: "warning", message: "odd", rule: "reportX", range }, { bad: 1 }]
    })
    assert.deepStrictEqual(read("pyright", output), ["/p/a.py:2:3 2 reportX odd"])
    assert.deepStrictEqual(read("pyright", "Traceback"), [])
  })

  it("go, compiler and vet", () => {
    const output = "# example.com/x\n./a.go:3:2: undefined: y\nvet: ./b.go:1:1: undefined: z\nok\n"
    assert.deepStrictEqual(read("go vet", "", output), [
      "/p/./a.go:3:2 2 - undefined: y",
      "/p/./b.go:1:1 1 - undefined: z"
    ])
    assert.deepStrictEqual(read("go build", "", "./a.go:3:2: undefined: y\n"), ["/p/./a.go:3:2 1 - undefined: y"])
  })

  it("cargo, each message once", () => {
    const line = JSON.stringify({
      reason: "compiler-message",
      message: {
        message: "mismatched types",
        level: "error",
        code: { code: "E0308" },
        spans: [{ file_name: "src/a.rs", is_primary: true, line_start: 2, column_start: 3, label: "expected `u8`" }]
      }
    })
    assert.deepStrictEqual(read("cargo", `${line}\n${line}\n{"reason":"build-finished"}\nnoise`), [
      "/p/src/a.rs:2:3 1 E0308 mismatched types: expected `u8`"
    ])
  })

  it("dart", () => {
    assert.deepStrictEqual(read("dart", "ERROR|COMPILE_TIME_ERROR|UNDEFINED|lib/a.dart|1|2|3|a|b\n"), [
      "/p/lib/a.dart:1:2 1 undefined a|b"
    ])
  })
})
