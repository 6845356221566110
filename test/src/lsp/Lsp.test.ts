import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as NodeWorkspace from "../../../layers/workspace/NodeWorkspace.ts"
import type { Answer, Diagnostic, Severity } from "../../../src/lsp/LanguageServers.ts"
import { lsp } from "../../../src/lsp/Lsp.ts"
import type { Code } from "../../../src/ToolError.ts"
import * as Uri from "../../../src/lsp/Uri.ts"
import * as Surface from "../../../src/Surface.ts"
import * as ScriptedServers from "../../support/ScriptedServers.ts"

const everything = {
  definitionProvider: true,
  declarationProvider: true,
  typeDefinitionProvider: true,
  implementationProvider: true,
  referencesProvider: true,
  hoverProvider: true,
  documentSymbolProvider: true,
  workspaceSymbolProvider: true,
  codeActionProvider: true,
  callHierarchyProvider: true,
  typeHierarchyProvider: true
}

const files: Readonly<Record<string, string>> = {
  "src/a.ts": "import { add } from './b'\n\nexport const total = add(add(1, 2), 3)\n",
  "src/b.ts": "/** Adds. */\nexport const add = (x: number, y: number) => x + y\n",
  "lib/b.ts": `${"add()\n".repeat(300)}`,
  "node_modules/dep/index.ts": "add\n",
  "src/[slug]/page.ts": "add\n",
  "bad.bin": "\0"
}

interface Project {
  readonly root: string
  readonly uri: (path: string) => string
  readonly at: (path: string, line: number, character: number, length?: number) => { uri: string; range: object }
  readonly call: (
    scene: ScriptedServers.Scene,
    params: Parameters<Surface.Surface<typeof lsp>["call"]>[1]
  ) => ReturnType<Surface.Surface<typeof lsp>["call"]>
}

const project = Effect.acquireRelease(
  Effect.sync(() => {
    const root = Fs.realpathSync(Fs.mkdtempSync(Path.join(Os.tmpdir(), "lsp-")))
    for (const [path, text] of Object.entries(files)) {
      Fs.mkdirSync(Path.dirname(Path.join(root, path)), { recursive: true })
      Fs.writeFileSync(Path.join(root, path), text)
    }
    return root
  }),
  (root) => Effect.sync(() => Fs.rmSync(root, { recursive: true }))
).pipe(
  Effect.map((root): Project => {
    const uri = (path: string) => Uri.fromPath(Path.resolve(root, path))
    return {
      root,
      uri,
      at: (path, line, character, length = 3) => ({
        uri: uri(path),
        range: { start: { line: line - 1, character }, end: { line: line - 1, character: character + length } }
      }),
      call: (scene, params) =>
        Effect.scoped(Effect.flatMap(Surface.make([lsp]), (surface) => surface.call("lsp", params))).pipe(
          Effect.provide(Layer.mergeAll(NodeWorkspace.layer({ root }), ScriptedServers.layer(scene))),
          Effect.orDie
        )
    }
  })
)

const server = (
  id: string,
  answer: (method: string, params: unknown) => unknown,
  more?: object
): ScriptedServers.Script => ({
  id,
  capabilities: everything,
  answer,
  ...more
})

const total = { file: "src/a.ts", line: 3, symbol: "add" } as const

