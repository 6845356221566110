/** The JavaScript cells of `test/cases/kernel-open.json`, by id, on the runner alone. */
import { afterAll, beforeAll, describe, it } from "@effect/vitest"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { cases, check, isInterrupted } from "../../support/JavaScriptCells.ts"
import * as Runner from "../../support/JavaScriptRunner.ts"

describe.each(Runner.nodes)("cells on $name", ({ path }) => {
  let root = ""
  beforeAll(() => {
    root = Fs.realpathSync(Fs.mkdtempSync(Path.join(Os.tmpdir(), "livetools-js-")))
  })
  afterAll(() => Fs.rmSync(root, { recursive: true, force: true }))

  it.each(cases)("$id $what", async ({ cells, id }) => {
    const cwd = Fs.mkdtempSync(Path.join(root, `${id}-`))
    const runner = Runner.start({ cwd, node: path })
    try {
      const done: Array<Runner.Cell> = []
      for (const [index, code] of cells.entries()) {
        const cell = runner.begin(code)
        if (isInterrupted.has(id) && index === 1) {
          await new Promise((resolve) => setTimeout(resolve, 300))
          cell.interrupt()
        }
        done.push(await cell.done)
      }
      check(id, done)
    } finally {
      await runner.end()
    }
  })
})
