/**
 * Structural search against ast-grep's native program, in turn, in one run: whole processes at two threads, the medians and
 * their ratio. Corpora are made from packages in the lock file; `npm run bench -- --corpus DIR` adds a folder of TypeScript.
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

const runs = 5
const most = 10_000
const packages = fileURLToPath(new URL("../../node_modules", import.meta.url))
const native = Path.join(packages, "@ast-grep/cli-linux-x64-gnu/ast-grep")

interface Corpus {
  readonly name: string
  readonly language: string
  readonly extension: string
  readonly root: string
  /** Made for this run, so that it may be changed. */
  readonly isCopy: boolean
  /** Pattern, what it stands for, the ratio that is aimed at, and how many matches are wanted. */
  readonly patterns: ReadonlyArray<readonly [pattern: string, kind: string, aim: number, cap?: number]>
}

const filesBelow = (folder: string, extension: string): ReadonlyArray<string> =>
  Fs.readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(extension))
    .map((entry) => Path.join(entry.parentPath, entry.name))
    .sort()

/** Copies files into a folder of their own: no ignore file of this repository is about them there. */
const copied = (from: ReadonlyArray<string>, extension: string): string => {
  const root = Fs.realpathSync(Fs.mkdtempSync(Path.join(Os.tmpdir(), "corpus-")))
  for (const file of from.flatMap((name) => filesBelow(Path.join(packages, name), extension))) {
    const { size } = Fs.statSync(file)
    if (size > 1_000_000 || file.endsWith(`.min${extension}`) || file.endsWith(`.d${extension}`)) continue
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
  const sources = ["effect/src", "@effect", "zod", "ai", "@ai-sdk", "prosemirror-view"]
  const modules = (
    "effect/dist @effect vitest vite undici highlight.js @redis @ai-sdk zod fast-check yaml ai lru-cache msgpackr " +
    "parse5 diff prosemirror-view marked acorn"
  ).split(" ")
  return [
    { name: "packages' TypeScript", root: copied(sources, ".ts"), isCopy: true, ...typescript },
    ...(own === undefined ? [] : [{ name: own, root: Fs.realpathSync(own), isCopy: false, ...typescript }]),
    {
      name: "packages' JavaScript",
      language: "javascript",
      extension: ".js",
      root: copied(modules, ".js"),
      isCopy: true,
      patterns: [
        ["zzzNotThere($A)", "absent", 0.25],
        ["Math.imul($A, $B)", "rare", 0.25],
        ["new Map($$$A)", "minority of files", 0.9],
        ["dual($A, $B)", "many files", 1.1],
        ["export const $A = $B", "most files", 1.1],
        ["$A || $B", "no useful literal", 1.7],
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
const short: Array<string> = []
const row = (cells: ReadonlyArray<string | number>) => {
  const line = `| ${cells.join(" | ")} |`
  table.push(line)
  console.log(line)
}
/** A row with its ratio, which is noted where it is above what is aimed at. */
const compare = (
  corpus: Corpus,
  pattern: string,
  kind: string,
  matches: string,
  times: readonly [number, number],
  aim: number,
  memory = ""
) => {
  const [theirs, ours] = times
  const ratio = ours / theirs
  row([
    corpus.name,
    `\`${pattern}\``,
    kind,
    matches,
    theirs.toFixed(0),
    ours.toFixed(0),
    ratio.toFixed(2),
    `≤ ${aim}`,
    memory
  ])
  if (ratio > aim) short.push(`${corpus.name}, \`${pattern}\` (${kind}): ${ratio.toFixed(2)}, aim ${aim}`)
}

const search = (corpus: Corpus, pattern: string): ReadonlyArray<string> => [
  "run",
  "-j",
  "2",
  "-p",
  pattern,
  "-l",
  corpus.language,
  "--json=stream",
  corpus.root
]

/** How long parsing alone takes in one thread, in milliseconds: no search that has to parse all is faster at one thread. */
const floor = async (corpus: Corpus): Promise<number> => {
  const texts = filesBelow(corpus.root, corpus.extension).map((file) => Fs.readFileSync(file, "utf8"))
  const megabytes = texts.reduce((sum, text) => sum + text.length, 0) / 1e6
  const language = (await Loader.make()).load(all.find(({ id }) => id === corpus.language)!)
  if (typeof language === "string") throw new Error(language)
  const started = performance.now()
  for (const text of texts) language.parse(text)?.delete()
  const milliseconds = performance.now() - started
  console.log(
    `${corpus.name}: ${texts.length} files, ${megabytes.toFixed(1)} MB; parsing alone takes ${milliseconds.toFixed(0)} ms in one ` +
      `thread (${((megabytes / milliseconds) * 1000).toFixed(1)} MB/s)`
  )
  return milliseconds
}

it("structural search", async () => {
  const titles = [
    "corpus",
    "pattern",
    "what",
    "matches (ast-grep, livetools)",
    "ast-grep ms",
    "livetools ms",
    "ratio",
    "aim"
  ]
  row([...titles, "MB (ast-grep, livetools)"])
  row([...titles, ""].map(() => "---"))
  for (const corpus of corpora()) {
    const parsing = await floor(corpus)
    for (const [index, [pattern, kind, aim, cap = most]] of corpus.patterns.entries()) {
      const theirs: Array<Ran> = []
      const ours: Array<Ran> = []
      const call = [`pattern=${pattern}`, `language=${corpus.language}`, `max_results=${cap}`]
      for (let turn = 0; turn < runs; turn++) {
        theirs.push(await run(native, search(corpus, pattern)))
        ours.push(await run(process.execPath, [Cli.bin, "call", "ast_grep", ...call, "--cwd", corpus.root, "--json"]))
      }
      const times = [theirs, ours].map((all) => median(all.map(({ milliseconds }) => milliseconds)))
      const [memoryA, memoryB] = [theirs, ours].map((all) => Math.max(...all.map(({ memory }) => memory)))
      const { value } = JSON.parse(ours[0]!.out) as { value: { total: number; total_is_exact: boolean } }
      const count = `${theirs[0]!.out.split("\n").length - 1}, ${value.total_is_exact ? "" : "≥ "}${value.total}`
      if (index === 0) {
        const ratio = (parsing / 2 / times[0]!).toFixed(2)
        row([
          corpus.name,
          "",
          "floor: parsing alone",
          "",
          times[0]!.toFixed(0),
          (parsing / 2).toFixed(0),
          ratio,
          "",
          ""
        ])
      }
      const memory = `${memoryA!.toFixed(0)}, ${memoryB!.toFixed(0)}`
      compare(corpus, pattern, kind, count, [times[0]!, times[1]!], aim, memory)
      if (memoryB! > Math.max(300, 1.5 * memoryA!))
        short.push(`${corpus.name}, \`${pattern}\`: ${memoryB!.toFixed(0)} MB`)
    }
    await warm(corpus)
    if (corpus.isCopy) Fs.rmSync(corpus.root, { recursive: true })
  }
  console.log(`\n${table.join("\n")}\n`)
  console.log(short.length === 0 ? "Nothing fell short." : `Fell short:\n${short.join("\n")}`)
  expect(table.length).toBeGreaterThan(2)
})

/** A search again in the same run, also after a file changed, and the memory after 200 searches. */
const warm = async (corpus: Corpus): Promise<void> => {
  const [pattern] = corpus.patterns.find(([, kind]) => kind === "most files")!
  const theirs: Array<number> = []
  for (let index = 0; index < runs; index++) theirs.push((await run(native, search(corpus, pattern))).milliseconds)
  const again = (what: string) =>
    Parsers.use((parsers) =>
      parsers.search({
        where: { root: corpus.root, start: corpus.root, kind: "directory" },
        pattern: what,
        language: corpus.language,
        limit: most
      })
    )
  const program = Effect.gen(function* () {
    yield* again(pattern)
    const repeated: Array<number> = []
    const changed: Array<number> = []
    const [file] = filesBelow(corpus.root, corpus.extension)
    for (let index = 0; index < runs; index++) {
      let started = performance.now()
      yield* again(pattern)
      repeated.push(performance.now() - started)
      if (!corpus.isCopy) continue
      Fs.appendFileSync(file!, "\n")
      started = performance.now()
      yield* again(pattern)
      changed.push(performance.now() - started)
    }
    const settle = Effect.sleep("300 millis")
    yield* settle
    const before = process.memoryUsage().rss
    for (let index = 0; index < 200; index++) yield* again(`f${index % 20}($A)`)
    yield* settle
    return { repeated, changed, growth: process.memoryUsage().rss / before }
  })
  const { changed, growth, repeated } = await Effect.runPromise(Effect.provide(program, NodeParsers.layer()))
  compare(corpus, pattern, "warm, again", "", [median(theirs), median(repeated)], 0.3)
  if (changed.length > 0) compare(corpus, pattern, "warm, a file changed", "", [median(theirs), median(changed)], 0.3)
  console.log(`${corpus.name}: resident memory after 200 searches is ${(growth * 100).toFixed(0)} % of what it was`)
  if (growth > 1.2) short.push(`${corpus.name}: memory after 200 searches ${(growth * 100).toFixed(0)} %, aim 120 %`)
}