describe("lsp navigation", () => {
  it.live("gives places as path:line with the source line, and notes a symbol that is there twice", () =>
    Effect.gen(function* () {
      const { at, call, root, uri } = yield* project
      const seen: Array<ScriptedServers.Seen> = []
      const scene = { seen, servers: [server("ts", () => at("src/b.ts", 2, 13))] }
      const answer = yield* call(scene, { action: "definition", ...total })
      assert.deepStrictEqual(answer, {
        isFailure: false,
        text:
          "1 definition of `add`:\n" +
          "src/b.ts:2  export const add = (x: number, y: number) => x + y\n" +
          "Note: `add` is 2 times on line 3; this is about the first. `add#2` means the second.\n" +
          "[ts: found]",
        value: {
          locations: [{ path: "src/b.ts", line: 2, text: "export const add = (x: number, y: number) => x + y" }],
          total: 1,
          servers: [{ id: "ts", outcome: "found" }],
          notes: ["`add` is 2 times on line 3; this is about the first. `add#2` means the second."]
        }
      })
      assert.deepStrictEqual(seen, [
        {
          method: "textDocument/definition",
          params: { textDocument: { uri: uri("src/a.ts") }, position: { line: 2, character: 21 } }
        }
      ])
      yield* call(scene, { action: "definition", ...total, symbol: "add#2", file: Path.join(root, "src/a.ts") })
      assert.deepInclude(seen[1]?.params, { position: { line: 2, character: 25 } })
    })
  )

  it.live("C52 takes every shape of an answer", () =>
    Effect.gen(function* () {
      const { at, call } = yield* project
      const { range, uri } = at("src/b.ts", 2, 13)
      const wide = { start: { line: 0, character: 0 }, end: { line: 1, character: 50 } }
      const shapes = [
        { uri, range },
        [{ uri, range }],
        [{ targetUri: uri, targetRange: wide, targetSelectionRange: range }]
      ]
      for (const action of ["definition", "declaration", "type_definition", "implementation"] as const) {
        for (const shape of shapes) {
          const answer = yield* call({ servers: [server("ts", () => shape)] }, { action, ...total })
          assert.deepInclude(answer.value, {
            locations: [{ path: "src/b.ts", line: 2, text: "export const add = (x: number, y: number) => x + y" }],
            total: 1
          })
        }
        const none = yield* call({ servers: [server("ts", () => null)] }, { action, ...total, symbol: "total" })
        assert.isFalse(none.isFailure)
        assert.deepStrictEqual(none.value, { locations: [], total: 0, servers: [{ id: "ts", outcome: "empty" }] })
        assert.match(none.text, /^No \w+( \w+)? of `total`\.\n\[ts: knows of none\]$/)
      }
    })
  )

  it.live("C55, C56 sends includeDeclaration, sorts, counts each place once, and cuts at 50 with the full count", () =>
    Effect.gen(function* () {
      const { at, call } = yield* project
      const seen: Array<ScriptedServers.Seen> = []
      const many = Array.from({ length: 210 }, (_, i) => at("lib/b.ts", 210 - i, 0))
      const own = [at("node_modules/dep/index.ts", 1, 0), at("src/b.ts", 2, 13), ...many, at("src/b.ts", 2, 13)]
      const other = [at("src/b.ts", 2, 13), at("src/a.ts", 3, 21)]
      const answer = yield* call(
        { seen, servers: [server("one", () => own), server("two", () => other)] },
        { action: "references", ...total, symbol: "add#1" }
      )
      assert.deepInclude(seen[0]?.params, { context: { includeDeclaration: true } })
      assert.isFalse(answer.isFailure)
      if (answer.isFailure || !("locations" in answer.value)) return
      assert.strictEqual(answer.value.total, 213)
      assert.strictEqual(answer.value.locations.length, 50)
      assert.deepStrictEqual(answer.value.locations[0], { path: "lib/b.ts", line: 1, text: "add()" })
      assert.match(answer.text, /^50 of 213 references of `add#1`:\nlib\/b\.ts:1 {2}add\(\)\n/)
      const few = yield* call({ servers: [server("one", () => own.slice(0, 2))] }, { action: "references", ...total })
      assert.deepStrictEqual(
        few.isFailure || !("locations" in few.value) ? [] : few.value.locations.map(({ path }) => path),
        ["src/b.ts", "node_modules/dep/index.ts"]
      )
    })
  )

  it.live("C51 shows what is no file as the server named it", () =>
    Effect.gen(function* () {
      const { call } = yield* project
      const range = { start: { line: 4, character: 0 }, end: { line: 4, character: 1 } }
      const answer = yield* call(
        { servers: [server("java", () => [{ uri: "jdt://contents/rt.jar/String.class", range }])] },
        { action: "definition", ...total, symbol: "total" }
      )
      assert.include(answer.text, "\njdt://contents/rt.jar/String.class:5")
    })
  )

  it.live("C70 tells the outcome of each server, and is an answer when one of them has one", () =>
    Effect.gen(function* () {
      const { at, call } = yield* project
      const servers = [
        server("ts", () => at("src/b.ts", 2, 13), { incomplete: "it is still loading the project: Indexing 42 %" }),
        { id: "lint", capabilities: {} },
        { id: "slow", outcome: { outcome: "unknown", reason: "not answered in 20 s, starting" } } as const
      ]
      const answer = yield* call({ servers }, { action: "references", ...total, symbol: "total" })
      assert.deepStrictEqual(answer.isFailure ? [] : answer.value.servers, [
        { id: "ts", outcome: "found", reason: "it is still loading the project: Indexing 42 %" },
        { id: "lint", outcome: "not_covered", reason: "the server does not provide references" },
        { id: "slow", outcome: "unknown", reason: "not answered in 20 s, starting" }
      ])
      assert.deepStrictEqual(answer.text.split("\n").slice(-3), [
        "[not covered by lint]",
        "[ts: found, but there may be more: it is still loading the project: Indexing 42 %]",
        "[slow: not known: not answered in 20 s, starting]"
      ])
    })
  )

  it.live("fails, with the value, when no server has an answer", () =>
    Effect.gen(function* () {
      const { call } = yield* project
      const unknown = (reason: string, why?: "late" | "loading") =>
        ({ id: "ts", outcome: { outcome: "unknown", reason, ...(why === undefined ? {} : { why }) } }) as const
      const ask = (...servers: ReadonlyArray<ScriptedServers.Script>) =>
        call({ servers }, { action: "definition", ...total, symbol: "total" })
      const codes: ReadonlyArray<readonly [reason: string, code: Code, why?: "late" | "loading"]> = [
        ["not answered in 20 s, waiting; it is still loading the project: Indexing 42 %", "not_ready", "loading"],
        ["not answered in 20 s, waiting for the answer to textDocument/definition", "timed_out", "late"],
        ["it was killed by SIGSEGV", "server_failed"]
      ]
      for (const [reason, code, why] of codes) {
        const answer = yield* ask(unknown(reason, why))
        assert.strictEqual(answer.isFailure && answer.code, code)
        assert.deepStrictEqual(answer.value, {
          locations: [],
          total: 0,
          servers: [{ id: "ts", outcome: "unknown", reason }]
        })
        assert.include(answer.text, `Not known: definition of \`total\` at src/a.ts:3.\nts: not known: ${reason}\n`)
      }
      const uncovered = yield* ask({ id: "lint", capabilities: {} })
      assert.strictEqual(uncovered.isFailure && uncovered.code, "not_covered")
      assert.include(
        uncovered.text,
        "lint: not covered: the server does not provide definition\n`lsp` with action `status`"
      )
      const nobody = yield* ask()
      assert.strictEqual(nobody.isFailure && nobody.code, "not_covered")
      assert.include(nobody.text, "No language server is listed for definition of `total` at src/a.ts:3")
    })
  )

  it.live("does not take an answer that cannot be read for an empty one", () =>
    Effect.gen(function* () {
      const { call } = yield* project
      for (const lie of [42, "nothing", { uri: 1 }, [{ uri: "file:///x" }], [null]]) {
        for (const action of ["definition", "references", "incoming_calls", "subtypes", "code_actions"] as const) {
          const answer = yield* call({ servers: [server("liar", () => lie)] }, { action, ...total })
          assert.strictEqual(answer.isFailure && answer.code, "server_failed", `${action} ${JSON.stringify(lie)}`)
          assert.include(answer.text, "it answered with something that is no")
        }
      }
      const hover = yield* call({ servers: [server("liar", () => 42)] }, { action: "hover", ...total })
      assert.strictEqual(hover.isFailure && hover.code, "server_failed")
      const outline = yield* call({ servers: [server("liar", () => [42])] }, { action: "symbols", file: "src/a.ts" })
      assert.strictEqual(outline.isFailure && outline.code, "server_failed")
      const error = yield* call({ servers: [server("ts", () => new Error("boom"))] }, { action: "hover", ...total })
      assert.include(error.text, "boom")
    })
  )
})

