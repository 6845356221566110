import { afterAll, describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Scope } from "effect"
import { createHash } from "node:crypto"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import type { Worker } from "node:worker_threads"
import { all } from "../../../grammars/index.ts"
import * as NodeParsers from "../../../layers/syntax/NodeParsers.ts"
import { Parsers } from "../../../src/syntax/Parsers.ts"
import type { Request } from "../../../src/syntax/Request.ts"

const folders: Array<string> = []
afterAll(() => folders.forEach((folder) => Fs.rmSync(folder, { recursive: true, force: true })))

const tree = (files: { readonly [path: string]: string | Uint8Array }): string => {
  const root = Fs.realpathSync(Fs.mkdtempSync(Path.join(Os.tmpdir(), "parsers-")))
  folders.push(root)
  for (const [path, text] of Object.entries(files)) {
    Fs.mkdirSync(Path.join(root, Path.dirname(path)), { recursive: true })
    Fs.writeFileSync(Path.join(root, path), text)
  }
  return root
}

const directory = (root: string, glob?: string): Request["where"] => ({
  root,
  start: root,
  kind: "directory",
  ...(glob === undefined ? {} : { glob })
})
const file = (root: string, name: string): Request["where"] => ({ root, start: Path.join(root, name), kind: "file" })

const search = (where: Request["where"], pattern: string, more: Partial<Request> = {}) =>
  Parsers.use((parsers) => parsers.search({ where, pattern, limit: 50, ...more }))

const layer = NodeParsers.layer()
const places = (
  root: string,
  outcome: { readonly matches: ReadonlyArray<{ readonly path: string; readonly line: number }> }
) => outcome.matches.map(({ line, path }) => `${Path.relative(root, path)}:${line}`)

