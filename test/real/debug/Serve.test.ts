/** A client of `livetools serve` in no language of ours finds a real bug: breakpoint, stack, variables, evaluate, step. */
import { execFileSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type * as Values from "../../../src/debug/Values.ts"
import * as Cli from "../../support/Cli.ts"
import * as Leftovers from "../../support/Leftovers.ts"
import * as Checkout from "./Checkout.ts"

/** `mean` leaves out the last element: its sum is too small. */
interface Case {
  readonly adapter: string
  readonly programs: ReadonlyArray<string>
  readonly files: Readonly<Record<string, string>>
  readonly source: string
  readonly target: string
  readonly build?: ReadonlyArray<string>
  /** The line where `mean` returns, and the line of its call. */
  readonly lines: readonly [number, number]
  readonly frames: readonly [RegExp, RegExp]
  /** What the sum should be, in the language. */
  readonly expression: string
  readonly total: string
}

const cases: ReadonlyArray<Case> = [
  {
    adapter: "debugpy",
    programs: ["python3", "debugpy-adapter"],
    files: {
      "pyproject.toml": "",
      "main.py": `def mean(values):
    total = 0
    for i in range(len(values) - 1):
        total += values[i]
    return total / len(values)

def main():
    result = mean([2, 4, 6])
    print("mean", result)

main()
`
    },
    source: "main.py",
    target: "main.py",
    lines: [5, 8],
    frames: [/^mean$/, /^main$/],
    expression: "sum(values)",
    total: "12"
  },
  {
    adapter: "delve",
    programs: ["dlv", "go"],
    files: {
      "go.mod": "module example.com/mean\n\ngo 1.20\n",
      "main.go": `package main

import "fmt"

func mean(values []int) int {
	total := 0
	for i := 0; i < len(values)-1; i++ {
		total += values[i]
	}
	return total / len(values)
}

func main() {
	result := mean([]int{2, 4, 6})
	fmt.Println("mean", result)
}
`
    },
    source: "main.go",
    target: ".",
    lines: [10, 14],
    frames: [/mean$/, /main$/],
    expression: "values[0] + values[1] + values[2]",
    total: "12"
  },
  {
    adapter: "lldb",
    programs: ["lldb-dap-19", "g++"],
    files: {
      "CMakeLists.txt": "",
      "main.cpp": `#include <cstdio>

int mean(const int *values, int count) {
  int total = 0;
  for (int i = 0; i < count - 1; i++) {
    total += values[i];
  }
  return total / count;
}

int main() {
  int values[] = {2, 4, 6};
  int result = mean(values, 3);
  std::printf("mean %d\\n", result);
}
`
    },
    source: "main.cpp",
    target: "program",
    build: ["g++", "-g", "-O0", "-o", "program", "main.cpp"],
    lines: [8, 13],
    frames: [/mean/, /^main/],
    expression: "values[0] + values[1] + values[2]",
    total: "12"
  }
]

process.env["PATH"] = Checkout.searchPath
// The home of a served run is its folder; what is built there would be built anew each time.
process.env["GOCACHE"] ??= Path.join(Os.homedir(), ".cache/go-build")

for (const one of cases) {
  const missing = one.programs.filter((program) => !Checkout.isInstalled(program))
  const why = `${missing.join(", ")} is not installed: run .ci/debug-adapters`
  if (missing.length > 0 && !Checkout.isRequired) {
    describe.skip(`livetools serve, ${one.adapter} (skipped: ${why})`, () => it("finds a bug", () => {}))
    continue
  }
  describe(`livetools serve, ${one.adapter}`, () => {
    it("finds a bug, and leaves nothing", async () => {
      assert.deepStrictEqual(missing, [], why)
      const { path, remove, root } = Cli.folder(one.files)
      const [command, ...args] = one.build ?? []
      if (command !== undefined) execFileSync(command, args, { cwd: root })
      const served = Cli.serve(["--yes"], root)
      const call = async (params: object): Promise<Values.Value> => {
        const answer = await served.call("debug", params)
        assert.isFalse(answer.isFailure, `${JSON.stringify(params)}: ${answer.text}`)
        return answer.value as Values.Value
      }
      const [atReturn, atCall] = one.lines

      const { breakpoints } = await call({ op: "breakpoints", file: one.source, lines: [atReturn] })
      assert.deepInclude(breakpoints?.[0], { path: one.source, line: atReturn, verified: false })
      const { stop } = await call({ op: "launch", program: one.target })
      assert.deepInclude(stop, { reason: "breakpoint", path: one.source, line: atReturn })
      assert.deepInclude((await call({ op: "status" })).breakpoints?.[0], { line: atReturn, verified: true })

      const { frames = [] } = await call({ op: "stack" })
      assert.match(frames[0]!.name, one.frames[0])
      assert.match(frames[1]!.name, one.frames[1])
      assert.deepStrictEqual([frames[0]!.line, frames[1]!.path, frames[1]!.line], [atReturn, one.source, atCall])

      const { scopes = [] } = await call({ op: "scopes", frame_id: frames[0]!.id })
      const locals = scopes.find(({ name }) => /local/i.test(name))
      const { variables = [] } = await call({ op: "variables", reference: locals!.reference })
      // 2 + 4: the last element is missing.
      assert.strictEqual(variables.find(({ name }) => name === "total")?.value, "6")
      assert.strictEqual((await call({ op: "evaluate", expression: "total" })).result, "6")
      assert.strictEqual((await call({ op: "evaluate", expression: one.expression })).result, one.total)

      const stepped = await call({ op: "step_out" })
      assert.strictEqual(stepped.state, "stopped")
      assert.strictEqual(stepped.stop?.path, one.source)
      const stale = await served.call("debug", { op: "scopes", frame_id: frames[0]!.id })
      assert.deepStrictEqual([stale.isFailure, stale.code], [true, "stale_reference"])

      const ended = await call({ op: "continue" })
      assert.strictEqual(ended.state, "ended")
      const { output = [] } = await call({ op: "output" })
      assert.match(output.map(({ text }) => text).join(""), /mean 2/)

      // Again, and this time the run ends in the middle of it.
      assert.strictEqual((await call({ op: "launch", program: one.target })).state, "stopped")
      const tree = Leftovers.tree(served.pid).filter((pid) => pid !== served.pid)
      assert.isAtLeast(tree.length, 2)
      served.end()
      assert.strictEqual(await served.closed, 0)
      assert.deepStrictEqual(tree.filter(Leftovers.isRunning), [])
      assert.isTrue(Fs.existsSync(path(one.source)))
      remove()
    })
  })
}
