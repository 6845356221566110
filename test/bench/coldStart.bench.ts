/** The cold start of the command against that of Node itself, in turn, in one run: the ratio of the medians is printed. */
import { it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import * as Cli from "../support/Cli.ts"

const runs = 15
const time = (args: ReadonlyArray<string>): number => {
  const start = performance.now()
  execFileSync(process.execPath, args, { stdio: "ignore" })
  return performance.now() - start
}
const median = (times: ReadonlyArray<number>) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]!

it("cold start", () => {
  const { remove, root } = Cli.folder({ "a.ts": "f(1)\n" })
  const floor: Array<number> = []
  const tools: Array<number> = []
  for (let i = 0; i < runs; i++) {
    floor.push(time(["-e", "0"]))
    tools.push(time([Cli.bin, "tools", "--cwd", root]))
  }
  remove()
  console.log(
    `livetools tools: ${median(tools).toFixed(0)} ms, node -e 0: ${median(floor).toFixed(0)} ms, ` +
      `ratio ${(median(tools) / median(floor)).toFixed(2)} (aim: at most 5)`
  )
})
