import { assert, describe, it } from "@effect/vitest"
import * as Fs from "node:fs"
import { fileURLToPath } from "node:url"
import * as Cli from "../support/Cli.ts"
import * as Leftovers from "../support/Leftovers.ts"
import * as Terminal from "../support/Terminal.ts"

/** A model whose workers ask, or fail, or write, as their brief says. */
const workers = `
import { Effect, Layer, Stream } from "effect"
import { LanguageModel } from "effect/ai"
const say = (text, calls = []) => [{ type: "text", text }, ...calls.map(([name, params]) => ({ type: "tool-call", id: "c", name, params }))]
export default Layer.effect(LanguageModel.LanguageModel, LanguageModel.make({
  generateText: ({ prompt }) => Effect.gen(function* () {
    const seen = prompt.content.flatMap((m) => m.role === "tool" ? m.content.map((p) => String(p.result)) : [])
    if (JSON.stringify(prompt.content).includes("Fail now")) throw new Error("no such model")
    if (seen.length === 0) return say("I ask.", [["ask_user", { question: "Which colour?" }]])
    return say("I heard: " + seen.at(-1))
  }),
  streamText: () => Stream.die("not played")
}))
`
const project = {
  "src/a.ts": "console.log(1)\nconsole.log(2)\n",
  "src/about.ts": "export const b = 1\n",
  "README.md": "# Read me\n",
  "workers.mjs": workers
}
/** A language server that needs longer for its first answer than a write waits. */
const slowServer = `export default (server) => {
  server.on("initialize", () => ({ capabilities: { textDocumentSync: 1, diagnosticProvider: {} } }))
  server.on("textDocument/diagnostic", async ({ textDocument: { uri } }) => {
    await server.sleep(7000)
    const bad = [...server.documents.get(uri).text.matchAll(/bad (\\w+)/g)]
    return { kind: "full", items: bad.map(([, name]) => server.diagnostic(name, 0)) }
  })
}
`
const modules = fileURLToPath(new URL("../../node_modules", import.meta.url))

const on =
  (args: ReadonlyArray<string>, body: (screen: Terminal.Screen, root: string) => Promise<void>) => async () => {
    const folder = Cli.folder(project)
    Fs.symlinkSync(modules, folder.path("node_modules"))
    const screen = Terminal.open(args, folder.root)
    try {
      await body(screen, folder.root)
    } finally {
      screen.hangUp()
      await screen.closed
      folder.remove()
    }
  }

const suite = Terminal.missing === undefined ? describe : describe.skip

