import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type * as Fake from "../../support/FakeLanguageServer.ts"
import * as Writes from "./writes.ts"

/** Offers what the first word of a line asks for. */
const offers: Fake.Behaviour = (server) => {
  server.on("initialize", () => ({
    capabilities: {
      textDocumentSync: 2,
      codeActionProvider: { resolveProvider: true },
      executeCommandProvider: { commands: ["twice", "fails", "silent"] },
      diagnosticProvider: {}
    }
  }))
  server.on("textDocument/diagnostic", () => ({
    kind: "full",
    items: [{ ...server.diagnostic("wrong"), data: { id: 7 } }]
  }))
  const first = (newText: string) => ({
    range: { start: { line: 0, character: 0 }, end: { line: 0, character: 3 } },
    newText
  })
  let isChanged = false
  server.on("textDocument/codeAction", ({ context, textDocument: { uri } }) => {
    if (context.only?.[0] === "source.fixAll") {
      return [{ title: "Fix all", kind: "source.fixAll.fake", edit: { changes: { [uri]: [first("ALL")] } } }]
    }
    if (context.only !== undefined) return []
    if (server.documents.get(uri)!.text.includes("changed")) isChanged = true
    return [
      {
        title: "Edit",
        kind: "quickfix",
        edit: { changes: { [uri]: [first("uno")] } },
        diagnostics: context.diagnostics
      },
      { title: isChanged ? "Other" : "Lazy", kind: "refactor", data: { uri } },
      { title: "Off", disabled: { reason: "nothing is selected" } },
      { title: "Bare command", command: "twice", arguments: [uri] },
      {
        title: "Both",
        kind: "refactor",
        edit: { changes: { [uri]: [first("uno")] } },
        command: { title: "x", command: "twice", arguments: [uri] }
      },
      { title: "Failing", edit: { changes: { [uri]: [first("uno")] } }, command: { title: "x", command: "fails" } },
      { title: "Silent", command: "silent", arguments: [] },
      {
        title: "Editor",
        edit: { changes: { [uri]: [first("uno")] } },
        command: { title: "x", command: "editor.rename" }
      },
      { title: "Outside", edit: { changes: { [uri]: [first("uno")], [uri.replace("/a.t", "/../o.t")]: [first("x")] } } }
    ]
  })
  server.on("codeAction/resolve", (action) => ({
    ...action,
    edit: { changes: { [action.data.uri]: [first("lazy")] } }
  }))
  server.on("workspace/executeCommand", async ({ arguments: [uri] = [], command }) => {
    if (command === "silent") return null
    if (command === "fails") throw new Error("it broke")
    // The second is for the text that the first has left, which the client has shown by then.
    for (const word of ["deux", "trois"]) {
      const { text } = server.documents.get(uri)!
      const range = { start: { line: 0, character: 0 }, end: { line: 0, character: text.indexOf(" ") } }
      const answer = await server.request("workspace/applyEdit", {
        edit: { changes: { [uri]: [{ range, newText: word }] } }
      })
      server.log({ applied: answer })
    }
    return null
  })
}

const run = () => Writes.run(offers, { files: { "a.t": "one two\n" } })
const place = { file: "a.t", line: 1, symbol: "one" } as const

