import * as Fs from "node:fs"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"

/** Lines of the checklist that no test here names, each with the reason. */
const untestable: ReadonlyMap<string, string> = new Map([
  ["C48", "a rule of the tool, not of the protocol: test/src/lsp/SymbolOnLine.test.ts is about nothing else"]
])

const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => `C${from + i}`)

const namesIn = (folder: string): ReadonlyArray<string> =>
  Fs.readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts"))
    .flatMap((name) => {
      const text = Fs.readFileSync(Path.join(folder, name), "utf8")
      return [...text.matchAll(/\bit(?:\.live|\.effect)?\(\s*(["'`])(.*?)\1/g)].map(([, , title]) => title ?? "")
    })

describe("the checklist of the guide", () => {
  it("each of C1–C103 has a test that names it, or a reason", () => {
    const tests = fileURLToPath(new URL("../../", import.meta.url))
    const titles = [
      ...namesIn(Path.join(tests, "src/lsp")),
      ...namesIn(Path.join(tests, "src/wire")),
      ...namesIn(Path.join(tests, "layers/lsp")),
      ...namesIn(Path.join(tests, "src/edits")),
      ...namesIn(Path.join(tests, "layers/edits")),
      ...namesIn(Path.join(tests, "real/lsp"))
    ]
    const named = new Set(titles.flatMap((title) => title.match(/\bC\d+\b/g) ?? []))
    const missing = numbers(1, 103).filter((id) => !named.has(id) && !untestable.has(id))
    assert.deepStrictEqual(missing, [])
  })
})