describe("lsp parameters", () => {
  it.live("are those that the action uses", () =>
    Effect.gen(function* () {
      const { call } = yield* project
      const scene = { servers: [server("ts", () => null)] }
      const wrong = (params: Parameters<typeof call>[1]) =>
        Effect.map(call(scene, params), (answer) => {
          assert.strictEqual(answer.isFailure && answer.code, "invalid_params")
          return answer.text
        })
      assert.include(
        yield* wrong({ action: "hover", file: "src/a.ts", line: 3 }),
        "`symbol` is missing: action `hover` needs `file`, `line`, `symbol`."
      )
      assert.include(
        yield* wrong({ action: "diagnostics", file: "src/a.ts", line: 3 }),
        "`line` is not used by action `diagnostics`"
      )
      assert.include(yield* wrong({ action: "status", file: "src/a.ts" }), "`file` is not used by action `status`")
      assert.include(yield* wrong({ action: "symbols" }), "neither is given")
      assert.include(yield* wrong({ action: "symbols", file: "src/a.ts", query: "x" }), "both are given")
      assert.include(yield* wrong({ action: "hover", ...total, line: 0 }), "line")
      assert.include(yield* wrong({ action: "hover", ...total, timeout_seconds: 301 }), "timeout_seconds")
      assert.include(yield* wrong({ action: "hover", ...total, file: "src" }), "src is a directory")
    })
  )

  it.live("pass on the server and the time", () =>
    Effect.gen(function* () {
      const { call } = yield* project
      const options: ScriptedServers.Scene["options"] = []
      const servers = [server("one", () => null), server("two", () => null)]
      const answer = yield* call({ servers, options }, { action: "hover", ...total, server: "two", timeout_seconds: 7 })
      assert.deepStrictEqual(options, [{ server: "two", timeout: 7000 }])
      assert.deepStrictEqual(answer.isFailure ? [] : answer.value.servers, [{ id: "two", outcome: "empty" }])
    })
  )

  it.live("name a file and a symbol that are there", () =>
    Effect.gen(function* () {
      const { call } = yield* project
      const seen: Array<ScriptedServers.Seen> = []
      const scene = { seen, servers: [server("ts", () => null)] }
      const codeOf = (params: object) =>
        Effect.map(call(scene, { action: "hover", ...total, ...params }), (answer) => answer.isFailure && answer.code)
      assert.strictEqual(yield* codeOf({ file: "src/c.ts" }), "not_found")
      assert.strictEqual(yield* codeOf({ file: "../../etc/passwd" }), "outside_directory")
      assert.strictEqual(yield* codeOf({ line: 40 }), "invalid_params")
      assert.strictEqual(yield* codeOf({ symbol: "nowhere" }), "symbol_not_found")
      assert.strictEqual(yield* codeOf({ symbol: "add#3" }), "symbol_not_found")
      assert.deepStrictEqual(seen, [])
    })
  )
})