describe("searching a directory", () => {
  it.live("finds matches in the order of their paths", () =>
    Effect.gen(function* () {
      const files: Record<string, string> = {}
      for (let index = 0; index < 60; index++)
        files[`d${index % 7}/f${String(index).padStart(2, "0")}.ts`] = `x;\nfoo(${index})\n`
      const root = tree(files)
      const outcome = yield* search(directory(root), "foo($A)")
      expect(places(root, outcome)).toEqual(
        Object.keys(files)
          .sort()
          .map((path) => `${path}:2`)
          .slice(0, 50)
      )
      expect(outcome).toMatchObject({ total: expect.any(Number), isExact: false })
      expect(outcome.total).toBeGreaterThan(50)
      const whole = yield* search(directory(root), "foo($A)", { limit: 1000 })
      expect(places(root, whole)).toEqual(
        Object.keys(files)
          .sort()
          .map((path) => `${path}:2`)
      )
      expect(whole).toMatchObject({ total: 60, isExact: true, filesSearched: 60 })
      expect(whole.matches[0]).toMatchObject({ line: 2, column: 1, endLine: 2, text: "foo(0)", captures: { A: "0" } })
    }).pipe(Effect.provide(layer))
  )

  it.live("takes every language that accepts the pattern, and says which", () =>
    Effect.gen(function* () {
      const root = tree({
        "a.ts": "foo(1)",
        "b.py": "foo(2)\n",
        "c.json": '{"foo": 1}',
        "d.xyz": "foo(3)",
        "e.yaml": "a: foo(1)\n"
      })
      const outcome = yield* search(directory(root), "foo($A)", { limit: 5 })
      expect(places(root, outcome)).toEqual(["a.ts:1", "b.py:1"])
      expect(outcome.readings.filter(({ shown }) => shown)).toEqual([
        { language: "python", context: "statement", total: 1, isExact: true, shown: true },
        { language: "typescript", context: "statement", total: 1, isExact: true, shown: true }
      ])
      expect(outcome.languages.find(({ language }) => language === "json")).toMatchObject({ status: "unparseable" })
      expect(outcome.languages.find(({ language }) => language === "yaml")).toMatchObject({
        status: "unparseable",
        reason: "it is only text there, not code"
      })
      expect(outcome.skipped.get("language unknown")).toBe(1)
    }).pipe(Effect.provide(layer))
  )

  it.live("shows what the next context finds where the first finds nothing, and counts the others", () =>
    Effect.gen(function* () {
      const root = tree({ "A.java": "class A { private int a = 1; void f() { int b = 2; } }" })
      const outcome = yield* search(directory(root), "private $T $F = $V;")
      expect(outcome.matches.map(({ text }) => text)).toEqual(["private int a = 1;"])
      expect(outcome.readings).toEqual([
        { language: "java", context: "statement", total: 0, isExact: true, shown: false },
        { language: "java", context: "member", total: 1, isExact: true, shown: true }
      ])
      const both = tree({ "a.ts": "l: foo(); x = { a: 1, b: 2 }" })
      expect((yield* search(directory(both), "$K: $V")).readings).toMatchObject([
        { context: "statement", total: 1, shown: true },
        { context: "pair", total: 2, shown: false }
      ])
      expect((yield* search(directory(both), "$K: $V", { context: "pair" })).total).toBe(2)
    }).pipe(Effect.provide(layer))
  )

  it.live("counts what it leaves out, by reason", () =>
    Effect.gen(function* () {
      const root = tree({
        "a.ts": "foo(1)",
        "binary.ts": "foo(1)\0",
        "latin.ts": new Uint8Array([0x66, 0x6f, 0x6f, 0x28, 0xe9, 0x29]),
        "large.ts": `${"// x\n".repeat(900_000)}foo(1)`,
        "bom.ts": "\uFEFFfoo(2)",
        ".gitignore": "ignored.ts\n",
        "ignored.ts": "foo(1)",
        "broken.ts": "foo(3); function ( {{{\n"
      })
      const outcome = yield* search(directory(root), "foo($A)")
      expect(places(root, outcome)).toEqual(["a.ts:1", "bom.ts:1", "broken.ts:1"])
      expect(outcome.matches[1]).toMatchObject({ column: 1 })
      expect(Object.fromEntries(outcome.skipped)).toEqual({
        binary: 1,
        "not UTF-8": 1,
        "too large": 1,
        ignored: 1,
        "language unknown": 1
      })
      expect(outcome).toMatchObject({ filesSearched: 3, filesWithErrors: 1 })
    }).pipe(Effect.provide(layer))
  )

  it.live("takes a glob", () =>
    Effect.gen(function* () {
      const root = tree({
        "src/a.ts": "foo(1)",
        "src/b/c.ts": "foo(1)",
        "test/a.ts": "foo(1)",
        "src/.d/e.ts": "foo(1)"
      })
      expect(places(root, yield* search(directory(root, "src/**/*.ts"), "foo($A)"))).toEqual([
        "src/.d/e.ts:1",
        "src/a.ts:1",
        "src/b/c.ts:1"
      ])
    }).pipe(Effect.provide(layer))
  )

  it.live("knows near misses where nothing matches", () =>
    Effect.gen(function* () {
      const root = tree({ "a.ts": "\nfunction f(x: number): string { return x }" })
      const outcome = yield* search(directory(root), "function $F($$$P) { $$$B }")
      expect(outcome.total).toBe(0)
      expect(outcome.near).toEqual([
        {
          path: Path.join(root, "a.ts"),
          line: 2,
          missing: [{ kind: "type_annotation", field: "return_type", text: ": string" }]
        }
      ])
    }).pipe(Effect.provide(layer))
  )

  it.live("sees a file that has just changed", () =>
    Effect.gen(function* () {
      const root = tree({ "a.ts": "foo(1)", "b.ts": "foo(1)" })
      for (let round = 0; round < 20; round++) {
        const text = round % 2 === 0 ? "bar(1)" : "foo(2)"
        Fs.writeFileSync(Path.join(root, "b.ts"), text)
        expect((yield* search(directory(root), "foo($A)")).total).toBe(round % 2 === 0 ? 1 : 2)
      }
    }).pipe(Effect.provide(layer))
  )

  it.live("gives the same answer from what it remembers", () =>
    Effect.gen(function* () {
      const root = tree({ "a.ts": "foo(1)", "b.ts": "bar(1)", "c.ts": "x.foo; foo (2)" })
      for (const path of ["a.ts", "b.ts", "c.ts"]) Fs.utimesSync(Path.join(root, path), 1, 1)
      yield* Effect.sleep("80 millis")
      const first = yield* search(directory(root), "foo($A)")
      const second = yield* search(directory(root), "foo($A)")
      expect(second).toEqual(first)
      expect(places(root, second)).toEqual(["a.ts:1", "c.ts:1"])
    }).pipe(Effect.provide(layer))
  )
})