suite(
  `the console${Terminal.missing === undefined ? "" : ` (skipped: ${Terminal.missing})`}`,
  { timeout: 120_000 },
  () => {
    it(
      "makes typed calls and shows their answers, says what is wrong with a line, and ends with Ctrl-D",
      on([], async (screen, root) => {
        await screen.see(new RegExp(`livetools in ${root} \\(cap exec, \\d+ tools\\)`))
        screen.type("ast_grep pattern=console.log($A)\r")
        await screen.see(/2 matches.*\nsrc\/a\.ts:1: console\.log\(1\)\nsrc\/a\.ts:2: console\.log\(2\)/)
        screen.type("ast_gerp x=1\r")
        await screen.see(/There is no tool `ast_gerp` here\. Did you mean `ast_grep`\? Type :tools/)
        screen.type("read path=nope.txt\r")
        await screen.see(/not_found: .*nope\.txt/)
        screen.type("read pth=README.md\r")
        await screen.see(/invalid_params: .*`pth` is not a parameter of it\. Did you mean `path`\?/)
        screen.type('read {"path":\r')
        await screen.see(/… /)
        screen.type('"README.md"}\r')
        await screen.see(/# Read me/)
        screen.type(":help read\r")
        await screen.see(/read \(read\): .*\n {2}path {2}\(string\)/)
        screen.type(":tools\r")
        await screen.see(/Absent:\n(.*\n)* +vibe_spawn +read +vibe mode is off: start with `--vibe`/)
        screen.type("\u0004")
        assert.strictEqual(await screen.closed, 0)
      })
    )

    it(
      "completes tools, parameters, values and paths; remembers what was typed, in the next console too",
      on([], async (screen, root) => {
        await screen.see(/livetools> /)
        for (const [typed, shown] of [
          ["ast_g", /rep /],
          ["patt", /ern=/],
          ["b path=s", /rc\//],
          ["ab", /out\.ts/]
        ] as const) {
          screen.type(typed)
          await screen.see(new RegExp(typed))
          screen.type("\t")
          await screen.see(shown)
        }
        screen.type("\r")
        await screen.see(/1 match.*\nsrc\/about\.ts:1/)
        screen.type("lsp action=ref")
        await screen.see(/=ref/)
        screen.type("\t")
        await screen.see(/erences/)
        screen.type("\u0015\u0004")
        assert.strictEqual(await screen.closed, 0)
        const next = Terminal.open([], root)
        await next.see(/livetools> /)
        next.type("\u001b[A")
        await next.see(/ast_grep pattern=b path=src\/about\.ts/)
        next.type("\r")
        await next.see(/1 match/)
        next.hangUp()
        await next.closed
      })
    )

    it(
      "shows cards to be answered by number: an approval is asked, and what is no answer is asked again",
      on([], async (screen, root) => {
        await screen.see(/livetools> /)
        screen.type("write path=new.txt content=hello\r")
        await screen.see(/\[1\] May write run\?\npath: new\.txt\ncontent: hello\n {2}1 {2}Allow \(this call\)\n/)
        await screen.see(/\[1\] number, empty to skip: /)
        screen.type("7\r")
        await screen.see(/card_1 has no option 7\. Its options are 1: Allow/)
        assert.isFalse(Fs.existsSync(`${root}/new.txt`))
        screen.type("1\r")
        await screen.see(/created new\.txt: 1 line/)
        assert.strictEqual(Fs.readFileSync(`${root}/new.txt`, "utf8"), "hello")
        screen.type("write path=new.txt content=again\r")
        await screen.see(/\[2\] number/)
        screen.type("3\r")
        await screen.see(/denied: write was not run: the user said no/)
        screen.type("\u001b[A")
        await screen.see(/write path=new\.txt content=again/)
      })
    )

    it(
      "asks what a run asks: several options, pasted text of several lines, a skip; control characters reach no terminal",
      on([], async (screen) => {
        await screen.see(/livetools> /)
        const ask = (params: object) => screen.type(`ask_user ${JSON.stringify(params)}\r`)
        ask({
          question: "Which?",
          options: [{ label: "red", description: "warm" }, { label: "blue" }],
          multi_select: true
        })
        await screen.see(/\[1\] Which\?\n {2}1 {2}red \(warm\)\n {2}2 {2}blue\n/)
        await screen.see(/\[1\] numbers, empty to skip: /)
        screen.type("2, 1\r")
        await screen.see(/The user chose: blue, red/)
        ask({ question: "Why?\u001b[2J\u0007" })
        await screen.see(/\[2\] Why\?\\x1b\[2J\\x07[^]*\[2\] text, empty to skip: /)
        screen.type("\u001b[200~first\rsecond\r\u001b[201~third")
        await screen.see(/third/)
        screen.type("\r")
        await screen.see(/The user wrote: first\nsecond\nthird/)
        ask({ question: "And?" })
        await screen.see(/\[3\] text, empty to skip: /)
        screen.type("\r")
        await screen.see(/The user skipped the question/)
      })
    )

    it(
      "Ctrl-C cancels the call that runs and not the run; its card is withdrawn, and what was being typed is dropped",
      on([], async (screen) => {
        await screen.see(/livetools> /)
        screen.type("ask_user question=Why?\r")
        await screen.see(/\[1\] text/)
        screen.type("half an ans")
        await screen.see(/half an ans/)
        screen.type("\u0003")
        await screen.see(/\[1\] is withdrawn\.\n/)
        await screen.see(/ask_user was cancelled\.\n/)
        screen.type("read path=README.md\r")
        await screen.see(/# Read me/)
        screen.type("some")
        await screen.see(/some/)
        screen.type("\u0003")
        await screen.see(/Ctrl-D ends the run/)
        screen.type("read path=README.md\r")
        await screen.see(/# Read me/)
      })
    )

    it(
      "what is typed while a call runs is done after it",
      on(["--yes"], async (screen, root) => {
        await screen.see(/livetools> /)
        screen.type("write path=1.txt content=one\rread path=1.txt\rread path=README.md\r")
        await screen.see(/created 1\.txt[^]*one\n[^]*# Read me/)
        assert.isTrue(Fs.existsSync(`${root}/1.txt`))
        screen.type("ask_user question=Why?\r1\rread path=README.md\r")
        await screen.see(/\[1\] text, empty to skip: /)
        screen.type("because\r")
        await screen.see(/The user wrote: because\n[^]*no tool `1` here[^]*# Read me/)
        screen.type("\u001b[200~read path=1.txt\rread path=README.md\u001b[201~\r")
        await screen.see(/one\n[^]*# Read me/)
      })
    )

    it(
      "lets a worker's card be put aside, and keeps commands commands there: only what is typed for it is its answer",
      on(["--vibe", "--yes", "--model", "workers.mjs"], async (screen) => {
        await screen.see(/livetools> /)
        screen.type("vibe_spawn brief=Ask label=asker\r")
        await screen.see(/\[1\] worker_1 \(asker\) asks: Which colour\?[^]*\[1\] text, empty to skip: /)
        screen.type(":quitt\r")
        await screen.see(/no command `:quitt`.*To answer with it: `:answer :quitt`\.\n[^]*\[1\] text, empty to skip: /)
        screen.type(":help read\r")
        await screen.see(/read \(read\): [^]*\[1\] text, empty to skip: /)
        screen.type("read path=README.md\r")
        await screen.see(
          /That is a call, and a card is open: Ctrl-C puts it aside\. .*`:answer read path=README\.md`\.\n[^]*\[1\] text, empty to skip: /
        )
        screen.type("half an answer\u0003")
        await screen.see(/\[1\] is put aside, and whoever asks goes on waiting\. :card shows it again\.\n/)
        await screen.see(/\[1 aside\] livetools> /)
        screen.type("ask_user question=Why?\r")
        await screen.see(/\[2\] Why\?[^]*\[2\] text, empty to skip: /)
        screen.type("because\r")
        await screen.see(/The user wrote: because/)
        screen.type("vibe_wait worker_id=worker_1\r")
        await screen.see(/\[1 aside\] \(vibe_wait/)
        screen.type(":card\r")
        await screen.see(/\[1\] worker_1 \(asker\) asks: Which colour\?[^]*\[1\] text, empty to skip: /)
        screen.type(":answer :quit\r")
        await screen.see(/\[worker_1\] I heard: The user wrote: :quit\n[^]*\[worker_1\] \(Finished\.\)/)
        await screen.see(/worker_1 \(asker\) has finished/)
        screen.type("vibe_spawn brief=Ask label=asker\r")
        await screen.see(/\[3\] text, empty to skip: /)
        screen.type(":vibe off\r")
        await screen.see(/worker_2 \(asker\) was still at work and is stopped\.\n[^]*Vibe mode is off\.\n/)
        await screen.see(/\[3\] is withdrawn\.\n/)
        screen.type(":vibe on\rvibe_spawn brief=Ask label=asker\r")
        await screen.see(/\[4\] text, empty to skip: /)
        screen.type(":quit\r")
        await screen.see(/worker_3 \(asker\) was still at work and is stopped\.\n/)
        assert.strictEqual(await screen.closed, 0)
        assert.notInclude(screen.all(), "half an answer\n[worker_1]")
      })
    )

    it(
      "does not take for the answer of a card what is being typed when it comes",
      on(["--vibe", "--yes", "--model", "workers.mjs"], async (screen) => {
        await screen.see(/livetools> /)
        screen.type("vibe_spawn brief=Ask label=asker\r")
        const keys = [..."read path=README.md\r"]
        const typing = setInterval(() => {
          const key = keys.shift()
          if (key !== undefined) screen.type(key)
        }, 100)
        try {
          await screen.see(
            /Which colour\?[^]*livetools> read path=README\.md\n[^]*# Read me\n[^]*\[1\] text, empty to skip: /
          )
        } finally {
          clearInterval(typing)
        }
        screen.type("half a ca")
        screen.type("\u0003")
        await screen.see(/put aside/)
      })
    )

    it(
      "says that a worker has failed, and why",
      on(["--vibe", "--yes", "--model", "workers.mjs"], async (screen) => {
        await screen.see(/livetools> /)
        screen.type("vibe_spawn brief='Fail now' label=failer\r")
        await screen.see(
          /\[worker_1\] \(Failed: its language model \(workers\.mjs\) failed: .*threw Error: no such model/
        )
      })
    )

    it(
      "shows what a cell had printed that Ctrl-C cancels",
      on(["--yes"], async (screen) => {
        await screen.see(/livetools> /)
        screen.type("eval description='print and wait' code='\r")
        screen.type('import time\rfor n in range(3): print("row", n, flush=True)\rtime.sleep(600)\'\r')
        await screen.see(/\(eval .*row 2\)/)
        screen.type("read path=README.md\r:help read\r")
        await screen.see(/read \(read\): [^]*\(eval \d+ s; 1 to do after it row 2\)/)
        screen.type("\u0003")
        await screen.see(/Not done any more: read path=README\.md\n/)
        await screen.see(/eval was cancelled\. It had shown:\nrow 0\nrow 1\nrow 2\n/)
      })
    )

    it(
      "brings back a cell of several lines whole, in the next console too, and completes a path with spaces",
      on(["--yes"], async (screen, root) => {
        Fs.mkdirSync(`${root}/my notes`)
        Fs.writeFileSync(`${root}/my notes/to do.txt`, "rest\n")
        await screen.see(/livetools> /)
        screen.type("eval description='count some rows' code='\rfor n in range(2):\r  print(\"row\", n)'\r")
        await screen.see(/row 0\nrow 1\n/)
        screen.type("read path=my\t")
        await screen.see(/my\\ notes\//)
        screen.type("t\t")
        await screen.see(/to\\ do\.txt/)
        screen.type("\r")
        await screen.see(/rest\n/)
        screen.type("\u001b[A\u001b[A\r")
        await screen.see(/row 0\nrow 1\n/)
        screen.type("\u0004")
        assert.strictEqual(await screen.closed, 0)
        const next = Terminal.open(["--yes"], root)
        await next.see(/livetools> /)
        next.type("\u001b[A\r")
        await next.see(/row 0\nrow 1\n/)
        next.hangUp()
        await next.closed
      })
    )

    it(
      "says what a write turned out to have caused as soon as that is known, where nothing more is called",
      on(["--yes"], async (_, root) => {
        Fs.writeFileSync(`${root}/slow.mjs`, slowServer)
        const slow = {
          languages: [{ id: "t", extensions: [".t"] }],
          markers: ["livetools.json"],
          binary: { name: process.execPath },
          args: [fileURLToPath(new URL("../support/FakeLanguageServer.mjs", import.meta.url)), "slow.mjs", "slow.log"]
        }
        Fs.writeFileSync(`${root}/livetools.json`, JSON.stringify({ servers: { slow } }))
        const next = Terminal.open(["--yes"], root)
        try {
          await next.see(/livetools> /)
          next.type("write path=a.t content='bad thing'\r")
          await next.see(/created a\.t[^]*diagnostics: .*\n/)
          await next.see(/introduced 1 error[^]*a\.t:1 error .*thing/)
        } finally {
          next.hangUp()
          await next.closed
        }
      })
    )

    it(
      "goes on after Ctrl-Z and its continuation",
      on([], async (screen) => {
        await screen.see(/livetools> /)
        screen.type("\u001a")
        // It may not have taken the key yet, and a continuation without it does nothing.
        const again = setInterval(() => {
          for (const pid of Leftovers.tree(screen.pid)) process.kill(pid, "SIGCONT")
        }, 300)
        try {
          await screen.see(/livetools> /)
        } finally {
          clearInterval(again)
        }
        screen.type("read path=README.md\r")
        await screen.see(/# Read me/)
      })
    )

    it(
      "turns vibe mode on and off: the tools come and go",
      on([], async (screen) => {
        await screen.see(/livetools> /)
        screen.type("vibe_list\r")
        await screen.see(/vibe_list is not here: vibe mode is off: .*`:vibe on`/)
        screen.type(":vibe on\r")
        await screen.see(/Vibe mode is on/)
        screen.type("vibe_list\r")
        await screen.see(/No worker was spawned in this run/)
        screen.type(":vibe off\r")
        await screen.see(/Vibe mode is off/)
        screen.type("vibe_list\r")
        await screen.see(/vibe_list is not here: vibe mode is off/)
      })
    )

    it(
      "a terminal that is closed in mid-question ends the run, and nothing is left",
      on([], async (screen) => {
        await screen.see(/livetools> /)
        screen.type("ask_user question=Why?\r")
        await screen.see(/\[1\] text/)
        const pids = Leftovers.tree(screen.pid)
        assert.isAbove(pids.length, 1)
        screen.hangUp()
        await screen.closed
        for (let i = 0; i < 100 && pids.some(Leftovers.isRunning); i++)
          await new Promise((done) => setTimeout(done, 100))
        assert.deepStrictEqual(pids.filter(Leftovers.isRunning), [])
      })
    )
  }
)

suite(
  `livetools call on a terminal${Terminal.missing === undefined ? "" : ` (skipped: ${Terminal.missing})`}`,
  { timeout: 120_000 },
  () => {
    it(
      "asks for approval and questions there",
      on(["call", "write", "path=w.txt", "content=w"], async (screen, root) => {
        await screen.see(/\[1\] May write run\?[^]*\[1\] number, empty to skip: /)
        screen.type("1\r")
        await screen.see(/created w\.txt/)
        assert.strictEqual(await screen.closed, 0)
        assert.strictEqual(Fs.readFileSync(`${root}/w.txt`, "utf8"), "w")
      })
    )

    it(
      "does not take for an answer what was typed before the question was shown",
      on(["call", "write", "path=w.txt", "content=w"], async (screen, root) => {
        screen.type("1\r")
        await screen.see(/\[1\] May write run\?/)
        screen.type("1\r")
        await screen.see(/\[1\] number, empty to skip: /)
        assert.isFalse(Fs.existsSync(`${root}/w.txt`))
        screen.type("3\r")
        await screen.see(/denied: write was not run/)
        assert.strictEqual(await screen.closed, 1)
        assert.isFalse(Fs.existsSync(`${root}/w.txt`))
      })
    )

    it(
      "Ctrl-D in a question is no answer: nobody is connected any more",
      on(["call", "ask_user", "question=Why?"], async (screen) => {
        await screen.see(/\[1\] text/)
        screen.type("\u0004")
        await screen.see(/nobody_connected: No human is connected/)
        assert.strictEqual(await screen.closed, 1)
      })
    )

    it(
      "Ctrl-C in a cell ends the run with what the cell had printed",
      on(
        [
          "call",
          "--yes",
          "eval",
          "description=print and wait",
          "code=import time\nprint('row 1', flush=True)\nopen('printed', 'w').close()\ntime.sleep(600)"
        ],
        async (screen, root) => {
          while (!Fs.existsSync(`${root}/printed`)) await new Promise((done) => setTimeout(done, 100))
          screen.type("\u0003")
          await screen.see(/eval was cancelled\. It had shown:\nrow 1\n/)
          assert.strictEqual(await screen.closed, 130)
        }
      )
    )

    it(
      "Ctrl-C in a question ends the run",
      on(["call", "ask_user", "question=Why?"], async (screen) => {
        await screen.see(/\[1\] text/)
        screen.type("\u0003")
        assert.strictEqual(await screen.closed, 130)
        assert.notMatch(screen.all(), /skipped|The user/)
      })
    )
  }
)
