/**
 * Structural search against ast-grep's native program, in turn, in one run: whole processes at two threads, the medians and
 * their ratio. Corpora are made from packages in the lock file; `LIVETOOLS_CORPUS=DIR` (typescript) adds one.
 */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import { all } from "../../grammars/index.ts"
import * as Loader from "../../layers/syntax/Loader.ts"
import * as NodeParsers from "../../layers/syntax/NodeParsers.ts"
import { Parsers } from "../../src/syntax/Parsers.ts"
import * as Cli from "../support/Cli.ts"

const runs = 3
const most = 10_000
const packages = fileURLToPath(new URL("../../node_modules", import.meta.url))
const native = Path.join(packages, "@ast-grep/cli-linux-x64-gnu/ast-grep")

interface Corpus {
  readonly name: string
  readonly language: string
  readonly extension: string
  readonly root: string
  /** Pattern, what it stands for, and the ratio that is aimed at. */
  readonly patterns: ReadonlyArray<readonly [pattern: string, kind: string, aim: number, cap?: number]>
}

const filesBelow = (folder: string, extension: string): ReadonlyArray<string> =>
  Fs.readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(extension))
    .map((entry) => Path.join(entry.parentPath, entry.name))
    .sort()

/** Copies files into a folder of their own: no ignore file of this repository is about them there. */
const copied = (from: ReadonlyArray<string>, extension: string, bytes: number): string => {
  const root = Fs.mkdtempSync(Path.join(Os.tmpdir(), "corpus-"))
  let left = bytes
  for (const file of from.flatMap((name) => filesBelow(Path.join(packages, name), extension))) {
    const { size } = Fs.statSync(file)
    if (size > 1_000_000 || file.endsWith(`.min${extension}`)) continue
    if ((left -= size) < 0) break
    const to = Path.join(root, Path.relative(packages, file).replaceAll("node_modules", "modules"))
    Fs.mkdirSync(Path.dirname(to), { recursive: true })
    Fs.copyFileSync(file, to)
  }
  return root
}

const corpora = (): ReadonlyArray<Corpus> => {
  const own = process.env["LIVETOOLS_CORPUS"]
  const typescript = {
    language: "typescript",
    extension: ".ts",
    patterns: [
      ["zzzNotThere($A)", "absent", 0.25],
      ["Math.imul($A, $B)", "rare", 0.25],
      ["console.log($$$A)", "minority of files", 0.9],
      ["Effect.map($A, $B)", "minority of files", 0.9],
      ["pipe($$$A)", "many files", 1.1],
      ["dual($A, $B)", "most files", 1.1],
      ["if ($C) { $$$B }", "no useful literal", 1.7],
      ["$A ? $B : $C", "no useful literal", 1.7],
      ["if ($C) { $$$B }", "cap of 50", 0.6, 50]
    ]
  } as const
  return [
    { name: "effect/src", root: copied(["effect/src"], ".ts", 25_000_000), ...typescript },
    ...(own === undefined ? [] : [{ name: own, root: Fs.realpathSync(own), ...typescript }]),
    {
      name: "packages' JavaScript",
      language: "javascript",
      extension: ".js",
      root: copied(
        ["effect/dist", "@effect", "vite", "zod", "ai", "yaml", "highlight.js", "parse5", "prosemirror-view"],
        ".js",
        25_000_000
      ),
      patterns: [
        ["zzzNotThere($A)", "absent", 0.25],
        ["Math.imul($A, $B)", "rare", 0.25],
        ["new Map($$$A)", "minority of files", 0.9],
        ["dual($A, $B)", "most files", 1.1],
        ["$A ? $B : $C", "no useful literal", 1.7],
        ["if ($C) { $$$B }", "cap of 50", 0.6, 50]
      ]
    }
  ]
}

interface Ran {
  readonly milliseconds: number
  /** Highest resident memory, in MB; 0 where the system does not tell. */
  readonly memory: number
  readonly out: string
}

const run = (command: string, args: ReadonlyArray<string>): Promise<Ran> =>
  new Promise((resolve) => {
    const started = performance.now()
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "ignore"], cwd: Os.tmpdir() })
    let out = ""
    let memory = 0
    const look = () => {
      try {
        const status = Fs.readFileSync(`/proc/${child.pid}/status`, "utf8")
        memory = Math.max(memory, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024)
      } catch {}
    }
    const timer = setInterval(look, 10)
    child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text))
    child.on("close", () => {
      clearInterval(timer)
      resolve({ milliseconds: performance.now() - started, memory, out })
    })
  })

const median = (values: ReadonlyArray<number>) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!

const table: Array<string> = []
const row = (cells: ReadonlyArray<string | number>) => {
  const line = `| ${cells.join(" | ")} |`
  table.push(line)
  console.log(line)
}

