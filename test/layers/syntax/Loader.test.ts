import { describe, expect, it } from "@effect/vitest"
import * as Fs from "node:fs"
import * as Path from "node:path"
import * as Folders from "../../support/Folders.ts"
import { all } from "../../../grammars/index.ts"
import * as Loader from "../../../layers/syntax/Loader.ts"
import type { Grammar } from "../../../src/syntax/Grammar.ts"

const [first] = all
const withFile = (file: string): Grammar => ({
  ...first!,
  id: "broken",
  wasm: { package: "some-package", path: "x.wasm", file }
})

const file = (bytes: Uint8Array): string => {
  const path = Path.join(Folders.make("wasm-"), "x.wasm")
  Fs.writeFileSync(path, bytes)
  return path
}

/** An empty module with one custom section of this name. */
const moduleWith = (section: string): Uint8Array => {
  const name = new TextEncoder().encode(section)
  return new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 0, name.length + 1, name.length, ...name])
}

describe("Loader", () => {
  for (const grammar of all) {
    it(`loads ${grammar.id} and knows the kinds that its grammar names`, async () => {
      const language = (await Loader.make()).load(grammar)
      if (typeof language === "string") throw new Error(language)
      const named = new Set(language.compiled.types)
      const { links = [], strings, terminated = [], transparent = [] } = grammar
      expect([...strings, ...transparent, ...links, ...terminated].filter((kind) => !named.has(kind))).toEqual([])
    })
  }

  it("feeds a parser long texts whole, whatever is in them", async () => {
    const language = (await Loader.make()).load(all.find(({ id }) => id === "javascript")!)
    if (typeof language === "string") throw new Error(language)
    const lines = Array.from({ length: 3000 }, (_, index) => `f("é😀\ud800${"x".repeat(index % 7)}", ${index});`)
    const text = lines.join("\n")
    const tree = language.parse(text)!
    expect(tree.rootNode.hasError).toBe(false)
    expect(tree.rootNode.namedChildren.map((node) => text.slice(node.startIndex, node.endIndex))).toEqual(lines)
    const part = language.parse(text, undefined, { start: lines[0]!.length + 1, end: text.length })!
    expect(part.rootNode.namedChildren).toHaveLength(2999)
    expect(language.parse("")!.rootNode.namedChildren).toEqual([])
  })

  it("says what is wrong with a grammar that does not load, once and for all", async () => {
    const loader = await Loader.make()
    const missing = withFile("nothing-here.wasm")
    expect(loader.load(missing)).toContain(
      "the grammar of broken (nothing-here.wasm of some-package) cannot be loaded: its file cannot be read"
    )
    expect(loader.load(withFile(file(moduleWith("dylink"))))).toContain(
      "it was built for an old loader (a `dylink` section instead of `dylink.0`)"
    )
    expect(loader.load(withFile(file(new Uint8Array([1, 2, 3]))))).toContain("cannot be loaded: ")
    expect(loader.load(missing)).toBe(loader.load(missing))
    expect(typeof loader.load(first!)).toBe("object")
  })
})
