import { assert, describe, it } from "@effect/vitest"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Bwrap from "../support/Bwrap.ts"
import * as Cli from "../support/Cli.ts"

const withFolder = async <A>(
  files: Parameters<typeof Cli.folder>[0],
  body: (folder: ReturnType<typeof Cli.folder>) => Promise<A>
): Promise<A> => {
  const folder = Cli.folder(files)
  try {
    return await body(folder)
  } finally {
    folder.remove()
  }
}
const project = {
  "a.ts": "console.log(1)\nif (a) { b() }\n",
  "lib/b.py": "print('x')\n",
  ".gitignore": "out/\n",
  "out/c.ts": "console.log(2)\n"
}

describe("livetools tools", () => {
  it("shows the surface, and what a cap leaves out, with the reason", () =>
    withFolder(project, async ({ root }) => {
      const all = await Cli.run(["tools"], { cwd: root })
      assert.strictEqual(all.code, 0)
      assert.match(all.out, /^Tools of a run in .* \(cap exec\):$/m)
      assert.match(all.out, /^ {2}ast_grep +read +\S/m)
      assert.match(all.out, /^ {2}write +write +\S/m)
      const capped = await Cli.run(["tools", "--cap", "read", "--json"], { cwd: root })
      const { absent, tools } = JSON.parse(capped.out)
      assert.includeMembers(
        tools.map((tool: { name: string }) => tool.name),
        ["ast_grep", "read"]
      )
      assert.deepInclude(absent, { name: "write", tier: "write", missing: ["its tier is write, the cap is read"] })
      assert.strictEqual(capped.out.trim().split("\n").length, 1)
    }))

  it("of a folder that does not exist is wrong usage", () =>
    withFolder({}, async ({ root }) => {
      const ended = await Cli.run(["tools", "--cwd", "nowhere"], { cwd: root })
      assert.strictEqual(ended.code, 2)
      assert.match(ended.err, /nowhere does not exist/)
    }))

  it("every parameter of every tool says what it is, and every schema is closed", () =>
    withFolder(project, async ({ root }) => {
      const { tools } = JSON.parse((await Cli.run(["tools", "--json"], { cwd: root })).out)
      for (const { description, inputSchema, name } of tools) {
        assert.isAbove(description.length, 40, name)
        assert.isFalse(inputSchema.additionalProperties, name)
        for (const [key, schema] of Object.entries<{ description?: string }>(inputSchema.properties)) {
          assert.isAbove(schema.description?.length ?? 0, 15, `${name}.${key}`)
        }
      }
    }))
})