it("structural search", async () => {
  const short: Array<string> = []
  row([
    "corpus",
    "pattern",
    "what",
    "matches",
    "ast-grep ms",
    "livetools ms",
    "ratio",
    "aim",
    "MB (ast-grep, livetools)"
  ])
  for (const corpus of corpora()) {
    const files = filesBelow(corpus.root, corpus.extension)
    const texts = files.map((file) => Fs.readFileSync(file, "utf8"))
    const megabytes = texts.reduce((sum, text) => sum + text.length, 0) / 1e6

    const language = (await Loader.make()).load(all.find(({ id }) => id === corpus.language)!)
    if (typeof language === "string") throw new Error(language)
    const parseStarted = performance.now()
    for (const text of texts) language.parse(text)?.delete()
    const floor = performance.now() - parseStarted
    console.log(
      `${corpus.name}: ${files.length} files, ${megabytes.toFixed(1)} MB; floor: parsing all of it in one thread takes ${floor.toFixed(0)} ms ` +
        `(${((megabytes / floor) * 1000).toFixed(1)} MB/s)`
    )

    for (const [pattern, kind, aim, cap = most] of corpus.patterns) {
      const theirs: Array<Ran> = []
      const ours: Array<Ran> = []
      const call = [`pattern=${pattern}`, `language=${corpus.language}`, `max_results=${cap}`]
      for (let index = 0; index < runs; index++) {
        theirs.push(
          await run(native, ["run", "-j", "2", "-p", pattern, "-l", corpus.language, "--json=stream", corpus.root])
        )
        ours.push(await run(process.execPath, [Cli.bin, "call", "ast_grep", ...call, "--cwd", corpus.root, "--json"]))
      }
      const [a, b] = [theirs, ours].map((all) => median(all.map(({ milliseconds }) => milliseconds))) as [
        number,
        number
      ]
      const [memoryA, memoryB] = [theirs, ours].map((all) => Math.max(...all.map(({ memory }) => memory))) as [
        number,
        number
      ]
      const { value } = JSON.parse(ours[0]!.out) as { value: { total: number; total_is_exact: boolean } }
      const ratio = b / a
      const count = `${theirs[0]!.out.split("\n").length - 1}, ${value.total_is_exact ? "" : "≥ "}${value.total}`
      row([
        corpus.name,
        `\`${pattern}\``,
        kind,
        count,
        a.toFixed(0),
        b.toFixed(0),
        ratio.toFixed(2),
        `≤ ${aim}`,
        `${memoryA.toFixed(0)}, ${memoryB.toFixed(0)}`
      ])
      if (ratio > aim) short.push(`${corpus.name} ${pattern} (${kind}): ${ratio.toFixed(2)}, aim ${aim}`)
      if (memoryB > Math.max(300, 1.5 * memoryA)) short.push(`${corpus.name} ${pattern}: ${memoryB.toFixed(0)} MB`)
    }
    short.push(...(await warm(corpus)))
    if (corpus.root.startsWith(Os.tmpdir())) Fs.rmSync(corpus.root, { recursive: true })
  }
  console.log(short.length === 0 ? "Nothing fell short." : `Fell short:\n${short.join("\n")}`)
  expect(table.length).toBeGreaterThan(1)
})

/** A search again in the same run, also after a file changed, and the memory after 200 searches. */
const warm = async (corpus: Corpus): Promise<ReadonlyArray<string>> => {
  const short: Array<string> = []
  const [pattern] = corpus.patterns.find(([, kind]) => kind === "most files")!
  const theirs: Array<number> = []
  for (let index = 0; index < runs; index++) {
    theirs.push(
      (await run(native, ["run", "-j", "2", "-p", pattern, "-l", corpus.language, "--json=stream", corpus.root]))
        .milliseconds
    )
  }
  const search = (what: string) =>
    Parsers.use((parsers) =>
      parsers.search({
        where: { root: corpus.root, start: corpus.root, kind: "directory" },
        pattern: what,
        language: corpus.language,
        limit: most
      })
    )
  const program = Effect.gen(function* () {
    yield* search(pattern)
    const again: Array<number> = []
    const changed: Array<number> = []
    const isCopy = corpus.root.startsWith(Os.tmpdir())
    const [file] = filesBelow(corpus.root, corpus.extension)
    for (let index = 0; index < runs; index++) {
      let started = performance.now()
      yield* search(pattern)
      again.push(performance.now() - started)
      if (!isCopy) continue
      Fs.appendFileSync(file!, "\n")
      started = performance.now()
      yield* search(pattern)
      changed.push(performance.now() - started)
    }
    const settle = Effect.sleep("300 millis")
    yield* settle
    const before = process.memoryUsage().rss
    for (let index = 0; index < 200; index++) yield* search(`f${index % 20}($A)`)
    yield* settle
    const after = process.memoryUsage().rss
    return { again, changed, growth: after / before }
  })
  const { again, changed, growth } = await Effect.runPromise(Effect.provide(program, NodeParsers.layer()))
  const base = median(theirs)
  for (const [what, times] of [
    ["warm, again", again],
    ["warm, a file changed", changed]
  ] as const) {
    if (times.length === 0) continue
    const ratio = median(times) / base
    row([
      corpus.name,
      `\`${pattern}\``,
      what,
      "",
      base.toFixed(0),
      median(times).toFixed(0),
      ratio.toFixed(2),
      "≤ 0.3",
      ""
    ])
    if (ratio > 0.3) short.push(`${corpus.name} ${pattern} (${what}): ${ratio.toFixed(2)}, aim 0.3`)
  }
  console.log(`${corpus.name}: memory after 200 searches is ${(growth * 100).toFixed(0)} % of what it was`)
  if (growth > 1.2) short.push(`${corpus.name}: memory after 200 searches ${(growth * 100).toFixed(0)} %`)
  return short
}
