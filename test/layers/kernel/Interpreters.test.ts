import * as Fs from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Interpreters from "../../../layers/kernel/Interpreters.ts"
import { folder } from "../../support/Cli.ts"
import * as Kernels from "../../support/kernels.ts"

/** Programs that say which they are. */
const program = "#!/bin/sh\nexit 1\n"

const tree = (files: ReadonlyArray<string>) => {
  const made = folder(Object.fromEntries(files.map((file) => [file, program])))
  for (const file of files) Fs.chmodSync(made.path(file), 0o755)
  return made
}

const found = (root: string, options: Partial<Interpreters.Options>) =>
  Interpreters.find({ cwd: root, isTrusted: true, env: {}, ...options })

describe("which Python", () => {
  it("a file where an environment's folder is looked for is none", () => {
    const { path, remove, root } = tree([".venv", "bin/python3", "active"])
    const env = { PATH: path("bin"), VIRTUAL_ENV: path("active"), CONDA_PREFIX: path("active") }
    assert.deepStrictEqual(found(root, { env }), { candidates: [path("bin/python3")], skipped: [] })
    remove()
  })

  it("the project's environment before PATH, from the working directory up to the top of its repository", () => {
    const { path, remove, root } = tree([
      "repo/.venv/bin/python",
      "repo/.git/HEAD",
      "repo/app/venv/bin/python3",
      "bin/python3",
      ".venv/bin/python3"
    ])
    const env = { PATH: path("bin") }
    assert.deepStrictEqual(found(path("repo/app"), { env }).candidates, [
      path("repo/app/venv/bin/python3"),
      path("repo/.venv/bin/python"),
      path("bin/python3")
    ])
    // Without a repository nothing above is the project's.
    Fs.rmSync(path("repo/.git"), { recursive: true })
    assert.deepStrictEqual(found(path("repo/app"), { env }).candidates, [
      path("repo/app/venv/bin/python3"),
      path("bin/python3")
    ])
    assert.deepStrictEqual(found(root, { env: {} }).candidates, [path(".venv/bin/python3")])
    remove()
  })

  it("one that is activated: the project's own first, another one before PATH", () => {
    const { path, remove } = tree([
      "p/env/bin/python3",
      "p/.venv/bin/python3",
      "other/bin/python3",
      "conda/bin/python3",
      "bin/python3"
    ])
    assert.deepStrictEqual(found(path("p"), { env: { VIRTUAL_ENV: path("p/env") } }).candidates, [
      path("p/env/bin/python3"),
      path("p/.venv/bin/python3")
    ])
    const env = {
      VIRTUAL_ENV: path("other"),
      CONDA_PREFIX: path("conda"),
      PATH: `relative:${path("bin")}:${path("bin")}`
    }
    assert.deepStrictEqual(found(path("p"), { env }).candidates, [
      path("p/.venv/bin/python3"),
      path("other/bin/python3"),
      path("conda/bin/python3"),
      path("bin/python3")
    ])
    remove()
  })

  it("nothing from inside a project that is not trusted, and that is told", () => {
    const { path, remove } = tree(["p/.venv/bin/python3", "p/bin/python3", "bin/python3"])
    const { candidates, skipped } = found(path("p"), {
      isTrusted: false,
      env: { PATH: `${path("p/bin")}:${path("bin")}` }
    })
    assert.deepStrictEqual(candidates, [path("bin/python3")])
    assert.deepStrictEqual(skipped, [
      `${path("p/.venv/bin/python3")} is inside the project, which is not trusted`,
      `${path("p/bin/python3")} is inside the project, which is not trusted`
    ])
    remove()
  })

  it("the one of the settings, and no other", () => {
    const { path, remove } = tree([".venv/bin/python3", "bin/python3.11"])
    assert.deepStrictEqual(found(path("."), { python: "bin/python3.11" }).candidates, [path("bin/python3.11")])
    assert.deepStrictEqual(found(path("."), { python: "python3.11", env: { PATH: path("bin") } }).candidates, [
      path("bin/python3.11")
    ])
    assert.deepStrictEqual(found(path("."), { python: "python9" }), {
      candidates: [],
      skipped: ["the python of the settings, python9, is not on PATH"]
    })
    remove()
  })

  it.live(
    "one that does not work falls through with a note: a link into nothing, one that fails, one that is too old",
    () =>
      Effect.gen(function* () {
        const run = yield* Kernels.run({ candidates: {} })
        const file = (name: string) => Path.join(run.root, name)
        Fs.mkdirSync(file(".venv/bin"), { recursive: true })
        Fs.mkdirSync(file("venv/bin"), { recursive: true })
        Fs.symlinkSync("/no/such/python", file(".venv/bin/python"))
        Fs.writeFileSync(file("venv/bin/python"), "#!/bin/sh\necho broken libraries >&2\nexit 1\n", { mode: 0o755 })
        const { answer, value } = yield* run.cell(`print(6 * 7)`)
        assert.isFalse(answer.isFailure, answer.text)
        assert.strictEqual(Kernels.textOf(value, "stdout"), "42\n")
        assert.match(answer.text, /Note: .*\.venv\/bin\/python: .*there is no file.*; cells run on /)
        assert.match(
          answer.text,
          /Note: .*\/venv\/bin\/python: exited with code 1, saying: broken libraries; cells run on /
        )
      })
  )

  it.live("what the host's environment says of Python does not change a cell", () =>
    Effect.gen(function* () {
      const env = {
        ...process.env,
        PYTHONUNBUFFERED: "1",
        PYTHONWARNINGS: "error",
        PYTHONSTARTUP: "/no",
        PYTHONBREAKPOINT: "os.abort",
        SECRET: "s"
      }
      const run = yield* Kernels.run({ candidates: {}, env: { ...env, SECRET: undefined } })
      const names = ["PYTHONUNBUFFERED", "PYTHONWARNINGS", "PYTHONSTARTUP", "PYTHONBREAKPOINT", "SECRET"]
      const { value } = yield* run.cell(
        `import os, warnings\nwarnings.warn("w")\nprint([n for n in ${JSON.stringify(names)} if n in os.environ])`
      )
      assert.include(Kernels.textOf(value, "stdout"), "[]")
    })
  )

  it.live("the bytecode of its own modules is kept in the user's cache folder, and of no others there", () =>
    Effect.gen(function* () {
      const home = folder({ "taken/.cache": "a file" })
      const start = Effect.fnUntraced(function* (env: Record<string, string | undefined>) {
        const run = yield* Kernels.run({
          candidates: {},
          env: { ...process.env, XDG_CACHE_HOME: undefined, HOME: home.path("none"), ...env },
          files: { "mine.py": "x = 1\n" }
        })
        const { value } = yield* run.cell(`import sys, shlex, mine\nprint(sys.pycache_prefix, sys.dont_write_bytecode)`)
        assert.strictEqual(Kernels.textOf(value, "stdout"), "None False\n")
        assert.isTrue(Fs.existsSync(Path.join(run.root, "__pycache__")))
      }, Effect.scoped)
      const written = { PYTHONDONTWRITEBYTECODE: undefined }
      const kept = () =>
        Fs.readdirSync(home.root, { recursive: true, encoding: "utf8" }).filter((at) => at.endsWith("pyc"))
      yield* start({ ...written, XDG_CACHE_HOME: home.path("cache") })
      const first = kept()
      assert.isTrue(
        first.some((file) => /^cache\/livetools\/python\/.*\/livetools_kernel\/cells\./.test(file)),
        first.join()
      )
      assert.isTrue(first.every((file) => file.includes("/livetools_kernel/")))
      yield* start({ ...written, XDG_CACHE_HOME: "relative" })
      assert.strictEqual(kept().length, 2 * first.length)
      yield* start({ ...written, HOME: home.path("taken") })
      yield* start({ ...written, HOME: undefined })
      assert.strictEqual(kept().length, 2 * first.length)
      home.remove()
    })
  )
})