describe("lsp hover", () => {
  it.live("C53 takes every shape of contents, one block a server", () =>
    Effect.gen(function* () {
      const { call } = yield* project
      const shapes: ReadonlyArray<readonly [unknown, string]> = [
        [{ kind: "markdown", value: "**add**" }, "**add**"],
        ["plain", "plain"],
        [{ language: "ts", value: "const add" }, "```ts\nconst add\n```"],
        [["a", { language: "ts", value: "b" }], "a\n\n```ts\nb\n```"]
      ]
      for (const [contents, expected] of shapes) {
        const answer = yield* call(
          { servers: [server("ts", () => ({ contents })), server("lint", () => null)] },
          { action: "hover", ...total, symbol: "total" }
        )
        assert.deepStrictEqual(answer.value, {
          contents: expected,
          servers: [
            { id: "ts", outcome: "found" },
            { id: "lint", outcome: "empty" }
          ]
        })
        assert.strictEqual(answer.text, `${expected}\n[ts: found; lint: knows of none]`)
      }
      for (const contents of ["", [], { kind: "markdown", value: "" }]) {
        const answer = yield* call({ servers: [server("ts", () => ({ contents }))] }, { action: "hover", ...total })
        assert.deepInclude(answer.value, { contents: "", servers: [{ id: "ts", outcome: "empty" }] })
      }
    })
  )
})

