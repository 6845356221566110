import * as V8 from "node:v8"
import * as Vm from "node:vm"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Fake from "../../support/FakeLanguageServer.ts"

V8.setFlagsFromString("--expose-gc")
const collect = Vm.runInNewContext("gc") as () => void

const used = Effect.promise(async () => {
  for (let i = 0; i < 3; i++) {
    collect()
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const { arrayBuffers, heapUsed } = process.memoryUsage()
  return (heapUsed + arrayBuffers) / 1e6
})

/** Says as much as it can: diagnostics of many files, messages, progress, and long lines on standard error. */
const talkative: Fake.Behaviour = (server) => {
  server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, hoverProvider: true } }))
  let isTold = false
  server.on("textDocument/hover", async ({ textDocument: { uri } }) => {
    if (isTold) return { contents: "x" }
    isTold = true
    for (let file = 0; file < 60; file++) {
      await server.publish(
        `${uri}.${file}`,
        Array.from({ length: 400 }, (_, i) => `Type '{ a: string; }' is not assignable to type 'Item${i}'.`)
      )
      await server.notify("window/logMessage", { type: 1, message: "x".repeat(100_000) })
      await server.notify("$/progress", { token: file, value: { kind: "begin", title: "y".repeat(10_000) } })
      server.stderr("z".repeat(20_000))
    }
    return { contents: "x" }
  })
}

describe("memory", () => {
  it.live(
    "of our own, a server that talks much and holds many documents takes less than 15 MB",
    () =>
      Effect.gen(function* () {
        const names = Array.from({ length: 40 }, (_, i) => `f${i}.t`)
        const others = ["b", "c", "d"]
        const run = yield* Fake.run(talkative, {
          files: Object.fromEntries(names.map((name) => [name, "some text of a program\n".repeat(5000)])),
          others: Object.fromEntries(others.map((id) => [id, { behaviour: talkative }]))
        })
        const ask = (id: string) =>
          Effect.forEach(names, (name) => run.servers.ask(Fake.hover, { file: run.path(name) }, { server: id }), {
            discard: true
          })
        yield* ask("fake")
        const before = yield* used
        for (const id of others) yield* ask(id)
        const each = ((yield* used) - before) / others.length
        assert.lengthOf(
          (yield* run.servers.status).filter(({ state }) => state === "running"),
          4
        )
        assert.isBelow(each, 15)
      }),
    60_000
  )
})
