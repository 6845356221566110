import { assert, describe, it } from "@effect/vitest"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as Wire from "../../../src/lsp/Wire.ts"
import * as Fake from "../../support/FakeLanguageServer.ts"
import * as Leftovers from "../../support/Leftovers.ts"

const at = (file: string) => ({ file, at: () => Effect.succeed(0) })

const hovers: Fake.Behaviour = (server) => {
  server.on("initialize", () => ({
    capabilities: { textDocumentSync: 2, hoverProvider: true },
    serverInfo: { name: "Fake", version: "1.2" }
  }))
  server.on("textDocument/hover", () => ({ contents: "x" }))
}

const isGone = (pid: number) => () => (Leftovers.isRunning(pid) ? undefined : true)

const reasonOf = (answer: { readonly outcome: string; readonly reason?: string } | undefined) =>
  `${answer?.outcome}: ${answer?.reason ?? ""}`

describe("the life of a server", () => {
  it.live("C18 C20 initialize is first and alone until it is answered, then initialized, once", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run((server) => {
        server.on("initialize", async () => {
          await server.notify("window/logMessage", { type: 3, message: "hello" })
          await server.notify("window/showMessage", { type: 1, message: "careful" })
          await server.notify("telemetry/event", {})
          await server.request("window/showMessageRequest", { type: 1, message: "ok?" })
          await server.sleep(200)
          server.log({ answering: true })
          return { capabilities: { textDocumentSync: 2, hoverProvider: true } }
        })
        server.on("textDocument/hover", () => ({ contents: "x" }))
      })
      yield* run.servers.ask(Fake.hover, at(run.path("a.t")))
      const log = run.log()
      const before = log.slice(
        0,
        log.findIndex(({ answering }) => answering === true)
      )
      assert.deepStrictEqual(
        before.flatMap(({ received }) => received?.method ?? []),
        ["initialize"]
      )
      assert.deepStrictEqual(run.methods(), ["initialize", "initialized", "textDocument/didOpen", "textDocument/hover"])
      assert.strictEqual((yield* run.servers.status)[0]!.lastError, "ok?")
    })
  )

  it.live("C19 C24 the process is ours, the root is spelt one way, also through a link", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run(hovers, { isLinked: true })
      yield* run.servers.ask(Fake.hover, at(run.path("a.t")))
      const { params } = run.received("initialize")[0]!
      assert.strictEqual(params.processId, process.pid)
      assert.strictEqual(run.log()[0]!.cwd, run.root)
      assert.strictEqual(params.rootPath, run.root)
      assert.strictEqual(params.rootUri, params.workspaceFolders[0].uri)
      assert.isTrue(run.received("textDocument/didOpen")[0]!.params.textDocument.uri.startsWith(`${params.rootUri}/`))
      assert.strictEqual(params.rootUri, `file://${Fs.realpathSync(run.root)}`)
    })
  )

  it.live("C25 L54 the nearest root inside the directory; one process for each, however many calls race", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run(
        (server) => {
          server.on("initialize", async () => {
            await server.sleep(300)
            return { capabilities: { textDocumentSync: 2, hoverProvider: true } }
          })
          server.on("textDocument/hover", () => ({ contents: process.cwd() }))
        },
        { files: { "packages/x/root.marker": "", "packages/x/src/b.t": "b", "packages/y/c.t": "c" } }
      )
      // A marker above the working directory counts for nothing.
      Fs.writeFileSync(Path.join(run.folder, "root.marker"), "")
      const files = ["a.t", "packages/x/src/b.t", "packages/y/c.t"]
      const calls = Array.from({ length: 20 }, (_, i) => files[i % 3]!)
      const answers = yield* Effect.forEach(calls, (file) => run.servers.ask(Fake.hover, at(run.path(file))), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(
        answers.map(([answer]) => answer!.root),
        calls
          .map((file) => run.path(file === "packages/x/src/b.t" ? "packages/x" : "."))
          .map((path) => Path.normalize(path).replace(/\/$/, ""))
      )
      assert.lengthOf(run.pids(), 2)
    })
  )

  it.live("C25 no marker, or no binary: nothing is started, and the answer says which half is missing", () =>
    Effect.gen(function* () {
      let looked = 0
      const missing = yield* Fake.run(hovers, {
        findBinary: () =>
          Effect.sync(() => {
            looked++
            return { status: "missing" as const, reason: "fake-ls is not on PATH; install it" }
          })
      })
      for (let i = 0; i < 100; i++) {
        const answers = yield* missing.servers.ask(Fake.hover, at(missing.path("a.t")))
        assert.deepStrictEqual(Fake.outcomes(answers), [
          { id: "fake", outcome: "not_covered", reason: "fake-ls is not on PATH; install it" }
        ])
      }
      assert.strictEqual(looked, 1)
      const unmarked = yield* Fake.run(hovers, { row: { markers: ["other.marker", "*.sln"] } })
      assert.deepStrictEqual(Fake.outcomes(yield* unmarked.servers.ask(Fake.hover, at(unmarked.path("a.t")))), [
        {
          id: "fake",
          outcome: "not_covered",
          reason: "no root marker (other.marker, *.sln) at or above the file, inside the working directory"
        }
      ])
      const other = yield* Fake.run(hovers, { files: { "a.other": "" } })
      assert.deepStrictEqual(yield* other.servers.ask(Fake.hover, at(other.path("a.other"))), [])
      assert.isEmpty([...missing.pids(), ...unmarked.pids(), ...other.pids()])
    })
  )

  it.live(
    "C27 shutdown, its answer, exit, end of input; what it asks meanwhile is answered; exit code 1 is no crash",
    () =>
      Effect.gen(function* () {
        const run = yield* Fake.run((server) => {
          server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, hoverProvider: true } }))
          server.on("textDocument/hover", () => ({ contents: "x" }))
          server.on("shutdown", async () => {
            server.log({ asked: await server.request("workspace/configuration", { items: [{ section: "a" }] }) })
            return null
          })
          server.on("exit", () => {})
          server.on("$stdin/end", () => server.exit(1))
        })
        yield* run.servers.ask(Fake.hover, at(run.path("a.t")))
        const [pid] = run.pids()
        const [status] = yield* run.servers.reload()
        assert.isFalse(Leftovers.isRunning(pid!))
        const log = run.log()
        const from = log.findIndex(({ received }) => received?.method === "shutdown")
        const until = log.findIndex(({ end }) => end === true)
        assert.deepStrictEqual(
          log.slice(from, until).map(({ asked, received }) => asked ?? received?.method ?? received?.result),
          ["shutdown", [null], [null], "exit"]
        )
        assert.strictEqual(status!.state, "running")
        assert.strictEqual(status!.crashes, undefined)
      })
  )

  it.live("C27 a server that ignores shutdown, exit and SIGTERM is killed with its tree", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const run = yield* Fake.run(
        (server) => {
          server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, hoverProvider: true } }))
          server.on("textDocument/hover", () => ({ contents: "x" }))
          server.on("shutdown", () => server.noReply)
          server.on("exit", () => {})
          server.on("$stdin/end", () => {})
          server.keepAlive()
          server.ignoreTermination()
          server.fork()
        },
        { policy: { shutdown: "200 millis", exit: "200 millis" } }
      ).pipe(Scope.provide(scope))
      yield* run.servers.ask(Fake.hover, at(run.path("a.t")))
      const pids = run.log().flatMap(({ child, pid }) => pid ?? child ?? [])
      assert.lengthOf(pids, 2)
      yield* Scope.close(scope, Exit.void)
      yield* Leftovers.expectNone(run.runId, { pids, directory: run.folder })
    })
  )

  it.live("C28 a server that exits before it has answered initialize: at once, with what it wrote", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run((server) => {
        server.on("initialize", () => {
          server.stderr("error: 'rust-analyzer' is not installed for the toolchain\n")
          server.exit(1)
        })
      })
      const before = performance.now()
      const [answer] = yield* run.servers.ask(Fake.hover, at(run.path("a.t")))
      assert.isBelow(performance.now() - before, 5000)
      assert.strictEqual(
        reasonOf(answer),
        "not_covered: it ended before it was ready: it exited with code 1; the end of its standard error:\n" +
          "error: 'rust-analyzer' is not installed for the toolchain"
      )
      const [status] = yield* run.servers.status
      assert.strictEqual(status!.state, "failed")
      assert.match(status!.reason ?? "", /is not installed for the toolchain; it is tried again in \d+ s/)
    })
  )

  it.live("C29 a crash: what waits fails at once, with how it ended; the next call starts and opens anew", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run(
        (server) => {
          server.on("initialize", () => ({
            capabilities: { textDocumentSync: 2, hoverProvider: true, definitionProvider: true }
          }))
          server.on("textDocument/didOpen", ({ textDocument }) => server.publish(textDocument.uri, ["of the dead"]))
          server.on("textDocument/hover", () => ({ contents: "x" }))
          server.on("textDocument/definition", () => {
            server.stderr("panic!\n")
            server.kill("SIGABRT")
          })
        },
        { policy: { restarts: { times: 4, within: "3 minutes", pause: "10 millis" } } }
      )
      const file = at(run.path("a.t"))
      yield* run.servers.ask(Fake.hover, file)
      assert.lengthOf(yield* run.servers.known, 1)
      const [crashed] = yield* run.servers.ask(Fake.plain("textDocument/definition"), file)
      assert.strictEqual(reasonOf(crashed), "unknown: it was killed by SIGABRT; the end of its standard error:\npanic!")
      assert.deepStrictEqual(yield* run.servers.known, [])
      const [again] = yield* run.servers.ask(Fake.hover, file)
      assert.strictEqual(again!.outcome, "found")
      assert.lengthOf(run.pids(), 2)
      assert.lengthOf(run.received("textDocument/didOpen"), 2)
      assert.strictEqual((yield* run.servers.status)[0]!.crashes, 1)
    })
  )

  it.effect("C29 B121 so many crashes in a time, and it is left alone until the time is over, or reload", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run((server) => {
        server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, hoverProvider: true } }))
        server.on("textDocument/hover", () => server.exit(3))
      })
      const file = at(run.path("a.t"))
      const call = Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(run.servers.ask(Fake.hover, file), { startImmediately: true })
        // The pause before a start passes on the test clock.
        while (fiber.pollUnsafe() === undefined) {
          yield* TestClock.adjust("100 millis")
          yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 5)))
        }
        return (yield* Fiber.join(fiber))[0]
      })
      for (let i = 0; i < 4; i++) assert.match(reasonOf(yield* call), /^unknown: it exited with code 3/)
      assert.match(
        reasonOf(yield* call),
        /^unknown: it ended 4 times in 180 s, last: it exited with code 3; it is started again in \d+ s, or at once with reload$/
      )
      assert.lengthOf(run.pids(), 4)
      assert.strictEqual((yield* run.servers.status)[0]!.state, "failed")
      yield* TestClock.adjust("3 minutes")
      assert.match(reasonOf(yield* call), /^unknown: it exited with code 3/)
      assert.lengthOf(run.pids(), 5)
    })
  )

  it.live("C30 B100 a failed start is remembered, and reload forgets it", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run((server) => {
        const { existsSync } = process.getBuiltinModule("node:fs")
        server.on("initialize", () => {
          if (!existsSync("repaired")) server.exit(127)
          return { capabilities: { textDocumentSync: 2, hoverProvider: true } }
        })
        server.on("textDocument/hover", () => ({ contents: "x" }))
      })
      const file = at(run.path("a.t"))
      for (let i = 0; i < 3; i++) {
        assert.match(reasonOf((yield* run.servers.ask(Fake.hover, file))[0]), /^not_covered: .*exited with code 127/)
      }
      assert.lengthOf(run.pids(), 1)
      run.write("repaired", "")
      assert.strictEqual((yield* run.servers.reload(run.path("a.t")))[0]!.state, "running")
      assert.strictEqual((yield* run.servers.ask(Fake.hover, file))[0]!.outcome, "found")
    })
  )

  it.live(
    "B101 B119 a server that never answers initialize: the call keeps its time, and says what it waited for",
    () =>
      Effect.gen(function* () {
        const run = yield* Fake.run(
          (server) => {
            server.on("initialize", () => server.noReply)
            server.stderr("loading a very large index\n")
          },
          { policy: { start: "1500 millis" } }
        )
        const file = at(run.path("a.t"))
        const [short] = yield* run.servers.ask(Fake.hover, file, { timeout: "400 millis" })
        assert.strictEqual(reasonOf(short), "unknown: not answered in 0.4 s, waiting for the server to start")
        assert.strictEqual((yield* run.servers.status)[0]!.state, "starting")
        const [long] = yield* run.servers.ask(Fake.hover, file)
        assert.strictEqual(
          reasonOf(long),
          "unknown: it has not answered initialize in 1.5 s; the end of its standard error:\nloading a very large index"
        )
        assert.lengthOf(run.pids(), 1)
        yield* Fake.eventually(isGone(run.pids()[0]!))
      })
  )

  it.effect("a server that nobody asks is ended after its idle time, and started again when asked", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run(hovers)
      const file = at(run.path("a.t"))
      yield* run.servers.ask(Fake.hover, file)
      const [pid] = run.pids()
      yield* TestClock.adjust("9 minutes")
      yield* run.servers.ask(Fake.hover, file)
      yield* TestClock.adjust("9 minutes")
      assert.isTrue(Leftovers.isRunning(pid!))
      const [running] = yield* run.servers.status
      assert.deepStrictEqual([running!.state, running!.pid, running!.server], ["running", pid, "Fake 1.2"])
      yield* TestClock.adjust("1 minute")
      yield* Fake.eventually(isGone(pid!))
      assert.includeMembers(run.methods(), ["shutdown", "exit"])
      const [stopped] = yield* run.servers.status
      assert.deepStrictEqual([stopped!.state, stopped!.crashes], ["stopped", undefined])
      yield* run.servers.ask(Fake.hover, file)
      assert.lengthOf(run.pids(), 2)
    })
  )

  it.live("a server above its memory limit is ended, and the answer says so", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run(
        (server) => {
          server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, hoverProvider: true } }))
          server.on("textDocument/hover", () => {
            const kept = Array.from({ length: 30 }, () => new Uint8Array(10_000_000).fill(1))
            return kept.length > 0 ? server.noReply : null
          })
        },
        { policy: { memory: 200_000_000 } }
      )
      const [answer] = yield* run.servers.ask(Fake.hover, at(run.path("a.t")))
      assert.strictEqual(reasonOf(answer), "unknown: it was ended because it exceeded its memory limit")
    })
  )

  it.live("reload in the middle of a call ends it with the reason, and the new server answers", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run((server) => {
        const { existsSync } = process.getBuiltinModule("node:fs")
        server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, hoverProvider: true } }))
        server.on("textDocument/hover", () => (existsSync("answer") ? { contents: "x" } : server.noReply))
      })
      const file = at(run.path("a.t"))
      const call = yield* Effect.forkChild(run.servers.ask(Fake.hover, file), { startImmediately: true })
      yield* Fake.eventually(() => run.received("textDocument/hover")[0])
      run.write("answer", "")
      const [status] = yield* run.servers.reload()
      assert.strictEqual(reasonOf((yield* Fiber.join(call))[0]), "unknown: it was reloaded")
      assert.deepStrictEqual([status!.state, status!.crashes], ["running", undefined])
      assert.strictEqual((yield* run.servers.ask(Fake.hover, file))[0]!.outcome, "found")
      assert.lengthOf(run.pids(), 2)
    })
  )

  for (const [when, behaviour] of [
    [
      "asked",
      (server: Fake.Server) => {
        server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, hoverProvider: true } }))
        server.on("textDocument/hover", () => server.noReply)
      }
    ],
    ["starting", (server: Fake.Server) => server.on("initialize", () => server.noReply)]
  ] as const) {
    it.live(`L57 the scope closed while it is ${when} leaves nothing`, () =>
      Effect.gen(function* () {
        const before = yield* Leftovers.held
        const scope = yield* Scope.make()
        const run = yield* Fake.run(behaviour, {
          others: { second: { behaviour } },
          policy: { shutdown: "500 millis" }
        }).pipe(Scope.provide(scope))
        const call = yield* run.servers
          .ask(Fake.hover, at(run.path("a.t")))
          .pipe(Effect.forkDetach({ startImmediately: true }))
        for (const id of ["fake", "second"]) {
          yield* Fake.eventually(() => run.received(when === "asked" ? "textDocument/hover" : "initialize", id)[0])
        }
        const pids = [...run.pids(), ...run.pids("second")]
        assert.lengthOf(pids, 2)
        const started = performance.now()
        yield* Scope.close(scope, Exit.void)
        assert.isBelow(performance.now() - started, 4000)
        yield* Leftovers.expectNone(run.runId, { pids, before, directory: run.folder })
        yield* Fiber.interrupt(call)
      })
    )
  }

  it.live("C103 status says what runs, and of what does not, why", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run(
        (server) => {
          server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, hoverProvider: true } }))
          server.on("textDocument/hover", async () => {
            await server.notify("$/progress", { token: 1, value: { kind: "begin", title: "Indexing", percentage: 3 } })
            await server.notify("window/logMessage", { type: 1, message: "tsserver has crashed" })
            server.stderr("a warning\n")
            return { contents: "x" }
          })
        },
        {
          others: {
            disabled: { behaviour: () => {}, row: { disabled: true } },
            unmarked: { behaviour: () => {}, row: { markers: ["nowhere.json"] } },
            unneeded: { behaviour: () => {}, row: { languages: [{ id: "other", extensions: [".other"] }] } }
          }
        }
      )
      const states = () =>
        Effect.map(run.servers.status, (all) => all.map(({ id, reason, state }) => [id, state, reason ?? ""]))
      assert.deepStrictEqual(yield* states(), [
        ["fake", "stopped", "it starts when it is asked"],
        ["disabled", "unavailable", "it is disabled in the settings"],
        ["unmarked", "unavailable", "no root marker (nowhere.json) in the working directory"],
        ["unneeded", "stopped", "it starts when it is asked"]
      ])
      yield* run.servers.ask(Fake.hover, at(run.path("a.t")))
      const [status] = yield* Effect.delay(run.servers.status, "100 millis")
      const { memory, pid, ...rest } = status!
      assert.isAbove(memory!, 10_000_000)
      assert.strictEqual(pid, run.pids()[0])
      assert.deepStrictEqual(rest, {
        id: "fake",
        languages: ["tee"],
        root: run.root,
        marker: run.path("root.marker"),
        binary: process.execPath,
        state: "running",
        reason: "Indexing 3 %",
        progress: ["Indexing 3 %"],
        openDocuments: 1,
        lastError: "tsserver has crashed",
        stderr: "a warning"
      })
    })
  )

  it.live("a server asked for by name; an unknown name", () =>
    Effect.gen(function* () {
      const behaviour = hovers
      const run = yield* Fake.run(behaviour, { others: { second: { behaviour } } })
      const file = at(run.path("a.t"))
      const named = yield* run.servers.ask(Fake.hover, file, { server: "second" })
      assert.deepStrictEqual(
        named.map(({ id }) => id),
        ["second"]
      )
      assert.isEmpty(run.pids())
      const error = yield* Effect.flip(run.servers.ask(Fake.hover, file, { server: "third" }))
      assert.deepStrictEqual(
        [error.code, error.message],
        ["invalid_params", `There is no server "third". There are: fake, second.`]
      )
    })
  )

  it.live("of rows with one role the first that is usable serves; one that does not start gives way to the next", () =>
    Effect.gen(function* () {
      const types = { role: "types" }
      const run = yield* Fake.run((server) => server.on("initialize", () => server.exit(1)), {
        row: types,
        others: { second: { behaviour: hovers, row: types }, third: { behaviour: hovers, row: types } }
      })
      const answers = yield* run.servers.ask(Fake.hover, at(run.path("a.t")))
      assert.deepStrictEqual(
        answers.map(({ id, outcome }) => [id, outcome]),
        [["second", "found"]]
      )
      assert.deepStrictEqual([run.pids().length, run.pids("second").length, run.pids("third").length], [1, 1, 0])
    })
  )

  it.live("the file is missing, a folder, no text, or too large: the call fails with what it is", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run(hovers, {
        files: {
          "bad.t": new Uint8Array([0xff, 0xfe, 0x41]),
          "large.t": "x".repeat(8 * 1024 * 1024 + 1),
          "dir.t/x": ""
        }
      })
      const codes = yield* Effect.forEach(["none.t", "dir.t", "bad.t", "large.t"], (name) =>
        Effect.map(Effect.flip(run.servers.ask(Fake.hover, at(run.path(name)))), ({ code }) => code)
      )
      assert.deepStrictEqual(codes, ["not_found", "not_found", "not_text", "too_large"])
      assert.isEmpty(run.pids())
    })
  )

  it.live("B115 many roots: no more servers than the policy says, those used last", () =>
    Effect.gen(function* () {
      const names = Array.from({ length: 5 }, (_, i) => `p${i}`)
      const run = yield* Fake.run(hovers, {
        files: Object.fromEntries(
          names.flatMap((name) => [
            [`${name}/root.marker`, ""],
            [`${name}/a.t`, ""]
          ])
        ),
        policy: { servers: 2 }
      })
      for (const name of names) {
        assert.strictEqual((yield* run.servers.ask(Fake.hover, at(run.path(`${name}/a.t`))))[0]!.outcome, "found")
      }
      const running = (yield* run.servers.status).filter(({ state }) => state === "running")
      assert.deepStrictEqual(
        running.map(({ root }) => root),
        [run.path("p3"), run.path("p4")]
      )
      assert.lengthOf(run.pids(), 5)
      assert.lengthOf(run.pids().filter(Leftovers.isRunning), 2)
    })
  )

  it.live("C22 an operation that is not provided is told so, and nothing is sent", () =>
    Effect.gen(function* () {
      const run = yield* Fake.run((server) => {
        server.on("initialize", () => ({
          capabilities: { textDocumentSync: 2, hoverProvider: false, definitionProvider: {} }
        }))
      })
      const file = at(run.path("a.t"))
      const [hover] = yield* run.servers.ask(Fake.hover, file)
      assert.strictEqual(reasonOf(hover), "not_covered: the server does not provide textDocument/hover")
      assert.isEmpty(run.received("textDocument/hover"))
      const [definition] = yield* run.servers.ask(Fake.definition, file)
      assert.strictEqual(reasonOf(definition), "not_covered: the server does not serve definition, though it says so")
      assert.isUndefined(Wire.get(definition, "value"))
    })
  )
})