describe("a pattern that is none", () => {
  it.live("of the language that was asked for is an error", () =>
    Effect.gen(function* () {
      const root = tree({ "a.ts": "foo(1)" })
      const error = yield* Effect.flip(search(directory(root), "foo(", { language: "typescript" }))
      expect(error).toMatchObject({
        code: "unparseable_pattern",
        message: expect.stringContaining("The pattern is not typescript: no context accepts it")
      })
      const incomplete = yield* Effect.flip(
        search(file(root, "a.ts"), "export async function $F", { language: "typescript" })
      )
      expect(incomplete.message).toContain(
        "It is incomplete; whole it is: export async function $F($$$PARAMETERS) { $$$BODY }"
      )
    }).pipe(Effect.provide(layer))
  )

  it.live("of no language that is there is told for each", () =>
    Effect.gen(function* () {
      const root = tree({ "a.ts": "", "b.py": "" })
      const outcome = yield* search(directory(root), "foo(")
      expect(outcome.languages.map(({ language, status }) => `${language} ${status}`)).toEqual([
        "python unparseable",
        "typescript unparseable"
      ])
      expect(outcome.total).toBe(0)
    }).pipe(Effect.provide(layer))
  )
})

describe("grammars of a harness", () => {
  it.live("that do not load break only their own language", () =>
    Effect.gen(function* () {
      const root = tree({ "a.ts": "foo(1)", "b.brk": "foo(1)" })
      const outcome = yield* search(directory(root), "foo($A)")
      expect(outcome.total).toBe(1)
      expect(outcome.languages).toContainEqual({
        language: "broken",
        status: "failed",
        reason: expect.stringContaining("the grammar of broken (none.wasm of some-package) cannot be loaded")
      })
      const error = yield* Effect.flip(search(directory(root), "foo($A)", { language: "broken" }))
      expect(error.code).toBe("not_covered")
    }).pipe(
      Effect.provide(
        NodeParsers.layer({
          grammars: [
            {
              ...all[0]!,
              id: "broken",
              aliases: [],
              extensions: ["brk"],
              wasm: { package: "some-package", path: "", file: "none.wasm" }
            }
          ]
        })
      )
    )
  )

  it.live("take files of their own", () =>
    Effect.gen(function* () {
      const root = tree({ "a.mine": "foo(1)" })
      expect((yield* search(directory(root), "foo($A)", { language: "mine" })).total).toBe(1)
    }).pipe(
      Effect.provide(NodeParsers.layer({ grammars: [{ ...all[0]!, id: "mine", aliases: [], extensions: ["mine"] }] }))
    )
  )
})