describe("lsp_apply", () => {
  it.live("C91 an edit, one that must be asked for, and the diagnostics as they were sent", () =>
    Effect.gen(function* () {
      const { read, received, surface, undo } = yield* run()
      const answer = yield* surface.call("lsp_apply", { ...place, code_action: "Edit" })
      if (answer.isFailure) return assert.fail(answer.text)
      assert.strictEqual(read("a.t"), "uno two\n")
      assert.strictEqual(answer.text.split("\n")[0], "applied `Edit`")
      const { context } = received("textDocument/codeAction")[0]!.params
      assert.deepStrictEqual(
        context.diagnostics.map(({ data }: { data: unknown }) => data),
        [{ id: 7 }]
      )
      yield* undo(answer.value.edit_id)
      assert.strictEqual(read("a.t"), "one two\n")
      assert.isFalse((yield* surface.call("lsp_apply", { ...place, code_action: "Lazy" })).isFailure)
      assert.strictEqual(read("a.t"), "lazy two\n")
    })
  )

  it.live("by the index of the list that was given, as long as it is the same action", () =>
    Effect.gen(function* () {
      const { read, surface, write } = yield* run()
      const unlisted = yield* surface.call("lsp_apply", { ...place, code_action: 2 })
      assert.strictEqual(unlisted.isFailure && unlisted.code, "refused_edit")
      yield* surface.call("lsp", { action: "code_actions", ...place })
      assert.isFalse((yield* surface.call("lsp_apply", { ...place, code_action: 1 })).isFailure)
      assert.strictEqual(read("a.t"), "uno two\n")
      write("a.t", "one changed\n")
      const changed = yield* surface.call("lsp_apply", { ...place, code_action: 2 })
      assert.strictEqual(changed.isFailure && changed.code, "refused_edit")
      assert.include(changed.text, "was `Lazy` when the list was given")
      const beyond = yield* surface.call("lsp_apply", { ...place, code_action: 99 })
      assert.strictEqual(beyond.isFailure && beyond.code, "not_found")
      assert.strictEqual(read("a.t"), "one changed\n")
    })
  )

  it.live("a kind for the whole file, also one below it", () =>
    Effect.gen(function* () {
      const { read, surface } = yield* run()
      const answer = yield* surface.call("lsp_apply", { file: "a.t", kind: "source.fixAll" })
      assert.isFalse(answer.isFailure, answer.text)
      assert.strictEqual(read("a.t"), "ALL two\n")
      const none = yield* surface.call("lsp_apply", { file: "a.t", kind: "source.organizeImports" })
      assert.strictEqual(none.isFailure && none.code, "not_found")
      const both = yield* surface.call("lsp_apply", { ...place, kind: "source" })
      assert.strictEqual(both.isFailure && both.code, "invalid_params")
    })
  )

  it.live(
    "C90 C91 the edit first, then the command; what it sends is part of the edit: one id takes all of it back",
    () =>
      Effect.gen(function* () {
        const { edits, log, read, surface, undo } = yield* run()
        for (const code_action of ["Both", "Bare command"]) {
          const answer = yield* surface.call("lsp_apply", { ...place, code_action })
          if (answer.isFailure) return assert.fail(answer.text)
          assert.strictEqual(read("a.t"), "trois two\n")
          assert.deepStrictEqual(
            answer.value.files.map(({ changes }) => changes),
            [[{ line: 1, before: ["one two"], after: ["trois two"] }]]
          )
          yield* undo(answer.value.edit_id)
          assert.strictEqual(read("a.t"), "one two\n")
        }
        assert.isTrue((yield* edits.list).every(({ state }) => state === "undone"))
        const applied = log().flatMap((entry) => (entry["applied"] === undefined ? [] : [entry["applied"]]))
        assert.deepStrictEqual(
          applied,
          Array.from({ length: 4 }, () => ({ applied: true }))
        )
      })
  )

  it.live("what does not work leaves nothing: disabled, failing, without an edit, outside of the directory", () =>
    Effect.gen(function* () {
      const { read, surface } = yield* run()
      for (const [code_action, code, said] of [
        ["Off", "refused_edit", "nothing is selected"],
        ["Failing", "refused_edit", "it broke"],
        ["Silent", "refused_edit", "made no edit"],
        ["Outside", "outside_directory", "o.t"],
        ["None", "not_found", "1. Edit"]
      ] as const) {
        const answer = yield* surface.call("lsp_apply", { ...place, code_action })
        assert.strictEqual(answer.isFailure && answer.code, code, code_action)
        assert.include(answer.text, said)
        assert.strictEqual(read("a.t"), "one two\n", code_action)
      }
      const editor = yield* surface.call("lsp_apply", { ...place, code_action: "Editor" })
      assert.include(editor.text, "`editor.rename`; that was not done")
      assert.strictEqual(read("a.t"), "uno two\n")
    })
  )

  it.live("SPEC 3.8 an edit that comes at any other time is not taken", () =>
    Effect.gen(function* () {
      const { log, read, surface } = yield* Writes.run((server) => {
        server.on("initialize", () => ({ capabilities: { textDocumentSync: 2, hoverProvider: true } }))
        server.on("textDocument/hover", async ({ textDocument: { uri } }) => {
          const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 3 } }
          const applied = await server.request("workspace/applyEdit", {
            edit: { changes: { [uri]: [{ range, newText: "x" }] } }
          })
          server.log({ applied })
          return { contents: "x" }
        })
      })
      yield* surface.call("lsp", { action: "hover", ...place })
      assert.strictEqual(read("a.t"), "one two\n")
      const [answer] = log().flatMap((entry) => (entry["applied"] === undefined ? [] : [entry["applied"]]))
      assert.include(answer, { applied: false })
    })
  )
})
