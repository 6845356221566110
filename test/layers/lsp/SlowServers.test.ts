/** Diagnostics on write with servers that are slower than the writes: what each write caused is told, once, and as its own. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Deferred } from "../../../src/DeferredFindings.ts"
import type * as Fake from "../../support/FakeLanguageServer.ts"
import { pulled, start } from "./onWrite.ts"

/** Finds `bad X` as X; each answer takes its time, and the first a long one. */
const slow: Fake.Behaviour = (server) => {
  let isFirst = true
  server.on("initialize", () => ({
    capabilities: { textDocumentSync: 2, diagnosticProvider: {}, hoverProvider: true }
  }))
  server.on("textDocument/hover", () => ({ contents: "x" }))
  server.on("textDocument/diagnostic", async ({ textDocument: { uri } }) => {
    const { text } = server.documents.get(uri)!
    const wait = isFirst ? 1500 : 300
    isFirst = false
    await server.sleep(wait)
    return {
      kind: "full",
      items: text
        .split("\n")
        .flatMap((line, number) => [...line.matchAll(/bad (\w+)/g)].map(([, name]) => server.diagnostic(name!, number)))
    }
  })
}

const budgets = { warm: "100 millis", cold: "300 millis", deferred: "1 minute" } as const

const begin = Effect.fnUntraced(function* (files: { readonly [name: string]: string }) {
  const run = yield* start(slow, { files, budgets })
  const late: Array<Deferred> = []
  yield* run.deferred.divert((one) => Effect.sync(() => late.push(one)))
  const ofEdit = (edit_id: string | undefined) =>
    late
      .filter((one) => one.edit_id === edit_id)
      .flatMap(({ introduced }) => introduced as ReadonlyArray<{ readonly path: string; readonly message: string }>)
      .map(({ message, path }) => `${path} ${message}`)
  const put = (path: string, content: string) =>
    Effect.map(run.put(path, content), (answer) =>
      answer.isFailure ? assert.fail(answer.text) : { id: answer.value.edit_id, said: run.said(answer) }
    )
  /** Waits until so many findings were told late. */
  const told = Effect.fnUntraced(function* (count: number) {
    const until = performance.now() + 20_000
    while (late.flatMap(({ introduced }) => introduced).length < count) {
      if (performance.now() > until) return assert.fail(JSON.stringify(late))
      yield* Effect.sleep("50 millis")
    }
    // And no more.
    yield* Effect.sleep("1 second")
    assert.strictEqual(late.flatMap(({ introduced }) => introduced).length, count)
  })
  return { ...run, ofEdit, put, told }
})

describe("a server that is slower than the writes", () => {
  it.live(
    "C72 C79 what was there before the first write is asked about the old text, though the new one is on disk",
    () =>
      Effect.gen(function* () {
        const { ofEdit, put, told } = yield* begin({ "a.t": "bad old\n" })
        const { id, said } = yield* put("a.t", "bad old\nbad new\n")
        assert.deepStrictEqual(said, ["unknown"])
        yield* told(1)
        assert.deepStrictEqual(ofEdit(id), ["a.t new"])
      })
  )

  it.live("C78 writes of several files, one right after the other: each has its own", () =>
    Effect.gen(function* () {
      const { ofEdit, put, told } = yield* begin({ "a.t": "x\n", "b.t": "x\n", "c.t": "bad old\n" })
      const a = yield* put("a.t", "bad one\n")
      const b = yield* put("b.t", "bad two\n")
      const c = yield* put("c.t", "bad old\nbad three\n")
      yield* told(3)
      assert.deepStrictEqual([ofEdit(a.id), ofEdit(b.id), ofEdit(c.id)], [["a.t one"], ["b.t two"], ["c.t three"]])
    })
  )

  it.live("B18 what somebody else breaks between two writes is of neither", () =>
    Effect.gen(function* () {
      const { ofEdit, put, told, write } = yield* begin({ "a.t": "x\n", "b.t": "x\n" })
      const a = yield* put("a.t", "bad one\n")
      write("b.t", "bad others\n")
      const b = yield* put("b.t", "bad others\nbad two\n")
      yield* told(2)
      assert.deepStrictEqual([ofEdit(a.id), ofEdit(b.id)], [["a.t one"], ["b.t two"]])
    })
  )

  it.live("a question while the old text is asked about waits, and does not spoil it", () =>
    Effect.gen(function* () {
      const { ofEdit, put, servers, path, told } = yield* begin({ "a.t": "bad old\n" })
      const { id } = yield* put("a.t", "bad old\nbad new\n")
      const answers = yield* servers.diagnostics([path("a.t")], { timeout: "20 seconds" })
      assert.deepStrictEqual(
        answers[0]!.servers.map((one) => one.outcome === "found" && one.value.map(({ message }) => message)),
        [["old", "new"]]
      )
      yield* told(1)
      assert.deepStrictEqual(ofEdit(id), ["a.t new"])
    })
  )

  it.live(
    "C61 C71 what a file had before, that somebody asks about while a write is looked at, is not of the write",
    () =>
      Effect.gen(function* () {
        const { ofEdit, put, servers, path, told } = yield* begin({ "a.t": "x\n", "b.t": "bad old\n" })
        const { id, said } = yield* put("a.t", "bad new\n")
        assert.deepStrictEqual(said, ["unknown"])
        const answers = yield* servers.diagnostics([path("b.t")], { timeout: "20 seconds" })
        assert.deepStrictEqual(
          answers[0]!.servers.map((one) => one.outcome === "found" && one.value.map(({ message }) => message)),
          [["old"]]
        )
        yield* told(1)
        assert.deepStrictEqual(ofEdit(id), ["a.t new"])
      })
  )

  it.live("a language waits for no other: a server that is silent holds only its own", () =>
    Effect.gen(function* () {
      const { writes } = yield* start(pulled, {
        files: { "a.t": "x\n", "b.u": "x\n" },
        budgets: { warm: "10 seconds", cold: "600 millis", deferred: "1 minute" },
        others: {
          mute: {
            behaviour: (server) => {
              server.on("initialize", () => ({ capabilities: { textDocumentSync: 2 } }))
            },
            row: { languages: [{ id: "u", extensions: [".u"] }] }
          }
        }
      })
      assert.deepStrictEqual(yield* writes("a.t", "y\n"), ["nothing_new"])
      assert.deepStrictEqual(yield* writes("b.u", "y\n"), ["unknown"])
      assert.deepStrictEqual(yield* writes("a.t", "bad one\n"), ["introduced", "a.t:1 one"])
    })
  )

  it.live("B6 what is late says which write it is of, in the next answer of any tool", () =>
    Effect.gen(function* () {
      const { put, surface } = yield* start(pulled, { files: { "a.t": "x\n" }, budgets })
      const answer = yield* put("a.t", "bad one\nslow 600\n")
      assert.include(answer.text, "a later answer will tell")
      let text = ""
      for (let i = 0; i < 100 && text === ""; i++) {
        yield* Effect.sleep("100 millis")
        const next = yield* surface.dispatch("resolve", { edit_id: "edit_99", action: "undo" })
        text = next.deferred?.[0]?.text ?? ""
      }
      assert.match(text, /^The earlier write of a\.t \(edit_\d+\) introduced 1 error:\na\.t:1 error one \(fake\)$/)
    })
  )
})
