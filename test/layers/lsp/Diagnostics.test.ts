import { assert, describe, it } from "@effect/vitest"
import * as Fs from "node:fs"
import { type Duration, Effect } from "effect"
import * as Fake from "../../support/FakeLanguageServer.ts"

/** What the only server says of one file. */
const check = (run: Fake.Run, name = "a.t", timeout: Duration.Input = "5 seconds") =>
  Effect.map(run.servers.diagnostics([run.path(name)], { timeout }), ([file]) => file!.servers[0])

const said = (run: Fake.Run, name?: string) => Effect.map(check(run, name), Fake.messages)

const short = {
  settle: "150 millis",
  settleDoubtful: "600 millis",
  elsewhere: "300 millis",
  firstPush: "1500 millis",
  push: "1 second"
} as const

/** Pushes a finding for each line `bad X`, 100 ms after each text. */
const pushes: Fake.Behaviour = (server) => {
  const push = async (uri: string) => {
    await server.sleep(100)
    const { text } = server.documents.get(uri)!
    await server.publish(
      uri,
      [...text.matchAll(/bad (\w+)/g)].map(([, name]) => name)
    )
  }
  server.on("initialize", () => ({ capabilities: { textDocumentSync: 2 } }))
  server.on("textDocument/didOpen", ({ textDocument }) => push(textDocument.uri))
  server.on("textDocument/didChange", ({ textDocument }) => push(textDocument.uri))
}

/** The same, pulled. */
const pulled: Fake.Behaviour = (server) => {
  server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, diagnosticProvider: {} } }))
  server.on("textDocument/diagnostic", ({ textDocument }) => ({
    kind: "full",
    items: [...server.documents.get(textDocument.uri)!.text.matchAll(/bad (\w+)/g)].map(([, name]) =>
      server.diagnostic(name!)
    )
  }))
}

