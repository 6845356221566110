import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Layer } from "effect"
import * as NodeWorkspace from "../../../layers/workspace/NodeWorkspace.ts"
import type * as Answer from "../../../src/Answer.ts"
import * as Read from "../../../src/harness/Read.ts"
import * as Surface from "../../../src/Surface.ts"

const read = Read.make()

type Files = Readonly<Record<string, string | Uint8Array>>

interface Directory {
  readonly root: string
  readonly fs: FileSystem.FileSystem
  readonly read: (
    path: string,
    range?: { readonly start_line?: number; readonly line_count?: number }
  ) => Effect.Effect<Answer.Answer>
}

/** Runs with `read` on a directory of its own. */
const withFiles = <E>(files: Files, use: (directory: Directory) => Effect.Effect<void, E>) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const root = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
    for (const [path, content] of Object.entries(files)) {
      yield* fs.makeDirectory(`${root}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true })
      yield* fs.writeFile(`${root}/${path}`, typeof content === "string" ? new TextEncoder().encode(content) : content)
    }
    const surface = yield* Effect.provide(
      Surface.make([read]),
      Layer.merge(NodeWorkspace.layer({ root }), NodeServices.layer)
    )
    yield* use({ root, fs, read: (path, range) => surface.call("read", { path, ...range }) })
  }).pipe(Effect.provide(NodeServices.layer))

const success = (answer: Answer.Answer): Answer.Success =>
  answer.isFailure ? assert.fail(`${answer.code}: ${answer.text}`) : answer

const failure = (answer: Answer.Answer): Answer.Failure => (answer.isFailure ? answer : assert.fail(answer.text))

const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join("")

describe("read", () => {
  it("gives a text as its value, whatever the text is made of", () => {
    assert.deepStrictEqual(read.resultSchema["type"], "string", JSON.stringify(read.resultSchema))
  })

  it.live("gives the contents exactly: line ends, byte order mark, no last newline", () =>
    withFiles(
      { "a.txt": "one\r\ntwo\n\nthree 😀", "b.txt": "\uFEFFmark\n", "empty.txt": "", "dir/c.txt": "c\n" },
      ({ read, root }) =>
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* read("a.txt"), {
            isFailure: false,
            text: "one\r\ntwo\n\nthree 😀",
            value: "one\r\ntwo\n\nthree 😀"
          })
          assert.deepStrictEqual(yield* read("b.txt"), { isFailure: false, text: "mark\n", value: "\uFEFFmark\n" })
          assert.deepStrictEqual(yield* read("empty.txt"), { isFailure: false, text: "[the file is empty]", value: "" })
          assert.strictEqual(success(yield* read("empty.txt", { start_line: 1 })).value, "")
          assert.strictEqual(success(yield* read("dir/c.txt")).value, "c\n")
          assert.strictEqual(success(yield* read(`${root}/dir/c.txt`)).value, "c\n")
        })
    )
  )

  it.live("gives the lines of a range and says where it stands in the file", () =>
    withFiles({ "a.txt": "1\r\n2\n3\n4" }, ({ read }) =>
      Effect.gen(function* () {
        const range = (start_line: number | undefined, line_count?: number) =>
          Effect.map(
            read("a.txt", {
              ...(start_line === undefined ? {} : { start_line }),
              ...(line_count === undefined ? {} : { line_count })
            }),
            (answer) => [success(answer).value, success(answer).text]
          )
        assert.deepStrictEqual(yield* range(1, 1), ["1\r\n", "1\r\n[line 1 of 4]"])
        assert.deepStrictEqual(yield* range(2, 2), ["2\n3\n", "2\n3\n[lines 2-3 of 4]"])
        assert.deepStrictEqual(yield* range(3), ["3\n4", "3\n4\n[lines 3-4 of 4, the end of the file]"])
        assert.deepStrictEqual(yield* range(4, 10), ["4", "4\n[line 4 of 4, the end of the file]"])
        assert.deepStrictEqual(yield* range(undefined, 2), ["1\r\n2\n", "1\r\n2\n[lines 1-2 of 4]"])
        const beyond = failure(yield* read("a.txt", { start_line: 5 }))
        assert.strictEqual(beyond.code, "invalid_params")
        assert.strictEqual(beyond.text, "a.txt has 4 lines: there is no line 5 in it.")
        assert.strictEqual(failure(yield* read("a.txt", { start_line: 0 })).code, "invalid_params")
        assert.strictEqual(failure(yield* read("a.txt", { line_count: 1.5 })).code, "invalid_params")
      })
    )
  )

  it.live("gives any range of any text as its lines are", () =>
    Effect.gen(function* () {
      const texts = [
        "a",
        "a\n",
        "a\nb",
        "a\r\n\r\nb\n",
        "\n",
        "\n\n\n",
        lines(50),
        `${"x".repeat(300_000)}\n${lines(3)}`
      ]
      yield* withFiles(Object.fromEntries(texts.map((text, index) => [`${index}`, text])), ({ read }) =>
        Effect.forEach(
          texts,
          (text, index) =>
            Effect.gen(function* () {
              const all = text.match(/[^\n]*\n|[^\n]+$/g) ?? []
              for (const start_line of [1, 2, all.length, all.length + 1]) {
                for (const line_count of [1, 2, all.length, 1000]) {
                  const answer = yield* read(`${index}`, { start_line, line_count })
                  if (start_line > all.length) assert.isTrue(answer.isFailure)
                  else {
                    const wanted = all.slice(start_line - 1, start_line - 1 + line_count).join("")
                    assert.strictEqual(success(answer).value, wanted, `${index} ${start_line} ${line_count}`)
                  }
                }
              }
            }),
          { discard: true }
        )
      )
    })
  )

  it.live("shows a model the beginning of a long file, and the value has it all", () =>
    withFiles({ "long.txt": lines(5000), "wide.txt": `${"w".repeat(150_000)}\nend\n` }, ({ read }) =>
      Effect.gen(function* () {
        const long = success(yield* read("long.txt"))
        assert.strictEqual(long.value, lines(5000))
        assert.strictEqual(long.text, `${lines(2000)}[lines 1-2000 of 5000; go on with start_line 2001]`)
        assert.strictEqual(
          success(yield* read("long.txt", { start_line: 2001 }))
            .text.split("\n")
            .at(-1),
          "[lines 2001-4000 of 5000; go on with start_line 4001]"
        )
        const wide = success(yield* read("wide.txt"))
        assert.isTrue(
          wide.text.endsWith("\n[line 1 of 2, its first 100000 characters: it is too long to show more of it]")
        )
        assert.strictEqual(success(yield* read("wide.txt", { start_line: 2 })).value, "end\n")
      })
    )
  )

  it.live("refuses what is above 10 MiB without a range, and reads a range of it", () =>
    withFiles({ "big.txt": lines(1_000_000), "one-line": "x".repeat(11 * 1024 * 1024) }, ({ read }) =>
      Effect.gen(function* () {
        const whole = failure(yield* read("big.txt"))
        assert.strictEqual(whole.code, "too_large")
        assert.match(whole.text, /^big\.txt has 11\.3 MiB, above the 10\.0 MiB .*`start_line` and `line_count`/)
        assert.deepStrictEqual(yield* read("big.txt", { start_line: 3, line_count: 2 }), {
          isFailure: false,
          text: "line 3\nline 4\n[lines 3-4; the file goes on]",
          value: "line 3\nline 4\n"
        })
        assert.deepStrictEqual(yield* read("big.txt", { start_line: 1_000_000 }), {
          isFailure: false,
          text: "line 1000000\n[line 1000000 of 1000000, the end of the file]",
          value: "line 1000000\n"
        })
        assert.match(failure(yield* read("big.txt", { start_line: 1_000_001 })).text, /has 1000000 lines/)
        const range = failure(yield* read("big.txt", { start_line: 1 }))
        assert.strictEqual(range.code, "too_large")
        assert.match(range.text, /Ask for fewer with `line_count`/)
        assert.strictEqual(failure(yield* read("one-line", { line_count: 1 })).code, "too_large")
      })
    )
  )

  it.live("reads a range of a file of 500 MB without holding it", () =>
    withFiles({}, ({ fs, read, root }) =>
      Effect.gen(function* () {
        // Sparse but for its ends: nothing is written to the disk, all of it is read. A head without zeros keeps it text.
        const text = new TextEncoder().encode(`${lines(2000)}`)
        yield* fs.writeFile(`${root}/huge`, text)
        yield* Effect.scoped(
          Effect.gen(function* () {
            const file = yield* fs.open(`${root}/huge`, { flag: "r+" })
            yield* file.truncate(500_000_000)
            yield* file.seek(BigInt(500_000_000), "start")
            yield* file.writeAll(new TextEncoder().encode("\nthe last\n"))
          })
        )
        const before = process.memoryUsage().arrayBuffers
        const answer = success(yield* read("huge", { start_line: 2002 }))
        assert.strictEqual(answer.value, "the last\n")
        assert.isBelow(process.memoryUsage().arrayBuffers - before, 50_000_000)
        assert.strictEqual(success(yield* read("huge", { start_line: 2, line_count: 1 })).value, "line 2\n")
      })
    )
  )

  it.live("says what a file is that is not text", () =>
    withFiles(
      {
        "a.png": new Uint8Array([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0]),
        "b.exe": new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 2, 1, 0, 0]),
        "c.txt": new Uint8Array([0xff, 0xfe, 97, 0, 98, 0]),
        "d.txt": new Uint8Array([97, 0, 98, 0, 99, 0, 10, 0]),
        "e.txt": new Uint8Array([97, 10, 98, 10, 0xe9, 32, 10]),
        "f.bin": new Uint8Array([1, 2, 0, 0, 3]),
        "g.txt": new Uint8Array([0xe2, 0x82])
      },
      ({ read }) =>
        Effect.gen(function* () {
          const message = (path: string, range?: { readonly start_line: number; readonly line_count: number }) =>
            Effect.map(read(path, range), (answer) => {
              assert.strictEqual(failure(answer).code, "not_text", path)
              return answer.text
            })
          assert.match(yield* message("a.png"), /^a\.png is not text: it seems to be a PNG image\./)
          assert.match(yield* message("b.exe"), /an ELF executable/)
          assert.match(yield* message("c.txt"), /UTF-16 text, little-endian/)
          assert.match(yield* message("d.txt"), /UTF-16 text, little-endian, without/)
          assert.match(yield* message("e.txt"), /^e\.txt is not UTF-8 text \(line 3\): .* Latin-1/)
          assert.match(yield* message("f.bin"), /binary data/)
          assert.match(yield* message("g.txt"), /not UTF-8 text \(line 1\)/)
          assert.match(yield* message("e.txt", { start_line: 3, line_count: 1 }), /line 3/)
          assert.strictEqual(success(yield* read("e.txt", { start_line: 1, line_count: 2 })).value, "a\nb\n")
        })
    )
  )

  it.live("says what is there instead: near names, a directory's entries, outside", () =>
    withFiles({ "src/server.ts": "x\n", "src/lib/a.ts": "x\n" }, ({ fs, read, root }) =>
      Effect.gen(function* () {
        const missing = failure(yield* read("src/serwer.ts"))
        assert.strictEqual(missing.code, "not_found")
        assert.match(missing.text, /src\/server\.ts/)
        const directory = failure(yield* read("src"))
        assert.strictEqual(directory.code, "not_found")
        assert.strictEqual(directory.text, "src is a directory, not a file. In it: lib/, server.ts.")
        assert.strictEqual(failure(yield* read("../x")).code, "outside_directory")
        assert.strictEqual(failure(yield* read("/etc/passwd")).code, "outside_directory")
        yield* fs.symlink("/etc/passwd", `${root}/out`)
        yield* fs.symlink("src/server.ts", `${root}/in`)
        assert.strictEqual(failure(yield* read("out")).code, "outside_directory")
        assert.strictEqual(success(yield* read("in")).value, "x\n")
      })
    )
  )
})
