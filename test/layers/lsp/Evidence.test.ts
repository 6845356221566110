/** What a row says of how its server tells that a file is clean. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Fake from "../../support/FakeLanguageServer.ts"

const said = (run: Fake.Run) =>
  Effect.map(run.servers.diagnostics([run.path("a.t")], { timeout: "20 seconds" }), ([file]) =>
    Fake.messages(file!.servers[0])
  )

/** Publishes like `tsserver`: nothing where nothing was found before and nothing is found now. */
const silent: Fake.Behaviour = (server) => {
  const last = new Map<string, number>()
  const find = (uri: string) => (server.documents.get(uri)!.text.includes("bad") ? ["found"] : [])
  const push = async (uri: string) => {
    const found = find(uri)
    const isSaid = found.length > 0 || (last.get(uri) ?? 0) > 0
    last.set(uri, found.length)
    await server.sleep(100)
    if (isSaid) await server.publish(uri, found)
  }
  server.on("initialize", () => ({
    capabilities: { textDocumentSync: 2, executeCommandProvider: { commands: ["check"] } }
  }))
  server.on("textDocument/didOpen", ({ textDocument: { uri } }) => push(uri))
  server.on("textDocument/didChange", ({ textDocument: { uri } }) => push(uri))
  server.on("workspace/executeCommand", ({ arguments: [kind, { file }] }) => {
    server.log({ kind })
    return { body: kind === "errors" ? find(`file://${file}`) : [] }
  })
}

const proof = {
  command: "check",
  arguments: [
    ["syntax", { file: "${path}" }],
    ["errors", { file: "${path}" }]
  ]
} as const

describe("evidence", () => {
  it.live("E17 B39 a server that is silent when a file stays clean is asked by the command of its row", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run(silent, { row: { proof } })
      assert.deepStrictEqual(yield* said(run), ["empty"])
      run.write("a.t", "still clean\n")
      assert.deepStrictEqual(yield* said(run), ["empty"])
      run.write("a.t", "bad\n")
      assert.deepStrictEqual(yield* said(run), ["found", "found"])
      run.write("a.t", "clean again\n")
      assert.deepStrictEqual(yield* said(run), ["empty"])
      assert.isAbove(run.log().filter(({ kind }) => kind === "errors").length, 0)
    })
  )

  it.live("E17 it is not asked by a command that it does not have, nor without one: its silence proves nothing", () =>
    Effect.gen(function* () {
      const policy = { firstPush: "500 millis", push: "500 millis" } as const
      for (const row of [{}, { proof: { ...proof, command: "another" } }]) {
        const run = yield* Fake.run(silent, { row, policy })
        assert.strictEqual((yield* said(run))?.[0], "unknown")
        assert.lengthOf(run.received("workspace/executeCommand"), 0)
      }
    })
  )

  it.live("B22 B42 of a server whose answers are all that it pushes, what it pushed before is not added to them", () =>
    Effect.gen(function* () {
      const both: Fake.Behaviour = (server) => {
        server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, diagnosticProvider: {} } }))
        server.on("textDocument/diagnostic", async ({ textDocument: { uri } }) => {
          await server.publish(uri, ["of another time"])
          await server.sleep(100)
          return { kind: "full", items: [] }
        })
      }
      assert.deepStrictEqual(yield* said(yield* Fake.run(both, { row: { pulledOnly: true } })), ["empty"])
      // Another may look for more than it answers (C68).
      assert.deepStrictEqual(yield* said(yield* Fake.run(both)), ["found", "of another time"])
    })
  )

  it.live("C68 a pull that is refused for one language: there it is listened to", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run(
        (server) => {
          server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, diagnosticProvider: {} } }))
          server.on("textDocument/didOpen", ({ textDocument: { uri } }) => server.publish(uri, ["pushed"]))
          server.on("textDocument/diagnostic", ({ textDocument: { uri } }) => {
            if (uri.endsWith(".u"))
              throw Object.assign(new Error("pull diagnostics not supported for this file kind"), { code: 0 })
            return { kind: "full", items: [server.diagnostic("pulled")] }
          })
        },
        {
          files: { "b.u": "x\n" },
          row: {
            pulledOnly: true,
            languages: [
              { id: "t", extensions: [".t"] },
              { id: "u", extensions: [".u"] }
            ]
          }
        }
      )
      const answers = yield* run.servers.diagnostics([run.path("b.u"), run.path("a.t")], { timeout: "20 seconds" })
      assert.deepStrictEqual(
        answers.map(({ servers }) => Fake.messages(servers[0])),
        [
          ["found", "pushed"],
          ["found", "pulled"]
        ]
      )
    })
  )
})
