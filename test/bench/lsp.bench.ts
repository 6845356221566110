/**
 * What `lsp` costs over the bare request on the same connection, of the same server, about the same file: times are printed,
 * nothing is asserted. The server is TypeScript's own, which the package has for its development.
 */
import { it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import * as NodeEdits from "../../layers/edits/NodeEdits.ts"
import * as NodeLanguageServers from "../../layers/lsp/NodeLanguageServers.ts"
import * as NodeProcesses from "../../layers/process/NodeProcesses.ts"
import * as NodeWorkspace from "../../layers/workspace/NodeWorkspace.ts"
import * as WriteTools from "../../layers/WriteTools.ts"
import { write } from "../../src/harness/Write.ts"
import * as DiagnosticsOnWrite from "../../src/lsp/DiagnosticsOnWrite.ts"
import { LanguageServers } from "../../src/lsp/LanguageServers.ts"
import { lsp } from "../../src/lsp/Lsp.ts"
import type { Asking, Question } from "../../src/lsp/Question.ts"
import type { Indexed } from "../../src/lsp/TextPositions.ts"
import * as Rows from "../../src/lsp/rows/Rows.ts"
import * as Uri from "../../src/lsp/Uri.ts"
import * as Surface from "../../src/Surface.ts"

const times = 200
/** Rounds before those that count, of both sides: first the code is new to the process, then what a question alone uses. */
const warmUps = { first: 300, each: 30 }
const files = 40
const command = Path.join(Path.dirname(fileURLToPath(import.meta.resolve("typescript/package.json"))), "bin/tsc")
const name = (i: number) => `src/f${i}.ts`

const project = (root: string) => {
  Fs.mkdirSync(Path.join(root, "src"))
  Fs.writeFileSync(Path.join(root, "package.json"), '{ "type": "module" }\n')
  const options = '"strict": true, "module": "esnext", "moduleResolution": "bundler", "noEmit": true, "types": []'
  Fs.writeFileSync(Path.join(root, "tsconfig.json"), `{ "compilerOptions": { ${options} } }\n`)
  const filler = (i: number) =>
    Array.from({ length: 100 }, (_, k) => `export const v${i}_${k} = (x: number) => add(x, ${k})\n`).join("")
  const shared = "/** Adds two numbers. */\nexport const add = (x: number, y: number): number => x + y\n"
  for (let i = 0; i < files; i++) {
    const text = i === 0 ? shared : `import { add } from "./f0"\nexport const total = add(1, 2)\n${filler(i)}`
    Fs.writeFileSync(Path.join(root, name(i)), text)
  }
}

const p50 = (list: ReadonlyArray<number>) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]!

const rest = Effect.sleep("5 millis")

const timed = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const start = performance.now()
    yield* self
    return performance.now() - start
  })

/** One after the other in turns, so that what else the machine does weighs on both; each after `before`. */
const medians = <A, E, R, B, F, S>(
  before: Effect.Effect<void>,
  first: Effect.Effect<A, E, R>,
  second: Effect.Effect<B, F, S>
) =>
  Effect.map(
    Effect.forEach(Array.from({ length: warmUps.each + times }), () =>
      Effect.all([Effect.andThen(before, timed(first)), Effect.andThen(before, timed(second))])
    ),
    (rounds) => {
      const pairs = rounds.slice(warmUps.each)
      return [p50(pairs.map(([a]) => a)), p50(pairs.map(([, b]) => b))] as const
    }
  )