describe("lsp symbols", () => {
  const range = { start: { line: 0, character: 0 }, end: { line: 9, character: 0 } }
  const name = (line: number) => ({ start: { line, character: 4 }, end: { line, character: 7 } })

  it.live("C54 gives a nested outline, and a flat one", () =>
    Effect.gen(function* () {
      const { at, call } = yield* project
      const nested = [
        {
          name: "Calculator",
          kind: 5,
          range,
          selectionRange: name(0),
          children: [{ name: "add", kind: 6, range, selectionRange: name(1), children: [] }]
        },
        { name: "total", kind: 14, range, selectionRange: name(2) }
      ]
      const outline = yield* call({ servers: [server("ts", () => nested)] }, { action: "symbols", file: "src/a.ts" })
      assert.strictEqual(
        outline.text,
        "3 symbols in src/a.ts:\n" +
          "src/a.ts:1  class Calculator  import { add } from './b'\n" +
          "src/a.ts:2    method add  \n" +
          "src/a.ts:3  constant total  export const total = add(add(1, 2), 3)\n" +
          "[ts: found]"
      )
      assert.deepInclude(outline.isFailure || !("symbols" in outline.value) ? {} : outline.value.symbols[1], {
        name: "add",
        kind: "method",
        path: "src/a.ts",
        line: 2,
        container: "Calculator"
      })
      const flat = [{ name: "add", kind: 12, location: at("src/b.ts", 2, 13), containerName: "b" }]
      const listed = yield* call({ servers: [server("ts", () => flat)] }, { action: "symbols", file: "src/b.ts" })
      assert.deepInclude(listed.isFailure || !("symbols" in listed.value) ? {} : listed.value.symbols[0], {
        name: "add",
        kind: "function",
        path: "src/b.ts",
        line: 2,
        container: "b"
      })
    })
  )

  it.live("searches the workspace, near names and own files first, and resolves places without a line", () =>
    Effect.gen(function* () {
      const { at, call, uri } = yield* project
      const seen: Array<ScriptedServers.Seen> = []
      const answers = (method: string) =>
        method === "workspaceSymbol/resolve"
          ? { name: "add", kind: 12, location: at("src/b.ts", 2, 13) }
          : [
              { name: "address", kind: 12, location: at("src/a.ts", 3, 0) },
              { name: "add", kind: 12, location: at("node_modules/dep/index.ts", 1, 0) },
              { name: "add", kind: 12, location: { uri: uri("src/b.ts") }, data: 7 }
            ]
      const resolving = { ...everything, workspaceSymbolProvider: { resolveProvider: true } }
      const answer = yield* call(
        { seen, servers: [server("ts", answers, { capabilities: resolving })] },
        { action: "symbols", query: "add" }
      )
      assert.deepStrictEqual(
        answer.text,
        "3 symbols for `add`:\n" +
          "src/b.ts:2  function add  export const add = (x: number, y: number) => x + y\n" +
          "src/a.ts:3  function address  export const total = add(add(1, 2), 3)\n" +
          "node_modules/dep/index.ts:1  function add  add\n" +
          "[ts: found]"
      )
      assert.deepInclude(seen[1]?.params, { data: 7 })
      const unresolved = yield* call({ servers: [server("ts", answers)] }, { action: "symbols", query: "add" })
      assert.include(unresolved.text, "For 1 of them the server named the file only, not the line.")
    })
  )

  it.live("cuts an outline at 200 and a search at 100, with the full count", () =>
    Effect.gen(function* () {
      const { at, call } = yield* project
      const many = Array.from({ length: 300 }, (_, i) => ({
        name: `f${i}`,
        kind: 12,
        range,
        selectionRange: name(i),
        location: at("lib/b.ts", i + 1, 0)
      }))
      const count = (answer: Effect.Success<ReturnType<typeof call>>) =>
        answer.isFailure || !("symbols" in answer.value) ? [] : [answer.value.symbols.length, answer.value.total]
      const scene = { servers: [server("ts", () => many)] }
      const outline = yield* call(scene, { action: "symbols", file: "lib/b.ts" })
      assert.deepStrictEqual(count(outline), [200, 300])
      assert.match(outline.text, /^200 of 300 symbols in lib\/b\.ts:/)
      assert.deepStrictEqual(count(yield* call(scene, { action: "symbols", query: "f" })), [100, 300])
    })
  )
})

describe("lsp calls and types", () => {
  it.live("names callers with the lines of their calls", () =>
    Effect.gen(function* () {
      const { at, call } = yield* project
      const seen: Array<ScriptedServers.Seen> = []
      const item = (path: string, line: number, itemName: string) => {
        const { range, uri } = at(path, line, 13)
        return { name: itemName, kind: 12, uri, range, selectionRange: range, data: { id: itemName } }
      }
      const site = (line: number) => at("src/a.ts", line, 4).range
      const answers = (method: string) => {
        if (method.endsWith("prepareCallHierarchy")) return [item("src/b.ts", 2, "add")]
        if (method.endsWith("incomingCalls"))
          return [{ from: item("src/a.ts", 3, "total"), fromRanges: [site(3), site(3)] }]
        return [{ to: item("src/b.ts", 2, "add"), fromRanges: [site(1), site(3)] }]
      }
      const scene = { seen, servers: [server("ts", answers)] }
      const incoming = yield* call(scene, { action: "incoming_calls", ...total, symbol: "add#1" })
      assert.strictEqual(
        incoming.text,
        "1 caller of `add#1`:\n" +
          "src/a.ts:3  function total  export const total = add(add(1, 2), 3)  (called on line 3)\n[ts: found]"
      )
      assert.deepInclude(incoming.isFailure || !("locations" in incoming.value) ? {} : incoming.value.locations[0], {
        path: "src/a.ts",
        line: 3,
        name: "total",
        sites: [3]
      })
      assert.deepInclude(seen[1], {
        method: "callHierarchy/incomingCalls",
        params: { item: item("src/b.ts", 2, "add") }
      })
      const outgoing = yield* call(scene, { action: "outgoing_calls", ...total, symbol: "total" })
      assert.include(outgoing.text, "(called on lines 1, 3, in src/a.ts)")
      const none = yield* call({ servers: [server("ts", () => null)] }, { action: "incoming_calls", ...total })
      assert.deepInclude(none.value, { total: 0, servers: [{ id: "ts", outcome: "empty" }] })
    })
  )

  it.live("names the types above and below", () =>
    Effect.gen(function* () {
      const { at, call } = yield* project
      const { range, uri } = at("src/b.ts", 2, 13)
      const item = { name: "Base", kind: 5, uri, range, selectionRange: range }
      for (const action of ["supertypes", "subtypes"] as const) {
        const answer = yield* call({ servers: [server("ts", () => [item])] }, { action, ...total, symbol: "total" })
        assert.deepInclude(answer.value, {
          locations: [
            {
              path: "src/b.ts",
              line: 2,
              text: "export const add = (x: number, y: number) => x + y",
              name: "Base",
              kind: "class"
            }
          ],
          total: 1
        })
      }
    })
  )
})

