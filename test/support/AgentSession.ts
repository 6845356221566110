/** The session that the scripted model plays with `livetools agent`, on a terminal, in a small project of TypeScript and Python. */
import { assert } from "@effect/vitest"
import * as Fs from "node:fs"
import { fileURLToPath } from "node:url"
import * as Cli from "./Cli.ts"
import * as Terminal from "./Terminal.ts"

/** For `--model`. */
export const model = fileURLToPath(new URL("scriptedSession.mjs", import.meta.url))
const modules = fileURLToPath(new URL("../../node_modules", import.meta.url))

const project = {
  "src/greet.ts":
    "export const greet = (name: string): string => {\n  console.log(name)\n  return `hello ${name}`\n}\n",
  "src/main.ts": 'import { greet } from "./greet.ts"\ngreet("you")\n',
  "total.py": "total = 0\nfor n in [1, 2, 3]:\n    total += n\nprint(total)\n",
  "package.json": '{"type":"module"}\n',
  "pyproject.toml": "[project]\nname = 'total'\nversion = '1'\n",
  "tsconfig.json":
    '{"compilerOptions":{"strict":true,"noEmit":true,"allowImportingTsExtensions":true,"module":"NodeNext","target":"ES2022"},"include":["src"]}\n'
}

/** Runs it in the project, in which the TypeScript of this repository is installed; removes the project. */
export const inCheckout = async (body: (folder: ReturnType<typeof Cli.folder>) => Promise<void>): Promise<void> => {
  const folder = Cli.folder(project)
  Fs.symlinkSync(modules, folder.path("node_modules"))
  try {
    await body(folder)
  } finally {
    folder.remove()
  }
}

/** Plays it, and checks what it shows and leaves in the files; gives the names of the tools that were called. */
export const play = async (environment: NodeJS.ProcessEnv = {}): Promise<string> => {
  let called = ""
  await inCheckout(async ({ read, root }) => {
    const screen = Terminal.open(["agent", "--yes", "--vibe", "--model", model, "Play it"], root, environment)
    try {
      await screen.see(/> ast_edit [^]*\(proposed\) 1 replacement[^]*accepted edit_1/)
      await screen.see(/This introduced 1 error:\n.*src\/greet\.ts:3 error 2322/)
      await screen.see(/renamed `greet` to `welcome`: 3 edits in 2 files/)
      await screen.see(/\[1\] Which greeting\?[^]*\[1\] number, empty to skip: /)
      screen.type("2\r")
      await screen.see(/The user chose: hi/)
      const end = await screen.see(/(All \d+ steps are done: .*\.|Step \d+ .*went wrong[^]*)\n/)
      called = /steps are done: (.*)\.\n$/.exec(end)?.[1] ?? end
      assert.strictEqual(await screen.closed, 0, called)
      assert.match(screen.all(), /\[worker_2\] > write \{"path":"NOTES\.md"/)
      assert.strictEqual(read("NOTES.md"), "# Notes\n")
      assert.strictEqual(read("src/main.ts"), 'import { welcome } from "./greet.ts"\nwelcome("you")\n')
      assert.include(read("src/greet.ts"), "console.info(name)")
      const log = Fs.readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) =>
        name.endsWith("worker_1.jsonl")
      )
      const events = read(log[0]!)
        .trim()
        .split("\n")
        .map((line) => (JSON.parse(line) as { event: string }).event)
      assert.deepStrictEqual([events[0], events.at(-1)], ["spawned", "finished"])
    } finally {
      screen.hangUp()
      await screen.closed
    }
  })
  assert.match(
    called,
    /^ast_grep ast_edit resolve edit edit lsp_rename debug .*eval ask_user vibe_spawn vibe_spawn vibe_wait vibe_wait$/
  )
  return called
}
