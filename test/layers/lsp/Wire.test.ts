import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Fake from "../../support/FakeLanguageServer.ts"
import * as Leftovers from "../../support/Leftovers.ts"

const at = (file: string) => ({ file, at: () => Effect.succeed(0) })

describe("what goes over the wire", () => {
  it.live("C1 C3 odd texts arrive whole both ways, split at every byte", () =>
    Effect.gen(function* () {
      const text = "é世😀 µs\n"
      const run = yield* Fake.run(
        (server) => {
          server.split(1)
          server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, hoverProvider: true } }))
          server.on("textDocument/hover", ({ textDocument }) => ({
            contents: server.documents.get(textDocument.uri)!.text
          }))
        },
        { files: { "a.t": text } }
      )
      const answers = yield* run.servers.ask(Fake.hover, at(run.path("a.t")))
      assert.deepStrictEqual(Fake.outcomes(answers), [{ id: "fake", outcome: "found", value: { contents: text } }])
      assert.isEmpty(run.log().filter(({ malformed }) => malformed !== undefined))
    })
  )

  it.live("C5 C6 a server that asks with the id of our request, and answers only after its own are answered", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run(
        (server) => {
          server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, hoverProvider: true } }))
          server.on("textDocument/hover", async (_, { id }) => {
            const asked = await Promise.all([
              server.request(
                "workspace/configuration",
                { items: [{ section: "a.b" }, {}, { section: "no" }] },
                id as number
              ),
              server.request("client/registerCapability", { registrations: [] }, "text"),
              server.request("client/unregisterCapability", { unregisterations: [] }),
              server.request("window/workDoneProgress/create", { token: 1 }),
              server.request("window/showMessageRequest", { type: 3, message: "?", actions: [] }),
              server.request("workspace/semanticTokens/refresh"),
              server.request("custom/mine"),
              server.request("custom/unknown"),
              server.request("workspace/applyEdit", { edit: {} })
            ])
            return { contents: asked }
          })
        },
        { row: { settings: { a: { b: "${rootName}" } }, answers: { "custom/mine": [1] } } }
      )
      const [answer] = yield* run.servers.ask(Fake.hover, at(run.path("a.t")))
      assert.deepStrictEqual(answer!.outcome === "found" ? answer!.value.contents : answer, [
        ["project", { a: { b: "project" } }, null],
        null,
        null,
        null,
        null,
        null,
        [1],
        { error: { code: -32601, message: "this client does not know custom/unknown" } },
        { applied: false, failureReason: "no edit is applied while the server is only asked a question" }
      ])
    })
  )

  it.live("C8 unknown notifications are dropped", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run((server) => {
        server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, hoverProvider: true } }))
        server.on("textDocument/hover", async () => {
          await server.notify("$/unknown", { a: 1 })
          await server.notify("telemetry/event", [1])
          await server.notify("textDocument/publishDiagnostics", null)
          await server.notify("$/progress", "nonsense")
          await server.notify("window/logMessage")
          return { contents: "fine" }
        })
      })
      const answers = yield* run.servers.ask(Fake.hover, at(run.path("a.t")))
      assert.strictEqual(answers[0]!.outcome, "found")
    })
  )

  it.live("C9 no params: null is ever sent, and initialized has {}", () =>
    Effect.gen(function* () {
      const run = yield* Effect.scoped(
        Effect.gen(function* () {
          const run = yield* Fake.run((server) => {
            server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, hoverProvider: true } }))
            server.on("textDocument/hover", () => ({ contents: "x" }))
          })
          yield* run.servers.ask(Fake.hover, at(run.path("a.t")))
          yield* run.servers.reload()
          return { ...run, log: run.log() }
        })
      )
      assert.includeMembers(
        run.log.flatMap(({ received }) => received?.method ?? []),
        ["shutdown", "exit"]
      )
      assert.isEmpty(run.log.filter(({ hasNullParams }) => hasNullParams === true))
      assert.deepStrictEqual(run.log.find(({ received }) => received?.method === "initialized")?.received?.params, {})
    })
  )

  it.live("C12 ContentModified is asked again, a few times", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run((server) => {
        let asked = 0
        server.on("initialize", () => ({
          capabilities: {
            textDocumentSync: 2,
            hoverProvider: true,
            definitionProvider: true,
            declarationProvider: true
          }
        }))
        server.on("textDocument/hover", () => {
          if (++asked <= 2) throw { code: -32801, message: "content modified" }
          return { contents: `asked ${asked} times` }
        })
        server.on("textDocument/definition", () => {
          throw { code: -32801, message: "content modified" }
        })
        server.on("textDocument/declaration", () => {
          throw { code: -32803, message: "cannot do that here" }
        })
      })
      const file = at(run.path("a.t"))
      assert.deepStrictEqual(Fake.outcomes(yield* run.servers.ask(Fake.hover, file)), [
        { id: "fake", outcome: "found", value: { contents: "asked 3 times" } }
      ])
      assert.deepStrictEqual(Fake.outcomes(yield* run.servers.ask(Fake.definition, file)), [
        { id: "fake", outcome: "unknown", reason: "it answered with an error: content modified (-32801)" }
      ])
      assert.lengthOf(run.received("textDocument/definition"), 8)
      assert.deepStrictEqual(Fake.outcomes(yield* run.servers.ask(Fake.plain("textDocument/declaration"), file)), [
        { id: "fake", outcome: "unknown", reason: "it answered with an error: cannot do that here (-32803)" }
      ])
      assert.lengthOf(run.received("textDocument/declaration"), 1)
    })
  )

  it.live("C11 C13 a call whose time is over cancels its request, and the late answer harms nothing", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run((server) => {
        server.on("initialize", () => ({
          capabilities: { textDocumentSync: 2, hoverProvider: true, definitionProvider: true }
        }))
        server.on("textDocument/hover", async () => {
          await server.sleep(600)
          return { contents: "late" }
        })
        server.on("textDocument/definition", () => [])
      })
      const file = at(run.path("a.t"))
      yield* run.servers.ask(Fake.plain("textDocument/definition"), file, { timeout: "5 seconds" })
      const slow = yield* run.servers.ask(Fake.hover, file, { timeout: "300 millis" })
      assert.deepStrictEqual(Fake.outcomes(slow), [
        {
          id: "fake",
          outcome: "unknown",
          why: "late",
          reason: "not answered in 0.3 s, waiting for the answer to textDocument/hover"
        }
      ])
      const cancel = yield* Fake.eventually(() => run.received("$/cancelRequest")[0])
      assert.deepStrictEqual(cancel.params, { id: run.received("textDocument/hover")[0]!.id })
      yield* Effect.sleep("500 millis")
      const answers = yield* run.servers.ask(Fake.hover, file)
      assert.strictEqual(answers[0]!.outcome, "found")
    })
  )

  it.live("C13 an interrupted call cancels its request", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run((server) => {
        server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, hoverProvider: true } }))
        server.on("textDocument/hover", () => server.noReply)
      })
      const call = run.servers.ask(Fake.hover, at(run.path("a.t")))
      yield* Effect.raceFirst(
        call,
        Fake.eventually(() => run.received("textDocument/hover")[0])
      )
      yield* Fake.eventually(() => run.received("$/cancelRequest")[0])
    })
  )

  it.live("C14 junk on standard output does not stop it, and status tells of it", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run((server) => {
        server.on("initialize", async () => {
          await server.raw("Debugger attached.\n")
          return { capabilities: { textDocumentSync: 2, hoverProvider: true } }
        })
        server.on("textDocument/hover", async () => {
          await server.raw("warning: something\r\nelse\n")
          await server.raw("Content-Length: 5\r\n\r\n{ no }")
          await server.raw(server.frame([1, 2]))
          return { contents: "fine" }
        })
      })
      const answers = yield* run.servers.ask(Fake.hover, at(run.path("a.t")))
      assert.strictEqual(answers[0]!.outcome, "found")
      const [status] = yield* run.servers.status
      assert.match(status!.lastError ?? "", /^it wrote /)
    })
  )

  it.live("C14 a flood that is no messages ends the server with a clear error", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run((server) => {
        server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, hoverProvider: true } }))
        server.on("textDocument/hover", async () => {
          await server.raw("x".repeat(2 * 1024 * 1024))
          return server.noReply
        })
      })
      const [answer] = yield* run.servers.ask(Fake.hover, at(run.path("a.t")))
      assert.match(
        answer!.outcome === "unknown" ? answer!.reason : "",
        /^what it writes cannot be read: \d+ bytes came without a Content-Length header/
      )
    })
  )

  it.live("C15 standard error is always read, in whatever lengths, and only its end is kept", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run((server) => {
        server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, hoverProvider: true } }))
        server.on("textDocument/hover", () => {
          for (let i = 0; i < 160; i++) server.stderr("x".repeat(65_536))
          server.stderr("\nthe end\n")
          return { contents: "fine" }
        })
      })
      const answers = yield* run.servers.ask(Fake.hover, at(run.path("a.t")))
      assert.strictEqual(answers[0]!.outcome, "found")
      const [status] = yield* run.servers.status
      assert.match(status!.stderr ?? "", /^….*\nthe end$/s)
      assert.isBelow(status!.stderr!.length, 1000)
    })
  )

  it.live("C16 a server that stops reading: the call keeps its time, and then the server is ended", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run(
        (server) => {
          server.on("initialize", () => ({ capabilities: { textDocumentSync: 1, hoverProvider: true } }))
          server.on("textDocument/hover", () => {
            server.keepAlive()
            server.stopReading()
            return { contents: "the last" }
          })
        },
        { policy: { stuck: "2 seconds" } }
      )
      const file = at(run.path("a.t"))
      yield* run.servers.ask(Fake.hover, file)
      const [pid] = run.pids()
      // More than the pipe and the stream of the child take.
      run.write("a.t", "x".repeat(4 * 1024 * 1024))
      const before = performance.now()
      const [first] = yield* run.servers.ask(Fake.hover, file, { timeout: "300 millis" })
      assert.isBelow(performance.now() - before, 1800)
      assert.strictEqual(first!.outcome, "unknown")
      const [second] = yield* run.servers.ask(Fake.hover, file)
      assert.match(second!.outcome === "unknown" ? second!.reason : "", /it has stopped reading its input/)
      yield* Fake.eventually(() => (Leftovers.isRunning(pid!) ? undefined : true))
    })
  )

  it.live("a server that closes its output and lives on is ended", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run((server) => {
        server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, hoverProvider: true } }))
        server.on("textDocument/hover", () => {
          server.keepAlive()
          server.closeOutput()
          return server.noReply
        })
      })
      const [answer] = yield* run.servers.ask(Fake.hover, at(run.path("a.t")))
      assert.strictEqual(answer!.outcome === "unknown" ? answer!.reason : "", "it has closed its output")
      yield* Fake.eventually(() => (Leftovers.isRunning(run.pids()[0]!) ? undefined : true))
    })
  )

  it.live("C17 nothing that the server receives is malformed or a batch", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run((server) => {
        server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, hoverProvider: true } }))
        server.on("textDocument/hover", () => ({ contents: "x" }))
      })
      yield* Effect.forEach(Array.from({ length: 50 }), () => run.servers.ask(Fake.hover, at(run.path("a.t"))), {
        concurrency: "unbounded"
      })
      assert.isEmpty(run.log().filter(({ malformed }) => malformed !== undefined))
      assert.isTrue(run.received().every((message) => !Array.isArray(message)))
      assert.lengthOf(run.received("textDocument/hover"), 50)
    })
  )
})