const diagnostic = (path: string, line: number, severity: Severity, message: string, more?: object): Diagnostic => ({
  path,
  line,
  column: 1,
  endLine: line,
  endColumn: 100,
  severity,
  message,
  raw: { message, range: { start: { line: line - 1, character: 0 }, end: { line: line - 1, character: 99 } }, data: 1 },
  ...more
})
type Told = Answer<ReadonlyArray<Diagnostic>>

describe("lsp code_actions", () => {
  it.live("C91 lists them, sent the diagnostics there as the server sent them", () =>
    Effect.gen(function* () {
      const { call, root } = yield* project
      const seen: Array<ScriptedServers.Seen> = []
      const path = Path.join(root, "src/a.ts")
      const here = diagnostic(path, 3, 1, "Cannot find name 'add'.")
      const offered = [
        { title: "Import add", kind: "quickfix", isPreferred: true },
        { title: "Run it", command: "run" },
        { title: "Extract", kind: "refactor", disabled: { reason: "nothing selected" } },
        null
      ]
      const script = server("ts", () => offered, {
        diagnostics: (): Told => ({ id: "ts", outcome: "found", value: [here, diagnostic(path, 1, 1, "Elsewhere.")] })
      })
      const answer = yield* call({ seen, servers: [script] }, { action: "code_actions", ...total, symbol: "add#2" })
      assert.deepStrictEqual(answer.value, {
        actions: [
          { index: 1, title: "Import add", kind: "quickfix", preferred: true, server: "ts" },
          { index: 2, title: "Run it", server: "ts" },
          { index: 3, title: "Extract", kind: "refactor", disabled: "nothing selected", server: "ts" }
        ],
        servers: [{ id: "ts", outcome: "found" }]
      })
      assert.strictEqual(
        answer.text,
        "2 code actions at `add#2`, none applied:\n1. Import add  (quickfix; preferred)\n2. Run it\n" +
          "Not possible here: Extract\n[ts: found]"
      )
      assert.deepInclude(seen[0]?.params, {
        range: { start: { line: 2, character: 25 }, end: { line: 2, character: 28 } },
        context: { diagnostics: [here.raw], triggerKind: 1 }
      })
    })
  )
})

