import { assert, describe, it } from "@effect/vitest"
import * as Glob from "../../../src/lsp/Glob.ts"
import * as WatchedFiles from "../../../src/lsp/WatchedFiles.ts"

const events = ["created", "changed", "deleted"] as const

describe("Glob", () => {
  it("C41 matches as the protocol says", () => {
    const cases: ReadonlyArray<readonly [string, ReadonlyArray<string>, ReadonlyArray<string>]> = [
      ["*.ts", ["a.ts", ".ts"], ["a/b.ts", "a.tsx"]],
      ["**/*.ts", ["a.ts", "a/b.ts", "a/b/c.ts"], ["a.js"]],
      ["src/**", ["src/a", "src/a/b"], ["lib/a"]],
      ["a?c", ["abc"], ["ac", "a/c"]],
      ["**/*.{ts,js}", ["a.ts", "x/a.js"], ["a.css"]],
      ["**/{package,tsconfig}*.json", ["package.json", "a/tsconfig.base.json"], ["other.json"]],
      ["example.[0-9]", ["example.0"], ["example.a", "example."]],
      ["example.[!0-9]", ["example.a"], ["example.0", "example./"]],
      ["**", ["a", "a/b"], []],
      ["a{b,c{d,e}}f", ["abf", "acdf", "acef"], ["acf"]],
      ["a.b+c(d)$", ["a.b+c(d)$"], ["aXb+c(d)$"]],
      ["{unclosed", ["{unclosed"], ["unclosed"]],
      ["[unclosed", ["[unclosed"], ["u"]]
    ]
    for (const [pattern, yes, no] of cases) {
      const matches = Glob.compile(pattern)
      assert.deepStrictEqual([yes.filter(matches), no.filter(matches)], [yes, []], pattern)
    }
  })

  it("C41 a pattern beyond all measure takes no time, and lets everything through", () => {
    const start = performance.now()
    for (const pattern of ["*a".repeat(5000), "**/".repeat(200) + "x", "[z-a]"]) {
      assert.isTrue(Glob.compile(pattern)(`${"a/".repeat(500)}x`))
    }
    assert.isFalse(Glob.compile("**/*a*a*a*a*b")(`${"a".repeat(60)}/c`))
    assert.isBelow(performance.now() - start, 1000)
  })
})

describe("WatchedFiles", () => {
  const wants = (globPattern: unknown, kind?: number) => {
    const wanted = WatchedFiles.wants({ watchers: [{ globPattern, ...(kind === undefined ? {} : { kind }) }] }, "/p")
    return (path: string) => events.filter((event) => wanted({ path, event }))
  }

  it("C41 kinds: without one all, otherwise its bits", () => {
    assert.deepStrictEqual(wants("**/*.go")("/p/x/a.go"), ["created", "changed", "deleted"])
    assert.deepStrictEqual(wants("**/*.go", 1)("/p/a.go"), ["created"])
    assert.deepStrictEqual(wants("**/*.go", 6)("/p/a.go"), ["changed", "deleted"])
    assert.deepStrictEqual(wants("**/*.go")("/p/a.js"), [])
  })

  it("C41 patterns relative to the root, to a URI or a folder, and absolute ones", () => {
    assert.deepStrictEqual(wants("*.json", 1)("/p/a.json"), ["created"])
    assert.deepStrictEqual(wants("/p/**/*.json", 1)("/p/x/a.json"), ["created"])
    for (const baseUri of ["file:///p/sub", { uri: "file:///p/sub", name: "sub" }]) {
      assert.deepStrictEqual(wants({ baseUri, pattern: "*.json" }, 1)("/p/sub/a.json"), ["created"])
      assert.deepStrictEqual(wants({ baseUri, pattern: "*.json" }, 1)("/p/a.json"), [])
    }
    assert.deepStrictEqual(wants({ baseUri: "untitled:x", pattern: "**" })("/p/a"), [])
  })

  it("C41 two events of one file come to one, or none", () => {
    assert.deepStrictEqual(
      events.map((before) => events.map((after) => WatchedFiles.merge(before, after))),
      [
        ["created", "created", undefined],
        ["changed", "changed", "deleted"],
        ["changed", "changed", "deleted"]
      ]
    )
  })

  it("malformed options want nothing", () => {
    for (const options of [undefined, null, 3, { watchers: 1 }, { watchers: [{}, { globPattern: 4 }] }]) {
      assert.isFalse(WatchedFiles.wants(options, "/p")({ path: "/p/a", event: "created" }))
    }
  })
})