describe("livetools call", () => {
  it("finds code by shape and exits with 0", () =>
    withFolder(project, async ({ root }) => {
      const text = await Cli.run(["call", "ast_grep", "pattern=console.log($A)"], { cwd: root })
      assert.strictEqual(text.code, 0, text.err)
      assert.match(text.out, /a\.ts:1/)
      assert.notMatch(text.out, /c\.ts/)
      const json = await Cli.run(["call", "--json", "ast_grep", '{"pattern": "print($A)", "language": "py"}'], {
        cwd: root
      })
      const answer = JSON.parse(json.out)
      assert.deepNestedInclude(answer, { tool: "ast_grep", isFailure: false, "value.matches[0].path": "lib/b.py" })
      assert.deepStrictEqual(answer.value.matches[0].captures, { A: "'x'" })
      const stdin = await Cli.run(["call", "ast_grep", "-"], { cwd: root, input: '{"pattern": "print($A)"}\n' })
      assert.match(stdin.out, /lib\/b\.py:1/)
    }))

  it("exits with 2 for wrong usage, 1 for a tool that fails or is denied", () =>
    withFolder(project, async ({ root }) => {
      const code = async (...args: Array<string>) => (await Cli.run(["call", ...args], { cwd: root })).code
      assert.strictEqual(await code("nope"), 2)
      assert.strictEqual(await code("ast_grep"), 2)
      assert.strictEqual(await code("ast_grep", "pattern"), 2)
      assert.strictEqual(await code("ast_grep", "--nope"), 2)
      assert.strictEqual(await code("read", "path=missing.ts"), 1)
      assert.strictEqual(await code("ast_grep", "pattern=f("), 1)
      const denied = await Cli.run(["call", "write", "path=new.ts", "content=x"], { cwd: root })
      assert.strictEqual(denied.code, 1)
      assert.match(denied.err, /no_approver: .*--yes/s)
      assert.isFalse(Fs.existsSync(`${root}/new.ts`))
      assert.strictEqual(await code("write", "path=new.ts", "content=x", "--yes"), 0)
      assert.strictEqual(Fs.readFileSync(`${root}/new.ts`, "utf8"), "x")
    }))

  it("with --json prints nothing but the answer on standard output, also on wrong usage", () =>
    withFolder(project, async ({ root }) => {
      for (const args of [
        ["call", "ast_grep", "--json", "--cap", "foo"],
        ["tools", "--json", "--nope"],
        ["call", "--json"]
      ]) {
        const ended = await Cli.run(args, { cwd: root })
        assert.deepStrictEqual([ended.code, ended.out], [2, ""])
        assert.match(ended.err, /USAGE|ERROR/)
      }
      assert.match((await Cli.run(["--help"], { cwd: root })).out, /USAGE/)
    }))

  it("refuses paths that leave the directory, also by symbolic link", () =>
    withFolder({ "in/a.ts": "f(1)\n", "out/b.ts": "f(2)\n" }, async ({ path }) => {
      Fs.symlinkSync("../out", path("in/link"))
      for (const outside of ["../out", "link", "link/b.ts", path("out")]) {
        const ended = await Cli.run(["call", "--json", "ast_grep", "pattern=f($A)", `path=${outside}`], {
          cwd: path("in")
        })
        assert.strictEqual(JSON.parse(ended.out).code, "outside_directory", outside)
      }
    }))

  it("reads the project's settings where it is trusted, and names an unknown key", () =>
    withFolder({ ...project, "livetools.json": '{"cap": "read"}' }, async ({ path, root }) => {
      assert.match(
        (await Cli.run(["call", "write", "path=x", "content=y", "--yes"], { cwd: root })).err,
        /no tool `write`/
      )
      assert.strictEqual(
        (await Cli.run(["call", "write", "path=x", "content=y", "--yes", "--untrusted"], { cwd: root })).code,
        0
      )
      Fs.writeFileSync(path("livetools.json"), '{"kap": "read"}')
      const wrong = await Cli.run(["tools"], { cwd: root })
      assert.strictEqual(wrong.code, 2)
      assert.match(wrong.err, /livetools\.json: `kap` is not a setting\. Did you mean `cap`\?/)
    }))
})

describe("settings", () => {
  it("caps reach the tools", () =>
    withFolder(
      {
        "a.py": "f(1)\nf(2)\nf(3)\n",
        "livetools.json": '{"caps": {"ast_grep_file_bytes": 10, "read_file_bytes": 10}}'
      },
      async ({ root }) => {
        const grep = await Cli.run(["call", "--json", "ast_grep", "pattern=f($A)", "language=python"], { cwd: root })
        assert.deepInclude(JSON.parse(grep.out).value.skipped, { reason: "too large", count: 1 })
        const read = await Cli.run(["call", "--json", "read", "path=a.py"], { cwd: root })
        assert.strictEqual(JSON.parse(read.out).code, "too_large")
      }
    ))

  it.skipIf(!Bwrap.isUsable)(`an enclosure holds the cells${Bwrap.isUsable ? "" : ` (skipped: ${Bwrap.reason})`}`, () =>
    withFolder({ "livetools.json": '{"enclosure": {"kind": "bubblewrap"}}' }, async ({ root }) => {
      const outside = `${Os.homedir()}/livetools-outside-${process.pid}`
      const code = [
        "import socket",
        "open('inside.txt', 'w').write('x')",
        `for attempt in (lambda: open(${JSON.stringify(outside)}, 'w').close(), lambda: socket.create_connection(('127.0.0.1', 9), 2)):`,
        "    try: attempt(); print('done')",
        "    except OSError as error: print('refused')"
      ].join("\n")
      const params = JSON.stringify({ code, description: "try to get out of it" })
      const { out } = await Cli.run(["call", "--yes", "--json", "eval", params], { cwd: root })
      assert.deepStrictEqual(JSON.parse(out).value.outputs, [{ kind: "stdout", text: "refused\nrefused\n" }])
      assert.isTrue(Fs.existsSync(`${root}/inside.txt`))
      assert.isFalse(Fs.existsSync(outside))
    })
  )
})

