import { assert, describe, it } from "@effect/vitest"
import * as Path from "node:path"
import * as Paths from "../../../layers/workspace/Paths.ts"

describe("on Windows", () => {
  const { win32 } = Path
  it("shows with `/`, whatever the case of the drive, and absolute on another drive or outside", () => {
    assert.strictEqual(Paths.show(win32, "C:\\work", "C:\\work\\src\\a.ts"), "src/a.ts")
    assert.strictEqual(Paths.show(win32, "C:\\work", "c:\\Work\\src\\a.ts"), "src/a.ts")
    assert.strictEqual(Paths.show(win32, "C:\\work", "C:\\work"), ".")
    assert.strictEqual(Paths.show(win32, "C:\\work", "D:\\work\\a.ts"), "D:\\work\\a.ts")
    assert.strictEqual(Paths.show(win32, "C:\\work", "C:\\works\\a.ts"), "C:\\works\\a.ts")
    assert.strictEqual(Paths.show(win32, "C:\\work", "\\\\server\\share\\a.ts"), "\\\\server\\share\\a.ts")
  })
  it("knows inside from outside", () => {
    assert.isTrue(Paths.isInside(win32, "C:\\work", "C:\\work\\..a"))
    assert.isFalse(Paths.isInside(win32, "C:\\work", "C:\\"))
    assert.isFalse(Paths.isInside(win32, "C:\\work", "D:\\work"))
  })
  it("splits at both separators", () => {
    assert.deepStrictEqual(Paths.segments(win32, "a\\b/.\\c//d"), ["a", "b", "c", "d"])
  })
})

describe("elsewhere", () => {
  it("takes a backslash for a part of the name", () => {
    assert.strictEqual(Paths.show(Path.posix, "/work", "/work/a\\b"), "a\\b")
    assert.deepStrictEqual(Paths.segments(Path.posix, "a\\b/./c"), ["a\\b", "c"])
  })
})