describe("lsp diagnostics", () => {
  const found = (id: string, ...value: ReadonlyArray<Diagnostic>): Told =>
    value.length === 0 ? { id, outcome: "empty" } : { id, outcome: "found", value }
  const rows = [
    { id: "ts", languages: [{ id: "ts", extensions: [".ts"] }], markers: ["x"], binary: { name: "x" } }
  ] as const

  it.live("gives errors and warnings of all servers, errors first, each once", () =>
    Effect.gen(function* () {
      const { call } = yield* project
      const servers = [
        {
          id: "ts",
          diagnostics: (path: string) =>
            found(
              "ts",
              diagnostic(path, 3, 2, "Unused."),
              diagnostic(path, 3, 1, "Cannot find name.\n  Did you mean x?", { code: "2304", source: "typescript" }),
              diagnostic(path, 1, 4, "A hint.")
            )
        },
        { id: "lint", diagnostics: (path: string) => found("lint", diagnostic(path, 3, 2, "Unused.")) }
      ]
      const answer = yield* call({ servers }, { action: "diagnostics", file: "src/a.ts" })
      assert.strictEqual(
        answer.text,
        "1 error and 1 warning in src/a.ts:\n" +
          "src/a.ts:3  error 2304: Cannot find name.  [typescript]\n" +
          "      Did you mean x?\n" +
          "src/a.ts:3  warning: Unused.  [ts]\n[ts: found; lint: found]"
      )
      assert.deepInclude(answer.value, {
        total: 2,
        diagnostics: [
          {
            path: "src/a.ts",
            line: 3,
            severity: "error",
            code: "2304",
            message: "Cannot find name.\n  Did you mean x?",
            source: "typescript"
          },
          { path: "src/a.ts", line: 3, severity: "warning", message: "Unused.", source: "ts" }
        ]
      })
    })
  )

  it.live("L4 says that a clean file is clean, and which other files have errors", () =>
    Effect.gen(function* () {
      const { call, root } = yield* project
      const other = Path.join(root, "src/b.ts")
      const known = [
        { id: "ts", root, path: other, diagnostics: [diagnostic(other, 1, 1, "Bad."), diagnostic(other, 2, 2, "!")] }
      ]
      const servers = [{ id: "ts", diagnostics: () => found("ts") }]
      const answer = yield* call({ servers, known }, { action: "diagnostics", file: "src/a.ts" })
      assert.strictEqual(
        answer.text,
        "No errors or warnings in src/a.ts.\nIn other files, as last said by the servers: src/b.ts (1 error)\n[ts: knows of none]"
      )
      const hints = [{ id: "ts", diagnostics: (path: string) => found("ts", diagnostic(path, 1, 4, "A hint.")) }]
      const hinted = yield* call({ servers: hints }, { action: "diagnostics", file: "src/a.ts" })
      assert.deepInclude(hinted.value, { total: 0, servers: [{ id: "ts", outcome: "empty" }] })
    })
  )

  it.live("L1, L2, B14, B39 never takes silence for clean", () =>
    Effect.gen(function* () {
      const { call } = yield* project
      const reason = "it has published no diagnostics for this text in 15 s"
      const silent = [
        { id: "bash", diagnostics: (): Told => ({ id: "bash", outcome: "unknown", reason, why: "late" }) }
      ]
      const answer = yield* call({ servers: silent }, { action: "diagnostics", file: "src/a.ts" })
      assert.strictEqual(answer.isFailure && answer.code, "timed_out")
      assert.notInclude(answer.text, "No errors")
      assert.deepInclude(answer.value, {
        total: 0,
        unchecked: [{ path: "src/a.ts", reason: `bash: ${reason}` }],
        servers: [{ id: "bash", outcome: "unknown", reason }]
      })
      const failing = ["a", "b"].map((id) => ({
        id,
        diagnostics: (): Told => ({ id, outcome: "not_covered", reason: `${id} does not start` })
      }))
      const failed = yield* call({ servers: failing }, { action: "diagnostics", file: "src/a.ts" })
      assert.strictEqual(failed.isFailure && failed.code, "not_covered")
      assert.include(failed.text, "a: not covered: a does not start\nb: not covered: b does not start")
      const half = yield* call(
        { servers: [...silent, { id: "ts", diagnostics: () => found("ts") }] },
        { action: "diagnostics", file: "src/a.ts" }
      )
      assert.match(half.text, /^No errors or warnings are known in src\/a\.ts, but not everything is known\./)
    })
  )

  it.live("marks what a server said without proof", () =>
    Effect.gen(function* () {
      const { call } = yield* project
      const servers = [
        {
          id: "ts",
          diagnostics: (path: string): Told => ({
            id: "ts",
            outcome: "unknown",
            reason: "not answered in 20 s",
            provisional: [diagnostic(path, 3, 1, "Bad.")]
          })
        }
      ]
      const answer = yield* call({ servers }, { action: "diagnostics", file: "src/a.ts" })
      assert.isFalse(answer.isFailure)
      assert.include(answer.text, "src/a.ts:3  error: Bad.  [ts]  (not confirmed)")
      assert.include(answer.text, "[ts: not known: not answered in 20 s]")
    })
  )

  it.live("L11, L12 looks at every file of a glob in one question, and names those not reached", () =>
    Effect.gen(function* () {
      const { call } = yield* project
      const options: ScriptedServers.Scene["options"] = []
      const servers = [
        {
          id: "ts",
          diagnostics: (path: string): Told =>
            path.endsWith("b.ts")
              ? { id: "ts", outcome: "unknown", reason: "not answered in 20 s" }
              : path.endsWith("a.ts")
                ? found("ts", diagnostic(path, 3, 1, "Bad."))
                : found("ts")
        }
      ]
      const answer = yield* call({ servers, options, rows }, { action: "diagnostics", file: "**/*.{ts,bin}" })
      assert.strictEqual(options.length, 1)
      assert.strictEqual(
        answer.text,
        "1 error in 4 files (**/*.{ts,bin}):\n" +
          "src/a.ts:3  error: Bad.  [ts]\n" +
          "Not known of 2 files: lib/b.ts, src/b.ts (ts: not answered in 20 s)\n" +
          "Note: 1 of the 5 files that match are of no language that is served.\n" +
          "[ts: found, but there may be more: 2 of 4 files are not known: not answered in 20 s]"
      )
      const clean = yield* call(
        { rows, servers: [{ id: "ts", diagnostics: () => found("ts") }] },
        { action: "diagnostics", file: "src/*.ts" }
      )
      assert.strictEqual(clean.text, "No errors or warnings in 2 files (src/*.ts).\n[ts: knows of none]")
    })
  )

  it.live("takes what exists literally, and says when nothing matches", () =>
    Effect.gen(function* () {
      const { call } = yield* project
      const servers = [{ id: "ts", diagnostics: (path: string) => found("ts", diagnostic(path, 1, 1, "Bad.")) }]
      const literal = yield* call({ servers, rows }, { action: "diagnostics", file: "src/[slug]/page.ts" })
      assert.include(literal.text, "src/[slug]/page.ts:1  error: Bad.")
      const codeOf = (file: string) =>
        Effect.map(
          call({ servers, rows }, { action: "diagnostics", file }),
          (answer) => answer.isFailure && answer.code
        )
      assert.strictEqual(yield* codeOf("src/*.py"), "not_found")
      assert.strictEqual(yield* codeOf("src/c.ts"), "not_found")
      assert.strictEqual(yield* codeOf("../*.ts"), "outside_directory")
      assert.strictEqual(yield* codeOf("src"), "invalid_params")
    })
  )

  it.live("B9 cuts a flood, errors first, with the full count", () =>
    Effect.gen(function* () {
      const { call } = yield* project
      const flood = (path: string) =>
        found("ts", ...Array.from({ length: 500 }, (_, i) => diagnostic(path, i + 1, i < 490 ? 2 : 1, `No. ${i}`)))
      const answer = yield* call(
        { servers: [{ id: "ts", diagnostics: flood }] },
        { action: "diagnostics", file: "lib/b.ts" }
      )
      assert.match(
        answer.text,
        /^100 of 500 errors and warnings in lib\/b\.ts, errors first:\nlib\/b\.ts:491 {2}error: No\. 490/
      )
    })
  )
})

