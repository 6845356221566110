import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Fake from "../../support/FakeDebugAdapter.ts"

const launch = { op: "launch", program: "a.t" } as const
const breakpoint = { op: "breakpoints", file: "a.t", lines: [3] } as const

describe("output", () => {
  it.live("61 62 65 66 by category in the order of arrival, whole characters, without what steers a terminal", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run((adapter) => {
        adapter.on("configurationDone", async (args, request) => {
          for (const piece of ["pid", " ", "19", "\n"]) await adapter.output(piece, "stdout")
          await adapter.output("\u001b[31mred\u001b[0m\r\n", "stderr")
          await adapter.output("half \ud83d", "stdout")
          await adapter.output("\ude00 whole\n", "stdout")
          await adapter.output("telemetry", "telemetry")
          await adapter.output("mind this\n", "important")
          await adapter.output("no category\n")
          return adapter.base("configurationDone", args, request)
        })
        adapter.on("threads", async () => {
          // Late: it belongs before the stop.
          await adapter.output("late\n", "stdout")
          return { threads: [{ id: 1, name: "main" }] }
        })
      })
      yield* run.ok(breakpoint)
      const stopped = yield* run.ok(launch)
      assert.isAbove(stopped.output_left ?? 0, 0)
      assert.match(stopped.words, /\d+ bytes of new output: op `output`\.$/)
      const read = yield* run.ok({ op: "output" })
      assert.deepStrictEqual(read.output, [
        { category: "stdout", text: "pid 19\n" },
        { category: "stderr", text: "red\n" },
        { category: "stdout", text: "half 😀 whole\n" },
        { category: "important", text: "mind this\n" },
        { category: "console", text: "no category\n" }
      ])
      assert.strictEqual(
        read.words,
        "[stdout] pid 19\n[stderr] red\n[stdout] half 😀 whole\n[important] mind this\n[console] no category"
      )
      assert.strictEqual((yield* run.ok({ op: "output" })).words, "No new output.")
      yield* run.ok({ op: "threads" })
      assert.deepStrictEqual((yield* run.ok({ op: "output" })).output, [{ category: "stdout", text: "late\n" }])
    })
  )

  it.live("61 what an adapter writes of its build, before there is a program, is not the program's", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run((adapter) => {
        adapter.on("launch", async (args, request) => {
          await adapter.output("Building a.t\n", "stdout")
          return adapter.base("launch", args, request)
        })
        adapter.on("configurationDone", async (args, request) => {
          await adapter.output("1\n", "stdout")
          return adapter.base("configurationDone", args, request)
        })
      })
      yield* run.ok(breakpoint)
      yield* run.ok(launch)
      assert.deepStrictEqual((yield* run.ok({ op: "output" })).output, [
        { category: "console", text: "Building a.t\n" },
        { category: "stdout", text: "1\n" }
      ])
    })
  )

  it.live("62 63 two megabytes in 20 000 pieces: bounded, the loss is told, later requests are not slowed", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run((adapter) => {
        adapter.on("configurationDone", async (args, request) => {
          for (let i = 0; i < 20_000; i++)
            void adapter.output(`${"x".repeat(95)} ${String(i).padStart(5, "0")}\n`, "stdout")
          return adapter.base("configurationDone", args, request)
        })
      })
      yield* run.ok(breakpoint)
      assert.strictEqual((yield* run.ok(launch)).state, "stopped")
      const from = performance.now()
      yield* run.ok({ op: "threads" })
      assert.isBelow(performance.now() - from, 5000)
      let text = ""
      let dropped = 0
      for (;;) {
        const { output = [], output_dropped = 0, output_left } = yield* run.ok({ op: "output" })
        dropped += output_dropped
        for (const entry of output) {
          assert.strictEqual(entry.category, "stdout")
          text += entry.text
        }
        assert.isAtMost(
          output.reduce((sum, entry) => sum + entry.text.length, 0),
          33 * 1024
        )
        if (output_left === undefined) break
      }
      assert.strictEqual(dropped + text.length, 20_000 * 102)
      assert.isAtMost(text.length, 256 * 1024)
      assert.isAbove(text.length, 240 * 1024)
      assert.isTrue(text.endsWith("19999\n"))
    })
  )

  it.live("65 12 what comes before the answer to disconnect is the last; what comes after it is dropped", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run((adapter) => {
        adapter.on("disconnect", async (_, request) => {
          await adapter.output("the last of it\n", "stdout")
          await adapter.respond(request)
          await adapter.output("*** free(): invalid pointer\n", "stderr")
          adapter.kill("SIGABRT")
          return adapter.noReply
        })
        adapter.on("configurationDone", async (args, request) => {
          await adapter.output("own\n", "stdout")
          return adapter.base("configurationDone", args, request)
        })
      })
      const value = yield* run.ok(launch)
      assert.deepStrictEqual([value.state, value.exit_code, value.ended_because], ["ended", 0, undefined])
      assert.deepStrictEqual((yield* run.ok({ op: "output" })).output, [
        { category: "stdout", text: "own\nthe last of it\n" }
      ])
    })
  )
})