const main = Effect.gen(function* () {
  const root = Fs.realpathSync(Fs.mkdtempSync(Path.join(Os.tmpdir(), "lsp-bench-")))
  yield* Effect.addFinalizer(() => Effect.sync(() => Fs.rmSync(root, { recursive: true, force: true })))
  project(root)
  const context = yield* Layer.build(
    NodeLanguageServers.layer({
      rows: Rows.shipped.filter(({ id }) => id === "typescript"),
      findBinary: () => Effect.succeed({ status: "found", command })
    }).pipe(Layer.provideMerge(Layer.mergeAll(NodeProcesses.layer(), NodeWorkspace.layer({ root }))))
  )
  const surface = yield* Effect.provideContext(Surface.make([lsp]), context)
  const servers = yield* Effect.provideContext(LanguageServers, context)

  const file = name(1)
  let connection: Asking | undefined
  const catching: Question<never> = {
    name: "the connection",
    scope: "place",
    isProvided: () => true,
    ask: (asking) =>
      Effect.sync(() => {
        connection = asking
        return Option.none()
      })
  }
  const at = ({ text }: Indexed) => Effect.succeed(text.indexOf("add(1"))
  yield* servers.ask(catching, { file: Path.join(root, file), at }, { timeout: "60 seconds" })

  const questions = [
    ["definition", "textDocument/definition", {}],
    ["hover", "textDocument/hover", {}],
    ["references", "textDocument/references", { context: { includeDeclaration: true } }]
  ] as const
  for (const [action, method, more] of questions) {
    const bare = Effect.suspend(() => connection!.request(method, { ...connection!.place, ...more }))
    const call = surface.call("lsp", { action, file, line: 2, symbol: "add" })
    const answer = yield* call
    if (answer.isFailure) return yield* Effect.die(answer.text)
    if (action === questions[0][0]) yield* Effect.repeat(Effect.andThen(bare, call), { times: warmUps.first })
    // As the calls of an agent do, some find the server at rest: it takes half a millisecond to wake.
    for (const [how, before] of [
      ["", Effect.void],
      [", at rest", rest]
    ] as const) {
      const [request, tool] = yield* medians(before, bare, call)
      console.log(
        `${action.padEnd(12)} p50 of ${times}${how}: request ${request.toFixed(2)} ms, tool ${tool.toFixed(2)} ms, ` +
          `over the request ${(tool - request).toFixed(2)} ms, bound ${(1 + 1.1 * request).toFixed(2)} ms`
      )
    }
  }

  const edit = (i: number) => Effect.sync(() => Fs.appendFileSync(Path.join(root, name(i)), "// changed\n"))
  const check = (glob: string) => surface.call("lsp", { action: "diagnostics", file: glob, timeout_seconds: 60 })
  yield* check("src/*.ts")
  const one = yield* timed(Effect.andThen(edit(1), check(name(1))))
  const all = yield* timed(
    Effect.andThen(
      Effect.forEach(Array.from({ length: files - 1 }), (_, i) => edit(i + 1)),
      check("src/*.ts")
    )
  )
  // The last: it tells the server texts that the tool does not know of.
  const uris = Array.from({ length: files - 1 }, (_, i) => Uri.fromPath(Path.join(root, name(i + 1))))
  const asked = Effect.forEach(
    uris,
    (uri) => connection!.request("textDocument/diagnostic", { textDocument: { uri } }),
    { concurrency: "unbounded" }
  )
  const least = yield* timed(
    Effect.andThen(
      Effect.forEach(uris, (uri, i) => {
        const text = `${Fs.readFileSync(Path.join(root, name(i + 1)), "utf8")}// changed again\n`
        const document = { textDocument: { uri, version: 1_000_000 }, contentChanges: [{ text }] }
        return connection!.notify("textDocument/didChange", document)
      }),
      asked
    )
  )
  console.log(
    `diagnostics  1 changed file ${one.toFixed(0)} ms, ${files - 1} changed files at once ${all.toFixed(0)} ms, ` +
      `of which the server's own answers take ${least.toFixed(0)} ms`
  )
})

/**
 * What diagnostics cost a write: of a file that no server covers, over the same write without the wrapper; and of one in a
 * project, over the server's own answers for the text before and the text after it.
 */
const writes = Effect.gen(function* () {
  const root = Fs.realpathSync(Fs.mkdtempSync(Path.join(Os.tmpdir(), "lsp-bench-")))
  const state = Fs.realpathSync(Fs.mkdtempSync(Path.join(Os.tmpdir(), "lsp-bench-state-")))
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const folder of [root, state]) Fs.rmSync(folder, { recursive: true, force: true })
    })
  )
  project(root)
  const context = yield* Layer.build(
    DiagnosticsOnWrite.layer({ warm: "1 minute", cold: "1 minute" }).pipe(
      Layer.provideMerge(
        NodeLanguageServers.layer({
          rows: Rows.shipped.filter(({ id }) => id === "typescript"),
          findBinary: () => Effect.succeed({ status: "found", command })
        })
      ),
      Layer.provideMerge(NodeEdits.layer({ stateFolder: state })),
      Layer.provideMerge(Layer.mergeAll(NodeProcesses.layer(), NodeWorkspace.layer({ root })))
    )
  )
  const bare = yield* Effect.provideContext(Surface.make([write]), context)
  const wrapped = yield* Effect.provideContext(Surface.make([WriteTools.files[0]]), context)
  const servers = yield* Effect.provideContext(LanguageServers, context)
  let count = 0
  const put = (surface: typeof bare | typeof wrapped, path: string, text: string) =>
    Effect.suspend(() => surface.call("write", { path, content: `${text}// ${++count}\n` }))

  yield* put(wrapped, "a.txt", "")
  const [without, uncovered] = yield* medians(rest, put(bare, "a.txt", ""), put(wrapped, "b.txt", ""))
  console.log(
    `write        p50 of ${times}, not covered: without ${without.toFixed(2)} ms, with ${uncovered.toFixed(2)} ms, ` +
      `${(uncovered - without).toFixed(2)} ms more (aim 1 ms)`
  )
  const text = Fs.readFileSync(Path.join(root, name(1)), "utf8")
  yield* put(wrapped, name(1), text)
  const paths = [Path.join(root, name(1))]
  // The two questions of a write: the text before it, and the text after it.
  const ask = Effect.andThen(
    servers.diagnostics(paths, { timeout: "1 minute" }),
    Effect.suspend(() => {
      Fs.writeFileSync(paths[0]!, `${text}// ${++count}\n`)
      return servers.diagnostics(paths, { timeout: "1 minute" })
    })
  )
  const [own, covered] = yield* medians(rest, ask, put(wrapped, name(1), text))
  console.log(
    `write        p50 of ${times}, covered: the answers ${own.toFixed(1)} ms, the write ${covered.toFixed(1)} ms, ` +
      `${(covered - own).toFixed(1)} ms more (aim 50 ms)`
  )
})

it.live("lsp", () => Effect.scoped(main), 300_000)

it.live("diagnostics on write", () => Effect.scoped(writes), 600_000)
