import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type * as Fake from "../../support/FakeLanguageServer.ts"
import { pulled, pushes, start } from "./onWrite.ts"

describe("diagnostics on write", () => {
  for (const [name, behaviour] of [
    ["pulled", pulled],
    ["pushed", pushes]
  ] as const) {
    it.live(`C72 C73 C74 ${name}: the baseline, a multiset without positions`, () =>
      Effect.gen(function* () {
        const policy = { settle: "100 millis", settleDoubtful: "150 millis", elsewhere: "200 millis" } as const
        const old = Array.from({ length: 40 }, (_, i) => `bad old${i % 20}`).join("\n")
        const { writes } = yield* start(behaviour, { files: { "a.t": `${old}\n` }, policy })
        assert.deepStrictEqual(yield* writes("a.t", `${old}\nmore\n`), ["nothing_new"])
        assert.deepStrictEqual(yield* writes("a.t", `${"\n".repeat(10)}${old}\nmore\n`), ["nothing_new"])
        assert.deepStrictEqual(yield* writes("a.t", `${"\n".repeat(10)}${old}\nbad old0\nbad new\n`), [
          "introduced",
          "a.t:51 old0",
          "a.t:52 new"
        ])
        assert.deepStrictEqual(yield* writes("a.t", `${old}\nbad old0\nbad new\nbad x\n`), ["introduced", "a.t:43 x"])
      })
    )
  }

  it.live("C75 what is fixed and comes back is new again; a new file has nothing to begin with", () =>
    Effect.gen(function* () {
      const { writes } = yield* start(pulled)
      assert.deepStrictEqual(yield* writes("n.t", "bad one\nodd two\n"), ["introduced", "n.t:1 one", "n.t:2 two"])
      assert.deepStrictEqual(yield* writes("n.t", "bad one\nodd two\nx\n"), ["nothing_new"])
      assert.deepStrictEqual(yield* writes("n.t", "fine\n"), ["nothing_new"])
      assert.deepStrictEqual(yield* writes("n.t", "bad one\n"), ["introduced", "n.t:1 one"])
    })
  )

  it.live("C61 what a write causes in another file, that nobody has opened", () =>
    Effect.gen(function* () {
      const { put, said, writes } = yield* start(pulled, {
        files: { "a.t": "def f\n", "b.t": "import a\nuse a.f\nuse a.old\n", "c.t": "nothing\n" }
      })
      const answer = yield* put("a.t", "def g\n")
      assert.deepStrictEqual(said(answer), ["introduced", "b.t:2 no f"])
      assert.include(answer.text, "This introduced 1 error:\nb.t:2 error no f (fake)")
      assert.deepStrictEqual(yield* writes("a.t", "def f\n"), ["nothing_new"])
    })
  )

  it.live("C80 an edit that is undone reports nothing, also what it had fixed", () =>
    Effect.gen(function* () {
      const { put, said, surface, writes } = yield* start(pulled, { files: { "a.t": "bad one\n" } })
      const answer = yield* put("a.t", "bad two\n")
      assert.deepStrictEqual(said(answer), ["introduced", "a.t:1 two"])
      if (answer.isFailure) return
      const undone = yield* surface.call("resolve", { edit_id: answer.value.edit_id ?? "", action: "undo" })
      assert.deepStrictEqual(said(undone), ["nothing_new"])
      assert.deepStrictEqual(yield* writes("a.t", "bad two\n"), ["introduced", "a.t:1 two"])
    })
  )

  it.live("C76 two runs do not see each other's", () =>
    Effect.gen(function* () {
      const { put, run, said } = yield* start(pulled)
      const { surface: other } = yield* run
      yield* put("a.t", "x\n", other)
      assert.deepStrictEqual(said(yield* put("a.t", "bad one\n")), ["introduced", "a.t:1 one"])
      assert.deepStrictEqual(said(yield* put("a.t", "bad one\nbad two\n", other)), ["introduced", "a.t:2 two"])
    })
  )

  it.live("C76 two writes at once: each finding is told once", () =>
    Effect.gen(function* () {
      const { put, said, writes } = yield* start(pulled, {
        files: { "a.t": "def f\n", "b.t": "import a\nuse a.f\n" }
      })
      yield* writes("a.t", "def f\n\n")
      for (let i = 0; i < 5; i++) {
        const both = yield* Effect.all([put("a.t", `def x${i}\n`), put("b.t", `import a\nuse a.f\nbad b${i}\n`)], {
          concurrency: "unbounded"
        })
        const all = both.flatMap((answer) => said(answer).slice(1)).toSorted()
        assert.deepStrictEqual(all, ["b.t:2 no f", `b.t:3 b${i}`])
        yield* writes("a.t", "def f\n")
        yield* writes("b.t", "import a\nuse a.f\n")
      }
    })
  )

  it.live("C76 two writes of one new file at once: what both have in them is told once", () =>
    Effect.gen(function* () {
      const { put, said, writes } = yield* start(pulled, { files: { "a.t": "x\n" } })
      yield* writes("a.t", "y\n")
      for (let i = 0; i < 5; i++) {
        const both = yield* Effect.all([put(`n${i}.t`, "bad one\n"), put(`n${i}.t`, "bad one\n\n")], {
          concurrency: "unbounded"
        })
        assert.deepStrictEqual(
          both.flatMap((answer) => said(answer).slice(1)),
          [`n${i}.t:1 one`]
        )
      }
    })
  )

  for (const [what, path] of [
    ["a file", "a.t"],
    ["a new file", "n.t"]
  ] as const) {
    it.live(`C61 the first write of a run, of ${what}: what a server that loads tells of others is nothing new`, () =>
      Effect.gen(function* () {
        const { writes } = yield* start(
          (server) => {
            server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, diagnosticProvider: {} } }))
            let isLoaded = false
            server.on("textDocument/diagnostic", async ({ textDocument: { uri } }) => {
              const at = (name: string) => uri.replace(/[^/]*$/, name)
              const { text } = server.documents.get(uri)!
              if (!isLoaded) await server.publish(at("old.t"), ["old"])
              isLoaded = true
              if (text.includes("break")) await server.publish(at("other.t"), ["fresh"])
              const items = uri === at("old.t") ? ["old"] : uri === at("other.t") ? ["fresh"] : []
              return { kind: "full", items: items.map((one) => server.diagnostic(one, 0)) }
            })
          },
          { files: { "a.t": "x\n", "old.t": "nothing\n", "other.t": "nothing\n" } }
        )
        assert.deepStrictEqual(yield* writes(path, "y\n"), ["nothing_new"])
        assert.deepStrictEqual(yield* writes(path, "break\n"), ["introduced", "other.t:1 fresh"])
      })
    )
  }

  it.live("C77 two servers with the same words are two", () =>
    Effect.gen(function* () {
      const { put } = yield* start(pulled, { others: { second: { behaviour: pulled } } })
      const answer = yield* put("a.t", "bad one\n")
      if (answer.isFailure) return assert.fail(answer.text)
      assert.deepStrictEqual(
        answer.value.introduced.map(({ source }) => source),
        ["fake", "second"]
      )
    })
  )

  it.live("C78 what is late comes with the next answer, whichever tool gives it, once", () =>
    Effect.gen(function* () {
      const { put, said, surface, writes } = yield* start(pulled, { files: { "a.t": "x\n" } })
      yield* writes("a.t", "y\n")
      const before = performance.now()
      const late = yield* put("a.t", "bad one\nslow 900\n")
      assert.isBelow(performance.now() - before, 850)
      assert.deepStrictEqual(said(late), ["unknown"])
      assert.include(late.text, "a later answer will tell")
      yield* Effect.sleep("1500 millis")
      const next = yield* surface.dispatch("resolve", { edit_id: "edit_99", action: "undo" })
      assert.deepStrictEqual(
        next.deferred?.map(({ edit_id, files, introduced, tool }) => ({ edit_id, files, introduced, tool })),
        [
          {
            edit_id: late.isFailure ? "" : late.value.edit_id,
            files: ["a.t"],
            introduced: [{ path: "a.t", line: 1, severity: "error", message: "one", source: "fake" }],
            tool: "write"
          }
        ]
      )
      assert.include(next.text, "The earlier write of a.t")
      assert.isUndefined((yield* surface.dispatch("resolve", { edit_id: "edit_99", action: "undo" })).deferred)
      // The server is as slow with what was there before.
      assert.deepStrictEqual(yield* writes("a.t", "bad one\n"), ["unknown"])
      yield* Effect.sleep("1500 millis")
      assert.isUndefined((yield* surface.dispatch("resolve", { edit_id: "edit_99", action: "undo" })).deferred)
      assert.deepStrictEqual(yield* writes("a.t", "bad one\n\n"), ["nothing_new"])
    })
  )

  it.live("C78 what is late is dropped where the file has changed since: that is the state before the next write", () =>
    Effect.gen(function* () {
      const { surface, write, writes } = yield* start(pulled, { files: { "a.t": "x\n" } })
      yield* writes("a.t", "y\n")
      assert.deepStrictEqual(yield* writes("a.t", "bad one\nslow 900\n"), ["unknown"])
      yield* Effect.sleep("1500 millis")
      write("a.t", "bad one\nby another\n")
      assert.isUndefined((yield* surface.dispatch("resolve", { edit_id: "edit_99", action: "undo" })).deferred)
      assert.deepStrictEqual(yield* writes("a.t", "bad one\nbad two\n"), ["introduced", "a.t:2 two"])
    })
  )

  it.live("C78 a second write before the first is known: it tells of both, once", () =>
    Effect.gen(function* () {
      const { surface, writes } = yield* start(pulled, { files: { "a.t": "x\n" } })
      yield* writes("a.t", "y\n")
      assert.deepStrictEqual(yield* writes("a.t", "bad one\nslow 900\n"), ["unknown"])
      assert.deepStrictEqual(yield* writes("a.t", "bad one\nbad two\n"), ["introduced", "a.t:1 one", "a.t:2 two"])
      yield* Effect.sleep("1500 millis")
      assert.isUndefined((yield* surface.dispatch("resolve", { edit_id: "edit_99", action: "undo" })).deferred)
    })
  )

  it.live("a client that takes notifications gets what is late as one, and not in an answer", () =>
    Effect.gen(function* () {
      const { deferred, surface, writes } = yield* start(pulled, { files: { "a.t": "x\n" } })
      const got: Array<string> = []
      yield* deferred.divert(({ text }) => Effect.sync(() => got.push(text)))
      yield* writes("a.t", "y\n")
      yield* writes("a.t", "bad one\nslow 900\n")
      yield* Effect.sleep("1500 millis")
      assert.strictEqual(got.length, 1)
      assert.include(got[0], "a.t:1 error one")
      assert.isUndefined((yield* surface.dispatch("resolve", { edit_id: "edit_99", action: "undo" })).deferred)
    })
  )

  it.live("C71 a server that dies, hangs or is not there: the write is done, and the bound is kept", () =>
    Effect.gen(function* () {
      const { put, said, writes } = yield* start(
        (server) => {
          server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, diagnosticProvider: {} } }))
          server.on("textDocument/diagnostic", ({ textDocument: { uri } }) => {
            const { text } = server.documents.get(uri)!
            if (text.includes("die")) server.exit(7)
            return text.includes("hang") ? server.noReply : { kind: "full", items: [] }
          })
        },
        { files: { "a.t": "x\n" } }
      )
      assert.deepStrictEqual(yield* writes("a.t", "y\n"), ["nothing_new"])
      for (const text of ["hang\n", "die\n"]) {
        const before = performance.now()
        const answer = yield* put("a.t", text)
        assert.isBelow(performance.now() - before, 1000, text)
        assert.deepStrictEqual(said(answer), ["unknown"], text)
        assert.include(answer.text, "it was written")
      }
      const none = yield* put("a.none", "x\n")
      assert.deepStrictEqual(said(none), ["not_covered"])
    })
  )

  it.live("C75 a warning that is not looked for while there are errors is nothing new when they are mended", () =>
    Effect.gen(function* () {
      const { writes } = yield* start(
        (server) => {
          server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, diagnosticProvider: {} } }))
          server.on("textDocument/diagnostic", ({ textDocument: { uri } }) => {
            const { text } = server.documents.get(uri)!
            const items = (/bad|odd/.exec(text) ?? []).map((word) => ({
              ...server.diagnostic(word, 0),
              severity: word === "bad" ? 1 : 2
            }))
            return { kind: "full", items }
          })
        },
        { files: { "a.t": "odd\n" } }
      )
      assert.deepStrictEqual(yield* writes("a.t", "bad odd\n"), ["introduced", "a.t:1 bad"])
      assert.deepStrictEqual(yield* writes("a.t", "\nbad odd\n"), ["nothing_new"])
      assert.deepStrictEqual(yield* writes("a.t", "odd\n"), ["nothing_new"])
      assert.deepStrictEqual(yield* writes("a.t", "x\n"), ["nothing_new"])
      assert.deepStrictEqual(yield* writes("a.t", "odd\n"), ["introduced", "a.t:1 odd"])
    })
  )

  it.live("C79 what a server says of the old text after the write is not taken for the new one", () =>
    Effect.gen(function* () {
      const { writes } = yield* start(
        (server) => {
          server.on("initialize", () => ({ capabilities: { textDocumentSync: 2 } }))
          const push = async (uri: string, isOpen: boolean) => {
            const { text, version } = server.documents.get(uri)!
            if (!isOpen) {
              await server.publish(uri, ["stale"], version - 1)
              await server.sleep(100)
            }
            await server.publish(uri, text.includes("bad") ? ["one"] : [], version)
          }
          server.on("textDocument/didOpen", ({ textDocument }) => push(textDocument.uri, true))
          server.on("textDocument/didChange", ({ textDocument }) => push(textDocument.uri, false))
        },
        {
          files: { "a.t": "x\n" },
          policy: { settle: "50 millis", settleDoubtful: "80 millis" },
          budgets: { warm: "1 second" }
        }
      )
      assert.deepStrictEqual(yield* writes("a.t", "bad\n"), ["introduced", "a.t:1 one"])
      assert.deepStrictEqual(yield* writes("a.t", "bad\nmore\n"), ["nothing_new"])
    })
  )

  it.live("C81 a file that moves takes along what is known of it; one that is renamed in its text too", () =>
    Effect.gen(function* () {
      const { said, surface } = yield* start(pulled, { files: { "a.t": "one\nbad old\n" } })
      const renamed = yield* surface.call("lsp_rename", { file: "a.t", line: 1, symbol: "one", new_name: "bad" })
      assert.deepStrictEqual(said(renamed), ["nothing_new"])
      const moved = yield* surface.call("lsp_rename_file", { from: "a.t", to: "deep/b.t" })
      assert.deepStrictEqual(said(moved), ["nothing_new"])
      const written = yield* surface.call("write", { path: "deep/b.t", content: "bad old\nbad new\n" })
      assert.deepStrictEqual(said(written), ["introduced", "deep/b.t:2 new"])
    })
  )

  it.live("a write that no server covers asks none, and one that is covered asks before it and after it", () =>
    Effect.gen(function* () {
      const { put, received } = yield* start(pulled, { files: { "a.t": "x\n" } })
      yield* put("a.t", "y\n")
      const asked = () => received("textDocument/diagnostic").length
      const before = asked()
      for (let i = 0; i < 5; i++) yield* put("a.none", `${i}\n`)
      assert.strictEqual(asked(), before)
      for (let i = 0; i < 5; i++) yield* put("a.t", `${i}\n`)
      assert.strictEqual(asked(), before + 10)
    })
  )

  it.live("a write of a file that many others name: they are asked together, and no more than so many", () =>
    Effect.gen(function* () {
      const names = Array.from({ length: 60 }, (_, i) => `f${i}.t`)
      const { put, said } = yield* start(pulled, {
        files: Object.fromEntries(names.map((name) => [name, "import a\nuse a.f\n"])),
        budgets: { warm: "20 seconds", cold: "20 seconds" }
      })
      yield* put("a.t", "def f\n")
      const answer = yield* put("a.t", "def g\n")
      assert.isAtLeast(said(answer).length, 41)
      assert.include(answer.text, "… and")
    })
  )

  it.live(
    "C61 dependants that are too many to be asked about: how many they are is told, and not that there is nothing",
    () =>
      Effect.gen(function* () {
        const names = Array.from({ length: 8 }, (_, i) => `f${i}.t`)
        const { put, said } = yield* start(pulled, {
          files: {
            "a.t": "def f\n",
            ...Object.fromEntries(names.map((name, i) => [name, i < 5 ? "import a\n" : "import a\nuse a.f\n"]))
          },
          budgets: { warm: "20 seconds", cold: "20 seconds", others: 5 }
        })
        const answer = yield* put("a.t", "def g\n")
        assert.deepStrictEqual(said(answer), ["unknown"])
        assert.include(answer.text, "3 more files that may depend on it were not asked about yet")
      })
  )

  /** Uses of `a.t` by many files, one of which has an old error; how many are asked about within the call. */
  const many = (others: number) =>
    Effect.gen(function* () {
      const names = Array.from({ length: 30 }, (_, i) => `f${String(i).padStart(2, "0")}.t`)
      const use = (i: number) => (i < 26 ? "import a\n" : `import a\nuse a.f\n${i === 29 ? "bad old\n" : ""}`)
      const started = yield* start(pulled, {
        files: { "a.t": "def f\n", ...Object.fromEntries(names.map((name, i) => [name, use(i)])) },
        budgets: { warm: "20 seconds", cold: "20 seconds", others }
      })
      const told = Effect.map(started.surface.dispatch("resolve", { edit_id: "edit_99", action: "undo" }), (answer) =>
        (answer.deferred ?? []).flatMap(({ text }) => text.split("\n").slice(1))
      )
      const later = Effect.gen(function* () {
        for (let i = 0; i < 50; i++) {
          const all = yield* told
          if (all.length > 0) return all
          yield* Effect.sleep("100 millis")
        }
        return []
      })
      /** The server is asked nothing more. */
      const quiet = Effect.gen(function* () {
        for (let i = 0, count = -1; i < 50 && count !== started.received().length; i++) {
          count = started.received().length
          yield* Effect.sleep("300 millis")
        }
      })
      return { ...started, told, later, quiet }
    })
  const uses = [26, 27, 28, 29].map((i) => `f${i}.t:2 error no f (fake)`)

  it.live("C61 C78 dependants that are too many to be asked about are asked later, and told once", () =>
    Effect.gen(function* () {
      const { later, put, said, told } = yield* many(5)
      const answer = yield* put("a.t", "def g\n")
      assert.deepStrictEqual(said(answer), ["unknown"])
      assert.include(answer.text, "a later answer will tell")
      assert.deepStrictEqual(yield* later, uses)
      yield* Effect.sleep("300 millis")
      assert.deepStrictEqual(yield* told, [])
    })
  )

  it.live("C78 the file is written again before they are asked: all is told once", () =>
    Effect.gen(function* () {
      const { later, put, told } = yield* many(5)
      for (let i = 0; i < 4; i++) yield* put("a.t", `def g\n${"\n".repeat(i)}`)
      assert.deepStrictEqual(yield* later, uses)
      yield* Effect.sleep("300 millis")
      assert.deepStrictEqual(yield* told, [])
    })
  )

  it.live("C78 the file is written again when they are asked, but nobody was told yet: all is told once", () =>
    Effect.gen(function* () {
      const { later, put, quiet, told } = yield* many(5)
      yield* put("a.t", "def g\n")
      yield* quiet
      yield* put("a.t", "def g\n\n")
      assert.deepStrictEqual(yield* later, uses)
      yield* Effect.sleep("300 millis")
      assert.deepStrictEqual(yield* told, [])
      yield* put("a.t", "def g\n\n\n")
      yield* quiet
      assert.deepStrictEqual(yield* told, [])
      yield* put("a.t", "def f\n")
      yield* quiet
      yield* put("a.t", "def h\n")
      assert.deepStrictEqual(yield* later, uses)
    })
  )

  it.live("C61 other writes do not wait for those that are asked about later", () =>
    Effect.gen(function* () {
      const { later, put, said, writes } = yield* many(5)
      yield* put("a.t", "def g\n")
      assert.deepStrictEqual(yield* writes("f03.t", "import a\nbad new\n"), ["introduced", "f03.t:2 new"])
      assert.deepStrictEqual(said(yield* put("n.t", "bad one\n")), ["introduced", "n.t:1 one"])
      assert.deepStrictEqual(yield* later, uses)
    })
  )

  /** Errors where a name is used that no open document declares, and where one is declared twice. */
  const globals: Fake.Behaviour = (server) => {
    server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, diagnosticProvider: {} } }))
    server.on("textDocument/diagnostic", ({ textDocument: { uri } }) => {
      const declared = [...server.documents.values()].flatMap(({ text }) =>
        [...text.matchAll(/declare const (\w+)/g)].map(([, name]) => name!)
      )
      const { text } = server.documents.get(uri)!
      const lost = [...text.matchAll(/use (\w+)/g)].filter(([, name]) => !declared.includes(name!))
      const twice = [...text.matchAll(/declare const (\w+)/g)].filter(
        ([, name]) => declared.filter((one) => one === name).length > 1
      )
      return {
        kind: "full",
        items: [
          ...lost.map(([, name]) => server.diagnostic(`no ${name}`, 0)),
          ...twice.map(([, name]) => server.diagnostic(`twice ${name}`, 0))
        ]
      }
    })
  }
  const typescript = { languages: [{ id: "typescript", extensions: [".ts"] }] } as const

  it.live("C61 what is declared for all files without an import: all are asked about", () =>
    Effect.gen(function* () {
      const { writes } = yield* start(globals, {
        row: typescript,
        files: {
          "globals.d.ts": "declare const one: 1\n",
          "x.ts": "export {}; use one\n",
          "y.ts": "export {}; use old\n"
        }
      })
      assert.deepStrictEqual(yield* writes("globals.d.ts", "declare const two: 2\n"), ["introduced", "x.ts:1 no one"])
      assert.deepStrictEqual(yield* writes("globals.d.ts", "export declare const one: 1\n"), ["nothing_new"])
      assert.deepStrictEqual(yield* writes("globals.d.ts", "export const two = 2\n"), ["introduced", "x.ts:1 no one"])
    })
  )

  it.live("C61 the first write of a run makes a file that causes an error in another one", () =>
    Effect.gen(function* () {
      const { writes } = yield* start(globals, {
        row: typescript,
        files: { "globals.d.ts": "declare const one: 1\n", "y.ts": "export {}; use old\n" }
      })
      assert.deepStrictEqual(yield* writes("more.d.ts", "declare const one: 1\n"), [
        "introduced",
        "globals.d.ts:1 twice one",
        "more.d.ts:1 twice one"
      ])
    })
  )

  it.live("C61 the same, told by a server that nobody asks", () =>
    Effect.gen(function* () {
      const { writes } = yield* start(
        (server) => {
          server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, diagnosticProvider: {} } }))
          server.on("textDocument/diagnostic", async ({ textDocument: { uri } }) => {
            const at = (name: string) => uri.replace(/[^/]*$/, name)
            const isBroken = server.documents.get(at("n.t"))?.text.includes("break") === true
            if (uri === at("n.t")) {
              await server.publish(at("old.t"), ["old"])
              await server.publish(at("other.t"), isBroken ? ["fresh"] : [])
            }
            const items = uri === at("old.t") ? ["old"] : uri === at("other.t") && isBroken ? ["fresh"] : []
            return { kind: "full", items: items.map((one) => server.diagnostic(one, 0)) }
          })
        },
        { files: { "a.t": "x\n", "old.t": "nothing\n", "other.t": "nothing\n" } }
      )
      assert.deepStrictEqual(yield* writes("n.t", "break\n"), ["introduced", "other.t:1 fresh"])
    })
  )

  it.live("the first write below another root waits as long as for a cold server, although another one is warm", () =>
    Effect.gen(function* () {
      const { writes } = yield* start(pulled, {
        files: { "a.t": "x\n", "deep/root.marker": "", "deep/b.t": "slow 900\n" }
      })
      assert.deepStrictEqual(yield* writes("a.t", "y\n"), ["nothing_new"])
      assert.deepStrictEqual(yield* writes("deep/b.t", "slow 900\nbad one\n"), ["introduced", "deep/b.t:2 one"])
      assert.deepStrictEqual(yield* writes("deep/b.t", "slow 900\n"), ["unknown"])
    })
  )

  it.live("C61 what a write of a package's entry causes in another package", () =>
    Effect.gen(function* () {
      const { writes } = yield* start(
        (server) => {
          server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, diagnosticProvider: {} } }))
          server.on("textDocument/diagnostic", ({ textDocument: { uri } }) => {
            const entry = [...server.documents].find(([one]) => one.endsWith("/src/index.t"))?.[1].text ?? "def f"
            const isLost = uri.endsWith("/use.t") && !entry.includes("def f")
            return { kind: "full", items: isLost ? [server.diagnostic("no f", 0)] : [] }
          })
        },
        {
          files: { "packages/my-core/src/index.t": "def f\n", "packages/app/use.t": 'import { f } from "@x/my-core"\n' }
        }
      )
      assert.deepStrictEqual(yield* writes("packages/my-core/src/index.t", "def g\n"), [
        "introduced",
        "packages/app/use.t:1 no f"
      ])
    })
  )

  it.live("a call that is cancelled before it has written leaves the servers to others", () =>
    Effect.gen(function* () {
      const { put, writes } = yield* start(pulled, { files: { "a.t": "x\n", "b.t": "slow 400\n" } })
      yield* writes("a.t", "y\n")
      const fiber = yield* Effect.forkChild(put("b.t", "bad one\n"), { startImmediately: true })
      yield* Effect.sleep("100 millis")
      yield* Fiber.interrupt(fiber)
      yield* Effect.sleep("500 millis")
      assert.deepStrictEqual(yield* writes("a.t", "bad two\n"), ["introduced", "a.t:1 two"])
    })
  )

  it.live("C78 a call that writes nothing in the end takes nothing from the one before", () =>
    Effect.gen(function* () {
      const { put, surface, writes } = yield* start(pulled, { files: { "a.t": "x\n" } })
      yield* writes("a.t", "y\n")
      assert.deepStrictEqual(yield* writes("a.t", "bad one\nslow 900\n"), ["unknown"])
      // While it is asked about, and when it is known but nobody was told.
      const texts: Array<string> = []
      for (const pause of [0, 2000]) {
        yield* Effect.sleep(pause)
        texts.push((yield* put("a.t", "bad one\nslow 900\n")).text)
      }
      yield* Effect.sleep("2 seconds")
      texts.push((yield* surface.dispatch("resolve", { edit_id: "edit_99", action: "undo" })).text)
      assert.strictEqual(texts.filter((text) => text.includes("a.t:1 error one")).length, 1)
    })
  )

  it.live("a call that is cancelled while it waits has written, and nothing of it is left waiting", () =>
    Effect.gen(function* () {
      const { put, writes } = yield* start(pulled, { files: { "a.t": "x\n" } })
      yield* writes("a.t", "y\n")
      const fiber = yield* Effect.forkChild(put("a.t", "bad one\nslow 400\n"), { startImmediately: true })
      yield* Effect.sleep("200 millis")
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(yield* writes("a.t", "bad two\n"), ["introduced", "a.t:1 two"])
    })
  )
})
