import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Fake from "../../support/FakeLanguageServer.ts"

const at = (run: Fake.Run) => ({ file: run.path("a.t"), at: () => Effect.succeed(0) })

const references = Fake.plain("textDocument/references", "project")

/** Loads for 700 ms, with progress, and answers with little before. */
const loads: Fake.Behaviour = (server) => {
  let isLoaded = false
  server.on("initialize", () => ({
    capabilities: { textDocumentSync: 2, definitionProvider: true, referencesProvider: true, hoverProvider: true }
  }))
  server.on("initialized", async () => {
    await server.request("window/workDoneProgress/create", { token: 7 })
    await server.notify("$/progress", { token: 7, value: { kind: "begin", title: "Indexing", percentage: 10 } })
    await server.sleep(700)
    isLoaded = true
    await server.notify("$/progress", { token: 7, value: { kind: "end" } })
  })
  // The answer comes after the progress has begun.
  const later = async (value: unknown) => {
    await server.sleep(50)
    return value
  }
  server.on("textDocument/definition", ({ textDocument: { uri } }) =>
    later(isLoaded ? [{ uri, range: server.rangeOf(uri, "two") }] : [])
  )
  server.on("textDocument/references", () => later(isLoaded ? [1, 2, 3, 4, 5] : [1]))
  server.on("textDocument/hover", () => later(isLoaded ? null : { contents: "early" }))
}

