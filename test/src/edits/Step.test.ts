import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as Step from "../../../src/edits/Step.ts"

const file = (hash: string): Step.Entry => ({ kind: "file", bytes: new Uint8Array(), hash })
const directory: Step.Entry = { kind: "directory" }
const set = (path: string, before: Step.Entry | null, after: Step.Entry | null): Step.Step => ({
  type: "set",
  path,
  before,
  after
})
const move = (from: string, to: string): Step.Step => ({ type: "move", from, to })
const states = (entries: Readonly<Record<string, Step.State>>): Step.States => new Map(Object.entries(entries))

describe("simulate", () => {
  it("moves what is known below a directory with it", () => {
    const initial = states({ "/d": "directory", "/d/a": "file:1", "/dx": "file:2", "/e": "missing" })
    const { final, touched } = Step.simulate(initial, [set("/d/a", file("1"), file("9")), move("/d", "/e")], "/")
    assert.deepStrictEqual(Object.fromEntries(final), {
      "/d": "missing",
      "/e": "directory",
      "/e/a": "file:9",
      "/dx": "file:2"
    })
    assert.deepStrictEqual([...touched].sort(), ["/d", "/d/a", "/dx", "/e", "/e/a"])
  })
  it("says the beginning again when the steps are reversed", () => {
    const initial = states({ "/a": "file:1", "/b": "file:2", "/t": "missing" })
    const steps = [
      move("/a", "/t"),
      move("/b", "/a"),
      move("/t", "/b"),
      set("/a", file("2"), null),
      set("/a", null, directory)
    ]
    const { final } = Step.simulate(initial, steps, "/")
    assert.deepStrictEqual(Step.simulate(final, Step.reverse(steps), "/").final, initial)
  })
})

describe("done", () => {
  const lies = (now: Readonly<Record<string, Step.State>>) => (path: string, state: Step.State) =>
    Step.fits(state, now[path] ?? "missing")
  const count = (steps: ReadonlyArray<Step.Step>, initial: Step.States, now: Readonly<Record<string, Step.State>>) =>
    Result.map(Step.done(steps, initial, lies(now), "/"), (done) => done.length)

  it("finds the number of steps after which a process was killed", () => {
    const initial = states({ "/a": "file:1", "/b": "file:2", "/n": "missing" })
    const steps = [set("/a", file("1"), file("A")), move("/b", "/n"), set("/n", file("2"), file("B"))]
    assert.deepStrictEqual(count(steps, initial, { "/a": "file:1", "/b": "file:2" }), Result.succeed(0))
    assert.deepStrictEqual(count(steps, initial, { "/a": "file:A", "/b": "file:2" }), Result.succeed(1))
    assert.deepStrictEqual(count(steps, initial, { "/a": "file:A", "/n": "file:2" }), Result.succeed(2))
    assert.deepStrictEqual(count(steps, initial, { "/a": "file:A", "/n": "file:B" }), Result.succeed(3))
    assert.deepStrictEqual(count(steps, initial, { "/a": "file:1", "/n": "file:B" }), Result.fail(["/a"]))
  })
  it("takes each path for itself where nothing is moved", () => {
    const initial = states({ "/a": "file:1", "/b": "file:2" })
    const steps = [set("/a", file("1"), file("A")), set("/b", file("2"), null), set("/b", null, file("B"))]
    const done = (now: Readonly<Record<string, Step.State>>) => Step.done(steps, initial, lies(now), "/")
    assert.deepStrictEqual(done({ "/a": "file:1", "/b": "file:B" }), Result.succeed(steps.slice(1)))
    assert.deepStrictEqual(done({ "/a": "file:1", "/b": "missing" }), Result.succeed(steps.slice(1, 2)))
    assert.deepStrictEqual(done({ "/a": "file:x", "/b": "file:y" }), Result.fail(["/a", "/b"]))
  })
  it("does not mind what it does not know below a directory that is moved", () => {
    const initial = states({ "/d": "directory", "/h": "missing" })
    const steps = [move("/d", "/h"), set("/d", null, directory), set("/d/a", null, file("new"))]
    assert.deepStrictEqual(count(steps, initial, { "/d": "directory", "/d/a": "file:old" }), Result.succeed(0))
    assert.deepStrictEqual(count(steps, initial, { "/h": "directory", "/d": "directory" }), Result.succeed(2))
  })
  it("takes time that is linear in thousands of steps", () => {
    const many = Array.from({ length: 3000 }, (_, i) => i)
    const initial = states(Object.fromEntries(many.map((i) => [`/f${i}`, "file:1"])))
    const steps = many.map((i) => set(`/f${i}`, file("1"), file("2")))
    const now = Object.fromEntries(many.map((i) => [`/f${i}`, i < 1234 ? "file:2" : "file:1"]))
    assert.deepStrictEqual(count(steps, initial, now), Result.succeed(1234))
  })
})

describe("moved", () => {
  it("gives where things lay that are only moved", () => {
    const steps = [
      move("/a", "/b"),
      move("/b", "/c"),
      set("/n", null, file("1")),
      move("/n", "/m"),
      move("/d", "/e"),
      move("/e/x", "/y"),
      set("/e", directory, null)
    ]
    assert.deepStrictEqual([...Step.moved(steps, "/")], ["/a", "/d/x"])
  })
})