describe("workers", () => {
  it.live("stop with an interrupted call, and serve the next", () =>
    Effect.gen(function* () {
      const files: Record<string, string> = {}
      for (let index = 0; index < 200; index++)
        files[`f${index}.ts`] = "function f() { if (a) { b(c + d) } }\n".repeat(800)
      const root = tree(files)
      yield* search(directory(root, "f0.ts"), "$A + $B")
      const call = yield* Effect.forkChild(search(directory(root), "$A($B)", { limit: 1_000_000 }))
      yield* Effect.sleep("100 millis")
      yield* Fiber.interrupt(call)
      const started = performance.now()
      expect((yield* search(directory(root, "f0.ts"), "$A - $B")).total).toBe(0)
      expect(performance.now() - started).toBeLessThan(1500)
    }).pipe(Effect.provide(layer))
  )

  it.live("serve several calls at once", () =>
    Effect.gen(function* () {
      const files: Record<string, string> = {}
      for (let index = 0; index < 40; index++) files[`f${index}.ts`] = `foo(${index}); bar(${index})`
      const root = tree(files)
      const totals = yield* Effect.forEach(
        ["foo($A)", "bar($A)", "foo(1)", "baz($A)", "$A"],
        (pattern) => Effect.map(search(directory(root), pattern, { limit: 1000 }), ({ total }) => total),
        { concurrency: "unbounded" }
      )
      expect(totals).toEqual([40, 40, 1, 0, 40 * 11])
    }).pipe(Effect.provide(layer))
  )

  it.live("that die fail the call in flight, and the next call starts others", () =>
    Effect.gen(function* () {
      const folder = tree({
        "worker.mjs":
          'import { parentPort } from "node:worker_threads"\nparentPort.on("message", ({ type }) => { if (type === "scan") throw new Error("out of memory") })\n'
      })
      const root = tree({ "a.ts": "foo(1)" })
      const program = Effect.gen(function* () {
        for (let round = 0; round < 2; round++) {
          const error = yield* Effect.flip(search(file(root, "a.ts"), "foo($A)"))
          expect(error).toMatchObject({
            code: "internal",
            message: expect.stringContaining("stopped in the middle of the call: out of memory")
          })
        }
      })
      yield* Effect.provide(program, NodeParsers.layer({ entry: Path.join(folder, "worker.mjs") }))
    })
  )

  it.live(
    "whose parser fails on a file leave that file out, and search the others",
    () =>
      Effect.gen(function* () {
        // More of this than the Elixir grammar can take.
        const deep =
          'defmodule A do\n  def f(x) do\n    case x do\n      {:ok, y} -> IO.puts("a #{y}")\n    end\n  end\nend\n'.repeat(
            3000
          )
        const files: Record<string, string> = { "m.ex": deep }
        for (let index = 0; index < 30; index++) files[`a${index}.ex`] = "IO.puts(1)\n"
        for (let index = 0; index < 30; index++) files[`z${index}.ex`] = "IO.puts(1)\n"
        const outcome = yield* search(directory(tree(files)), "IO.puts($A)", { limit: 100 })
        expect(outcome).toMatchObject({ total: 60, isExact: true, filesSearched: 60 })
        expect(Object.fromEntries(outcome.skipped)).toEqual({ "parser failed": 1 })
      }).pipe(Effect.provide(layer)),
    120_000
  )

  it.live("end with the scope, and are not started before the first call", () =>
    Effect.gen(function* () {
      const started: Array<Worker> = []
      const note = (worker: Worker) => void started.push(worker)
      process.on("worker", note)
      yield* Effect.addFinalizer(() => Effect.sync(() => process.off("worker", note)))
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(NodeParsers.layer(), scope)
      expect(started).toEqual([])
      const root = tree({ "a.ts": "foo(1)" })
      yield* Effect.provide(search(file(root, "a.ts"), "foo($A)"), context)
      expect(started.length).toBeGreaterThan(0)
      expect(started.every(({ threadId }) => threadId > 0)).toBe(true)
      yield* Scope.close(scope, Exit.void)
      // The id of a thread that has ended.
      expect(started.every(({ threadId }) => threadId === -1)).toBe(true)
    })
  )

  it.live("leave the host's event loop free", () =>
    Effect.gen(function* () {
      const files: Record<string, string> = {}
      for (let index = 0; index < 100; index++)
        files[`f${index}.ts`] = "foo(a, b, c); bar(() => { return x + 1 })\n".repeat(300)
      const root = tree(files)
      const before = performance.eventLoopUtilization()
      yield* search(directory(root), "foo($$$A)", { limit: 1000 })
      expect(performance.eventLoopUtilization(before).utilization).toBeLessThan(0.5)
    }).pipe(Effect.provide(layer))
  )
})

describe("rewriting", () => {
  it.live("gives the edits of each file with the hash of the text that they are for", () =>
    Effect.gen(function* () {
      const root = tree({ "a.ts": "foo(1); foo(foo(2))", "b.ts": "\uFEFFfoo(3)", "c.ts": "bar(1)" })
      const outcome = yield* Parsers.use((parsers) =>
        parsers.rewrite({ where: directory(root), pattern: "foo($A)", rewrite: "bar($A)" })
      )
      expect(
        outcome.files.map(({ counts, edits, nested, path }) => ({
          path: Path.relative(root, path),
          counts,
          edits,
          nested
        }))
      ).toEqual([
        {
          path: "a.ts",
          counts: [3, 0],
          nested: 1,
          edits: [
            { start: 0, end: 6, newText: "bar(1)" },
            { start: 8, end: 19, newText: "bar(foo(2))" }
          ]
        },
        { path: "b.ts", counts: [1, 0], nested: 0, edits: [{ start: 0, end: 6, newText: "bar(3)" }] }
      ])
      expect(outcome.files[1]!.hash).toBe(createHash("sha256").update("foo(3)").digest("hex"))
      expect(outcome.filesSearched).toBe(3)
    }).pipe(Effect.provide(layer))
  )

  it.live("never goes on to another reading by itself", () =>
    Effect.gen(function* () {
      const root = tree({ "A.java": "class A { private int a = 1; }" })
      const outcome = yield* Parsers.use((parsers) =>
        parsers.rewrite({ where: directory(root), pattern: "private $T $F = $V;", rewrite: "$T $F = $V;" })
      )
      expect(outcome.files).toEqual([])
      expect(outcome.readings).toMatchObject([
        { context: "statement", total: 0 },
        { context: "member", total: 1 }
      ])
    }).pipe(Effect.provide(layer))
  )
})