describe("livetools run", () => {
  it("makes many calls in one run, from standard input or a file", () =>
    withFolder(project, async ({ path, root }) => {
      const calls =
        'write path=n.txt content="hello there"\n# a remark\n\n{"tool": "read", "params": {"path": "n.txt"}}\n'
      const piped = await Cli.run(["run", "--yes"], { cwd: root, input: calls })
      assert.strictEqual(piped.code, 0, piped.err)
      assert.match(piped.out, /hello there/)
      Fs.writeFileSync(path("calls"), `${calls}nope\nread path=\n`)
      const file = await Cli.run(["run", "--yes", "--json", "calls"], { cwd: root })
      assert.strictEqual(file.code, 2)
      const answers = file.out
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
      assert.deepStrictEqual(
        answers.map(({ isFailure, tool }) => [tool, isFailure]),
        [
          ["write", false],
          ["read", false],
          ["nope", true],
          ["read", true]
        ]
      )
      const missing = await Cli.run(["run", "nowhere"], { cwd: root })
      assert.strictEqual(missing.code, 2)
      assert.match(missing.err, /nowhere cannot be read/)
    }))
})

describe("livetools serve", () => {
  it("goes on after invalid JSON and a line of 100 MB, and ends with its input", () =>
    withFolder(project, async ({ root }) => {
      const serve = Cli.serve([], root)
      serve.write("{nope\n")
      assert.deepNestedInclude(await serve.find((m) => m.id === null), { "error.code": -32700 })
      const block = new Uint8Array(1024 * 1024).fill(120)
      for (let i = 0; i < 100; i++) serve.write(block)
      serve.write("\n")
      const long = (await serve.find((m) => m.id === null)) as unknown as { error: { message: string } }
      assert.match(long.error.message, /A line of 104857600 bytes was dropped/)
      const answer = await serve.call("ast_grep", { pattern: "console.log($A)" })
      assert.match(answer.text, /a\.ts:1/)
      serve.end()
      assert.strictEqual(await serve.closed, 0)
      assert.strictEqual(serve.errors(), "")
    }))

  it("answers everything that was asked before the end of input", () =>
    withFolder(project, async ({ root }) => {
      const lines = Array.from({ length: 20 }, (_, id) =>
        JSON.stringify({
          jsonrpc: "2.0",
          id,
          method: "tools.call",
          params: { tool: "ast_grep", params: { pattern: "console.log($A)" } }
        })
      )
      const ended = await Cli.run(["serve"], { cwd: root, input: `${lines.join("\n")}` })
      assert.strictEqual(ended.code, 0)
      const answers = ended.out
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
      assert.sameMembers(
        answers.map((answer) => answer.id),
        lines.map((_, id) => id)
      )
      for (const answer of answers) assert.isFalse(answer.result.isFailure)
    }))

  it("asks a connected human for approval", () =>
    withFolder(project, async ({ path, root }) => {
      const serve = Cli.serve([], root)
      await serve.request("initialize", { protocolVersion: 1, cards: true }).answer
      const call = serve.request("tools.call", { tool: "write", params: { path: "w.txt", content: "w" } })
      const opened = (await serve.find((m) => m.method === "cards.open")) as unknown as {
        params: { card: { card_id: string } }
      }
      assert.isFalse(Fs.existsSync(path("w.txt")))
      await serve.request("cards.answer", { card_id: opened.params.card.card_id, selected: ["Allow"] }).answer
      assert.deepNestedInclude(await call.answer, { "result.isFailure": false })
      assert.strictEqual(Fs.readFileSync(path("w.txt"), "utf8"), "w")
      serve.end()
      assert.strictEqual(await serve.closed, 0)
    }))

  it("ends on SIGTERM, with every call answered or cancelled", () =>
    withFolder(project, async ({ root }) => {
      const serve = Cli.serve([], root)
      await serve.call("ast_grep", { pattern: "console.log($A)" })
      serve.kill("SIGTERM")
      assert.strictEqual(await serve.closed, 130)
    }))
})
