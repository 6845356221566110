/** The whole stack, as a program sees it: the bundled command, the real interpreters. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Cli from "../../support/Cli.ts"
import * as Kernels from "../../support/kernels.ts"
import * as Leftovers from "../../support/Leftovers.ts"

const start = (
  args: ReadonlyArray<string> = ["--yes"],
  files: Parameters<typeof Cli.folder>[0] = { "a.txt": "contents\n" }
) =>
  Effect.acquireRelease(
    Effect.gen(function* () {
      const folder = Cli.folder(files)
      const serve = Cli.serve(args, folder.root)
      const { result } = yield* Effect.promise(() => serve.request("initialize", { protocolVersion: 1 }).answer)
      const cell = (code: string, params: object = {}) => ({
        tool: "eval",
        params: { code, description: "a cell of the test suite", ...params }
      })
      return {
        folder,
        serve,
        runId: (result as { run: { id: string } }).run.id,
        cell: (code: string, params?: object) => Effect.promise(() => serve.call("eval", cell(code, params).params)),
        begin: (code: string, params?: object) => serve.request("tools.call", cell(code, params))
      }
    }),
    ({ folder, serve }) =>
      Effect.promise(() => {
        serve.end()
        return serve.closed
      }).pipe(Effect.andThen(Effect.sync(() => folder.remove())))
  )

const output = (serve: ReturnType<typeof Cli.serve>, id: number, text: string) =>
  Effect.promise(() =>
    serve.find(({ method, params }) => {
      const shown = params as { id: number; text: string } | undefined
      return method === "output" && shown!.id === id && shown!.text.includes(text)
    })
  )

describe("eval over serve", () => {
  it.live("shows output as it comes, before the answer; cells keep their state from call to call", () =>
    Effect.gen(function* () {
      const { begin, cell, serve } = yield* start()
      const { answer, id } = begin(`import time\nx = 41\nprint("first")\ntime.sleep(1)\nprint("second")\nx + 1`)
      const shown: Array<{ readonly id: number; readonly kind: string; readonly text: string }> = []
      const all = (kind: string) => shown.flatMap((each) => (each.kind === kind ? [each.text] : [])).join("")
      while (all("result") !== "42\n") {
        shown.push((yield* output(serve, id, ""))["params"] as (typeof shown)[number])
      }
      assert.strictEqual(all("stdout"), "first\nsecond\n")
      assert.isAbove(shown.length, 2)
      const { result } = (yield* Effect.promise(() => answer)) as unknown as { result: { text: string } }
      assert.match(result.text, /^first\nsecond\n42\nDone in .* State kept\.$/)
      assert.match((yield* cell(`x`)).text, /^41\n/)
    })
  )

  it.live("calls the tools of the run from a cell, in both languages", () =>
    Effect.gen(function* () {
      const { cell, folder } = yield* start()
      const python = yield* cell(
        `tool("write", {"path": "b.txt", "content": tool("read", {"path": "a.txt"}).upper()})["files"][0]["path"]`
      )
      assert.match(python.text, /^'b\.txt'\n/)
      assert.strictEqual(folder.read("b.txt"), "CONTENTS\n")
      const javascript = yield* cell(`(await tool("read", { path: "b.txt" })).trim()`, { language: "javascript" })
      assert.match(javascript.text, /CONTENTS/)
    })
  )

  it.live("a call from a cell needs the approval that the call itself would need", () =>
    Effect.gen(function* () {
      const { cell } = yield* start(["--cap", "exec"])
      const denied = yield* cell(`1`)
      assert.deepInclude(denied, { isFailure: true, code: "no_approver" })
    })
  )

  it.live("a cancelled request ends at once, and the next cell finds the state", () =>
    Effect.gen(function* () {
      const { begin, cell, serve } = yield* start()
      const { answer, id } = begin(`x = 7\nprint("go")\nwhile True: pass`)
      yield* output(serve, id, "go")
      const since = performance.now()
      serve.notify("$/cancelRequest", { id })
      const { error } = (yield* Effect.promise(() => answer)) as unknown as { error: { code: number } }
      assert.strictEqual(error.code, -32800)
      assert.match((yield* cell(`x`)).text, /^7\n/)
      assert.isBelow(performance.now() - since, 4000)
    })
  )

  it.live("is not there for a run that may not execute", () =>
    Effect.gen(function* () {
      const { cell } = yield* start(["--cap", "write"])
      assert.deepInclude(yield* cell(`1`), { isFailure: true, code: "unknown_tool" })
    })
  )

  const stubborn = `
import os, signal, subprocess, threading
subprocess.Popen(["setsid", "sleep", "787"]); subprocess.Popen(["sleep", "788"])
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("go")
while True: pass`

  it.live("the end of input in the middle of a cell ends everything within 5 seconds", () =>
    Effect.gen(function* () {
      const { begin, runId, serve } = yield* start()
      const { answer, id } = begin(stubborn)
      answer.catch(() => {})
      yield* output(serve, id, "go")
      const pids = Leftovers.marked(runId)
      assert.isAtLeast(pids.length, 3)
      const since = performance.now()
      serve.end()
      yield* Effect.promise(() => serve.closed)
      assert.isBelow(performance.now() - since, 5000)
      yield* Leftovers.expectNone(runId, { pids })
    })
  )

  it.live("a host that is killed leaves no interpreter and no child of one", () =>
    Effect.gen(function* () {
      const { begin, runId, serve } = yield* start()
      const { answer, id } = begin(stubborn)
      answer.catch(() => {})
      yield* output(serve, id, "go")
      const pids = Leftovers.marked(runId)
      assert.isAtLeast(pids.length, 3)
      serve.kill("SIGKILL")
      yield* Leftovers.expectNone(runId, { pids, within: "8 seconds" })
    })
  )

  it.live("the settings say which Python, how long, and how much", () =>
    Effect.gen(function* () {
      const settings = {
        python: "/no/such/python",
        caps: { eval_output_bytes: 200 },
        budgets: { eval_inactivity_seconds: 0.3 }
      }
      const missing = yield* start(["--yes"], { "livetools.json": JSON.stringify(settings) })
      assert.include((yield* missing.cell(`1`)).text, "/no/such/python")
      const { python: _, ...rest } = settings
      const run = yield* start(["--yes"], { "livetools.json": JSON.stringify(rest) })
      const { code, value } = yield* run.cell(`print("x" * 1000)\nimport time\ntime.sleep(60)`)
      assert.strictEqual(code, "timed_out")
      assert.deepInclude(value as object, { status: "interrupted", state: "kept" })
      assert.isBelow(Kernels.textOf(value as Parameters<typeof Kernels.textOf>[0], "stdout").length, 400)
    })
  )
})