describe("diagnostics", () => {
  for (const [name, behaviour] of [
    ["pushed", pushes],
    ["pulled", pulled]
  ] as const) {
    it.live(`C58 C70 ${name}: found, replaced, proved clean; each for the text that is on disk`, () =>
      Effect.gen(function* () {
        const run = yield* Fake.run(behaviour, { policy: short })
        assert.deepStrictEqual(yield* said(run), ["empty"])
        run.write("a.t", "bad one\nbad two\n")
        assert.deepStrictEqual(yield* said(run), ["found", "one", "two"])
        run.write("a.t", "bad three\n")
        assert.deepStrictEqual(yield* said(run), ["found", "three"])
        run.write("a.t", "good\n")
        assert.deepStrictEqual(yield* said(run), ["empty"])
      })
    )

    it.live(`L11 L12 B32 ${name}: many files take about one wait, and each has its answer`, () =>
      Effect.gen(function* () {
        const names = Array.from({ length: 60 }, (_, i) => `f${i}.t`)
        const run = yield* Fake.run(behaviour, {
          files: Object.fromEntries(names.map((name) => [name, `bad ${name.slice(0, -2)}`])),
          policy: { ...short, push: "10 seconds" }
        })
        yield* check(run)
        const before = performance.now()
        const files = yield* run.servers.diagnostics(names.map(run.path))
        assert.isBelow(performance.now() - before, 3000)
        assert.deepStrictEqual(
          files.map(({ path, servers }) => [path, Fake.messages(servers[0])]),
          names.map((name) => [run.path(name), ["found", name.slice(0, -2)]])
        )
      })
    )
  }

  it.live("more files than may be open at once are checked in turn", () =>
    Effect.gen(function* () {
      const names = Array.from({ length: 10 }, (_, i) => `f${i}.t`)
      const run = yield* Fake.run(pushes, {
        files: Object.fromEntries(names.map((name) => [name, `bad ${name.slice(0, -2)}`])),
        policy: { ...short, documents: 4 }
      })
      const files = yield* run.servers.diagnostics(names.map(run.path))
      assert.deepStrictEqual(
        files.map(({ servers }) => Fake.messages(servers[0])),
        names.map((name) => ["found", name.slice(0, -2)])
      )
    })
  )

  it.live("of several files one cannot be read: it says so, the others are checked; alone it fails the call", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run(pulled, { files: { "b.t": "bad b" } })
      const files = yield* run.servers.diagnostics([run.path("none.t"), run.path("b.t")])
      assert.deepStrictEqual(
        files.map(({ error, servers }) => [error?.code, servers.map(Fake.messages)]),
        [
          ["not_found", []],
          [undefined, [["found", "b"]]]
        ]
      )
      assert.strictEqual((yield* Effect.flip(run.servers.diagnostics([run.path("none.t")]))).code, "not_found")
    })
  )

  it.live("B27 C37 asked again without a change: at once, and nothing is sent", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run(pushes, { files: { "a.t": "bad a" } })
      yield* check(run)
      const sent = run.received().length
      const before = performance.now()
      assert.deepStrictEqual(yield* said(run), ["found", "a"])
      assert.isBelow(performance.now() - before, 150)
      assert.lengthOf(run.received(), sent)
    })
  )

  it.live("C59 a push for another version proves nothing, and is not lost", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run(
        (server) => {
          server.on("initialize", () => ({ capabilities: { textDocumentSync: 2 } }))
          server.on("textDocument/didOpen", ({ textDocument }) => server.publish(textDocument.uri, ["old"], 77))
          server.on("textDocument/didChange", async ({ textDocument: { uri, version } }) => {
            await server.publish(uri, ["old"], version - 1)
            await server.sleep(300)
            await server.publish(uri, ["new"], version)
            await server.publish(uri, ["older"], version - 1)
          })
        },
        { policy: short }
      )
      const first = yield* check(run)
      assert.deepStrictEqual(Fake.messages(first), ["unknown", "old"])
      assert.match(
        first?.outcome === "unknown" ? first.reason : "",
        /^it has published no diagnostics for this text in \d s$/
      )
      run.write("a.t", "x")
      assert.deepStrictEqual(yield* said(run), ["found", "new"])
    })
  )

  it.live("C59 B1 B4 B28 E21 an unversioned push settles: the old set again, then the right one", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run(
        (server) => {
          server.on("initialize", () => ({ capabilities: { textDocumentSync: 2 } }))
          server.on("textDocument/didOpen", ({ textDocument }) => server.publish(textDocument.uri, ["a", "b"]))
          server.on("textDocument/didChange", async ({ textDocument: { uri } }) => {
            await server.publish(uri, ["b", "a"])
            await server.sleep(240)
            await server.publish(uri, ["a"])
            await server.sleep(100)
            await server.publish(uri, ["a", "c"])
          })
        },
        { policy: short }
      )
      assert.deepStrictEqual(yield* said(run), ["found", "a", "b"])
      run.write("a.t", "x")
      assert.deepStrictEqual(yield* said(run), ["found", "a", "c"])
    })
  )

  it.live("B21 B22 B42 a set that turns empty is waited out, also with the right version", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run(
        (server) => {
          server.on("initialize", () => ({ capabilities: { textDocumentSync: 2 } }))
          const push = async ({
            textDocument: { uri, version }
          }: {
            textDocument: { uri: string; version: number }
          }) => {
            await server.publish(uri, [], version)
            await server.sleep(400)
            await server.publish(uri, ["semantic"], version)
            await server.publish(uri, [], version)
            await server.publish(uri, ["semantic"], version)
          }
          server.on("textDocument/didOpen", push)
          server.on("textDocument/didChange", push)
        },
        { policy: short }
      )
      assert.deepStrictEqual(yield* said(run), ["found", "semantic"])
      run.write("a.t", "x")
      assert.deepStrictEqual(yield* said(run), ["found", "semantic"])
    })
  )

  it.live("B44 L1 a server that is silent after a change: what it said before is not proof", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run(
        (server) => {
          server.on("initialize", () => ({ capabilities: { textDocumentSync: 2 } }))
          server.on("textDocument/didOpen", ({ textDocument }) => server.publish(textDocument.uri, ["kept"]))
        },
        { policy: short }
      )
      assert.deepStrictEqual(yield* said(run), ["found", "kept"])
      run.write("a.t", "x")
      assert.deepStrictEqual(yield* said(run), ["unknown", "kept"])
    })
  )

  it.live("B20 B39 a server that never publishes is not clean; L6 what comes for another file is no answer", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run(
        (server) => {
          server.on("initialize", () => ({ capabilities: { textDocumentSync: 2 } }))
          server.on("textDocument/didOpen", ({ textDocument }) => server.publish(`${textDocument.uri}.other`, []))
        },
        { policy: short }
      )
      const before = performance.now()
      const answer = yield* check(run)
      assert.strictEqual(
        answer?.outcome === "unknown" ? answer.reason : "",
        "it has published no diagnostics for this text in 2 s"
      )
      assert.isAbove(performance.now() - before, 1400)
      const timely = yield* run.servers.diagnostics([run.path("a.t")], { timeout: "100 millis" })
      assert.strictEqual(timely[0]!.servers[0]!.outcome, "unknown")
    })
  )

  it.live("C60 the empty push after a document was closed is no evidence", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run(
        (server) => {
          server.on("initialize", () => ({ capabilities: { textDocumentSync: 2 } }))
          server.on("textDocument/didOpen", ({ textDocument }) => server.publish(textDocument.uri, ["found"]))
          server.on("textDocument/didClose", ({ textDocument }) => server.publish(textDocument.uri, []))
        },
        { files: { "b.t": "" }, policy: { ...short, documents: 1 } }
      )
      yield* check(run)
      yield* check(run, "b.t")
      yield* Effect.sleep("100 millis")
      const known = yield* run.servers.known
      assert.deepStrictEqual(
        known.map(({ diagnostics, path }) => [path, diagnostics.map(({ message }) => message)]),
        [
          [run.path("a.t"), ["found"]],
          [run.path("b.t"), ["found"]]
        ]
      )
    })
  )

  it.live("C61 B30 pushes for files that are not open are kept, until the file is gone (B36)", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run(
        (server) => {
          server.on("initialize", () => ({ capabilities: { textDocumentSync: 2 } }))
          server.on("textDocument/didOpen", async ({ textDocument: { uri } }) => {
            await server.publish(uri, [])
            await server.publish(uri.replace("a.t", "b.t"), ["broken by a"])
            await server.publish("untitled:one", ["of no file"])
          })
        },
        { files: { "b.t": "text of b" }, policy: short }
      )
      assert.deepStrictEqual(yield* said(run), ["empty"])
      const known = Effect.map(run.servers.known, (all) =>
        all.flatMap(({ diagnostics, path }) => diagnostics.map(({ message }) => [path, message]))
      )
      assert.deepStrictEqual(yield* known, [
        [run.path("b.t"), "broken by a"],
        ["untitled:one", "of no file"]
      ])
      Fs.rmSync(run.path("b.t"))
      for (let i = 0; (yield* known).length > 1 && i < 50; i++) {
        yield* Effect.sleep("50 millis")
        yield* check(run)
      }
      assert.deepStrictEqual(yield* known, [["untitled:one", "of no file"]])
    })
  )

  it.live("C62 C64 L9 a static and several registered providers, each with its identifier and its result id", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run((server) => {
        server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, diagnosticProvider: {} } }))
        server.on("initialized", () =>
          server.request("client/registerCapability", {
            registrations: ["syntax", "types"].map((identifier) => ({
              id: identifier,
              method: "textDocument/diagnostic",
              registerOptions: { identifier, documentSelector: [{ language: "tee" }] }
            }))
          })
        )
        server.on("textDocument/diagnostic", ({ identifier, previousResultId }) => {
          if (identifier === "types" && previousResultId === "t1") return { kind: "unchanged", resultId: "t1" }
          const items = [server.diagnostic(`of ${identifier ?? "none"}, after ${previousResultId ?? "none"}`)]
          return { kind: "full", items, ...(identifier === undefined ? {} : { resultId: `${identifier[0]}1` }) }
        })
      })
      // Registered right after the start.
      yield* run.servers.ask(Fake.hover, { file: run.path("a.t") })
      assert.deepStrictEqual(yield* said(run), [
        "found",
        "of none, after none",
        "of syntax, after none",
        "of types, after none"
      ])
      run.write("a.t", "x")
      assert.deepStrictEqual(yield* said(run), [
        "found",
        "of none, after none",
        "of syntax, after s1",
        "of types, after none"
      ])
      assert.isTrue(
        run.received("textDocument/diagnostic").every(({ params }) => params.textDocument.uri === run.uri("a.t"))
      )
    })
  )

  it.live("C63 C67 a whole project: beside the pull of documents, streamed, and cancelled when the time is over", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run((server) => {
        server.on("initialize", () => ({
          capabilities: {
            textDocumentSync: 2,
            diagnosticProvider: { interFileDependencies: true, workspaceDiagnostics: true, identifier: "i" }
          }
        }))
        const full = (name: string, message: string, resultId?: string) => ({
          uri: `file://${process.cwd()}/${name}`,
          version: null,
          kind: "full",
          resultId,
          items: [server.diagnostic(message)]
        })
        server.on("textDocument/diagnostic", () => ({ kind: "full", items: [server.diagnostic("of the document")] }))
        let times = 0
        server.on("workspace/diagnostic", async ({ identifier, partialResultToken, previousResultIds }) => {
          server.log({ identifier, previousResultIds })
          if (++times > 1) {
            await server.notify("$/progress", { token: partialResultToken, value: { items: [full("a.t", "partial")] } })
            return server.noReply
          }
          await server.notify("$/progress", { token: partialResultToken, value: { items: [full("a.t", "one", "r1")] } })
          await server.notify("$/progress", { token: partialResultToken, value: { items: [full("b.t", "two")] } })
          return { items: [] }
        })
      })
      assert.deepStrictEqual(yield* said(run), ["found", "of the document"])
      const project = run.servers.projectDiagnostics({ timeout: "2 seconds" })
      assert.deepStrictEqual(Fake.messages((yield* project)[0]), ["found", "one", "two"])
      const [late] = yield* project
      assert.deepStrictEqual(Fake.messages(late), ["unknown", "partial"])
      yield* Fake.eventually(() => run.received("$/cancelRequest")[0])
      assert.deepStrictEqual(
        run.log().flatMap(({ identifier, previousResultIds }) => (identifier === undefined ? [] : [previousResultIds])),
        [[], [{ uri: run.uri("a.t"), value: "r1" }]]
      )
    })
  )

  it.live("C65 reports of related documents are kept, full or unchanged", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run(
        (server) => {
          let times = 0
          server.on("initialize", () => ({
            capabilities: { textDocumentSync: 2, diagnosticProvider: { interFileDependencies: true } }
          }))
          server.on("textDocument/diagnostic", ({ textDocument: { uri } }) => ({
            kind: "full",
            items: [],
            relatedDocuments: {
              [uri.replace("a.t", "b.t")]:
                ++times === 1
                  ? { kind: "full", resultId: "1", items: [server.diagnostic("in b")] }
                  : { kind: "unchanged", resultId: "2" }
            }
          }))
        },
        { files: { "b.t": "" } }
      )
      for (let i = 0; i < 2; i++) {
        assert.deepStrictEqual(yield* said(run), ["empty"])
        const known = yield* run.servers.known
        assert.deepStrictEqual(
          known.map(({ diagnostics, isAsked, path }) => [path, diagnostics.length > 0, isAsked]),
          [
            [run.path("a.t"), false, true],
            [run.path("b.t"), true, false]
          ]
        )
      }
    })
  )

  it.live("C65 B3 B41 what depends on a file that changed is asked about again", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run(
        (server) => {
          server.on("initialize", () => ({
            capabilities: { textDocumentSync: 2, diagnosticProvider: { interFileDependencies: true } }
          }))
          server.on("textDocument/diagnostic", ({ textDocument: { uri } }) => {
            const base = server.documents.get(uri.replace("a.t", "base.t"))?.text ?? ""
            return { kind: "full", items: base.includes("export") ? [] : [server.diagnostic("no export in base")] }
          })
        },
        { files: { "base.t": "export x" } }
      )
      yield* check(run, "base.t")
      assert.deepStrictEqual(yield* said(run), ["empty"])
      run.write("base.t", "nothing")
      assert.deepStrictEqual(yield* said(run), ["found", "no export in base"])
      run.write("base.t", "export y")
      assert.deepStrictEqual(yield* said(run), ["empty"])
    })
  )

  it.live("C65 a set that was pushed before another file changed holds only when nothing follows", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run(
        (server) => {
          server.on("initialize", () => ({ capabilities: { textDocumentSync: 2 } }))
          server.on("textDocument/didOpen", ({ textDocument }) => server.publish(textDocument.uri, []))
          server.on("textDocument/didChange", async ({ textDocument: { uri } }) => {
            await server.publish(uri, [])
            await server.sleep(150)
            if (server.documents.get(uri)!.text === "breaks a")
              await server.publish(uri.replace("base.t", "a.t"), ["broken"])
          })
        },
        { files: { "base.t": "" }, policy: short }
      )
      yield* check(run, "base.t")
      assert.deepStrictEqual(yield* said(run), ["empty"])
      run.write("base.t", "harmless")
      assert.deepStrictEqual(yield* said(run), ["empty"])
      run.write("base.t", "breaks a")
      assert.deepStrictEqual(yield* said(run), ["found", "broken"])
    })
  )

  it.live("C66 B25 a refresh is answered, result ids are dropped, and it is pulled again", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run((server) => {
        let times = 0
        server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, diagnosticProvider: {} } }))
        server.on("textDocument/diagnostic", async ({ previousResultId }) => {
          times++
          if (times === 2) server.log({ refreshed: await server.request("workspace/diagnostic/refresh") })
          return {
            kind: "full",
            resultId: `r${times}`,
            items: [server.diagnostic(`${times} after ${previousResultId}`)]
          }
        })
      })
      assert.deepStrictEqual(yield* said(run), ["found", "1 after undefined"])
      assert.deepStrictEqual(yield* said(run), ["found", "3 after r2"])
      assert.isTrue(run.log().some(({ refreshed }) => refreshed === null))
    })
  )

  it.live("C12 C66 a pull that the server gives up is asked for again; one that fails is not clean", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run((server) => {
        let times = 0
        server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, diagnosticProvider: {} } }))
        server.on("textDocument/diagnostic", () => {
          times++
          if (times === 1) throw { code: -32802, message: "cancelled", data: { retriggerRequest: true } }
          if (times === 2) throw { code: -32801, message: "modified" }
          if (times === 4) throw { code: -32802, message: "cancelled", data: { retriggerRequest: false } }
          if (times > 4) throw { code: -32603, message: "no program" }
          return { kind: "full", items: [] }
        })
      })
      assert.deepStrictEqual(yield* said(run), ["empty"])
      const reasons = yield* Effect.forEach([1, 2], () => check(run))
      assert.deepStrictEqual(
        reasons.map((answer) => (answer?.outcome === "unknown" ? answer.reason : answer)),
        ["it answered with an error: cancelled (-32802)", "it answered with an error: no program (-32603)"]
      )
    })
  )

  it.live("C68 E5 a pull that is advertised and refused falls back to what is pushed", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run(
        (server) => {
          server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, diagnosticProvider: {} } }))
          server.on("textDocument/diagnostic", () => {
            throw { code: -32603, message: "Unhandled method textDocument/diagnostic" }
          })
          server.on("textDocument/didOpen", async ({ textDocument }) => {
            await server.sleep(200)
            await server.publish(textDocument.uri, ["pushed"])
          })
        },
        { policy: short }
      )
      assert.deepStrictEqual(yield* said(run), ["found", "pushed"])
      yield* check(run)
      assert.lengthOf(run.received("textDocument/diagnostic"), 1)
    })
  )

  it.live("C68 what is pushed beside the pull is not lost, and the same finding is one", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run((server) => {
        server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, diagnosticProvider: {} } }))
        server.on("textDocument/didOpen", ({ textDocument }) => server.publish(textDocument.uri, ["linter", "both"]))
        server.on("textDocument/diagnostic", () => ({
          kind: "full",
          items: [server.diagnostic("both"), server.diagnostic("types")]
        }))
      })
      assert.deepStrictEqual(yield* said(run), ["found", "both", "types", "linter"])
    })
  )

  it.live("C69 a missing severity is an error; codes are numbers or texts; messages may be markup; tags", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run((server) => {
        const range = { start: { line: 0, character: 4 }, end: { line: 0, character: 7 } }
        server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, diagnosticProvider: {} } }))
        server.on("textDocument/diagnostic", () => ({
          kind: "full",
          items: [
            { range, message: "plain", code: 2304, data: { secret: 1 } },
            {
              range,
              message: { kind: "markdown", value: "**bold**" },
              severity: 2,
              code: "a/b",
              source: "lint",
              tags: [1, 2]
            },
            { range, message: "odd", severity: 9, code: { no: 1 }, tags: "no", source: 4 },
            { range: null, message: "malformed" },
            { message: 3 },
            null
          ]
        }))
      })
      const answer = yield* check(run)
      const place = { path: run.path("a.t"), line: 1, column: 5, endLine: 1, endColumn: 8, raw: 0 }
      assert.deepStrictEqual(answer?.outcome === "found" ? answer.value.map((one) => ({ ...one, raw: 0 })) : answer, [
        { ...place, severity: 1, message: "plain", code: "2304" },
        {
          ...place,
          severity: 2,
          message: "**bold**",
          code: "a/b",
          source: "lint",
          isUnnecessary: true,
          isDeprecated: true
        },
        { ...place, severity: 1, message: "odd" }
      ])
      assert.deepStrictEqual(
        answer?.outcome === "found" ? JSON.parse(JSON.stringify(answer.value[0]!.raw)).data : answer,
        { secret: 1 }
      )
    })
  )

  it.live("C70 one server's time-out does not hide what another found", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run(pulled, {
        files: { "a.t": "bad a" },
        others: {
          never: {
            behaviour: (server) => {
              server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, diagnosticProvider: {} } }))
              server.on("textDocument/diagnostic", () => server.noReply)
            }
          },
          dies: {
            behaviour: (server) => {
              server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, diagnosticProvider: {} } }))
              server.on("textDocument/diagnostic", () => server.exit(9))
            }
          },
          unmarked: { behaviour: () => {}, row: { markers: ["nowhere"] } }
        }
      })
      const [file] = yield* run.servers.diagnostics([run.path("a.t")], { timeout: "2 seconds" })
      const byId = Object.fromEntries(
        file!.servers.map((answer) => [
          answer.id,
          answer.outcome === "found" || answer.outcome === "empty"
            ? Fake.messages(answer)
            : [answer.outcome, answer.reason]
        ])
      )
      assert.deepStrictEqual(byId, {
        fake: ["found", "a"],
        never: ["unknown", "not answered in 2 s, waiting for the answer to textDocument/diagnostic"],
        dies: ["unknown", "it exited with code 9"],
        unmarked: ["not_covered", "no root marker (nowhere) at or above the file, inside the working directory"]
      })
    })
  )

  it.live("C57 B8 what is said while the server loads is held, or is provisional", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run((server) => {
        let isLoaded = false
        server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, diagnosticProvider: {} } }))
        server.on("initialized", async () => {
          await server.request("window/workDoneProgress/create", { token: "load" })
          await server.notify("$/progress", { token: "load", value: { kind: "begin", title: "Loading" } })
          await server.sleep(900)
          isLoaded = true
          await server.notify("$/progress", { token: "load", value: { kind: "end" } })
        })
        server.on("textDocument/diagnostic", async () => {
          await server.sleep(100)
          return { kind: "full", items: isLoaded ? [] : [server.diagnostic("cannot find module")] }
        })
      })
      const early = yield* run.servers.diagnostics([run.path("a.t")], { timeout: "900 millis" })
      assert.deepStrictEqual(Fake.messages(early[0]!.servers[0]), ["unknown", "cannot find module"])
      const reason = early[0]!.servers[0]
      assert.match(reason?.outcome === "unknown" ? reason.reason : "", /still loading the project: Loading$/)
      assert.deepStrictEqual(yield* said(run), ["empty"])
    })
  )

  it.live("B9 a flood: bounded, and counted", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run(
        (server) => {
          server.on("initialize", () => ({ capabilities: { textDocumentSync: 2 } }))
          server.on("textDocument/didOpen", async ({ textDocument: { uri } }) => {
            for (let file = 0; file < 40; file++) {
              await server.publish(
                `${uri}.${file}`,
                Array.from({ length: 1000 }, (_, i) => `other ${i}`)
              )
            }
            await server.publish(
              uri,
              Array.from({ length: 5000 }, (_, i) => `finding ${i}`)
            )
          })
        },
        // Reading all that may take its time.
        { policy: { ...short, firstPush: "1 minute", push: "1 minute" } }
      )
      const answer = yield* check(run, "a.t", "1 minute")
      assert.deepStrictEqual(answer?.outcome === "found" ? [answer.value.length, answer.incomplete] : answer, [
        3000,
        "2000 more were not kept"
      ])
      const kept = (yield* run.servers.known).reduce((sum, { diagnostics }) => sum + diagnostics.length, 0)
      assert.isAtMost(kept, 10_000)
    })
  )

  it.live("B65 L10 a push under another spelling of the URI is for the same file", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run(
        (server) => {
          server.on("initialize", () => ({ capabilities: { textDocumentSync: 2 } }))
          server.on("textDocument/didOpen", ({ textDocument: { uri } }) =>
            server.publish(uri.replaceAll("%28", "(").replace("x.t", "%78.t").replace("file://", "file://localhost"), [
              "found"
            ])
          )
        },
        { files: { "(group)/[slug]/x.t": "x" }, policy: short }
      )
      assert.deepStrictEqual(yield* said(run, "(group)/[slug]/x.t"), ["found", "found"])
    })
  )
})
