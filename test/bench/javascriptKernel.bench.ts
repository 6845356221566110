/**
 * What the JavaScript kernel costs: the time to its first result over Node's own start, a round trip, an interrupt. Times are
 * printed with their targets, nothing is asserted.
 */
import { it } from "@effect/vitest"
import { spawn } from "node:child_process"
import { folder } from "../support/Cli.ts"
import * as Runner from "../support/JavaScriptRunner.ts"

const p50 = (list: ReadonlyArray<number>) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]!

const timed = async (run: () => Promise<unknown>): Promise<number> => {
  const start = performance.now()
  await run()
  return performance.now() - start
}

const bareNode = () =>
  new Promise((resolve) => spawn(process.execPath, ["-e", "0"], { stdio: "ignore" }).on("exit", resolve))

it("the JavaScript kernel", async () => {
  const files = folder({})
  const start = () => Runner.start({ cwd: files.root })
  const first: Array<number> = []
  const bare: Array<number> = []
  for (let i = 0; i < 15; i++) {
    bare.push(await timed(bareNode))
    const kernel = start()
    first.push(await timed(() => kernel.run("1+1")))
    await kernel.end()
  }

  const kernel = start()
  await kernel.run("1+1")
  const trips: Array<number> = []
  let memory = 0
  for (let i = 0; i < 300; i++) {
    trips.push(
      await timed(async () => {
        const { frames } = await kernel.run("1+1")
        memory = Number(frames.at(-1)?.["rss"])
      })
    )
  }
  const interrupts: Array<number> = []
  for (let i = 0; i < 20; i++) {
    const before = kernel.texts.stdout.length
    const cell = kernel.begin("console.log('on'); while (true) {}")
    await kernel.until(() => kernel.texts.stdout.slice(before).includes("on"))
    cell.interrupt()
    interrupts.push(await timed(() => cell.done))
  }
  const print = await timed(() => kernel.run("for (let i = 0; i < 100_000; i++) console.log('x'.repeat(99))"))
  await kernel.end()
  files.remove()

  console.log(
    [
      `node -e 0                    ${p50(bare).toFixed(1)} ms`,
      `start to the first result    ${p50(first).toFixed(1)} ms, over Node's own ${(p50(first) - p50(bare)).toFixed(1)} ms (target 100)`,
      `round trip of 1+1            ${p50(trips).toFixed(2)} ms (target 0.8)`,
      `interrupt of an endless loop ${p50(interrupts).toFixed(1)} ms (target 100)`,
      `10 MB as 100,000 lines       ${print.toFixed(0)} ms`,
      `resident memory              ${(memory / 2 ** 20).toFixed(0)} MiB (target 80)`
    ].join("\n")
  )
})