describe("readiness", () => {
  it.live("C57 C101 an empty answer while it loads is asked for again", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run(loads)
      const [answer] = yield* run.servers.ask(Fake.definition, at(run))
      assert.strictEqual(answer!.outcome === "found" ? answer!.value[0]!.column : answer, 5)
      assert.lengthOf(run.received("textDocument/definition"), 2)
    })
  )

  it.live("C57 an answer that is there is not held, but marked", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run(loads)
      yield* run.servers.ask(Fake.definition, at(run), { timeout: "10 millis" })
      yield* Fake.eventually(() => run.received("initialized")[0])
      const before = performance.now()
      const [answer] = yield* run.servers.ask(Fake.hover, at(run))
      assert.deepStrictEqual(Fake.outcomes([answer!]), [
        {
          id: "fake",
          outcome: "found",
          value: { contents: "early" },
          incomplete: "it is still loading the project: Indexing 10 %"
        }
      ])
      assert.isBelow(performance.now() - before, 600)
    })
  )

  it.live("C57 when the time is over first, the answer is not known, with the progress", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run(loads)
      const [answer] = yield* run.servers.ask(Fake.definition, at(run), { timeout: "700 millis" })
      assert.deepStrictEqual(Fake.outcomes([answer!]), [
        {
          id: "fake",
          outcome: "unknown",
          why: "loading",
          reason:
            "not answered in 0.7 s, waiting for it to load the project; it is still loading the project: Indexing 10 %"
        }
      ])
    })
  )

  it.live("B8 a set about the project that was given while it loads is held, or provisional", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run(loads)
      const [early] = yield* run.servers.ask(references, at(run), { timeout: "700 millis" })
      assert.deepStrictEqual(early!.outcome === "unknown" ? early!.provisional : early, [1])
      const [held] = yield* run.servers.ask(references, at(run))
      assert.deepStrictEqual(held!.outcome === "found" ? held!.value : held, [1, 2, 3, 4, 5])
    })
  )

  it.live(
    "C102 L59 silence is not ready: the first empty answers of a server that tells no progress are asked again",
    () =>
      Effect.gen(function* () {
        const run = yield* Fake.run(
          (server) => {
            const start = Date.now()
            server.on("initialize", () => ({
              capabilities: {
                textDocumentSync: 2,
                definitionProvider: true,
                hoverProvider: true,
                referencesProvider: true
              }
            }))
            server.on("textDocument/definition", ({ textDocument: { uri } }) =>
              Date.now() - start < 600 ? [] : [{ uri, range: server.rangeOf(uri, "two") }]
            )
            server.on("textDocument/references", () => [])
            server.on("textDocument/hover", () => ({ contents: "x" }))
          },
          { policy: { silent: "2 seconds" } }
        )
        const [answer] = yield* run.servers.ask(Fake.definition, at(run))
        assert.strictEqual(answer!.outcome, "found")
        // It has shown that it has loaded: an empty answer is one.
        const before = performance.now()
        const [empty] = yield* run.servers.ask(references, at(run))
        assert.strictEqual(empty!.outcome, "empty")
        assert.isBelow(performance.now() - before, 500)

        const fresh = yield* Fake.run(
          (server) => {
            server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, hoverProvider: true } }))
            server.on("textDocument/hover", () => null)
          },
          { policy: { silent: "1 second" } }
        )
        const [none] = yield* fresh.servers.ask(Fake.hover, at(fresh))
        assert.strictEqual(none!.outcome, "empty")
        assert.isAbove(fresh.received("textDocument/hover").length, 2)
      })
  )

  it.live("C102 a server that is pulled from shows by its diagnostics that it has loaded", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run(
        (server) => {
          let isLoaded = false
          server.on("initialize", () => ({
            capabilities: { textDocumentSync: 2, definitionProvider: true, diagnosticProvider: {} }
          }))
          server.on("textDocument/definition", ({ textDocument: { uri } }) =>
            isLoaded ? [{ uri, range: server.rangeOf(uri, "two") }] : []
          )
          server.on("textDocument/diagnostic", async () => {
            await server.sleep(300)
            isLoaded = true
            return { kind: "full", items: [] }
          })
        },
        { policy: { silent: "1 minute" } }
      )
      const [answer] = yield* run.servers.ask(Fake.definition, at(run))
      assert.strictEqual(answer!.outcome, "found")
      assert.lengthOf(run.received("textDocument/definition"), 2)
    })
  )

  it.live("C102 a server's own status decides", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run((server) => {
        let isReady = false
        server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, definitionProvider: true } }))
        server.on("initialized", async () => {
          await server.notify("experimental/serverStatus", {
            health: "ok",
            quiescent: false,
            message: "fetching metadata"
          })
          await server.sleep(500)
          isReady = true
          await server.notify("experimental/serverStatus", { health: "ok", quiescent: true })
        })
        server.on("textDocument/definition", async ({ textDocument: { uri } }) => {
          await server.sleep(50)
          return isReady ? [{ uri, range: server.rangeOf(uri, "two") }] : null
        })
      })
      const [early] = yield* run.servers.ask(Fake.definition, at(run), { timeout: "450 millis" })
      assert.match(
        early!.outcome === "unknown" ? early!.reason : "",
        /(?:; it is still loading the project: fetching metadata|waiting for the server to start)$/
      )
      const [answer] = yield* run.servers.ask(Fake.definition, at(run))
      assert.strictEqual(answer!.outcome, "found")
    })
  )

  it.live("a server that registers what it provides right after its start is waited for a moment", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run((server) => {
        server.on("initialize", () => ({ capabilities: { textDocumentSync: 2 } }))
        server.on("initialized", async () => {
          await server.sleep(100)
          await server.request("client/registerCapability", {
            registrations: [{ id: "1", method: "textDocument/hover", registerOptions: { documentSelector: null } }]
          })
        })
        server.on("textDocument/hover", () => ({ contents: "x" }))
      })
      const [answer] = yield* run.servers.ask(Fake.hover, at(run))
      assert.strictEqual(answer!.outcome, "found")
    })
  )

  it.live("a question about the project starts what has a marker, a binary and a file, and opens one", () =>
    Effect.gen(function* () {
      const symbols: Fake.Behaviour = (server) => {
        server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, workspaceSymbolProvider: true } }))
        server.on("workspace/symbol", () => [...server.documents.keys()].map((uri) => uri.split("/").at(-1)))
      }
      const run = yield* Fake.run(symbols, {
        files: { "deep/down/b.u": "" },
        others: {
          second: { behaviour: symbols, row: { languages: [{ id: "u", extensions: [".u"] }] } },
          without: { behaviour: symbols, row: { languages: [{ id: "w", extensions: [".w"] }] } },
          fails: {
            behaviour: (server) => server.on("initialize", () => server.exit(1)),
            row: { languages: [{ id: "u", extensions: [".u"] }] }
          }
        }
      })
      const answers = yield* run.servers.askProject(Fake.plain("workspace/symbol", "project"))
      assert.deepStrictEqual(
        answers.map((answer) => [answer.id, answer.outcome === "found" ? answer.value : answer.outcome]),
        [
          ["fake", ["a.t"]],
          ["second", ["b.u"]],
          ["fails", "not_covered"]
        ]
      )
    })
  )
})
