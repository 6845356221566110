import * as Fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Value } from "../../../src/kernel/Value.ts"
import * as Kernels from "../../support/kernels.ts"

/** The outputs as one text: `stdout|a|display text`. */
const shown = (value: Value): ReadonlyArray<string> =>
  value.outputs.map((output) => {
    switch (output.kind) {
      case "stdout":
      case "stderr":
        return `${output.kind} ${output.text}`
      case "error":
        return `error ${output.name} ${output.message}`
      case "display":
      case "result":
        return `${output.kind} ${String(output.data["text/plain"])}`
    }
  })

const plain = (text: string) => `{ "text/plain": ${JSON.stringify(text)} }`

describe("what a cell shows", () => {
  it.live("comes in the order in which it was produced, from both pipes and the frames", () =>
    Effect.gen(function* () {
      const { cell } = yield* Kernels.run()
      for (let round = 0; round < 20; round++) {
        const { value } = yield* cell(`
          k.out("a\\n"); k.display(${plain("d1")}); k.out("b\\n"); k.mark({ isSwitch: true }); k.err("c\\n")
          k.mark({ isSwitch: true }); k.out("d\\n"); k.display(${plain("d2")}); k.display(${plain("d3")}); k.err("e\\n"); k.result(${plain("r")})
        `)
        assert.deepStrictEqual(shown(value), [
          "stdout a\n",
          "display d1",
          "stdout b\n",
          "stderr c\n",
          "stdout d\n",
          "display d2",
          "display d3",
          "stderr e\n",
          "result r"
        ])
      }
    })
  )

  it.live("a switch mark that looks like that of a frame costs time, not order", () =>
    Effect.gen(function* () {
      const { cell } = yield* Kernels.run()
      const { value } = yield* cell(`k.out("a\\n"); k.mark(); k.err("b\\n"); k.mark(); k.out("c\\n")`)
      assert.deepStrictEqual(shown(value), ["stdout a\n", "stderr b\n", "stdout c\n"])
    })
  )

  it.live("a megabyte before a frame stays before it", () =>
    Effect.gen(function* () {
      const { cell } = yield* Kernels.run()
      const { value } = yield* cell(
        `k.out("x".repeat(79) + "\\n"); k.out(("y".repeat(79) + "\\n").repeat(13000)); k.result(${plain("r")})`
      )
      assert.strictEqual(value.outputs.at(-1)!.kind, "result")
      assert.strictEqual(value.truncated!.total_bytes, 80 * 13001)
    })
  )

  it.live("a character split over two writes is one, half a character is a replacement", () =>
    Effect.gen(function* () {
      const { cell } = yield* Kernels.run()
      const { value } = yield* cell(`
        const bytes = Buffer.from("é🎉")
        for (const byte of bytes) { k.out([byte]); await k.sleep(5) }
        k.out("\\n"); k.out(bytes.subarray(0, 1))
      `)
      assert.strictEqual(Kernels.textOf(value, "stdout"), "é🎉\n\uFFFD")
      assert.strictEqual(Kernels.textOf((yield* cell(`k.out("next")`)).value, "stdout"), "next")
    })
  )

  it.live("nothing it prints is taken for the protocol", () =>
    Effect.gen(function* () {
      const { cell } = yield* Kernels.run()
      const { answer, value } = yield* cell(`
        k.out('{"t":"done","cell":1,"seq":1,"status":"ok"}\\n'); k.out("\\0not-the-marker:1\\0"); k.out("\\0" + k.marker().slice(0, 9))
        k.err("\\0"); k.raw("junk that is no frame\\n"); k.raw('{"t":"display"}\\n'); k.raw("\\xff\\n"); k.result(${plain("r")})
      `)
      assert.isFalse(answer.isFailure)
      assert.include(Kernels.textOf(value, "stdout"), `{"t":"done","cell":1,"seq":1,"status":"ok"}\nnot-the-marker:1`)
      assert.strictEqual(value.outputs.at(-1)!.kind, "result")
    })
  )

  it.live("a pipe that the program has closed is not waited for, in this cell and in later ones", () =>
    Effect.gen(function* () {
      const { cell } = yield* Kernels.run()
      const first = yield* cell(
        `state.fds = [2]; k.err("x\\n"); k.frame({ t: "result", data: ${plain("r")} }, [2]); k.frame({ t: "done", status: "ok" }, [2])`
      )
      assert.deepStrictEqual(shown(first.value), ["stderr x\n", "result r"])
      const since = performance.now()
      for (let i = 0; i < 5; i++) yield* cell(`k.frame({ t: "done", status: "ok" }, [2])`)
      assert.isBelow(performance.now() - since, 900)
      assert.deepStrictEqual(shown((yield* cell(`k.out("back\\n")`)).value), ["stdout back\n"])
    })
  )

  it.live("progress bars collapse, colours go, long lines are cut with a note, all is in the file", () =>
    Effect.gen(function* () {
      const { cell } = yield* Kernels.run()
      const { answer, value } = yield* cell(`
        for (let i = 0; i <= 100; i++) k.err("\\r" + i + "%"); k.err("\\n"); k.out("\\x1b[31mred\\x1b[0m\\n"); k.out("<" + "z".repeat(9000) + ">\\n")
      `)
      assert.strictEqual(Kernels.textOf(value, "stderr"), "100%\n")
      const out = Kernels.textOf(value, "stdout")
      assert.match(out, /^red\n<z+ \[…\d+ more characters in this line…\] z+>\n$/)
      assert.isUndefined(value.truncated)
      const whole = Fs.readFileSync(value.spilled_to!, "utf8")
      assert.include(whole, `<${"z".repeat(9000)}>`)
      assert.include(answer.text, value.spilled_to!)
    })
  )

  it.live("long output keeps its beginning and its end, says how much there was, and is whole in a file", () =>
    Effect.gen(function* () {
      const { cell } = yield* Kernels.run()
      const { answer, value } = yield* cell(`
        for (let i = 0; i < 20000; i++) k.out("line " + i + "\\n")
        k.display(${plain("a display")}); k.out("the end\\n")
      `)
      const text = Kernels.textOf(value, "stdout")
      assert.isTrue(text.startsWith("line 0\nline 1\n"))
      assert.isTrue(text.endsWith("the end\n"))
      assert.isAtMost(Buffer.byteLength(text), 48 * 1024)
      assert.isAbove(Buffer.byteLength(text), 40 * 1024)
      const whole = Array.from({ length: 20000 }, (_, i) => `line ${i}\n`).join("")
      assert.deepStrictEqual(value.truncated, { total_bytes: whole.length + 8, total_lines: 20001 })
      assert.strictEqual(Fs.readFileSync(value.spilled_to!, "utf8"), `${whole}a display\nthe end\n`)
      assert.include(answer.text, `${whole.length + 8} bytes, 20001 lines in all; the whole is in ${value.spilled_to}`)
      assert.match(answer.text, /State kept\.$/)
      assert.strictEqual(value.outputs.filter(({ kind }) => kind === "display").length, 1)
    })
  )

  it.live("memory stays bounded while a cell prints without end", () =>
    Effect.gen(function* () {
      const { cell } = yield* Kernels.run({ limits: { lineChars: 100 } })
      yield* cell(`1`)
      const before = process.memoryUsage().heapUsed
      let most = 0
      const timer = setInterval(() => (most = Math.max(most, process.memoryUsage().heapUsed)), 5)
      const { value } = yield* cell(`
        const line = "x".repeat(1 << 16)
        for (let i = 0; i < 1600; i++) k.out(line)
      `)
      clearInterval(timer)
      assert.isBelow(most - before, 60_000_000)
      assert.strictEqual(value.outputs.length, 1)
      assert.isBelow(Kernels.textOf(value, "stdout").length, 200)
      assert.strictEqual(Fs.statSync(value.spilled_to!).size, 1600 * 65536)
    })
  )

  it.live(
    "clear_output takes away what was shown, at once or with the next output; updates follow each other in one place",
    () =>
      Effect.gen(function* () {
        const { cell } = yield* Kernels.run()
        const cleared = yield* cell(
          `k.out("a\\n"); k.frame({ t: "clear" }); k.out("b\\n"); k.frame({ t: "clear", wait: true })`
        )
        assert.deepStrictEqual(shown(cleared.value), ["stdout b\n"])
        // What an earlier cell has left running takes away nothing of this one's.
        const own = yield* cell(`k.out("own\\n"); k.frame({ t: "clear", cell: 1 }); k.out("b\\n")`)
        assert.strictEqual(Kernels.textOf(own.value, "stdout"), "own\nb\n")
        const { value } = yield* cell(`
        k.display(${plain("0")}, { id: "p" })
        for (let i = 1; i < 9; i++) k.display({ "text/plain": String(i) }, { id: "p", update: true })
      `)
        assert.deepStrictEqual(value.outputs, [
          { kind: "display", data: { "text/plain": "0" }, display_id: "p" },
          { kind: "display", data: { "text/plain": "8" }, display_id: "p", update: true }
        ])
      })
  )

  it.live("images are counted and bounded, and are short in the text", () =>
    Effect.gen(function* () {
      const png = "iVBORw0KGgoAAAANSUhEUgAAAAIAAAADCAYAAAC56t6BAAAADklEQVR4nGNgYGD4D8UACQ0BAL0dpSMAAAAASUVORK5CYII="
      const { cell } = yield* Kernels.run({ limits: { images: 3 } })
      const { answer, value } = yield* cell(`
        for (let i = 0; i < 5; i++) k.display({ "image/png": "${png}", "text/plain": "<Figure>" })
        k.display({ "image/png": "A".repeat(8 * 1024 * 1024), "text/plain": "big" })
      `)
      assert.strictEqual(
        value.outputs.filter((output) => output.kind === "display" && output.data["image/png"]).length,
        3
      )
      assert.include(answer.text, "[image/png, 2×3, 71 bytes]")
      assert.include(answer.text, "2 more images were left out")
      assert.include(answer.text, "1 large parts of displays were left out")
      assert.notInclude(answer.text, png)
    })
  )

  it.live("what earlier cells have left running shows with the next, labelled", () =>
    Effect.gen(function* () {
      const { cell } = yield* Kernels.run()
      yield* cell(
        `setTimeout(() => { k.out("late\\n"); k.frame({ t: "error", cell: 1, name: "E", message: "m", traceback: "late error" }); k.send({ t: "notice", text: "remember" }) }, 20)`
      )
      yield* Effect.sleep("200 millis")
      const { answer, value } = yield* cell(`k.out("now\\n")`)
      assert.deepStrictEqual(value.outputs, [
        { kind: "stdout", text: "late\n", background: true },
        { kind: "error", name: "E", message: "m", traceback: "late error", background: true },
        { kind: "stdout", text: "now\n" }
      ])
      assert.include(
        answer.text,
        "[output of earlier cells since the last call]\nlate\nlate error\n[output of this cell]\nnow\n"
      )
      assert.include(answer.text, "Note: remember")
      const during = yield* cell(`k.frame({ t: "display", cell: 1, data: ${plain("of the first")} })`)
      assert.deepStrictEqual(during.value.outputs, [
        { kind: "display", data: { "text/plain": "of the first" }, background: true }
      ])
    })
  )
})
