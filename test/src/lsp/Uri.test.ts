import { assert, describe, it } from "@effect/vitest"
import * as Uri from "../../../src/lsp/Uri.ts"

describe("Uri", () => {
  it("C49 every odd name is round-tripped", () => {
    const names = [
      "a+b",
      "a#b",
      "a?b",
      "100%",
      "%41",
      "a b",
      "[slug]",
      "(group)",
      "ü/世/😀",
      "a:b",
      "a&b=c;d,e",
      "~x",
      "'q'"
    ]
    for (const name of names) {
      const path = `/p/${name}/f.ts`
      assert.strictEqual(Uri.toPath(Uri.fromPath(path)), path, name)
      assert.match(Uri.fromPath(path), /^file:\/\/\/[A-Za-z0-9\-._~/%]*$/)
    }
  })

  it("C49 two spellings of one file are one", () => {
    const same = [
      ["file:///c%3A/x", "file:///C:/x", "FILE:///c:/x", "file:/C:/x"],
      ["file:///p/%28group%29/a", "file:///p/(group)/a", "file://localhost/p/(group)/a"],
      ["file:///p/%E4%B8%96", "file:///p/%e4%b8%96", "file:///p/世"]
    ]
    for (const spellings of same) assert.lengthOf([...new Set(spellings.map(Uri.key))], 1, spellings[0])
    assert.notStrictEqual(Uri.key("file:///p/A"), Uri.key("file:///p/a"))
    assert.strictEqual(Uri.key("file:///c%3A/x"), "C:/x")
  })

  it("C49 paths of Windows", () => {
    assert.strictEqual(Uri.fromPath("C:\\a b\\c#d"), "file:///c%3A/a%20b/c%23d")
    assert.strictEqual(Uri.toPath("file:///c%3A/a%20b/c%23d"), "C:/a b/c#d")
    assert.strictEqual(Uri.fromPath("\\\\Host\\share\\x"), "file://host/share/x")
    assert.strictEqual(Uri.toPath("file://host/share/x"), "//host/share/x")
    assert.strictEqual(Uri.toPath("file:///D:"), "D:/")
  })

  it("C51 what is no file has no path, and stays as it is", () => {
    for (const uri of [
      "untitled:Untitled-1",
      "jdt://contents/rt.jar/A.class",
      "zipfile:///x.zip::a",
      "deno:/x",
      "",
      "file:"
    ]) {
      assert.strictEqual(Uri.toPath(uri), undefined)
      assert.strictEqual(Uri.key(uri), uri)
      assert.strictEqual(Uri.ofKey(uri), uri)
    }
    assert.strictEqual(Uri.toPath("file:///a%00b"), undefined)
  })

  it("percent signs that encode nothing are kept", () => {
    assert.strictEqual(Uri.toPath("file:///p/100%/x"), "/p/100%/x")
    assert.strictEqual(Uri.toPath("file:///p/%ff%41%20b"), "/p/%ff%41%20b")
    assert.strictEqual(Uri.toPath("file:///p/a?query#fragment"), "/p/a")
    assert.strictEqual(Uri.ofKey("/p/a b"), "file:///p/a%20b")
  })
})