describe("lsp status", () => {
  it.live("says of each row its marker, binary, state and reason", () =>
    Effect.gen(function* () {
      const { call, root } = yield* project
      const status = [
        {
          id: "ts",
          languages: ["typescript"],
          root: Path.join(root, "src"),
          state: "running" as const,
          marker: Path.join(root, "src/tsconfig.json"),
          binary: Path.join(root, "node_modules/.bin/tsc"),
          pid: 42,
          server: "typescript 7.0.2",
          openDocuments: 1,
          memory: 60 * 1024 * 1024,
          crashes: 2
        },
        {
          id: "rust-analyzer",
          languages: ["rust"],
          state: "unavailable" as const,
          marker: Path.join(root, "Cargo.toml"),
          reason: "rust-analyzer is there but does not work"
        },
        { id: "gopls", languages: ["go"], state: "unavailable" as const, reason: "no go.mod or go.work" }
      ]
      const answer = yield* call({ servers: [], status }, { action: "status" })
      assert.strictEqual(
        answer.text,
        "ts: running; root src; marker src/tsconfig.json; binary node_modules/.bin/tsc; pid 42; typescript 7.0.2; " +
          "1 open document; 60 MiB; ended by itself 2 times\n" +
          "rust-analyzer: unavailable; marker Cargo.toml; rust-analyzer is there but does not work\n" +
          "No root marker here (or disabled): gopls.\n`status` with `server` says which marker and which binary one of them needs."
      )
      assert.deepInclude(answer.isFailure ? {} : answer.value.servers[0], {
        id: "ts",
        languages: ["typescript"],
        root: "src",
        state: "running",
        pid: 42
      })
      const one = yield* call({ servers: [], status }, { action: "reload", server: "gopls" })
      assert.strictEqual(one.text, "gopls: unavailable; no go.mod or go.work")
      const none = yield* call({ servers: [], status }, { action: "status", server: "gople" })
      assert.strictEqual(none.isFailure && none.code, "invalid_params")
    })
  )
})
