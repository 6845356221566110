/** What the edit engine costs over the disk alone: times and ratios are printed, nothing is asserted. */
import { it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import * as NodeEdits from "../../layers/edits/NodeEdits.ts"
import * as NodeWorkspace from "../../layers/workspace/NodeWorkspace.ts"
import { Edits } from "../../src/Edits.ts"
import type { Operation } from "../../src/edits/Plan.ts"

const count = 2000
const runs = 3
const body = "const value = compute(input) // a line of some length\n".repeat(90)
const names = Array.from({ length: count }, (_, i) => `d${i % 40}/f${i}.ts`)

const median = (times: ReadonlyArray<number>) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]!
const print = (what: string, ms: number, floor?: number) =>
  console.log(
    `${what.padEnd(58)} ${ms.toFixed(0).padStart(6)} ms${floor === undefined ? "" : `  ${(ms / floor).toFixed(2)} x the floor`}`
  )

const timed = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const start = performance.now()
    yield* self
    return performance.now() - start
  })

const main = Effect.gen(function* () {
  const base = Fs.realpathSync(Fs.mkdtempSync(Path.join(Os.tmpdir(), "edits-bench-")))
  yield* Effect.addFinalizer(() => Effect.sync(() => Fs.rmSync(base, { recursive: true, force: true })))
  const root = Path.join(base, "work")
  for (const name of names) {
    Fs.mkdirSync(Path.dirname(Path.join(root, name)), { recursive: true })
    Fs.writeFileSync(Path.join(root, name), body)
  }
  const layer = NodeEdits.layer({ stateFolder: Path.join(base, "state") }).pipe(
    Layer.provide(NodeWorkspace.layer({ root }))
  )
  const edits = yield* Effect.provide(Edits, layer)

  const plain = yield* Effect.forEach(Array.from({ length: runs }), () =>
    timed(Effect.sync(() => names.forEach((name) => Fs.writeFileSync(Path.join(root, name), body))))
  )
  const renamed = yield* Effect.forEach(Array.from({ length: runs }), () =>
    timed(
      Effect.sync(() => {
        for (const name of names) {
          const path = Path.join(root, name)
          Fs.writeFileSync(`${path}.tmp`, body)
          Fs.renameSync(`${path}.tmp`, path)
        }
      })
    )
  )
  const hash = edits.hash(body)
  const operations = names.map((path): Operation => ({
    kind: "edit",
    path,
    hash,
    edits: [{ range: { start: { line: 7, character: 6 }, end: { line: 7, character: 11 } }, newText: "renamed" }]
  }))
  const [stage, accept, undo]: Array<Array<number>> = [[], [], []]
  for (let i = 1; i <= runs; i++) {
    stage!.push(yield* timed(edits.stage({ operations })))
    accept!.push(yield* timed(edits.accept(`edit_${i}`)))
    undo!.push(yield* timed(edits.undo(`edit_${i}`)))
  }
  const floor = median(plain)
  console.log(`${count} files of ${body.length} bytes, median of ${runs} runs`)
  print("the same bytes written plainly (the floor)", floor)
  print("the same bytes, temporary file and rename, nothing else", median(renamed), floor)
  print("stage", median(stage!), floor)
  print("accept", median(accept!), floor)
  print("undo", median(undo!), floor)

  const many = 10_000
  const text = `${"x".repeat(98)}\n`.repeat(many * 2)
  const replacing = (lines: number) =>
    edits.stage({
      operations: [
        { kind: "write", path: "big.txt", text: text.slice(0, lines * 99) },
        {
          kind: "edit",
          path: "big.txt",
          hash: edits.hash(text.slice(0, lines * 99)),
          encoding: "utf-8",
          edits: Array.from({ length: lines }, (_, line) => ({
            range: { start: { line, character: 10 }, end: { line, character: 15 } },
            newText: "renamed"
          }))
        }
      ]
    })
  const once = (lines: number) =>
    Effect.map(
      Effect.forEach(Array.from({ length: runs }), () => timed(replacing(lines))),
      median
    )
  const [small, large] = [yield* once(many), yield* once(many * 2)]
  console.log("replacements in one file of 1 MB (2 MB)")
  print(`${many} replacements, staged`, small)
  print(`${many * 2} replacements, staged`, large)
  console.log(`ratio ${(large / small).toFixed(2)}`)
})

it.live("2,000 files in one edit, and 10,000 replacements in one file", () => main, 600_000)
